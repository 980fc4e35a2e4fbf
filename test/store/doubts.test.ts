import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { EventOf, EventType } from '../../src/event/catalogue.ts';
import type { RecordDraft } from '../../src/extract/draft.ts';
import type { Guards } from '../../src/health/guard.ts';
import { actOnTicket } from '../../src/store/act-on-ticket.ts';
import { commitStep } from '../../src/store/commit.ts';
import { commitPulse } from '../../src/store/commit-pulse.ts';
import { openValue } from '../../src/store/decide-held.ts';
import { readCorrections } from '../../src/store/corrections.ts';
import type { Store } from '../../src/store/store.ts';
import { beginScrape } from '../../src/store/scrapes.ts';
import { settleHolds } from '../../src/store/settle-holds.ts';
import { ticketsOf } from '../../src/store/tickets.ts';
import { begin, hourMs, item, step, temporaryStore, track } from './fixture.ts';

const guards: Guards = { missing: true, empty: true, fields: {} };

const prices = (count: number, currency = 'EUR', from = 0): RecordDraft[] =>
  Array.from({ length: count }, (_, at) => priced(from + at, currency));

const priced = (at: number, currency: string, amount = at + 1): RecordDraft =>
  item(`${at}`, { name: `Item ${at}`, price: { amount: `${amount}.00`, currency } });

async function shop(t: TestContext, urls = ['https://shop.test/list']) {
  const { store, clock } = await temporaryStore(t);
  const [target = 0, ...others] = await track(store, 'list', ...urls);
  /** One scrape with a step for each list of drafts, an hour after the one before. */
  const read = async (pages: readonly (readonly RecordDraft[])[], more: Partial<Guards> = {}, of = target) => {
    clock.now += hourMs;
    const fence = await begin(store, of);
    const total = pages.flat().length;
    const fill = { 'item.name': { seen: total, total }, 'item.price': { seen: total, total } };
    for (const [index, drafts] of pages.entries()) {
      clock.now += 1_000;
      const close = index === pages.length - 1 ? { reading: { fill, isWhole: true } } : undefined;
      const ops = { ...step(clock.now, drafts, close), guards: { ...guards, ...more } };
      await commitStep(store, { ...fence, step: index + 1 }, { ...ops, places: { items: drafts.length, refused: 0 } });
    }
  };
  return { store, clock, target, others, read };
}

function eventsOf<T extends EventType>(store: Store, type: T): EventOf<T>[] {
  return [...store.events.rows()].filter((event): event is EventOf<T> => event.type === type);
}

const changesIn = (store: Store): number => eventsOf(store, 'record.changed').length;

const currenciesIn = (store: Store): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const { fields } of store.records.rows()) {
    const { currency = 'none' } = (fields['price']?.value ?? {}) as { readonly currency?: string };
    counts[currency] = (counts[currency] ?? 0) + 1;
  }
  return counts;
};

const heldIn = (store: Store): number =>
  [...store.holds.members()].filter((member) => openValue(store, member) !== undefined).length;

const ticketOf = (store: Store, target: number) => ticketsOf(store, { source: 'shop', member: target })[0];

describe('a page that is judged before it is stored', () => {
  test('tells no change of a field that is unusual: the last good values stay with their age, and its ticket holds the others', async (t) => {
    const { store, target, read } = await shop(t);
    await read([prices(12)]);
    await read([prices(12, 'USD')]);
    assert.deepEqual([changesIn(store), currenciesIn(store), heldIn(store)], [0, { EUR: 12 }, 12]);
    const [record] = store.records.rows();
    assert.ok((record?.fields['price']?.verifiedAt ?? 0) < (record?.fields['name']?.verifiedAt ?? 0));
    const [held] = eventsOf(store, 'value.held');
    assert.deepEqual([held?.data.kind, held?.data.field, held?.data.count], ['unusual', 'price', 12]);
    const mass = store.holds.mass({ source: 'shop', target, type: 'item', field: 'price' });
    assert.deepEqual(
      [mass?.ticket, ticketOf(store, target)?.symptoms[0]?.kind],
      [ticketOf(store, target)?.ticket, 'values'],
    );
  });

  test('has a record that is new without that field, until the ticket is accepted', async (t) => {
    const { store, target, read } = await shop(t);
    await read([prices(12)]);
    await read([prices(13, 'USD')]);
    const added = eventsOf(store, 'record.added').at(-1);
    assert.deepEqual([added?.data.key, Object.keys(added?.data.fields ?? {})], ['12', ['name']]);
    await actOnTicket(store, ticketOf(store, target)?.ticket ?? 0, { act: 'accept' });
    assert.deepEqual([currenciesIn(store), changesIn(store), heldIn(store)], [{ USD: 13 }, 13, 0]);
  });

  test('of more records than one transaction has is judged before the first of them is stored', async (t) => {
    const { store, read } = await shop(t);
    await read([prices(450)]);
    await read([prices(450, 'USD')]);
    assert.deepEqual([changesIn(store), heldIn(store), eventsOf(store, 'records.recalled').length], [0, 450, 0]);
  });

  test('is published as it is where the definition holds nothing of it', async (t) => {
    const { store, read } = await shop(t);
    await read([prices(12)]);
    await read([prices(12, 'USD')], { unusual: false });
    assert.deepEqual([changesIn(store), heldIn(store)], [12, 0]);
  });
});

describe('what a ticket holds', () => {
  async function unusual(t: TestContext) {
    const found = await shop(t);
    await found.read([prices(12)]);
    await found.read([prices(12, 'USD')]);
    return { ...found, ticket: ticketOf(found.store, found.target)?.ticket ?? 0 };
  }

  test('that a person has accepted is as unusual once more when it is taken back, or comes again', async (t) => {
    const { store, target, read } = await shop(t);
    await read([prices(12)]);
    for (const currency of ['USD', 'EUR', 'USD']) {
      await read([prices(12, currency)]);
      const { ticket = 0, state } = ticketOf(store, target) ?? {};
      assert.equal(state, 'open', currency);
      assert.equal(heldIn(store), 12);
      await actOnTicket(store, ticket, { act: 'accept' });
      for (let again = 0; again < 6; again += 1) await read([prices(12, currency)]);
      assert.deepEqual([ticketOf(store, target), currenciesIn(store)], [undefined, { [currency]: 12 }]);
    }
  });

  test('is published together as the changes that they were, once a person accepts it, and is usual then', async (t) => {
    const { store, target, read, ticket } = await unusual(t);
    await actOnTicket(store, ticket, { act: 'accept' }, 'ada');
    assert.deepEqual([changesIn(store), currenciesIn(store), heldIn(store)], [12, { USD: 12 }, 0]);
    const [released] = eventsOf(store, 'value.released');
    assert.deepEqual([released?.data.by, released?.data.count], ['person', 12]);
    const [change] = store.history.ofRecord(1, { newestFirst: true, limit: 1 });
    assert.deepEqual([change?.scrape, change?.at], [2, [...store.records.rows()][0]?.fields['price']?.observedAt]);
    await read([prices(12, 'USD')]);
    assert.deepEqual([ticketOf(store, target), changesIn(store)], [undefined, 12]);
  });

  test('is forgotten once a person resolves it, and held by another ticket where it is seen again', async (t) => {
    const { store, target, read, ticket } = await unusual(t);
    await actOnTicket(store, ticket, { act: 'resolve' });
    assert.deepEqual([heldIn(store), currenciesIn(store)], [0, { EUR: 12 }]);
    assert.equal(eventsOf(store, 'value.rejected')[0]?.data.by, 'person');
    await read([prices(12, 'USD')]);
    assert.deepEqual([ticketOf(store, target)?.ticket, heldIn(store), changesIn(store)], [ticket + 1, 12, 0]);
  });

  test('is forgotten once the site has recovered, and what changed meanwhile is told by the first healthy run', async (t) => {
    const { store, target, read } = await unusual(t);
    const recovered = prices(12).with(3, priced(3, 'EUR', 5));
    await read([recovered]);
    assert.deepEqual(
      eventsOf(store, 'record.changed').map(({ data }) => data.key),
      ['3'],
    );
    assert.ok(ticketOf(store, target), 'one healthy run may be luck');
    await read([recovered]);
    assert.deepEqual([ticketOf(store, target), heldIn(store), store.holds.isNone()], [undefined, 0, true]);
    assert.deepEqual(
      eventsOf(store, 'value.rejected').map(({ data }) => data.by),
      ['source'],
    );
    assert.equal(changesIn(store), 1);
  });

  test('counts a record once, however many unusual values it shows and however often it shows a usual one between', async (t) => {
    const { store, target, read, ticket } = await unusual(t);
    const mass = () => store.holds.mass({ source: 'shop', target, type: 'item', field: 'price' });
    await read([Array.from({ length: 12 }, (_, at) => priced(at, 'USD', at + 100))]);
    assert.deepEqual([mass()?.count, heldIn(store)], [12, 12]);
    await read([[...prices(8, 'USD'), ...prices(4, 'EUR', 8)]]);
    assert.deepEqual([mass()?.count, mass()?.back, heldIn(store)], [12, 4, 8]);
    await read([prices(12, 'USD')]);
    assert.deepEqual([mass()?.count, mass()?.back, heldIn(store)], [12, 0, 12]);
    await actOnTicket(store, ticket, { act: 'resolve' });
    assert.equal(eventsOf(store, 'value.rejected').at(-1)?.data.count, 12);
  });

  test('is held in pulses as well, as long as it is open', async (t) => {
    const { store, clock, target } = await unusual(t);
    clock.now += 1_000;
    const at = { source: 'shop', version: 'v1', target, url: 'https://shop.test/list', observedAt: clock.now, guards };
    await commitPulse(store, { ...at, drafts: [priced(0, 'GBP')] });
    assert.deepEqual([changesIn(store), currenciesIn(store)], [0, { EUR: 12 }]);
  });
});

describe('a scrape of many steps', () => {
  const pages = (currency: string, count = 3): RecordDraft[][] =>
    Array.from({ length: count }, (_, at) => prices(4, currency, 4 * at));

  test('is held from the eighth unusual record on, and what it told before is recalled by one event', async (t) => {
    const { store, target, read } = await shop(t);
    await read(pages('EUR'));
    await read(pages('USD'));
    assert.deepEqual([changesIn(store), currenciesIn(store), heldIn(store)], [4, { EUR: 12 }, 12]);
    const [recalled, ...others] = eventsOf(store, 'records.recalled');
    const { since: _, ...data } = recalled?.data ?? {};
    assert.deepEqual([recalled?.source, recalled?.target, recalled?.scrape, others.length], ['shop', target, 2, 0]);
    assert.deepEqual(data, { record: 'item', field: 'price', count: 4, keys: ['0', '1', '2', '3'] });
    const [record] = store.records.rows();
    assert.ok((record?.fields['price']?.verifiedAt ?? 0) < (record?.fields['name']?.verifiedAt ?? 0));

    const [last, told] = store.history.ofRecord(1, { newestFirst: true });
    assert.deepEqual(
      [last?.isRecall, last?.corrects, last?.serial, last?.at],
      [true, told?.serial, recalled?.id, told?.at],
    );
    assert.deepEqual(last?.fields['price']?.new, { amount: '1.00', currency: 'EUR' });
    const corrections = readCorrections(store, recalled?.id ?? 0, { limit: 100 });
    assert.deepEqual(
      corrections?.rows.map(({ record: { key }, fields }) => [key, fields['price']?.until]),
      ['0', '1', '2', '3'].map((key) => [key, undefined]),
    );

    const ticket = ticketOf(store, target)?.ticket;
    const mass = store.holds.mass({ source: 'shop', target, type: 'item', field: 'price' });
    assert.deepEqual([mass?.ticket, mass?.recall, mass?.count], [ticket, undefined, 12]);
    await actOnTicket(store, ticket ?? 0, { act: 'accept' });
    assert.deepEqual([currenciesIn(store), heldIn(store)], [{ USD: 12 }, 0]);
  });

  test('tells what it held if it turns out to be as usual in the end', async (t) => {
    const { store, target, read } = await shop(t);
    await read(pages('EUR', 10));
    await read([...pages('USD', 2), ...pages('EUR', 10).slice(2)]);
    assert.deepEqual([ticketOf(store, target), currenciesIn(store)], [undefined, { USD: 8, EUR: 32 }]);
    assert.deepEqual([heldIn(store), store.holds.isNone()], [0, true]);
    assert.equal(eventsOf(store, 'value.released')[0]?.data.by, 'run');
  });

  test('is held from its first step on while a ticket is open', async (t) => {
    const { store, read } = await shop(t);
    await read(pages('EUR'));
    await read(pages('USD'));
    const before = changesIn(store);
    await read(pages('GBP'));
    assert.deepEqual([changesIn(store), eventsOf(store, 'records.recalled').length], [before, 1]);
  });
});

test('a recall that was cut goes on, with one event, and until then its corrections are not read', async (t) => {
  const { store, target, read } = await shop(t);
  await read([prices(12)]);
  await read([prices(12, 'USD')], { unusual: false });
  const since = store.scrapes.get(2)?.startedAt ?? 0;
  const place = { source: 'shop', target, type: 'item', field: 'price' };
  const row = { kind: 'unusual', of: 'any', state: 'held', since, scrape: 2, lastScrape: 2, count: 0 } as const;
  await store.write(() => store.holds.putMass(place, { ...row, recall: { since } }));
  let writes = 0;
  const cut: Store = {
    ...store,
    write(run, options) {
      writes += 1;
      if (writes > 1) throw new Error('the end of the daemon');
      return store.write(run, options);
    },
  };
  await assert.rejects(settleHolds(cut), /the end/);
  const [recalled] = eventsOf(store, 'records.recalled');
  assert.deepEqual([recalled?.data.count, currenciesIn(store)], [12, { USD: 12 }]);
  assert.equal(readCorrections(store, recalled?.id ?? 0, { limit: 100 }), undefined);
  await settleHolds(store);
  assert.deepEqual([currenciesIn(store), heldIn(store)], [{ EUR: 12 }, 12]);
  assert.equal(readCorrections(store, recalled?.id ?? 0, { limit: 100 })?.rows.length, 12);
  assert.equal(eventsOf(store, 'records.recalled').length, 1);
});

test('pages of few records are held from the eighth unusual one of their round on, and the others are recalled', async (t) => {
  const urls = Array.from({ length: 12 }, (_, at) => `https://shop.test/${at}`);
  const { store, target, others, read } = await shop(t, urls);
  const round = async (name?: string): Promise<void> => {
    for (const [at, one] of [target, ...others].entries()) {
      const known = priced(at, 'EUR');
      await read([[name === undefined ? known : item(known.key, { ...known.fields, name })]], {}, one);
    }
  };
  const namesIn = (): number => new Set([...store.records.rows()].map(({ fields }) => fields['name']?.value)).size;
  await round();
  // Nothing is odd about one of them.
  await round('Out of stock');
  const [recalled] = eventsOf(store, 'records.recalled');
  assert.deepEqual([recalled?.target, recalled?.data.count, recalled?.projects], [undefined, 7, ['list']]);
  assert.deepEqual([namesIn(), heldIn(store)], [12, 12]);
  const ticket = ticketOf(store, 0)?.ticket ?? 0;
  assert.equal(store.tickets.get(ticket)?.symptoms[0]?.field, 'name');
  await actOnTicket(store, ticket, { act: 'accept' });
  assert.deepEqual([namesIn(), heldIn(store)], [1, 0]);
});

test('values that another rule reads are not held as unusual beside those of the rule before', async (t) => {
  const { store, clock } = await temporaryStore(t);
  const [target = 0] = await track(store, 'list');
  const read = async (version: string, price: string, drafts: readonly RecordDraft[]): Promise<void> => {
    clock.now += hourMs;
    const begun = await beginScrape(store, target, version);
    const fence = begun.ok ? begun.fence : assert.fail();
    const rules = { '': 'list', item: 'each', 'item.name': 'h2', 'item.price': price };
    const seen = { seen: drafts.length, total: drafts.length };
    const reading = { fill: { 'item.name': seen, 'item.price': seen }, isWhole: true };
    const ops = { ...step(clock.now, drafts, { reading, rules }), guards, rules };
    await commitStep(store, { ...fence, step: 1 }, { ...ops, places: { items: drafts.length, refused: 0 } });
  };
  for (let times = 0; times < 7; times += 1) await read('v1', '.old', prices(12));
  await read('v2', '.now', prices(12, 'USD'));
  assert.deepEqual([ticketOf(store, target), currenciesIn(store), heldIn(store)], [undefined, { USD: 12 }, 0]);
  await read('v2', '.now', prices(12, 'EUR'));
  assert.deepEqual([ticketOf(store, target)?.symptoms[0]?.measure, heldIn(store)], ['currency', 12]);
});
