import { defined } from '../defined.ts';
import { noChanges } from './observe.ts';
import type { Close } from './ops.ts';
import { mostCountedPages } from './tables/item-pages.ts';
import type { ScrapeRow, TargetRow } from './tables/rows.ts';
import type { Rest } from '../schedule/row.ts';
import { putToRest } from './schedule.ts';
import type { Change, Store } from './store.ts';
import { idsOf } from './subjects.ts';
import { withScrape } from './usual.ts';
import { addWaste } from './waste.ts';

/** How a scrape ends. */
export interface Ending {
  readonly status: 'complete' | 'failed' | 'aborted' | 'cancelled';
  /** Why the scrape ended where it did, such as `known`. */
  readonly reason?: string;
  readonly failure?: { readonly code: string; readonly message: string };
  /** Set where the items of the target's list lead to pages: how many of them are still to be read is told. */
  readonly itemPages?: Close['itemPages'];
  readonly unfound?: Close['unfound'];
}

/** Ends a running or waiting scrape, tells its event and returns its new row. The caller stores the target. */
export function endScrape(store: Store, change: Change, scrape: ScrapeRow, ending: Ending): ScrapeRow {
  const { status, reason, failure, itemPages, unfound } = ending;
  const left = itemPages !== undefined ? store.itemPages.countToAsk(scrape.target, mostCountedPages) : 0;
  const why = defined({ endReason: reason, failure, unfound, pagesLeft: left > 0 ? left : undefined });
  const { emptied: _, ...row } = scrape;
  const over: ScrapeRow = { ...row, status, endedAt: change.at, ...why };
  const ended: ScrapeRow = { ...over, told: change.tellScrape('ended', over, idsOf(store, scrape).projects) };
  store.scrapes.move(ended);
  if (ended.steps > 0) addWaste(store, ended);
  return ended;
}

/** Tells that a scrape has begun. The event has the instant of the begin, which may be written later. */
export function tellBegin(store: Store, change: Change, scrape: ScrapeRow): void {
  change.tellScrape('started', scrape, idsOf(store, scrape).projects);
}

/**
 * Ends the running scrape of a target, if any, also one that was not written yet. Returns the target with a new epoch;
 * the caller stores it.
 */
export function endRunning(store: Store, change: Change, target: TargetRow, ending: Ending): TargetRow {
  const { running: _, ...rest } = target;
  const scrape = store.scrapes.runningOf(target);
  if (scrape !== undefined && store.scrapes.isUnwritten(scrape.scrape)) tellBegin(store, change, scrape);
  const ended = scrape && endScrape(store, change, scrape, ending);
  const usual = ended === undefined ? target.usual : withScrape(target.usual, ended);
  return { ...rest, ...defined({ usual }), epoch: target.epoch + 1 };
}

/** Ends the waiting scrape of a target, if any. Returns the target; the caller stores it. */
export function endWaiting(store: Store, change: Change, target: TargetRow, ending: Ending): TargetRow {
  const { waiting, ...rest } = target;
  const scrape = waiting === undefined ? undefined : store.scrapes.get(waiting);
  if (scrape?.status === 'waiting') endScrape(store, change, scrape, ending);
  forgetRequest(store, target.target);
  return rest;
}

/** Removes a person's request for a scrape from a target's schedule, since the scrape has begun or ended. */
export function forgetRequest({ schedule }: Store, target: number): void {
  const row = schedule.get(target);
  if (row?.manualAt === undefined) return;
  const { manualAt: _, ...rest } = row;
  schedule.set(rest);
}

/**
 * Ends the running and the waiting scrape of a target and its schedule. Returns the target with a new epoch; the caller
 * stores it.
 *
 * @param rest - keeps the schedule row, at rest for this reason, for when the target begins again. By default the row
 *   is removed.
 */
export function endTarget(store: Store, change: Change, target: TargetRow, ending: Ending, rest?: Rest): TargetRow {
  const halted = endRunning(store, change, endWaiting(store, change, target, ending), ending);
  if (rest === undefined) store.schedule.remove(target.target);
  else putToRest(store, change, target, rest);
  return halted;
}

/** The counts of a scrape before its first step. */
export const nothingDone = { steps: 0, bytes: 0, counts: noChanges } satisfies Partial<ScrapeRow>;
