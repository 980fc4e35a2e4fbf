import { setImmediate } from 'node:timers/promises';
import { isMostMissing } from '../health/guard.ts';
import type { RecordView } from '../view/record.ts';
import type { Fence } from './ops.ts';
import type { HoldPlace } from './tables/holds.ts';
import type { RecordSlice } from './tables/records.ts';
import type { TargetRow } from './tables/rows.ts';
import { isSeen } from './crawl-missing.ts';
import type { Change, Store } from './store.ts';
import { subjectsOf } from './subjects.ts';

/** Marks that are looked at before other work has its turn. */
const atOnce = 1_000;

/** Examples that an event names. */
const named = 20;

/**
 * If a whole scrape that began with the scrape `since` no longer found most records of its target, or fewer than is usual, stores a hold on
 * the missing ones and emits one event. Returns whether they are held: the caller then marks none of them as missing. Rejects with `StoreFullError` when the store has no
 * room.
 */
export async function holdMissing(
  store: Store,
  fence: Omit<Fence, 'step'>,
  since: number,
  holds: () => TargetRow | undefined,
  { known, missing, examples, isUnusual }: MissingRecords & { readonly isUnusual: boolean },
): Promise<boolean> {
  return store.write((change) => {
    const target = holds();
    if (target === undefined) return false;
    const place = missingPlace(target);
    const before = store.holds.mass(place);
    if (before?.state === 'released') {
      store.holds.removeMass(place);
      return false;
    }
    const isHeld = isMostMissing(missing, known) || (isUnusual && missing > 0);
    if (isHeld) hold(store, change, target, { place, missing, examples, since, scrape: fence.scrape });
    else if (before !== undefined) recover(store, change, target, place);
    return isHeld;
  });
}

/** The place of records of a target that are missing. */
export function missingPlace({ source, target }: Pick<TargetRow, 'source' | 'target'>): HoldPlace {
  return { source, target, type: '', field: '' };
}

/** Records of a target that a whole scrape no longer found. */
export interface MissingRecords {
  /** The records that were there before. */
  readonly known: number;
  readonly missing: number;
  readonly examples: readonly RecordView[];
  /** The number of the missing ones by type. */
  readonly byType: ReadonlyMap<string, number>;
}

interface Missing {
  readonly place: HoldPlace;
  readonly missing: number;
  readonly examples: readonly RecordView[];
  readonly since: number;
  readonly scrape: number;
}

function hold(store: Store, change: Change, target: TargetRow, found: Missing): void {
  const { place, missing: count, examples, since, scrape } = found;
  const before = store.holds.mass(place);
  store.holds.putMass(place, {
    kind: 'missing',
    state: before?.state ?? 'held',
    since: before?.since ?? change.at,
    scrape: before?.scrape ?? scrape,
    lastScrape: scrape,
    lastAt: change.at,
    begun: since,
    count,
  });
  if (before !== undefined) return;
  const data = { kind: 'missing', count, examples: examples.map(({ type, key }) => ({ type, key })) } as const;
  change.tell({ type: 'value.held', ...subjectsOf(target), scrape, data });
}

function recover(store: Store, change: Change, target: TargetRow, place: HoldPlace): void {
  const before = store.holds.mass(place);
  store.holds.removeMass(place);
  if (before?.state !== 'held') return;
  const data = { kind: 'missing', count: before.count, by: 'source' } as const;
  change.tell({ type: 'value.rejected', ...subjectsOf(target), data });
}

/** Counts the records of a target that were there before a whole scrape, and those that it no longer found. */
export async function findMissing(store: Store, target: number, since: number): Promise<MissingRecords> {
  const begunAt = store.scrapes.get(since)?.startedAt ?? Infinity;
  const examples: RecordView[] = [];
  const byType = new Map<string, number>();
  let [known, missing] = [0, 0];
  let after: RecordSlice['after'];
  do {
    const { rows, others, last } = store.records.unseenSince(since, target, { limit: atOnce, after });
    known += others;
    for (const row of rows) {
      // What was missing before is no news, nor is what another target has seen.
      if (row.absent !== undefined && row.absent.scrape !== since) continue;
      known += 1;
      if (isSeen(row, since, { begunAt, now: store.now() })) continue;
      missing += 1;
      byType.set(row.type, (byType.get(row.type) ?? 0) + 1);
      if (examples.length < named) examples.push(row);
    }
    after = last;
    if (after !== undefined) await setImmediate();
  } while (after !== undefined);
  return { known, missing, examples, byType };
}
