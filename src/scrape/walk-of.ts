import type { Source } from '../definition/source.ts';

/**
 * Names how the targets of a source are walked. A scrape that walks in another way than the last complete one is a first visit: what was
 * stored says nothing of the pages that it now goes through.
 */
export function walkOf({ feed, crawl, collect, plugin }: Source): string {
  if (plugin !== undefined || collect?.command !== undefined) return 'plugin';
  if (crawl !== undefined) return 'crawl';
  if (collect !== undefined) return 'collect';
  if (feed === undefined) return 'page';
  const { by, param, in: where, start, next } = feed;
  return `feed ${JSON.stringify([by, param, where, start, next])}`;
}
