import type { RecordDraft } from '../extract/draft.ts';
import type { Validators } from '../fetch/page.ts';
import type { Guards } from '../health/guard.ts';
import { doubtsOf } from './doubts.ts';
import { finishIfOver } from './finish.ts';
import { settleItemPage, verifyOwnPage } from './item-pages.ts';
import { noChanges, observe } from './observe.ts';
import type { CommitResult } from './ops.ts';
import { keepPage, verifyPage } from './pages.ts';
import { freshen } from './schedule.ts';
import type { PulseTally } from '../schedule/waste.ts';
import { scrapable } from './scrapes.ts';
import { addPulseCost } from './waste.ts';
import type { ChangeCounts } from '../view/fields.ts';
import type { Change, Store } from './store.ts';
import type { ItemPageName } from './tables/item-pages.ts';
import type { TargetRow } from './tables/rows.ts';
import { defined } from '../defined.ts';

/** The re-check of one page: its address as it was asked for, and the result. */
export interface RecheckOps {
  readonly source: string;
  readonly target: number;
  /** The record for which the page was asked. */
  readonly record: number;
  /** Set for a page of the records' own: their type. */
  readonly itemType?: string;
  readonly url: string;
  readonly observedAt: number;
  /** The digest of the page that was read, as evidence of what it changed. */
  readonly digest?: string;
  readonly result:
    | {
        readonly kind: 'read';
        readonly version: string;
        readonly drafts: readonly RecordDraft[];
        readonly validators?: Validators | undefined;
      }
    | { readonly kind: 'unmodified' }
    | { readonly kind: 'failed'; readonly code: string; readonly message: string };
  /** What guards the values of the source. Default: nothing does. */
  readonly guards?: Guards | undefined;
  /** What its requests cost. */
  readonly cost?: PulseTally | undefined;
  /** When a record is re-checked again that re-checks missed `times` times in a row. */
  retryAt(times: number): number;
}

/**
 * Writes the re-check of a page; it belongs to no scrape. Records of the page that it did not find are missed, and not verified. The
 * result is `superseded` when the target is no longer to be scraped. Rejects with `StoreFullError` when the store has no room.
 */
export function commitRecheck(store: Store, ops: RecheckOps): Promise<CommitResult> {
  return store.write((change) => {
    if (ops.cost !== undefined) addPulseCost(store, change.at, ops.target, ops.cost);
    const found = scrapable(store, ops.target);
    if (!found.ok || found.target.source !== ops.source) return { outcome: 'superseded' };
    const { target } = found;
    const counts =
      ops.itemType === undefined
        ? listPage(store, change, target, ops)
        : ownPage(store, change, target, { ...ops, type: ops.itemType });
    freshen(store, change, target);
    const { status } = finishIfOver(store, change, target);
    const lastEvent = change.lastEvent();
    return { outcome: 'committed', counts, lastEvent, targetStatus: status };
  });
}

/** Writes the re-check of the page of a list. */
function listPage(store: Store, change: Change, target: TargetRow, ops: RecheckOps): ChangeCounts {
  const { url, observedAt, digest, result } = ops;
  const shown = store.pages.get(ops.target, url)?.records ?? [];
  const expected = new Set([ops.record, ...shown.filter((record) => store.records.byNumber(record)?.url === url)]);
  if (result.kind === 'failed') return miss(store, ops, expected, result);
  if (result.kind === 'unmodified') {
    const { records: confirmed } = verifyPage(store, { target: ops.target, scrape: 0, url, at: observedAt });
    for (const record of confirmed) expected.delete(record);
    miss(store, ops, expected, { code: 'not_on_page', message: 'it was not on its page when that was last read' });
    return { ...noChanges, confirmed: confirmed.length };
  }
  const { version, drafts, validators } = result;
  const asking = { version, isFull: false };
  const of = { target, scrape: 0, recheck: true, version } as const;
  const sighting = { ...of, url, observedAt, digest, asking, guards: ops.guards, doubts: doubtsOf(store, target) };
  const before = missedBefore(store, ops, expected);
  const { counts, records, waiting = [] } = observe(store, change, sighting, drafts);
  keepPage(store, ops.target, { url, version, observedAt, records, ...(waiting.length === 0 && validators) });
  missAgain(store, ops, waiting, before);
  for (const record of records) expected.delete(record);
  miss(store, ops, expected, { code: 'not_on_page', message: 'the page on which it stood no longer shows it' });
  return counts;
}

/** Writes the re-check of a page of the records' own. */
function ownPage(store: Store, change: Change, target: TargetRow, ops: RecheckOps & ItemPageName): ChangeCounts {
  const { url, type, observedAt, digest, result } = ops;
  const expected = new Set([ops.record, ...store.itemPages.recordsOf(ops.target, ops)]);
  if (result.kind === 'failed') return miss(store, ops, expected, result);
  if (result.kind === 'unmodified') {
    const confirmed = [...expected].filter((record) => verifyOwnPage(store, record, ops));
    const row = store.itemPages.get(ops.target, ops);
    if (row !== undefined) store.itemPages.put(ops.target, { ...row, observedAt });
    return { ...noChanges, confirmed: confirmed.length };
  }
  const { version, drafts, validators } = result;
  const of = { target, scrape: 0, recheck: true, version } as const;
  const sighting = {
    ...of,
    url,
    observedAt,
    digest,
    isItemPage: true,
    guards: ops.guards,
    doubts: doubtsOf(store, target),
  };
  const before = missedBefore(store, ops, expected);
  const { counts, waiting = [] } = observe(store, change, sighting, drafts);
  missAgain(store, ops, waiting, before);
  settleItemPage(store, ops.target, observedAt, {
    url,
    type,
    version,
    result: { kind: 'read', ...(waiting.length === 0 && defined({ validators })) },
  });
  return counts;
}

/** How often in a row re-checks have missed records. */
function missedBefore({ ages }: Store, { target }: RecheckOps, records: Iterable<number>): ReadonlyMap<number, number> {
  return new Map(Array.from(records, (record) => [record, ages.missedOf(target, record)?.times ?? 0] as const));
}

/** Notes that records were seen with values that are held, or wait to be confirmed: what was to be verified was not. */
function missAgain(
  store: Store,
  { target, retryAt, observedAt: at, itemType }: RecheckOps,
  records: readonly number[],
  before: ReadonlyMap<number, number>,
): void {
  const message = 'a value of it is held, or waits to be confirmed';
  for (const record of records) {
    const times = (before.get(record) ?? 0) + 1;
    const page = itemType === undefined ? 'list' : 'own';
    store.ages.miss(target, record, { times, at, retryAt: retryAt(times), code: 'unverified', message, page });
  }
}

/** Notes that records were missed. Returns the counts of a re-check that verified nothing. */
function miss(
  store: Store,
  { target, retryAt, observedAt: at, itemType }: RecheckOps,
  records: Iterable<number>,
  { code, message }: { readonly code: string; readonly message: string },
): ChangeCounts {
  for (const record of records) {
    const page = itemType === undefined ? 'list' : 'own';
    const before = store.ages.missedOf(target, record);
    const times = (before?.page === page ? before.times : 0) + 1;
    store.ages.miss(target, record, { times, at, retryAt: retryAt(times), code, message, page });
  }
  return noChanges;
}
