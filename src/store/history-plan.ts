import type { HistoryView } from '../view/record.ts';
import type { Store } from './store.ts';
import type { HistoryPlace } from './tables/history-packing.ts';
import { thinDay } from './thin-day.ts';

/** How much of the history of each record is kept. */
export interface HistoryLimits {
  /** Changes that are older go, in milliseconds. Default: none. */
  readonly keepMs?: number | undefined;
  /** Days that lie as far back have their changes thinned, in milliseconds. */
  readonly detailMs: number;
  /** The newest changes of a record that stay. */
  readonly changes: number;
}

const dayMs = 86_400_000;

/** Changes are sealed when they have been thinned, or when they are as old as this. */
const sealedMs = 90 * dayMs;

/** Changes of a record that are looked at in one transaction. A day that has more is thinned part by part. */
const changesAtOnce = 500;

/** What it costs to seal changes of a record, or to remove some that are sealed, in changes that are removed otherwise. */
const sealLooks = 100;

/** What is to be done with the oldest changes of a record. */
export interface HistoryPlan {
  readonly remove: readonly HistoryView[];
  readonly put: readonly HistoryView[];
  /** Up to where its history is thinned then. */
  readonly thinnedTo?: HistoryPlace;
  /** Set where some of its changes before a place are sealed. */
  readonly seal?: HistoryPlace;
  readonly looked: number;
}

const nothing = { remove: [], put: [] } as const;

/** Plans the next part of bounding the history of a record: removing, thinning or sealing changes. Returns `undefined` where nothing is to be done. */
export function planHistory(
  store: Store,
  record: number,
  now: number,
  limitsOf: (source: string) => HistoryLimits,
): HistoryPlan | undefined {
  const limits = limitsOf(store.records.nameOf(record)?.source ?? '');
  return (
    planRemoval(store, record, now, limits) ??
    planThinning(store, record, now, limits) ??
    planSeal(store, record, now, limits)
  );
}

function planRemoval(
  { history, events }: Store,
  record: number,
  now: number,
  { keepMs = Infinity, detailMs, changes }: HistoryLimits,
): HistoryPlan | undefined {
  const firstEvent = events.first() ?? Infinity;
  const before = behind(startOfDay(now - keepMs), history.placeBefore(record, changes));
  const oldest = [...history.ofRecord(record, { limit: changesAtOnce, before })];
  const remove = oldest.filter(({ serial }) => serial < firstEvent);
  const [first] = remove;
  if (first === undefined) return undefined;
  const mayBeSealed = first.at < now - Math.min(detailMs, sealedMs);
  return { ...nothing, remove, looked: Math.max(remove.length, mayBeSealed ? sealLooks : 0) };
}

function planThinning(
  { history, events }: Store,
  record: number,
  now: number,
  { detailMs }: HistoryLimits,
): HistoryPlan | undefined {
  const firstEvent = events.first() ?? Infinity;
  const after = history.thinnedTo(record);
  const [first] = history.ofRecord(record, { after, limit: 1 });
  if (first === undefined || first.at >= startOfDay(now - detailMs)) return undefined;
  const dayEnd = startOfDay(first.at) + dayMs;
  const read = [...history.ofRecord(record, { after, before: dayEnd, limit: changesAtOnce })];
  const isPart = read.length === changesAtOnce;
  // A change and what corrects it have one instant.
  const day = isPart ? withoutLastInstant(read) : read;
  if (!day.every(({ serial }) => serial < firstEvent)) return undefined;
  const [before] = history.ofRecord(record, { before: first, newestFirst: true, limit: 1 });
  const kept = thinDay(day, before?.kind === 'missing' || before?.kind === 'gone');
  const stays = new Map(kept.map((change) => [placeOf(change), change]));
  return {
    remove: day.filter((change) => !stays.has(placeOf(change))),
    put: day.flatMap((change) => {
      const stay = stays.get(placeOf(change));
      return stay === undefined || stay === change ? [] : [stay];
    }),
    thinnedTo: (isPart ? day.at(-1) : undefined) ?? { at: dayEnd, serial: 0 },
    looked: day.length,
  };
}

function planSeal(
  { history }: Store,
  record: number,
  now: number,
  { detailMs }: HistoryLimits,
): HistoryPlan | undefined {
  const seal = detailMs > sealedMs ? { at: startOfDay(now - sealedMs), serial: 0 } : history.thinnedTo(record);
  return seal !== undefined && history.canSeal(record, seal) ? { ...nothing, seal, looked: sealLooks } : undefined;
}

/** The changes before those of the last instant, or all where they have one instant. */
function withoutLastInstant(changes: readonly HistoryView[]): readonly HistoryView[] {
  const last = changes.at(-1)?.at;
  const before = changes.filter(({ at }) => at !== last);
  return before.length > 0 ? before : changes;
}

/** The later one of an instant and the place behind a change. */
function behind(at: number, change: HistoryPlace | undefined): number | HistoryPlace {
  return change === undefined || change.at < at ? at : { at: change.at, serial: change.serial + 1 };
}

/** Corrections of one job share a serial. */
function placeOf({ at, serial }: HistoryPlace): string {
  return `${at} ${serial}`;
}

/** The beginning of the day of an instant, by UTC; 0 for what is no instant. */
export function startOfDay(at: number): number {
  return Number.isFinite(at) ? Math.floor(at / dayMs) * dayMs : 0;
}
