import { dayMs } from './baseline.ts';
import { emptyTally, type RunTally, sumOfTallies } from './tally.ts';

/**
 * The scrapes of a source's targets that have few records each, tallied together: a page with one product says nothing of shares, and 200 of them do.
 */
export interface Round {
  readonly startedAt: number;
  /** The targets that were scraped, each once. */
  readonly targets: readonly number[];
  readonly tally: RunTally;
}

/** A target with fewer records is judged with others. */
const fewRecords = 10;

const mostScrapes = 200;

/** Whether a target that has so many records is judged in rounds. */
export function isSmall(records: number): boolean {
  return records < fewRecords;
}

/** Returns a round with one more scrape; a new one where there was none. */
export function withScrape(
  round: Round | undefined,
  target: number,
  { tally, at }: { readonly tally: RunTally; readonly at: number },
): Round {
  const { startedAt = at, targets = [], tally: before = emptyTally } = round ?? {};
  const all = targets.includes(target) ? targets : [...targets, target];
  return { startedAt, targets: all, tally: sumOfTallies(before, tally) };
}

/**
 * Whether a round is over: each of the source's small targets was scraped, or 200 scrapes were made, or a day has passed.
 *
 * @param targets - how many small targets the source has.
 */
export function isRoundOver(round: Round, { targets, at }: { readonly targets: number; readonly at: number }): boolean {
  return round.targets.length >= targets || round.tally.scrapes >= mostScrapes || at - round.startedAt >= dayMs;
}
