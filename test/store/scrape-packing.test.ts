import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ScrapeRow } from '../../src/store/tables/rows.ts';
import { scrapePacking } from '../../src/store/tables/scrape-packing.ts';

test('a packed scrape keeps the reason of its end, be it empty, short, long or missing', () => {
  const texts = [''];
  const words = {
    numberOf: (text: string) => (text === '' ? 0 : texts.push(text) - 1),
    textOf: (number: number) => texts[number] ?? '',
  };
  const { pack, unpack } = scrapePacking(words, () => undefined);
  const row: ScrapeRow = {
    ...{ scrape: 1, target: 1, source: 'shop', reason: 'due', version: 'v1', status: 'failed', epoch: 1 },
    ...{ startedAt: 1_000, steps: 1, bytes: 1, counts: { added: 0, changed: 0, confirmed: 0 } },
  };
  const rows = [row, ...['', 'timeout', 'long '.repeat(20)].map((endReason) => ({ ...row, endReason }))];
  for (const each of rows) assert.deepEqual(unpack(pack(each, 1), 1), each);
});
