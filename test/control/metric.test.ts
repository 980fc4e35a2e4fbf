import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { metricHandlers } from '../../src/control/handlers/metric.ts';
import { methods, type MethodInput } from '../../src/control/methods.ts';
import { temporaryStore, track } from '../store/fixture.ts';

/** Asks for the course of a metric that was 0, 10, 20 … at the instants 1,000, 1,010, 1,020 …, so many times. */
async function coursesOf(t: TestContext, points: number) {
  const { store } = await temporaryStore(t);
  await track(store, 'solar', 'https://shop.test/solar');
  await store.write(() => {
    for (let index = 0; index < points; index += 1)
      store.metrics.put('solar', 'income', 1_000 + index * 10, { value: index * 10 });
    store.metrics.put('solar', 'income2', 5_000, { value: 1 });
  });
  const handlers = metricHandlers({ store: () => store, projects: { metrics: () => assert.fail() } });
  return (range: Partial<MethodInput<'metric.series'>>) => {
    const params = methods['metric.series'].params.parse({ project: 'solar', metric: 'income', ...range });
    const { points: found, next } = handlers['metric.series'](params);
    return { found: found.map(({ at, value }) => [at, value]), next };
  };
}

describe('the course of a metric', () => {
  test('comes in slices, the oldest first', async (t) => {
    const courseOf = await coursesOf(t, 3);
    assert.deepEqual(courseOf({ limit: 2 }), {
      found: [
        [1_000, 0],
        [1_010, 10],
      ],
      next: 1_020,
    });
    assert.deepEqual(courseOf({ limit: 2, since: 1_020 }).found, [[1_020, 20]]);
  });

  test('begins, where it is to be thin, with the point that held at its beginning', async (t) => {
    const courseOf = await coursesOf(t, 3);
    assert.deepEqual(courseOf({ thin: true, since: 1_015 }), {
      found: [
        [1_010, 10],
        [1_020, 20],
      ],
      next: undefined,
    });
    assert.deepEqual(courseOf({ thin: true, since: 9_000 }).found, [[1_020, 20]]);
    assert.deepEqual(courseOf({ thin: true, since: 500 }).found, [
      [1_000, 0],
      [1_010, 10],
      [1_020, 20],
    ]);
    assert.deepEqual(courseOf({ thin: true, since: 100, until: 900 }).found, []);
  });

  test('has, where it is to be thin, no more points than wanted, and the newest among them', async (t) => {
    const courseOf = await coursesOf(t, 100);
    assert.deepEqual(courseOf({ thin: true, limit: 4 }), {
      found: [
        [1_240, 240],
        [1_490, 490],
        [1_740, 740],
        [1_990, 990],
      ],
      next: undefined,
    });
    assert.deepEqual(courseOf({ thin: true, limit: 2, since: 1_500, until: 1_600 }).found, [
      [1_540, 540],
      [1_590, 590],
    ]);
    assert.deepEqual(courseOf({ thin: true, limit: 1 }).found, [[1_990, 990]]);
  });
});
