import assert from 'node:assert/strict';
import { before, describe, test, type TestContext } from 'node:test';
import type { Value } from '../../../src/extract/value/value.ts';
import type { DeclaredType, Message, SinkPorts } from '../../../src/publish/sink.ts';
import type { CorrectionSlice } from '../../../src/view/correction.ts';
import type { RecordView } from '../../../src/view/record.ts';
import { suiteEnd } from '../../support/servers/own-server.ts';
import { noPostgresql, openDatabase, postgresqlUrl } from '../../support/servers/postgresql.ts';
import { openedSink, recordMessage, sinkSuite } from '../sink-suite.ts';

const never = new AbortController().signal;
const day = 86_400_000;
const start = Date.UTC(2026, 2, 1);

/** A store of a test: records as they are, and the messages that tell of their changes. */
class Records {
  readonly #rows = new Map<string, RecordView>();
  #number = 0;
  at = start;

  /** What a re-extraction has corrected; missing while it is being applied. */
  corrected: CorrectionSlice['rows'] | undefined;

  /** The fields that the record of each event had after it. */
  readonly #after = new Map<number, Readonly<Record<string, Value>>>();

  readonly ports: Pick<SinkPorts, 'record' | 'fieldsAfter' | 'recordType' | 'seenIn' | 'correctedBy'> = {
    fieldsAfter: (_record, event) => this.#after.get(event) ?? {},
    record: ({ source, type, key }) => this.#rows.get(`${source}/${type}/${key}`),
    recordType: ({ source }) => this.types[source],
    seenIn: ({ scrape }) => ({ rows: [...this.#rows.values()].filter(({ lastScrape }) => lastScrape === scrape) }),
    correctedBy: () => this.corrected && { rows: this.corrected },
  };
  types: Record<string, DeclaredType> = {};

  /** Sees a record a day after what was seen before, and tells it. */
  see(
    key: string,
    fields: Readonly<Record<string, Value>>,
    { source = 'shop', type = 'product', scrape = 1 } = {},
  ): Message {
    this.at += day;
    const of = `${source}/${type}/${key}`;
    const known = this.#rows.get(of);
    const cells = Object.entries(fields).map(
      ([name, value]) => [name, { value, observedAt: this.at, verifiedAt: this.at }] as const,
    );
    this.#rows.set(of, {
      record: this.#rows.size + 1,
      source,
      type,
      key,
      target: 1,
      id: known?.id ?? `id-${of}`,
      url: `https://${source}.example/page/${this.at}`,
      firstSeenAt: known?.firstSeenAt ?? this.at,
      updatedAt: this.at,
      sequence: 1,
      lastScrape: scrape,
      fields: { ...known?.fields, ...Object.fromEntries(cells) },
    });
    const told = known === undefined ? 'record.added' : 'record.changed';
    return this.#message(key, { source, type: told }, fields, { type });
  }

  /** Tells that a record is away or removed. */
  lose(key: string, type: 'record.missing' | 'record.gone' | 'record.removed'): Message {
    this.at += day;
    const of = `shop/product/${key}`;
    const known = this.#rows.get(of);
    if (type === 'record.removed') this.#rows.delete(of);
    else if (known !== undefined)
      this.#rows.set(of, { ...known, absent: { since: this.at, times: type === 'record.gone' ? 2 : 1, scrape: 1 } });
    return this.#message(key, { source: 'shop', type });
  }

  /** Sees records as they were, and tells the end of their scrape. */
  confirm(scrape: number, ...keys: readonly string[]): Message {
    this.at += day;
    for (const key of keys) {
      const known = this.#rows.get(`shop/product/${key}`);
      if (known !== undefined)
        this.#rows.set(`shop/product/${key}`, { ...known, updatedAt: this.at, lastScrape: scrape });
    }
    const counts = { added: 0, changed: 0, confirmed: keys.length };
    return {
      ...this.#message('', { source: 'shop', type: 'scrape.completed' }, {}, { counts }, scrape),
      key: 'target/1',
    };
  }

  /** Tells of a re-extraction. */
  reextract(): Message {
    this.at += day;
    const data = { job: 1, version: 'v2', records: 1, changes: 1, present: 1 };
    return { ...this.#message('', { source: 'shop', type: 'reextraction.applied' }, {}, data), key: 'source/shop' };
  }

  /** Corrects the present title of a record; its history is corrected by `spans`. */
  correct(key: string, title: string, spans: Readonly<Record<number, { value: string; until?: number }>>): void {
    const of = `shop/product/${key}`;
    const known = this.#rows.get(of) ?? assert.fail('no record');
    const cell = { value: title, observedAt: this.at, verifiedAt: this.at };
    const record = { ...known, fields: { ...known.fields, title: cell } };
    this.#rows.set(of, record);
    const corrections = Object.entries(spans).map(([at, span]) => ({
      record,
      at: Number(at),
      fields: { title: span },
    }));
    this.corrected = [...(this.corrected ?? []), ...corrections];
  }

  #message(
    key: string,
    { source, type }: { readonly source: string; readonly type: string },
    fields?: Readonly<Record<string, Value>>,
    data?: object,
    scrape = 1,
  ): Message {
    this.#number += 1;
    const then = Object.entries(this.#rows.get(`${source}/product/${key}`)?.fields ?? {});
    this.#after.set(this.#number, Object.fromEntries(then.map(([name, { value }]) => [name, value])));
    const changes = Object.fromEntries(Object.entries(fields ?? {}).map(([name, value]) => [name, { new: value }]));
    const event = {
      ...{ id: this.#number, version: 1, at: this.at, projects: [], source, target: 1, scrape, type },
      data: { type: 'product', key, ...(fields !== undefined && { fields: changes }), ...data },
    };
    // As the daemon makes them; the payloads of all types do not matter here.
    const typed = event as unknown as NonNullable<Message['event']>;
    return {
      id: `gen-${this.#number}`,
      key: `${source}/${event.data.type}/${key}`,
      type,
      at: this.at,
      event: typed,
      body: event,
    };
  }
}

const declared: DeclaredType = {
  fields: { sku: 'text', title: 'text', price: 'money', stock: 'integer', tags: 'array of text' },
};

describe('with a database', { skip: noPostgresql, timeout: 60_000 }, () => {
  const end = suiteEnd();
  let server: string;
  before(async () => {
    server = await postgresqlUrl(end);
  });

  async function openWarehouse(t: TestContext, options: object = {}, records = new Records()) {
    records.types = { shop: declared, ...records.types };
    const database = await openDatabase(t, server);
    const receiver = { options: { url: database.url, ...options }, arrived: () => [], ports: records.ports };
    const sink = await openedSink(t, 'postgres', receiver);
    const write = async (...messages: readonly Message[]) => {
      for (const message of messages) assert.deepEqual(await sink.deliver([message], never), [{ ok: true }]);
    };
    return { ...database, sink, records, write };
  }

  sinkSuite('postgres', {
    badOptions: [
      { url: 'mysql://db.example/x' },
      { url: 'postgres://heronry:hunter22@db.example/x' },
      { url: 'postgres://db.example/x', schema: 'none' },
    ],
    async receiver(t) {
      const database = await openDatabase(t, server);
      const records = new Records();
      const record: SinkPorts['record'] = ({ key }) => {
        records.see(key, {});
        return records.ports.record({ source: 'shop', type: 'product', key });
      };
      return {
        options: { url: database.url, password: 'DB_PASSWORD' },
        secrets: { DB_PASSWORD: 'any-password' },
        arrived: () => database.rows('select 1 as body from shop_product') as Promise<{ readonly body: unknown }[]>,
        async refuse(on) {
          if (on) await database.client.query('create view shop_product as select 1 as "_key"');
          else await database.client.query('drop view shop_product');
        },
        ports: { record },
      };
    },
  });

  test('a record is one row, which keeps its id and its first instant, and moves on with each change [O20, O21, O22, O23, O24]', async (t) => {
    const { rows, records, write } = await openWarehouse(t);
    await write(records.see('A', { sku: 'A', title: 'Bag' }));
    const [first] = await rows('select * from shop_product');
    await write(records.see('A', { title: 'Blue bag' }));
    const [second, ...others] = await rows('select * from shop_product');
    assert.deepEqual(others, []);
    assert.equal(first?.['meta_id'], 'id-shop/product/A');
    assert.deepEqual([second?.['meta_id'], second?.['meta_created']], [first?.['meta_id'], first?.['meta_created']]);
    assert.equal(second?.['meta_source'], `https://shop.example/page/${start + 2 * day}`);
    assert.deepEqual(
      [first?.['meta_updated'], second?.['meta_updated']],
      [new Date(start + day), new Date(start + 2 * day)],
    );
    assert.deepEqual([second?.['sku'], second?.['title']], ['A', 'Blue bag']);
  });

  test('a field that is absent keeps its value, one that is null loses it [O25]', async (t) => {
    const { rows, records, write } = await openWarehouse(t);
    await write(records.see('A', { title: 'Bag', stock: 3 }), records.see('A', { title: null }));
    assert.deepEqual(await rows('select title, stock::int from shop_product'), [{ title: null, stock: 3 }]);
  });

  test('values have the types of their fields, exactly', async (t) => {
    const { rows, records, write } = await openWarehouse(t);
    const price = { amount: '1234567890123456789.10', currency: 'EUR' };
    await write(
      records.see('A', {
        title: `'); drop table shop_product; -- "`,
        price,
        stock: 9_007_199_254_740_991,
        tags: ['a', '"'],
      }),
    );
    assert.deepEqual(
      await rows(
        'select title, price_amount::text, price_currency, stock::text, tags, pg_typeof(price_amount)::text as type from shop_product',
      ),
      [
        {
          title: `'); drop table shop_product; -- "`,
          price_amount: '1234567890123456789.10',
          price_currency: 'EUR',
          stock: '9007199254740991',
          tags: ['a', '"'],
          type: 'numeric',
        },
      ],
    );
  });

  test('records that a scrape saw as they were have the instant of the sighting, and nothing else moves [O24]', async (t) => {
    const { rows, records, write } = await openWarehouse(t);
    await write(records.see('A', { title: 'Bag' }), records.see('B', { title: 'Box' }), records.confirm(2, 'A'));
    assert.deepEqual(await rows('select _key, title, meta_updated, meta_created from shop_product order by _key'), [
      { _key: 'A', title: 'Bag', meta_updated: new Date(start + 3 * day), meta_created: new Date(start + day) },
      { _key: 'B', title: 'Box', meta_updated: new Date(start + 2 * day), meta_created: new Date(start + 2 * day) },
    ]);
  });

  test('a record that is gone or removed is marked, one that is missing is not, and one that is back is not either', async (t) => {
    const { rows, records, write } = await openWarehouse(t);
    const isDeleted = async () => (await rows('select _deleted from shop_product'))[0]?.['_deleted'];
    await write(records.see('A', { title: 'Bag' }), records.lose('A', 'record.missing'));
    assert.equal(await isDeleted(), false);
    await write(records.lose('A', 'record.gone'));
    assert.equal(await isDeleted(), true);
    await write(records.see('A', { title: 'Bag' }));
    assert.equal(await isDeleted(), false);
    await write(records.lose('A', 'record.removed'));
    assert.equal(await isDeleted(), true);
  });

  test('records of all sources that are of a shared type are in one table', async (t) => {
    const records = new Records();
    records.types = {
      shop: { ...declared, is: 'goods' },
      mart: { fields: { title: 'text', origin: 'text' }, is: 'goods' },
    };
    const { rows, write } = await openWarehouse(t, {}, records);
    records.types = {
      shop: { ...declared, is: 'goods' },
      mart: { fields: { title: 'text', origin: 'text' }, is: 'goods' },
    };
    await write(
      records.see('A', { title: 'Bag' }),
      records.see('A', { title: 'Sack', origin: 'IT' }, { source: 'mart' }),
    );
    assert.deepEqual(await rows('select _source, _key, title, origin from goods order by _source'), [
      { _source: 'mart', _key: 'A', title: 'Sack', origin: 'IT' },
      { _source: 'shop', _key: 'A', title: 'Bag', origin: null },
    ]);
  });

  test('records of two types of a source that are of one shared type are two rows, whatever their keys', async (t) => {
    const { rows, records, sink } = await openWarehouse(t, { history: true });
    records.types = { shop: { ...declared, is: 'goods' } };
    const batch = [records.see('A', { title: 'Bag' }), records.see('A', { title: 'Offer' }, { type: 'offer' })];
    assert.deepEqual(await sink.deliver(batch, never), [{ ok: true }, { ok: true }]);
    const expected = [
      { _type: 'offer', title: 'Offer' },
      { _type: 'product', title: 'Bag' },
    ];
    for (const table of ['goods', 'goods__history'])
      assert.deepEqual(await rows(`select _type, title from ${table} order by _type`), expected);
  });

  test('a row that is told twice in a batch is written all the same', async (t) => {
    const { rows, records, sink } = await openWarehouse(t);
    const batch = [records.see('A', { title: 'Bag' }), records.see('A', { title: 'Blue bag' })];
    assert.deepEqual(await sink.deliver(batch, never), [{ ok: true }, { ok: true }]);
    assert.deepEqual(await rows('select title from shop_product'), [{ title: 'Blue bag' }]);
  });

  test('two that write a new record at once leave one row [O26]', async (t) => {
    const first = await openWarehouse(t);
    const options = { url: first.url };
    const second = await openedSink(t, 'postgres', { options, arrived: () => [], ports: first.records.ports });
    const messages = Array.from({ length: 50 }, (_, index) => first.records.see(`K${index}`, { title: 'Bag' }));
    const results = await Promise.all([
      first.sink.deliver(messages, never),
      second.deliver(messages.toReversed(), never),
    ]);
    assert.ok(
      results.flat().every(({ ok }) => ok),
      JSON.stringify(results.flat().find(({ ok }) => !ok)),
    );
    assert.deepEqual(await first.rows('select count(*)::int as n from shop_product'), [{ n: 50 }]);
  });

  test('a new field gets a column, or with a strict schema a failure that names it until there is one [O27]', async (t) => {
    const { rows, records, write, sink, url, client } = await openWarehouse(t);
    await write(records.see('A', { title: 'Bag' }));
    records.types = { shop: { fields: { ...declared.fields, weight: 'number' } } };
    await write(records.see('A', { weight: 1.5 }));
    assert.deepEqual(await rows('select title, weight::text from shop_product'), [{ title: 'Bag', weight: '1.5' }]);
    await sink.close();

    const strict = await openedSink(t, 'postgres', {
      options: { url, schema: 'strict' },
      arrived: () => [],
      ports: records.ports,
    });
    records.types = { shop: { fields: { ...declared.fields, weight: 'number', color: 'text' } } };
    const message = records.see('A', { color: 'blue' });
    const [refused] = await strict.deliver([message], never);
    assert.deepEqual(refused, {
      ok: false,
      failure: {
        code: 'schema',
        message: 'the table "shop_product" has no column "color" text: expected it, as `schema: strict` adds none',
      },
    });
    await client.query('alter table shop_product add column color varchar(20)');
    assert.deepEqual(await strict.deliver([message], never), [{ ok: true }]);
    assert.deepEqual(await rows('select color from shop_product'), [{ color: 'blue' }]);
  });

  test('a row that cannot be written fails alone, for good, and the others of its batch are written [O18]', async (t) => {
    const { rows, records, sink, client } = await openWarehouse(t);
    await client.query('create table other (n int)');
    assert.deepEqual(await sink.deliver([records.see('A', { title: 'Bag' })], never), [{ ok: true }]);
    await client.query('alter table shop_product add check (title is distinct from $$bad$$)');
    const batch = ['good', 'bad', 'fine'].map((title) => records.see(title, { title }));
    const results = await sink.deliver(batch, never);
    assert.deepEqual(
      results.map((result) => (result.ok ? 'ok' : [result.failure.code, result.failure.isFinal])),
      ['ok', ['data', true], 'ok'],
    );
    assert.deepEqual(await rows('select _key from shop_product order by _key'), [
      { _key: 'A' },
      { _key: 'fine' },
      { _key: 'good' },
    ]);
  });

  test('with history, what a record said has the span in which it did, also when all is told again', async (t) => {
    const { rows, records, write } = await openWarehouse(t, { history: true });
    const messages = [
      records.see('A', { title: 'Bag', stock: 3 }),
      records.see('A', { stock: 2 }),
      records.lose('A', 'record.missing'),
      records.see('A', { title: 'Blue bag' }),
      records.lose('A', 'record.gone'),
    ];
    const spans = () =>
      rows('select title, stock::int, _deleted, valid_from, valid_to from shop_product__history order by valid_from');
    const at = (days: number) => new Date(start + days * day);
    const expected = [
      { title: 'Bag', stock: 3, _deleted: false, valid_from: at(1), valid_to: at(2) },
      { title: 'Bag', stock: 2, _deleted: false, valid_from: at(2), valid_to: at(4) },
      { title: 'Blue bag', stock: 2, _deleted: false, valid_from: at(4), valid_to: at(5) },
      { title: 'Blue bag', stock: 2, _deleted: true, valid_from: at(5), valid_to: null },
    ];
    await write(...messages);
    assert.deepEqual(await spans(), expected);
    await write(...messages);
    assert.deepEqual(await spans(), expected);
  });

  test('the history of a record begins with all that it said then, though its first event tells a part of it', async (t) => {
    const { rows, records, write } = await openWarehouse(t, { history: true });
    const before = [records.see('A', { title: 'Bag', stock: 3 }), records.see('B', { title: 'Box', stock: 1 })];
    const told = [
      records.see('A', { stock: 2 }),
      records.see('A', { title: 'Blue bag' }),
      records.lose('B', 'record.gone'),
    ];
    for (const messages of [told, told, [...before, ...told]]) {
      await write(...messages);
      const spans = await rows(
        'select _key, title, stock::int, _deleted from shop_product__history where valid_from > $1 order by valid_from',
        new Date(start + 2 * day),
      );
      assert.deepEqual(spans, [
        { _key: 'A', title: 'Bag', stock: 2, _deleted: false },
        { _key: 'A', title: 'Blue bag', stock: 2, _deleted: false },
        { _key: 'B', title: 'Box', stock: 1, _deleted: true },
      ]);
    }
  });

  test('what a re-extraction corrected is written into rows and spans that are there, once its job is applied', async (t) => {
    const { rows, records, write, sink } = await openWarehouse(t, { history: true });
    await write(
      records.see('A', { title: 'one', stock: 3 }),
      records.see('A', { stock: 2 }),
      records.see('A', { title: 'right', stock: 1 }),
      records.see('A', { stock: 0 }),
      records.see('B', { title: 'B' }),
    );
    const message = records.reextract();
    const [early] = await sink.deliver([message, records.see('C', { title: 'C' })], never);
    assert.ok(early?.ok === false && early.failure.isFinal === undefined);
    assert.match(early.failure.message, /still being applied/);

    records.see('unknown', { title: 'wrong' });
    const at = (days: number) => start + days * day;
    records.correct('A', 'now', {
      [at(0)]: { value: 'before all', until: at(1) },
      [at(1)]: { value: 'first', until: at(1) + 1_000 },
      [at(1) + 1_000]: { value: 'second', until: at(3) },
      [at(4)]: { value: 'now' },
    });
    records.correct('unknown', 'right', { [at(1)]: { value: 'right' } });
    for (let time = 0; time < 2; time += 1) {
      await write(message);
      assert.deepEqual(await rows('select _key, title, stock::int from shop_product order by _key'), [
        { _key: 'A', title: 'now', stock: 0 },
        { _key: 'B', title: 'B', stock: null },
        { _key: 'C', title: 'C', stock: null },
      ]);
      const spans = await rows(
        `select title, stock::int, valid_from, valid_to from shop_product__history where _key = 'A' order by valid_from`,
      );
      const span = (title: string, stock: number, from: number, to?: number) => ({
        ...{ title, stock, valid_from: new Date(from), valid_to: to === undefined ? null : new Date(to) },
      });
      assert.deepEqual(spans, [
        span('first', 3, at(1), at(1) + 1_000),
        span('second', 3, at(1) + 1_000, at(2)),
        span('second', 2, at(2), at(3)),
        span('right', 1, at(3), at(4)),
        span('now', 0, at(4)),
      ]);
    }
  });

  test('a sync begins the history of a record that has none, and adds nothing to one that has', async (t) => {
    const { rows, records, write } = await openWarehouse(t, { history: true });
    await write(records.see('A', { title: 'Bag' }));
    for (const key of ['A', 'B']) {
      const { event, ...message } = records.see(key, { title: 'Box' });
      assert.ok(event !== undefined);
      await write({ ...message, event: { ...event, type: 'record.synced' } as typeof event });
    }
    assert.deepEqual(await rows('select _key, title from shop_product__history order by _key'), [
      { _key: 'A', title: 'Bag' },
      { _key: 'B', title: 'Box' },
    ]);
  });

  test('a database that cannot be reached is a failure without its password, and takes what comes later', async (t) => {
    const { url, records, rows } = await openWarehouse(t);
    let port = '1';
    const secrets = () => ({ reveal: () => Object.assign(new URL(url), { port, password: 'hunter22' }).href });
    const findSecrets = async () => ({ ok: true as const, secrets: new Map([['WAREHOUSE', secrets()]]) });
    const options = { url: { secret: 'WAREHOUSE' } };
    const sink = await openedSink(t, 'postgres', {
      options,
      arrived: () => [],
      ports: { ...records.ports, findSecrets },
    });
    const message = records.see('A', { title: 'Bag' });
    const [down] = await sink.deliver([message], never);
    assert.ok(down?.ok === false);
    assert.deepEqual([down.failure.code, down.failure.isFinal], ['database', undefined]);
    assert.ok(!down.failure.message.includes('hunter22'));
    port = new URL(url).port;
    assert.deepEqual(await sink.deliver([message], never), [{ ok: true }]);
    assert.equal((await rows('select from shop_product')).length, 1);
  });

  test('what is not about records is left aside', async (t) => {
    const { sink } = await openWarehouse(t);
    const { event: _, ...message } = recordMessage(1);
    assert.deepEqual(await sink.deliver([{ ...message, type: 'project.added' }], never), [{ ok: true }]);
  });
});
