import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { EventOf, EventType } from '../../src/event/catalogue.ts';
import type { RecordDraft } from '../../src/extract/draft.ts';
import type { Guards } from '../../src/health/guard.ts';
import { actOnTicket } from '../../src/store/act-on-ticket.ts';
import { commitStep } from '../../src/store/commit.ts';
import type { Store } from '../../src/store/store.ts';
import { settleHolds } from '../../src/store/settle-holds.ts';
import { ticketsOf } from '../../src/store/tickets.ts';
import type { TicketView } from '../../src/view/ticket.ts';
import { begin, hourMs, item, step, temporaryStore, track } from './fixture.ts';

const guards: Guards = { missing: true, empty: true, fields: {} };

interface Lamp {
  readonly price?: number;
  readonly currency?: string;
  readonly name?: string;
  /** `null` for none. */
  readonly maker?: string | null;
}

/** Targets of one record each, which are scraped one after the other. */
async function pages(t: TestContext, count: number) {
  const { store, clock } = await temporaryStore(t);
  const urls = Array.from({ length: count }, (_, at) => `https://shop.test/${at}`);
  const targets = await track(store, 'lamps', ...urls);
  const scrape = async (at: number, shown: Lamp = {}): Promise<void> => {
    const { price = at + 10, currency = 'EUR', name = `Lamp ${at}`, maker = `Maker ${at}` } = shown;
    const fields = { name, ...(maker !== null && { maker }), price: { amount: price.toFixed(2), currency } };
    const draft: RecordDraft = item(`${at}`, fields);
    clock.now += hourMs;
    const fill = Object.fromEntries(
      ['name', 'maker', 'price'].map((field) => [`item.${field}`, { seen: field in fields ? 1 : 0, total: 1 }]),
    );
    const read = step(clock.now, [draft], { reading: { fill, isWhole: true } });
    const ops = { ...read, log: { ...read.log, absent: maker === null ? ['item.maker'] : [] }, guards };
    await commitStep(store, await begin(store, targets[at] ?? 0), { ...ops, places: { items: 1, refused: 0 } });
  };
  /** Scrapes all targets; those of `shown` show something else. */
  const round = async (shown: Readonly<Record<number, Lamp>> = {}): Promise<void> => {
    for (const at of targets.keys()) await scrape(at, shown[at]);
    await settleHolds(store);
  };
  return { store, targets, scrape, round };
}

function eventsOf<T extends EventType>(store: Store, type: T): EventOf<T>[] {
  return [...store.events.rows()].filter((event): event is EventOf<T> => event.type === type);
}

const ticketsIn = (store: Store): readonly TicketView[] => [...store.tickets.unresolved()];

const told = (store: Store): string[] => eventsOf(store, 'record.changed').map(({ data }) => data.key);

const held = (store: Store): string[] =>
  [...store.records.rows()].flatMap(({ key, held = {} }) => Object.keys(held).map((field) => `${key} ${field}`));

const usd: Lamp = { currency: 'USD' };

describe('an odd value of a page that is one of many', () => {
  test('is held until the round is over, and is told then as the change that it was', async (t) => {
    const { store, scrape, round } = await pages(t, 12);
    await round();
    await scrape(0);
    await scrape(1, usd);
    assert.deepEqual([told(store), held(store)], [[], ['1 price']]);
    const observedAt = store.records.get('shop', 'item', '1')?.held?.['price']?.observedAt;
    for (let at = 2; at < 12; at += 1) await scrape(at);
    assert.deepEqual([told(store), held(store), store.holds.isNone()], [['1'], [], true]);
    assert.equal([...store.history.ofRecord(2, { newestFirst: true, limit: 1 })][0]?.at, observedAt);
    const ends = [...store.events.rows()].flatMap(({ type, data }) =>
      type === 'value.held' || type === 'value.released' || type === 'value.rejected' ? [[type, data.count]] : [],
    );
    assert.deepEqual(ends, [
      ['value.held', 1],
      ['value.released', 1],
    ]);
    assert.equal(ticketsIn(store).length, 0);
  });

  test('of the later half of a round waits for the next one, as others may follow', async (t) => {
    const { store, round } = await pages(t, 12);
    await round();
    await round({ 10: usd, 11: usd });
    assert.deepEqual([told(store), held(store)], [[], ['10 price', '11 price']]);
    await round({ ...Object.fromEntries(Array.from({ length: 12 }, (_, at) => [at, usd])) });
    assert.deepEqual(told(store), []);
    assert.equal(ticketsIn(store)[0]?.symptoms[0]?.field, 'price');
    assert.equal(held(store).length, 12);
  });

  test('is told after the next round where no others follow', async (t) => {
    const { store, round } = await pages(t, 12);
    await round();
    await round({ 11: usd });
    await round({ 11: usd });
    assert.deepEqual([told(store), held(store), ticketsIn(store).length], [['11'], [], 0]);
  });

  test('is held with all others while most show such values, and a ticket has them all', async (t) => {
    const { store, round } = await pages(t, 12);
    await round();
    await round(Object.fromEntries(Array.from({ length: 12 }, (_, at) => [at, usd])));
    assert.deepEqual([told(store), held(store).length, eventsOf(store, 'records.recalled').length], [[], 12, 0]);
    const [ticket] = ticketsIn(store);
    await actOnTicket(store, ticket?.ticket ?? 0, { act: 'accept' });
    assert.deepEqual([told(store).length, held(store).length], [12, 0]);
  });

  test('waits for the next round where its round shows that other fields are unusual', async (t) => {
    const { store, round } = await pages(t, 12);
    const bad = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [at, { ...usd, name: `Lamp ${at}` }]));
    const garbled = 'L\u00C3\u00A4mp 2';
    await round();
    await round({ ...bad, 2: { ...usd, name: garbled } });
    assert.deepEqual([told(store), held(store).includes('2 name')], [[], true]);
    assert.deepEqual(
      ticketsIn(store).flatMap(({ symptoms }) => symptoms.map(({ field }) => field)),
      ['price'],
    );
    await round({ 2: { name: garbled } });
    assert.deepEqual([told(store), held(store)], [['2'], []]);
  });

  test('is no odd one where a healthy round had such a value', async (t) => {
    const { store, scrape, round } = await pages(t, 12);
    await round();
    await round({ 1: { price: 0 } });
    await round({ 1: { price: 0 } });
    assert.deepEqual(told(store), ['1']);
    await scrape(0);
    await scrape(2, { price: 0 });
    assert.deepEqual(told(store), ['1', '2']);
  });

  test('is forgotten once the page shows again what it did', async (t) => {
    const { store, scrape, round } = await pages(t, 12);
    await round();
    await scrape(0, usd);
    await scrape(0);
    assert.deepEqual([told(store), held(store)], [[], []]);
    assert.deepEqual(
      eventsOf(store, 'value.rejected').map(({ data }) => [data.kind, data.count, data.by]),
      [['unusual', 1, 'source']],
    );
  });
});

test('a field that a page has no more opens no ticket where records of healthy rounds have lost it', async (t) => {
  const { store, scrape, round } = await pages(t, 12);
  for (let count = 0; count < 2; count += 1) await round();
  await round({ 1: { maker: null } });
  const [ticket] = ticketsIn(store);
  assert.deepEqual([ticket?.symptoms[0]?.kind, ticket?.symptoms[0]?.field], ['field', 'maker']);
  await actOnTicket(store, ticket?.ticket ?? 0, { act: 'accept' });
  for (const at of [1, 2]) await scrape(at, { maker: null });
  assert.deepEqual(ticketsIn(store), []);
});

/** Two healthy rounds of one target, of which the second one compares eight prices with those before. */
async function healthy(scrape: (at: number) => Promise<void>): Promise<void> {
  for (let count = 0; count < 16; count += 1) await scrape(0);
}

describe('an odd value of a page that few are beside', () => {
  test('is told where prices may jump as far as that, for all that is known', async (t) => {
    const { store, scrape } = await pages(t, 1);
    await scrape(0);
    await scrape(0, { price: 99 });
    assert.deepEqual([told(store), held(store)], [['0'], []]);
  });

  test('is believed by the next scrape where it is a number, and counts as observed when it was', async (t) => {
    const { store, scrape } = await pages(t, 1);
    await healthy(scrape);
    await scrape(0, { price: 99 });
    const observedAt = store.now();
    assert.deepEqual([told(store), held(store)], [[], ['0 price']]);
    await scrape(0, { price: 99 });
    assert.deepEqual([told(store), held(store)], [['0'], []]);
    const cell = store.records.get('shop', 'item', '0')?.fields['price'];
    assert.deepEqual([cell?.value, cell?.observedAt], [{ amount: '99.00', currency: 'EUR' }, observedAt]);
    assert.equal(ticketsIn(store).length, 0);
  });

  test('is believed by the next scrape also where it moves on', async (t) => {
    const { store, scrape } = await pages(t, 1);
    await healthy(scrape);
    await scrape(0, { price: 99 });
    await scrape(0, { price: 98 });
    assert.deepEqual([told(store), held(store)], [['0'], []]);
  });

  for (const [what, shown] of [
    ['says nothing', { price: 0 }],
    ['is in another currency', usd],
    ['is a placeholder', { maker: 'Loading…' }],
    ['was decoded by a wrong charset', { maker: 'Mak\uFFFDr 0' }],
  ] as const)
    test(`opens a ticket with the second scrape where it ${what}, and is told by none`, async (t) => {
      const { store, targets, scrape } = await pages(t, 1);
      await scrape(0);
      await scrape(0, shown);
      assert.equal(ticketsIn(store).length, 0);
      for (let count = 0; count < 12; count += 1) await scrape(0, shown);
      const [ticket] = ticketsOf(store, { source: 'shop', member: targets[0] ?? 0 });
      assert.deepEqual([ticket?.state, ticket?.symptoms.length, told(store)], ['open', 1, []]);
      assert.equal(held(store).length, 1);
      for (let count = 0; count < 2; count += 1) await scrape(0);
      assert.equal(store.tickets.get(ticket?.ticket ?? 0)?.state, 'resolved');
      assert.deepEqual([told(store), held(store)], [[], []]);
    });

  test('is published with its ticket once a person accepts that', async (t) => {
    const { store, scrape } = await pages(t, 2);
    await scrape(0);
    for (let count = 0; count < 2; count += 1) await scrape(0, usd);
    const [ticket] = ticketsIn(store);
    await actOnTicket(store, ticket?.ticket ?? 0, { act: 'accept' });
    assert.deepEqual([told(store), held(store)], [['0'], []]);
    await scrape(0, usd);
    assert.equal(ticketsIn(store).length, 0);
  });

  test('is any of a record whose texts are all others, which had none before', async (t) => {
    const { store, scrape } = await pages(t, 1);
    for (let count = 0; count < 2; count += 1) await scrape(0);
    const other = { name: 'Chair 7', maker: 'Nobody', price: 11 };
    await scrape(0, other);
    assert.deepEqual([told(store), held(store)], [[], ['0 name', '0 maker', '0 price']]);
    await scrape(0, other);
    assert.deepEqual([new Set(told(store)), held(store)], [new Set(['0']), []]);
  });
});
