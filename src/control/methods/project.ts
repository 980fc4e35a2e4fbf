import * as z from 'zod';
import { ProjectId, SourceId } from '../../definition/slug.ts';
import type { MethodSpec } from '../method.ts';
import { AnyValue, Instant, Limit, Serial } from '../fields.ts';
import { checkScheduleInput, scheduleInputShape } from './pace.ts';
import { ScrapeWishView } from './scrape.ts';
import { NewTarget, TargetInput, TargetView } from './target.ts';
import { InfeasibleView } from './objective.ts';
import { RequestedHold, WhyView } from './why.ts';

const name = z.string().trim().min(1).max(200);
const labels = z.array(z.string().trim().min(1).max(64)).max(32).readonly();
const multiplier = z.number().positive().max(100);
const targets = z.array(TargetInput).min(1).max(100).readonly();
const newTargets = z.array(NewTarget).min(1).max(100).readonly();

const project = {
  id: ProjectId.exactOptional(),
  name: name.exactOptional(),
  labels: labels.default([]),
  multiplier: multiplier.default(1),
  ...scheduleInputShape,
  targets,
};

/** A project as a person writes it. Without an id it is given one; without a name it is called by its id. */
export const ProjectInput = z.strictObject({ ...project, targets: newTargets }).superRefine(checkScheduleInput);
export type ProjectInput = z.infer<typeof ProjectInput>;

/** The same in a list, by whose ids it is compared with what is tracked. */
export const ListedProjectInput = z.strictObject({ ...project, id: ProjectId }).superRefine(checkScheduleInput);
export type ListedProjectInput = z.infer<typeof ListedProjectInput>;

/**
 * What may be changed of a project; what is not named stays, but one pace replaces another. `targets` names them all: one that
 * is missing is removed.
 */
export const ProjectChange = z
  .strictObject({
    id: ProjectId,
    name: name.exactOptional(),
    labels: labels.exactOptional(),
    multiplier: multiplier.exactOptional(),
    ...scheduleInputShape,
    targets: targets.exactOptional(),
  })
  .superRefine(checkScheduleInput);

/** A project with its targets. `finished` when all its targets are. */
export const ProjectView = z.strictObject({
  id: z.string(),
  name: z.string(),
  labels: z.array(z.string()).readonly(),
  multiplier: z.number(),
  status: z.enum(['active', 'finished', 'archived']),
  createdAt: Instant,
  archivedAt: Instant.optional(),
  targets: z.array(TargetView).readonly(),
});
export type ProjectView = z.infer<typeof ProjectView>;

/** What is known of one thing, each field with when its value was first seen and last verified. */
export const RecordView = z.strictObject({
  source: z.string(),
  type: z.string(),
  key: z.string(),
  target: Serial,
  /** Its own for ever. */
  id: z.string(),
  /** The page that it was seen on last. */
  url: z.string(),
  firstSeenAt: Instant,
  /** When it was seen last, also if nothing had changed. */
  updatedAt: Instant,
  /** The higher, the newer. */
  sequence: z.int(),
  /** The last scrape that saw it; 0 when only pulses have. */
  lastScrape: z.int().min(0),
  fields: z
    .record(z.string(), z.strictObject({ value: AnyValue, observedAt: Instant, verifiedAt: Instant }))
    .readonly(),
  /** Set when complete crawls no longer find it: since when, how many of them, and the scrape that began the last one. */
  absent: z.strictObject({ since: Instant, times: z.int(), scrape: z.int() }).optional(),
});
export type RecordView = z.infer<typeof RecordView>;

/** One append to a record's history; `old` is missing where the field was not known. */
export const HistoryView = z.strictObject({
  serial: Serial,
  target: Serial,
  source: z.string(),
  type: z.string(),
  key: z.string(),
  at: Instant,
  /** 0 for a pulse. */
  scrape: z.int().min(0),
  kind: z.enum(['added', 'changed', 'missing', 'gone']),
  fields: z.record(z.string(), z.strictObject({ old: AnyValue.optional(), new: AnyValue })).readonly(),
});
export type HistoryView = z.infer<typeof HistoryView>;

/** A scrape that a person asked for. `coalesced` when it was waiting already, so that nothing was added. */
export const RequestedScrape = z.strictObject({
  target: Serial,
  scrape: Serial,
  coalesced: z.boolean(),
  /** Set where it cannot begin yet. */
  held: RequestedHold.optional(),
});

/** Why nothing at all is scraped, while that is so. */
const paused = z.string().optional();

/** A project that is new. */
export const AddedProject = ProjectView.extend({
  paused,
  /** Objectives that its hosts do not allow to be kept, its own and others there; missing where there are none. */
  infeasible: z.array(InfeasibleView).readonly().optional(),
});

/** What applying a list does to one project. */
export const AppliedChange = z.strictObject({
  id: z.string(),
  action: z.enum(['add', 'update', 'restore', 'archive']),
  /** One line per difference, such as `name: "Solar" → "Solar Backpack"`. */
  details: z.array(z.string()).readonly(),
});

const OneProject = z.strictObject({ id: ProjectId });
const OneTarget = z.strictObject({ id: ProjectId, target: Serial.exactOptional() });
const Rescrape = OneTarget.extend({ wish: ScrapeWishView.exactOptional() });

/** Methods on what a person tracks. */
export const projectMethods = {
  'project.add': {
    params: ProjectInput,
    result: AddedProject,
    role: 'operate',
    doc: 'Tracks a new project; a conflict when its id is taken, also by an archived one, and when a target that names no source is tracked already.',
  },
  'project.list': {
    params: z.strictObject({
      status: z.enum(['active', 'finished', 'archived']).exactOptional(),
      label: z.string().exactOptional(),
      source: SourceId.exactOptional(),
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
    doc: 'Tells when each target of a project is next due and everything that has a say in it; asks nobody.',
  },
  'project.update': {
    params: ProjectChange,
    result: ProjectView,
    role: 'operate',
    doc: 'Changes what is named of a project and leaves the rest.',
  },
  'project.archive': {
    params: OneProject,
    result: ProjectView,
    role: 'operate',
    doc: 'Stops tracking a project, cancels what runs of it and keeps its data; again does nothing.',
  },
  'project.restore': {
    params: OneProject,
    result: ProjectView,
    role: 'operate',
    doc: 'Tracks an archived project again, from the initial delay on; again does nothing.',
  },
  'project.rescrape': {
    params: Rescrape,
    result: z.strictObject({ scrapes: z.array(RequestedScrape).readonly(), paused }),
    role: 'operate',
    doc: 'Asks for a scrape now of all active targets or one; at most one runs and one waits per target. A conflict when none can be scraped, such as one whose source has no loaded definition.',
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
      /** The `next` of the slice before. */
      after: z.string().exactOptional(),
      limit: Limit,
    }),
    result: z.strictObject({ records: z.array(RecordView).readonly(), next: z.string().optional() }),
    role: 'read',
    doc: 'Shows what is known of a project, archived or not.',
  },
  'project.history': {
    params: z.strictObject({
      id: ProjectId,
      source: SourceId.exactOptional(),
      type: z.string().exactOptional(),
      key: z.string().exactOptional(),
      field: z.string().exactOptional(),
      /** The `next` of the slice before. */
      before: Serial.exactOptional(),
      limit: Limit,
    }),
    result: z.strictObject({ changes: z.array(HistoryView).readonly(), next: Serial.optional() }),
    role: 'read',
    doc: "Shows how a project's records changed, the newest change first.",
  },
  'project.apply': {
    params: z.strictObject({
      projects: z.array(ListedProjectInput).max(10_000).readonly(),
      /** Archives projects that are not in the list. */
      prune: z.boolean().default(false),
      /** Says what would be done, and does nothing. */
      dryRun: z.boolean().default(false),
    }),
    result: z.strictObject({
      changes: z.array(AppliedChange).readonly(),
      unchanged: z.int(),
      applied: z.boolean(),
      /** Objectives that hosts on which the list promises something do not allow to be kept; missing where there are none. */
      infeasible: z.array(InfeasibleView).readonly().optional(),
    }),
    role: 'operate',
    doc: 'Makes the tracked projects equal to a list, by id; archives only with `prune`.',
  },
} as const satisfies Record<string, MethodSpec>;
