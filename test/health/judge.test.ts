import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Baseline, dayMs, emptyBaseline, forVersion, type RuleDigests } from '../../src/health/baseline.ts';
import { judge } from '../../src/health/judge.ts';
import { accepted, learned } from '../../src/health/learn.ts';
import type { Measure } from '../../src/health/measure-kind.ts';
import { symptomId } from '../../src/view/symptom.ts';

const version = 'v1';
const startAt = Date.UTC(2026, 2, 2, 9);
const day = (number: number): number => startAt + number * dayMs;

const records = (value: number): Measure => ({ name: 'records', record: 'product', value });
const fill = (value: number, of = 1_000): Measure => ({ name: 'fill', record: 'product', field: 'price', value, of });
const lost = (value: number, of = 1_000): Measure => ({ name: 'lost', record: 'product', field: 'price', value, of });
const missing = (value: number, of = 1_000): Measure => ({ name: 'missing', record: 'product', value, of });
const pageBytes = (value: number): Measure => ({ name: 'page_bytes', value });

/** A baseline of runs a day apart, all of which are learnt as healthy ones. */
function after(runs: readonly (readonly Measure[])[], from = emptyBaseline({ version })): Baseline {
  const first = from.entries.length;
  return runs.reduce((baseline, measures, number) => {
    const run = { at: day(first + number), version, measures };
    return learned(baseline, run, judge(baseline, measures, run.at));
  }, from);
}

const around1000 = [1_000, 1_010, 990, 1_005, 995].map((count) => [records(count)]);

/** The identities of the symptoms of a run on the day after the others. */
function found(baseline: Baseline, measures: readonly Measure[], at = day(baseline.entries.length)): string[] {
  return judge(baseline, measures, at).symptoms.map(symptomId);
}

describe('with five healthy runs around 1,000 records', () => {
  const baseline = after(around1000);

  test('a run with 820 has too few', () => {
    const [symptom] = judge(baseline, [records(820)], day(5)).symptoms;
    assert.equal(symptom?.kind, 'records');
    assert.equal(symptom.observed, 820);
    assert.equal(symptom.expected?.median, 1_000);
    assert.ok((symptom.expected?.low ?? 0) > 820 && (symptom.expected?.low ?? 0) < 850);
  });

  test('a run with 850 has not', () => assert.deepEqual(found(baseline, [records(850)]), []));

  test('a run with 1,250 has too many', () => assert.deepEqual(found(baseline, [records(1_250)]), ['records product']));

  test('four healthy runs judge nothing', () =>
    assert.deepEqual(found(after(around1000.slice(1)), [records(500)]), []));

  test('a run with too few does not become usual', () => {
    const later = after(
      Array.from({ length: 8 }, () => [records(820)]),
      baseline,
    );
    assert.equal(later.entries.length, 5);
    assert.deepEqual(found(later, [records(820)]), ['records product']);
  });

  test('a run that a person accepts is the new normal', () => {
    const run = { at: day(5), version, measures: [records(820), fill(0.99)] };
    const later = after(
      Array.from({ length: 5 }, () => [records(820)]),
      accepted(baseline, run, ['records product']),
    );
    assert.deepEqual(found(later, [records(815)]), []);
    assert.deepEqual(found(later, [records(600)]), ['records product']);
  });
});

describe('a field', () => {
  const usual = Array.from({ length: 5 }, (_, number) => [fill(0.99 + 0.001 * (number % 2)), lost(0)]);

  test('that 0.99 of the records had and 0.90 have is unusual', () => {
    const [symptom] = judge(after(usual), [fill(0.9)], day(5)).symptoms;
    assert.equal(symptom?.kind, 'field');
    assert.equal(symptom.field, 'price');
    assert.equal(symptom.measure, 'fill');
    assert.equal(symptom.observed, 0.9);
    assert.equal(symptom.of, 1_000);
  });

  test('that 0.94 of them have is not', () => assert.deepEqual(found(after(usual), [fill(0.94)]), []));

  test('that nine of ten records have is usual, as chance does that', () =>
    assert.deepEqual(found(after(usual), [fill(0.9, 10)]), []));

  test('that has few records is not judged', () => assert.deepEqual(found(after(usual), [fill(0, 7)]), []));

  test('that half of the known records lost is unusual before there is a baseline', () => {
    const none = emptyBaseline({ version });
    assert.deepEqual(found(none, [fill(0.5), lost(0.5)]), ['field product price']);
    assert.deepEqual(found(none, [fill(0.5), lost(0.4)]), []);
    assert.deepEqual(found(none, [fill(0), lost(1, 7)]), []);
  });

  test('that many lose at the end of a sale is usual again as few had it before the sale', () => {
    const sale = [...Array.from({ length: 6 }, () => 0.1), ...Array.from({ length: 4 }, () => 0.7)];
    const baseline = after(sale.map((share) => [fill(share), lost(0)]));
    assert.deepEqual(found(baseline, [fill(0.1), lost(0.85)]), []);
    assert.deepEqual(found(baseline, [fill(0.02), lost(0.95)]), ['field product price']);
  });

  test('is one symptom, by its fill and by what lost it', () => {
    const { symptoms } = judge(after(usual), [fill(0.5), lost(0.5)], day(5));
    assert.deepEqual(
      symptoms.map(({ measure }) => measure),
      ['fill'],
    );
  });
});

describe('what differs among healthy runs', () => {
  test('is not unusual when it comes again', () => {
    const baseline = after([0, 0.05, 0.45, 0.02, 0, 0.01, 0].map((share) => [missing(share)]));
    assert.deepEqual(found(baseline, [missing(0.44)]), []);
  });

  test('in the course of a day is not unusual on the next day', () => {
    const hours = Array.from({ length: 24 * 6 }, (_, hour) => hour);
    const posts = (hour: number): Measure[] => [records(hour % 24 < 8 ? 2 : 40)];
    const baseline = hours.reduce((before, hour) => {
      const run = { at: startAt + (hour * dayMs) / 24, version, measures: posts(hour) };
      return learned(before, run, judge(before, run.measures, run.at));
    }, emptyBaseline({ version }));
    const nextDay = Array.from({ length: 24 }, (_, hour) => hour + hours.length);
    assert.deepEqual(
      nextDay.flatMap((hour) => found(baseline, posts(hour), startAt + (hour * dayMs) / 24)),
      [],
    );
  });

  test('grows by some percent a day without being unusual', () => {
    let baseline = emptyBaseline({ version });
    for (let number = 0; number < 40; number += 1) {
      const measures = [records(Math.round(1_000 * 1.03 ** number))];
      const judgement = judge(baseline, measures, day(number));
      assert.deepEqual(judgement.symptoms, []);
      baseline = learned(baseline, { at: day(number), version, measures }, judgement);
    }
  });
});

describe('the size of pages', () => {
  const baseline = after(Array.from({ length: 6 }, (_, number) => [pageBytes(50_000 + 100 * number), fill(0.99)]));

  test('is unusual once two runs in a row are', () => {
    const first = { at: day(6), version, measures: [pageBytes(9_000), fill(0.99)] };
    const judgement = judge(baseline, first.measures, first.at);
    assert.deepEqual(judgement.symptoms, []);
    const next = learned(baseline, first, judgement);
    assert.deepEqual(found(next, [pageBytes(9_000), fill(0.99)], day(7)), ['size']);
  });

  test('is not if the second comes within hours', () => {
    const first = { at: day(6), version, measures: [pageBytes(9_000)] };
    const next = learned(baseline, first, judge(baseline, first.measures, first.at));
    assert.deepEqual(found(next, [pageBytes(9_000)], day(6) + dayMs / 4), []);
  });

  test('is not if a usual one comes between', () => {
    const sizes = [9_000, 50_000, 9_000];
    const later = sizes.reduce((before, size, number) => {
      const run = { at: day(6 + number), version, measures: [pageBytes(size)] };
      return learned(before, run, judge(before, run.measures, run.at));
    }, baseline);
    assert.deepEqual([...later.suspects.values()], [day(8)]);
  });

  test('keeps nothing else of its run out of the baseline', () => {
    const runs = Array.from({ length: 3 }, () => [pageBytes(9_000), fill(0.95)]);
    const later = runs.reduce((before, measures, number) => {
      const run = { at: day(6 + number), version, measures };
      return learned(before, run, judge(before, measures, run.at));
    }, baseline);
    assert.equal(later.entries.length, 9);
    assert.equal(later.series.get('fill product price')?.lows?.filter((low) => !Number.isNaN(low)).length, 9);
    assert.equal(later.series.get('page_bytes')?.lows?.filter((low) => !Number.isNaN(low)).length, 6);
  });
});

test('a day of the week is compared with its own once five of it are known, and must be unusual for two days', () => {
  const count = (number: number): number => ((number + 3) % 7 < 5 ? 1_000 : 300) + (number % 3) * 5;
  const baseline = after(Array.from({ length: 36 }, (_, number) => [records(count(number))]));
  const holiday = { at: day(39), version, measures: [records(300)] };
  const judgement = judge(baseline, holiday.measures, holiday.at);
  assert.deepEqual(judgement.symptoms, []);
  assert.deepEqual([...judgement.suspects.keys()], ['records product']);
  assert.deepEqual(found(learned(baseline, holiday, judgement), [records(300)], day(40)), ['records product']);
  assert.deepEqual([...judge(baseline, [records(300)], day(37)).suspects.keys()], [], 'a Sunday has so few');
});

describe('another version of the definition', () => {
  const rules: RuleDigests = { '': 'a', product: 'b', 'product.price': 'c', 'product.title': 'd' };
  const title: Measure = { name: 'fill', record: 'product', field: 'title', value: 1, of: 100 };
  const baseline = after(
    Array.from({ length: 5 }, () => [records(1_000), fill(0.99), title, pageBytes(5_000)]),
    emptyBaseline({ version, rules }),
  );
  const kept = (changed: RuleDigests | undefined): string[] => [
    ...forVersion(baseline, { version: 'v2', rules: changed }).series.keys(),
  ];

  test('forgets what its changed rules read, and nothing else', () =>
    assert.deepEqual(kept({ ...rules, 'product.price': 'x' }), [
      'records product',
      'fill product title',
      'page_bytes',
    ]));

  test('forgets a type whose records are others', () =>
    assert.deepEqual(kept({ ...rules, product: 'x' }), ['page_bytes']));

  test('forgets counts where other pages are read', () =>
    assert.deepEqual(kept({ ...rules, '': 'x' }), ['fill product price', 'fill product title']));

  test('forgets all where nothing is known of its rules', () => assert.deepEqual(kept(undefined), []));

  test('forgets nothing where it is the same', () =>
    assert.equal(forVersion(baseline, { version, rules: undefined }), baseline));
});
