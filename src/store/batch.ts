/** What a batch needs of the environment. */
export interface Transactions {
  /** Runs `run` once it may write, and resolves when what it wrote is committed. What it throws undoes nothing. */
  write(run: () => void): Promise<void>;
  /** Runs `run` at once in a child transaction, which is undone when it throws. Only within `write`. */
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

/** So many changes hold up the loop for a few milliseconds. */
const maxChanges = 64;

/**
 * Runs changes one after the other, each whole or not at all. A child transaction costs a copy of every page that it touches,
 * so those that wait at the same time share one; only if one of them throws is it undone, and each is run again in one of its
 * own, in the same order. Changes must therefore bear to be run twice.
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
