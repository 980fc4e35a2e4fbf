import { setImmediate } from 'node:timers/promises';
import { RE2JS } from 're2js';
import { type CanonicalOptions, canonicalOptions, canonicalUrl, isAskable, type ParamNames } from './canonical.ts';
import { hasIgnoredExtension } from './file-extension.ts';

/** What a crawl's definition says of links. */
export interface CrawlRules extends ParamNames {
  /** Patterns of re2, searched in the whole canonical URL. */
  readonly detail: readonly string[];
  /** Default: all links. */
  readonly follow?: readonly string[];
  readonly deny?: readonly string[];
  /** Default: the hosts of the start URLs. */
  readonly domains?: readonly string[];
  readonly files: 'skip' | 'follow';
}

/** A page that is read for records, or one that is only looked through for links. */
export type PageKind = 'detail' | 'listing';

/** Why a link is not followed. */
export type Refusal = 'scheme' | 'too_long' | 'offsite' | 'denied' | 'file' | 'not_followed';

export type Judgement =
  | { readonly kind: PageKind }
  | { readonly refused: 'offsite'; readonly domain: string }
  | { readonly refused: Exclude<Refusal, 'offsite'> };

/** A link with the one spelling of its address, or as it stands where it has none. */
export interface JudgedLink {
  readonly url: string;
  readonly judgement: Judgement;
}

export interface LinkRules {
  readonly canonical: CanonicalOptions;
  /** A link as it stands on a page. Kept for a while, since most links of a site stand on most of its pages. */
  look(link: string): JudgedLink;
  /** Whether a link is followed, and as what. */
  judge(url: string): Judgement;
  /** Whether an address lies on none of the crawl's domains. */
  isOffsite(url: string): boolean;
  /** What a page is that is asked in any case, such as a start. */
  kindOf(url: string): PageKind;
}

/** What browsers, proxies and logs are sure to carry. */
const maxUrlLength = 2_083;

/** Links of a crawl whose judgement is kept, at most. */
const maxKnown = 2_000;

/** Compiles what a crawl says of links. Throws for patterns that the definition's schema refuses. */
export function linkRules(rules: CrawlRules, startUrls: readonly string[]): LinkRules {
  const isDetail = anyOf(rules.detail);
  const isFollowed = rules.follow === undefined ? () => true : anyOf(rules.follow);
  const isDenied = anyOf(rules.deny ?? []);
  const isOnsite = onsite(rules.domains?.map((domain) => `http://${domain}/`) ?? startUrls);
  const canonical = canonicalOptions(rules);
  const known = new Map<string, JudgedLink>();

  return {
    canonical,
    look,
    judge,
    isOffsite(text) {
      const url = URL.parse(text);
      return url === null || !isOnsite(url.hostname);
    },
    kindOf: (url) => (isDetail(url) ? 'detail' : 'listing'),
  };

  function look(link: string): JudgedLink {
    const found = known.get(link);
    if (found !== undefined) return found;
    const url = canonicalUrl(link, canonical);
    const looked: JudgedLink =
      url === undefined ? { url: link, judgement: { refused: 'scheme' } } : { url, judgement: judge(url) };
    if (known.size >= maxKnown) known.clear();
    known.set(link, looked);
    return looked;
  }

  function judge(text: string): Judgement {
    if (text.length > maxUrlLength) return { refused: 'too_long' };
    const url = URL.parse(text);
    if (url === null || !isAskable(url)) return { refused: 'scheme' };
    if (!isOnsite(url.hostname)) return { refused: 'offsite', domain: hostOf(url) };
    if (isDenied(text)) return { refused: 'denied' };
    if (rules.files === 'skip' && hasIgnoredExtension(url.pathname)) return { refused: 'file' };
    if (isDetail(text)) return { kind: 'detail' };
    return isFollowed(text) ? { kind: 'listing' } : { refused: 'not_followed' };
  }
}

function anyOf(patterns: readonly string[]): (text: string) => boolean {
  const compiled = patterns.map((pattern) => RE2JS.compile(pattern));
  return (text) => compiled.some((pattern) => pattern.test(text));
}

/** A dot at the end of a host makes no other host of it. */
function hostOf({ hostname }: URL): string {
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
}

/** Whether a host is one of those, or lies under one. Most links lead to a host that was judged just before. */
function onsite(urls: readonly string[]): (hostname: string) => boolean {
  const allowed = new Set(urls.flatMap((text) => URL.parse(text) ?? []).map(hostOf));
  let last: { readonly hostname: string; readonly is: boolean } | undefined;
  return (hostname) => {
    if (last?.hostname !== hostname) last = { hostname, is: isUnder(hostname.replace(/\.$/, '')) };
    return last.is;
  };

  function isUnder(host: string): boolean {
    for (let rest = host; ;) {
      if (allowed.has(rest)) return true;
      const dot = rest.indexOf('.');
      if (dot < 0) return false;
      rest = rest.slice(dot + 1);
    }
  }
}

/** A page that a crawl is to ask. */
export interface FoundPlace {
  /** Canonical. */
  readonly url: string;
  readonly kind: PageKind;
  /** How many links lead to it from a start. */
  readonly depth: number;
}

/** What the links of one page come to. */
export interface FoundLinks {
  /** In page order, each once. */
  readonly places: readonly FoundPlace[];
  /** How many links were refused, each address once. */
  readonly refused: Readonly<Partial<Record<Refusal, number>>>;
  /** How many links led to each other domain; at most 50 of them are named. */
  readonly offsite: readonly DomainCount[];
  /** How many links would have been followed from a page less deep. */
  readonly tooDeep: number;
}

export interface DomainCount {
  readonly domain: string;
  readonly links: number;
}

/** How many other domains are named for one page. */
const maxDomains = 50;

/** How deep a page lies, and how deep links are followed. */
export interface Depth {
  readonly depth: number;
  readonly maxDepth: number;
}

/** So much takes some 10 ms to judge, in characters; a link is so many more than it has. */
const judgedAtOnce = 200_000;
const linkWeight = 400;

/** Judges the links of a page that is `depth` links away from a start. */
export function findPlaces(rules: LinkRules, links: Iterable<string>, depth: Depth): FoundLinks {
  const found = newSearch(rules, depth);
  for (const link of links) found.judge(link);
  return found.result();
}

/** As `findPlaces`, for any number of links: others have their turn now and then. */
export async function findPlacesInTurns(rules: LinkRules, links: Iterable<string>, depth: Depth): Promise<FoundLinks> {
  const found = newSearch(rules, depth);
  let weight = 0;
  for (const link of links) {
    found.judge(link);
    weight += linkWeight + link.length;
    if (weight < judgedAtOnce) continue;
    weight = 0;
    await setImmediate();
  }
  return found.result();
}

/** Whether links are more than may be judged in one turn. */
export function areMany(links: readonly string[]): boolean {
  let weight = 0;
  return links.some((link) => {
    weight += linkWeight + link.length;
    return weight >= judgedAtOnce;
  });
}

function newSearch(rules: LinkRules, { depth, maxDepth }: Depth): { judge(link: string): void; result(): FoundLinks } {
  const places: FoundPlace[] = [];
  const refused: Partial<Record<Refusal, number>> = {};
  const offsite = new Map<string, number>();
  const met = new Set<string>();
  let tooDeep = 0;
  return {
    judge(link) {
      const { url, judgement } = rules.look(link);
      if (met.has(url)) return;
      met.add(url);
      if ('kind' in judgement) {
        if (depth < maxDepth) places.push({ url, kind: judgement.kind, depth: depth + 1 });
        else tooDeep += 1;
        return;
      }
      refused[judgement.refused] = (refused[judgement.refused] ?? 0) + 1;
      if (judgement.refused !== 'offsite') return;
      const { domain } = judgement;
      if (offsite.has(domain) || offsite.size < maxDomains) offsite.set(domain, (offsite.get(domain) ?? 0) + 1);
    },
    result: () => ({
      places,
      refused,
      offsite: Array.from(offsite, ([domain, count]) => ({ domain, links: count })),
      tooDeep,
    }),
  };
}
