import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nothingWatched, type SeenWorkers, watchWorkers } from '../../src/health/worker-alarms.ts';

const limits = { offline: 120_000, broken: 0.01, wait: 1_000, lasting: 300_000 };
const everyMs = 15_000;

const nothing: Omit<SeenWorkers, 'at'> = { steps: 0, broken: 0, waits: 0, waitedMs: 0, untendedMs: 0, silent: [] };

/** What happens between two looks: steps that end, of which some are broken, each after a wait. */
interface Span {
  readonly steps?: number;
  readonly broken?: number;
  readonly waitMs?: number;
  /** Steps that no worker process took, each after 14 s. */
  readonly untaken?: number;
  readonly untendedMs?: number;
  readonly silent?: SeenWorkers['silent'];
}

/** The kinds of symptoms at each look. */
function shownAt(spans: readonly Span[]): string[][] {
  let watched = nothingWatched;
  let sums = { steps: 0, broken: 0, waits: 0, waitedMs: 0 };
  return spans.map(({ steps = 0, broken = 0, waitMs = 0, untaken = 0, untendedMs = 0, silent = [] }, index) => {
    sums = {
      steps: sums.steps + steps,
      broken: sums.broken + broken,
      waits: sums.waits + steps + untaken,
      waitedMs: sums.waitedMs + steps * waitMs + untaken * 14_000,
    };
    const found = watchWorkers(watched, { at: index * everyMs, ...sums, untendedMs, silent }, limits);
    ({ watched } = found);
    return found.symptoms.map(({ kind }) => kind);
  });
}

function times(count: number, span: Span): Span[] {
  return Array.from({ length: count }, () => span);
}

describe('worker processes', () => {
  test('that are silent for two minutes are offline, each by its name', () => {
    const silent = [
      { name: 'crow 1', silentMs: 119_999 },
      { name: 'crow 2', silentMs: 120_000 },
    ];
    const { symptoms } = watchWorkers(nothingWatched, { ...nothing, at: 0, silent }, limits);
    assert.deepEqual(symptoms, [
      {
        kind: 'workers_offline',
        worker: 'crow 2',
        measure: 'silentMs',
        observed: 120_000,
        expected: { high: 120_000 },
      },
    ]);
  });

  test('that break more than 1 % of the steps of 15 minutes for 5 minutes are failing, until these steps are long ago', () => {
    const shown = shownAt([...times(10, { steps: 10 }), { steps: 10, broken: 5 }, ...times(70, { steps: 1 })]);
    const first = shown.findIndex((kinds) => kinds.length > 0);
    assert.equal(first, 10 + limits.lasting / everyMs);
    assert.deepEqual(shown[first], ['workers_failing']);
    const last = shown.findLastIndex((kinds) => kinds.length > 0);
    // The broken steps ended before the eleventh look; the look before it is the last one that does not count them.
    assert.equal(last, 9 + (15 * 60_000) / everyMs);
  });

  test('that break few steps, or a share within the limit, are not failing', () => {
    const few = shownAt([{}, { steps: 5, broken: 4 }, ...times(60, {})]);
    const within = shownAt([{}, ...times(100, { steps: 1_000, broken: 9 })]);
    for (const shown of [few, within]) assert.deepEqual(shown.flat(), []);
  });

  test('that keep steps waiting for more than a second for 5 minutes are told, until they no longer do', () => {
    const shown = shownAt([
      ...times(5, { steps: 4, waitMs: 900 }),
      ...times(10, { steps: 4, waitMs: 5_000 }),
      ...times(10, { steps: 4, waitMs: 100 }),
      ...times(40, { steps: 4, waitMs: 1_200 }),
      ...times(10, { steps: 4, waitMs: 100 }),
    ]);
    const told = shown.flatMap((kinds, index) => (kinds.includes('workers_waiting') ? [index] : []));
    // The mean of a minute is beyond the limit with the last of its four looks.
    assert.deepEqual([told[0], told.at(-1)], [25 + 3 + limits.lasting / everyMs, 64]);
  });

  test('that take no step at all are told as well: by the steps that come back untaken, and where none is there, by the oldest turn that waits', () => {
    const untaken = shownAt(times(30, { untaken: 2 }));
    const untended = shownAt(Array.from({ length: 30 }, (_, index) => ({ untendedMs: index * everyMs })));
    for (const shown of [untaken, untended]) {
      const first = shown.findIndex((kinds) => kinds.includes('workers_waiting'));
      // The first look sees no difference, or no wait.
      assert.equal(first, 1 + limits.lasting / everyMs);
      assert.ok(shown.slice(first).every((kinds) => kinds.includes('workers_waiting')));
    }
  });

  test('are counted anew where the engine has begun anew', () => {
    const before = watchWorkers(nothingWatched, { ...nothing, at: 0, steps: 1_000, broken: 50 }, limits);
    const { watched } = watchWorkers(before.watched, { ...nothing, at: 15_000, steps: 3 }, limits);
    assert.equal(watched.seen.length, 1);
  });
});
