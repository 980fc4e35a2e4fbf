import { setImmediate } from 'node:timers/promises';
import { defined } from '../defined.ts';
import type { HistoryView } from '../view/record.ts';
import type { HistoryPlace } from './tables/history-packing.ts';
import { inSlices } from './slices.ts';
import type { Store } from './store.ts';

/** The changes that are wanted of some targets. */
export interface WantedChanges {
  readonly limit: number;
  /** Changes before this instant, or before the last change of the slice before. Default: all. */
  readonly before?: number | HistoryPlace | undefined;
  /** The first instant. Default: all. */
  readonly since?: number | undefined;
  readonly field?: string | undefined;
  readonly type?: string | undefined;
  readonly key?: string | undefined;
}

/** A slice of changes, the newest first. */
export interface ChangeSlice {
  readonly changes: readonly HistoryView[];
  /** The last of them; missing where none follows. */
  readonly next?: HistoryPlace;
}

/** Changes of one record that are read at a time. */
const readAtOnce = 200;

/** Records whose numbers are read at a time. */
const recordsAtOnce = 250;

/** How long is read before other work has its turn, in milliseconds. */
const turnMs = 2;

/**
 * Finds the newest changes that some targets saw, by the instant of the observation and, of one instant, by the order of the commits. Reads the history
 * of each record of the targets as far back as the slice goes, and leaves the event loop free every few milliseconds.
 */
export async function newestChanges(
  store: Pick<Store, 'records' | 'history'>,
  targets: readonly number[],
  { limit, field, ...wanted }: WantedChanges,
): Promise<ChangeSlice> {
  const newest = new Newest(limit + 1);
  let turnEndsAt = performance.now() + turnMs;
  const breathe = async (): Promise<void> => {
    if (performance.now() < turnEndsAt) return;
    await setImmediate();
    turnEndsAt = performance.now() + turnMs;
  };
  for (const target of targets) {
    for await (const record of recordsOf(store, target)) {
      const newestPlace = store.history.newestPlace(record, wanted);
      // Most records have nothing new enough, and their rows need not be read.
      if (newestPlace !== undefined && newest.isOpenTo(newestPlace) && isWanted(store, record, wanted))
        await readRecord(record, target);
      await breathe();
    }
  }
  const changes = newest.sorted();
  if (changes.length <= limit) return { changes };
  const slice = changes.slice(0, limit);
  return { changes: slice, ...defined({ next: slice.at(-1) }) };

  async function readRecord(record: number, target: number): Promise<void> {
    let { before } = wanted;
    for (;;) {
      let read = 0;
      const range = { since: wanted.since, before, newestFirst: true, limit: readAtOnce };
      for (const change of store.history.ofRecord(record, range)) {
        if (!newest.isOpenTo(change)) return;
        if (change.target === target && (field === undefined || Object.hasOwn(change.fields, field)))
          newest.add(change);
        before = change;
        read += 1;
      }
      if (read < readAtOnce) return;
      await breathe();
    }
  }
}

async function* recordsOf({ records }: Pick<Store, 'records'>, target: number): AsyncGenerator<number> {
  for (const numbersOf of [records.numbersOfTarget, records.removedOfTarget])
    for await (const numbers of inSlices<number>((after, limit) => numbersOf(target, { after, limit }), recordsAtOnce))
      yield* numbers;
}

function isWanted(
  { records }: Pick<Store, 'records'>,
  record: number,
  { type, key }: Pick<WantedChanges, 'type' | 'key'>,
): boolean {
  if (type === undefined && key === undefined) return true;
  const name = records.nameOf(record);
  return (type ?? name?.type) === name?.type && (key ?? name?.key) === name?.key;
}

/** Changes that are sorted at a time. */
const sortedAtOnce = 1_000;

/** The newest changes of those that were added. */
class Newest {
  readonly #limit: number;
  /** In order, up to the limit. */
  #newest: HistoryView[] = [];
  #added: HistoryView[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether a change may be one of the newest so far. */
  isOpenTo(change: HistoryPlace): boolean {
    const oldest = this.#newest[this.#limit - 1];
    return oldest === undefined || order(change, oldest) < 0;
  }

  add(change: HistoryView): void {
    this.#added.push(change);
    if (this.#added.length === sortedAtOnce) this.#merge();
  }

  sorted(): readonly HistoryView[] {
    this.#merge();
    return this.#newest;
  }

  #merge(): void {
    const added = this.#added.sort(order);
    const merged: HistoryView[] = [];
    let [at, place] = [0, 0];
    while (merged.length < this.#limit) {
      const [old, one] = [this.#newest[at], added[place]];
      const isOld = old !== undefined && (one === undefined || order(old, one) < 0);
      const next = isOld ? old : one;
      if (next === undefined) break;
      merged.push(next);
      if (isOld) at += 1;
      else place += 1;
    }
    this.#newest = merged;
    this.#added = [];
  }
}

function order(one: HistoryPlace, other: HistoryPlace): number {
  return other.at - one.at || other.serial - one.serial;
}
