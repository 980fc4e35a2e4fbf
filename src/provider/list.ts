import type { Feed } from '../definition/feed.ts';
import { fillUrl, matchUrl, placeholdersOf } from '../definition/url-pattern.ts';
import type { Value } from '../extract/value/value.ts';
import type { ListPage, ListPlace, OpenList, Reading } from './provider.ts';

/**
 * Opens the walk through a list of pages that a definition describes.
 *
 * @param pattern - the pattern of the source's addresses, whose parameters stand in `feed.url` as well.
 */
export function openList(feed: Feed, reading: Reading, pattern?: string): OpenList {
  const { by, maxPages, size } = feed;
  const param = feed.param ?? by;

  return {
    reading,
    maxPages,
    isCounted: by === 'page' || by === 'offset',
    isLinked: by === 'link' || (by !== 'cursor' && feed.next !== undefined),
    first(url, visit) {
      const place = { url: sized(url, visit), page: 1 };
      if (by === 'cursor' || by === 'link') return place;
      const start = feed.start ?? (by === 'page' ? 1 : 0);
      return feed.url === undefined ? at(place, start) : { ...place, cursor: start };
    },
    after(place, page, visit) {
      const cursor = next(place, page);
      if (cursor === undefined) return undefined;
      const following = { url: place.url, page: place.page + 1 };
      if (by === 'offset') return at({ ...following, step: Number(cursor) - Number(place.cursor) }, cursor);
      if (by !== 'link') return at(following, cursor);
      const url = URL.parse(String(cursor), page.url);
      return url === null || !/^https?:$/.test(url.protocol)
        ? undefined
        : { ...following, url: sized(url.href, visit) };
    },
  };

  /** The cursor of the next page; undefined at the end. */
  function next(place: ListPlace, { extraction, nextLink }: ListPage): string | number | undefined {
    const named = feed.next === undefined ? undefined : cursorOf(extraction.next);
    switch (by) {
      case 'page':
        if (feed.next !== undefined && named === undefined) return undefined;
        return Number(place.cursor) + 1;
      case 'offset':
        if (feed.next !== undefined && named === undefined) return undefined;
        // Behind a page without items there are others only where they would stand if it had as many as the one before.
        return Number(place.cursor) + (extraction.items || (place.step ?? 0));
      case 'cursor':
        return named;
      case 'link':
        return feed.next === undefined ? (nextLink ?? cursorOf(extraction.next)) : named;
      default:
        return by satisfies never;
    }
  }

  function at(place: ListPlace, cursor: string | number): ListPlace {
    if (feed.url !== undefined) return { ...place, url: filled(feed.url, place.url, cursor), cursor };
    if (feed.in !== 'query') return { ...place, cursor, body: { [param]: cursor } };
    const url = new URL(place.url);
    url.searchParams.set(param, String(cursor));
    return { ...place, url: url.href, cursor };
  }

  /** The address of a page behind the first, with the parameters of the address before. */
  function filled(url: string, before: string, cursor: string | number): string {
    const known = (pattern && matchUrl(pattern, before)) ?? matchUrl(url, before) ?? {};
    const names = placeholdersOf(url);
    const own = Object.entries(known).filter(([name]) => names.includes(name));
    const found = fillUrl(url, { ...Object.fromEntries(own), [by]: String(cursor) });
    return found.ok ? found.url : before;
  }

  function sized(address: string, visit: 'first' | 'later'): string {
    if (size === undefined) return address;
    const url = new URL(address);
    url.searchParams.set(size.param, String(size[visit]));
    return url.href;
  }
}

/** The cursor in a value that a page gives; undefined for `false`, `null` and an empty text, which mean that there is no next page. A rule without a type gives `false` of JSON as a text. */
function cursorOf(value: Value | undefined): string | number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return value === '' || value === 'false' ? undefined : value;
  return value === true ? 'true' : undefined;
}
