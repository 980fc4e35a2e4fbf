import type { Store } from './store.ts';
import type { RobotsEntry } from '../fetch/robots/verdict.ts';
import type { HistoryLimits } from './history-plan.ts';
import { HistorySweep } from './history-sweep.ts';
import { removeTargets } from './remove-targets.ts';
import { writeInSlices } from './slices.ts';
import { trimWaste } from './waste.ts';

/** How many of the newest rows of each log are kept, at least 1. */
export interface RetentionLimits {
  readonly events: number;
  readonly scrapes: number;
  readonly steps: number;
}

/** How long the rows of logs are kept, in milliseconds. */
export type RetentionAges = Readonly<Record<keyof RetentionLimits, number>>;

const dayMs = 86_400_000;

/** The limits of every daemon: rows that are older go, and rows beyond these numbers. */
export const kept: { readonly rows: RetentionLimits; readonly ages: RetentionAges } = {
  rows: {
    events: 1_000_000,
    scrapes: 2_000_000,
    steps: 2_000_000,
  },
  // The last scrape of a target outlasts the longest interval, of 366 days.
  ages: { events: 90 * dayMs, scrapes: 400 * dayMs, steps: 90 * dayMs },
};

/** The bounds up to which events are kept beyond their retention because a sink has not delivered them yet. */
export const keptForSinks = { rows: 4_000_000, ageMs: 180 * dayMs };

/** The history of records that is kept where nobody says otherwise. */
const keptHistory: HistoryLimits = { detailMs: 90 * dayMs, changes: 100_000 };

const logs = ['events', 'scrapes', 'steps'] as const satisfies readonly (keyof RetentionLimits)[];

/** Rows that are removed in one transaction: commits wait a few milliseconds at most. */
const removedAtOnce = 250;

/** Rows that are looked at in one step of a sweep. */
const batch = 1_000;

/**
 * Removes the rows beyond the limits, the oldest first, in small transactions; but no events that a sink is not done with, as long as
 * `keptForSinks` says. Works also when the store is full. Resolves with the
 * number of removed rows; rejects when a commit fails.
 *
 * @param aged - removes also the rows at the beginning of a log that are older than this.
 */
export async function trim(
  store: Store,
  limits: RetentionLimits,
  aged?: { readonly ages: RetentionAges; readonly now: number },
): Promise<number> {
  let removed = 0;
  for (const log of logs) {
    const within = () => Math.min(limits[log], aged === undefined ? Infinity : young(store, log, aged));
    const keep = () => (log === 'events' ? Math.max(within(), undelivered(store, aged?.now)) : within());
    // A transaction costs a write to the disk even where it removes nothing.
    if (store[log].exceeds(keep()))
      removed += await writeInSlices(store, removedAtOnce, () => trimLog(store, log, keep()));
  }
  return removed;
}

/** Removes some rows of a log; the number of removed rows. */
function trimLog(store: Store, log: keyof RetentionLimits, keep: number): number {
  return log === 'scrapes'
    ? store.scrapes.trim(keep, removedAtOnce, store.events.first() ?? Infinity)
    : store[log].trim(keep, removedAtOnce);
}

/** Returns how many of the newest events stay for the slowest sink. */
function undelivered({ events, cursors }: Store, now: number | undefined): number {
  let slowest = Infinity;
  for (const { serial } of cursors.rows()) slowest = Math.min(slowest, serial);
  const since = now === undefined ? -Infinity : now - keptForSinks.ageMs;
  return Math.min(events.last() - slowest, keptForSinks.rows, events.keptSince(since, removedAtOnce));
}

/** Returns how many rows of a log stay for their age; those of the next transactions may be among them. */
function young(
  { events, scrapes, steps }: Store,
  log: keyof RetentionAges,
  { ages, now }: { readonly ages: RetentionAges; readonly now: number },
): number {
  const before = now - ages[log];
  const isOld = ({ at }: { readonly at: number }) => at < before;
  switch (log) {
    case 'events':
      return events.keptSince(before, removedAtOnce);
    case 'scrapes':
      return scrapes.keptBehind(({ startedAt, endedAt = startedAt }) => endedAt < before, removedAtOnce);
    case 'steps':
      return steps.keptBehind(isOld, removedAtOnce);
    default:
      return log satisfies never;
  }
}

/**
 * Makes room: trims the logs, removes days of waste that are no longer kept, makes one step of the sweeps, and goes on with the removal of
 * targets that was interrupted. Works also when the store is full. Resolves with the number of removed rows; rejects when a commit fails.
 */
export async function makeRoom(store: Store, sweep: Sweep, now: number): Promise<number> {
  return (
    (await trim(store, kept.rows, { ages: kept.ages, now })) +
    (await sweep.step(store)) +
    (await sweep.history.step(store, now)) +
    (await trimWaste(store, now)) +
    (await removeTargets(store))
  );
}

/** Rows of robots.txt per transaction: fewer than of other tables, since a robots.txt may be long. */
const robotsBatch = 100;

/** A search for definition versions that no row names. */
interface Search {
  /** Versions that no row was found to name so far. */
  readonly unnamed: Set<string>;
  /** Scrapes that were there at the start are read downwards from `before`, later ones upwards from `after`. */
  before: number;
  after: number;
  target: number;
}

/**
 * Removes rows that belong to no log and have lost their use: robots.txt entries, and definitions that were replaced
 * and that no row names. It goes through the store again and again, a little at each step.
 */
export class Sweep {
  readonly history: HistorySweep;
  readonly #isSpent: (entry: RobotsEntry) => boolean;
  #robotsAfter: [string, string] | undefined;
  #search: Search | undefined;

  /**
   * @param isSpent - whether a robots.txt entry has lost its use.
   * @param limitsOf - how much history of the records of a source is kept. Default: `keptHistory`.
   */
  constructor(
    isSpent: (entry: RobotsEntry) => boolean,
    limitsOf: (source: string) => HistoryLimits = () => keptHistory,
  ) {
    this.#isSpent = isSpent;
    this.history = new HistorySweep(limitsOf);
  }

  /** Makes one step. Works also when the store is full. Resolves with the number of removed rows; rejects when a commit fails. */
  async step(store: Store): Promise<number> {
    return (await this.#robots(store)) + (await this.#definitions(store));
  }

  async #robots({ robots, write }: Store): Promise<number> {
    const entries = [...robots.entries({ limit: robotsBatch, after: this.#robotsAfter })];
    this.#robotsAfter = entries.length < robotsBatch ? undefined : entries.at(-1)?.key;
    const spent = entries.filter(({ row }) => this.#isSpent(row)).map(({ key }) => key);
    if (spent.length === 0) return 0;
    return write(() => spent.filter((key) => this.#isStillSpent(robots.get(key)) && robots.remove(key)).length, {
      evenWhenFull: true,
    });
  }

  #isStillSpent(entry: RobotsEntry | undefined): boolean {
    return entry !== undefined && this.#isSpent(entry);
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
        const left = new Set(unnamedVersions(store));
        return [...search.unnamed].filter((version) => left.has(version) && definitions.remove(version)).length;
      },
      { evenWhenFull: true },
    );
    if (removed !== undefined) this.#search = undefined;
    return removed ?? 0;
  }
}

function newSearch(store: Store): Search {
  const last = store.scrapes.last();
  return { unnamed: new Set(unnamedVersions(store)), before: last + 1, after: last, target: 0 };
}

/** The versions that are neither current nor named by the history, which tells the rules of its values by them. */
function unnamedVersions({ definitions, history }: Store): string[] {
  const current = new Set(definitions.currents());
  return [...definitions.versions()].filter((version) => !current.has(version) && !history.namesVersion(version));
}

/** Reads some more rows that may name a version. Returns whether those were the last. */
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
