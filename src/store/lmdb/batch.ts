/** The transactions of an environment, and the time by which they are gathered. */
export interface Transactions {
  /** Milliseconds from an arbitrary start, which never go back. */
  now(): number;
  /** Runs `run` in a transaction and resolves when that is committed. A throw of `run` undoes nothing. */
  write(run: () => void): Promise<void>;
  /** Runs `run` at once in a child transaction, and undoes it when `run` throws. To be called only within `write`. */
  undoable(run: () => void): void;
}

interface Batch {
  readonly changes: Change[];
  readonly committed: Promise<void>;
  begin(): void;
}

interface Change {
  run(): void;
  failed(error: unknown): void;
}

type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

/** Changes of one transaction: they take some 2 ms of the event loop, for which control waits. */
const maxChanges = 16;

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
  /** Begins the transaction that waits for further changes, if one does. */
  readonly writeNow: () => void;
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
 * 8 ms. When a change of it throws, it is undone, and each change runs again in a child of its own, in the same order. A
 * change must therefore allow being run twice.
 *
 * The time is real time: it is a part of one write, and not a wait between two of them.
 */
export function createBatches({ now, write, undoable }: Readonly<Transactions>): Batches {
  const load = new Load();
  let open: Batch | undefined;
  let transactions = 0;
  let written = 0;

  return {
    commit,
    counts: () => ({ transactions, changes: written }),
    writeNow: () => open?.begin(),
  };

  async function commit<T>(run: () => T, { urgent }: { readonly urgent: boolean }): Promise<T> {
    const outcome: { current?: Outcome<T> } = {};
    const change: Change = {
      run() {
        outcome.current = { ok: true, value: run() };
      },
      failed(error) {
        outcome.current = { ok: false, error };
      },
    };
    load.came(now());
    open ??= openBatch();
    const { changes, committed, begin } = open;
    changes.push(change);
    if (changes.length === maxChanges) open = undefined;
    if (urgent || changes.length === maxChanges || !load.isHigh()) begin();
    try {
      await committed;
    } finally {
      load.ended();
    }
    if (outcome.current === undefined) throw new Error('a batch was committed without all of its changes');
    if (!outcome.current.ok) throw outcome.current.error;
    return outcome.current.value;
  }

  function openBatch(): Batch {
    const changes: Change[] = [];
    const { promise: committed, resolve, reject } = Promise.withResolvers<void>();
    let timer: NodeJS.Timeout | undefined = setTimeout(begin, windowMs);
    return { changes, committed, begin };

    /** Queues the transaction; changes join it until it runs. */
    function begin(): void {
      if (timer === undefined) return;
      clearTimeout(timer);
      timer = undefined;
      write(() => {
        if (open?.changes === changes) open = undefined;
        transactions += 1;
        written += changes.length;
        runTogether(changes);
      }).then(resolve, (error: unknown) => {
        // No further change may join a transaction that never ran.
        if (open?.changes === changes) open = undefined;
        reject(error);
      });
    }
  }

  function runTogether(changes: readonly Change[]): void {
    try {
      undoable(() => {
        for (const change of changes) change.run();
      });
    } catch (error) {
      if (changes.length === 1) changes[0]?.failed(error);
      else for (const change of changes) runTogether([change]);
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
