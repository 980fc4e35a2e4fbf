import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Baseline, dayMs, emptyBaseline } from '../../src/health/baseline.ts';
import { type EndedRun, healthySymptoms, judgeRun } from '../../src/health/judge-run.ts';
import { accepted, learned } from '../../src/health/learn.ts';
import { pageTally, type ReadRecord, requestTally, scrapeTally } from '../../src/health/page-tally.ts';
import { judgeProvisionally } from '../../src/health/provisional.ts';
import { isRoundOver, isSmall, type Round, withScrape } from '../../src/health/round.ts';
import { lostFields, type Streaks, withReading } from '../../src/health/streaks.ts';
import { emptyTally, type RunTally, sumOfTallies } from '../../src/health/tally.ts';
import { symptomId } from '../../src/view/symptom.ts';

const startAt = Date.UTC(2026, 2, 2, 9);
const day = (number: number): number => startAt + number * dayMs;
const version = 'v1';

/** A list of products that a scrape has read, of which so many have a price; all were known, as were some that it did not find. */
function listed(count: number, { priced = count, missing = 0 } = {}): RunTally {
  const records = Array.from({ length: count }, (_, at): ReadRecord => {
    const before = { title: `Kettle ${at}`, price: at + 1 };
    return {
      draft: { type: 'product', fields: at < priced ? before : { title: before.title } },
      before,
      change: 'confirmed',
    };
  });
  const absent = priced === 0 ? ['product.price'] : [];
  const page = pageTally({ records, absent, unparsed: [], items: count, refused: 0 });
  const read = sumOfTallies(requestTally({ status: 200, bytes: 40_000, elapsedMs: 300 }), page);
  return scrapeTally(read, { product: { expected: count + missing, missing } });
}

const ended = (tally: RunTally, number: number, more: Partial<EndedRun> = {}): EndedRun => ({
  ...{ at: day(number), version, tally, scope: 'whole', types: ['product'] },
  ...more,
});

function after(tallies: readonly RunTally[]): Baseline {
  return tallies.reduce<Baseline>((before, tally, number) => {
    const { baseline, run, judgement } = judgeRun(before, ended(tally, number));
    return learned(baseline, run, judgement);
  }, emptyBaseline({ version }));
}

function found(before: Baseline | undefined, run: EndedRun): string[] {
  return judgeRun(before, run).judgement.symptoms.map(symptomId);
}

describe('a run without records', () => {
  test('is unusual before there is a baseline, and names its type', () => {
    const { symptoms } = judgeRun(undefined, ended(scrapeTally(emptyTally), 0)).judgement;
    assert.deepEqual(symptoms, [
      { kind: 'records', record: 'product', measure: 'records', observed: 0, expected: { low: 1 } },
    ]);
  });

  test('is unusual where 20 were known, and says so', () => {
    const none = scrapeTally(emptyTally, { product: { expected: 20, missing: 20 } });
    const { symptoms } = judgeRun(after([listed(20)]), ended(none, 1)).judgement;
    assert.deepEqual(symptoms.map(symptomId), ['records product', 'missing product']);
    assert.deepEqual(symptoms[0]?.expected, { low: 1, median: 20 });
  });

  test('is usual where a person has accepted that', () => {
    const { baseline, run, judgement } = judgeRun(
      undefined,
      ended(scrapeTally(emptyTally, { product: { expected: 0, missing: 0 } }), 0),
    );
    const next = accepted(baseline, run, judgement.symptoms.map(symptomId));
    assert.deepEqual(found(next, ended(scrapeTally(emptyTally), 1)), []);
  });

  test('is usual for a part of a target, and where windows may be empty', () => {
    const none = scrapeTally(emptyTally);
    assert.deepEqual(found(undefined, ended(none, 0, { scope: 'part' })), []);
    assert.deepEqual(found(undefined, ended(none, 0, { mayBeEmpty: true })), []);
  });

  test('of one of its types is unusual only if several were known', () => {
    const whole = (expected: number): RunTally => {
      const { types, ...tally } = listed(20);
      return scrapeTally({ ...tally, types }, { review: { expected, missing: expected } });
    };
    const types = ['product', 'review'];
    assert.deepEqual(found(undefined, ended(whole(5), 0, { types })), ['records review']);
    assert.deepEqual(found(undefined, ended(whole(4), 0, { types })), []);
    assert.deepEqual(found(undefined, ended(whole(0), 0, { types })), []);
  });
});

test('a crawl that was aborted as a loop is unusual', () =>
  assert.deepEqual(found(undefined, ended(listed(20), 0, { isLoop: true })), ['loop']));

test('a run that loses the price of half of its records names the price, by hard rules and by the baseline', () => {
  const usual = Array.from({ length: 6 }, () => listed(40));
  assert.deepEqual(found(undefined, ended(listed(40, { priced: 20 }), 0)), ['field product price']);
  assert.deepEqual(found(after(usual), ended(listed(40, { priced: 30 }), 6)), ['field product price']);
  assert.deepEqual(found(after(usual), ended(listed(40), 6)), []);
});

test('a run that misses a fifth of the known records names them, and is healthy in all else', () => {
  const before = after(Array.from({ length: 6 }, () => listed(100)));
  const { run, judgement } = judgeRun(before, ended(listed(82, { missing: 18 }), 6));
  assert.deepEqual(judgement.symptoms.map(symptomId), ['records product', 'missing product']);
  const healthy = healthySymptoms(run.measures, judgement.symptoms);
  assert.ok(healthy.has('field product price') && healthy.has('values product title') && !healthy.has('status'));
  assert.ok(!healthy.has('records product') && !healthy.has('missing product'));
});

test('an unmet expectation of the definition is a symptom, and keeps its run out of the baseline', () => {
  const expectations = [
    { record: 'product', text: 'records > 100', unique: [], check: () => ({ holds: false, observed: 20 }) },
  ];
  const { baseline, run, judgement } = judgeRun(undefined, ended(listed(20), 0, { expectations }));
  assert.deepEqual(judgement.symptoms.map(symptomId), ['rule product records > 100']);
  assert.deepEqual(learned(baseline, run, judgement).entries, []);
});

describe('a crawl under way', () => {
  const before = after(Array.from({ length: 6 }, () => listed(200)));
  const provisional = (tally: RunTally): string[] => judgeProvisionally(before, tally, day(6)).map(symptomId);

  test('is unusual once eight records have lost a field', () => {
    assert.deepEqual(provisional(listed(7, { priced: 0 })), []);
    assert.deepEqual(provisional(listed(8, { priced: 0 })), ['field product price']);
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

describe('a round', () => {
  const scrape = { tally: listed(1), at: startAt };
  const rounds = (targets: readonly number[]): Round | undefined =>
    targets.reduce<Round | undefined>((round, target) => withScrape(round, target, scrape), undefined);

  test('is over once each small target was scraped', () => {
    const [two, three] = [rounds([1, 2, 1]), rounds([1, 2, 1, 3])];
    assert.ok(two && !isRoundOver(two, { targets: 3, at: startAt }));
    assert.ok(three && isRoundOver(three, { targets: 3, at: startAt }));
    assert.equal(three.tally.types['product']?.records, 4);
  });

  test('is over after 200 scrapes, and after a day', () => {
    const many = rounds(Array.from({ length: 200 }, (_, target) => target));
    const one = rounds([1]);
    assert.ok(many && isRoundOver(many, { targets: 5_000, at: startAt }));
    assert.ok(one && !isRoundOver(one, { targets: 5_000, at: startAt + dayMs - 1 }));
    assert.ok(isRoundOver(one, { targets: 5_000, at: startAt + dayMs }));
  });

  test('has what many pages of a record each lost', () => {
    const round = (priced: number): RunTally =>
      Array.from({ length: 60 }, (_, target) => listed(1, { priced: target < priced ? 1 : 0 })).reduce(sumOfTallies);
    const before = Array.from({ length: 6 }, () => round(60)).reduce<Baseline>((last, tally, number) => {
      const judged = judgeRun(last, ended(tally, number, { scope: 'round' }));
      assert.deepEqual(judged.judgement.symptoms, []);
      return learned(judged.baseline, judged.run, judged.judgement);
    }, emptyBaseline({ version }));
    assert.deepEqual(found(before, ended(round(45), 6, { scope: 'round' })), ['field product price']);
    assert.deepEqual(found(before, ended(round(59), 6, { scope: 'round' })), []);
  });

  test('has the targets with fewer than ten records', () => assert.deepEqual([9, 10].map(isSmall), [true, false]));
});

describe('a page with one record', () => {
  const read = (streaks: Streaks, ...priced: readonly number[]): Streaks =>
    priced.reduce((before, count) => withReading(before, listed(1, { priced: count })), streaks);
  const lost = (streaks: Streaks, priced = 0): string[] => lostFields(streaks, listed(1, { priced })).map(symptomId);

  test('has lost a field that its last three readings had', () => {
    assert.deepEqual(lost(read({}, 1, 1, 1)), ['field product price']);
    assert.deepEqual(lost(read({}, 1, 1, 1), 1), []);
    assert.deepEqual(lost(read({}, 1, 1)), []);
    assert.deepEqual(lost(read({}, 1, 1, 0, 1, 1)), []);
  });

  test('has lost it until it has it again', () => {
    const streaks = read({}, 1, 1, 1, 0, 0);
    assert.deepEqual(lost(streaks), ['field product price']);
    assert.deepEqual(lost(read(streaks, 1), 1), []);
  });
});
