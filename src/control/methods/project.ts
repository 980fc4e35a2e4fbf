import * as z from 'zod';
import { maxTargets } from '../../definition/project.ts';
import { Metrics, Rules } from '../../metric/metric.ts';
import { HistoryView, RecordDifference, RecordView } from '../../view/record.ts';
import { ScrapeWish } from '../../view/scrape.ts';
import { Infeasible } from '../../view/infeasible.ts';
import { SinkLinksInput } from '../../schema/sink-link.ts';
import { ProjectId, SourceId } from '../../schema/slug.ts';
import type { MethodSpec } from './method.ts';
import { Limit, Where } from './fields.ts';
import { Instant, Serial } from '../../view/fields.ts';
import { checkScheduleInput, scheduleInputShape } from '../../schedule/levels.ts';
import { NewTarget, TargetInput, TargetView } from './target.ts';
import { RequestedHold, WhyView } from './why.ts';

const name = z.string().trim().min(1).max(200);
const labels = z.array(z.string().trim().min(1).max(64)).max(32).readonly();
const multiplier = z.number().positive().max(100);
const targets = z.array(TargetInput).min(1).max(maxTargets).readonly();
const newTargets = z.array(NewTarget).min(1).max(maxTargets).readonly();

const figures = {
  /** Figures that are computed from the records of its targets, by name; those that are given replace all. */
  metrics: Metrics.exactOptional(),
  /** Conditions that the records of its targets begin and cease to meet, by name; those that are given replace all. */
  rules: Rules.exactOptional(),
};

const project = {
  id: ProjectId.exactOptional(),
  name: name.exactOptional(),
  labels: labels.default([]),
  multiplier: multiplier.default(1),
  /** The sinks that are told of the project and of all its targets. */
  sinks: SinkLinksInput.exactOptional(),
  ...figures,
  ...scheduleInputShape,
  targets,
};

/** A new project. Without an id it gets one; without a name, the id is its name. */
export const ProjectInput = z.strictObject({ ...project, targets: newTargets }).superRefine(checkScheduleInput);
export type ProjectInput = z.infer<typeof ProjectInput>;

/** A project in the list of `project.apply`, which matches it to tracked projects by `id`. */
export const ListedProjectInput = z.strictObject({ ...project, id: ProjectId }).superRefine(checkScheduleInput);
export type ListedProjectInput = z.infer<typeof ListedProjectInput>;

/**
 * A change of a project. What is left out stays, but a new pace replaces the one before. `targets` lists all targets: one that
 * is left out is removed.
 */
export const ProjectChange = z
  .strictObject({
    id: ProjectId,
    name: name.exactOptional(),
    labels: labels.exactOptional(),
    addLabels: labels.exactOptional(),
    removeLabels: labels.exactOptional(),
    multiplier: multiplier.exactOptional(),
    sinks: SinkLinksInput.exactOptional(),
    ...figures,
    ...scheduleInputShape,
    targets: targets.exactOptional(),
    addTargets: newTargets.exactOptional(),
    /** The numbers of targets that the project names. */
    removeTargets: z.array(Serial).max(maxTargets).readonly().exactOptional(),
    /** The schedule of each of its targets, as it is after the change, or of `target` alone. */
    targetSchedule: z
      .strictObject({ target: Serial.exactOptional(), ...scheduleInputShape })
      .superRefine(checkScheduleInput)
      .exactOptional(),
    /** Returns the differences without making them. */
    dryRun: z.boolean().default(false),
  })
  .superRefine(checkScheduleInput);

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
const OneTarget = z.strictObject({ id: ProjectId, target: Serial.exactOptional() });
const Rescrape = OneTarget.extend({ wish: ScrapeWish.exactOptional() });

/** Methods on projects. */
export const projectMethods = {
  'project.add': {
    params: ProjectInput,
    result: AddedProject,
    role: 'operate',
    doc: 'Tracks a new project; a conflict when its id is taken, also by an archived one, and when a target that names no source is watched already. A target that names its source is shared with the `others` that watch it.',
  },
  'project.list': {
    params: z.strictObject({
      status: z.enum(['active', 'finished', 'archived']).exactOptional(),
      label: z.string().exactOptional(),
      source: SourceId.exactOptional(),
      /** A pattern that the whole id matches: `*` stands for any characters, `?` for one. */
      match: z.string().max(128).exactOptional(),
      /** The last id of the slice before. */
      after: ProjectId.exactOptional(),
      limit: Limit,
    }),
    result: z.strictObject({
      projects: z.array(ProjectView).readonly(),
      /** Set when there are more: the `after` of the next slice. */
      next: z.string().optional(),
    }),
    role: 'read',
    doc: 'Lists projects in the order of their ids; archived ones only when asked for.',
  },
  'project.get': { params: OneProject, result: ProjectView, role: 'read', doc: 'Shows one project.' },
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
    doc: 'Shows when each target of a project is next due, and each reason for that; sends no request.',
  },
  'project.update': {
    params: ProjectChange,
    result: ChangedProject,
    role: 'operate',
    doc: 'Changes the named properties of a project, archived or not, and leaves the others.',
  },
  'project.archive': {
    params: OneProject,
    result: ProjectView,
    role: 'operate',
    doc: 'Stops tracking a project, cancels what runs for it alone and keeps its data; again does nothing.',
  },
  'project.restore': {
    params: OneProject,
    result: ProjectView,
    role: 'operate',
    doc: 'Tracks an archived project again, from the initial delay on; again does nothing.',
  },
  'project.delete': {
    params: OneProject.extend({
      /** Removes also the records and the history of the targets that nobody watches then. */
      records: z.boolean().default(false),
      /** Only tells what would be removed. */
      dryRun: z.boolean().default(false),
    }),
    result: z.strictObject({
      /** The targets that no other project watches, archived ones included, and that are removed. */
      targets: z.array(Serial).readonly(),
      /** The number of records that these targets have seen, up to 100,000 of each: what is removed with `records`, but for those that other targets have seen since. */
      records: z.int(),
    }),
    role: 'operate',
    doc: 'Removes a project, archived or not, and those of its targets that nobody else watches, with all that is known of their scrapes but what the logs keep. Their records and history stay with the source, unless `records` is set. It is gone at once; what belongs to its targets goes in many small steps, which a daemon that is killed goes on with at its next start.',
  },
  'project.rescrape': {
    params: Rescrape,
    result: z.strictObject({ scrapes: z.array(RequestedScrape).readonly(), paused }),
    role: 'operate',
    doc: 'Requests a scrape now of all active targets of a project, or of one; at most one scrape runs and one waits for each target. A conflict where no target can be scraped, as when no definition of its source is loaded.',
  },
  'project.release': {
    params: OneTarget,
    result: ProjectView,
    role: 'operate',
    doc: 'Lets parked targets of a project run again, all or one.',
  },
  'project.records': {
    params: z.strictObject({
      id: ProjectId,
      source: SourceId.exactOptional(),
      type: z.string().exactOptional(),
      where: Where.exactOptional(),
      /** The `next` of the slice before. */
      after: z.string().exactOptional(),
      limit: Limit,
    }),
    result: z.strictObject({ records: z.array(RecordView).readonly(), next: z.string().optional() }),
    role: 'read',
    doc: 'Shows what is known of a project, archived or not. `where` is that of `source.records`.',
  },
  'project.history': {
    params: z.strictObject({
      id: ProjectId,
      source: SourceId.exactOptional(),
      type: z.string().exactOptional(),
      key: z.string().exactOptional(),
      field: z.string().exactOptional(),
      /** The first instant. */
      since: Instant.exactOptional(),
      /** The first instant behind those that are wanted. */
      until: Instant.exactOptional(),
      /** Whether the rules are wanted by which the values were read. */
      rules: z.boolean().default(false),
      /** The `next` of the slice before. */
      before: z.string().exactOptional(),
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
    doc: "Shows how a project's records changed, the change that was observed last first.",
  },
  'project.diff': {
    params: z
      .strictObject({
        id: ProjectId,
        /** The two instants; what was observed at one of them belongs to it. Default of `to`: now. */
        from: Instant,
        to: Instant.exactOptional(),
        source: SourceId.exactOptional(),
        type: z.string().exactOptional(),
        key: z.string().exactOptional(),
        /** The `next` of the slice before. */
        after: z.string().exactOptional(),
        limit: Limit,
      })
      .refine(({ from, to }) => to === undefined || from < to, { error: 'expected "from" before "to"' }),
    result: z.strictObject({ differences: z.array(RecordDifference).readonly(), next: z.string().optional() }),
    role: 'read',
    doc: "Shows by which fields a project's records differ between two instants, each with the scrape that brought the later value. A slice may be shorter than its limit.",
  },
  'project.apply': {
    params: z.strictObject({
      projects: z.array(ListedProjectInput).max(10_000).readonly(),
      /** Archives projects that are not in the list. */
      prune: z.boolean().default(false),
      /**
       * The ids that the list stands for, if it is a part of a longer one: `prune` archives none outside of them. `upTo`
       * is one of them, `after` is not; without one, there is no end on that side.
       */
      within: z.strictObject({ after: ProjectId.exactOptional(), upTo: ProjectId.exactOptional() }).exactOptional(),
      /** Returns the changes without making them. */
      dryRun: z.boolean().default(false),
    }),
    result: z.strictObject({
      changes: z.array(AppliedChange).readonly(),
      unchanged: z.int(),
      applied: z.boolean(),
      /** Objectives that the hosts of the list do not allow; missing where there are none. */
      infeasible: z.array(Infeasible).readonly().optional(),
    }),
    role: 'operate',
    doc: 'Makes the tracked projects equal to a list, by id; archives only with `prune`.',
  },
} as const satisfies Record<string, MethodSpec>;
