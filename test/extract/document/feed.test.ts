import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isTag } from 'domhandler';
import { textContent } from '../../../src/extract/tree/nodes.ts';
import { parseSource } from '../../../src/definition/load.ts';
import { extract } from '../../../src/extract/extract.ts';
import type { ExtractOutcome } from '../../../src/extract/draft.ts';
import { sitemapLinks } from '../../../src/extract/links.ts';
import { parseXml } from '../../../src/extract/document/xml.ts';
import type { Value } from '../../../src/extract/value/value.ts';
import { planOf } from '../../../src/provider/plans.ts';
import { bodyOf } from '../plan.ts';

/** Reads a feed from `https://blog.test/feed` by its built-in record, or by the rest of a definition. */
function outcomeOf(xml: string, definition = 'provider: rss'): Promise<ExtractOutcome> {
  const parsed = parseSource(`id: blog\n${definition}`, 'blog.yaml');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const page = { url: 'https://blog.test/feed', contentType: 'application/xml' };
  return extract({ ...page, body: bodyOf(xml), plan: planOf(parsed.value) });
}

async function items(xml: string, definition?: string): Promise<readonly Readonly<Record<string, Value>>[]> {
  const outcome = await outcomeOf(xml, definition);
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.failure));
  return outcome.extraction.drafts.map(({ fields }) => fields);
}

/** What the items of a feed have but their categories. */
async function withoutCategories(xml: string): Promise<readonly Readonly<Record<string, Value>>[]> {
  return (await items(xml)).map(({ categories: _categories, ...fields }) => fields);
}

function channel(item: string, attributes = ''): string {
  return `<rss version="2.0" ${attributes}><channel><title>Blog</title>${item}</channel></rss>`;
}

async function titleOf(title: string): Promise<Value | undefined> {
  return (await items(channel(`<item><guid>1</guid>${title}</item>`)))[0]?.['title'];
}

const atomNamespace = 'xmlns="http://www.w3.org/2005/Atom"';

describe('a feed', () => {
  test('of RSS 2.0 gives its items', async () => {
    const xml = `<?xml version="1.0"?><rss version="2.0" xmlns:dc="d" xmlns:content="c" xmlns:atom="a"><channel><title>Blog</title>
      <link>https://blog.test/</link><atom:link href="https://blog.test/feed" rel="self"/>
      <item><guid isPermaLink="false">id-1</guid><title>A &amp; B</title><link>https://blog.test/1</link>
        <pubDate>Sat, 21 Nov 2026 10:00:00 +0100</pubDate><dc:creator><![CDATA[Ann]]></dc:creator>
        <description><![CDATA[<p>Hi</p>]]></description><content:encoded><![CDATA[<p>Hi there</p>]]></content:encoded>
        <category>x</category><category>y</category><enclosure url="/a.mp3" type="audio/mpeg" length="1"/></item>
      <item><guid>https://blog.test/2</guid><pubDate>21 Nov 2026 10:00 GMT</pubDate></item></channel></rss>`;
    assert.deepEqual(await items(xml), [
      {
        id: 'id-1',
        title: 'A & B',
        link: 'https://blog.test/1',
        published: '2026-11-21T09:00:00.000Z',
        author: 'Ann',
        summary: '<p>Hi</p>',
        content: '<p>Hi there</p>',
        categories: ['x', 'y'],
        enclosure: 'https://blog.test/a.mp3',
      },
      { id: 'https://blog.test/2', link: 'https://blog.test/2', published: '2026-11-21T10:00:00.000Z', categories: [] },
    ]);
  });

  test('of RSS 1.0 gives its items', async () => {
    const xml = `<rdf:RDF xmlns:rdf="r" xmlns="http://purl.org/rss/1.0/" xmlns:dc="d"><channel rdf:about="x"><title>B</title></channel>
      <item rdf:about="https://blog.test/1"><title>A</title><link>https://blog.test/1</link><dc:date>2026-11-21T10:00:00Z</dc:date><dc:subject>x</dc:subject></item></rdf:RDF>`;
    assert.deepEqual(await items(xml), [
      {
        id: 'https://blog.test/1',
        title: 'A',
        link: 'https://blog.test/1',
        published: '2026-11-21T10:00:00.000Z',
        categories: ['x'],
      },
    ]);
  });

  test('of Atom gives its entries', async () => {
    const xml = `<feed xmlns="http://www.w3.org/2005/Atom"><title>B</title><entry><id>urn:1</id><title type="html">A</title>
      <link rel="self" href="/self"/><link rel="alternate" href="/1"/><link rel="enclosure" href="/1.mp3"/><published>2026-11-21T10:00:00+01:00</published>
      <updated>2026-11-22</updated><author><name>Ann</name><email>a@b</email></author><category term="x"/><summary>S</summary><content type="xhtml"><div>C</div></content></entry></feed>`;
    assert.deepEqual(await items(xml), [
      {
        id: 'urn:1',
        title: 'A',
        link: 'https://blog.test/1',
        published: '2026-11-21T09:00:00.000Z',
        updated: '2026-11-22T00:00:00.000Z',
        author: 'Ann',
        summary: 'S',
        content: '<div>C</div>',
        categories: ['x'],
        enclosure: 'https://blog.test/1.mp3',
      },
    ]);
  });

  for (const [what, title, text] of [
    ['text alone', '<title>A &amp; B</title>', 'A & B'],
    ['escaped tags', '<title>An &lt;em&gt;odd&lt;/em&gt; title</title>', 'An odd title'],
    ['tags in CDATA', '<title><![CDATA[One<br>two &amp; <b>three</b>]]></title>', 'One two & three'],
    ['references that were escaped twice', '<title>Q&amp;amp;A&amp;#8217;s</title>', 'Q&A’s'],
    ['a tag that it speaks of', '<title>History of the &lt;blink&gt; tag</title>', 'History of the <blink> tag'],
    ['a tag without an end', '<title>Use &lt;b&gt; &amp;amp; more</title>', 'Use <b> &amp; more'],
    ['signs that are no tags', '<title>1 &lt; 2 &amp; 3 &gt; 2</title>', '1 < 2 & 3 > 2'],
    ['a type of its own', '<media:title type="plain">&lt;b&gt;x&lt;/b&gt;</media:title>', '<b>x</b>'],
  ] as const)
    test(`has titles of text, where RSS has ${what}`, async () => {
      assert.equal(await titleOf(title), text);
    });

  for (const [type, content, text] of [
    ['', 'The &lt;b&gt; tag&lt;/b&gt; &amp;amp;', 'The <b> tag</b> &amp;'],
    ['type="text"', '&lt;b&gt;A&lt;/b&gt;', '<b>A</b>'],
    ['type="html"', '&lt;b&gt;A&lt;/b&gt; &amp;amp; B', 'A & B'],
    ['type="html"', '<![CDATA[A&nbsp;B]]>', 'A\u00a0B'],
    ['type="xhtml"', '<div xmlns="http://www.w3.org/1999/xhtml">A &lt;b&gt; <b>C</b></div>', 'A <b> C'],
  ] as const)
    test(`of Atom has titles as their type says: <title ${type}>${content}`, async () => {
      const xml = `<feed ${atomNamespace}><entry><id>1</id><title ${type}>${content}</title></entry></feed>`;
      assert.equal((await items(xml))[0]?.['title'], text);
    });

  test('has the same titles for rules of a definition', async () => {
    const definition = 'provider: rss\nrecords: { post: { key: id, each: item, fields: { id: guid, name: title } } }';
    const xml = channel('<item><guid>1</guid><title>A &amp;amp; B</title></item>');
    assert.deepEqual(await items(xml, definition), [{ id: '1', name: 'A & B' }]);
  });

  test('is read by its namespaces, whatever their prefixes are', async () => {
    const rss = `<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="http://purl.org/rss/1.0/" xmlns:d="https://purl.org/dc/elements/1.1">
      <x:item r:about="https://blog.test/1"><x:title>A</x:title><x:link>https://blog.test/1</x:link><d:creator>Ann</d:creator></x:item></r:RDF>`;
    const atom = `<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry><a:id>1</a:id><a:link href="/1"/><a:title>A</a:title></a:entry></a:feed>`;
    const link = 'https://blog.test/1';
    assert.deepEqual(await withoutCategories(rss), [{ id: link, title: 'A', link, author: 'Ann' }]);
    assert.deepEqual(await withoutCategories(atom), [{ id: '1', title: 'A', link }]);
  });

  test('takes no element of another namespace for one of its own', async () => {
    const item = `<item><title xmlns="http://other.test/">B</title><guid>1</guid><title>A</title><dc:creator>Ann</dc:creator><x:link>/2</x:link></item>`;
    const xml = channel(item, 'xmlns:dc="http://other.test/dc" xmlns:x="http://other.test/"');
    assert.deepEqual(await withoutCategories(xml), [{ id: '1', title: 'A' }]);
  });

  test('resolves its addresses against the bases that its elements name', async () => {
    const xml = `<feed ${atomNamespace} xml:base="http://a.test/blog/"><entry xml:base="2026/"><id>1</id><link href="one"/>
      <link rel="enclosure" xml:base="http://files.test/" href="one.mp3"/></entry>
      <entry xml:base="javascript:x"><id>2</id><link href="two"/></entry></feed>`;
    assert.deepEqual(await withoutCategories(xml), [
      { id: '1', link: 'http://a.test/blog/2026/one', enclosure: 'http://files.test/one.mp3' },
      { id: '2', link: 'http://a.test/blog/two' },
    ]);
    const rss = channel('<item xml:base="/x/"><link>one</link></item>', 'xml:base="http://a.test/"');
    assert.equal((await items(rss))[0]?.['link'], 'http://a.test/x/one');
  });

  test('resolves the addresses of a list each against its own base, and those of other XML', async () => {
    const definition = `provider: xml
records: { page: { key: id, fields: { id: id, "links[]": { css: a, attr: href }, "typed[]": { xpath: //a/@href, type: url }, first: { xpath: //a/@href, filters: [url] } } } }`;
    const xml =
      '<r><id>1</id><s xml:base="http://a.test/"><a href="1"/></s><a xml:base="http://b.test/" href="2"/></r>';
    const links = ['http://a.test/1', 'http://b.test/2'];
    assert.deepEqual(await items(xml, definition), [{ id: '1', links, typed: links, first: links[0] }]);
  });

  test('without items is an empty list, and no failure', async () => {
    for (const xml of [channel(''), `<feed ${atomNamespace}><title>Empty</title></feed>`])
      assert.deepEqual(await items(xml), []);
    const other = await outcomeOf('<urlset><url/></urlset>');
    assert.deepEqual(other.ok || other.failure, {
      code: 'unparseable',
      document: 'rss',
      message: 'expected RSS or Atom, got <urlset>',
    });
  });

  test('tells items apart that have neither an identifier nor a link', async () => {
    const day = '<pubDate>Sat, 21 Nov 2026 10:00:00 GMT</pubDate>';
    const xml = channel(
      `<item><title>A</title>${day}<description>x</description></item><item><title>A</title><description>First</description></item>` +
        '<item><title>A</title><description>Second</description></item><item><description>Third</description></item>',
    );
    const ids = (await items(xml)).map(({ id }) => id);
    assert.deepEqual(ids, ['A Sat, 21 Nov 2026 10:00:00 GMT', 'A First', 'A Second', 'Third']);
  });

  test('with entities of its own is refused, as they are not expanded', async () => {
    const item = '<item><guid>&id;1</guid></item>';
    const outcome = await outcomeOf(`<!DOCTYPE rss [<!ENTITY id "tag:x,">]>${channel(item)}`);
    assert.ok(!outcome.ok && outcome.failure.code === 'unparseable');
    assert.match(outcome.failure.message, /"&id;"/);
  });

  test('of which elements name bases one within the other without end is read', async () => {
    const deep = `${'<g xml:base="a/">'.repeat(5_000)}<item><link>x</link></item>`;
    const [{ link } = {}] = await items(channel(deep));
    assert.ok(typeof link === 'string' && link.length < 3_000);
  });
});

describe('a sitemap', () => {
  test('names pages with the day of their last change', () => {
    const xml = `<?xml version="1.0"?><urlset xmlns="s"><url><loc> https://a.test/?x=1&amp;y=2 </loc><lastmod>2026-11-21</lastmod></url>
      <url><loc></loc></url><url><priority>1</priority></url><x:url><x:loc>https://a.test/b</x:loc></x:url></urlset>`;
    assert.deepEqual(sitemapLinks(parseXml(xml)), {
      urls: [{ loc: 'https://a.test/?x=1&y=2', lastmod: '2026-11-21' }, { loc: 'https://a.test/b' }],
      sitemaps: [],
    });
  });

  test('may be an index of others', () => {
    const xml = '<sitemapindex><sitemap><loc>https://a.test/1.xml.gz</loc></sitemap></sitemapindex>';
    assert.deepEqual(sitemapLinks(parseXml(xml)), { urls: [], sitemaps: ['https://a.test/1.xml.gz'] });
  });

  test('of anything else names nothing, and too long a one as much as the protocol allows', () => {
    assert.deepEqual(sitemapLinks(parseXml('<html><url><loc>x</loc></url></html>')), { urls: [], sitemaps: [] });
    const long = parseXml(`<urlset>${'<url><loc>https://a.test/</loc></url>'.repeat(50_010)}</urlset>`);
    assert.equal(sitemapLinks(long).urls.length, 50_000);
  });
});

describe('XML', () => {
  test('expands no entity but the five of XML and numbers, and fetches none', () => {
    const xml = '<!DOCTYPE a [<!ENTITY b "bomb"><!ENTITY c SYSTEM "file:///etc/passwd">]><a>&b;&c;&lt;&#65;&nbsp;</a>';
    const root = parseXml(xml);
    const [element] = root.children.filter(isTag);
    assert.ok(element);
    assert.equal(textContent(element), '&b;&c;<A&nbsp;');
  });
});
