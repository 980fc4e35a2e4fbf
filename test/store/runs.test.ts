import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { Expectation } from '../../src/health/expectation.ts';
import type { Close } from '../../src/store/ops.ts';
import { actOnTicket } from '../../src/store/act-on-ticket.ts';
import { closeScrape, commitStep } from '../../src/store/commit.ts';
import type { Store } from '../../src/store/store.ts';
import { ticketsOf } from '../../src/store/tickets.ts';
import { begin, hourMs, item, step, temporaryStore, track } from './fixture.ts';

/** One whole reading of a list: so many items, of which so many have a price. */
interface Read {
  readonly items: number;
  readonly priced?: number;
  readonly close?: Partial<Close>;
}

async function opened(t: TestContext) {
  const { store, clock } = await temporaryStore(t);
  const [target = 0] = await track(store, 'list');
  const reads = async (...all: readonly Read[]): Promise<void> => {
    for (const { items, priced = items, close } of all) {
      clock.now += 24 * hourMs;
      const drafts = Array.from({ length: items }, (_, at) =>
        item(`${at}`, { name: `Item ${at}`, price: at < priced ? at + 1 : null }),
      );
      const seen = (count: number) => ({ seen: count, total: items });
      const fill = { 'item.name': seen(items), 'item.price': seen(priced) };
      const ops = step(clock.now, drafts, { reading: { fill, isWhole: true }, ...close });
      await commitStep(store, await begin(store, target), { ...ops, places: { items, refused: 0 } });
    }
  };
  return { store, target, reads };
}

const openOf = (store: Store, target: number) => ticketsOf(store, { source: 'shop', member: target });

const symptomsOf = (store: Store, target: number) =>
  openOf(store, target).flatMap(({ symptoms }) =>
    symptoms.map(({ kind, record, field }) => `${kind} ${record ?? ''} ${field ?? ''}`.trim()),
  );

/** What healthy runs of a list of some 1,000 items give. */
const healthy: readonly Read[] = [1000, 1010, 990, 1005, 995, 1000].map((items) => ({
  items,
  priced: Math.round(items * 0.99),
}));

describe('runs of some 1,000 records', () => {
  test('have a ticket that names `records` at 820, and none at 850 (P30)', async (t) => {
    const other = await opened(t);
    await other.reads(...healthy, { items: 850, priced: 842 });
    assert.deepEqual(symptomsOf(other.store, other.target), []);
    const { store, target, reads } = await opened(t);
    await reads(...healthy, { items: 820, priced: 812 });
    assert.ok(symptomsOf(store, target).includes('records item'), symptomsOf(store, target).join(', '));
  });

  test('have a ticket that names the price where its fill falls from 0.99 to 0.90, with what was observed and expected (P31, P33)', async (t) => {
    const { store, target, reads } = await opened(t);
    await reads(...healthy, { items: 1000, priced: 900 });
    const [ticket] = openOf(store, target);
    const symptom = ticket?.symptoms.find(({ field }) => field === 'price');
    assert.equal(symptom?.kind, 'field');
    assert.deepEqual([ticket?.sources, ticket?.scrape, ticket?.samples], [['shop'], 7, ['https://shop.test/list']]);
    assert.ok((symptom?.expected?.low ?? symptom?.expected?.high) !== undefined);
  });

  test('do not enter the baseline while they are unusual, until a person accepts them (P37)', async (t) => {
    const { store, target, reads } = await opened(t);
    await reads(...healthy);
    for (let times = 1; times <= 4; times += 1) {
      await reads({ items: 500, priced: 495 });
      assert.equal(openOf(store, target)[0]?.occurrences, times, 'it is as unusual as before');
    }
    const [{ ticket } = { ticket: 0 }] = openOf(store, target);
    await actOnTicket(store, ticket, { act: 'accept' }, 'ada');
    assert.equal(store.tickets.get(ticket)?.resolvedBy, 'accepted');
    await reads({ items: 505, priced: 500 }, { items: 498, priced: 494 });
    assert.deepEqual(openOf(store, target), []);
  });

  test('are accepted as they are now: not an unusual run of a target that has been healthy since', async (t) => {
    const { store, clock } = await temporaryStore(t);
    const targets = await track(store, 'list', 'https://shop.test/1', 'https://shop.test/2');
    const read = async (...counts: readonly number[]): Promise<void> => {
      clock.now += 24 * hourMs;
      for (const [at, items] of counts.entries()) {
        const drafts = Array.from({ length: items }, (_, of) => item(`${at}-${of}`, { name: `Item ${of}` }));
        const fill = { 'item.name': { seen: items, total: items } };
        const ops = step(clock.now, drafts, { reading: { fill, isWhole: true } });
        await commitStep(store, await begin(store, targets[at] ?? 0), { ...ops, places: { items, refused: 0 } });
      }
    };
    for (let day = 0; day < 6; day += 1) await read(100, 100);
    await read(60, 60);
    for (const _ of [1, 2]) await read(100, 100);
    await read(100, 60);
    const valuesOf = (target = 0) =>
      store.runs.baselines.get(['shop', target])?.baseline.series.get('records item')?.lows;
    const before = valuesOf(targets[0]);
    await actOnTicket(store, 1, { act: 'accept' }, 'ada');
    assert.deepEqual(valuesOf(targets[0]), before);
    assert.equal(valuesOf(targets[1])?.length, 1);
  });

  test('are not what the next run is compared with where the first one is unusual', async (t) => {
    const { store, target, reads } = await opened(t);
    const expectation: Expectation = {
      ...{ record: 'item', text: 'records > 100', unique: [] },
      check: ({ records = 0 }) => ({ holds: records > 100, observed: records, figures: { records } }),
    };
    await reads({ items: 50, close: { expectations: [expectation] } });
    assert.deepEqual(symptomsOf(store, target), ['rule item']);
    assert.equal(store.runs.baselines.since(['shop', target]), Infinity);
    // All names and prices but one are as they were, which another run would be unusual for.
    await reads({ items: 200, priced: 1 });
    assert.deepEqual(symptomsOf(store, target), ['rule item']);
    assert.equal(store.runs.baselines.since(['shop', target]) < Infinity, true);
  });

  test('resolve their ticket when they are healthy twice in a row (P35)', async (t) => {
    const { store, target, reads } = await opened(t);
    await reads(...healthy, { items: 500, priced: 495 }, { items: 1000, priced: 990 });
    assert.equal(openOf(store, target).length, 1);
    await reads({ items: 1002, priced: 992 });
    assert.deepEqual(openOf(store, target), []);
  });
});

test('records that are none any more have a ticket without a baseline (P32)', async (t) => {
  const { store, target, reads } = await opened(t);
  await reads({ items: 20 }, { items: 0 });
  assert.ok(symptomsOf(store, target).includes('records item'));
});

test('pages of few records are judged together, once there were as many scrapes as there are targets', async (t) => {
  const { store, clock } = await temporaryStore(t);
  const names = Array.from({ length: 20 }, (_, at) => `lamp-${at}`);
  const targets = await track(store, 'lamps', ...names.map((name) => `https://shop.test/${name}`));
  const round = async (priceOf: (at: number) => number): Promise<void> => {
    clock.now += 24 * hourMs;
    for (const [at, target] of targets.entries()) {
      const fill = { 'item.price': { seen: 1, total: 1 } };
      const ops = step(clock.now, [item(names[at] ?? '', { price: priceOf(at) })], {
        reading: { fill, isWhole: true },
      });
      await commitStep(store, await begin(store, target), { ...ops, places: { items: 1, refused: 0 } });
    }
  };
  for (let day = 0; day < 6; day += 1) await round((at) => at + 1);
  assert.deepEqual(symptomsOf(store, 0), []);
  await round((at) => (at < 8 ? 0 : at + 1));
  assert.deepEqual(symptomsOf(store, 0), ['values item price']);
});

test('the ticket of a round is told to the projects of the pages that show it, and names these pages', async (t) => {
  const { store, clock } = await temporaryStore(t);
  const urlsOf = (name: string) => Array.from({ length: 10 }, (_, at) => `https://shop.test/${name}/${at}`);
  const targets = [
    ...(await track(store, 'alpha', ...urlsOf('alpha'))),
    ...(await track(store, 'beta', ...urlsOf('beta'))),
  ];
  const round = async (priceOf: (at: number) => number): Promise<void> => {
    clock.now += 24 * hourMs;
    for (const [at, target] of targets.entries()) {
      const reading = { fill: { 'item.price': { seen: 1, total: 1 } }, isWhole: true };
      const ops = step(clock.now, [item(`${at}`, { price: priceOf(at) })], { reading });
      await commitStep(store, await begin(store, target), { ...ops, places: { items: 1, refused: 0 } });
    }
  };
  for (let day = 0; day < 6; day += 1) await round((at) => at + 1);
  const scrapes = store.scrapes.last();
  await round((at) => (at < 8 ? 0 : at + 1));
  const [ticket] = openOf(store, 0);
  assert.deepEqual(
    [ticket?.projects, ticket?.samples, ticket?.scrape],
    [['alpha'], urlsOf('alpha').slice(0, 5), scrapes + 1],
  );
});

test('a scrape that has not read the whole of its target opens no ticket (P39)', async (t) => {
  const { store, target, reads } = await opened(t);
  const failure = { code: 'timeout', message: 'no answer', cause: 'network' };
  await reads(...healthy);
  const fence = await begin(store, target);
  await commitStep(store, fence, {
    ...step(9_000_000, [item('1', { name: 'One' })]),
    places: { items: 1, refused: 0 },
  });
  assert.deepEqual(openOf(store, target), []);
  await commitStep(store, { ...fence, step: 2 }, step(9_000_001, [], { status: 'failed', failure }));
  assert.deepEqual(openOf(store, target), []);
});

test('records that go missing together are unusual where hardly any did, also in a list that is not known for a day yet', async (t) => {
  const { store, clock } = await temporaryStore(t);
  const [target = 0] = await track(store, 'list');
  const read = async (items: number): Promise<void> => {
    clock.now += 10_000;
    const { step: _, ...fence } = await begin(store, target);
    const drafts = Array.from({ length: items }, (_, at) => item(`${at}`, { name: `Item ${at}` }));
    await commitStep(store, { ...fence, step: 1 }, { ...step(clock.now, drafts), places: { items, refused: 0 } });
    const reading = { fill: { 'item.name': { seen: items, total: items } }, isWhole: true };
    const guards = { missing: true, empty: true, fields: {} };
    const close = { status: 'complete', finished: false, reading, guards, missingSince: fence.scrape } as const;
    await closeScrape(store, fence, close);
  };
  for (const items of [30, 30, 30, 30, 29, 30, 30, 30, 30, 30]) await read(items);
  assert.deepEqual(openOf(store, target), []);
  await read(17);
  assert.deepEqual(symptomsOf(store, target), ['missing item']);
  // They are held, as the ticket says that there may be more to it.
  assert.equal([...store.records.rows()].filter(({ absent }) => absent !== undefined).length, 0);
});

/** A list of twenty items with a price each, the newest of which are read, or all. */
async function pricedList(t: TestContext) {
  const { store, clock } = await temporaryStore(t);
  const [target = 0] = await track(store, 'list');
  const guards = { missing: true, empty: true, fields: {} };
  const read = async (factor: number, isWhole = false): Promise<void> => {
    clock.now += 24 * hourMs;
    const drafts = Array.from({ length: 20 }, (_, at) =>
      item(`${at}`, { name: `Item ${at}`, price: (10 + at) * factor }),
    );
    const seen = { seen: 20, total: 20 };
    const ops = step(clock.now, drafts, { reading: { fill: { 'item.name': seen, 'item.price': seen }, isWhole } });
    await commitStep(store, await begin(store, target), { ...ops, places: { items: 20, refused: 0 }, guards });
  };
  return { store, target, read };
}

test('parts of a list resolve the ticket of values that they read, and what was held for it is forgotten', async (t) => {
  const { store, target, read } = await pricedList(t);
  for (let day = 0; day < 6; day += 1) await read(1);
  await read(100);
  assert.deepEqual(symptomsOf(store, target), ['values item price']);
  for (const _ of [1, 2]) await read(1);
  assert.equal(store.tickets.get(1)?.resolvedBy, 'healthy');
  assert.ok(store.holds.isNone());
});

/** A crawl of items, on a second page of which nothing had changed where it is `unmodified`. */
async function crawledItems(t: TestContext) {
  const { store, clock } = await temporaryStore(t);
  const [target = 0] = await track(store, 'crawl');
  const read = async (items: number, unmodified = false): Promise<void> => {
    clock.now += 24 * hourMs;
    const drafts = Array.from({ length: items }, (_, at) => item(`${at}`, { name: `Item ${at}` }));
    const close = { reading: { fill: { 'item.name': { seen: items, total: items } }, isWhole: true } };
    const fence = await begin(store, target);
    const ops = { ...step(clock.now, drafts, unmodified ? undefined : close), places: { items, refused: 0 } };
    await commitStep(store, fence, ops);
    if (unmodified)
      await commitStep(store, { ...fence, step: 2 }, { ...step(clock.now, [], close), unmodified: 'listed' });
  };
  return { store, read };
}

describe('a run in which some pages had not changed', () => {
  test('does not resolve a ticket of records while as many are gone', async (t) => {
    const { store, read } = await crawledItems(t);
    for (let day = 0; day < 6; day += 1) await read(100);
    await read(70);
    for (const _ of [1, 2, 3]) await read(70, true);
    assert.deepEqual([store.tickets.get(1)?.state, store.tickets.get(1)?.occurrences], ['open', 4]);
  });

  test('resolves it when they are there again', async (t) => {
    const { store, read } = await crawledItems(t);
    for (let day = 0; day < 6; day += 1) await read(100);
    await read(70);
    for (const _ of [1, 2]) await read(100, true);
    assert.equal(store.tickets.get(1)?.resolvedBy, 'healthy');
  });
});
