/** The transactions of an environment. */
export interface Transactions {
  /** Runs `run` in a transaction and resolves when that is committed. A throw of `run` undoes nothing. */
  write(run: () => void): Promise<void>;
  /** Runs `run` at once in a child transaction, and undoes it when `run` throws. To be called only within `write`. */
  undoable(run: () => void): void;
}

interface Batch {
  readonly changes: Change[];
  readonly committed: Promise<void>;
}

interface Change {
  run(): void;
  failed(error: unknown): void;
}

type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

/** Changes of one transaction: they take a few milliseconds of the event loop. */
const maxChanges = 64;

/**
 * Returns a function that runs a change as a whole or not at all, and rejects with what the change throws. A child
 * transaction copies each page that it touches, so changes that wait at the same time share one. When a change of it
 * throws, it is undone, and each change runs again in a child of its own, in the same order. A change must therefore
 * allow being run twice.
 */
export function createBatches({ write, undoable }: Readonly<Transactions>): <T>(run: () => T) => Promise<T> {
  let open: Batch | undefined;

  return async function commit<T>(run: () => T): Promise<T> {
    const outcome: { current?: Outcome<T> } = {};
    const change: Change = {
      run() {
        outcome.current = { ok: true, value: run() };
      },
      failed(error) {
        outcome.current = { ok: false, error };
      },
    };
    open ??= begin();
    const { changes, committed } = open;
    if (changes.push(change) === maxChanges) open = undefined;
    await committed;
    if (outcome.current === undefined) throw new Error('a batch was committed without all of its changes');
    if (!outcome.current.ok) throw outcome.current.error;
    return outcome.current.value;
  };

  function begin(): Batch {
    const changes: Change[] = [];
    const committed = write(() => {
      if (open?.changes === changes) open = undefined;
      runTogether(changes);
    });
    return { changes, committed };
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
