import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseSource } from '../../src/definition/load.ts';
import type { Value } from '../../src/extract/value/value.ts';
import { planOf } from '../../src/provider/plans.ts';
import { bodyOf } from './plan.ts';
import { extract } from '../../src/extract/extract.ts';

/** The fields of all records that a definition's records, as YAML, give on a page. */
async function recordsOf(html: string, records: string): Promise<readonly Readonly<Record<string, Value>>[]> {
  const parsed = parseSource(`id: site\nrecords:\n  it: ${records}`, 'site.yaml');
  assert.ok(parsed.ok, parsed.ok ? '' : JSON.stringify(parsed.problems));
  const url = 'http://site.test/list?page=2';
  const input = { body: bodyOf(html), url, status: 203, contentType: 'text/html', plan: planOf(parsed.value) };
  const outcome = await extract(input);
  assert.ok(outcome.ok, JSON.stringify(outcome));
  return outcome.extraction.drafts.map(({ fields }) => fields);
}

describe('a value beside its match', () => {
  test('stands behind a term', async () => {
    const page =
      '<dl><dt>Weight</dt>\n<dd>3 kg</dd><dt>Colour</dt><!-- of it --><dd>red <b>matt</b></dd><dt>Last</dt></dl>';
    assert.deepEqual(
      await recordsOf(
        page,
        '{ key: term, each: dt, fields: { term: ., value: { from: next }, matt: { from: next, css: b } } }',
      ),
      [{ term: 'Weight', value: '3 kg' }, { term: 'Colour', value: 'red matt', matt: 'matt' }, { term: 'Last' }],
    );
  });

  test('stands in the next row of a table', async () => {
    const page = `<table><tr class=athing id=1><td><a href=/a>One</a></td></tr><tr><td><span class=score>5 points</span></td></tr>
      <tr class=spacer></tr><tr class=athing id=2><td><a href=/b>Two</a></td></tr><tr><td>no score</td></tr></table>`;
    assert.deepEqual(
      await recordsOf(
        page,
        '{ key: id, each: tr.athing, fields: { id: "@id", link: a @href, points: { from: next, css: .score, type: number, filters: [number] } } }',
      ),
      [
        { id: '1', link: 'http://site.test/a', points: 5 },
        { id: '2', link: 'http://site.test/b' },
      ],
    );
  });

  test('stands beside a label of the same row', async () => {
    const page =
      '<table><tr><th>Height</th><td></td><td class=v>2 m</td></tr><tr><th>Depth</th><td>none</td></tr></table>';
    assert.deepEqual(
      await recordsOf(
        page,
        '{ key: label, each: th, fields: { label: ., value: { from: { next: td.v } }, row: { from: parent, css: td } } }',
      ),
      [
        { label: 'Height', value: '2 m', row: '' },
        { label: 'Depth', row: 'none' },
      ].map((each) => (each.row === '' ? { ...each, row: null } : each)),
    );
  });

  test('is the heading above the list of its match', async () => {
    const page =
      '<h2>Fruit</h2><p>fresh</p><ul><li>Apple</li><li>Pear</li></ul><h2>Nuts</h2><ul><li>Hazel</li></ul><section><h3>Deep</h3><div><ul><li>Inner</li></ul></div></section>';
    const section = '{ from: [{ parent: ul }, { previous: "h2, h3" }] }';
    const deep = '{ from: [{ parent: section }], css: h3 }';
    assert.deepEqual(
      await recordsOf(page, `{ key: name, each: li, fields: { name: ., section: ${section}, deep: ${deep} } }`),
      [
        { name: 'Apple', section: 'Fruit' },
        { name: 'Pear', section: 'Fruit' },
        { name: 'Hazel', section: 'Nuts' },
        { name: 'Inner', deep: 'Deep' },
      ],
    );
  });

  test('is searched by an XPath, taken as an attribute or made an object as any other', async () => {
    const page = '<p id=a>A</p><div class=more title=T><i>1</i><i>2</i></div>';
    assert.deepEqual(
      await recordsOf(
        page,
        '{ key: id, each: p, fields: { id: "@id", "all[]": { from: next, xpath: "//i" }, title: { from: next, attr: title }, box: { from: next, fields: { first: i, back: { from: previous } } } } }',
      ),
      [{ id: 'a', all: ['1', '2'], title: 'T', box: { first: '1', back: 'A' } }],
    );
  });

  for (const [what, record, message] of [
    [
      'in JSON',
      '{ key: a, fields: { a: { from: next, json: $.a, in: ld+json } } }',
      /expected a place among elements to go to, got "json"/,
    ],
    ['an unknown way', '{ key: a, fields: { a: { from: up } } }', /expected one of next, previous, parent, got "up"/],
    [
      'two ways at once',
      '{ key: a, fields: { a: { from: { next: b, parent: i } } } }',
      /expected one of next, previous, parent, column, got/,
    ],
    [
      'a selector that is none',
      '{ key: a, fields: { a: { from: { next: "b >" } } } }',
      /nothing follows the last combinator/,
    ],
  ] as const) {
    test(`is refused ${what}`, () => {
      const parsed = parseSource(`id: site\nrecords:\n  it: ${record}`, 'site.yaml');
      assert.match(parsed.ok ? '' : parsed.problems.map((each) => each.message).join('\n'), message);
    });
  }
});

test('records are read from pages of the addresses that they are on, and nothing is missing on others', async () => {
  const parsed = parseSource(
    "id: site\nrecords:\n  product: { key: k, on: /p/, fields: { k: h1 } }\n  review: { key: k, on: ['/r/', 'review=1'], fields: { k: h2 } }",
    'site.yaml',
  );
  assert.ok(parsed.ok);
  const plan = planOf(parsed.value);
  const told: unknown[] = [];
  for (const path of ['p/1', 'r/1', 'p/1?review=1', 'about']) {
    const body = bodyOf('<h1>a</h1><h2>b</h2>');
    const outcome = await extract({ body, url: `http://site.test/${path}`, contentType: 'text/html', plan });
    assert.ok(outcome.ok);
    const { drafts, refused, absent } = outcome.extraction;
    told.push([path, drafts.map(({ type }) => type), refused, absent]);
  }
  assert.deepEqual(told, [
    ['p/1', ['product'], 0, []],
    ['r/1', ['review'], 0, []],
    ['p/1?review=1', ['product', 'review'], 0, []],
    ['about', [], 0, []],
  ]);
  const lacking = await extract({ body: bodyOf('<p>'), url: 'http://site.test/p/1', contentType: 'text/html', plan });
  assert.deepEqual(lacking.ok ? undefined : lacking.failure, { code: 'no_record', missing: ['product.k'] });
});

test('the address of the page, its status and the place of the record on it are fields as well', async () => {
  assert.deepEqual(
    await recordsOf(
      '<p>a</p><p>b</p>',
      '{ key: k, each: p, fields: { k: ., at: { page: position, type: integer }, url: { page: url }, status: { page: status, type: integer } } }',
    ),
    [1, 2].map((at) => ({ k: ['a', 'b'][at - 1], at, url: 'http://site.test/list?page=2', status: 203 })),
  );
});
