import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { applyJob } from '../../src/reextraction/apply.ts';
import { commitStep } from '../../src/store/commit.ts';
import type { HistoryLimits } from '../../src/store/history-plan.ts';
import { HistorySweep } from '../../src/store/history-sweep.ts';
import { removeRecords } from '../../src/store/remove-records.ts';
import { trim } from '../../src/store/retention.ts';
import type { Store } from '../../src/store/store.ts';
import type { HistoryRange } from '../../src/store/tables/history.ts';
import type { HistoryView } from '../../src/view/record.ts';
import { jobOf } from '../reextraction/corrected.ts';
import { begin, hourMs, item, step, temporaryStore, track } from './fixture.ts';

const dayMs = 24 * hourMs;
const records = [1, 2, 3];

type Step = {
  readonly do: 'add' | 'remove' | 'seal';
  readonly record: number;
  readonly at: number;
  readonly count: number;
};

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    do: fc.constantFrom('add', 'add', 'remove', 'seal'),
    record: fc.constantFrom(...records),
    at: fc.integer({ min: 0, max: 2_000 }),
    count: fc.integer({ min: 1, max: 300 }),
  }),
  { maxLength: 25 },
);

function order(one: HistoryView, other: HistoryView): number {
  return one.record - other.record || one.at - other.at || one.serial - other.serial;
}

/** What is said of the history of a record by a list of all changes. */
function within(all: readonly HistoryView[], record: number, { since = 0, before = Infinity }: HistoryRange) {
  const end = typeof before === 'number' ? before : before.at;
  return all.filter((change) => change.record === record && change.at >= since && change.at < end);
}

describe('the history of records of which old changes are sealed', () => {
  test('is the same as without, whatever is added, removed and sealed, from either end and in any part', async (t) => {
    const { store } = await temporaryStore(t);
    const { history } = store;
    const [target = 0] = await track(store, 'lamp');
    const drafts = records.map((record) => item(`${record}`, { price: 0 }));
    await commitStep(store, await begin(store, target), step(1, drafts, {}));
    const name = { source: 'shop', type: 'item' };
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(2_000), fc.nat(2_000), async (given, since, before) => {
        await store.write(() => {
          for (const record of records) history.remove([...history.ofRecord(record)]);
        });
        assert.equal(history.count(), 0);
        let all: HistoryView[] = [];
        let serial = 1_000;
        for (const { do: what, record, at, count } of given)
          await store.write(() => {
            const of = { ...name, key: `${record}`, record, target, scrape: 1, version: 'v1' };
            if (what === 'add')
              for (let more = 0; more < count; more += 1) {
                const fields = { [more % 3 === 0 ? 'stock' : 'price']: { new: more } };
                const change: HistoryView = { ...of, at: at + more, serial: (serial += 1), kind: 'changed', fields };
                history.add(change);
                all.push(change);
              }
            else if (what === 'seal') history.seal(record, { at, serial: 0 });
            else {
              const leaving = within(all, record, { since: at }).filter((_, place) => place < count);
              history.remove(leaving);
              all = all.filter((change) => !leaving.includes(change));
            }
            all.sort(order);
          });
        assert.deepEqual([...history.rows()], all);
        assert.equal(history.count(), all.length);
        for (const record of records) {
          for (const range of [{}, { since }, { before }, { since, before }]) {
            const expected = within(all, record, range);
            assert.deepEqual([...history.ofRecord(record, range)], expected);
            assert.deepEqual([...history.ofRecord(record, { ...range, newestFirst: true })], expected.toReversed());
            const { at, serial: newest } = expected.at(-1) ?? {};
            const place = history.newestPlace(record, range);
            assert.deepEqual([place?.at, place?.serial], [at, newest]);
          }
          const own = within(all, record, {});
          const [middle, last] = [own[own.length >> 1], own.at(-1)];
          if (middle === undefined || last === undefined) continue;
          assert.deepEqual(history.get(record, middle.at, middle.serial), middle);
          assert.deepEqual(
            [...history.ofRecord(record, { after: middle, before: last })],
            own.slice((own.length >> 1) + 1, -1),
          );
          assert.deepEqual([...history.rows(middle)], all.slice(all.indexOf(middle) + 1));
          assert.deepEqual(
            [...history.ofRecord(record, { field: 'stock', limit: 5 })],
            own.filter(({ fields }) => 'stock' in fields).slice(0, 5),
          );
          const { at, serial: number } = own.at(-8) ?? {};
          const eighth = history.placeBefore(record, 7);
          assert.deepEqual([eighth?.at, eighth?.serial], [at, number]);
        }
      }),
      { numRuns: 60 },
    );
  });
});

const limits: HistoryLimits = { detailMs: 90 * dayMs, changes: 1_000 };

/** A store in which the prices of two records differ every hour of 15 days, and whose events are trimmed. */
async function hourlyPrices(t: Parameters<typeof temporaryStore>[0]) {
  const { store } = await temporaryStore(t);
  const [target = 0] = await track(store, 'lamp');
  const fence = await begin(store, target);
  for (let hour = 0; hour < 15 * 24; hour += 1) {
    const price = (hour * 7) % 24;
    const drafts = ['a', 'b'].map((key) => item(key, { price }));
    await commitStep(store, { ...fence, step: hour + 1 }, step(hour * hourMs, drafts));
  }
  await trim(store, { events: 1, scrapes: 1, steps: 1 });
  return { store, target };
}

function sweep(store: Store, day: number, of: Partial<HistoryLimits> = {}): Promise<number> {
  return new HistorySweep(() => ({ ...limits, ...of })).step(store, day * dayMs);
}

/** How many changes are not sealed. */
function open(store: Store): number {
  const stats = store.environment.database('history').getStats() as { readonly entryCount: number };
  return stats.entryCount;
}

describe('old changes', () => {
  test('are sealed once they are thinned, and read as before', async (t) => {
    const { store } = await hourlyPrices(t);
    const { store: other } = await hourlyPrices(t);
    await sweep(store, 105);
    for (let day = 91; day <= 105; day += 1) await sweep(other, day, { detailMs: 90 * dayMs });
    // The event of the last change is kept, and with it the last day of that record.
    assert.equal(store.history.count(), 29 * 3 + 24);
    assert.ok(open(store) < 2 * 32, `${open(store)} are not sealed`);
    assert.deepEqual([...store.history.rows()], [...other.history.rows()]);
    assert.equal(await sweep(store, 106), 0);
  });

  test('are sealed as they are when they are 90 days old and are to be thinned later, and thinned then', async (t) => {
    const { store } = await hourlyPrices(t);
    await sweep(store, 105, { detailMs: 400 * dayMs });
    assert.equal(store.history.count(), 2 * 15 * 24);
    assert.ok(open(store) < 2 * 32, `${open(store)} are not sealed`);
    await sweep(store, 415, { detailMs: 400 * dayMs });
    const { store: other } = await hourlyPrices(t);
    await sweep(other, 105);
    assert.deepEqual([...store.history.rows()], [...other.history.rows()]);
  });

  test('that are sealed go for their age and their number, and with their record', async (t) => {
    const { store } = await hourlyPrices(t);
    await sweep(store, 105);
    const dayOf = ({ at }: HistoryView): number => Math.floor(at / dayMs);
    await sweep(store, 106, { keepMs: 100 * dayMs });
    assert.deepEqual([store.history.count(), Math.min(...Array.from(store.history.rows(), dayOf))], [17 * 3 + 24, 6]);
    await sweep(store, 107, { changes: 5 });
    assert.deepEqual([store.history.count(), Math.min(...Array.from(store.history.rows(), dayOf))], [2 * 5, 13]);
    await removeRecords(store, [1, 2]);
    await trim(store, { events: 1, scrapes: 1, steps: 1 });
    await sweep(store, 500, { keepMs: dayMs });
    assert.deepEqual([store.history.count(), store.records.nameOf(1)], [0, undefined]);
  });

  test('that are sealed are corrected by a re-extraction, and its corrections are told', async (t) => {
    const { store } = await hourlyPrices(t);
    await sweep(store, 105);
    const corrected = [...store.history.ofRecord(1)].slice(5, 25);
    const before = store.history.count();
    await applyJob(store, await jobOf(store, corrected, { price: 99 }));
    assert.equal(store.history.count(), before + 20);
    const serial = store.events.last();
    const corrections = [...store.history.correctionsOf(serial)];
    assert.deepEqual(
      corrections.map(({ at, corrects, fields }) => [at, corrects, fields]),
      corrected.map((change) => [change.at, change.serial, { price: { new: 99 } }]),
    );
    const rows = [...store.history.ofRecord(1)];
    assert.ok(
      rows.every(({ at, serial: of }, place) => place === 0 || at > (rows[place - 1]?.at ?? 0) || of === serial),
    );
    assert.deepEqual(
      [...store.events.changes({ after: serial - 1 })].flatMap(({ changes }) => [...changes]),
      corrections,
    );
  });
});
