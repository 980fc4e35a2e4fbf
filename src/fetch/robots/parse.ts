import { defined } from '../../defined.ts';
import { canonicalPath, canonicalPattern, matches, octetCount, spelled } from './pattern.ts';

/** An `Allow` or `Disallow` line. The pattern is in the canonical form of `pattern.ts`; `ruleText` spells it out. */
export interface RobotsRule {
  readonly allow: boolean;
  readonly pattern: string;
}

/** The rules of one robots.txt for one product token. Plain data, so that it can be stored. */
export interface RobotsRules {
  /** In lower case. */
  readonly productToken: string;
  /** The most specific rule first, so that the first match decides. */
  readonly rules: readonly RobotsRule[];
  /** The longest crawl-delay that it asks for, in milliseconds, at most `longestCrawlDelayMs`. Not part of RFC 9309. */
  readonly crawlDelayMs?: number;
  /** The limits that the file exceeded. */
  readonly limitsMet: readonly RobotsLimit[];
}

/** A limit of what is read of a robots.txt. */
export type RobotsLimit = 'size' | 'crawl-delay';

/** The size of a robots.txt that is read; RFC 9309 (2.5) asks for no less. */
export const robotsLimitBytes = 500 * 1024;

/** A longer crawl-delay counts as this, in milliseconds; back-offs stop growing here, too. */
export const longestCrawlDelayMs = 300_000;

/** The rules of an empty or missing robots.txt. */
export function noRules(productToken: string): RobotsRules {
  return { productToken: identifier(productToken), rules: [], limitsMet: [] };
}

/**
 * Parses a robots.txt by RFC 9309. Lines that are not understood are skipped, so that any content can be parsed.
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

/** The rule that decides about `url`; `undefined` if none matches. */
export function decidingRule({ rules }: RobotsRules, url: URL): RobotsRule | undefined {
  if (isRobots(url)) return undefined;
  const path = canonicalPath(url);
  return rules.find(({ pattern }) => matches(pattern, path));
}

/** Whether a URL is a robots.txt, to which no rule applies. */
export function isRobots(url: URL): boolean {
  return canonicalPath(url) === '/robots.txt';
}

/** The rule as a line of robots.txt. */
export function ruleText({ allow, pattern }: RobotsRule): string {
  return `${allow ? 'Allow' : 'Disallow'}: ${spelled(pattern)}`;
}

/** The lines that lie whole within the size limit, one character per octet. */
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

/** The rules of all groups for one user agent. */
class MergedGroup {
  isNamed = false;
  crawlDelayMs: number | undefined;
  /** Whether each pattern allows. Of the same pattern twice, the one that allows counts. */
  readonly #allows = new Map<string, boolean>();

  add(allow: boolean, pattern: string): void {
    this.#allows.set(pattern, allow || this.#allows.get(pattern) === true);
  }

  delay(ms: number): void {
    this.crawlDelayMs = Math.max(ms, this.crawlDelayMs ?? 0);
  }

  /** The rules, the pattern with the most octets first; of two with as many, the one that allows. */
  rules(): RobotsRule[] {
    return Array.from(this.#allows, ([pattern, allow]) => ({ allow, pattern, octets: octetCount(pattern) }))
      .sort((a, b) => b.octets - a.octets || Number(b.allow) - Number(a.allow))
      .map(({ allow, pattern }) => ({ allow, pattern }));
  }
}

/** Reads a robots.txt line by line and keeps only the groups for us and for everybody. */
class Reader {
  readonly limitsMet = new Set<RobotsLimit>();
  readonly #productToken: string;
  readonly #ours = new MergedGroup();
  readonly #everybodys = new MergedGroup();
  /** The groups to which the next lines belong. */
  #addressed = new Set<MergedGroup>();
  /**
   * The kind of the last line: a `User-agent` line after another one adds to the group, and after a rule begins a new
   * group.
   */
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
      ...defined({ crawlDelayMs: asked && Math.min(asked, longestCrawlDelayMs) }),
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

  /**
   * Adds a rule. An empty pattern matches nothing, but it is a rule: a `User-agent` line after it begins a new group.
   */
  #rule(allow: boolean, pattern: string): void {
    this.#last = 'rule';
    if (pattern === '' || this.#addressed.size === 0) return;
    const canonical = canonicalPattern(pattern);
    for (const group of this.#addressed) group.add(allow, canonical);
  }

  /** Takes a crawl-delay. It is no rule of RFC 9309 (2.2.4), so it does not end a list of user agents. */
  #crawlDelay(value: string): void {
    if (!/^(?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})$/.test(value)) return;
    for (const group of this.#addressed) group.delay(Math.round(Number(value) * 1_000));
  }
}

/** The product token at the beginning of a text, in lower case, without a version. */
function identifier(text: string): string {
  return (/^[a-z_-]+/i.exec(text)?.[0] ?? '').toLowerCase();
}

/**
 * The text without ASCII white space at either end. Other characters that `trim` removes may be part of a character
 * here.
 */
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
