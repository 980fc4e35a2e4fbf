import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Baseline, dayMs, emptyBaseline } from '../../src/health/baseline.ts';
import { judge } from '../../src/health/judge.ts';
import { learned } from '../../src/health/learn.ts';
import { measuresOf } from '../../src/health/measures.ts';
import { pageTally, type ReadRecord, scrapeTally } from '../../src/health/page-tally.ts';
import { judgeProvisionally } from '../../src/health/provisional.ts';
import { type RunTally, sumOfTallies } from '../../src/health/tally.ts';
import { symptomId } from '../../src/view/symptom.ts';

const startAt = Date.UTC(2026, 2, 2, 9);
const day = (number: number): number => startAt + number * dayMs;
const version = 'v1';

/** A list of known products that a scrape has read, of which so many have a price. */
function listed(count: number, priced = count): RunTally {
  const records = Array.from({ length: count }, (_, at): ReadRecord => {
    const before = { title: `Kettle ${at}`, price: at + 1 };
    const fields = at < priced ? before : { title: before.title };
    return { draft: { type: 'product', fields }, before, change: 'confirmed' };
  });
  const absent = priced === 0 ? ['product.price'] : [];
  return pageTally({ records, absent, unparsed: [], items: count, refused: 0 });
}

function after(tallies: readonly RunTally[]): Baseline {
  return tallies.reduce<Baseline>((before, tally, number) => {
    const run = { at: day(number), version, measures: measuresOf(scrapeTally(tally), 'whole') };
    return learned(before, run, judge(before, run.measures, run.at));
  }, emptyBaseline({ version }));
}

describe('a crawl under way', () => {
  const before = after(Array.from({ length: 6 }, () => listed(200)));
  const provisional = (tally: RunTally): string[] => judgeProvisionally(() => before, tally, day(6)).map(symptomId);

  test('is unusual once eight records have lost a field', () => {
    assert.deepEqual(provisional(listed(7, 0)), []);
    assert.deepEqual(provisional(listed(8, 0)), ['field product price']);
  });

  test('is not for the few records that it has read so far', () => assert.deepEqual(provisional(listed(30)), []));

  test('is not where a section has no field that its known records never had', () => {
    const records = Array.from({ length: 30 }, (_, at): ReadRecord => {
      const fields = { title: `Book ${at}` };
      return { draft: { type: 'product', fields }, before: fields, change: 'confirmed' };
    });
    const tally = pageTally({ records, absent: ['product.price'], unparsed: [], items: 30, refused: 0 });
    assert.deepEqual(provisional(tally), ['field product price'], 'no record had it: by the fill of all');
    const others = sumOfTallies(tally, listed(10));
    assert.deepEqual(provisional(others), []);
  });
});
