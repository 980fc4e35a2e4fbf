import { setImmediate } from 'node:timers/promises';
import type { Store } from './store.ts';

/** The most events that are read, the newest ones; the log keeps 1,000,000 by default. */
const mostRead = 1_000_000;

/** Rows of the log that are read before it is looked whether others wait for a turn, how long a turn is, in milliseconds, and the most rows that `peek` reads. */
const rowsAtOnce = 200;
const turnMs = 2;
const mostPeeked = 2_000;

type ChangeStore = Pick<Store, 'events'>;

/**
 * The event that tells the newest change of each project's records, about 100 bytes for each project that the event log tells changes of. The log is
 * read when this is first asked for, and from where it was read to whenever it is asked for again: commits do nothing for it.
 */
export class ProjectChanges {
  readonly #events: ChangeStore['events'];
  readonly #newest = new Map<string, number>();
  #readTo: number | undefined;
  #reading: Promise<void> | undefined;

  constructor({ events }: ChangeStore) {
    this.#events = events;
  }

  /** Resolves with the newest changes by project. */
  async all(): Promise<ReadonlyMap<string, number>> {
    await (this.#reading ??= this.#read().finally(() => (this.#reading = undefined)));
    return this.#newest;
  }

  /** Returns the newest changes by project; nothing while there is much to read, which goes on beside. */
  peek(): ReadonlyMap<string, number> | undefined {
    if (this.#reading === undefined && this.#events.last() - this.#start() <= mostPeeked) {
      this.#readRows(mostPeeked);
      return this.#newest;
    }
    // A store that is closed meanwhile is of no use to whoever asked.
    this.all().catch(() => undefined);
    return undefined;
  }

  async #read(): Promise<void> {
    let turnEndsAt = performance.now() + turnMs;
    while (this.#readRows(rowsAtOnce) === rowsAtOnce) {
      if (performance.now() < turnEndsAt) continue;
      await setImmediate();
      turnEndsAt = performance.now() + turnMs;
    }
  }

  /** The last event that was read, or that is not read as it is too old. */
  #start(): number {
    return this.#readTo ?? Math.max((this.#events.first() ?? 1) - 1, this.#events.last() - mostRead);
  }

  /** Reads up to some rows. Returns their number. */
  #readRows(limit: number): number {
    let rows = 0;
    for (const { id, projects, isDeletion } of this.#events.projectsOfChanges({ after: this.#start(), limit })) {
      for (const project of projects) {
        if (isDeletion) this.#newest.delete(project);
        else this.#newest.set(project, id);
      }
      this.#readTo = id;
      rows += 1;
    }
    return rows;
  }
}

const known = new WeakMap<object, ProjectChanges>();

/** Returns the newest changes of the projects of an open store. */
export function projectChangesOf(store: ChangeStore): ProjectChanges {
  const changes = known.get(store) ?? new ProjectChanges(store);
  known.set(store, changes);
  return changes;
}
