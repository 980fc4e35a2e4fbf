import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson } from '../../src/extract/value/json-text.ts';
import type { Value } from '../../src/extract/value/value.ts';
import { historyPacking, type HistoryRow } from '../../src/store/tables/history-packing.ts';

const value: fc.Arbitrary<Value> = fc.oneof(
  fc.constantFrom<Value>(null, '', 0, [], [1], [1, 2], {}, { new: 1 }, { amount: '1.50', currency: 'EUR' }),
  fc.jsonValue() as fc.Arbitrary<Value>,
);

const field = fc.oneof(
  fc.record({ new: value }),
  fc.record({ old: value, new: value }),
  fc.record({ old: value, new: value, firstSeenAt: fc.nat() }),
);

const sight = fc.oneof(
  fc.record({ scrape: fc.nat() }),
  fc.record({ scrape: fc.constant(0), recheck: fc.constant(true as const) }),
);

const change = fc
  .tuple(
    sight,
    fc.record(
      {
        target: fc.integer({ min: 1 }),
        version: fc.constantFrom('', 'v1', 'v2'),
        kind: fc.constantFrom('added', 'changed', 'missing', 'gone'),
        fields: fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), field),
        page: fc.string({ minLength: 22, maxLength: 22 }),
        corrects: fc.integer({ min: 1 }),
      },
      { requiredKeys: ['target', 'version', 'kind', 'fields'] },
    ),
  )
  .map(([by, of]): HistoryRow => ({ ...of, ...by }));

test('a change is stored as a list and read as it was, whatever it says', () => {
  const texts = [''];
  const words = {
    numberOf: (text: string) => (texts.includes(text) ? texts.indexOf(text) : texts.push(text) - 1),
    textOf: (number: number) => texts[number] ?? assert.fail(),
  };
  const { pack, unpack } = historyPacking(words);
  fc.assert(
    fc.property(change, (row) => {
      const stored = JSON.stringify(pack(row, [1, 1, 1]));
      const read = unpack(JSON.parse(stored) as ReturnType<typeof pack>, [1, 1, 1]);
      assert.equal(canonicalJson(read), canonicalJson(row));
    }),
  );
});
