import type { DocumentKind } from './kind.ts';
import { xml } from './xml.ts';
import type { BranchPlan, FieldPlan, PlacePlan, RecordPlan, TakePlan } from '../rule/plan.ts';
import type { ScalarRule } from '../value/all.ts';

/** Feeds write dates as mail does, Atom as ISO 8601 does, and some forget the zone. */
const written: ScalarRule = {
  type: 'datetime',
  formats: ['RFC2822', 'ISO', 'ccc, d MMM yyyy H:mm:ss', 'd MMM yyyy H:mm:ss', 'yyyy-MM-dd H:mm:ss'],
};

const atomLink = "link[@href][not(@rel) or @rel='alternate']/@href";
const atomPrefixedLink = "atom:link[@href][@rel='alternate']/@href";
const permanent = "guid[not(@isPermaLink) or @isPermaLink='true'][starts-with(normalize-space(.), 'http')]";

const links = texts('link[not(@href)]', atomLink, permanent, atomPrefixedLink);

/**
 * The record of a feed whose definition declares none: one for each item of RSS 2.0 and 1.0 or entry of Atom, whose key is its own
 * identifier, else its link.
 */
export const rssItem: RecordPlan = {
  type: 'item',
  key: 'id',
  each: xpath('//item | //entry | //atom:entry'),
  fields: [
    field('id', [...texts('guid', 'id', 'atom:id', '@rdf:about'), ...links], { type: 'text' }),
    field('title', texts('title', 'atom:title', 'dc:title'), { type: 'text' }),
    field('link', links, { type: 'url' }),
    field('published', texts('pubDate', 'published', 'atom:published', 'dc:date', 'issued'), written),
    field('updated', texts('updated', 'atom:updated', 'modified', 'dcterms:modified'), written),
    field('author', texts('author/name', 'dc:creator', 'author', 'itunes:author'), { type: 'text' }),
    field('summary', [...markup('description'), ...markup('summary'), ...markup('itunes:summary')], { type: 'text' }),
    field('content', [at('content:encoded', 'raw'), ...markup('content')], { type: 'text' }),
    {
      ...field('categories', texts('category[not(@term)] | category/@term | dc:subject'), { type: 'text' }),
      rule: { type: 'array', of: { type: 'text' } },
    },
    field('enclosure', texts('enclosure/@url', "link[@rel='enclosure']/@href", 'media:content/@url'), { type: 'url' }),
  ],
};

/** A feed of RSS 2.0 or 1.0, or of Atom. */
export const rss: DocumentKind = {
  ...xml,
  title: 'a feed',
  openedAs: 'xml',
  record: rssItem,
  docs: {
    readAs:
      'RSS 2.0, RSS 1.0 and Atom; without `records` a record `item`: ' +
      rssItem.fields.map(({ name }) => `\`${name}\``).join(', '),
    places: 'CSS, XPath',
  },
};

function field(name: string, branches: readonly BranchPlan[], rule: ScalarRule): FieldPlan {
  return { name, branches, filters: [], required: false, rule };
}

function texts(...paths: readonly string[]): BranchPlan[] {
  return paths.map((path) => at(path, 'text'));
}

function at(path: string, take: TakePlan): BranchPlan {
  return { place: xpath(path), take, trim: true, filters: [] };
}

/** Branches for an element that holds markup as text, or, in Atom's XHTML, as markup. */
function markup(name: string): BranchPlan[] {
  return [at(`${name}[@type='xhtml']`, 'html'), at(name, 'raw')];
}

function xpath(path: string): PlacePlan {
  return { by: 'xpath', xpath: path };
}
