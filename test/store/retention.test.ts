import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { commitStep } from '../../src/store/commit.ts';
import { kept, makeRoom, Sweep, trim } from '../../src/store/retention.ts';
import { requestScrape } from '../../src/store/scrapes.ts';
import { begin, item, step, temporaryStore, track } from './fixture.ts';

const dayMs = 86_400_000;

describe('retention', () => {
  test('keeps the newest rows of each log, in more than one transaction, and the history of records', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const fence = await begin(store, target);
    const commits = Array.from({ length: 1_600 }, (_, at) =>
      commitStep(store, { ...fence, step: at + 1 }, step(at + 1, [item('a', { at })])),
    );
    await Promise.all(commits);
    const newest = store.events.last();

    const removed = await trim(store, { events: 30, scrapes: 30, steps: 20 });
    assert.deepEqual([store.events.count(), store.steps.count(), store.history.count()], [30, 20, 1_600]);
    assert.equal(removed, 1_602 - 30 + (1_600 - 20));
    assert.equal(store.events.last(), newest);
    assert.deepEqual([...store.steps.ofScrape(fence.scrape)][0]?.step, 1_581);
    assert.equal(store.records.get('shop', 'item', 'a')?.fields['at']?.value, 1_599);
  });

  test('removes what is older than its log keeps it, but for history and what has not ended', async (t) => {
    const { store, clock } = await temporaryStore(t);
    const [lamp = 0] = await track(store, 'lamp');
    const [chair = 0] = await track(store, 'chair');
    const waiting = await requestScrape(store, lamp);
    assert.ok(waiting.ok);
    for (let day = 0; day < 500; day += 1) {
      const fence = await begin(store, chair);
      // A scrape of one step has no row of steps.
      await commitStep(store, fence, step(clock.now, [item('a', { day })]));
      await commitStep(store, { ...fence, step: 2 }, step(clock.now, [], {}));
      clock.now += dayMs;
    }
    const history = store.history.count();
    await makeRoom(store, new Sweep(() => false), clock.now);
    const ageDays = (at: number) => (clock.now - at) / dayMs;
    const oldest = <T>(rows: Iterable<T>): T => [...rows][0] ?? assert.fail('there is no row');
    assert.equal(ageDays(oldest(store.events.rows({ limit: 1 })).at), 90);
    assert.equal(store.steps.count(), 2 * 90);
    const scrapes = [...store.scrapes.rows()].map(({ scrape }) => scrape);
    assert.deepEqual([scrapes.length, scrapes.at(-1)], [401, waiting.scrape]);
    assert.equal(store.history.count(), history);
  });

  test('is told in docs/operating.md as it is', async () => {
    const page = await readFile(new URL('../../docs/operating.md', import.meta.url), 'utf8');
    const told = Array.from(page.matchAll(/^\| `(\w+)` \| [^|]+ \| (\d+) days +\| ([\d,]+) +\|$/gm));
    const { rows, ages } = kept;
    assert.deepEqual(
      told.map(([, log, days, count = '']) => [log, Number(days) * dayMs, Number(count.replaceAll(',', ''))]),
      Object.entries(ages).map(([log, age]) => [log, age, Reflect.get(rows, log)]),
    );
  });

  test('keeps the events that a sink is not done with, up to a bound of rows and of age', async (t) => {
    const { store, clock } = await temporaryStore(t);
    for (let day = 0; day < 300; day += 1) {
      await track(store, `day-${day}`);
      clock.now += dayMs;
    }
    const limits = { events: 30, scrapes: 30, steps: 30 };
    const oldest = () => store.events.first();
    await store.write(() => {
      store.cursors.put('quick', { serial: 295 });
      store.cursors.put('slow', { serial: 200 });
    });
    await trim(store, limits);
    assert.equal(oldest(), 201);
    await store.write(() => store.cursors.put('slow', { serial: 250 }));
    await trim(store, limits);
    assert.equal(oldest(), 251);
    await store.write(() => store.cursors.put('slow', { serial: 299 }));
    await trim(store, limits);
    assert.equal(oldest(), 271);
    await store.write(() => store.cursors.put('slow', { serial: 0 }));
    await trim(store, limits, { ages: kept.ages, now: clock.now + 170 * dayMs });
    assert.equal(oldest(), 291, 'older than 180 days');
  });

  test('keeps a scrape that has not ended, however old', async (t) => {
    const { store } = await temporaryStore(t);
    const [lamp = 0] = await track(store, 'lamp');
    const [chair = 0] = await track(store, 'chair');
    const open = await begin(store, lamp);
    for (let at = 1; at <= 30; at += 1)
      await commitStep(store, await begin(store, chair), step(at, [item('a', { at })], {}));
    await trim(store, { events: 10, scrapes: 5, steps: 10 });
    assert.deepEqual(
      [...store.scrapes.rows()].map(({ scrape }) => scrape),
      [31, 30, 29, 28, 27, open.scrape],
    );
    assert.deepEqual(
      [...store.scrapes.ofTarget(chair)].map(({ scrape }) => scrape),
      [31, 30, 29, 28, 27],
    );
  });

  test('removes nothing of a log that is within its limit', async (t) => {
    const { store } = await temporaryStore(t);
    await track(store, 'lamp');
    assert.equal(await trim(store, { events: 30, scrapes: 30, steps: 20 }), 0);
  });

  test('begins no transaction where there is nothing to remove', async (t) => {
    const { store } = await temporaryStore(t);
    await track(store, 'lamp');
    const unwritable = { ...store, write: () => assert.fail('it wrote') };
    const sweep = new Sweep(() => false);
    for (let pass = 0; pass < 3; pass += 1) assert.equal(await makeRoom(unwritable, sweep, 0), 0);
  });

  test('keeps the newest row of a log of which nothing is to stay, so that serials go on', async (t) => {
    const { store } = await temporaryStore(t);
    await track(store, 'one');
    await track(store, 'two');
    await trim(store, { events: 0, scrapes: 0, steps: 0 });
    await track(store, 'three');
    assert.deepEqual(
      [...store.events.rows({ after: 0, limit: 10 })].map(({ id }) => id),
      [2, 3],
    );
  });
});
