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
  /** The page. */
  readonly url: string;
  readonly observedAt: number;
  /** How many drafts its walk had found before these. */
  readonly draftsBefore?: number;
  /** The scrape that its walk began with; default: this one. */
  readonly since?: number;
}

/** More drafts than one scrape has, and few enough for the numbers of all scrapes to come; what a walk of several finds behind so many has one place. */
const draftsPerScrape = 2 ** 21;

/** The place in the order of all records of what a scrape found first; `index` counts its drafts in page order, from 0. */
export function sequenceOf(scrape: number, index: number): number {
  // Lists begin with what is newest.
  return (scrape + 1) * draftsPerScrape - 1 - Math.min(index, draftsPerScrape - 1);
}

/** Stores what drafts change of the records, in page order, with its history and its events. Runs within a transaction. */
export function observe(
  store: Store,
  change: Change,
  { target, scrape, url, observedAt, draftsBefore = 0, since = scrape }: Sighting,
  drafts: readonly RecordDraft[],
): ChangeCounts {
  const counts = { added: 0, changed: 0, confirmed: 0 };
  const { source, project } = target;

  for (const [index, draft] of drafts.entries()) {
    const known = store.records.get(source, draft.type, draft.key);
    const sequence = sequenceOf(since, draftsBefore + index);
    const seen = { source, target: target.target, scrape, url: draft.url ?? url, sequence, observedAt, at: change.at };
    const found = difference(known, draft, { ...seen, id: known?.id ?? store.newId() });
    if (found.kind === 'stale') {
      // Another target has said something newer, but this one has seen it as well.
      store.records.see({ source, type: draft.type, key: draft.key }, { target: target.target, scrape });
      continue;
    }
    counts[found.kind] += 1;
    if (found.kind === 'added') store.records.add(found.row);
    else store.records.put(found.row, { target: target.target, scrape });
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
    ...optionalSum('missing', one, other),
    ...optionalSum('gone', one, other),
  };
}

function optionalSum(name: 'missing' | 'gone', one: ChangeCounts, other: ChangeCounts): Partial<ChangeCounts> {
  const sum = (one[name] ?? 0) + (other[name] ?? 0);
  return sum === 0 ? {} : { [name]: sum };
}
