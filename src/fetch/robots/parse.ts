import { canonicalPath, canonicalPattern, matches, octetCount, spelled } from './pattern.ts';

/** One `Allow` or `Disallow`; the pattern is in the canonical form of `pattern.ts`, which `ruleText` spells out. */
export interface RobotsRule {
  readonly allow: boolean;
  readonly pattern: string;
}

/** What one robots.txt says to one product token. Plain data, so that it can be stored. */
export interface RobotsRules {
  /** In lower case. */
  readonly productToken: string;
  /** The most specific first, so that the first that matches decides. */
  readonly rules: readonly RobotsRule[];
  /** The longest pause that it asks for between two requests, at most `longestCrawlDelayMs`. Not of RFC 9309. */
  readonly crawlDelayMs?: number;
  /** The http and https URLs of its `Sitemap` lines, which belong to no group. */
  readonly sitemaps: readonly string[];
  /** What there was more of than is read or obeyed. */
  readonly limitsMet: readonly RobotsLimit[];
}

export type RobotsLimit = 'size' | 'crawl-delay' | 'sitemaps';

/** The part of a robots.txt that is read; RFC 9309 (2.5) asks for no less. */
export const robotsLimitBytes = 500 * 1024;

/** A longer crawl-delay counts as this, which is also where a back-off stops growing. */
export const longestCrawlDelayMs = 300_000;

const maxSitemaps = 100;
const maxSitemapLength = 2_000;

/** The rules of a robots.txt that says nothing, or is not there. */
export function noRules(productToken: string): RobotsRules {
  return { productToken: identifier(productToken), rules: [], sitemaps: [], limitsMet: [] };
}

/**
 * Reads a robots.txt as RFC 9309 has it. Whatever it is given, it finds the lines that it understands and skips the others.
 *
 * @param productToken - ours: letters, `_` and `-`, in any case; what follows them, such as a version, is ignored.
 */
export function parseRobots(content: Uint8Array | string, productToken: string): RobotsRules {
  const { text, isCut } = readable(typeof content === 'string' ? Buffer.from(content) : content);
  const reader = new Reader(identifier(productToken));
  if (isCut) reader.limitsMet.add('size');
  for (const line of text.split(/[\r\n]+/)) reader.read(line);
  return reader.rules();
}

/** Whether the rules let `url` be asked; it is one of the origin they came from. */
export function isAllowed(rules: RobotsRules, url: URL): boolean {
  return decidingRule(rules, url)?.allow ?? true;
}

/** The rule that decides about `url`, if any does. */
export function decidingRule({ rules }: RobotsRules, url: URL): RobotsRule | undefined {
  if (isRobots(url)) return undefined;
  const path = canonicalPath(url);
  return rules.find(({ pattern }) => matches(pattern, path));
}

/** Whether this is a robots.txt itself, which no rule is about. */
export function isRobots(url: URL): boolean {
  return canonicalPath(url) === '/robots.txt';
}

/** A rule as a line of robots.txt. */
export function ruleText({ allow, pattern }: RobotsRule): string {
  return `${allow ? 'Allow' : 'Disallow'}: ${spelled(pattern)}`;
}

/** The lines that lie within the limit as a whole, one character per octet. */
function readable(bytes: Uint8Array): { readonly text: string; readonly isCut: boolean } {
  const octets = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const hasMark = octets[0] === 0xef && octets[1] === 0xbb && octets[2] === 0xbf;
  const isCut = octets.length > robotsLimitBytes;
  return { text: octets.toString('latin1', hasMark ? 3 : 0, isCut ? lastLineEnd(octets) : octets.length), isCut };
}

/** The last line end within the limit, or just behind it. */
function lastLineEnd(octets: Buffer): number {
  return Math.max(0, octets.lastIndexOf('\n', robotsLimitBytes), octets.lastIndexOf('\r', robotsLimitBytes));
}

/** What the groups for one user agent say together. */
class MergedGroup {
  isNamed = false;
  crawlDelayMs: number | undefined;
  /** Whether a pattern allows; of the same pattern twice, the one that does. */
  readonly #allows = new Map<string, boolean>();

  add(allow: boolean, pattern: string): void {
    this.#allows.set(pattern, allow || this.#allows.get(pattern) === true);
  }

  delay(ms: number): void {
    this.crawlDelayMs = Math.max(ms, this.crawlDelayMs ?? 0);
  }

  /** The pattern with the most octets first; of two with as many, the one that allows. */
  rules(): RobotsRule[] {
    return Array.from(this.#allows, ([pattern, allow]) => ({ allow, pattern, octets: octetCount(pattern) }))
      .sort((a, b) => b.octets - a.octets || Number(b.allow) - Number(a.allow))
      .map(({ allow, pattern }) => ({ allow, pattern }));
  }
}

/** Reads line by line; keeps only what is said to us or to everybody. */
class Reader {
  readonly limitsMet = new Set<RobotsLimit>();
  readonly #productToken: string;
  readonly #ours = new MergedGroup();
  readonly #everybodys = new MergedGroup();
  readonly #sitemaps: string[] = [];
  /** Whom the lines that follow address. */
  #addressed = new Set<MergedGroup>();
  /** A `User-agent` line after one of these adds to the addressed, or begins anew. */
  #last: 'user-agent' | 'rule' = 'rule';

  constructor(productToken: string) {
    this.#productToken = productToken;
  }

  read(line: string): void {
    const comment = line.indexOf('#');
    const record = comment === -1 ? line : line.slice(0, comment);
    const colon = record.indexOf(':');
    if (colon === -1) return;
    const value = trimmed(record.slice(colon + 1));
    switch (trimmed(record.slice(0, colon)).toLowerCase()) {
      case 'user-agent':
        return this.#address(value);
      case 'allow':
        return this.#rule(true, value);
      case 'disallow':
        return this.#rule(false, value);
      case 'crawl-delay':
        return this.#crawlDelay(value);
      case 'sitemap':
        return this.#sitemap(value);
      default:
        return undefined;
    }
  }

  rules(): RobotsRules {
    const group = this.#ours.isNamed ? this.#ours : this.#everybodys;
    const asked = group.crawlDelayMs;
    if (asked !== undefined && asked > longestCrawlDelayMs) this.limitsMet.add('crawl-delay');
    return {
      productToken: this.#productToken,
      rules: group.rules(),
      ...(asked !== undefined && { crawlDelayMs: Math.min(asked, longestCrawlDelayMs) }),
      sitemaps: this.#sitemaps,
      limitsMet: [...this.limitsMet],
    };
  }

  #address(userAgent: string): void {
    if (this.#last === 'rule') this.#addressed.clear();
    this.#last = 'user-agent';
    const group = this.#groupOf(userAgent);
    if (!group) return;
    group.isNamed = true;
    this.#addressed.add(group);
  }

  #groupOf(userAgent: string): MergedGroup | undefined {
    if (/^\*(?![^ \t])/.test(userAgent)) return this.#everybodys;
    return userAgent !== '' && identifier(userAgent) === this.#productToken ? this.#ours : undefined;
  }

  /** An empty pattern matches nothing, but it is a rule: a `User-agent` line after it begins a new group. */
  #rule(allow: boolean, pattern: string): void {
    this.#last = 'rule';
    if (pattern === '' || this.#addressed.size === 0) return;
    const canonical = canonicalPattern(pattern);
    for (const group of this.#addressed) group.add(allow, canonical);
  }

  /** No rule of RFC 9309 (2.2.4): it ends no list of user agents. */
  #crawlDelay(value: string): void {
    if (!/^(?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})$/.test(value)) return;
    for (const group of this.#addressed) group.delay(Math.round(Number(value) * 1_000));
  }

  #sitemap(value: string): void {
    if (value.length > maxSitemapLength) return;
    const url = URL.parse(Buffer.from(value, 'latin1').toString());
    if (!url || !/^https?:$/.test(url.protocol)) return;
    if (this.#sitemaps.length < maxSitemaps) this.#sitemaps.push(url.href);
    else this.limitsMet.add('sitemaps');
  }
}

/** The letters, `_` and `-` at the beginning, in lower case: a product token, without the version that may follow it. */
function identifier(text: string): string {
  return (/^[a-z_-]+/i.exec(text)?.[0] ?? '').toLowerCase();
}

/** Without white space of ASCII at either end: what else `trim` takes away may be part of a character here. */
function trimmed(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isSpace(text.charCodeAt(from))) from += 1;
  while (to > from && isSpace(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}
