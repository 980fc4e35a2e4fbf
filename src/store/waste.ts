import { noTally, type PulseTally, type Tally, together } from '../schedule/waste.ts';
import type { ScrapeRow } from './tables/rows.ts';
import { writeInSlices } from './slices.ts';
import type { Store } from './store.ts';

const dayMs = 86_400_000;

/** Days that are kept, including today, while there are at most `keptRows` rows. */
const keptDays = 32;
const keptRows = 10_000_000;
/** Rows per transaction. */
const batch = 1_000;

/** Adds the costs of an ended scrape to its target's day. To be called within a transaction. */
export function addWaste(store: Store, scrape: ScrapeRow): void {
  const day = dayOf(scrape.endedAt ?? scrape.startedAt);
  const before = store.waste.get(day, scrape.target) ?? noTally;
  store.waste.put(day, scrape.target, together(before, tallyOfScrape(scrape)));
}

/** Costs of a pulse's requests by target; `undefined` stands for requests that asked for many targets at once. */
export type PulseCosts = ReadonlyMap<number | undefined, PulseTally>;

/** Adds the costs of a source's pulse to today. Rejects with `StoreFullError` when the store has no room. */
export function addPulseWaste(store: Store, source: string, costs: PulseCosts): Promise<void> {
  return store.write(({ at }) => {
    for (const [target, cost] of costs) addPulseCost(store, at, target ?? source, cost);
  });
}

/** Adds a cost to the day of a target, by number, or of a source, by id. To be called within a transaction. */
export function addPulseCost({ waste }: Store, at: number, of: number | string, cost: PulseTally): void {
  const day = dayOf(at);
  waste.put(day, of, together(waste.get(day, of) ?? noTally, { ...noTally, pulses: cost }));
}

/**
 * The costs of a target (by number) between two instants, in whole days; by a source's id, those of its pulse for many
 * targets at once. Days that are no longer kept are missing.
 */
export function tallyOf({ waste }: Store, of: number | string, from: number, to: number): Tally {
  let sum = noTally;
  const last = dayOf(to);
  for (let day = Math.max(dayOf(from), last - keptDays); day <= last; day += 1) {
    const tally = waste.get(day, of);
    if (tally !== undefined) sum = together(sum, tally);
  }
  return sum;
}

/**
 * Removes days that are no longer kept, in small transactions. Works also when the store is full. Resolves with the
 * number of removed rows; rejects when a commit fails.
 */
export async function trimWaste(store: Store, now: number): Promise<number> {
  const before = dayOf(now) - keptDays + 1;
  if (!store.waste.exceeds(before, keptRows)) return 0;
  return writeInSlices(store, batch, () => store.waste.trim(before, keptRows, batch));
}

/** The cost of one ended scrape. */
export function tallyOfScrape({ status, steps, bytes, counts, spent = {} }: ScrapeRow): Tally {
  const { added, changed, missing = 0, gone = 0 } = counts;
  const isUnchanged = status === 'complete' && added + changed + missing + gone === 0;
  const requests = steps - (spent.batches ?? 0) - (spent.unasked ?? 0);
  const isUnanswered = requests === 0 || (status !== 'complete' && bytes === 0);
  return {
    scrapes: 1,
    unchanged: isUnchanged ? 1 : 0,
    requests,
    ...(isUnanswered && { unanswered: { scrapes: 1, requests } }),
    notModified: spent.notModified ?? 0,
    validated: spent.validated ?? 0,
    bytes,
    unchangedBytes: isUnchanged ? bytes : 0,
    cpuMs: spent.cpuMs ?? 0,
  };
}

function dayOf(at: number): number {
  return Math.floor(at / dayMs);
}
