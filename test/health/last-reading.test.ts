import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RuleDigests } from '../../src/health/baseline.ts';
import { type LastReading, saysOf, symptomsSince, trusted } from '../../src/health/last-reading.ts';
import type { Symptom } from '../../src/view/symptom.ts';
import { fieldFill } from '../../src/health/field-fill.ts';

interface Scrape {
  /** Numbers of records by type; all of them have a name. */
  readonly records?: Readonly<Record<string, number>>;
  /** Numbers of the records of `item` that have a field. */
  readonly having?: Readonly<Record<string, number>>;
  readonly part?: true;
  readonly version?: string;
  /** Digests of the rules by which it read; not known by default. */
  readonly rules?: RuleDigests;
  readonly failed?: true;
  /** Pages of items that were asked for and read. */
  readonly pages?: readonly [asked: number, read: number];
}

/** The symptoms of the last of some scrapes in a row, each compared with the last one that had none. */
function after(...scrapes: readonly Scrape[]): {
  readonly symptoms: readonly Symptom[];
  readonly measure?: LastReading;
} {
  let measure: LastReading | undefined;
  let symptoms: readonly Symptom[] = [];
  for (const { records = {}, having = {}, part, version = 'v1', rules, failed, pages } of scrapes) {
    const fill = Object.fromEntries([
      ...Object.entries(records).map(([type, total]) => [`${type}.name`, { seen: total, total }]),
      ...Object.entries(having).map(([field, seen]) => [`item.${field}`, { seen, total: records['item'] ?? 0 }]),
    ]);
    const [asked = 0, read = 0] = pages ?? [];
    const reading = { fill, isWhole: part !== true, pages: { item: { asked, read } } };
    const by = { version, ...(rules !== undefined && { rules }) };
    symptoms = symptomsSince(measure, reading, by);
    if (symptoms.length === 0 && failed !== true) measure = trusted(measure, reading, by);
  }
  return { symptoms, ...(measure !== undefined && { measure }) };
}

const items = (item: number, having?: Scrape['having']): Scrape => ({ records: { item }, ...(having && { having }) });

function symptomsAfter(...scrapes: readonly Scrape[]): string[] {
  return after(...scrapes).symptoms.map(({ kind, record = '', field, observed, expected }) =>
    [kind, record, ...(field === undefined ? [] : [field]), expected?.median ?? '', observed].join(' '),
  );
}

describe('what a target gives', () => {
  const doubtful: readonly (readonly [string, readonly Scrape[], readonly string[]])[] = [
    ['no record where there was one', [items(1), {}], ['records item 1 0']],
    ['none of one type beside others', [{ records: { item: 3, review: 2 } }, items(3)], ['records review 2 0']],
    ['less than half of ten', [items(10), items(4)], ['records item 10 4']],
    ['no value in a field that all had', [items(1, { price: 1 }), items(1, { price: 0 })], ['field item price 1 0']],
    ['no value in a field that half had', [items(4, { price: 2 }), items(2, { price: 0 })], ['field item price 0.5 0']],
    ['no field of that name', [items(4, { price: 4 }), items(4)], ['field item price 1 0']],
    [
      'no value on ten records of a part',
      [items(40, { price: 40 }), { ...items(10, { price: 0 }), part: true }],
      ['field item price 1 0'],
    ],
    [
      'fewer records of which none has a price',
      [items(20, { price: 20 }), items(3, { price: 0 })],
      ['records item 20 3', 'field item price 1 0'],
    ],
    ['none at all by another definition', [items(5), { version: 'v2' }], ['records item 5 0']],
    ['none any more, so that the scrape fails', [items(5), { failed: true }], ['records item 5 0']],
    [
      'less than half, though a part of it was read meanwhile',
      [items(40), { ...items(12), part: true }, items(15)],
      ['records item 40 15'],
    ],
    ['less by and by, measured by what was trusted last', [items(40), items(25), items(12)], ['records item 25 12']],
  ];
  for (const [what, scrapes, symptoms] of doubtful)
    test(`is doubtful: ${what}`, () => assert.deepEqual(symptomsAfter(...scrapes), symptoms));

  const trusted: readonly (readonly [string, readonly Scrape[]])[] = [
    ['at first, whatever it is', [{}]],
    ['half of ten', [items(10), items(5)]],
    ['less than half of nine', [items(9), items(1)]],
    ['a field less that fewer than half had', [items(10, { sale: 4 }), items(10, { sale: 0 })]],
    ['one record that has a field', [items(9, { price: 9 }), items(9, { price: 1 })]],
    ['few records of a part', [items(40, { price: 40 }), { ...items(9, { price: 0 }), part: true }]],
    ['nothing new on a part', [items(40), { part: true }]],
    [
      'a type less by another definition, of which a part was read before',
      [
        { records: { item: 12, review: 12 } },
        { ...items(12), part: true, version: 'v2' },
        { ...items(12), version: 'v2' },
      ],
    ],
    [
      'a type or field less by another definition',
      [{ records: { item: 3, review: 3 } }, { ...items(3), version: 'v2' }],
    ],
  ];
  for (const [what, scrapes] of trusted)
    test(`is trusted: ${what}`, () => assert.deepEqual(symptomsAfter(...scrapes), []));
});

describe('a new version of a definition (P38)', () => {
  const rules = { '': 'site', item: 'each', 'item.name': 'h1', 'item.price': '.price', 'item.stock': '.stock' };
  const full = { ...items(20, { price: 20, stock: 20 }), rules };
  const poor = items(20, { price: 0, stock: 0 });
  const lost = ['field item price 1 0', 'field item stock 1 0'];

  test('forgets what the fields gave whose rules it changes, and only these', () => {
    const changed = { ...rules, 'item.price': '.cost' };
    assert.deepEqual(symptomsAfter(full, { ...poor, version: 'v2', rules }), lost);
    assert.deepEqual(symptomsAfter(full, { ...poor, version: 'v2', rules: changed }), lost.slice(1));
    const { measure } = after(full, { ...full, version: 'v2', rules: changed });
    assert.deepEqual([measure?.version, measure?.types['item']?.fields], ['v2', { name: 20, price: 20, stock: 20 }]);
  });

  test('forgets all of a type where it says otherwise what a record is, and how many there were where the target is another', () => {
    assert.deepEqual(symptomsAfter(full, { ...poor, version: 'v2', rules: { ...rules, item: 'other' } }), []);
    const few = { ...items(2, { price: 2, stock: 2 }), version: 'v2' };
    assert.deepEqual(symptomsAfter(full, { ...few, rules }), ['records item 20 2']);
    assert.deepEqual(symptomsAfter(full, { ...few, rules: { ...rules, '': 'part' } }), []);
  });

  test('with all its rules as they were changes nothing', () => {
    assert.deepEqual(after(full, { ...full, version: 'v2' }).measure?.types, after(full, full).measure?.types);
  });
});

describe('a reading', () => {
  const part = { fill: { 'item.name': { seen: 12, total: 12 } }, isWhole: false };
  const lostPrice: Symptom = { kind: 'field', record: 'item', field: 'price', measure: 'fill', observed: 0 };
  const fewer: Symptom = { kind: 'records', record: 'item', measure: 'records', observed: 3 };
  const unread: Symptom = { kind: 'pages', record: 'item', measure: 'unread', observed: 1 };

  test('of a part says something of fields of ten records or more, and nothing of how many there are', () => {
    assert.deepEqual([saysOf(part, lostPrice), saysOf(part, fewer)], [true, false]);
    const few = { fill: { 'item.name': { seen: 9, total: 9 } }, isWhole: false };
    assert.equal(saysOf(few, lostPrice), false);
  });

  test('says something of pages of items only where it asked for some', () => {
    const whole = { ...part, isWhole: true };
    assert.equal(saysOf(whole, unread), false);
    assert.equal(saysOf({ ...whole, pages: { item: { asked: 2, read: 2 } } }, unread), true);
  });

  test('is unusual while more than half of ten or more pages of its items fail', () => {
    const asking = (asked: number, read: number) => symptomsAfter({ ...items(3), pages: [asked, read] });
    assert.deepEqual([asking(9, 0), asking(10, 5), asking(2, 0)], [[], [], []]);
    assert.deepEqual(asking(10, 4), ['pages item  0.6']);
  });
});

test('a field whose values are unreadable is in none of its records', () => {
  const drafts = [{ type: 'item', key: 'a', fields: { name: 'A', old: null } }];
  const unparsed = [{ record: 'item', field: 'price', text: 'soon', expected: 'a number' }];
  assert.deepEqual(fieldFill(drafts, { absent: ['item.sale', 'review.text'], unparsed }), {
    'item.name': { seen: 1, total: 1 },
    'item.old': { seen: 0, total: 1 },
    'item.sale': { seen: 0, total: 1 },
    'item.price': { seen: 0, total: 1 },
  });
});
