import { setImmediate } from 'node:timers/promises';
import { type HistoryLimits, type HistoryPlan, planHistory } from './history-plan.ts';
import type { Store } from './store.ts';

/** Records that are looked at in one step, and in one turn of the event loop. */
const perStep = 2_000;
const perTurn = 100;

const dayMs = 86_400_000;

/** Changes per transaction, from which on no further record joins it. */
const enough = 250;

/**
 * Bounds the history of records: removes what is too old or too much, thins days that are over, and seals what is old. It goes through all records once a day, a few at
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
    const plan = (record: number) => planHistory(store, record, now, this.#limitsOf);
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
  plan: (record: number) => HistoryPlan | undefined,
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

function carryOut({ history, records }: Store, record: number, { remove, put, thinnedTo, seal }: HistoryPlan): void {
  history.remove(remove);
  for (const change of put) history.add(change);
  if (thinnedTo !== undefined) history.setThinnedTo(record, thinnedTo);
  if (seal !== undefined) history.seal(record, seal);
  const [left] = history.ofRecord(record, { limit: 1 });
  if (left === undefined) {
    history.setThinnedTo(record, undefined);
    records.forgetName(record);
  }
}
