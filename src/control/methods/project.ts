import * as z from 'zod';
import { HistoryView, RecordDifference, RecordView } from '../../view/record.ts';
import { ScrapeWish } from '../../view/scrape.ts';
import { Infeasible } from '../../view/infeasible.ts';
import { SinkLinksInput } from '../../schema/sink-link.ts';
import { ProjectId, SourceId } from '../../schema/slug.ts';
import type { MethodSpec } from './method.ts';
import { Limit, Where, nextOfBefore, OfRecordKey, OfRecordType, OfSource } from './fields.ts';
import { Instant, Serial } from '../../view/fields.ts';
import {
  addLabels,
  figures,
  ListedProjectInput,
  multiplier,
  ProjectChange,
  ProjectInput,
  removeLabels,
} from './project-input.ts';
import { TargetView } from './target.ts';
import { RequestedHold, WhyView } from './why.ts';

/** A project with its targets. Its status is `finished` when all its targets are. */
export const ProjectView = z.strictObject({
  id: z.string(),
  name: z.string(),
  labels: z.array(z.string()).readonly(),
  multiplier: z.number(),
  status: z.enum(['active', 'finished', 'archived']),
  createdAt: Instant,
  archivedAt: Instant.optional(),
  /** The sinks that are told of the project and of all its targets; missing where there are none. */
  sinks: SinkLinksInput.exactOptional(),
  ...figures,
  targets: z.array(TargetView).readonly(),
});
export type ProjectView = z.infer<typeof ProjectView>;

/** A requested scrape; `coalesced` where one was waiting already, so that none was added. */
export const RequestedScrape = z.strictObject({
  target: Serial,
  scrape: Serial,
  coalesced: z.boolean(),
  /** Set where the scrape cannot begin yet. */
  held: RequestedHold.optional(),
});
export type RequestedScrape = z.infer<typeof RequestedScrape>;

/** Why scraping is paused; missing while it is not. */
const paused = z.string().optional();

/** A project that was added. */
export const AddedProject = ProjectView.extend({
  paused,
  /** Objectives that the project's hosts do not allow, its own and others' there; missing where there are none. */
  infeasible: z.array(Infeasible).readonly().optional(),
  /** Addresses that no source knows, which are tracked as pages by the built-in source `page`; missing where there are none. */
  unknown: z.array(z.string()).readonly().optional(),
  /** The sources that were found for addresses without one, and by what: it is the source's own address, its pattern fits, its plug-in knows it, or it is on the same host; missing where there are none. */
  matched: z
    .array(
      z.strictObject({ url: z.string(), source: z.string(), by: z.enum(['address', 'pattern', 'plugin', 'host']) }),
    )
    .readonly()
    .optional(),
});

/** A project after a change. */
export const ChangedProject = ProjectView.extend({
  /** One line per difference, such as `name: "Solar" → "Solar Backpack"`; none where the project was that way before. */
  changes: z.array(z.string()).readonly(),
});

/** A change that applying a list makes to one project. */
export const AppliedChange = z.strictObject({
  id: z.string(),
  action: z.enum(['add', 'update', 'restore', 'archive']),
  /** One line per difference, such as `name: "Solar" → "Solar Backpack"`. */
  details: z.array(z.string()).readonly(),
});
export type AppliedChange = z.infer<typeof AppliedChange>;

const OneProject = z.strictObject({ id: ProjectId });
const OneTarget = z.strictObject({
  id: ProjectId,
  target: Serial.describe('The number of one of its targets. Default: all.').exactOptional(),
});
const Rescrape = OneTarget.extend({
  wish: ScrapeWish.describe(
    'How the scrape differs from what its definition says. Default: not at all.',
  ).exactOptional(),
});

/** Methods on projects. */
export const projectMethods = {
  'project.add': {
    params: ProjectInput,
    result: AddedProject,
    role: 'operate',
    scope: 'daemon',
    doc: 'Tracks a new project; a conflict when its id is taken, also by an archived one, and when a target that names no source is watched already. A target that names its source is shared with the `others` that watch it.',
  },
  'project.list': {
    params: z.strictObject({
      status: z
        .enum(['active', 'finished', 'archived'])
        .describe('Only projects of this status. Default: all but archived ones.')
        .exactOptional(),
      label: z.string().describe('Only projects that have this label.').exactOptional(),
      source: SourceId.describe('The id of a source: only projects with a target on it.').exactOptional(),
      match: z
        .string()
        .max(128)
        .describe('A pattern that the whole id matches: `*` stands for any characters, `?` for one.')
        .exactOptional(),
      after: ProjectId.describe(nextOfBefore).exactOptional(),
      limit: Limit,
    }),
    result: z.strictObject({
      projects: z.array(ProjectView).readonly(),
      /** Set when there are more: the `after` of the next slice. */
      next: z.string().optional(),
    }),
    role: 'read',
    scope: 'filtered',
    doc: 'Lists projects in the order of their ids; archived ones only when asked for.',
  },
  'project.search': {
    params: z.strictObject({
      query: z
        .string()
        .max(500)
        .default('')
        .describe(
          'Words that the id, the name, a label or an address contains, without regard to case and accents, and `source:shop`, `label:acme`, `state:late`, and `changes:unviewed` for those with changes that the caller has not viewed (`viewing.add`); all must hold. States: `active`, `finished`, `archived`, `late`, `parked`, `ticket` and `held`. Quotes keep words together; a `"` between them is written `\\"`.',
        ),
      after: ProjectId.describe(nextOfBefore).exactOptional(),
      limit: Limit,
    }),
    result: z.strictObject({
      projects: z.array(ProjectView).readonly(),
      /**
       * How many match. Not exact where states are asked for and many projects are to be looked at, or a slice follows another one; of one status alone,
       * such as `state:active`, it is always exact.
       */
      total: z.strictObject({ count: z.int(), isExact: z.boolean() }),
      /** The ids of those among `projects` with changes that the caller has not viewed; missing for some seconds after a start, while a long event log is read. */
      unviewed: z.array(z.string()).readonly().optional(),
      next: z.string().optional(),
    }),
    role: 'read',
    scope: 'filtered',
    doc: 'Searches projects, in the order of their ids; archived ones only with `state:archived`. With a state, one call looks at 2,000 projects at most, so that a slice may be short.',
  },
  'project.get': {
    params: OneProject,
    result: ProjectView,
    role: 'read',
    scope: { project: 'id' },
    doc: 'Shows one project.',
  },
  'project.why': {
    params: OneTarget,
    result: z.strictObject({
      id: z.string(),
      status: ProjectView.shape.status,
      at: Instant,
      paused,
      targets: z.array(WhyView).readonly(),
    }),
    role: 'read',
    scope: { project: 'id' },
    doc: 'Shows when each target of a project is next due, and each reason for that; sends no request.',
  },
  'project.update': {
    params: ProjectChange,
    result: ChangedProject,
    role: 'operate',
    scope: 'daemon',
    doc: 'Changes the named properties of a project, archived or not, and leaves the others.',
  },
  'project.archive': {
    params: OneProject,
    result: ProjectView,
    role: 'operate',
    scope: { project: 'id' },
    doc: 'Stops tracking a project, cancels what runs for it alone and keeps its data; again does nothing.',
  },
  'project.restore': {
    params: OneProject,
    result: ProjectView,
    role: 'operate',
    scope: { project: 'id' },
    doc: 'Tracks an archived project again, from the initial delay on; again does nothing.',
  },
  'project.delete': {
    params: OneProject.extend({
      records: z
        .boolean()
        .default(false)
        .describe('Removes also the records and the history of the targets that nobody watches then.'),
      dryRun: z.boolean().default(false).describe('Only tells what would be removed.'),
    }),
    result: z.strictObject({
      /** The targets that no other project watches, archived ones included, and that are removed. */
      targets: z.array(Serial).readonly(),
      /** The number of records that these targets have seen, up to 100,000 of each: what is removed with `records`, but for those that other targets have seen since. */
      records: z.int(),
    }),
    role: 'operate',
    scope: 'daemon',
    doc: 'Removes a project, archived or not, and those of its targets that nobody else watches, with all that is known of their scrapes but what the logs keep. Their records and history stay with the source, unless `records` is set. It is gone at once; what belongs to its targets goes in many small steps, which a daemon that is killed goes on with at its next start.',
  },
  'project.rescrape': {
    params: Rescrape,
    result: z.strictObject({ scrapes: z.array(RequestedScrape).readonly(), paused }),
    role: 'operate',
    scope: { project: 'id' },
    doc: 'Requests a scrape now of all active targets of a project, or of one; at most one scrape runs and one waits for each target. A conflict where no target can be scraped, as when no definition of its source is loaded.',
  },
  'project.release': {
    params: OneTarget,
    result: ProjectView,
    role: 'operate',
    scope: { project: 'id' },
    doc: 'Lets parked targets of a project run again, all or one.',
  },
  'project.records': {
    params: z.strictObject({
      id: ProjectId,
      source: OfSource,
      type: OfRecordType,
      where: Where.exactOptional(),
      after: z.string().describe(nextOfBefore).exactOptional(),
      limit: Limit,
    }),
    result: z.strictObject({ records: z.array(RecordView).readonly(), next: z.string().optional() }),
    role: 'read',
    scope: { project: 'id' },
    doc: 'Shows what is known of a project, archived or not. `where` is that of `source.records`.',
  },
  'project.history': {
    params: z.strictObject({
      id: ProjectId,
      source: OfSource,
      type: OfRecordType,
      key: OfRecordKey,
      field: z.string().describe('The name of a field: only changes of it.').exactOptional(),
      since: Instant.describe('Only changes that were observed at this instant or later.').exactOptional(),
      until: Instant.describe('Only changes that were observed before this instant.').exactOptional(),
      rules: z.boolean().default(false).describe('Shows also the rules by which the values were read.'),
      before: z.string().describe(nextOfBefore).exactOptional(),
      limit: Limit,
    }),
    result: z.strictObject({
      changes: z
        .array(
          HistoryView.extend({
            /** Where the definition of that version looked for the fields, by field; missing for those that a plug-in or a program gives. */
            rules: z.record(z.string(), z.string()).readonly().exactOptional(),
          }),
        )
        .readonly(),
      next: z.string().optional(),
    }),
    role: 'read',
    scope: { project: 'id' },
    doc: "Shows how a project's records changed, the change that was observed last first.",
  },
  'project.diff': {
    params: z
      .strictObject({
        id: ProjectId,
        from: Instant.describe('The earlier instant; what was observed at it belongs to it.'),
        to: Instant.describe('The later instant; what was observed at it belongs to it. Default: now.').exactOptional(),
        source: OfSource,
        type: OfRecordType,
        key: OfRecordKey,
        after: z.string().describe(nextOfBefore).exactOptional(),
        limit: Limit,
      })
      .refine(({ from, to }) => to === undefined || from < to, { error: 'expected "from" before "to"' }),
    result: z.strictObject({ differences: z.array(RecordDifference).readonly(), next: z.string().optional() }),
    role: 'read',
    scope: { project: 'id' },
    doc: "Shows by which fields a project's records differ between two instants, each with the scrape that brought the later value. A slice may be shorter than its limit.",
  },
  'project.bulk': {
    params: z
      .strictObject({
        ids: z.array(ProjectId).min(1).max(1_000).readonly().describe('The ids of the projects.').exactOptional(),
        query: z
          .string()
          .max(500)
          .describe('In place of `ids`: all projects that this query of `project.search` finds.')
          .exactOptional(),
        action: z
          .enum(['rescrape', 'archive', 'restore', 'edit'])
          .describe(
            'What is done with each of the projects. `edit` takes `addLabels`, `removeLabels` and `multiplier`.',
          ),
        addLabels,
        removeLabels,
        multiplier: multiplier.exactOptional(),
        dryRun: z.boolean().default(false).describe('Only tells what would be done.'),
      })
      .refine(({ ids, query }) => (ids === undefined) !== (query === undefined), {
        error: 'expected one of "ids" and "query"',
      })
      .refine(
        ({ action, addLabels, removeLabels, multiplier: factor }) =>
          (action === 'edit') === ((addLabels ?? removeLabels ?? factor) !== undefined),
        { error: 'expected "addLabels", "removeLabels" or "multiplier" beside "edit", and beside nothing else' },
      ),
    result: z.strictObject({
      /** The projects that are named or found. */
      matched: z.int(),
      /** How many projects were changed, or would be; `first` has the ids of the first 20. */
      changed: z.int(),
      first: z.array(z.string()).readonly(),
      /** How many projects already are as the action makes them; of `rescrape`, how many already have a requested scrape. */
      unchanged: z.int(),
      /** The projects that the action is refused for: their number, and the reasons of the first 20. */
      refused: z.strictObject({
        count: z.int(),
        first: z.array(z.strictObject({ id: z.string(), why: z.string() })).readonly(),
      }),
    }),
    role: 'operate',
    scope: 'daemon',
    doc: 'Does the same to many projects, some at a time, each of which is on disk before the next. Done again after it was interrupted, it does what is left. Scrapes that it asks for take their turns at the paces of the hosts.',
  },
  'project.apply': {
    params: z.strictObject({
      projects: z.array(ListedProjectInput).max(10_000).readonly().describe('The projects as they are to be.'),
      prune: z.boolean().default(false).describe('Archives projects that are not in the list.'),
      within: z
        .strictObject({
          after: ProjectId.describe('The id before the first of the range. Default: no bound.').exactOptional(),
          upTo: ProjectId.describe('The last id of the range. Default: no bound.').exactOptional(),
        })
        .describe(
          'The range of ids that the list stands for, if it is a part of a longer one: `prune` archives none outside of it.',
        )
        .exactOptional(),
      dryRun: z.boolean().default(false).describe('Only tells the changes, and makes none.'),
    }),
    result: z.strictObject({
      changes: z.array(AppliedChange).readonly(),
      unchanged: z.int(),
      applied: z.boolean(),
      /** Objectives that the hosts of the list do not allow; missing where there are none. */
      infeasible: z.array(Infeasible).readonly().optional(),
    }),
    role: 'operate',
    scope: 'daemon',
    doc: 'Makes the tracked projects equal to a list, by id; archives only with `prune`.',
  },
} as const satisfies Record<string, MethodSpec>;
