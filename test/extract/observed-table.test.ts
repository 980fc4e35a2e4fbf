import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Value } from '../../src/extract/value/value.ts';
import { parseHtml } from '../../src/extract/document/html.ts';
import { readRules } from '../../src/plugin/reader.ts';

const base = 'http://h.example/d/e';

/** One row: markup, rules by field, and what they give. */
type Row = readonly [name: string, html: string, rules: object, given: Value, base?: string];

async function given(html: string, rules: object, from: string): Promise<Value> {
  const { fields } = readRules(parseHtml(html), rules, { base: from });
  return fields;
}

function rows(table: readonly Row[]): void {
  for (const [name, html, rules, expected, from = base] of table)
    test(name, async () => assert.deepEqual(await given(html, rules, from), expected));
}

const shop = {
  title: 'div#content h1',
  'imgurl[]': 'div.product_container img @src',
  price: 'div#product_properties h2',
  'sizes[]': ['div.size span.single', 'select#form_size option'],
  inStock: { css: 'span.sold_out_big', type: 'boolean', whenFound: false },
};
const span = '<div class=size><span class=single>One</span></div>';
const select = '<select id=form_size><option>S<option>M</select>';
const images = '<div class=product_container><img src=/a.jpg><img src=b.jpg><img></div>';

describe('the shop of the sample', () => {
  rows([
    [
      'gives the sizes of the select where both kinds are (P6, P7)',
      span + select,
      shop,
      { imgurl: [], sizes: ['S', 'M'], inStock: true },
    ],
    ['gives the one size where only the span is (P7)', span, shop, { imgurl: [], sizes: ['One'], inStock: true }],
    [
      'gives nothing for what matches nothing, and an empty list (P5)',
      '<p>',
      { 'sizes[]': shop['sizes[]'], title: shop.title },
      { sizes: [] },
    ],
    [
      'gives absolute addresses of images, and none for an image without one (P11, P12)',
      images,
      { 'imgurl[]': shop['imgurl[]'] },
      { imgurl: ['http://h.example/a.jpg', 'http://h.example/d/b.jpg'] },
    ],
    [
      'gives addresses as they are written where nothing is known of the page (P11, P12)',
      images,
      { 'imgurl[]': shop['imgurl[]'] },
      { imgurl: ['/a.jpg', 'b.jpg'] },
      '',
    ],
    [
      'is out of stock where the mark is there (P42)',
      '<span class=sold_out_big></span>',
      { inStock: shop.inStock },
      { inStock: false },
    ],
  ]);
});

const mixed = '<p> a <b>b</b>\n c&nbsp;d &amp; <script>x()</script><!-- c --></p>';
const list = '<ul><li>1</li><li>2</li></ul>';
const anchors = '<li><a href=/1>A</a></li><li><a href=/2>B</a></li>';
const objects = [
  { u: 'http://h.example/1', t: 'A' },
  { u: 'http://h.example/2', t: 'B' },
];
const nested = '<li><a href=/1>A</a><b>B</b></li><li><a href=/2>A</a></li><li></li>';

describe('text', () => {
  rows([
    [
      'has its white space collapsed, scripts and comments left out and entities decoded (P8)',
      mixed,
      { x: 'p' },
      { x: 'a b c\u00a0d &' },
    ],
    ['is not trimmed on request (P8)', mixed, { x: { css: 'p', trim: false } }, { x: ' a b c\u00a0d & ' }],
    ['is joined over a line break (P8)', '<p>a<br>b</p>', { x: 'p' }, { x: 'ab' }],
    ['keeps white space in pre (P8)', '<pre>a\n  b</pre>', { x: 'pre' }, { x: 'a\n  b' }],
    ['keeps white space in what stands in pre', '<pre><b>a\n  b</b></pre>', { x: 'b' }, { x: 'a\n  b' }],
    [
      'as markup is the inner one, with empty elements closed and attributes in quotes (P9)',
      '<p>a<br><b class=x>b</b> &amp;</p>',
      { x: { css: 'p', take: 'html' } },
      { x: 'a<br /><b class="x">b</b> &amp;' },
    ],
    ['as markup may have its own tags', '<p id=a>a</p>', { x: { css: 'p', take: 'outer' } }, { x: '<p id="a">a</p>' }],
  ]);
});

describe('matches', () => {
  rows([
    ['are the first, or all in document order (P4)', list, { x: 'li', 'y[]': 'li' }, { x: '1', y: ['1', '2'] }],
    [
      'of two selectors are in document order, each once (P4)',
      '<i>1</i><b>2</b><i>3</i>',
      { 'x[]': 'b, i, i' },
      { x: ['1', '2', '3'] },
    ],
    ['are at most one on request (P15)', list, { x: { css: 'li', type: 'array', first: true } }, { x: ['1'] }],
    ['of a later rule replace those of an earlier one (P6)', '<h1>a</h1><h2>b</h2>', { t: ['h1', 'h2'] }, { t: 'b' }],
    ['of an earlier rule stay where a later one has none (P6)', '<h1>a</h1>', { t: ['h1', 'h2'] }, { t: 'a' }],
    ['have names of any case', '<a>1</a>', { x: 'A' }, { x: '1' }],
  ]);
});

describe('objects', () => {
  rows([
    [
      'have the attributes and texts of their own match (P14)',
      anchors,
      { 'x[]': { css: 'li a', fields: { u: '@href', t: '.' } } },
      { x: objects },
    ],
    [
      'are one for each match, with what it holds (P13)',
      nested,
      { 'x[]': { css: 'li', fields: { t: 'b', u: 'a @href' } } },
      { x: [{ t: 'B', u: 'http://h.example/1' }, { u: 'http://h.example/2' }, {}] },
    ],
    [
      'hold absolute paths within their match (P13)',
      anchors,
      { 'x[]': { css: 'li', fields: { 'a[]': '//a' } } },
      { x: [{ a: ['A'] }, { a: ['B'] }] },
    ],
    [
      'know nothing around their match (P13)',
      '<div class=a><p><b>1</b></p></div>',
      { x: { css: 'p', fields: { in: 'p > b', out: '.a b', up: 'div p b' } } },
      { x: { in: '1' } },
    ],
    [
      'can give one value, null where it is missing (P16)',
      '<li><a>1</a></li><li></li>',
      { 'x[]': { css: 'li', fields: { a: 'a' }, result: 'a' } },
      { x: ['1', null] },
    ],
    [
      'can give some values, null where one is missing (P16)',
      '<li><a>1</a><i>3</i></li>',
      { x: { css: 'li', fields: { a: 'a', b: 'b', i: 'i' }, result: ['a', 'b'] } },
      { x: { a: '1', b: null } },
    ],
    ['can be of the present place', '<b>1</b>', { x: { fields: { b: 'b' } } }, { x: { b: '1' } }],
  ]);
});

const amount = String.raw`(?<cur>\$)\s*(?<amt>[\d.]+)`;
const withFilter = (...filters: readonly unknown[]): object => ({ x: { css: 'p', filters } });
const asJson = (...filters: readonly unknown[]): object => ({ x: { css: 'p', type: 'json', filters } });

describe('filters', () => {
  rows([
    [
      'run from left to right (P18)',
      '<p> x </p>',
      { x: { css: 'p', trim: false, filters: ['trim', 'upper'] } },
      { x: 'X' },
    ],
    [
      'give the first capture of a pattern (P18)',
      '<p>p 12.5</p>',
      withFilter({ regex: String.raw`(\d+)` }),
      { x: '12' },
    ],
    [
      'give null where a pattern does not match (P18)',
      '<p>p</p>',
      withFilter({ regex: String.raw`(\d+)` }),
      { x: null },
    ],
    [
      'give the whole match of a pattern without groups',
      '<p>no 12</p>',
      withFilter({ regex: String.raw`\d+` }),
      { x: '12' },
    ],
    [
      'give an object for named groups (P18)',
      '<p>$ 12.5</p>',
      asJson({ regex: amount }),
      { x: { cur: '$', amt: '12.5' } },
    ],
    ['that are functions and give an empty text leave the value', '<p>p</p>', withFilter(() => ''), { x: 'p' }],
    ['that are functions may give 0', '<p>p</p>', withFilter(() => 0), { x: 0 }],
    ['that are functions may give a number', '<p>p</p>', withFilter(() => 3), { x: 3 }],
    ['that are functions may give nothing', '<p>p</p>', withFilter(() => undefined), { x: null }],
  ]);
});

const page = '<p><a href=q>t</a></p><!-- x --><p>a</p><div><p>c</p></div>';

describe('XPath', () => {
  rows([
    ['finds attributes, as they are written (P20)', page, { x: '//a/@href' }, { x: 'q' }],
    ['finds texts (P20)', '<p>a<b>x</b></p><p>c</p>', { 'x[]': '//p/text()' }, { x: ['a', 'c'] }],
    ['finds comments (P20)', page, { 'x[]': { xpath: '//comment()', trim: false } }, { x: [' x '] }],
    [
      'is what begins with a slash or with id (P20)',
      '<div id=a>1</div><p>2</p>',
      { a: 'id("a")', p: '/p', css: 'p' },
      { a: '1', p: '2', css: '2' },
    ],
  ]);
});

describe('addresses', () => {
  const deep = 'https://h.example/a/b/';
  const of = (src: string): string => `<img src="${src}">`;
  const rule = { x: 'img @src' };
  rows([
    ['that are empty are the page', of(''), rule, { x: deep }, deep],
    ['without a scheme have that of the page', of('//cdn.x/y.png'), rule, { x: 'https://cdn.x/y.png' }, deep],
    ['that are data stay', of('data:image/gif;base64,R0 l'), rule, { x: 'data:image/gif;base64,R0 l' }, deep],
    ['of mail stay', '<a href="mailto:me@x">', { x: 'a @href' }, { x: 'mailto:me@x' }, deep],
    ['that are fragments are of the page', '<a href="#z">', { x: 'a @href' }, { x: `${deep}#z` }, deep],
    ['above the root are at the root', of('../../../q'), rule, { x: 'https://h.example/q' }, deep],
    ['in data attributes stay (P11)', '<img data-src=/q>', { x: 'img @data-src' }, { x: '/q' }, deep],
    ['that are missing are null (P10, P12)', '<img>', rule, { x: null }, deep],
    [
      'of video, source and poster are absolute',
      '<video poster=p.png src=v.mp4><source src=s.mp4></video>',
      { p: 'video @poster', v: 'video @src', s: 'source @src' },
      { p: `${deep}p.png`, v: `${deep}v.mp4`, s: `${deep}s.mp4` },
      deep,
    ],
    [
      'of srcset are absolute, each',
      '<img srcset="a.jpg 1x, /b,c.jpg 2x,d.jpg">',
      { x: 'img @srcset' },
      { x: `${deep}a.jpg 1x, https://h.example/b,c.jpg 2x, ${deep}d.jpg` },
      deep,
    ],
  ]);
});

describe('selectors', () => {
  const markup =
    '<div id=d class="a b" data-x=one-two lang="en us"><p>1</p><p class=x>2</p><span>3</span><p>4</p></div>';
  for (const [css, found] of [
    ['div', ['1234']],
    ['#d', ['1234']],
    ['.b', ['1234']],
    ['[data-x]', ['1234']],
    ['[data-x=one-two]', ['1234']],
    ['[data-x^=one]', ['1234']],
    ['[data-x$=two]', ['1234']],
    ['[data-x*=e-t]', ['1234']],
    ['[lang~=us]', ['1234']],
    ['p:not(.x)', ['1', '4']],
    ['div > p', ['1', '2', '4']],
    ['p + span', ['3']],
    ['span ~ p', ['4']],
    ['span, .x', ['2', '3']],
    ['p:nth-child(2)', ['2']],
    ['p:first-child', ['1']],
    ['p:last-child', ['4']],
    ['p:contains("2")', ['2']],
    ['div:has(> span)', ['1234']],
  ] as const) {
    test(`of the form ${css} work (P21)`, async () =>
      assert.deepEqual(await given(markup, { 'x[]': css }, base), { x: found }));
  }
});
