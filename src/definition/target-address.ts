import type { Source } from './source.ts';
import { fillUrl, matchUrl } from './url-pattern.ts';
import type { Issue } from '../schema/expected.ts';

/** The address of a target, or what is wrong and at which part of the target. */
export type TargetAddress =
  | { readonly ok: true; readonly url: string }
  | { readonly ok: false; readonly path: Issue['path']; readonly message: string };

/** Returns the address of a target: the one that it names, as its source asks for it, or the source's pattern filled with its parameters. */
export function targetAddress(
  source: Source,
  { url, params = {} }: { readonly url?: string | undefined; readonly params?: Record<string, string> | undefined },
): TargetAddress {
  if (url !== undefined) return { ok: true, url: askedAddress(source, url) };
  const { id, url: pattern, plugin, collect } = source;
  const isOwn = plugin !== undefined || collect?.command !== undefined;
  if (pattern === undefined && isOwn) return { ok: true, url: pluginAddress(id, params) };
  if (pattern === undefined) {
    const instead = Object.keys(params).length === 0 ? '' : ' in place of "params"';
    return { ok: false, path: [], message: `source "${id}" has no address pattern: expected "url"${instead}` };
  }
  const filled = fillUrl(pattern, params);
  if (filled.ok) return filled;
  const told = [
    ...filled.missing.map((name) => `expected a value for "${name}"`),
    ...filled.unknown.map((name) => `"${name}" is not in the pattern`),
  ];
  return { ok: false, path: ['params'], message: `${told.join('; ')}: source "${id}" has ${pattern}` };
}

/**
 * An address without what stands behind `#`, which no site is sent. It stays where something else sees it: scripts in a browser, a plug-in, or
 * the forms of a source whose own address has parameters there.
 */
export function askedAddress(
  { url: pattern, plugin, render }: Pick<Source, 'url' | 'plugin' | 'render'>,
  url: string,
): string {
  const isSeen = plugin !== undefined || render !== 'http' || pattern?.includes('#') === true;
  return isSeen ? url : url.replace(/#.*$/s, '');
}

/** Makes the address of a target whose source has a plug-in or a program and no pattern: `plugin:register?topic=sleep`. */
export function pluginAddress(source: string, params: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(params).sort(([a], [b]) => (a < b ? -1 : 1));
  const query = new URLSearchParams(sorted).toString();
  return `plugin:${source}${query === '' ? '' : `?${query}`}`;
}

/** The parts of a target's address. */
export interface AddressParts {
  readonly params: Readonly<Record<string, string>>;
  /** The address itself, where it is one of the web. */
  readonly url?: string;
}

/** Splits a target's address into its parameters and its URL, for the plug-in of its source. Throws a `TypeError` for an address of a plug-in that is no URL. */
export function addressParts({ url: pattern }: Source, address: string): AddressParts {
  if (address.startsWith('plugin:')) return { params: Object.fromEntries(new URL(address).searchParams) };
  const params = pattern === undefined ? undefined : matchUrl(pattern, address);
  return { params: params ?? {}, url: address };
}

/** A source that an address belongs to. */
export interface SourceMatch {
  readonly source: string;
  /** The values of the source's address pattern; missing if the address is on the source's host and was not made from the pattern. */
  readonly params?: Readonly<Record<string, string>>;
  /** The address as it is to be asked. */
  readonly url: string;
}

/** Finds the sources that an address belongs to: those that name exactly it, else those whose pattern makes it, else those on its host. */
export function sourcesOf(sources: Iterable<Source>, url: string): SourceMatch[] {
  const host = URL.parse(url)?.host;
  const made: SourceMatch[] = [];
  const near: SourceMatch[] = [];
  for (const source of sources) {
    const asked = askedAddress(source, url);
    const params = source.url === undefined ? undefined : matchUrl(source.url, asked);
    if (params !== undefined) made.push({ source: source.id, params, url: asked });
    else if (host !== undefined && hostsOf(source).has(host)) near.push({ source: source.id, url: asked });
  }
  const exact = made.filter(({ params = {} }) => Object.keys(params).length === 0);
  return [exact, made].find((matches) => matches.length > 0) ?? near;
}

/** Finds the source whose pattern makes an address that is tracked as a page of no source; undefined if there is none. */
export function ownSourceOf(sources: Iterable<Source>, url: string): SourceMatch | undefined {
  return sourcesOf(sources, url).find(({ params }) => params !== undefined);
}

/** Whether an address pattern makes every page of its site, as `https://shop.example/{page}` does: that it fits an address says nothing about the page there. */
export function isAnyPage(pattern: string): boolean {
  const path = pattern.replace(/^[^/]*\/\/[^/]*/, '');
  return path.includes('{') && /^\/*$/.test(path.replaceAll(/\{[^}]*\}/g, ''));
}

/** How an address belongs to its source: it is the source's own, its pattern fits, its plug-in knows it, or it is on the same host. */
export type MatchedBy = 'address' | 'pattern' | 'plugin' | 'host';

/** Tells how an address belongs to a source that `sourcesOf` or its plug-in found for it. */
export function matchedBy({ url: pattern, plugin }: Pick<Source, 'url' | 'plugin'>, url: string): MatchedBy {
  const params = pattern === undefined ? undefined : matchUrl(pattern, url);
  if (params !== undefined) return Object.keys(params).length === 0 ? 'address' : 'pattern';
  return plugin === undefined ? 'host' : 'plugin';
}

/** Hosts, with their ports, that a source's definition names. */
function hostsOf({ url, pulse, crawl }: Source): Set<string> {
  const places = [url, pulse?.url, ...(crawl?.start ?? []), ...(crawl?.sitemaps ?? [])];
  const hosts = places.flatMap((each) => (each === undefined ? [] : (URL.parse(each)?.host ?? [])));
  return new Set([...hosts, ...(crawl?.domains ?? [])]);
}
