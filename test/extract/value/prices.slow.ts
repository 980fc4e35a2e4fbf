import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { readValue, type ReadValue } from '../../../src/extract/value/all.ts';
import type { MoneyOptions } from '../../../src/extract/value/money.ts';

const folder = join(import.meta.dirname, '..', '..', 'fixtures', 'prices');

async function table(name: string): Promise<Record<string, string>[]> {
  return parse(await readFile(join(folder, name), 'utf8'), { columns: true });
}

/**
 * What a definition reads of a text, from the one that says least: nothing, its currency, and that the first of several prices is
 * meant, as the table has it. Money has a currency always: where the table has none, the euro stands for any.
 */
function readings(text: string, currency: string, decimal: string): ReadValue[] {
  const mark: MoneyOptions = decimal === '.' || decimal === ',' ? { decimal } : {};
  const declared: MoneyOptions = { ...mark, currency: currency === '' ? 'EUR' : currency };
  const definitions = currency === 'none' ? [mark] : [mark, declared, { ...declared, pick: 'first' as const }];
  return definitions.map((options) => readValue(text, { type: 'money', ...options }, ''));
}

test('of a public table of prices at least nine in ten are read, none wrongly, and the others are known', async (t) => {
  const rows = await table('price-parser.csv');
  const refused = new Map<string, string>();
  let [right, priced, readPrices] = [0, 0, 0];
  for (const { text = '', amount = '', currency = '', decimal = '' } of rows) {
    const results = readings(text, currency, decimal);
    const read = results.flatMap((result) => (result.ok && result.value !== null ? [result.value] : []));
    for (const value of read) {
      assert.ok(typeof value === 'object' && 'amount' in value && amount !== '', `${text}: ${JSON.stringify(value)}`);
      assert.equal(Number(value.amount), Number(amount), text);
      if (currency !== '') assert.equal(value.currency, currency, text);
    }
    priced += Number(amount !== '');
    readPrices += Number(amount !== '' && read.length > 0);
    const last = results.at(-1);
    if (read.length > 0 === (amount !== '')) right += 1;
    else refused.set(text, last?.ok === false ? last.expected : '');
  }
  t.diagnostic(
    `${readPrices} of ${priced} prices read, none wrongly; ${rows.length - priced} texts have no price, and none is read`,
  );
  assert.ok(right >= rows.length * 0.9, `${right} of ${rows.length}`);
  assert.ok(readPrices >= priced * 0.9, `${readPrices} of ${priced}`);
  const known = await table('refused.csv');
  assert.deepEqual(
    Array.from(refused, ([text, told]) => ({ text, told })),
    known,
  );
});
