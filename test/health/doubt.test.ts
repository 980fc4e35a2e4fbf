import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Judged, judge, type RuleDigests } from '../../src/health/doubt.ts';
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

/** What is known after scrapes in a row, and what each of them told. */
function after(...scrapes: readonly Scrape[]): Judged & { readonly all: readonly (string | undefined)[] } {
  let judged: Judged = { measure: undefined, doubt: undefined };
  const all: (string | undefined)[] = [];
  for (const [at, { records = {}, having = {}, part, version = 'v1', rules, failed, pages }] of scrapes.entries()) {
    const fill = Object.fromEntries([
      ...Object.entries(records).map(([type, total]) => [`${type}.name`, { seen: total, total }]),
      ...Object.entries(having).map(([field, seen]) => [`item.${field}`, { seen, total: records['item'] ?? 0 }]),
    ]);
    const [asked = 0, read = 0] = pages ?? [];
    const reading = { fill, isWhole: part !== true, pages: { item: { asked, read } } };
    judged = judge(judged, reading, { version, rules, at, isComplete: failed !== true });
    all.push(judged.told);
  }
  return { ...judged, all };
}

const items = (item: number, having?: Scrape['having']): Scrape => ({ records: { item }, ...(having && { having }) });

function symptomsAfter(...scrapes: readonly Scrape[]): string[] {
  const { doubt } = after(...scrapes);
  return (doubt?.symptoms ?? []).map(({ kind, record, field, before, now }) =>
    [kind, record, ...(field === undefined ? [] : [field]), before, now].join(' '),
  );
}

describe('what a target gives', () => {
  const doubtful: readonly (readonly [string, readonly Scrape[], readonly string[]])[] = [
    ['no record where there was one', [items(1), {}], ['no_record item 1 0']],
    ['none of one type beside others', [{ records: { item: 3, review: 2 } }, items(3)], ['no_record review 2 0']],
    ['less than half of ten', [items(10), items(4)], ['fewer_records item 10 4']],
    [
      'no value in a field that all had',
      [items(1, { price: 1 }), items(1, { price: 0 })],
      ['field_lost item price 1 0'],
    ],
    [
      'no value in a field that half had',
      [items(4, { price: 2 }), items(2, { price: 0 })],
      ['field_lost item price 2 0'],
    ],
    ['no field of that name', [items(4, { price: 4 }), items(4)], ['field_lost item price 4 0']],
    [
      'no value on ten records of a part',
      [items(40, { price: 40 }), { ...items(10, { price: 0 }), part: true }],
      ['field_lost item price 40 0'],
    ],
    [
      'fewer records of which none has a price',
      [items(20, { price: 20 }), items(3, { price: 0 })],
      ['fewer_records item 20 3', 'field_lost item price 20 0'],
    ],
    ['none at all by another definition', [items(5), { version: 'v2' }], ['no_record item 5 0']],
    ['none any more, so that the scrape fails', [items(5), { failed: true }], ['no_record item 5 0']],
    [
      'less than half, though a part of it was read meanwhile',
      [items(40), { ...items(12), part: true }, items(15)],
      ['fewer_records item 40 15'],
    ],
    [
      'less by and by, measured by what was trusted last',
      [items(40), items(25), items(12)],
      ['fewer_records item 25 12'],
    ],
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
  const lost = ['field_lost item price 20 0', 'field_lost item stock 20 0'];

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
    assert.deepEqual(symptomsAfter(full, { ...few, rules }), ['fewer_records item 20 2']);
    assert.deepEqual(symptomsAfter(full, { ...few, rules: { ...rules, '': 'part' } }), []);
  });

  test('ends a doubt of a field whose rule it mends, also on a part of the target', () => {
    const doubted = { ...poor, rules };
    const part = { ...items(10, { price: 0, stock: 0 }), part: true, version: 'v2' } as const;
    const mended = { ...rules, 'item.price': '.cost', 'item.stock': '.left' };
    assert.deepEqual(symptomsAfter(full, doubted), lost);
    assert.deepEqual(symptomsAfter(full, doubted, { ...part, rules: mended }), []);
  });

  test('with all its rules as they were changes nothing', () => {
    assert.deepEqual(after(full, { ...full, version: 'v2' }).measure?.types, after(full, full).measure?.types);
  });
});

describe('a doubt', () => {
  test('is told once, and again only for what is new', () => {
    const lost = { price: 0 };
    const { all, doubt } = after(
      items(20, { price: 20 }),
      items(20, lost),
      items(20, lost),
      items(4, lost),
      items(4, lost),
    );
    assert.deepEqual(all, [undefined, 'doubtful', undefined, 'doubtful', undefined]);
    assert.deepEqual([doubt?.since, doubt?.times, doubt?.symptoms.length], [1, 2, 2]);
  });

  test('is over when the target gives what it did before, and compares with that until then', () => {
    const { all, doubt, measure } = after(items(20), items(3), items(9), items(18));
    assert.deepEqual(all, [undefined, 'doubtful', undefined, 'recovered']);
    assert.deepEqual([doubt, measure?.types['item']?.whole], [undefined, 18]);
  });

  test('is taken for usual after three complete scrapes in a row, and what they gave is the measure', () => {
    const { all, doubt, measure } = after(items(20), items(3), items(4), items(3), items(3));
    assert.deepEqual(all, [undefined, 'doubtful', undefined, 'accepted', undefined]);
    assert.deepEqual([doubt, measure?.types['item']?.whole], [undefined, 3]);
  });

  test('is never taken for usual where each scrape fails', () => {
    const empty = Array.from({ length: 9 }, (): Scrape => ({ failed: true }));
    assert.deepEqual(symptomsAfter(items(5), ...empty), ['no_record item 5 0']);
    assert.equal(after(items(5), ...empty, items(5)).told, 'recovered');
  });

  test('of a whole target is not over by a part of it, but that of a field is', () => {
    const part: Scrape = { ...items(12, { price: 12 }), part: true };
    const before = [items(40, { price: 40 }), items(12, { price: 0 })];
    assert.deepEqual(symptomsAfter(...before, part, part, part), ['fewer_records item 40 12']);
    assert.equal(after(items(40, { price: 40 }), items(40, { price: 0 }), part).told, 'recovered');
  });

  test('lasts while more than half of ten or more pages of its items fail, however often', () => {
    const asking = (...pages: readonly [number, number][]) =>
      after(...pages.map((each): Scrape => ({ ...items(3), pages: each })));
    const failing = [45, 2] as const;
    assert.deepEqual(asking([9, 0], [10, 5]).all, [undefined, undefined]);
    const { doubt, measure, all } = asking([...failing], [10, 0], [0, 0], [2, 0], [10, 0]);
    assert.deepEqual(doubt, {
      since: 0,
      times: 0,
      symptoms: [{ kind: 'pages_failed', record: 'item', before: 10, now: 0 }],
    });
    assert.deepEqual([measure?.types['item']?.whole, all.slice(1).every((told) => told === undefined)], [3, true]);
    assert.deepEqual(asking([...failing], [2, 1]).all, ['doubtful', 'recovered']);
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
