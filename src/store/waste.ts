import { noTally, type PulseTally, type Tally, together } from '../schedule/waste.ts';
import type { ScrapeRow } from './rows.ts';
import type { Store } from './store.ts';

const dayMs = 86_400_000;

/** Days that are kept, today's among them, if there are not too many rows. */
const keptDays = 32;
const keptRows = 10_000_000;
/** Rows per transaction. */
const batch = 1_000;

/** Adds up what a scrape cost that has just ended. Runs within a transaction. */
export function addWaste(store: Store, scrape: ScrapeRow): void {
  const day = dayOf(scrape.endedAt ?? scrape.startedAt);
  const before = store.waste.get(day, scrape.target) ?? noTally;
  store.waste.put(day, scrape.target, together(before, tallyOfScrape(scrape)));
}

/** What requests of a source's pulse cost, by target; under no target what asked for many at once. */
export type PulseCosts = ReadonlyMap<number | undefined, PulseTally>;

/** Adds up what requests of a source's pulse cost. */
export function addPulseWaste(store: Store, source: string, costs: PulseCosts): Promise<void> {
  return store.write(({ at }) => {
    const day = dayOf(at);
    for (const [target, cost] of costs) {
      const key = target ?? source;
      store.waste.put(day, key, together(store.waste.get(day, key) ?? noTally, { ...noTally, pulses: cost }));
    }
  });
}

/** What a target cost from an instant on, in whole days, or what a source's pulse did that asked for many at once; less than all when that was long ago. */
export function tallyOf({ waste }: Store, of: number | string, from: number, to: number): Tally {
  let sum = noTally;
  const last = dayOf(to);
  for (let day = Math.max(dayOf(from), last - keptDays); day <= last; day += 1) {
    const tally = waste.get(day, of);
    if (tally !== undefined) sum = together(sum, tally);
  }
  return sum;
}

/** Forgets what is old, a little at a time; works also when the store is full. Returns how many rows that were. */
export async function trimWaste(store: Store, now: number): Promise<number> {
  let removed = 0;
  for (;;) {
    const some = await store.write(() => store.waste.trim(dayOf(now) - keptDays + 1, keptRows, batch), {
      evenWhenFull: true,
    });
    removed += some;
    if (some < batch) return removed;
  }
}

function tallyOfScrape({ status, steps, bytes, counts, spent = {} }: ScrapeRow): Tally {
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
