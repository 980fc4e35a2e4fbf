import { defined } from '../defined.ts';
import { ownerOf } from '../schedule/watchers.ts';
import { applyCrawl } from './crawl.ts';
import { type Ending, endRunning, endScrape, endWaiting, forgetRequest, nothingDone, tellBegin } from './ending.ts';
import { bringForward, isSetBack, scheduleNext } from './schedule.ts';
import type { Fence } from './ops.ts';
import type { ScrapeRow, TargetRow } from './tables/rows.ts';
import type { ScrapeWish } from '../view/scrape.ts';
import type { Change, Store } from './store.ts';
import { subjectsOf } from './subjects.ts';
import type { CrawlRow } from './tables/crawls.ts';

/** Why a target cannot be scraped. */
export type Idle = 'not_found' | 'archived' | 'finished' | 'disabled' | 'parked';

/** Returns the target if it can be scraped, else why not. */
export function scrapable(
  store: Store,
  number: number,
): { readonly ok: true; readonly target: TargetRow } | { readonly ok: false; readonly why: Idle } {
  const target = store.targets.get(number);
  if (target === undefined) return { ok: false, why: 'not_found' };
  if (target.status !== 'disabled' && ownerOf(target) === undefined) return { ok: false, why: 'archived' };
  return target.status === 'active' ? { ok: true, target } : { ok: false, why: target.status };
}

/** A begun scrape: the fence for the commits of its steps, and the wish of the person who asked for it. */
export type BeginResult =
  | { readonly ok: true; readonly fence: Omit<Fence, 'step'>; readonly wish: ScrapeWish }
  | { readonly ok: false; readonly why: Idle };

/** How a scrape begins. */
export interface BeginOptions {
  /**
   * Begins the scrape in memory, so that its begin is written with its first step, or by `writeBegin`. A waiting scrape
   * is begun in the store all the same, and one that follows another that has not ended. Default: false.
   */
  readonly inMemory?: boolean;
}

/**
 * Begins a scrape of a target: the waiting one, if a person asked for one, else a new one. A scrape that is still open
 * is cancelled; nothing of it is written from now on. Rejects with `StoreFullError` when the store has no room.
 *
 * @param version - of the definition by which the scrape reads to its end
 */
export async function beginScrape(
  store: Store,
  number: number,
  version: string,
  { inMemory = false }: BeginOptions = {},
): Promise<BeginResult> {
  if (inMemory && !store.scrapes.isNumberReserved()) await store.write(() => store.scrapes.reserveNumbers());
  return (inMemory ? beginInMemory(store, number, version) : undefined) ?? beginInStore(store, number, version);
}

/** Begins a scrape without a write; `undefined` where a write is needed. */
function beginInMemory(store: Store, number: number, version: string): BeginResult | undefined {
  const found = scrapable(store, number);
  if (!found.ok) return found;
  const { target } = found;
  if (target.waiting !== undefined || store.scrapes.runningOf(target) !== undefined) return undefined;
  const { epoch } = target;
  const row = store.scrapes.begin((scrape) => newScrape(target, scrape, { version, epoch, startedAt: store.now() }));
  return row && { ok: true, fence: { target: number, epoch, scrape: row.scrape }, wish: {} };
}

function beginInStore(store: Store, number: number, version: string): Promise<BeginResult> {
  return store.write((change) => {
    const found = scrapable(store, number);
    if (!found.ok) return found;
    const ended = endRunning(store, change, found.target, superseded);
    const scrape = begun(store, change, ended, version);
    const { waiting: _, ...rest } = ended;
    store.targets.put({ ...rest, running: scrape.scrape });
    forgetRequest(store, number);
    const { epoch, wish = {} } = scrape;
    tellBegin(store, change, scrape);
    const fence = { target: number, epoch, scrape: scrape.scrape };
    return { ok: true, fence, wish };
  });
}

const superseded: Ending = {
  status: 'cancelled',
  failure: { code: 'superseded', message: 'found open when the next scrape began' },
};

function begun(store: Store, change: Change, target: TargetRow, version: string): ScrapeRow {
  const asked = target.waiting === undefined ? undefined : store.scrapes.get(target.waiting);
  const start = { version, epoch: target.epoch, startedAt: change.at };
  if (asked?.status === 'waiting') {
    const row: ScrapeRow = { ...asked, ...start, status: 'running' };
    store.scrapes.move(row);
    return row;
  }
  return store.scrapes.add((scrape) => newScrape(target, scrape, start));
}

/** A scrape that runs because its target is due. */
function newScrape(
  { target, source }: TargetRow,
  scrape: number,
  start: Pick<ScrapeRow, 'version' | 'epoch' | 'startedAt'>,
): ScrapeRow {
  return { scrape, target, source, reason: 'due', status: 'running', ...start, ...nothingDone };
}

/** A person's request. `coalesced` when a scrape was waiting already; `scrape` is then its number. */
export type ScrapeRequestResult =
  | { readonly ok: true; readonly scrape: number; readonly coalesced: boolean }
  | { readonly ok: false; readonly why: Idle };

/**
 * Asks for a scrape of a target as soon as possible; its due time does not change. At most one scrape waits per target,
 * and the last wish for it counts. On disk when it resolves. Rejects with `StoreFullError` when the store has no room.
 */
export function requestScrape(store: Store, number: number, wish?: ScrapeWish): Promise<ScrapeRequestResult> {
  return store.write((change) => requestIn(store, change, number, wish), { durable: true });
}

/** Asks for a scrape as `requestScrape` does, within a running change. */
export function requestIn(store: Store, change: Change, number: number, wish?: ScrapeWish): ScrapeRequestResult {
  const found = scrapable(store, number);
  if (!found.ok) return found;
  const { target } = found;
  if (target.waiting !== undefined) {
    const waiting = store.scrapes.get(target.waiting);
    if (waiting !== undefined && wish !== undefined) store.scrapes.put({ ...waiting, wish });
    return { ok: true, scrape: target.waiting, coalesced: true };
  }
  return { ok: true, scrape: queueScrape(store, change, target, wish), coalesced: false };
}

function queueScrape(store: Store, change: Change, target: TargetRow, wish: ScrapeWish | undefined): number {
  const { source, epoch, target: number } = target;
  const { scrape } = store.scrapes.add((scrape) => ({
    scrape,
    target: number,
    source,
    epoch,
    reason: 'manual',
    ...defined({ wish }),
    version: '',
    status: 'waiting',
    startedAt: change.at,
    ...nothingDone,
  }));
  store.targets.put({ ...target, waiting: scrape });
  const schedule = store.schedule.get(number);
  if (schedule !== undefined) store.schedule.set({ ...schedule, manualAt: change.at });
  change.tell({ type: 'scrape.requested', ...subjectsOf(target), scrape, data: {} });
  return scrape;
}

/** `cancelled` is false when the scrape had ended before. */
export type CancelResult =
  | { readonly ok: true; readonly cancelled: boolean }
  | { readonly ok: false; readonly why: 'not_found' };

/**
 * Cancels a running or waiting scrape, and the crawl of a running one; nothing of it is written after that. On disk
 * when it resolves. Rejects with `StoreFullError` when the store has no room.
 */
export function cancelScrape(store: Store, number: number, why: string): Promise<CancelResult> {
  return store.write(
    (change) => {
      const scrape = store.scrapes.get(number);
      const target = scrape === undefined ? undefined : store.targets.get(scrape.target);
      if (scrape === undefined || target === undefined) return { ok: false, why: 'not_found' };
      const ending: Ending = { status: 'cancelled', failure: { code: 'cancelled', message: why } };
      if (store.scrapes.runningOf(target)?.scrape === number) {
        // What a person has cancelled is not to be gone on with; what a limit ended before stays ended.
        const { resume, ...halted } = endRunning(store, change, target, ending);
        const ended: TargetRow = resume?.isOver === true ? { ...halted, resume } : halted;
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
      return { ok: true, cancelled: true };
    },
    { durable: true },
  );
}

/**
 * Passes over a target that is due: the scrape is cancelled before it begins, as is one that a person has asked for. Resolves with whether
 * there was one; with `false` for a target that runs, is not due, or is not scraped. On disk when it resolves. Rejects with `StoreFullError`
 * when the store has no room.
 */
export function passOver(store: Store, number: number, why: string): Promise<boolean> {
  const ending: Ending = { status: 'cancelled', failure: { code: 'cancelled', message: why } };
  return store.write(
    (change) => {
      const found = scrapable(store, number);
      if (!found.ok || store.scrapes.runningOf(found.target) !== undefined) return false;
      const { dueAt = Infinity } = store.schedule.get(number) ?? {};
      const wasAsked = found.target.waiting !== undefined;
      const target = wasAsked ? endWaiting(store, change, found.target, ending) : found.target;
      store.targets.put(target);
      if (dueAt > change.at) return wasAsked;
      const start = { version: '', epoch: target.epoch, startedAt: change.at };
      const scrape = store.scrapes.add((serial) => newScrape(target, serial, start));
      scheduleNext(store, change, target, endScrape(store, change, scrape, ending));
      return true;
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
 * Closes the scrapes that the last daemon left open, as failed. To be called before anything is scraped. Their due
 * times stay, so that their targets are scraped again soon. Works also when the store is full. Resolves with the number
 * of closed scrapes; rejects when a commit fails.
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
  return open.length;
}

/**
 * Makes a store that was just opened ready: closes the scrapes that the last daemon left open, after it has brought forward what is due too
 * late because the clock was set back meanwhile. Works also when the store is full. Resolves with the
 * number of closed scrapes; rejects when a commit fails.
 */
export async function recover(store: Store, now: number): Promise<number> {
  // `closeOpenScrapes` writes rows with the present time, after which a clock that was set back could not be noticed.
  if (isSetBack(store, now)) await bringForward(store);
  return closeOpenScrapes(store);
}

/** Numbers of scrapes that ended. */
export interface EndedCounts {
  complete: number;
  failed: number;
  aborted: number;
  cancelled: number;
}

/** Adds the scrapes that end from now on to `counts`. Returns how to stop. */
export function countEnded({ onEvents }: Pick<Store, 'onEvents'>, counts: EndedCounts): () => void {
  return onEvents((_, told) => {
    for (const { type } of told) {
      if (type === 'scrape.completed') counts.complete += 1;
      if (type === 'scrape.failed') counts.failed += 1;
      if (type === 'scrape.aborted') counts.aborted += 1;
      if (type === 'scrape.cancelled') counts.cancelled += 1;
    }
  });
}

/** Asks again for a scrape that a person asked for and that was cut, unless one waits already. */
export function askAgain(store: Store, change: Change, target: TargetRow, scrape: ScrapeRow): void {
  if (scrape.reason !== 'manual' || target.waiting !== undefined) return;
  queueScrape(store, change, target, wishLeft(store, scrape));
}

/** The wish for the rest of a cut scrape: the new crawl that it began is resumed. */
function wishLeft(store: Store, { target, scrape, wish }: ScrapeRow): ScrapeWish | undefined {
  if (wish?.full !== true || crawlUnderWay(store, target)?.firstScrape !== scrape) return wish;
  const { full: _, ...left } = wish;
  return Object.keys(left).length === 0 ? undefined : left;
}

function crawlUnderWay(store: Store, target: number): CrawlRow | undefined {
  const newest = store.crawls.newest(target);
  return newest?.endReason === undefined ? newest : undefined;
}
