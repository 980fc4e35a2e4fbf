import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { systemClock } from '../../src/clock.ts';
import { RecheckLines } from '../../src/scrape/recheck-lines.ts';
import type { EffectiveSchedule } from '../../src/schedule/row.ts';
import { hourMs, temporaryStore, track } from '../store/fixture.ts';

const second = 1_000;
const startAt = Date.UTC(2026, 2, 14, 12);

/** A host that can be asked every 10 s: half of its turns re-check one record each 20 s. */
const gapMs = 20 * second;

/** A tenth of the objective. */
const slackMs = hourMs / 10;

/** Lines over targets of one source, whose records were verified so many ms after the start and may be an hour old. */
async function linesOf(
  t: TestContext,
  verified: readonly (readonly number[])[],
  rest: Partial<EffectiveSchedule> = {},
) {
  const { store } = await temporaryStore(t);
  const targets = await track(store, 'all', ...verified.map((_, at) => `https://shop.test/${at}`));
  const schedule: EffectiveSchedule = {
    pace: { kind: 'interval', everyMs: hourMs },
    initialDelayMs: 0,
    isLoaded: true,
    hours: [],
    objectives: [{ field: '', errorAfterMs: hourMs }],
    key: 'shop',
    host: { delayMs: 10 * second },
    priority: 1,
    ...rest,
  };
  await store.write(() => {
    for (const [at, target] of targets.entries()) {
      const ages = verified[at] ?? [];
      const row = store.schedule.get(target) ?? assert.fail('the target is not scheduled');
      const fresh = { key: 'shop', source: 'shop', objectiveMs: hourMs, verifiedAt: startAt, misses: 0 };
      store.schedule.set({ ...row, fresh: { ...fresh, records: { pages: ages.length, fields: [''] } } });
      for (const [record, each] of ages.entries())
        store.ages.move(target, '', record, { from: undefined, to: startAt + each });
    }
  });
  const clock = { now: startAt };
  const lines = new RecheckLines({
    clock: { ...systemClock(), now: () => clock.now },
    store: () => store,
    dues: { scheduleOf: () => schedule },
  });
  /** The records that are due, as `target/record`, and in how many ms after the start the next one is. */
  const look = async (after: number): Promise<readonly [due: string[], next: number | undefined]> => {
    clock.now = startAt + after;
    const { due, nextAt } = await lines.look('shop');
    return [
      due.map(({ target, record }) => `${targets.indexOf(target)}/${record}`),
      nextAt === undefined ? undefined : nextAt - startAt,
    ];
  };
  const ask = async (): Promise<void> => {
    const [first] = (await lines.look('shop')).due;
    lines.asked(first ?? assert.fail('nothing is due'));
  };
  return { store, targets, look, ask };
}

describe('the records of a target that are due for an objective', () => {
  test('begin as late as each is still over by its deadline, and follow at the pace of the host', async (t) => {
    const { look, ask } = await linesOf(t, [[0, 0, 0]]);
    const beginAt = hourMs - 3 * gapMs - slackMs;
    // All are looked at again after a minute.
    assert.deepEqual(await look(0), [[], 60 * second]);
    assert.deepEqual(await look(beginAt - 1), [[], beginAt]);
    assert.deepEqual(await look(beginAt), [['0/0'], beginAt + gapMs]);
    await ask();
    assert.deepEqual(await look(beginAt + 1), [[], beginAt + gapMs]);
    assert.deepEqual(await look(beginAt + 2 * gapMs), [['0/0', '0/1'], beginAt + 3 * gapMs]);
  });

  test('of several targets come with the nearest deadlines first', async (t) => {
    const { look } = await linesOf(t, [[2 * second], [second], [3 * second]]);
    assert.deepEqual(await look(hourMs), [['1/0', '0/0', '2/0'], undefined]);
  });

  test('that re-checks missed have due times of their own, and hold up no other', async (t) => {
    const { look, store, targets } = await linesOf(t, [[0, 0, 0]]);
    const [target = 0] = targets;
    const miss = { times: 1, at: startAt, page: 'own', code: 'status', message: 'gone' } as const;
    await store.write(() => store.ages.miss(target, 0, { ...miss, retryAt: startAt + 3 * hourMs }));
    // Three pages for two records.
    const widerMs = (gapMs * 3) / 2;
    const beginAt = hourMs - 2 * widerMs - slackMs;
    assert.deepEqual(await look(beginAt), [['0/1'], beginAt + widerMs]);
    await store.write(() => store.ages.miss(target, 0, { ...miss, retryAt: startAt + beginAt + second }));
    assert.deepEqual(await look(beginAt + second), [['0/0', '0/1'], beginAt + widerMs]);
  });

  test('are asked for after a tenth of the objective at the earliest, and looked at anew after 64 of them', async (t) => {
    const { look, ask } = await linesOf(t, [Array.from({ length: 160 }, () => 0)]);
    const beginAt = hourMs - 160 * gapMs - slackMs;
    assert.deepEqual(await look(0), [[], 60 * second]);
    assert.equal((await look(slackMs))[0].length, 1 + (slackMs - beginAt) / gapMs);
    assert.equal((await look(beginAt + 63 * gapMs))[0].length, 64);
    for (let asked = 0; asked < 64; asked += 1) await ask();
    assert.equal((await look(beginAt + 63 * gapMs))[0].length, 64);
  });

  test('are asked for about once in an objective that their host does not allow', async (t) => {
    const { look } = await linesOf(t, [Array.from({ length: 200 }, (_, record) => record * 10 * second)]);
    const beginAt = hourMs - slackMs;
    assert.deepEqual(await look(beginAt - 1), [[], beginAt]);
    assert.deepEqual(await look(beginAt + 10 * second), [['0/0', '0/1'], beginAt + 20 * second]);
  });

  test('wait for the hours in which their source may be asked', async (t) => {
    const hours = [{ days: [1, 2, 3, 4, 5, 6, 7], fromMinute: 20 * 60, toMinute: 22 * 60, zone: 'UTC' }];
    const { look } = await linesOf(t, [[0]], { hours });
    assert.deepEqual(await look(4 * hourMs), [[], 8 * hourMs]);
    assert.deepEqual(await look(8 * hourMs), [['0/0'], undefined]);
  });
});
