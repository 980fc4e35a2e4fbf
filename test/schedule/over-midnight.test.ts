import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '../../src/clock.ts';
import { effectiveSchedules } from '../../src/definition/effective-schedule.ts';
import { createScheduling } from '../../src/schedule/scheduling.ts';
import { createState } from '../../src/daemon/state.ts';
import type { TargetRow } from '../../src/store/tables/rows.ts';
import type { ScheduleRow } from '../../src/schedule/row.ts';

const minute = 60_000;
const midnight = Date.UTC(2026, 0, 2);

const state = createState({
  clock: new VirtualClock(midnight),
  configured: { initialDelayMs: 1_000, everyMs: 14_400_000, timeLimitMs: 600_000, logLevel: 'silent' },
  resumeEveryMs: 30_000,
  onPause: (why) => assert.fail(why),
});

const target: TargetRow = {
  target: 1,
  watchers: [{ project: 'a', schedule: { tokens: { start: 1, cap: 4, perDay: 3, zone: 'UTC' } } }],
  source: 'shop',
  url: 'https://shop.test/a',
  status: 'active',
  createdAt: 0,
  epoch: 1,
  settled: 1,
  crashes: { recent: [], inRow: 0, total: 0 },
};

/** Tokens after a scrape that ended two minutes after the first turn of its day, of which there are two. */
function tokensAfter(startedAt: number): number | undefined {
  const planned = [midnight + 5 * minute, midnight + 600 * minute];
  const bucket = { tokens: 0.75, day: midnight / 86_400_000 };
  const row: ScheduleRow = {
    target: 1,
    since: midnight - 600 * minute,
    pace: { kind: 'tokens', bucket, planned, planAt: midnight + 1_440 * minute },
  };
  const neighbours = { freeSlot: () => 0, originOf: () => undefined, demandsOn: () => [] };
  const about = {
    at: midnight + 7 * minute,
    neighbours,
    fieldVerifiedAt: () => undefined,
    oldestRecordAt: () => undefined,
    valuesOf: () => [],
  };
  const turn = { reason: 'due', status: 'complete', startedAt } as const;
  const { pace } = createScheduling(effectiveSchedules(state), () => 0.5).next(target, row, about, turn);
  return pace.kind === 'tokens' ? pace.bucket.tokens : undefined;
}

test('a scrape that a token of the day before paid for takes none of the day in which it ends', () => {
  assert.equal(tokensAfter(midnight - minute), 1.75);
  assert.equal(tokensAfter(midnight + 5 * minute), 0.75);
});
