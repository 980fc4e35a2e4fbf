import * as z from 'zod';
import type { MethodSpec } from '../method.ts';
import { Instant } from '../fields.ts';

/** How the daemon fares, at a glance. */
export const DaemonStatus = z.strictObject({
  state: z.enum(['starting', 'ready', 'stopping']),
  /** Targets that should run and have no actor yet. */
  remaining: z.int(),
  pid: z.int(),
  version: z.string(),
  node: z.string(),
  data: z.string(),
  socket: z.string(),
  startedAt: Instant,
  memoryBytes: z.int(),
  projects: z.strictObject({ active: z.int(), finished: z.int(), archived: z.int() }),
  targets: z.strictObject({ active: z.int(), finished: z.int(), disabled: z.int(), parked: z.int() }),
  sources: z.strictObject({ ready: z.int(), broken: z.int() }),
  /** Scrapes under way and asked for, and those that ended since the daemon started. */
  scrapes: z.strictObject({
    running: z.int(),
    waiting: z.int(),
    complete: z.int(),
    failed: z.int(),
    cancelled: z.int(),
  }),
  /** The id of the newest event, 0 before the first. */
  lastEvent: z.int().min(0),
  /** Set where it was started to serve these methods alone, and scrapes nothing. */
  apiOnly: z.literal(true).optional(),
  /** Set while scraping is paused, with why. */
  paused: z.string().optional(),
  /** When it is next tried whether there is room again; it goes on by itself then. */
  pausedUntil: Instant.optional(),
});
export type DaemonStatus = z.infer<typeof DaemonStatus>;

/** Methods on the daemon itself. */
export const daemonMethods = {
  'daemon.ping': { params: z.strictObject({}), result: z.strictObject({}), role: 'read', doc: 'Answers.' },
  'daemon.status': {
    params: z.strictObject({}),
    result: DaemonStatus,
    role: 'read',
    doc: 'Shows how the daemon fares.',
  },
  'daemon.shutdown': {
    params: z.strictObject({}),
    result: z.strictObject({ pid: z.int() }),
    role: 'admin',
    doc: 'Begins an orderly stop and answers at once.',
  },
} as const satisfies Record<string, MethodSpec>;
