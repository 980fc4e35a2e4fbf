import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseDocument } from 'htmlparser2';
import { compileEmbedded, type EmbeddedPlan } from '../../src/extract/embedded/all.ts';
import { metaContents } from '../../src/extract/tree/nodes.ts';
import type { Value } from '../../src/extract/value/value.ts';

function read(html: string, where: EmbeddedPlan): Value | undefined {
  return compileEmbedded(where)(parseDocument(html), { base: 'https://shop.test/p/', roomParts: 1_000_000 });
}

const block = (text: string): string => `<script type="application/ld+json">${text}</script>`;

describe('linked data of a page', () => {
  for (const [html, value] of [
    ['<p>', undefined],
    [block('{"a":1}'), [{ a: 1 }]],
    [block('{"a":1}') + block('[{"b":2},{"c":3}]'), [{ a: 1 }, { b: 2 }, { c: 3 }]],
    [block('{"@context":"x","@graph":[{"a":1},{"b":2}]}'), [{ a: 1 }, { b: 2 }]],
    [block('[{"@graph":[{"a":1}]}]'), [{ a: 1 }]],
    [block('{"a":1,}') + block('{"b":2};'), [{ b: 2 }]],
    [block('//<![CDATA[\n{"a":"<b>"}\n//]]>'), [{ a: '<b>' }]],
    [block('<!-- {"a":1} -->'), [{ a: 1 }]],
    [block('/*<![CDATA[*/ {"a":1}; /* ]]> */ '), [{ a: 1 }]],
    [block('{"a":"-->"}'), [{ a: '-->' }]],
    [block('nonsense'), []],
    ['<script type="Application/LD+JSON; charset=utf-8">{"a":1}</script>', [{ a: 1 }]],
    [block('['.repeat(65) + ']'.repeat(65)), []],
  ] as const) {
    test(`in ${html.slice(0, 90)} is ${JSON.stringify(value)}`, () => {
      assert.deepEqual(read(html, 'ld+json'), value);
    });
  }
});

test('a list of linked data may be longer than a call has arguments', () => {
  const items = read(block(`[${'0,'.repeat(200_000)}0]`), 'ld+json');
  assert.equal(Array.isArray(items) && items.length, 200_001);
});

test('linked data behind which much white space stands is read in no time', { timeout: 5_000 }, () => {
  for (const rest of [' '.repeat(300_000), '/* '.repeat(100_000), '// '.repeat(100_000)])
    assert.deepEqual(read(block(`[1]${rest}x`), 'ld+json'), []);
});

describe('a script of a page', () => {
  test('is JSON as a whole', () => {
    const html = '<script id=x>1</script><script id=state type="application/json"> {"a":[1]} </script>';
    assert.deepEqual(read(html, { script: '#state' }), { a: [1] });
    assert.equal(read('<script>f()</script>', { script: 'script' }), undefined);
  });

  for (const [script, value] of [
    ['window.__STATE__ = {"a": "};\\"", "b": [1, {}]}; run();', { a: '};"', b: [1, {}] }],
    ['var __STATE__=[1,2];', [1, 2]],
    ['window["__STATE__"] = {"a":1}', { a: 1 }],
    ['my__STATE__ = 1; __STATE__X = 2; $__STATE__ = 3', undefined],
    ['if (__STATE__ == 1) f(__STATE__); __STATE__ = "x";', 'x'],
    ['__STATE__ = {a: 1}; __STATE__ = {"a": 2}', { a: 2 }],
    ['__STATE__ = JSON.parse("{\\"a\\": \\"\\u003cb\\u003e\\"}")', { a: '<b>' }],
    ['const __STATE__ = -1.5e3, x', -1500],
    ['__STATE__ = function () {}', undefined],
    ['__STATE__ = {"a": 1', undefined],
    [`__STATE__ = ${'['.repeat(1_000_000)}`, undefined],
    ['__STATE__ = {"a":1}'.replace('{', '{"__proto__":{"x":1},'), JSON.parse('{"__proto__":{"x":1},"a":1}')],
  ] as const) {
    test(`${script.slice(0, 60)} gives ${JSON.stringify(value)}`, () => {
      assert.deepEqual(read(`<script src=x></script><script>${script}</script>`, { variable: '__STATE__' }), value);
    });
  }

  test('gives any JSON that it assigns, whatever follows', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom(';f("}")', '\n}', '</b>', ' , y = {'), (json, rest) => {
        const text = json.replaceAll('<', String.raw`\u003c`);
        assert.deepEqual(read(`<script>x.$s = ${text}${rest}</script>`, { variable: '$s' }), JSON.parse(json));
      }),
    );
  });
});

describe('microdata of a page', () => {
  test('is its items with texts, addresses and inner items', () => {
    const html = `
      <div itemscope itemtype="https://schema.org/Product" itemid="#1" itemref="more none">
        <h1 itemprop="name"> A <b>thing</b></h1>
        <img itemprop="image" src="a.jpg"><img itemprop="image">
        <link itemprop="availability" href="https://schema.org/InStock">
        <div itemprop="offers" itemscope itemtype="https://schema.org/Offer">
          <meta itemprop="priceCurrency" content="EUR"><span itemprop="price" content="5.00">5 €</span>
          <time itemprop="validThrough" datetime="2026-11-21">soon</time><data itemprop="sku" value="7">x</data>
        </div>
        <p itemprop="name alternateName">B</p>
        <div itemscope><i itemprop="lost">not of the product</i></div>
      </div>
      <p id=more><a itemprop="url" href="/x">link</a></p>`;
    assert.deepEqual(read(html, 'microdata'), [
      {
        type: 'https://schema.org/Product',
        id: 'https://shop.test/p/#1',
        props: {
          name: ['A thing', 'B'],
          image: ['https://shop.test/p/a.jpg', ''],
          availability: ['https://schema.org/InStock'],
          offers: [
            {
              type: 'https://schema.org/Offer',
              props: { priceCurrency: ['EUR'], price: ['5.00'], validThrough: ['2026-11-21'], sku: ['7'] },
            },
          ],
          alternateName: ['B'],
          url: ['https://shop.test/x'],
        },
      },
      { props: { lost: ['not of the product'] } },
    ]);
  });

  test('keeps digits of several elements apart, which are no number together', () => {
    const html = '<p itemscope><b itemprop="price">€12<sup>99</sup></b><i itemprop="name">R<u>2</u></i></p>';
    assert.deepEqual(read(html, 'microdata'), [{ props: { price: ['€12 99'], name: ['R2'] } }]);
  });

  test('that refers to itself ends', () => {
    const html =
      '<div itemscope itemref=a><p id=a itemprop=x itemscope itemref=b></p></div><p id=b itemprop=y itemscope itemref=a></p>';
    assert.ok(JSON.stringify(read(html, 'microdata')).length < 1_000);
    const many = Array.from(
      { length: 60 },
      (_, at) => `<p id=i${at} itemprop=x itemscope itemref="i${at + 1} i${at + 2}"></p>`,
    );
    assert.ok(JSON.stringify(read(`<div itemscope itemref=i0></div>${many.join('')}`, 'microdata')).length < 1_000_000);
  });

  test('nested without end is read as deep as it may be', () => {
    const html = '<div itemscope itemprop=x>'.repeat(20_000);
    assert.ok(Array.isArray(read(`<div itemscope>${html}`, 'microdata')));
  });
});

describe('the meta elements of a page', () => {
  test('are known by property, name and itemprop, in any case', () => {
    const root = parseDocument(
      '<meta property="og:title" content="A"><meta name="OG:Title" content="B"><meta itemprop=og:title content=C>' +
        '<meta property="og:title"><meta property="x og:title" content="D"><meta name=description content="">',
    );
    assert.deepEqual(metaContents(root, 'og:title'), ['A', 'B', 'C', 'D']);
    assert.deepEqual(metaContents(root, 'description'), ['']);
    assert.deepEqual(metaContents(root, 'twitter:card'), []);
  });
});
