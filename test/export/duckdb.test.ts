import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import type { Value } from '../../src/extract/value/value.ts';
import { exportingDaemon } from './exporting.ts';

/** Fields of every type that a column can have, and lists and objects. */
const fields = {
  title: 'text',
  stock: 'integer',
  weight: 'number',
  price: 'money',
  live: 'boolean',
  day: 'date',
  at: 'datetime',
  more: 'json',
  tags: 'array',
} as const;

const plain = {
  id: 'plain',
  title: 'Solar',
  stock: 5,
  weight: 0.1,
  price: { amount: '12.99', currency: 'EUR', per: 'month', from: true },
  live: true,
  day: '2026-03-14',
  at: '2026-03-14T11:00:00.123Z',
  more: { a: [1, { b: null }] },
  tags: ['sun', 'bag'],
};
const empty = Object.fromEntries(Object.keys(plain).map((name) => [name, null]));

type Found = Readonly<Record<string, Value>> & { readonly id: string };

/** What sites may say, and what machines like to get wrong. */
const records: readonly Found[] = [
  plain,
  { ...empty, id: 'nothing' },
  { ...empty, id: 'empty', title: '', tags: [], more: {} },
  { ...plain, id: 'quoted, "twice"', title: 'a "quoted", text\nof two\r\nlines\t' },
  { ...plain, id: 'emoji', title: '🧀 日本 e\u0301 \u2028' },
  { ...plain, id: 'formula', title: '=HYPERLINK("http://127.0.0.1";"click")' },
  { ...plain, id: '@SUM(1)', title: '-2+3' },
  { ...plain, id: 'as if defused', title: "'=1" },
  { ...plain, id: '＝1', title: "'＠SUM(1)" },
  { ...plain, id: '-5', title: '+1.5', stock: -5, weight: -5e-324, price: { amount: '-0.01', currency: 'USD' } },
  { ...plain, id: 'great', stock: Number.MAX_SAFE_INTEGER, weight: 1.7976931348623157e308, title: '9007199254740993' },
  { ...plain, id: 'great money', price: { amount: '99999999999999.9999', currency: 'JPY' } },
  { ...plain, id: 'old', day: '0001-01-01', at: '1969-12-31T23:59:59.999Z', live: false },
  { ...plain, id: 'far', day: '9999-12-31', at: '9999-12-31T23:59:59.999Z' },
  { ...plain, id: 'text as json', more: '=1', tags: ['=1'] },
  { ...plain, id: 'number in a text as json', more: '-5' },
  { ...plain, id: 'number as json', more: -5 },
];

async function query(t: TestContext, sql: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  t.after(() => {
    connection.closeSync();
    instance.closeSync();
  });
  return (await connection.runAndReadAll(sql)).getRowObjectsJson();
}

/** The columns of a record, as texts that a database gives of them. */
function columnsOf({ id, price, ...record }: Found): Record<string, unknown> {
  const { amount, currency, ...terms } = Object(price ?? {}) as Record<string, Value>;
  const text = (value: Value | undefined): string | null =>
    value === null || value === undefined ? null : JSON.stringify(value);
  return {
    _key: id,
    id,
    title: record['title'],
    stock: record['stock'],
    weight: record['weight'],
    price: typeof amount === 'string' ? amount.replace(/\.\d\d$/, '$&00') : null,
    price_currency: currency ?? null,
    price_terms: Object.keys(terms).length > 0 ? JSON.stringify(terms) : null,
    live: record['live'],
    day: record['day'],
    at: typeof record['at'] === 'string' ? Date.parse(record['at']) : null,
    more: text(record['more']),
    tags: text(record['tags']),
  };
}

const select = `SELECT _key, id, title, stock::DOUBLE AS stock, weight, price::VARCHAR AS price, price_currency,
  price_terms::VARCHAR AS price_terms, live, day::VARCHAR AS day, epoch_ms("at")::DOUBLE AS "at", more::VARCHAR AS more, tags::VARCHAR AS tags`;

const key = (row: Readonly<Record<string, unknown>>): string => String(row['_key']);
const sorted = (rows: readonly Record<string, unknown>[]) => rows.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));

describe('what DuckDB reads of exported records', () => {
  test('of Parquet is what the store has, field by field, in columns of its types', async (t) => {
    const { see, folder, ...daemon } = await exportingDaemon(t, fields);
    await see(records.map((found) => ({ type: 'item', key: found.id, fields: found })));
    const { status, err } = await daemon.export('records', '--to', '.', '--format', 'parquet');
    assert.deepEqual([status, err], [0, '']);
    const from = `FROM '${folder}/records/shop.item/*.parquet'`;
    assert.deepEqual(sorted(await query(t, `${select} ${from}`)), sorted(records.map(columnsOf)));
    const types = await query(t, `DESCRIBE SELECT * ${from}`);
    assert.deepEqual(
      types.map(({ column_name: name, column_type: type }) => `${String(name)}: ${String(type)}`),
      [
        ...['_source', '_type', '_key'].map((name) => `${name}: VARCHAR`),
        '_record: BIGINT',
        '_url: VARCHAR',
        '_firstSeenAt: TIMESTAMP WITH TIME ZONE',
        '_updatedAt: TIMESTAMP WITH TIME ZONE',
        '_state: VARCHAR',
        'id: VARCHAR',
        'title: VARCHAR',
        'stock: BIGINT',
        'weight: DOUBLE',
        'price: DECIMAL(18,4)',
        'price_currency: VARCHAR',
        'price_terms: JSON',
        'live: BOOLEAN',
        'day: DATE',
        'at: TIMESTAMP WITH TIME ZONE',
        'more: JSON',
        'tags: JSON',
        '_more: JSON',
      ],
    );
  });

  test('of CSV is the same, once the sign before formulas is taken away', async (t) => {
    const { see, folder, ...daemon } = await exportingDaemon(t, fields);
    await see(records.map((found) => ({ type: 'item', key: found.id, fields: found })));
    assert.equal((await daemon.export('records', '--to', '.', '--format', 'csv')).status, 0);
    const types = `{ 'stock': 'BIGINT', 'weight': 'DOUBLE', 'price': 'DECIMAL(18,4)', 'live': 'BOOLEAN', 'day': 'DATE', 'at': 'TIMESTAMPTZ' }`;
    const read = `read_csv('${folder}/records/shop.item/*.csv', all_varchar = false, types = ${types}, auto_type_candidates = ['VARCHAR'], delim = ',', quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false, header = true, new_line = '\\r\\n')`;
    const bare = ['_key', 'id', 'title'].map(
      (name) => `regexp_replace(${name}, '^''(''*[-=+@＝＋－＠\\t\\r\\n])', '\\1') AS ${name}`,
    );
    const rows = await query(t, `${select} FROM (SELECT * REPLACE (${bare.join(', ')}) FROM ${read})`);
    assert.deepEqual(sorted(rows), sorted(records.map(columnsOf)));
  });

  test('of a field whose type has changed is one column: of text from where the old type could not hold a value, which is told', async (t) => {
    const { see, folder, ...daemon } = await exportingDaemon(t, { size: 'integer', price: 'money' });
    const money = (amount: string) => ({ amount, currency: 'EUR' });
    const seen = (key: string, size: Value, price: Value) => see([{ type: 'item', key, fields: { size, price } }]);
    await seen('a', 5, money('1.00'));
    await seen('b', 'large', money('0.000000000000000001'));
    const first = await daemon.export('records', '--to', '.', '--format', 'parquet');
    assert.equal(
      first.err,
      'records/shop.item: size has a value that its type cannot hold; its type is text from here on\n' +
        'records/shop.item: price has a value that its type cannot hold; its type is long decimal from here on\n',
    );
    await seen('c', 7, money('12345678901234567890.5'));
    const again = await daemon.export('records', '--to', '.', '--format', 'parquet');
    assert.equal(again.err, '');
    const rows = await query(
      t,
      `SELECT _key, size, price::VARCHAR AS price FROM read_parquet('${folder}/records/shop.item/*.parquet', union_by_name = true) ORDER BY _key`,
    );
    assert.deepEqual(rows, [
      { _key: 'a', size: '5', price: '1.000000000000000000' },
      { _key: 'b', size: 'large', price: '0.000000000000000001' },
      { _key: 'c', size: '7', price: '12345678901234567890.500000000000000000' },
    ]);
  });
});

describe('what DuckDB reads of exported logs', () => {
  const types: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    metrics: {
      ...{ project: 'VARCHAR', metric: 'VARCHAR', at: 'TIMESTAMP WITH TIME ZONE', value: 'JSON', reason: 'VARCHAR' },
      ...{ stale: 'VARCHAR', verifiedAt: 'TIMESTAMP WITH TIME ZONE' },
    },
    history: {
      ...{ id: 'VARCHAR', at: 'TIMESTAMP WITH TIME ZONE', source: 'VARCHAR', type: 'VARCHAR', key: 'VARCHAR' },
      ...{ record: 'BIGINT', kind: 'VARCHAR', serial: 'BIGINT', corrects: 'BIGINT', target: 'BIGINT' },
      ...{ scrape: 'BIGINT', page: 'VARCHAR', version: 'VARCHAR', fields: 'JSON' },
    },
    events: {
      ...{ id: 'VARCHAR', at: 'TIMESTAMP WITH TIME ZONE', type: 'VARCHAR', source: 'VARCHAR', target: 'BIGINT' },
      ...{ scrape: 'BIGINT', projects: 'JSON', data: 'JSON' },
    },
  };

  for (const [what, columns] of Object.entries(types))
    test(`of ${what} is the same of Parquet, CSV and NDJSON, in columns of its types`, async (t) => {
      const { store, see, correct, folder, ...daemon } = await exportingDaemon(t, fields);
      await see([{ type: 'item', key: 'a', fields: { title: '=1, "one"', price: plain.price, at: plain.at } }]);
      await see([{ type: 'item', key: 'a', fields: { title: null, price: null } }]);
      await correct(({ kind }) => `right ${kind}`);
      const values: readonly Value[] = [{ amount: '12.5000000001', currency: 'EUR' }, 0.1, plain.day, plain.at, null];
      for (const [index, value] of values.entries()) {
        const state = value === null ? { reason: { code: 'no_rate', message: 'none' }, stale: '=none' } : {};
        const row = { value, verifiedAt: 1_000 + index, ...state };
        await store.write((change) => {
          store.metrics.put('solar', 'roas', 2_000 + index, row);
          const { value: now, ...others } = row;
          change.tell({ type: 'metric.changed', projects: ['solar'], data: { metric: 'roas', new: now, ...others } });
        });
      }
      for (const format of ['ndjson', 'csv', 'parquet'])
        assert.equal((await daemon.export(what, '--to', format, '--format', format)).err, '', format);
      const parquet = `FROM '${folder}/parquet/${what}/*.parquet'`;
      const described = await query(t, `DESCRIBE SELECT * ${parquet}`);
      assert.deepEqual(
        Object.fromEntries(described.map(({ column_name: name, column_type: type }) => [name, type])),
        columns,
      );
      const typed = JSON.stringify(columns).replaceAll('"', "'");
      const csv = `FROM read_csv('${folder}/csv/${what}/*.csv', types = ${typed}, delim = ',', quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false, header = true, new_line = '\\r\\n')`;
      const undo = "regexp_replace(stale, '^''(''*[-=+@＝＋－＠\\t\\r\\n])', '\\1') AS stale";
      const all = what === 'metrics' ? `SELECT * REPLACE (${undo})` : 'SELECT *';
      const plainly = Object.entries(columns).map(([name, type]) => {
        const number =
          type === 'BIGINT' ? `"${name}"` : type === 'JSON' || type === 'VARCHAR' ? '' : `epoch_ms("${name}")`;
        return number === '' ? `"${name}"` : `${number}::DOUBLE AS "${name}"`;
      });
      const rows = await query(t, `SELECT ${plainly.join(', ')} ${parquet}`);
      assert.deepEqual(await query(t, `SELECT ${plainly.join(', ')} FROM (${all} ${csv})`), rows);
      const lines = readFileSync(join(folder, `ndjson/${what}/000001.ndjson`), 'utf8')
        .trimEnd()
        .split('\n');
      const cell = (value: Value | undefined, type: string | undefined): Value => {
        if (value === undefined || value === null) return null;
        if (type === 'JSON') return JSON.stringify(value);
        return typeof value === 'object' && 'code' in value ? (value.code ?? null) : value;
      };
      assert.deepEqual(
        rows,
        lines.map((line) => {
          const row = JSON.parse(line) as Readonly<Record<string, Value>>;
          return Object.fromEntries(Object.entries(columns).map(([name, type]) => [name, cell(row[name], type)]));
        }),
      );
    });
});
