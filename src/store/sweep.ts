import type { RobotsEntry } from '../fetch/robots/entry.ts';
import type { Store } from './store.ts';

/** Rows looked at per table in one step, so that a step takes a few milliseconds. */
const batch = 1_000;

/** Robots.txt may be long. */
const robotsBatch = 100;

/** A look for definitions that nothing names, over all that may name one. */
interface Search {
  /** Versions that nobody was found to name. */
  readonly unnamed: Set<string>;
  /** Scrapes up to the one that was the last at the start are looked at from the newest down, later ones as they come. */
  before: number;
  after: number;
  target: number;
}

/**
 * Removes what has no place in a log and is worth nothing any more: what was known of robots.txt, and definitions that were
 * replaced and that nothing names. It goes through the store again and again, a little at each step.
 */
export class Sweep {
  readonly #isSpent: (entry: RobotsEntry) => boolean;
  #robotsAfter: [string, string] | undefined;
  #search: Search | undefined;

  /** @param isSpent - whether what is known of a robots.txt is worth no more than nothing. */
  constructor(isSpent: (entry: RobotsEntry) => boolean) {
    this.#isSpent = isSpent;
  }

  /** Works also when the store is full. Returns how many rows it removed. */
  async step(store: Store): Promise<number> {
    return (await this.#robots(store)) + (await this.#definitions(store));
  }

  async #robots({ robots, write }: Store): Promise<number> {
    const range = { limit: robotsBatch, ...(this.#robotsAfter && { after: this.#robotsAfter }) };
    const entries = [...robots.entries(range)];
    this.#robotsAfter = entries.length < robotsBatch ? undefined : entries.at(-1)?.key;
    const spent = entries.filter(({ row }) => this.#isSpent(row)).map(({ key }) => key);
    if (spent.length === 0) return 0;
    return write(() => spent.filter((key) => isStill(robots.get(key), this.#isSpent) && robots.remove(key)).length, {
      evenWhenFull: true,
    });
  }

  async #definitions(store: Store): Promise<number> {
    const { definitions, scrapes, write } = store;
    const search = (this.#search ??= newSearch(store));
    if (search.unnamed.size === 0) {
      this.#search = undefined;
      return 0;
    }
    if (!look(store, search)) return 0;
    const removed = await write(
      () => {
        // What began since the look is looked at first, at the next step.
        if (scrapes.last() !== search.after) return undefined;
        const current = new Set(definitions.currents());
        return [...search.unnamed].filter((version) => !current.has(version) && definitions.remove(version)).length;
      },
      { evenWhenFull: true },
    );
    if (removed !== undefined) this.#search = undefined;
    return removed ?? 0;
  }
}

function newSearch({ definitions, scrapes }: Store): Search {
  const current = new Set(definitions.currents());
  const unnamed = new Set([...definitions.versions()].filter((version) => !current.has(version)));
  return { unnamed, before: scrapes.last() + 1, after: scrapes.last(), target: 0 };
}

/** Looks at some more of what may name a version; whether that was all. */
function look({ scrapes, targets, crawls }: Store, search: Search): boolean {
  const older = [...scrapes.rows({ before: search.before, limit: batch })];
  search.before = older.at(-1)?.scrape ?? search.before;
  for (const { version } of older) search.unnamed.delete(version);
  const lastTarget = Math.min(targets.last(), search.target + batch);
  for (; search.target < lastTarget; search.target += 1) {
    const number = search.target + 1;
    search.unnamed.delete(targets.get(number)?.copy?.version ?? '');
    for (const { version } of crawls.ofTarget(number)) search.unnamed.delete(version);
  }
  const lastScrape = Math.min(scrapes.last(), search.after + batch);
  for (; search.after < lastScrape; search.after += 1)
    search.unnamed.delete(scrapes.get(search.after + 1)?.version ?? '');
  return older.length < batch && search.target === targets.last() && search.after === scrapes.last();
}

function isStill(entry: RobotsEntry | undefined, isSpent: (entry: RobotsEntry) => boolean): boolean {
  return entry !== undefined && isSpent(entry);
}
