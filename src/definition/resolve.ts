import type { Source } from './source.ts';
import { matchUrl } from './url-pattern.ts';

/** A source that an address belongs to. */
export interface SourceMatch {
  readonly source: string;
  /** What fills the source's address pattern; missing where the address is on its host and was not made from its pattern. */
  readonly params?: Readonly<Record<string, string>>;
  /** The address as it is to be asked. */
  readonly url: string;
}

/** The sources that an address belongs to: those that name exactly it, else those whose pattern makes it, else those on its host. */
export function sourcesOf(sources: Iterable<Source>, url: string): SourceMatch[] {
  const host = URL.parse(url)?.host;
  const made: SourceMatch[] = [];
  const near: SourceMatch[] = [];
  for (const source of sources) {
    const params = source.url === undefined ? undefined : matchUrl(source.url, url);
    if (params !== undefined) made.push({ source: source.id, params, url });
    else if (host !== undefined && hostsOf(source).has(host)) near.push({ source: source.id, url });
  }
  const exact = made.filter(({ params = {} }) => Object.keys(params).length === 0);
  return [exact, made].find((matches) => matches.length > 0) ?? near;
}

/** Hosts, with their ports, that a source's definition names. */
function hostsOf({ url, pulse, crawl }: Source): Set<string> {
  const places = [url, pulse?.url, ...(crawl?.start ?? []), ...(crawl?.sitemaps ?? [])];
  const hosts = places.flatMap((each) => (each === undefined ? [] : (URL.parse(each)?.host ?? [])));
  return new Set([...hosts, ...(crawl?.domains ?? [])]);
}
