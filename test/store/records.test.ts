import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Value } from '../../src/extract/value/value.ts';
import { openEnvironment } from '../../src/store/lmdb/environment.ts';
import { recordTable } from '../../src/store/tables/records.ts';
import { temporaryFolder } from './fixture.ts';

const instant = fc.integer({ min: 1, max: 4 });
const value = fc.constantFrom<Value>(null, false, 0, 'x', ['x', 1], { amount: '1.00', currency: 'EUR' });
const cell = fc.record({ value, observedAt: instant, verifiedAt: instant });
const names = fc.constantFrom('title', 'price', '7', '__proto__', 'toString', 'times');

test('a record is read as it was stored, whenever its fields were seen and whatever they are called', async (t) => {
  const environment = openEnvironment({ path: temporaryFolder(t) });
  t.after(() => environment.close());
  const records = recordTable(environment);
  const name = { source: 'shop', type: 'item', key: 'a' };
  const first = { ...name, target: 1, id: 'id', url: 'https://shop.test/', fields: {} };
  const { record: number } = await environment.commit(() =>
    records.add({ ...first, firstSeenAt: 1, updatedAt: 1, lastScrape: 1, sequence: 9 }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(names, cell),
      instant,
      instant,
      fc.option(fc.constant({ since: 3, times: 1, scrape: 2 }), { nil: undefined }),
      async (cells, firstSeenAt, updatedAt, absent) => {
        const seen = { firstSeenAt, updatedAt, lastScrape: 1, sequence: 9 };
        const fields = Object.fromEntries(Object.entries(cells).map(([field, each]) => [field, { ...each }]));
        const row = { record: number, ...name, target: 1, id: 'id', url: 'https://shop.test/a', ...seen, fields };
        const record = absent === undefined ? row : { ...row, absent };
        const asStored: unknown = JSON.parse(JSON.stringify(record));
        await environment.commit(() => records.put(record, { target: 1, scrape: 1 }));
        assert.deepEqual(records.get('shop', 'item', 'a'), asStored);
        assert.deepEqual([...records.ofTarget(1)], [asStored]);
        assert.deepEqual([...records.rows()], [asStored]);
        assert.deepEqual(JSON.parse(JSON.stringify(record)), asStored);
      },
    ),
  );
});
