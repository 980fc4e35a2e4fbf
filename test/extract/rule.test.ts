import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseHtml } from '../../src/extract/document/html.ts';
import { readRules } from '../../src/plugin/reader.ts';
import { extracted, fieldOf, keyed, planFor, read, ruleOf } from './plan.ts';

/** What one field gives on a page, `lost` where it is found and cannot be read, and `absent` where it is not found. */
async function valueOf(html: string, rule: object): Promise<unknown> {
  const plan = planFor([keyed({ x: rule })]);
  const { drafts, unparsed, absent } = await extracted(`<p class=key>a</p>${html}`, plan);
  if (absent.includes('thing.x')) return 'absent';
  const [lost] = unparsed;
  return lost !== undefined && drafts[0]?.fields['x'] === undefined
    ? `lost: ${lost.text}: ${lost.expected}`
    : drafts[0]?.fields['x'];
}

const openGraph = '<meta property="og:title" content="Graph"><meta name=description content="Words">';

describe('a number', () => {
  const told =
    /^lost: €1299: one number, and not digits of several elements side by side; an XPath such as "concat\(b, '\.', sup\)" joins them as they are meant$/;
  const price = { css: '.price', type: 'money' };
  for (const written of ['€12<sup>99</sup>', '<b>€12</b><i>99</i>', '€12<br>99', '<b>€12<i></i></b>99'])
    test(`is not what ${written} says without anything between`, async () =>
      assert.match(String(await valueOf(`<p class=price>${written}</p>`, price)), told));

  for (const [written, amount] of [
    ['€12<!-- -->99', '1299.00'],
    ['€1<wbr>299', '1299.00'],
    ['<i>€</i><b>12</b>', '12.00'],
    ['<b>€12</b>.<sup>99</sup>', '12.99'],
    ['<b>€12.</b><sup>99</sup>', '12.99'],
    ['€12<sup></sup><script>99</script>', '12.00'],
  ] as const)
    test(`is what ${written} says`, async () =>
      assert.deepEqual(await valueOf(`<p class=price>${written}</p>`, price), { amount, currency: 'EUR' }));

  test('of several elements is joined by an XPath or read by filters', async () => {
    const html = '<p class=price>€12<sup>99</sup></p>';
    const xpath = "concat(//p[@class='price']/text(), '.', //sup)";
    assert.deepEqual(await valueOf(html, { xpath, type: 'money' }), { amount: '12.99', currency: 'EUR' });
    assert.equal(await valueOf(html, { css: '.price', filters: [{ regex: '\\d{2}' }], type: 'integer' }), 12);
    assert.match(String(await valueOf(html, { css: '.price', filters: ['number'] })), /^lost: €1299: one number/);
    assert.equal(await valueOf(html, { css: '.price' }), '€1299');
    assert.deepEqual(
      await valueOf('<ul><li>1<li>2<sup>3</sup></ul>', { css: 'li', type: 'array', of: { type: 'integer' } }),
      'lost: 23: one number, and not digits of several elements side by side; an XPath such as "concat(b, \'.\', sup)" joins them as they are meant',
    );
  });
});

describe('alternatives', () => {
  const title = { any: ['h1.title', { css: 'h2', attr: 'title' }, { meta: 'og:title' }, { const: 'none' }] };
  for (const [what, html, value] of [
    ['that matches', `<h1 class=title>One</h1>${openGraph}`, 'One'],
    ['after those that do not match: Open Graph fills a title (P43)', openGraph, 'Graph'],
    ['that says something, where one before is empty (P43)', `<h1 class=title> </h1>${openGraph}`, 'Graph'],
    ['that says something, where one before lacks its attribute', `<h2></h2>${openGraph}`, 'Graph'],
    ['of last resort', '', 'none'],
  ] as const) {
    test(`are tried in order, and the first counts ${what}`, async () =>
      assert.equal(await valueOf(html, title), value));
  }

  test('clear the field where all that are there say nothing', async () => {
    assert.equal(await valueOf('<h1></h1>', { any: ['h1', 'h2'] }), null);
  });

  test('have filters of their own, before those of the field', async () => {
    const rule = {
      any: [
        { css: 'b', filters: [{ regex: 'no (\\d+)' }] },
        { css: 'i', filters: [{ replace: { from: 'x', to: '7' } }] },
      ],
      type: 'integer',
      filters: [{ replace: { from: '7', to: '8' } }],
    };
    assert.equal(await valueOf('<b>no 7</b><i>xx</i>', rule), 8);
    assert.equal(await valueOf('<b>yes</b><i>xx</i>', rule), 88);
  });

  test('share what is said beside them', async () => {
    assert.equal(await valueOf('<i class=a title=A></i>', { any: ['.b', '.a'], attr: 'title' }), 'A');
  });
});

/** The fields of the one record that a page gives by some rules. */
async function fieldsOf(body: string, fields: Readonly<Record<string, object>>, document: 'html' | 'json' = 'html') {
  const key = document === 'html' ? '.key' : '$.key';
  const record = {
    type: 'thing',
    key: ['key'],
    fields: Object.entries({ key, ...fields }).map(([name, rule]) => fieldOf(name, rule)),
  };
  const type = document === 'html' ? 'text/html' : 'application/json';
  const { drafts } = await extracted(body, planFor([record], { document }), { contentType: type });
  return Object.fromEntries(Object.entries(drafts[0]?.fields ?? {}).filter(([name]) => name !== 'key'));
}

describe('a list', () => {
  const list = { type: 'array' };
  for (const [what, rule, value] of [
    ['of elements', { css: '.size', ...list }, []],
    ['of attributes', { css: '.size', attr: 'id', ...list }, []],
    ['of an XPath', { xpath: '//li', ...list }, []],
    ['of numbers', { css: '.size', ...list, of: { type: 'integer' } }, []],
    ['of objects', { css: '.size', ...list, of: { fields: { name: 'b' } } }, []],
    ['of the first match', { css: '.size', ...list, first: true }, []],
    ['of alternatives', { any: ['.size', 'option', { meta: 'size' }], ...list }, []],
    ['that is there and empty', { css: 'ul', ...list }, []],
    ['of JSON in the page', { json: '$.tags[*]', in: { variable: 'STATE' }, ...list }, []],
    ['of JSON that the page lacks', { json: '$.tags[*]', in: { variable: 'OTHER' }, ...list }, undefined],
    ['in an object', { css: 'p', type: 'object', fields: { sizes: { css: 'i', ...list }, one: 'i' } }, { sizes: [] }],
  ] as const) {
    test(`${what} without a match is ${value === undefined ? 'absent' : 'empty'}`, async () => {
      const page = '<p class=key>a</p><ul></ul><script>STATE = {"tags": []}</script>';
      assert.deepEqual(await fieldsOf(page, { x: rule }), value === undefined ? {} : { x: value });
    });
  }

  test('of a JSON path is empty where its path may find many, and absent where it leads to one value that is missing', async () => {
    const list = (json: string) => ({ json, type: 'array' });
    const fields = { many: list('$.tags[*]'), deep: list('$..tag'), one: list('$.tags'), none: list('$.other') };
    assert.deepEqual(await fieldsOf('{"key": "a", "tags": []}', fields, 'json'), { many: [], deep: [], one: [] });
  });

  test('that is required and empty makes no record, nor an object', async () => {
    const required = { css: '.size', type: 'array', required: true };
    const outcome = await read('<p class=key>a</p>', planFor([keyed({ x: required })]));
    assert.deepEqual(outcome.ok ? undefined : outcome.failure, { code: 'no_record', missing: ['thing.x'] });
    const object = { css: 'p', type: 'object', fields: { x: required } };
    assert.deepEqual(await fieldsOf('<p class=key>a</p>', { object }), { object: null });
  });
});

describe('a mark', () => {
  test('that is there makes false, and that is not makes true (P42)', async () => {
    const rule = { css: '.sold-out', type: 'boolean', whenFound: false };
    assert.equal(await valueOf('<b class=sold-out>no</b>', rule), false);
    assert.equal(await valueOf('', rule), true);
  });

  test('may say the opposite', async () => {
    const rule = { css: '.sale', type: 'boolean', whenFound: true };
    assert.deepEqual([await valueOf('<b class=sale>', rule), await valueOf('', rule)], [true, false]);
  });
});

describe('a typed field', () => {
  for (const [what, html, rule, value] of [
    ['a whole number with spaces around it (O5)', '<b> 42 </b>', { css: 'b', type: 'integer' }, 42],
    ['no whole number with decimals (O5)', '<b>3.5</b>', { css: 'b', type: 'integer' }, 'lost: 3.5: a whole number'],
    ['no whole number in words (O5)', '<b>abc</b>', { css: 'b', type: 'integer' }, 'lost: abc: a whole number'],
    [
      'nothing for a number of an empty text, so that what is stored stays (O5)',
      '<b> </b>',
      { css: 'b', type: 'integer' },
      undefined,
    ],
    [
      'nothing for money of an empty text that a filter reads (O5)',
      '<b></b>',
      { css: 'b', type: 'money', filters: ['money'] },
      undefined,
    ],
    [
      'null for a number of an empty text that a filter says to be null',
      '<b></b>',
      { css: 'b', type: 'integer', filters: [{ default: null }] },
      null,
    ],
    ['null for an empty text', '<b></b>', { css: 'b' }, null],
    [
      'a list of numbers without those that are empty',
      '<b>1</b><b></b>',
      { css: 'b', type: 'array', of: { type: 'integer' } },
      [1],
    ],
    ['a text of an attribute as it is written (O4)', '<b title=" a  b ">', { css: 'b', attr: 'title' }, ' a  b '],
    ['true for the one word, whatever its case (O6)', '<b>YES</b>', { css: 'b', type: 'boolean', true: 'Yes' }, true],
    ['false for any other word (O6)', '<b>maybe</b>', { css: 'b', type: 'boolean', true: 'Yes' }, false],
    [
      'a date by its format (O10)',
      '<b>March 5, 2016</b>',
      { css: 'b', type: 'date', formats: '%B %d, %Y' },
      '2016-03-05',
    ],
    [
      'no date that fits none of its formats (O9)',
      '<b>2017</b>',
      { css: 'b', type: 'date', formats: ['%Y-%m', '%Y-%m-%d'] },
      'lost: 2017: a date of the form "%Y-%m" or "%Y-%m-%d"',
    ],
    ['a list of numbers (O13)', '<b>1</b><b>2</b>', { css: 'b', type: 'array', of: { type: 'integer' } }, [1, 2]],
    [
      'no list of which an element cannot be read (O13)',
      '<b>1</b><b>x</b>',
      { css: 'b', type: 'array', of: { type: 'integer' } },
      'lost: x: a whole number',
    ],
    [
      'a list that a filter made of a text',
      '<b>a, b</b>',
      { css: 'b', type: 'array', filters: [{ split: ',' }] },
      ['a', 'b'],
    ],
    [
      'no list where a filter made a text of it (O14)',
      '<b>a</b><b>b</b>',
      { css: 'b', type: 'array', filters: [{ join: ' ' }] },
      'lost: a b: a list',
    ],
    ['JSON with all its parts (O12)', '<b>{"a": {"b": [1]}}</b>', { css: 'b', type: 'json' }, { a: { b: [1] } }],
  ] as const) {
    test(`gives ${what}`, async () => assert.deepEqual(await valueOf(html, rule), value));
  }

  test('of an object loses what cannot be read in it, and says where (O18)', async () => {
    const plan = planFor([
      keyed({
        offers: { css: 'li', type: 'array', of: { fields: { price: { css: 'b', type: 'money' }, name: 'i' } } },
      }),
    ]);
    const { drafts, unparsed } = await extracted(
      '<p class=key>a</p><li><b>5 €</b><i>x</i></li><li><b>much</b><i>y</i></li>',
      plan,
    );
    assert.deepEqual(drafts[0]?.fields['offers'], [
      { price: { amount: '5.00', currency: 'EUR' }, name: 'x' },
      { name: 'y' },
    ]);
    assert.deepEqual(unparsed, [
      { record: 'thing', key: 'a', field: 'offers.price', text: 'much', expected: 'an amount with its currency' },
    ]);
  });

  test('of an object that lacks a required field gives none', async () => {
    const rule = { css: 'li', type: 'array', of: { fields: { a: { css: 'b', required: true } } } };
    assert.deepEqual(await valueOf('<li><b>1</b></li><li></li>', rule), [{ a: '1' }]);
  });

  test('that may be null is not written where nulls are to be kept (O17)', async () => {
    const html = '<p class=key>a</p><b></b>';
    const record = keyed({ x: { css: 'b' } });
    assert.deepEqual((await extracted(html, planFor([record]))).drafts[0]?.fields, { key: 'a', x: null });
    assert.deepEqual((await extracted(html, planFor([{ ...record, nulls: 'keep' }]))).drafts[0]?.fields, { key: 'a' });
  });
});

test('records without their key are refused and counted, and the others are read (O19)', async () => {
  const plan = planFor([keyed({}, { each: { by: 'css', css: 'li' } })]);
  const { drafts, items, refused } = await extracted(
    '<li><b class=key>1</b></li><li></li><li><b class=key>2</b></li>',
    plan,
  );
  assert.deepEqual([drafts.length, items, refused], [2, 3, 1]);
});

describe('rules of a plug-in', () => {
  const read = async (rules: object) => readRules(parseHtml('<b>1</b><b>2</b>'), rules, { base: 'http://h.example/p' });
  const fail = (): never => {
    throw new Error('boom');
  };

  test('may take with a function, whose result is stored (P17)', async () => {
    const rules = {
      'x[]': { css: 'b', take: (element: { name: string }) => ({ name: element.name }) },
      n: { css: 'b', take: () => 3 },
      none: { css: 'b', take: () => null },
    };
    assert.deepEqual(await read(rules), {
      fields: { x: [{ name: 'b' }, { name: 'b' }], n: 3, none: null },
      unparsed: [],
    });
  });

  test('whose function throws are told with page and field (P17)', async () => {
    await assert.rejects(read({ x: { css: 'b', take: fail } }), {
      name: 'RuleError',
      message: 'http://h.example/p: the function of "x" threw: boom',
    });
  });

  test('lose what a filter throws on, and say that it had an error (P18)', async () => {
    const { fields, unparsed } = await read({ x: { css: 'b', filters: [fail] }, y: 'b' });
    assert.deepEqual(fields, { y: '1' });
    assert.deepEqual(unparsed, [{ field: 'x', text: '1', expected: 'a value; filter "fail" had an error: boom' }]);
  });

  test('that are none are refused before they run (P19)', async () => {
    await assert.rejects(read({ x: { css: 'b', filters: ['trimm'] } }), /rules: x\.filters\.0: unknown filter "trimm"/);
    await assert.rejects(read({ x: { css: 'b', take: 'txt' } }), /rules: x\.take/);
  });
});

test('what leads to the next page is found by a rule', async () => {
  const plan = planFor([keyed({})], { next: ruleOf('a[rel=next] @href') });
  assert.equal(
    (await extracted('<p class=key>a</p><a rel=next href="?page=2">', plan)).next,
    'http://site.test/list/page?page=2',
  );
  assert.equal((await extracted('<p class=key>a</p>', plan)).next, undefined);
});
