import { setImmediate } from 'node:timers/promises';
import { RE2JS } from 're2js';
import { defined } from '../defined.ts';
import {
  type CanonicalOptions,
  type CanonicalPage,
  canonicalOptions,
  canonicalPage,
  isAskable,
  type ParamNames,
} from './canonical.ts';

/** The rules of a crawl's definition for links. */
export interface CrawlRules extends ParamNames {
  /** Patterns of detail pages, in the syntax of re2, searched in the whole canonical URL. */
  readonly detail: readonly string[];
  /** Default: all links. */
  readonly follow?: readonly string[];
  readonly deny?: readonly string[];
  /** Default: the hosts of the start URLs. */
  readonly domains?: readonly string[];
  readonly files: 'skip' | 'follow';
}

/** A page that is read for records (`detail`), or only for links (`listing`). */
export type PageKind = 'detail' | 'listing';

/** Why a link is not followed. */
export type LinkRefusal = 'scheme' | 'too_long' | 'offsite' | 'denied' | 'file' | 'not_followed';

/** Whether a link is followed: the kind of its page, or why not. */
export type Judgement =
  | { readonly kind: PageKind }
  | { readonly refused: 'offsite'; readonly domain: string }
  | { readonly refused: Exclude<LinkRefusal, 'offsite'> };

/** A link with its canonical address, or as written where it has none. */
export interface JudgedLink {
  readonly url: string;
  readonly judgement: Judgement;
}

/** The compiled link rules of a crawl. */
export interface LinkRules {
  readonly canonical: CanonicalOptions;
  /**
   * Judges a link as written on a page. The judgement is cached, since most links of a site stand on most of its pages.
   */
  look(link: string): JudgedLink;
  /** Whether a canonical URL is followed, and as which kind of page. */
  judge(url: string): Judgement;
  /** Whether a URL lies on none of the crawl's domains. */
  isOffsite(url: string): boolean;
  /** The kind of a page that is visited in any case, such as a start. */
  kindOf(url: string): PageKind;
}

/** The longest URL that is followed: browsers, proxies and logs are sure to carry it. */
const maxUrlLength = 2_083;

/** The largest number of cached judgements. All are dropped before one more, as those of most pages are soon made again. */
const maxKnown = 2_000;

/** Compiles the link rules of a crawl. Throws for an invalid pattern; the definition's schema refuses those. */
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
    const page = canonicalPage(link, canonical);
    const looked: JudgedLink =
      page === undefined
        ? { url: link, judgement: { refused: 'scheme' } }
        : { url: page.url, judgement: judgePage(page) };
    if (known.size >= maxKnown) known.clear();
    known.set(link, looked);
    return looked;
  }

  function judge(text: string): Judgement {
    if (text.length > maxUrlLength) return { refused: 'too_long' };
    const url = URL.parse(text);
    if (url === null || !isAskable(url)) return { refused: 'scheme' };
    return judgePage({ url: text, hostname: url.hostname, path: url.pathname });
  }

  function judgePage({ url, hostname, path }: CanonicalPage): Judgement {
    if (url.length > maxUrlLength) return { refused: 'too_long' };
    if (!isOnsite(hostname)) return { refused: 'offsite', domain: withoutDot(hostname) };
    if (isDenied(url)) return { refused: 'denied' };
    if (rules.files === 'skip' && hasIgnoredExtension(path)) return { refused: 'file' };
    if (isDetail(url)) return { kind: 'detail' };
    return isFollowed(url) ? { kind: 'listing' } : { refused: 'not_followed' };
  }
}

function anyOf(patterns: readonly string[]): (text: string) => boolean {
  const compiled = patterns.map((pattern) => RE2JS.compile(pattern));
  return (text) => compiled.some((pattern) => pattern.test(text));
}

function withoutDot(hostname: string): string {
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
}

/**
 * Returns a function that tells whether a host is that of one of `urls` or lies under one. Most links lead to the host
 * that was judged before.
 */
function onsite(urls: readonly string[]): (hostname: string) => boolean {
  const allowed = new Set(urls.flatMap((text) => URL.parse(text)?.hostname ?? []).map(withoutDot));
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

/** A page that a crawl is to visit. */
export interface FoundPlace {
  /** Canonical. */
  readonly url: string;
  readonly kind: PageKind;
  /** The number of links from a start to the page. */
  readonly depth: number;
  /** When it has changed at the latest, by a sitemap. */
  readonly changedBy?: number;
}

/** The judged links of one page. */
export interface FoundLinks {
  /** The pages to visit, in page order, each once. */
  readonly places: readonly FoundPlace[];
  /** The number of refused links by reason, each address once. */
  readonly refused: Readonly<Partial<Record<LinkRefusal, number>>>;
  /** The number of links to each other domain, for at most 50 domains. */
  readonly offsite: readonly DomainCount[];
  /** The number of links that were not followed only because the page lies too deep. */
  readonly tooDeep: number;
}

/** The number of links to another domain. */
export interface DomainCount {
  readonly domain: string;
  readonly links: number;
}

/** The largest number of other domains that are counted for one page. */
const maxDomains = 50;

/** The depth of a page, and the largest depth of pages that are visited. */
export interface Depth {
  readonly depth: number;
  readonly maxDepth: number;
  /** When linked pages have changed at the latest, by their links. */
  readonly changedBy?: Readonly<Record<string, number>> | undefined;
}

/** The amount of links that is judged at once, some 10 ms, in characters; each link counts `linkWeight` more. */
const judgedAtOnce = 200_000;
const linkWeight = 400;

/** Judges the links of a page. */
export function findPlaces(rules: LinkRules, links: Iterable<string>, depth: Depth): FoundLinks {
  const found = newSearch(rules, depth);
  for (const link of links) found.judge(link);
  return found.result();
}

/**
 * Does what `findPlaces` does for any number of links, with breaks in which other work gets its turn. Never rejects.
 */
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

/** Whether links are too many to be judged at once. */
export function areMany(links: readonly string[]): boolean {
  let weight = 0;
  return links.some((link) => {
    weight += linkWeight + link.length;
    return weight >= judgedAtOnce;
  });
}

function newSearch(
  rules: LinkRules,
  { depth, maxDepth, changedBy: changes = {} }: Depth,
): { judge(link: string): void; result(): FoundLinks } {
  const places: FoundPlace[] = [];
  const refused: Partial<Record<LinkRefusal, number>> = {};
  const offsite = new Map<string, number>();
  const met = new Set<string>();
  let tooDeep = 0;
  return {
    judge(link) {
      const { url, judgement } = rules.look(link);
      if (met.has(url)) return;
      met.add(url);
      if ('kind' in judgement) {
        const changedBy = Object.hasOwn(changes, link) ? changes[link] : undefined;
        if (depth < maxDepth) places.push({ url, kind: judgement.kind, depth: depth + 1, ...defined({ changedBy }) });
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

/** The extensions of files that are no pages, by kind. */
const ignored = new Set(
  [
    'zip gz tgz tar bz2 xz 7z rar zst lz cab iso dmg img jar war deb rpm apk ipa msi exe bin dll',
    'jpg jpeg jpe jfif png gif webp avif bmp ico svg svgz tif tiff heic heif jp2 psd psp eps cdr dxf raw mng pct drw',
    'mp3 ogg oga opus flac wav wma aac m4a aif aiff mid midi ra',
    'mp4 m4v mov avi mkv webm wmv flv swf mpg mpeg 3gp 3g2 ogv rm vob asf m3u8',
    'pdf doc docx docm dot dotx xls xlsx xlsm xlsb ppt pptx pps odt ods odp odg rtf epub mobi djvu',
    'css js mjs cjs wasm woff woff2 ttf otf eot pyc',
    'torrent vcf ics kml kmz gpx sqlite db bak',
  ].flatMap((kind) => kind.split(' ')),
);

/** Whether a path has the extension of a picture, an archive, a document or another file that is no page. */
function hasIgnoredExtension(path: string): boolean {
  const dot = path.lastIndexOf('.');
  if (dot < 0 || path.length - dot > 9 || path.indexOf('/', dot) >= 0) return false;
  return ignored.has(path.slice(dot + 1).toLowerCase());
}
