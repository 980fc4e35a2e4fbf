import type { DaemonStatus } from '../../src/control/methods/daemon.ts';
import { now } from '../cli/views.ts';

/** The state of a daemon that is well. */
export const status: DaemonStatus = {
  state: 'ready',
  remaining: 0,
  pid: 7,
  version: '0.1.0',
  node: 'v24.0.0',
  data: '/data',
  socket: '/socket',
  startedAt: now - 60_000,
  memoryBytes: 100_000_000,
  loopDelayMs: 12,
  commits: { transactions: 40, changes: 130 },
  projects: { active: 1, finished: 0, archived: 0 },
  targets: { active: 1, finished: 0, disabled: 0, parked: 0 },
  sources: { ready: 1, missing: 0, broken: 0 },
  scrapes: { running: 0, waiting: 0, complete: 1, failed: 0, aborted: 2, cancelled: 0 },
  tickets: { open: 0, acknowledged: 0, snoozed: 0 },
  offers: [],
  backlog: { turns: 0 },
  lastEvent: 9,
};
