import { defined } from '../defined.ts';
import { hadAny } from '../health/baseline.ts';
import { fewestOfShare } from '../health/measure-kind.ts';
import { type RunTally, sumOfTallies } from '../health/tally.ts';
import type { Symptom } from '../view/symptom.ts';
import type { Store } from './store.ts';
import type { TargetRow } from './tables/rows.ts';
import type { RoundRow } from './tables/runs.ts';

/** A round is over once it has each target, or so many, or once it has lasted a day and has enough scrapes to be judged. */
const roundScrapes = 200;
const roundMs = 86_400_000;

/** A scrape of few records that has ended. */
interface SmallScrape {
  readonly target: Pick<TargetRow, 'source' | 'target'>;
  readonly tally: RunTally;
  readonly endedAt: number;
}

/** A round with one more scrape, unless it has the target already. */
interface JoinedRound {
  readonly joined: RoundRow;
  readonly isCounted: boolean;
  readonly isOver: boolean;
}

/** Whether a source has too few targets for a round of one scrape each to be judged: then a round has several scrapes of a target. */
export function hasFewTargets({ counts }: Pick<Store, 'counts'>, source: string): boolean {
  return counts.activeOf(source) < fewestOfShare;
}

/**
 * Returns the round of a source with one more scrape, and whether it is over. Of many targets, one that is scraped again while a round lasts counts once:
 * what is wrong with it alone is not the source's.
 */
export function roundWith(
  store: Pick<Store, 'counts'>,
  before: RoundRow,
  { target: { source, target }, tally, endedAt }: SmallScrape,
): JoinedRound {
  const { targets = [] } = before;
  const isCounted = hasFewTargets(store, source) || !targets.includes(target);
  const joined = isCounted
    ? { ...before, targets: [...targets, target], tally: sumOfTallies(before.tally, tally) }
    : before;
  const { scrapes } = joined.tally;
  const most = Math.min(roundScrapes, Math.max(fewestOfShare, store.counts.activeOf(source)));
  const isOver = scrapes >= most || (endedAt - joined.startedAt >= roundMs && scrapes >= fewestOfShare);
  return { joined, isCounted, isOver };
}

/** Whether a field is one that records of healthy rounds have lost, as the price of a sale that ends. */
export function comesAndGoes({ runs }: Store, source: string, { kind, record, field }: Symptom): boolean {
  if (kind !== 'field') return false;
  const measure = { name: 'lost', ...defined({ record, field }) } as const;
  return hadAny(runs.baselines.get([source, 0])?.baseline, measure) ?? false;
}

/** Whether values of a single target are held for a ticket. */
export function hasTicketOfOne({ holds }: Store, source: string): boolean {
  return Array.from(holds.masses(source)).some(({ place, row }) => place.target > 0 && row.ticket !== undefined);
}
