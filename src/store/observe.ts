import type { RecordDraft } from '../extract/draft.ts';
import { difference } from './diff.ts';
import type { ChangeCounts, TargetRow } from './rows.ts';
import type { Change, Store } from './store.ts';

export const noChanges: ChangeCounts = { added: 0, changed: 0, confirmed: 0 };

/** Where drafts were seen. */
export interface Sighting {
  readonly target: TargetRow;
  /** 0 for a pulse. */
  readonly scrape: number;
  readonly observedAt: number;
}

/** Stores what drafts change of the records, in page order, with its history and its events. Runs within a transaction. */
export function observe(
  store: Store,
  change: Change,
  { target, scrape, observedAt }: Sighting,
  drafts: readonly RecordDraft[],
): ChangeCounts {
  const counts = { ...noChanges } satisfies Record<keyof ChangeCounts, number>;
  const { source, project } = target;

  for (const draft of drafts) {
    const known = store.records.get(source, draft.type, draft.key);
    const found = difference(known, draft, { source, target: target.target, observedAt, at: change.at });
    if (found.kind === 'stale') continue;
    counts[found.kind] += 1;
    if (found.kind === 'added') store.records.add(found.row);
    else store.records.put(found.row, target.target);
    if (found.kind === 'confirmed') continue;

    const { kind, fields } = found;
    const { type, key } = draft;
    store.history.add({ target: target.target, source, type, key, at: observedAt, scrape, kind, fields });
    change.tell({
      type: `record.${kind}`,
      project,
      source,
      target: target.target,
      ...(scrape > 0 && { scrape }),
      data: { type, key, fields },
    });
  }
  return counts;
}

export function sumOf(one: ChangeCounts, other: ChangeCounts): ChangeCounts {
  return {
    added: one.added + other.added,
    changed: one.changed + other.changed,
    confirmed: one.confirmed + other.confirmed,
  };
}
