import { applyCrawl } from './crawl.ts';
import { type Ending, endRunning, endScrape, endWaiting, nothingDone, scheduleNext } from './ending.ts';
import type { Fence } from './ops.ts';
import type { ScrapeRow, ScrapeWish, TargetRow } from './rows.ts';
import type { Change, Store } from './store.ts';
import type { CrawlRow } from './tables/crawls.ts';

/** Why a target is not scraped now. */
export type Idle = 'not_found' | 'archived' | 'finished' | 'disabled' | 'parked';

/** The target if it may be scraped, else why it may not. */
export function scrapable(
  store: Store,
  number: number,
): { readonly ok: true; readonly target: TargetRow } | { readonly ok: false; readonly why: Idle } {
  const target = store.targets.get(number);
  const project = target === undefined ? undefined : store.projects.get(target.project);
  if (target === undefined || project === undefined) return { ok: false, why: 'not_found' };
  if (project.status === 'archived') return { ok: false, why: 'archived' };
  return target.status === 'active' ? { ok: true, target } : { ok: false, why: target.status };
}

/** A scrape that has begun: what its steps commit with, and why it was begun. */
export type BeginResult =
  | { readonly ok: true; readonly fence: Omit<Fence, 'step'>; readonly wish: ScrapeWish }
  | { readonly ok: false; readonly why: Idle };

/**
 * Begins a scrape of a target: the one that waits, if a person asked for one, else a new one. One that is found open is
 * cancelled, and nothing of it is written from now on.
 *
 * @param version - of the definition that it reads by, to its end.
 */
export function beginScrape(store: Store, number: number, version: string): Promise<BeginResult> {
  return store.write((change) => {
    const found = scrapable(store, number);
    if (!found.ok) return found;
    const ended = endRunning(store, change, found.target, superseded);
    const scrape = begun(store, change, ended, version);
    const { waiting: _, ...rest } = ended;
    store.targets.put({ ...rest, running: scrape.scrape });
    unask(store, number);
    const { project, source, epoch, reason, wish = {} } = scrape;
    change.tell({
      type: 'scrape.started',
      project,
      source,
      target: number,
      scrape: scrape.scrape,
      data: { reason, version },
    });
    const fence = { target: number, epoch, scrape: scrape.scrape };
    change.log({ kind: 'scrape.begin', ...fence });
    return { ok: true, fence, wish };
  });
}

const superseded: Ending = {
  status: 'cancelled',
  failure: { code: 'superseded', message: 'found open when the next scrape began' },
};

function begun(store: Store, change: Change, target: TargetRow, version: string): ScrapeRow {
  const asked = target.waiting === undefined ? undefined : store.scrapes.get(target.waiting);
  const start = { version, epoch: target.epoch, status: 'running', startedAt: change.at } as const;
  if (asked?.status === 'waiting') {
    const row: ScrapeRow = { ...asked, ...start };
    store.scrapes.move(row);
    return row;
  }
  const { target: number, project, source } = target;
  return store.scrapes.add((scrape) => ({
    scrape,
    target: number,
    project,
    source,
    reason: 'due',
    ...start,
    ...nothingDone,
  }));
}

function unask(store: Store, target: number): void {
  const schedule = store.schedule.get(target);
  if (schedule?.manualAt === undefined) return;
  const { manualAt: _, ...rest } = schedule;
  store.schedule.set(rest);
}

/** A person's request; `coalesced` when a scrape was waiting already, whose number this is. */
export type RequestResult =
  | { readonly ok: true; readonly scrape: number; readonly coalesced: boolean }
  | { readonly ok: false; readonly why: Idle };

/** Has a target scraped as soon as may be, besides when it is due. At most one such scrape waits; the last wish for it counts. */
export function requestScrape(store: Store, number: number, wish?: ScrapeWish): Promise<RequestResult> {
  return store.write(
    (change) => {
      const found = scrapable(store, number);
      if (!found.ok) return found;
      const { target } = found;
      if (target.waiting !== undefined) {
        const waiting = store.scrapes.get(target.waiting);
        if (waiting !== undefined && wish !== undefined) store.scrapes.put({ ...waiting, wish });
        return { ok: true, scrape: target.waiting, coalesced: true };
      }
      const scrape = queueScrape(store, change, target, wish);
      return { ok: true, scrape, coalesced: false };
    },
    { durable: true },
  );
}

function queueScrape(store: Store, change: Change, target: TargetRow, wish: ScrapeWish | undefined): number {
  const { project, source, epoch, target: number } = target;
  const { scrape } = store.scrapes.add((scrape) => ({
    scrape,
    target: number,
    project,
    source,
    epoch,
    reason: 'manual',
    ...(wish !== undefined && { wish }),
    version: '',
    status: 'waiting',
    startedAt: change.at,
    ...nothingDone,
  }));
  store.targets.put({ ...target, waiting: scrape });
  const schedule = store.schedule.get(number);
  if (schedule !== undefined) store.schedule.set({ ...schedule, manualAt: change.at });
  change.tell({ type: 'scrape.requested', project, source, target: number, scrape, data: {} });
  change.log({ kind: 'scrape.request', target: number, scrape });
  return scrape;
}

/** `cancelled` is false when it had ended before. */
export type CancelResult =
  | { readonly ok: true; readonly cancelled: boolean }
  | { readonly ok: false; readonly why: 'not_found' };

/** Ends a scrape that runs or waits, and the crawl that one which runs is about; nothing of it is written after that. */
export function cancelScrape(store: Store, number: number, why: string): Promise<CancelResult> {
  return store.write(
    (change) => {
      const scrape = store.scrapes.get(number);
      const target = scrape === undefined ? undefined : store.targets.get(scrape.target);
      if (scrape === undefined || target === undefined) return { ok: false, why: 'not_found' };
      const ending: Ending = { status: 'cancelled', failure: { code: 'cancelled', message: why } };
      if (scrape.status === 'running' && target.running === number) {
        // What a person has cancelled is not to be gone on with; what a limit ended before stays ended.
        const { reach, ...halted } = endRunning(store, change, target, ending);
        const ended: TargetRow = reach?.isOver === true ? { ...halted, reach } : halted;
        store.targets.put(ended);
        scheduleNext(store, change, ended, { ...scrape, status: 'cancelled' });
        if (crawlUnderWay(store, target.target) !== undefined) {
          applyCrawl(store, target.target, { add: [], end: { at: change.at, reason: 'cancelled' } });
        }
      } else if (scrape.status === 'waiting' && target.waiting === number) {
        store.targets.put(endWaiting(store, change, target, ending));
      } else {
        return { ok: true, cancelled: false };
      }
      change.log({ kind: 'scrape.cancel', target: target.target, scrape: number });
      return { ok: true, cancelled: true };
    },
    { durable: true },
  );
}

const interrupted: Ending = {
  status: 'failed',
  failure: { code: 'interrupted', message: 'the daemon ended during this scrape' },
};
const batch = 1_000;

/**
 * Closes what the last daemon left open, as failed; to be called before anything is scraped. Their targets stay due when they
 * were, so that they are scraped again soon. Returns how many scrapes that were.
 */
export async function closeOpenScrapes(store: Store): Promise<number> {
  let closed = 0;
  for (;;) {
    const open = await store.write((change) => closeSome(store, change), { durable: true, evenWhenFull: true });
    closed += open;
    if (open < batch) return closed;
  }
}

function closeSome(store: Store, change: Change): number {
  const open: ScrapeRow[] = [];
  for (const scrape of store.scrapes.running()) {
    open.push(scrape);
    if (open.length === batch) break;
  }
  for (const scrape of open) {
    const target = store.targets.get(scrape.target);
    if (target?.running !== scrape.scrape) {
      endScrape(store, change, scrape, interrupted);
      continue;
    }
    const ended = endRunning(store, change, target, interrupted);
    store.targets.put(ended);
    askAgain(store, change, ended, scrape);
  }
  if (open.length > 0) change.log({ kind: 'scrape.interrupt' });
  return open.length;
}

/** Has a target scraped again where its scrape was a person's, and ended before it was done. */
export function askAgain(store: Store, change: Change, target: TargetRow, scrape: ScrapeRow): void {
  if (scrape.reason !== 'manual' || target.waiting !== undefined) return;
  queueScrape(store, change, target, wishLeft(store, scrape));
}

/** What is left of a wish for a scrape that was cut: a crawl that has begun anew for it is gone on with. */
function wishLeft(store: Store, { target, scrape, wish }: ScrapeRow): ScrapeWish | undefined {
  if (wish?.full !== true || crawlUnderWay(store, target)?.firstScrape !== scrape) return wish;
  const { full: _, ...left } = wish;
  return Object.keys(left).length === 0 ? undefined : left;
}

function crawlUnderWay(store: Store, target: number): CrawlRow | undefined {
  const newest = store.crawls.newest(target);
  return newest?.endReason === undefined ? newest : undefined;
}
