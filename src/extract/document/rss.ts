import type { BranchPlan, FieldPlan, PlacePlan, RecordPlan, TakePlan } from '../plan.ts';
import type { ScalarRule } from '../value/rule.ts';

/** Feeds write dates as mail does, Atom as ISO 8601 does, and some forget the zone. */
const written: ScalarRule = {
  type: 'datetime',
  formats: ['RFC2822', 'ISO', 'ccc, d MMM yyyy H:mm:ss', 'd MMM yyyy H:mm:ss', 'yyyy-MM-dd H:mm:ss'],
};

const atomLink = "link[@href][not(@rel) or @rel='alternate']/@href";
const atomPrefixedLink = "atom:link[@href][@rel='alternate']/@href";
const permanent = "guid[not(@isPermaLink) or @isPermaLink='true'][starts-with(normalize-space(.), 'http')]";

const links = [at('link[not(@href)]'), at(atomLink), at(permanent), at(atomPrefixedLink)];

/**
 * The record that a feed gives without being told: one for each item of RSS 2.0 and 1.0 or entry of Atom, known by its own
 * identifier, else by its link.
 */
export const rssItem: RecordPlan = {
  type: 'item',
  key: 'id',
  each: xpath('//item | //entry | //atom:entry'),
  fields: [
    field('id', [at('guid'), at('id'), at('atom:id'), at('@rdf:about'), ...links], { type: 'text' }),
    field('title', [at('title'), at('atom:title'), at('dc:title')], { type: 'text' }),
    field('link', links, { type: 'url' }),
    field(
      'published',
      ['pubDate', 'published', 'atom:published', 'dc:date', 'issued'].map((each) => at(each)),
      written,
    ),
    field(
      'updated',
      ['updated', 'atom:updated', 'modified', 'dcterms:modified'].map((each) => at(each)),
      written,
    ),
    field(
      'author',
      ['author/name', 'dc:creator', 'author', 'itunes:author'].map((each) => at(each)),
      { type: 'text' },
    ),
    field('summary', [...markup('description'), ...markup('summary'), ...markup('itunes:summary')], { type: 'text' }),
    field('content', [at('content:encoded', 'raw'), ...markup('content')], { type: 'text' }),
    {
      ...field('categories', [at('category[not(@term)] | category/@term | dc:subject')], { type: 'text' }),
      rule: { type: 'array', of: { type: 'text' } },
    },
    field(
      'enclosure',
      ['enclosure/@url', "link[@rel='enclosure']/@href", 'media:content/@url'].map((each) => at(each)),
      { type: 'url' },
    ),
  ],
};

function field(name: string, branches: readonly BranchPlan[], rule: ScalarRule): FieldPlan {
  return { name, branches, filters: [], required: false, rule };
}

function at(path: string, take: TakePlan = 'text'): BranchPlan {
  return { place: xpath(path), take, trim: true, filters: [] };
}

/** Of what holds markup as text, the text is the markup; Atom's XHTML is markup itself. */
function markup(name: string): BranchPlan[] {
  return [at(`${name}[@type='xhtml']`, 'html'), at(name, 'raw')];
}

function xpath(path: string): PlacePlan {
  return { by: 'xpath', xpath: path };
}
