import type { RecordDraft } from '../extract/draft.ts';
import type { Guards } from '../health/guard.ts';
import { ownerOf } from '../schedule/watchers.ts';
import { verifiedFields } from './commit-parts.ts';
import { doubtsOf } from './doubts.ts';
import { finishIfOver } from './finish.ts';
import { observe } from './observe.ts';
import type { CommitResult } from './ops.ts';
import { freshen } from './schedule.ts';
import type { Store } from './store.ts';

/** The drafts that a source's pulse found of one target. */
export interface PulseOps {
  readonly source: string;
  /** The version of the definition. */
  readonly version: string;
  readonly target: number;
  readonly url: string;
  readonly observedAt: number;
  readonly drafts: readonly RecordDraft[];
  /** What guards the values of the source. Default: nothing does. */
  readonly guards?: Guards | undefined;
}

/**
 * Writes the drafts of a pulse; they belong to no scrape. The result is `superseded` when the target is not
 * active, or no active project watches it, or it is on another source. Rejects with `StoreFullError` when the store has no room.
 */
export function commitPulse(
  store: Store,
  { source, version, target: number, url, observedAt, drafts, guards }: PulseOps,
): Promise<CommitResult> {
  return store.write((change) => {
    const target = store.targets.get(number);
    if (target === undefined || target.source !== source || target.status !== 'active' || ownerOf(target) === undefined)
      return { outcome: 'superseded' };
    const doubts = doubtsOf(store, target);
    const observed = observe(store, change, { target, scrape: 0, version, url, observedAt, guards, doubts }, drafts);
    const { counts } = observed;
    freshen(store, change, target, { at: observedAt, fields: verifiedFields(drafts, observed) });
    const { status } = finishIfOver(store, change, target);
    const lastEvent = change.lastEvent();
    return { outcome: 'committed', counts, lastEvent, targetStatus: status };
  });
}
