/** The usual prefix of each namespace that feeds use, by its address; empty for those whose elements are items and what they hold. */
const usualPrefixes: ReadonlyMap<string, string> = new Map([
  ['purl.org/rss/1.0', ''],
  ['my.netscape.com/rdf/simple/0.9', ''],
  ['channel.netscape.com/rdf/simple/0.9', ''],
  ['backend.userland.com/rss', ''],
  ['backend.userland.com/rss2', ''],
  ['blogs.law.harvard.edu/tech/rss', ''],
  ['www.w3.org/1999/xhtml', ''],
  ['www.w3.org/2005/atom', 'atom'],
  ['purl.org/atom/ns', 'atom'],
  ['purl.org/dc/elements/1.0', 'dc'],
  ['purl.org/dc/elements/1.1', 'dc'],
  ['purl.org/dc/terms', 'dcterms'],
  ['purl.org/rss/1.0/modules/content', 'content'],
  ['www.itunes.com/dtds/podcast-1.0.dtd', 'itunes'],
  ['search.yahoo.com/mrss', 'media'],
  ['video.search.yahoo.com/mrss', 'media'],
  ['www.w3.org/1999/02/22-rdf-syntax-ns', 'rdf'],
]);

const taken: ReadonlySet<string> = new Set([...usualPrefixes.values()].filter((prefix) => prefix !== ''));

/** The prefix of a namespace that no feed has, where its own is the usual one of another. */
const foreign = 'other';

/** The names of elements and attributes under some declarations of namespaces, with the prefixes that feeds usually give them. */
export class Vocabulary {
  readonly #isAtom: boolean;
  /** The usual prefix for each that was declared, the empty one among them. */
  readonly #prefixes: ReadonlyMap<string, string>;
  readonly #names = new Map<string, string>();

  private constructor(isAtom: boolean, prefixes: ReadonlyMap<string, string>) {
    this.#isAtom = isAtom;
    this.#prefixes = prefixes;
  }

  /** Makes the vocabulary of a document's first element. What that is called without a prefix is of the feed, whatever its namespace. */
  static of(root: string, attributes: Readonly<Record<string, string>>): Vocabulary {
    const isAtom = /^(?:[^:]*:)?(?:feed|entry)$/.test(root);
    const declared = new Vocabulary(isAtom, new Map()).within(attributes);
    return new Vocabulary(isAtom, new Map([...declared.#prefixes, ['', '']]));
  }

  /** Returns the vocabulary within an element with these attributes. */
  within(attributes: Readonly<Record<string, string>>): Vocabulary {
    let prefixes: Map<string, string> | undefined;
    for (const name in attributes) {
      if (!name.startsWith('xmlns') || (name.length > 5 && name[5] !== ':')) continue;
      prefixes ??= new Map(this.#prefixes);
      prefixes.set(name.slice(6), this.#usualPrefix(name.slice(6), attributes[name] ?? ''));
    }
    return prefixes === undefined ? this : new Vocabulary(this.#isAtom, prefixes);
  }

  /** Returns an element's name with the usual prefix of its namespace. */
  elementNamed(written: string): string {
    const known = this.#names.get(written);
    if (known !== undefined) return known;
    const [prefix, local] = partsOf(written);
    const usual = this.#prefixes.get(prefix) ?? prefix;
    const name = usual === '' ? local : `${usual}:${local}`;
    this.#names.set(written, name);
    return name;
  }

  /** Returns an attribute's name with the usual prefix of its namespace; without a prefix it has none. */
  attributeNamed(written: string): string {
    return !written.includes(':') || written.startsWith('xml') ? written : this.elementNamed(written);
  }

  #usualPrefix(prefix: string, address: string): string {
    const known = usualPrefixes.get(address.toLowerCase().replaceAll(/^https?:\/\/|[/#]+$/g, ''));
    if (known !== undefined) return known === 'atom' && this.#isAtom ? '' : known;
    // Without a scheme it names no namespace, and the prefix is all that is known.
    if (!address.includes(':')) return prefix;
    return prefix === '' || taken.has(prefix) ? foreign : prefix;
  }
}

function partsOf(written: string): readonly [prefix: string, local: string] {
  const colon = written.indexOf(':');
  return colon < 0 ? ['', written] : [written.slice(0, colon), written.slice(colon + 1)];
}
