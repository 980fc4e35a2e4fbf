import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { exportingDaemon } from '../export/exporting.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'export.md'), 'utf8');

test('the examples of docs/export.md do what it says', async (t) => {
  const { see, folder, ...daemon } = await exportingDaemon(t, { title: 'text', price: 'money', at: 'datetime' });
  const seen = (key: string, title: string, amount: string) =>
    see([{ type: 'item', key, fields: { title, price: { amount, currency: 'EUR' }, at: '2026-03-14T11:00:00.000Z' } }]);
  await seen('a', '=1+1', '5.00');
  await seen('b', '', '6.00');
  const commands = Array.from(page.matchAll(/^heronry export (\w+.*?)(?: +#.*)?$/gm), ([, words = '']) => words).filter(
    (words) => !words.includes('s3://'),
  );
  assert.equal(commands.length, 6);
  for (const [index, words] of commands.entries()) {
    if (index === commands.length - 1) await seen('a', 'new', '4.00');
    const { status, err } = await daemon.export(...words.split(' ').map((word) => word.replaceAll('"', '')));
    assert.deepEqual([status, err], [0, ''], words);
  }

  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  t.after(() => {
    connection.closeSync();
    instance.closeSync();
  });
  const queries = Array.from(page.matchAll(/^```sql\n(.+?)```$/gms), ([, sql = '']) => sql);
  const found = [];
  for (const sql of queries) {
    const placed = sql.replaceAll(/'(out|cheap)\//g, `'${folder}/$1/`);
    found.push((await connection.runAndReadAll(placed)).getRowObjectsJson());
  }
  const [all = [], newest = [], changes = [], texts = []] = found;
  const prices = ({ _key, key = _key, price }: Readonly<Record<string, unknown>>) => JSON.stringify([key, price]);
  assert.deepEqual(all.map(prices).toSorted(), ['["a","4.0000"]', '["a","5.0000"]', '["b","6.0000"]']);
  assert.deepEqual(newest.map(prices).toSorted(), ['["a","4.0000"]', '["b","6.0000"]']);
  assert.deepEqual(changes.map(prices).toSorted(), ['["a","5.00"]', '["b","6.00"]']);
  assert.deepEqual(new Set(texts.map(({ title }) => title)), new Set(['', '=1+1']));
});
