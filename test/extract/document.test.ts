import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseSource } from '../../src/definition/load.ts';
import type { ExtractOutcome } from '../../src/extract/draft.ts';
import { planOf } from '../../src/provider/plans.ts';
import { read } from './plan.ts';

/** Reads a body by the text of a definition. */
async function readBy(definition: string, body: string, contentType: string): Promise<ExtractOutcome> {
  const parsed = parseSource(`id: site\n${definition}`, 'site.yaml');
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message, path }) => `${path}: ${message}`).join('\n'));
  return read(body, planOf(parsed.value), { contentType });
}

async function drafts(definition: string, body: string, contentType: string): Promise<unknown> {
  const outcome = await readBy(definition, body, contentType);
  return outcome.ok ? outcome.extraction.drafts.map(({ key, fields }) => [key, fields]) : outcome.failure;
}

const items =
  'provider: json\nrecords: { item: { key: id, each: "$.items[*]", fields: { id: { json: $.id, type: integer }, "tags[]": $.tags, name: $.name } } }';

describe('JSON', () => {
  test('has records by path, and fields by paths in them', async () => {
    const body = '{"items": [{"id": 1, "tags": ["a", "b"], "name": " x "}, {"id": 2, "name": null}]}';
    assert.deepEqual(await drafts(items, body, 'application/json'), [
      ['1', { id: 1, tags: ['a', 'b'], name: 'x' }],
      ['2', { id: 2, name: null }],
    ]);
  });

  test('has no list in place of a text (O14)', async () => {
    const outcome = await readBy(items, '{"items": [{"id": 1, "tags": "abc"}]}', 'application/json');
    assert.deepEqual(outcome.ok && [outcome.extraction.drafts[0]?.fields, outcome.extraction.unparsed], [
      { id: 1 },
      [{ record: 'item', key: '1', field: 'tags', text: 'abc', expected: 'a list' }],
    ]);
  });

  test('has a list of records where one path leads to it', async () => {
    const definition =
      'provider: json\nrecords: { item: { key: id, each: $, fields: { id: $.id, sub: { json: $.sub, fields: { "n[]": { json: "$.n[*]", type: integer } } } } } }';
    assert.deepEqual(await drafts(definition, '[{"id": "a", "sub": {"n": [1, 2]}}, {"id": "b"}]', 'application/json'), [
      ['a', { id: 'a', sub: { n: [1, 2] } }],
      ['b', { id: 'b' }],
    ]);
  });

  test('that cannot be parsed is a failure with the reason (J61)', async () => {
    const outcome = await readBy(items, '{"items": [', 'application/json');
    assert.ok(!outcome.ok && outcome.failure.code === 'unparseable');
    assert.match(outcome.failure.message, /JSON/);
    assert.equal(outcome.excerpt, '{"items": [');
  });
});

describe('a table', () => {
  test('has a record in each row', async () => {
    const definition =
      'provider: csv\nrecords: { row: { key: id, fields: { id: $.id, price: { json: "$[\'Unit price\']", type: number } } } }';
    assert.deepEqual(await drafts(definition, 'id,Unit price\na,1.5\nb,\n', 'text/csv'), [
      ['a', { id: 'a', price: 1.5 }],
      ['b', { id: 'b' }],
    ]);
  });

  test('may be written in its own way', async () => {
    const definition =
      'provider: csv\ncsv: { delimiter: "|", header: [id, n] }\nrecords: { row: { key: id, fields: { id: $.id, n: $.n } } }';
    assert.deepEqual(await drafts(definition, 'a|1\n', 'text/csv'), [['a', { id: 'a', n: '1' }]]);
  });

  test('that cannot be parsed is a failure with the reason (J61)', async () => {
    const definition = 'provider: csv\nrecords: { row: { key: id, fields: { id: $.id } } }';
    const outcome = await readBy(definition, 'id,b\n"a,1\n', 'text/csv');
    assert.ok(!outcome.ok && outcome.failure.code === 'unparseable' && outcome.failure.message !== '');
  });
});

describe('XML', () => {
  const definition =
    'provider: xml\nrecords: { item: { key: id, each: Item, fields: { id: "@Id", name: /Item/Name, note: { css: Note } } } }';

  test('has records by selector and fields by XPath, with names in their case', async () => {
    const body =
      '<?xml version="1.0"?><List><Item Id="1"><Name>A &amp; B</Name><Note><![CDATA[<b>]]></Note></Item><item Id="2"/></List>';
    assert.deepEqual(await drafts(definition, body, 'application/xml'), [
      ['1', { id: '1', name: 'A & B', note: '<b>' }],
    ]);
  });

  test('that is none is a failure with the reason (J61)', async () => {
    const outcome = await readBy(definition, 'not found', 'application/xml');
    assert.ok(!outcome.ok && outcome.failure.code === 'unparseable');
  });
});

describe('a feed', () => {
  const rss = `<rss version="2.0" xmlns:content="c"><channel><title>Feed</title><link>http://h.test/</link>
    <item><title>One</title><link>http://h.test/1</link><guid>g1</guid><pubDate>Fri, 20 Nov 2026 10:00:00 GMT</pubDate>
    <category>a</category><category>b</category><description>Short</description><content:encoded><![CDATA[<p>Long</p>]]></content:encoded>
    <author>me@h.test</author><enclosure url="http://h.test/1.mp3" length="1" type="audio/mpeg"/></item>
    <item><title>Two</title><link>http://h.test/2</link></item></channel></rss>`;

  test('of RSS has a record for each item without a word of a definition', async () => {
    assert.deepEqual(await drafts('provider: rss', rss, 'application/rss+xml'), [
      [
        'g1',
        {
          id: 'g1',
          title: 'One',
          link: 'http://h.test/1',
          published: '2026-11-20T10:00:00.000Z',
          author: 'me@h.test',
          summary: 'Short',
          content: '<p>Long</p>',
          categories: ['a', 'b'],
          enclosure: 'http://h.test/1.mp3',
        },
      ],
      ['http://h.test/2', { id: 'http://h.test/2', title: 'Two', link: 'http://h.test/2', categories: [] }],
    ]);
  });

  test('of RSS 1.0 goes by what its items are about', async () => {
    const body =
      '<rdf:RDF xmlns:rdf="r" xmlns:dc="d"><item rdf:about="http://h.test/1"><title>One</title><dc:date>2026-11-20T10:00:00Z</dc:date><dc:creator>Me</dc:creator></item></rdf:RDF>';
    assert.deepEqual(await drafts('provider: rss', body, 'text/xml'), [
      [
        'http://h.test/1',
        { id: 'http://h.test/1', title: 'One', published: '2026-11-20T10:00:00.000Z', author: 'Me', categories: [] },
      ],
    ]);
  });

  test('of Atom has a record for each entry', async () => {
    const body = `<feed xmlns="http://www.w3.org/2005/Atom"><id>f</id><entry><id>e1</id><title>One</title><link rel="self" href="/s"/>
      <link href="/1"/><updated>2026-11-20T10:00:00+01:00</updated><author><name>Me</name></author><category term="a"/>
      <source><id>other</id><title>Other</title></source></entry></feed>`;
    assert.deepEqual(await drafts('provider: rss', body, 'application/atom+xml'), [
      [
        'e1',
        {
          id: 'e1',
          title: 'One',
          link: 'http://site.test/1',
          updated: '2026-11-20T09:00:00.000Z',
          author: 'Me',
          categories: ['a'],
        },
      ],
    ]);
  });
});

describe('JSON in a page', () => {
  const page = `<script type="application/ld+json">{"@type": "Product", "name": "Lamp", "offers": [{"price": "5"}, {"price": "6"}]}</script>
    <script>window.__STATE__ = {"user": {"id": 7}};</script><script id=data type="application/json">{"n": 1}</script>
    <div itemscope itemtype="https://schema.org/Person"><b itemprop=name>Ann</b></div>`;
  const field = async (rule: string): Promise<unknown> => {
    const outcome = await readBy(
      `records: { page: { key: k, fields: { k: { const: k }, x: ${rule} } } }`,
      `<h1>a</h1>${page}`,
      'text/html',
    );
    return outcome.ok ? outcome.extraction.drafts[0]?.fields['x'] : outcome.failure;
  };

  for (const [where, rule, value] of [
    ['linked data', "{ json: \"$[?@['@type']=='Product'].name\", in: ld+json }", 'Lamp'],
    [
      'linked data, as a list',
      '{ json: "$[0].offers[*].price", in: ld+json, type: array, of: { type: number } }',
      [5, 6],
    ],
    [
      'linked data, as objects',
      '{ json: "$[0].offers[*]", in: ld+json, type: array, of: { fields: { p: $.price } } }',
      [{ p: '5' }, { p: '6' }],
    ],
    ['a variable', '{ json: $.user.id, in: { variable: __STATE__ }, type: integer }', 7],
    ['a script', '{ json: $.n, in: { script: "#data" }, type: integer }', 1],
    ['microdata', '{ json: "$[0].props.name[0]", in: microdata }', 'Ann'],
  ] as const) {
    test(`is found in ${where}`, async () => assert.deepEqual(await field(rule), value));
  }
});

test('a body of another kind is told by its media type', async () => {
  assert.deepEqual(await drafts(items, '<p>', 'text/html'), {
    code: 'wrong_type',
    mediaType: 'text/html',
    document: 'json',
  });
});
