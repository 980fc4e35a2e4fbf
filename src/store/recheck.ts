import type { RecordDraft } from '../extract/draft.ts';
import type { Validators } from '../fetch/page.ts';
import { finishIfOver } from './finish.ts';
import { noChanges, observe } from './observe.ts';
import type { CommitResult } from './ops.ts';
import { keepPage, verifyPage } from './pages.ts';
import { freshen } from './schedule.ts';
import { scrapable } from './scrapes.ts';
import type { ChangeCounts } from '../view/fields.ts';
import type { Store } from './store.ts';

/** The re-check of one page: its address as it was asked for, and the result. */
export interface RecheckOps {
  readonly source: string;
  readonly target: number;
  /** The record for which the page was asked. */
  readonly record: number;
  readonly url: string;
  readonly observedAt: number;
  readonly result:
    | {
        readonly kind: 'read';
        readonly version: string;
        readonly drafts: readonly RecordDraft[];
        readonly validators?: Validators | undefined;
      }
    | { readonly kind: 'unmodified' }
    | { readonly kind: 'failed'; readonly code: string; readonly message: string };
  /** When a record is re-checked again that re-checks missed `times` times in a row. */
  retryAt(times: number): number;
}

/**
 * Writes the re-check of a page; it belongs to no scrape. Records of the page that it did not find are missed, and not verified. The
 * result is `superseded` when the target is no longer to be scraped. Rejects with `StoreFullError` when the store has no room.
 */
export function commitRecheck(store: Store, ops: RecheckOps): Promise<CommitResult> {
  return store.write((change) => {
    const found = scrapable(store, ops.target);
    if (!found.ok || found.target.source !== ops.source) return { outcome: 'superseded' };
    const { target } = found;
    const { url, observedAt, result } = ops;
    const shown = store.pages.get(ops.target, url)?.records ?? [];
    const expected = new Set([ops.record, ...shown.filter((record) => store.records.byNumber(record)?.url === url)]);
    let counts: ChangeCounts = noChanges;
    if (result.kind === 'read') {
      const { version, drafts, validators } = result;
      const sighting = { target, scrape: 0, url, observedAt, asking: { version, isFull: false } };
      const { counts: changes, records } = observe(store, change, sighting, drafts);
      counts = changes;
      keepPage(store, ops.target, { url, version, observedAt, records, ...validators });
      for (const record of records) expected.delete(record);
      miss(store, ops, expected, { code: 'not_on_page', message: 'the page on which it stood no longer shows it' });
    } else if (result.kind === 'unmodified') {
      const { records: confirmed } = verifyPage(store, { target: ops.target, scrape: 0, url, at: observedAt });
      counts = { ...counts, confirmed: confirmed.length };
      for (const record of confirmed) expected.delete(record);
      miss(store, ops, expected, { code: 'not_on_page', message: 'it was not on its page when that was last read' });
    } else miss(store, ops, expected, result);
    freshen(store, change, target);
    const { status } = finishIfOver(store, change, target);
    const lastEvent = change.log({ kind: 'recheck', target: ops.target });
    return { outcome: 'committed', counts, lastEvent, targetStatus: status };
  });
}

function miss(
  store: Store,
  { target, retryAt, observedAt: at }: RecheckOps,
  records: Iterable<number>,
  { code, message }: { readonly code: string; readonly message: string },
): void {
  for (const record of records) {
    const times = (store.ages.missedOf(target, record)?.times ?? 0) + 1;
    store.ages.miss(target, record, { times, at, retryAt: retryAt(times), code, message });
  }
}
