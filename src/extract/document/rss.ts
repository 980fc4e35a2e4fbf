import type { DocumentKind } from './kind.ts';
import { FeedTree } from './feed-tree.ts';
import { parseInto, xml } from './xml.ts';
import type { BranchPlan, FieldPlan, PlacePlan, RecordPlan, TakePlan } from '../rule/plan.ts';
import type { ScalarRule } from '../value/all.ts';

/** Feeds write dates as mail does, Atom as ISO 8601 does, and some forget the zone. */
const written: ScalarRule = {
  type: 'datetime',
  formats: ['RFC2822', 'ISO', 'ccc, d MMM yyyy H:mm:ss', 'd MMM yyyy H:mm:ss', 'yyyy-MM-dd H:mm:ss'],
};

const textLink = "link[not(@href)][not(@rel) or @rel='alternate']";
const atomLink = "link[@href][not(@rel) or @rel='alternate']/@href";
const atomPrefixedLink = "atom:link[@href][@rel='alternate']/@href";
const permanent = "guid[not(@isPermaLink) or @isPermaLink='true'][starts-with(normalize-space(.), 'http')]";

const links = texts(textLink, atomLink, permanent, atomPrefixedLink);

/** An identifier of Atom that is written as a relative address. */
const relativeId: readonly BranchPlan[] = texts("id[starts-with(normalize-space(.), '/')]").map((branch) => ({
  ...branch,
  filters: [{ type: 'url' }],
}));

const published = [
  'pubDate',
  'published',
  'atom:published',
  'dc:date',
  'issued',
  'dcterms:issued',
  'created[last()]',
  'dcterms:created',
];
const updated = ['updated[last()]', 'atom:updated', 'modified', 'dcterms:modified'];
const titles = ['title', 'atom:title', 'dc:title', 'media:title'];
const enclosures = ['enclosure/@url', "link[@rel='enclosure']/@href", 'media:content/@url'];

const anyTitle = titles.join(' | ');
const anyDate = [...published, ...updated].join(' | ');

/** What tells items apart that have no identifier, link or file: title and date, and the beginning of the text where one of them is missing. */
const unnamed =
  `normalize-space(concat(${anyTitle}, ' ', ${anyDate}, ' ', ` +
  `substring(description | summary | content:encoded | content, 1, 500 * not((${anyTitle}) and (${anyDate})))))`;

/**
 * The record of a feed whose definition declares none: one for each item of RSS 2.0 and 1.0 or entry of Atom, whose key is its own
 * identifier, else its link or file, else its title and date.
 */
export const rssItem: RecordPlan = {
  type: 'item',
  key: ['id'],
  each: { by: 'css', css: 'item, entry' },
  fields: [
    field(
      'id',
      [
        ...texts('guid'),
        ...relativeId,
        ...texts('id', 'atom:id', '@rdf:about'),
        ...links,
        ...texts(...enclosures, unnamed),
      ],
      { type: 'text' },
    ),
    field('title', texts(...titles), { type: 'text' }),
    field('link', links, { type: 'url' }),
    field('published', texts(...published), written),
    field('updated', texts(...updated), written),
    field('author', texts('author/name', 'dc:creator', 'author', 'itunes:author'), { type: 'text' }),
    field('summary', [...markup('description'), ...markup('summary'), ...markup('itunes:summary')], { type: 'text' }),
    field('content', [at('content:encoded', 'raw'), ...markup('content')], { type: 'text' }),
    {
      ...field('categories', texts('category[not(@term)] | category/@term | dc:subject'), { type: 'text' }),
      rule: { type: 'array', of: { type: 'text' } },
    },
    field('enclosure', texts(...enclosures), { type: 'url' }),
  ],
};

/** A feed of RSS 2.0 or 1.0, or of Atom. */
export const rss: DocumentKind = {
  ...xml,
  title: 'a feed',
  open(text) {
    const entity = ownEntityIn(text);
    if (entity !== undefined)
      return { ok: false, message: `expected no entities that it defines itself, got "&${entity};"` };
    const { root, rootName, hasBases, hasItems } = parseInto(new FeedTree(), text);
    return rootName !== undefined && roots.has(rootName)
      ? { ok: true, root, hasBases, isEmptyList: !hasItems }
      : { ok: false, message: `expected RSS or Atom, got ${rootName === undefined ? 'text alone' : `<${rootName}>`}` };
  },
  record: rssItem,
  docs: {
    readAs:
      'RSS 2.0, RSS 1.0 and Atom, where prefixes are the usual ones (`dc:`, `content:`, `itunes:`, `media:`; those of the feed itself ' +
      'none) and titles are text, whatever the feed writes; without `records` a record `item`: ' +
      rssItem.fields.map(({ name }) => `\`${name}\``).join(', '),
    places: 'CSS, XPath',
  },
};

const roots: ReadonlySet<string> = new Set(['rss', 'rdf:RDF', 'RDF', 'feed', 'entry', 'channel']);

/** Longest part of a document that is looked at for definitions of entities, in characters, and how many of them are. */
const [maxHead, maxEntities] = [65_536, 100];

/** Returns the name of an entity that a document defines and uses, as it is not expanded; undefined if there is none. */
function ownEntityIn(text: string): string | undefined {
  const head = text.slice(0, maxHead);
  if (!head.includes('<!ENTITY')) return undefined;
  const names = Array.from(head.matchAll(/<!ENTITY\s+([\w.-]{1,100})\s/g), ([, name = '']) => name);
  return names.slice(0, maxEntities).find((name) => text.includes(`&${name};`));
}

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
