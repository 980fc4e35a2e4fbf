import type { Source } from '../definition/source.ts';
import type { ScrapeObserver } from '../scrape/observer.ts';
import type { Meters } from './meters.ts';

/** Counts and times scrapes and their commits. */
export function watchScrapes({ scrapes, store }: Pick<Meters, 'scrapes' | 'store'>): ScrapeObserver {
  return {
    begun({ source, dueAt, startedAt, isManual }) {
      const kind = kindOf(source);
      const begunAt = performance.now();
      scrapes.wait.observe({ reason: isManual ? 'manual' : 'due' }, Math.max(0, startedAt - dueAt) / 1_000);
      return {
        requests: (makeRequest) => makeRequest,
        async commit(write) {
          const from = performance.now();
          const result = await write();
          store.seconds.observe((performance.now() - from) / 1_000);
          return result;
        },
        ended(outcome) {
          scrapes.total.inc({ kind, outcome });
          scrapes.seconds.observe({ kind }, (performance.now() - begunAt) / 1_000);
        },
      };
    },
  };
}

/** What the targets of a source are. */
function kindOf({ plugin, crawl, collect, feed }: Source): string {
  if (plugin !== undefined) return 'plugin';
  if (crawl !== undefined) return 'crawl';
  if (collect !== undefined) return 'register';
  return feed === undefined ? 'page' : 'list';
}
