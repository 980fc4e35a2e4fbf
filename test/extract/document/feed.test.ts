import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isTag, type ParentNode } from 'domhandler';
import { textContent } from '../../../src/extract/tree/nodes.ts';
import { rssItem } from '../../../src/extract/document/rss.ts';
import { sitemapLinks } from '../../../src/extract/links.ts';
import { parseXml } from '../../../src/extract/document/xml.ts';
import { compileXPath } from '../../../src/extract/xpath/xpath.ts';
import { readValue } from '../../../src/extract/value/all.ts';
import type { Value } from '../../../src/extract/value/value.ts';
import type { FieldPlan, PlacePlan } from '../../../src/extract/rule/plan.ts';

function hits(place: PlacePlan | undefined, root: ParentNode): readonly (Value | ParentNode)[] {
  assert.ok(place?.by === 'xpath');
  return compileXPath(place.xpath)(root);
}

/** The first branch that finds anything, read as the field's type. */
function read({ branches, rule }: FieldPlan, item: ParentNode): Value {
  for (const { place } of branches) {
    const found = hits(place, item).map((hit) =>
      typeof hit === 'object' ? textContent(hit as Parameters<typeof textContent>[0]).trim() : hit,
    );
    if (found.length === 0) continue;
    if (rule.type === 'array') return found;
    assert.ok(rule.type !== 'object');
    const value = readValue(found[0] ?? null, rule, 'https://blog.test/feed');
    return value.ok ? value.value : `refused: ${value.text}`;
  }
  return null;
}

function items(xml: string): Record<string, Value>[] {
  return hits(rssItem.each, parseXml(xml)).map((item) => {
    assert.ok(typeof item === 'object' && item !== null && 'children' in item);
    const fields = rssItem.fields.map((field) => [field.name, read(field, item as ParentNode)] as const);
    return Object.fromEntries(fields.filter(([, value]) => value !== null));
  });
}

describe('a feed', () => {
  test('of RSS 2.0 gives its items', () => {
    const xml = `<?xml version="1.0"?><rss version="2.0" xmlns:dc="d" xmlns:content="c" xmlns:atom="a"><channel><title>Blog</title>
      <link>https://blog.test/</link><atom:link href="https://blog.test/feed" rel="self"/>
      <item><guid isPermaLink="false">id-1</guid><title>A &amp; B</title><link>https://blog.test/1</link>
        <pubDate>Sat, 21 Nov 2026 10:00:00 +0100</pubDate><dc:creator><![CDATA[Ann]]></dc:creator>
        <description><![CDATA[<p>Hi</p>]]></description><content:encoded><![CDATA[<p>Hi there</p>]]></content:encoded>
        <category>x</category><category>y</category><enclosure url="/a.mp3" type="audio/mpeg" length="1"/></item>
      <item><guid>https://blog.test/2</guid><pubDate>21 Nov 2026 10:00 GMT</pubDate></item></channel></rss>`;
    assert.deepEqual(items(xml), [
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
      { id: 'https://blog.test/2', link: 'https://blog.test/2', published: '2026-11-21T10:00:00.000Z' },
    ]);
  });

  test('of RSS 1.0 gives its items', () => {
    const xml = `<rdf:RDF xmlns:rdf="r" xmlns="http://purl.org/rss/1.0/" xmlns:dc="d"><channel rdf:about="x"><title>B</title></channel>
      <item rdf:about="https://blog.test/1"><title>A</title><link>https://blog.test/1</link><dc:date>2026-11-21T10:00:00Z</dc:date><dc:subject>x</dc:subject></item></rdf:RDF>`;
    assert.deepEqual(items(xml), [
      {
        id: 'https://blog.test/1',
        title: 'A',
        link: 'https://blog.test/1',
        published: '2026-11-21T10:00:00.000Z',
        categories: ['x'],
      },
    ]);
  });

  test('of Atom gives its entries', () => {
    const xml = `<feed xmlns="http://www.w3.org/2005/Atom"><title>B</title><entry><id>urn:1</id><title type="html">A</title>
      <link rel="self" href="/self"/><link rel="alternate" href="/1"/><link rel="enclosure" href="/1.mp3"/><published>2026-11-21T10:00:00+01:00</published>
      <updated>2026-11-22</updated><author><name>Ann</name><email>a@b</email></author><category term="x"/><summary>S</summary><content type="xhtml"><div>C</div></content></entry></feed>`;
    assert.deepEqual(items(xml), [
      {
        id: 'urn:1',
        title: 'A',
        link: 'https://blog.test/1',
        published: '2026-11-21T09:00:00.000Z',
        updated: '2026-11-22T00:00:00.000Z',
        author: 'Ann',
        summary: 'S',
        content: 'C',
        categories: ['x'],
        enclosure: 'https://blog.test/1.mp3',
      },
    ]);
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
