import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { closeScrape, commitStep } from '../../src/store/commit.ts';
import type { RecordRow } from '../../src/store/rows.ts';
import type { Store } from '../../src/store/store.ts';
import { begin, item, step, temporaryFolder, temporaryStore, told } from './fixture.ts';
import { type Rows, schema1, writeEnvironment } from './old-store.ts';

/** Opens a store whose rows are these, at the time 1,000,000. */
async function migrated(t: TestContext, rows: Rows): Promise<Store> {
  const path = temporaryFolder(t);
  await writeEnvironment(path, rows);
  let ids = 0;
  const { store } = await temporaryStore(t, { path, newId: () => `id ${(ids += 1)}` });
  return store;
}

function known(store: Store, key: string): RecordRow {
  const row = store.records.get('shop', 'item', key);
  assert.ok(row !== undefined);
  return row;
}

function seenBy(store: Store, target: number, key: string) {
  return store.records.seenBy(target, { source: 'shop', type: 'item', key });
}

const all = ['a', 'b', 'c', 'd', 'older', 'pulse'];
const close = { status: 'complete', finished: false } as const;

describe('a store of schema 1', () => {
  test('has what its records did not say of themselves found in its history and its run logs', async (t) => {
    const store = await migrated(t, schema1);
    assert.equal(store.meta.schema(), 3);
    const shown = all.map((key) => known(store, key)).map((row) => [row.key, row.url, row.updatedAt, row.lastScrape]);
    assert.deepEqual(shown, [
      ['a', 'https://shop.test/moved', 5_000, 3],
      ['b', 'https://shop.test/2', 6_000, 4],
      ['c', 'https://shop.test/2', 6_000, 4],
      ['d', 'https://shop.test/moved', 5_000, 3],
      ['older', 'https://shop.test/1', 700, 0],
      ['pulse', 'https://shop.test/1', 3_000, 0],
    ]);
    assert.deepEqual(known(store, 'b').fields, { price: { value: 2, observedAt: 3_000, verifiedAt: 6_000 } });
    assert.equal(new Set(all.map((key) => known(store, key).id)).size, all.length);
  });

  test('has its records in the order in which they were found, those of no log before all others', async (t) => {
    const store = await migrated(t, schema1);
    const inOrder = [...store.records.rows()].sort((one, other) => one.sequence - other.sequence);
    assert.deepEqual(
      inOrder.map(({ key }) => key),
      // Of one page, what stands first is the newest.
      ['older', 'pulse', 'a', 'b', 'c', 'd'],
    );
  });

  test('has the scrapes that saw each record, by target', async (t) => {
    const store = await migrated(t, schema1);
    const rows = [
      ...['a', 'b', 'd', 'older', 'pulse'].map((key) => [1, key] as const),
      [2, 'b'] as const,
      [2, 'c'] as const,
    ];
    assert.deepEqual(
      rows.map(([target, key]) => [target, key, seenBy(store, target, key)]),
      [
        [1, 'a', { first: 1, last: 3 }],
        [1, 'b', { first: 1, last: 1 }],
        [1, 'd', { first: 3, last: 3 }],
        [1, 'older', { first: 0, last: 0 }],
        [1, 'pulse', { first: 0, last: 0 }],
        [2, 'b', { first: 4, last: 4 }],
        [2, 'c', { first: 2, last: 4 }],
      ],
    );
    assert.deepEqual(
      [1, 2].map((target) => Array.from(store.records.ofTarget(target), ({ key }) => key)),
      [
        ['a', 'b', 'd', 'older', 'pulse'],
        ['b', 'c'],
      ],
    );
  });

  test('is scraped on: what is the same is confirmed, what differs is changed, and what is new comes last', async (t) => {
    const store = await migrated(t, schema1);
    const before = { a: known(store, 'a'), b: known(store, 'b') };
    const fence = await begin(store, 1);
    const drafts = [item('new', { price: 1 }), item('a', { price: 3 }), item('b', { price: 9 })];
    const result = await commitStep(store, fence, step(1_000_000, drafts, {}));
    assert.deepEqual(result.outcome === 'committed' && result.counts, { added: 1, changed: 1, confirmed: 1 });
    const seen = { url: 'https://shop.test/', updatedAt: 1_000_000, lastScrape: 6 };
    assert.deepEqual(known(store, 'a'), {
      ...before.a,
      ...seen,
      fields: { price: { value: 3, observedAt: 5_000, verifiedAt: 1_000_000 } },
    });
    assert.deepEqual(known(store, 'b'), {
      ...before.b,
      ...seen,
      fields: { price: { value: 9, observedAt: 1_000_000, verifiedAt: 1_000_000 } },
    });
    assert.ok(known(store, 'new').sequence > Math.max(...all.map((key) => known(store, key).sequence)));
    assert.deepEqual(
      [seenBy(store, 1, 'a'), seenBy(store, 2, 'b')],
      [
        { first: 1, last: 6 },
        { first: 4, last: 4 },
      ],
    );
  });

  test('is scraped on: what whole crawls no longer find is missing, then gone', async (t) => {
    const store = await migrated(t, schema1);
    for (const kind of ['missing', 'gone'] as const) {
      const { step: _, ...fence } = await begin(store, 1);
      const before = store.events.last();
      await commitStep(store, { ...fence, step: 1 }, step(1_000_000, [item('a', { price: 3 })]));
      const result = await closeScrape(store, fence, { ...close, missingSince: fence.scrape });
      assert.deepEqual(result.outcome === 'committed' && result.counts[kind], 4);
      assert.equal(told(store, before).filter((type) => type === `record.${kind}`).length, 4);
    }
    assert.deepEqual(known(store, 'older').absent, { since: 1_000_000, times: 2, scrape: 7 });
    assert.deepEqual([known(store, 'a').absent, known(store, 'c').absent], [undefined, undefined]);
  });

  test('is scraped on: what a page that is still the same showed is verified', async (t) => {
    const store = await migrated(t, schema1);
    const fence = await begin(store, 2);
    const result = await commitStep(store, fence, { ...step(1_000_000, [], {}), unmodified: true });
    assert.equal(result.outcome === 'committed' && result.counts.confirmed, 2);
    const { updatedAt, lastScrape, url } = known(store, 'b');
    assert.deepEqual([updatedAt, lastScrape, url], [1_000_000, 6, 'https://shop.test/2']);
  });
});

/** A whole record of target 1, as programs wrote them before the schema had another number. */
const whole = {
  source: 'shop',
  type: 'item',
  key: 'whole',
  target: 1,
  id: 'its own',
  url: 'https://shop.test/whole',
  firstSeenAt: 100,
  updatedAt: 200,
  sequence: 12,
  lastScrape: 3,
  fields: { price: { value: 1, observedAt: 100, verifiedAt: 200 } },
};

describe('a store whose records were written by several programs', () => {
  test('keeps what they say', async (t) => {
    const rows = { records: [row(whole)], 'records.by_target': [seenRow('whole', { first: 2, last: 3 })] };
    const store = await migrated(t, withRows(schema1, rows));
    assert.deepEqual(known(store, 'whole'), whole);
    assert.deepEqual(seenBy(store, 1, 'whole'), { first: 2, last: 3 });
  });

  test('keeps the first scrape of each, where that alone was known', async (t) => {
    const rows = { records: [row(whole)], 'records.by_target': [seenRow('whole', 2)] };
    const store = await migrated(t, withRows(schema1, rows));
    assert.deepEqual(known(store, 'whole'), whole);
    assert.deepEqual(seenBy(store, 1, 'whole'), { first: 2, last: 2 });
  });

  test('has the scrape by which a record was found missing from its history', async (t) => {
    const absent = { since: 5_000, times: 1 };
    const missing = { serial: 8, source: 'shop', type: 'item', key: 'whole', target: 1, at: 5_000, scrape: 3 };
    const store = await migrated(
      t,
      withRows(schema1, {
        records: [row({ ...whole, absent })],
        'records.by_target': [seenRow('whole', 2)],
        history: [[8, { ...missing, kind: 'missing', fields: {} }]],
        'history.by_record': [[['shop', 'item', 'whole', 8], 1]],
      }),
    );
    assert.deepEqual(known(store, 'whole').absent, { ...absent, scrape: 3 });
  });

  test('has what was left out when it was brought to schema 2 before, and read from then on', async (t) => {
    const old = { ...shownB, url: 'https://shop.test/kept', updatedAt: 8_000, lastScrape: null };
    const store = await migrated(
      t,
      withRows(schema1, {
        meta: [['schema', 2]],
        records: [row(old)],
        'records.by_target': [seenRow('b', { last: 6 })],
      }),
    );
    const { id, url, updatedAt, sequence, lastScrape } = known(store, 'b');
    assert.match(id, /^id /);
    assert.deepEqual([url, updatedAt, lastScrape], ['https://shop.test/kept', 8_000, 6]);
    assert.ok(sequence > known(store, 'a').sequence);
    assert.deepEqual(seenBy(store, 1, 'b'), { first: 1, last: 6 });
  });

  test('is brought up to date also when it has reached its limit, so that it can be trimmed', async (t) => {
    const path = temporaryFolder(t);
    await writeEnvironment(path, schema1);
    const { store } = await temporaryStore(t, { path, limitBytes: 50_000 });
    assert.equal(store.meta.schema(), 3);
    await assert.rejects(
      store.write(() => undefined),
      { name: 'StoreFullError' },
    );
  });

  test('has crawls that say nothing of the links that they began with counted as without, and their guard anew', async (t) => {
    const store = await migrated(
      t,
      withRows(schema1, { crawls: [[[1, 1], { target: 1, crawl: 1, pages: 4, guard: { pages: 4, templates: [] } }]] }),
    );
    assert.equal(store.crawls.get(1, 1)?.startLinks, 0);
    assert.equal(store.crawls.get(1, 1)?.guard, undefined);
  });
});

const shownB = { source: 'shop', type: 'item', key: 'b', target: 1, firstSeenAt: 2_000, fields: {} };

function row(record: Readonly<Record<string, unknown>>): Rows[string][number] {
  return [['shop', 'item', String(record['key'])], record];
}

function seenRow(key: string, value: unknown): Rows[string][number] {
  return [[1, 'shop', 'item', key], value];
}

/** Rows of one store with those of another over them. */
function withRows(under: Rows, over: Rows): Rows {
  const names = new Set([...Object.keys(under), ...Object.keys(over)]);
  return Object.fromEntries(Array.from(names, (name) => [name, [...(under[name] ?? []), ...(over[name] ?? [])]]));
}
