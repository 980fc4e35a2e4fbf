import { defined } from '../../defined.ts';
import type { Store } from '../../store/store.ts';
import type { HistoryView } from '../../view/record.ts';

/**
 * Creates a function that says by which version of the definition a change was read: its own for a correction, else that of its scrape, as
 * long as that is kept. It remembers the versions of scrapes, and serves one request.
 */
export function changeVersions({ scrapes }: Pick<Store, 'scrapes'>) {
  const known = new Map<number, string | undefined>();
  return ({ scrape, version }: Pick<HistoryView, 'scrape' | 'version'>): Pick<HistoryView, 'version'> => {
    if (version !== undefined) return { version };
    if (!known.has(scrape)) known.set(scrape, scrapes.resultOf(scrape)?.version);
    return defined({ version: known.get(scrape) });
  };
}
