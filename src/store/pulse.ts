import type { RecordDraft } from '../extract/draft.ts';
import { fieldsOf } from './commit-parts.ts';
import { observe } from './observe.ts';
import { freshen } from './fresh.ts';
import type { CommitResult } from './ops.ts';
import type { Store } from './store.ts';

/** What a source's pulse found of one target. */
export interface PulseOps {
  readonly source: string;
  readonly target: number;
  readonly url: string;
  readonly observedAt: number;
  readonly drafts: readonly RecordDraft[];
}

/** Writes what a pulse found, as a step of no scrape; nothing when the target is no longer active on that source. */
export function commitPulse(
  store: Store,
  { source, target: number, url, observedAt, drafts }: PulseOps,
): Promise<CommitResult> {
  return store.write((change) => {
    const target = store.targets.get(number);
    if (target === undefined || target.source !== source || target.status !== 'active')
      return { outcome: 'superseded' };
    if (store.projects.get(target.project)?.status !== 'active') return { outcome: 'superseded' };
    const counts = observe(store, change, { target, scrape: 0, url, observedAt }, drafts);
    freshen(store, change, target, { at: observedAt, fields: fieldsOf(drafts) });
    const lastEvent = change.log({ kind: 'pulse', target: number });
    return { outcome: 'committed', counts, lastEvent, targetStatus: target.status };
  });
}
