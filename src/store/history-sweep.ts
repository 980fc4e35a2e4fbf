import { setImmediate } from 'node:timers/promises';
import type { HistoryView } from '../view/record.ts';
import type { Store } from './store.ts';
import type { HistoryPlace } from './tables/history.ts';
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

/** Records that are looked at in one step, and in one turn of the event loop. */
const perStep = 2_000;
const perTurn = 100;

/** Changes of a record that are looked at in one transaction. A day that has more is thinned part by part. */
const changesAtOnce = 500;

/** Changes per transaction, from which on no further record joins it. */
const enough = 250;

/**
 * Bounds the history of records: removes what is too old or too much, and thins days that are over. It goes through all records once a day, a few at
 * each step; where it is killed, what it has done stays. A change whose event is kept stays as it is until the event is gone.
 */
export class HistorySweep {
  readonly #limitsOf: (source: string) => HistoryLimits;
  /** The record that was looked at last; missing when all were, on `#day`. */
  #after: number | undefined;
  #day: number | undefined;

  /** @param limitsOf - how much history of the records of a source is kept. */
  constructor(limitsOf: (source: string) => HistoryLimits) {
    this.#limitsOf = limitsOf;
  }

  /**
   * Makes one step. Works also when the store is full. Resolves with the number of changes that were removed; rejects when a commit
   * fails.
   */
  async step(store: Store, now: number): Promise<number> {
    const day = Math.floor(now / dayMs);
    if (this.#after === undefined) {
      if (this.#day === day) return 0;
      [this.#after, this.#day] = [0, day];
    }
    let removed = 0;
    for (let looked = 0; looked < perStep && this.#after !== undefined; looked += perTurn) {
      if (looked > 0) await setImmediate();
      const records = store.records.numbersAfter(this.#after, perTurn);
      removed += await this.#bound(store, now, records);
      this.#after = records.length < perTurn ? undefined : records.at(-1);
    }
    return removed;
  }

  async #bound(store: Store, now: number, records: readonly number[]): Promise<number> {
    const plan = (record: number) => planOf(store, record, now, this.#limitsOf);
    let waiting = records.filter((record) => plan(record) !== undefined);
    let removed = 0;
    while (waiting.length > 0) {
      const done = await store.write(() => boundSome(store, waiting, plan), { evenWhenFull: true });
      waiting = waiting.slice(done.records);
      removed += done.removed;
    }
    return removed;
  }
}

/** Bounds the history of the first of some records, as much as one transaction may. Returns how many of them are done, and the number of removed changes. */
function boundSome(
  store: Store,
  records: readonly number[],
  plan: (record: number) => Plan | undefined,
): { readonly records: number; readonly removed: number } {
  let [done, looked, removed] = [0, 0, 0];
  while (looked < enough && done < records.length) {
    const record = records[done] ?? 0;
    // Made anew in the transaction: others may have changed the history meanwhile.
    const wanted = plan(record);
    if (wanted === undefined) done += 1;
    else {
      carryOut(store, record, wanted);
      looked += wanted.looked;
      removed += wanted.remove.length;
    }
  }
  return { records: done, removed };
}

/** What is to be done with the oldest changes of a record. */
interface Plan {
  readonly remove: readonly HistoryView[];
  readonly put: readonly HistoryView[];
  /** Up to where its history is thinned then. */
  readonly thinnedTo?: HistoryPlace;
  readonly looked: number;
}

/** Plans the next part of bounding a record's history; `undefined` where nothing is to be done. */
function planOf(
  { history, events, records }: Store,
  record: number,
  now: number,
  limitsOf: (source: string) => HistoryLimits,
): Plan | undefined {
  const { keepMs = Infinity, detailMs, changes } = limitsOf(records.nameOf(record)?.source ?? '');
  const firstEvent = events.first() ?? Infinity;
  const isFree = ({ serial }: HistoryPlace): boolean => serial < firstEvent;

  const keptFrom = startOfDay(now - keepMs);
  const overflow = history.newestPlace(record, {}, changes);
  const oldest = [...history.ofRecord(record, { limit: changesAtOnce, before: behind(keptFrom, overflow) })].filter(
    isFree,
  );
  if (oldest.length > 0) return { remove: oldest, put: [], looked: oldest.length };

  const after = history.thinnedTo(record);
  const [first] = history.ofRecord(record, { after, limit: 1 });
  const thinTo = startOfDay(now - detailMs);
  if (first === undefined || first.at >= thinTo) return undefined;
  const dayEnd = startOfDay(first.at) + dayMs;
  const read = [...history.ofRecord(record, { after, before: dayEnd, limit: changesAtOnce })];
  const isPart = read.length === changesAtOnce;
  // A change and what corrects it have one instant.
  const day = isPart ? withoutLastInstant(read) : read;
  if (!day.every(isFree)) return undefined;
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

/** The changes before those of the last instant, or all where they have one instant. */
function withoutLastInstant(changes: readonly HistoryView[]): readonly HistoryView[] {
  const last = changes.at(-1)?.at;
  const before = changes.filter(({ at }) => at !== last);
  return before.length > 0 ? before : changes;
}

function carryOut({ history, records }: Store, record: number, { remove, put, thinnedTo }: Plan): void {
  for (const change of remove) history.remove(change);
  for (const change of put) history.add(change);
  if (thinnedTo !== undefined) history.setThinnedTo(record, thinnedTo);
  const [left] = history.ofRecord(record, { limit: 1 });
  if (left === undefined) {
    history.setThinnedTo(record, undefined);
    records.forgetName(record);
  }
}

/** The later one of an instant and the place behind a change. */
function behind(at: number, change: HistoryPlace | undefined): number | HistoryPlace {
  return change === undefined || change.at < at ? at : { at: change.at, serial: change.serial + 1 };
}

/** Corrections of one job share a serial. */
function placeOf({ at, serial }: HistoryPlace): string {
  return `${at} ${serial}`;
}

function startOfDay(at: number): number {
  return Number.isFinite(at) ? Math.floor(at / dayMs) * dayMs : 0;
}
