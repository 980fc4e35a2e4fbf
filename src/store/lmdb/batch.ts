/** The transactions of an environment, and the time by which they are gathered. */
export interface Transactions {
  /** Milliseconds from an arbitrary start, which never go back. */
  now(): number;
  /** Runs `run` in a transaction and resolves when that is committed. A throw of `run` undoes nothing. */
  write(run: () => void): Promise<void>;
  /** Runs `run` at once in a child transaction, and undoes it when `run` throws. To be called only within `write`. */
  undoable(run: () => void): void;
}

interface Change {
  run(): void;
  failed(error: unknown): void;
  committed(): void;
  rejected(error: unknown): void;
}

type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

/** A transaction waits for no more changes than these. */
const enoughChanges = 16;

/** The time of the event loop that a transaction may take before it leaves further changes to the next one, in milliseconds: control waits for it. */
const shareMs = 4;

/** The longest time that a transaction waits for further changes, in milliseconds. */
const windowMs = 8;

/** A transaction waits only if changes come so fast that at least this number more is to be expected. */
const worthWaiting = 2;

/**
 * The part of the changes that must lately have come while another one was not yet committed. Less means that each
 * change waits for the one before, so that none would come in the meantime.
 */
const leastBeside = 0.1;

/** Gathers changes into transactions. */
export interface Batches {
  /** Runs a change. An urgent one does not wait for further changes, nor do those that it joins. */
  readonly commit: <T>(run: () => T, options: { readonly urgent: boolean }) => Promise<T>;
  /** Numbers of transactions and of changes since the start. */
  readonly counts: () => BatchCounts;
  /** Writes what waits for further changes; resolves when no change waits to be run. */
  readonly writeNow: () => Promise<void>;
}

/** How many changes were written, and in how many transactions. */
export interface BatchCounts {
  readonly transactions: number;
  readonly changes: number;
}

/**
 * Gathers changes into transactions. `commit` runs a change as a whole or not at all, and rejects with what the change
 * throws. A transaction costs several times what a change does, and a child transaction copies each page that it
 * touches, so changes share one child: all that come while a transaction waits for the writer, and under load all of
 * 8 ms, until they have taken 4 ms of the event loop. The next transaction takes the rest in a later turn of the loop. When a
 * change throws, those of its child are undone, and each runs again in a child of its own, in the same order. A
 * change must therefore allow being run twice.
 *
 * The time is real time: it is a part of one write, and not a wait between two of them.
 */
export function createBatches({ now, write, undoable }: Readonly<Transactions>): Batches {
  const load = new Load();
  let waiting: Change[] = [];
  let timer: NodeJS.Timeout | undefined;
  /** Whether a transaction was begun that has not run yet. */
  let isBegun = false;
  /** Settles when the newest transaction is over, whatever came of it. */
  let last = Promise.resolve();
  let transactions = 0;
  let written = 0;

  return {
    commit,
    counts: () => ({ transactions, changes: written }),
    writeNow,
  };

  async function commit<T>(run: () => T, { urgent }: { readonly urgent: boolean }): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let outcome: Outcome<T> | undefined;
    load.came(now());
    waiting.push({
      run() {
        outcome = { ok: true, value: run() };
      },
      failed(error) {
        outcome = { ok: false, error };
      },
      committed() {
        if (outcome?.ok === true) resolve(outcome.value);
        else reject(outcome?.error);
      },
      rejected: reject,
    });
    if (urgent || waiting.length >= enoughChanges || !load.isHigh()) begin();
    else timer ??= setTimeout(begin, windowMs);
    try {
      return await promise;
    } finally {
      load.ended();
    }
  }

  async function writeNow(): Promise<void> {
    for (begin(); isBegun; begin()) await last;
  }

  /** Queues a transaction for what waits; changes join it until it runs. */
  function begin(): void {
    clearTimeout(timer);
    timer = undefined;
    if (isBegun || waiting.length === 0) return;
    isBegun = true;
    let taken: readonly Change[] = [];
    last = write(() => {
      taken = runSome();
      isBegun = false;
      transactions += 1;
      written += taken.length;
      // Not at once: what is begun within a transaction runs in the same turn of the event loop.
      if (waiting.length > 0) setImmediate(begin);
    }).then(
      () => {
        for (const change of taken) change.committed();
      },
      (error: unknown) => {
        // No further change may wait for a transaction that never ran.
        if (taken.length === 0) [taken, waiting, isBegun] = [waiting, [], false];
        for (const change of taken) change.rejected(error);
      },
    );
  }

  /** Runs changes while their share of the event loop lasts; returns them. */
  function runSome(): readonly Change[] {
    const endsAt = now() + shareMs;
    let count = 0;
    while (count < waiting.length && (count === 0 || now() < endsAt)) {
      const from = count;
      try {
        undoable(() => {
          do {
            count += 1;
            waiting[count - 1]?.run();
          } while (count < waiting.length && now() < endsAt);
        });
      } catch {
        for (const change of waiting.slice(from, count)) runAlone(change);
      }
    }
    return waiting.splice(0, count);
  }

  function runAlone(change: Change): void {
    try {
      undoable(() => change.run());
    } catch (error) {
      change.failed(error);
    }
  }
}

/** Weight of the newest change in the means. */
const weight = 0.2;

/** A gap counts as this at most, in milliseconds: one change after a rest finds no load. */
const longestGapMs = 25;

/** How fast changes come, over about the last ten of them. */
class Load {
  #underWay = 0;
  #cameAt = -Infinity;
  #gapMs = longestGapMs;
  #beside = 0;

  /** Notes that a change came. */
  came(now: number): void {
    this.#gapMs += weight * (Math.min(now - this.#cameAt, longestGapMs) - this.#gapMs);
    this.#beside += weight * ((this.#underWay > 0 ? 1 : 0) - this.#beside);
    this.#cameAt = now;
    this.#underWay += 1;
  }

  /** Notes that a change was committed, or failed. */
  ended(): void {
    this.#underWay -= 1;
  }

  /** Whether a transaction that waits is likely to gather more changes. */
  isHigh(): boolean {
    return this.#gapMs * worthWaiting <= windowMs && this.#beside >= leastBeside;
  }
}
