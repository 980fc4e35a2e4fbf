import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { temporaryDirectory } from '../control/daemon.ts';
import { productSource } from '../support/daemon.ts';
import { run } from './terminal.ts';

describe('validate of rates', () => {
  const cases: readonly (readonly [what: string, rates: string, says: string])[] = [
    ['a table that there is not', 'file: none.csv', 'none.csv: no such file or directory'],
    [
      'a table without a column',
      'file: rates.csv',
      'rates.csv:1:1: expected the columns base, quote, day, rate in the first row, got no day',
    ],
    [
      'an empty table',
      'file: empty.csv',
      'empty.csv:1:1: expected the columns base, quote, day, rate in the first row',
    ],
    [
      'an unknown source',
      'source: shpo, of: product',
      'rates.source: no source "shpo" is defined; did you mean "shop"?',
    ],
    ['an unknown record', 'source: shop, of: rates', 'rates.of: expected a declared record (product), got "rates"'],
    [
      'a record without a field',
      'source: shop, of: product',
      'rates.of: expected records with the fields base, quote, day, rate, got "product" without base, quote, day, rate',
    ],
  ];
  for (const [what, rates, says] of cases)
    test(`finds ${what}`, async (t) => {
      const cwd = await temporaryDirectory(t);
      await mkdir(join(cwd, 'sources'));
      await writeFile(join(cwd, 'sources', 'shop.yaml'), productSource('shop'));
      await writeFile(join(cwd, 'heronry.yaml'), `rates: { ${rates} }\n`);
      await writeFile(join(cwd, 'rates.csv'), 'base,quote,date,rate\nEUR,USD,2026-03-14,1.1\n');
      await writeFile(join(cwd, 'empty.csv'), '');
      const { status, out } = await run(['validate'], { cwd });
      assert.equal(status, 2, out);
      assert.ok(out.includes(says), out);
    });
});
