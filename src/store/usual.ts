import type { ScrapeRow, UsualScrape } from './tables/rows.ts';
import { tallyOfScrape } from './waste.ts';

/** The number of scrapes over which a mean cost is smoothed: each new scrape weighs at least this fraction. */
const weighing = 30;

/** The mean cost of a target's scrapes after one more. A scrape without an answer is left out. */
export function withScrape(usual: UsualScrape | undefined, scrape: ScrapeRow): UsualScrape | undefined {
  const { requests, bytes, unanswered } = tallyOfScrape(scrape);
  if (unanswered !== undefined) return usual;
  const before = usual ?? { scrapes: 0, requests: 0, bytes: 0 };
  const scrapes = Math.min(weighing, before.scrapes + 1);
  return {
    scrapes,
    requests: Math.max(1, before.requests + (requests - before.requests) / scrapes),
    bytes: before.bytes + (bytes - before.bytes) / scrapes,
  };
}
