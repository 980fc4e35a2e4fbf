import * as z from 'zod';
import { IntervalMs, SpanMs } from '../../schema/duration.ts';
import type { MethodSpec } from './method.ts';
import { Instant } from '../../view/fields.ts';
import { PauseView } from '../../view/pause.ts';
import { QueuesView } from '../../view/queues.ts';
import { StoppedView } from '../../view/stopped.ts';

/**
 * What a due target or a request may wait for: a pause of its host, requests of it under way (`concurrency`, `unsent`), the circuit of its source,
 * a robots.txt or log-in that comes first (`preparation`), an operator who paused it (`pause`), or the limits of the daemon (`room`).
 */
export const waitKinds = [
  ...(['gap', 'crawl_delay', 'throttle', 'retry_after', 'back_off'] as const),
  ...(['concurrency', 'unsent', 'circuit', 'preparation', 'pause', 'room'] as const),
] as const;

/** The state of the daemon as a whole. */
export const DaemonStatus = z.strictObject({
  state: z.enum(['starting', 'ready', 'stopping']),
  /** The actors, of projects and of sources, that are still to start. */
  remaining: z.int(),
  pid: z.int(),
  version: z.string(),
  node: z.string(),
  /** Its configuration file; missing where it runs without one. */
  config: z.string().exactOptional(),
  data: z.string(),
  socket: z.string(),
  startedAt: Instant,
  /** Memory of the process's own, without the mapped file of the store; all that is resident where the system does not tell. */
  memoryBytes: z.int(),
  /** How late the event loop was to what was due: the 99th percentile of the last 10 to 20 s. */
  loopDelayMs: z.int().min(0),
  /** Transactions of the store since the daemon started, and the changes in them: under load, many share one. */
  commits: z.strictObject({ transactions: z.int(), changes: z.int() }),
  projects: z.strictObject({ active: z.int(), finished: z.int(), archived: z.int() }),
  targets: z.strictObject({ active: z.int(), finished: z.int(), disabled: z.int(), parked: z.int() }),
  /** `missing`: sources with active targets, but without a definition file. */
  sources: z.strictObject({
    ready: z.int(),
    broken: z.int(),
    missing: z.int(),
    uninitialised: z
      .int()
      .describe('Sources that are loaded and `not_initialised`, as a secret is missing; missing while there is none.')
      .exactOptional(),
  }),
  brokenFiles: z
    .strictObject({ types: z.int(), sinks: z.int(), pipelines: z.int() })
    .describe('The files with problems that define no source; missing while there is none.')
    .exactOptional(),
  /** Tickets that are not resolved, each counted once. `snoozed`: open ones of which a person wants to be told nothing for some time. */
  tickets: z.strictObject({ open: z.int(), acknowledged: z.int(), snoozed: z.int() }),
  /** Scrapes under way and asked for, and those that ended since the daemon started. */
  scrapes: z.strictObject({
    running: z.int(),
    waiting: z.int(),
    complete: z.int(),
    failed: z.int(),
    /** Missing while there is none. */
    aborted: z.int().exactOptional(),
    cancelled: z.int(),
  }),
  /** The due targets and requests that wait for turns, by what they wait for, with the due time of the one that has waited longest. */
  offers: z.array(z.strictObject({ waitFor: z.enum(waitKinds), offers: z.int(), oldestAt: Instant })).readonly(),
  /**
   * The turns that hosts allow now and that wait for room in flight: for a slot of a worker process, or for an end of a request where the daemon asks itself.
   * Each host counts once, however much waits for it. There is none while another daemon has the lease on the queues.
   */
  backlog: z.strictObject({
    turns: z.int().min(0),
    /** Since when the oldest waits; missing where none does. */
    oldestAt: Instant.exactOptional(),
  }),
  queues: QueuesView.describe(
    'Whether the daemon can have steps run by worker processes; missing where it runs steps itself.',
  ).exactOptional(),
  /** The id of the newest event, 0 before the first. */
  lastEvent: z.int().min(0),
  /** How far the continuous backup has come; missing where none is kept. */
  backup: z
    .strictObject({
      /** All that was committed before is in it; missing before the first copy since the start is whole. */
      upToAt: Instant.exactOptional(),
      /** Why it stands still; missing while it goes on. */
      failure: z.string().exactOptional(),
    })
    .optional(),
  /** Set where the daemon was started with `--api-only`: it serves control methods, and scrapes nothing. */
  apiOnly: z.literal(true).optional(),
  /** Set while scraping is paused, with why. */
  paused: z.string().optional(),
  /** When it goes on by itself: at the end of a pause, or at the next attempt, which succeeds if the store has room again. */
  pausedUntil: Instant.optional(),
  /** What operators have paused, the first 100; missing where nothing is. */
  pauses: z.array(PauseView).readonly().optional(),
  stopped: z
    .array(StoppedView)
    .readonly()
    .describe(
      'What should run and does not, as it could not start or crashed too often, the first 100: parts of the daemon such as `http`, and sources, whose session is not open then. Missing where all runs.',
    )
    .exactOptional(),
});
export type DaemonStatus = z.infer<typeof DaemonStatus>;

/** The settings that can be changed while the daemon runs. */
export const Settings = z.strictObject({
  initialDelayMs: SpanMs.describe("The time from a project's creation to its first scrape."),
  everyMs: IntervalMs.describe('The time between the scrapes of a target whose source and project give no schedule.'),
  timeLimitMs: IntervalMs.describe('The longest time that a page of a scrape may take.'),
  logLevel: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .describe('The least level of what is logged.'),
});
export type Settings = z.infer<typeof Settings>;

/** One life of the supervision tree and the lives under it. */
export const TreeView = z.strictObject({
  id: z.string(),
  kind: z.enum(['actor', 'supervisor']),
  state: z.string(),
  /** Messages that wait. */
  mailbox: z.int(),
  /** How often it was started again. */
  restarts: z.int(),
  ageMs: z.number(),
  /** About what the daemon's kernel keeps for it: not what its own code keeps. */
  memoryBytes: z.int(),
  /** Why the life before this one ended. */
  lastExit: z.string().optional(),
  get children() {
    return z.array(TreeView).readonly().optional();
  },
  /** Children left out of the answer. */
  more: z.int().optional(),
});
/** A node of the answer to `tree.get`. */
export type TreeNode = z.infer<typeof TreeView>;

/** Methods on the daemon itself: its state, supervision tree and settings. */
export const daemonMethods = {
  'daemon.ping': {
    params: z.strictObject({}),
    result: z.strictObject({}),
    role: 'read',
    scope: 'filtered',
    doc: 'Answers.',
  },
  'daemon.place': {
    params: z.strictObject({}),
    result: DaemonStatus.pick({ pid: true, config: true, data: true }),
    role: 'read',
    scope: 'daemon',
    doc: 'Tells which daemon this is, so that a client does not take it for that of another folder.',
  },
  'daemon.status': {
    params: z.strictObject({}),
    result: DaemonStatus,
    role: 'read',
    scope: 'daemon',
    doc: 'Shows the state of the daemon.',
  },
  'daemon.backup': {
    params: z.strictObject({
      path: z
        .string()
        .regex(/^(?:\/|[A-Za-z]:[\\/]|\\\\)/, 'expected a whole path')
        .describe('The folder to make, as a whole path on the machine of the daemon; nothing may stand there.'),
    }),
    result: z.strictObject({ path: z.string(), bytes: z.int() }),
    role: 'admin',
    scope: 'daemon',
    doc: 'Copies the data, as of one instant, with all kept pages that it names, to a new folder that only its owner may open.',
  },
  'daemon.shutdown': {
    params: z.strictObject({}),
    result: z.strictObject({ pid: z.int() }),
    role: 'admin',
    scope: 'daemon',
    doc: 'Begins an orderly stop and answers at once.',
  },
  'tree.get': {
    params: z.strictObject({
      depth: z.int().min(1).max(16).default(16).describe('How many levels of the tree are shown.'),
      limit: z.int().min(1).max(10_000).default(100).describe('The most children shown of each supervisor.'),
    }),
    result: TreeView,
    role: 'read',
    scope: 'daemon',
    doc: 'Shows the supervision tree as it runs.',
  },
  'settings.get': {
    params: z.strictObject({}),
    result: Settings,
    role: 'read',
    scope: 'daemon',
    doc: 'Shows the settings in force.',
  },
  'settings.set': {
    params: Settings.exactPartial(),
    result: Settings,
    role: 'admin',
    scope: 'daemon',
    doc: 'Changes the named settings; they apply at once to whatever is not yet due, and are kept over a restart.',
  },
} as const satisfies Record<string, MethodSpec>;
