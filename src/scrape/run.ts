import { hoursOver, isAfterHours, isOwnFailure } from '../request/failure.ts';
import type { Clock } from '../clock.ts';
import type { Source } from '../definition/source.ts';
import { unfoundIn } from '../definition/unfound.ts';
import type { Page } from '../fetch/page.ts';
import { againstSource } from '../fetch/triage.ts';
import type { Close, CommitResult, Fence, StepOps } from '../store/ops.ts';
import type { PageCopy } from '../store/tables/rows.ts';
import { defined } from '../defined.ts';
import type { MakeRequest, Within } from '../request/intent.ts';
import { pause } from '../fetch/abort.ts';
import { mostRecords, withinRecords } from './limits.ts';
import type { ScrapeEnd, Visit, Visited, Walk } from './walk.ts';
import { copyOf, stepOps } from './step-ops.ts';
import { visitPage } from './visit.ts';
import { walkOf } from './walk-of.ts';

/** The dependencies of a scrape. */
export interface ScrapeDeps {
  readonly clock: Clock;
  /** A number in `[0, 1)`. */
  random(): number;
  readonly makeRequest: MakeRequest;
  /**
   * Writes a step.
   *
   * @param page - the page of the step, to be kept where the step changes something.
   */
  commit(fence: Fence, ops: StepOps, page?: Page): Promise<CommitResult>;
  /** The pages up to this size are given to `commit`, in bytes. Default: none is. */
  readonly keepBytes?: number | undefined;
  /** Closes a scrape whose steps are all written. */
  close(fence: Omit<Fence, 'step'>, close: Close): Promise<CommitResult>;
  /** The time limit of the steps for one page, in milliseconds; waiting for turns does not count. */
  readonly timeLimitMs: number;
  /**
   * The largest number of records that a scrape stores, or a walk to the end of a list over all its scrapes. Default
   * 1,000,000.
   */
  readonly maxRecords?: number;
}

/** The scrape to run. It was begun in the store, which gave it its number and epoch. */
export interface BegunScrape {
  readonly target: number;
  /** The address of the target. */
  readonly address: string;
  readonly epoch: number;
  readonly scrape: number;
  readonly dueAt: number;
  /** When the target is due again, wall time. */
  readonly nextDueAt: number;
  /** The version of the definition. */
  readonly version: string;
}

/** The verdict of a scrape on its source: `unused` where no request was made, so that nothing was learned. */
export type SourceVerdict = 'good' | 'bad' | 'unused';

/** Thrown when another scrape of the target has begun, or the target is no longer to be scraped. */
export class Superseded extends Error {
  override readonly name = 'Superseded';
}

/**
 * Runs one scrape from its first step to its closing commit: visits the pages of its walk, up to `walk.width` at once,
 * and writes what each gave. When a page ends the scrape, the others that wait for a turn or for another try are cut.
 * Resolves also when the scrape failed, took too long or was superseded. Rejects for errors of ours, and with the
 * signal's reason when the signal fires.
 */
export async function runScrape(
  begun: BegunScrape,
  source: Source,
  walk: Walk,
  deps: ScrapeDeps,
  signal: AbortSignal,
): Promise<SourceVerdict> {
  const { target, address, epoch, scrape, version } = begun;
  const fence = { target, epoch, scrape };
  const underWay = new Map<Promise<void>, VisitHandle>();
  /** Resolves when a visit is over. (A race over all visits would cost each visit as much as all others together.) */
  let visited = Promise.withResolvers<void>();
  let broke: { readonly error: unknown } | undefined;
  const { maxRecords = mostRecords } = deps;
  let step = 0;
  let draftsBefore = 0;
  let ended: ScrapeEnd | undefined;
  let isClosed = false;
  let copy: PageCopy | undefined;
  let endsOpen: boolean | undefined;
  let verdict: SourceVerdict = 'unused';
  const context = { ...deps, source, target, address, dueAt: begun.dueAt, nextDueAt: begun.nextDueAt, commit };

  signal.addEventListener('abort', cutAll);
  try {
    signal.throwIfAborted();
    for (;;) {
      while (ended === undefined && underWay.size < walk.width) {
        const visit = walk.next();
        if (visit === undefined) break;
        begin(visit);
      }
      if (underWay.size === 0) break;
      await visited.promise;
      visited = Promise.withResolvers();
      if (broke !== undefined) throw broke.error;
    }
    if (!isClosed) check(await deps.close(fence, closeOf(ended ?? walk.ending())));
    return verdict;
  } catch (error) {
    cutAll();
    await Promise.allSettled(underWay.keys());
    if (error instanceof Superseded) return 'unused';
    throw error;
  } finally {
    signal.removeEventListener('abort', cutAll);
  }

  function begin(visit: Visit): void {
    const handle = walk.width === 1 ? onlyHandle(deps.makeRequest, signal) : openHandle(deps.makeRequest);
    const running = follow(visit, handle)
      .catch((error: unknown) => {
        broke ??= { error };
      })
      .finally(() => {
        underWay.delete(running);
        visited.resolve();
      });
    underWay.set(running, handle);
  }

  async function follow(visit: Visit, handle: VisitHandle): Promise<void> {
    const visited = await unlessDropped(visit, handle);
    if (visited === undefined) return;
    if (isAfterHours(visited.result.outcome)) {
      ended ??= { status: 'aborted', reason: hoursOver, finished: false };
      return;
    }
    const preparing = walk.prepare?.(visit, visited);
    if (preparing !== undefined) await preparing;
    const { outcome } = visited.result;
    if (outcome.kind === 'read' && walk.isOnePage === true) endsOpen = outcome.extraction.endsIn !== undefined;
    const advanced = walk.advance(visit, visited);
    const { length: found } = advanced.drafts ?? (outcome.kind === 'read' ? outcome.extraction.drafts : []);
    // The page of an item says more of records that were counted before.
    const count = visit.isOfItem === true ? 0 : found;
    const page = withinRecords(walk, advanced, { before: draftsBefore, count, most: maxRecords });
    if (visit.keepsCopy === true) copy = copyOf(visited.url, outcome, version);
    // A list that was read tells that the source can be asked, whatever its items lead to.
    if (visit.isOfItem !== true) verdict = verdictOf(visited, verdict);
    if (ended === undefined && page.end !== undefined) {
      ended = page.end;
      for (const other of underWay.values()) other.drop();
    }
    // Records that the walk found missing are marked in changes of their own, before the scrape closes.
    const isLast = ended?.missingSince === undefined && underWay.size === 1;
    const close = ended !== undefined && isLast ? closeOf(ended) : undefined;
    isClosed = close !== undefined;
    const ops = { ...stepOps(visit, visited, { page, close, draftsBefore }), ...pageOf(visit, visited, version) };
    draftsBefore += count;
    const isWaiting = await commit(ops, outcome.kept);
    // Asked whether it has changed, the site would say no, and what waits for another look would not be seen again.
    if (visit.keepsCopy === true && isWaiting) copy = undefined;
    walk.written?.(visit);
  }

  /** Makes a visit; `undefined` if it was dropped before its request was sent. Rejects with every other error. */
  async function unlessDropped(visit: Visit, handle: VisitHandle): Promise<Visited | undefined> {
    try {
      if (visit.isListed === true) return listedAt(visit.url, deps.clock.now());
      if (visit.afterMs !== undefined) await pause(deps.clock, visit.afterMs, handle.signal);
      // The pages of a crawl and of items wait behind other targets that have been due for longer; those of a list come at once, to end it.
      const isPatient = source.crawl !== undefined || visit.isOfItem === true;
      const dueAt = !isPatient || step === 0 ? begun.dueAt : deps.clock.now();
      return await visitPage(visit, { ...context, dueAt, makeRequest: handle.makeRequest }, handle.signal);
    } catch (error) {
      if (handle.isDropped() && error === handle.signal.reason) return undefined;
      throw error;
    }
  }

  /** Commits a step. Resolves with whether values of its page are held, or wait to be confirmed. */
  async function commit(ops: StepOps, page?: Page): Promise<boolean> {
    step += 1;
    const result = await deps.commit({ ...fence, step }, ops, page);
    check(result);
    return result.outcome === 'committed' && result.isWaiting === true;
  }

  function cutAll(): void {
    for (const handle of underWay.values()) handle.cut(signal.reason);
  }

  function closeOf(end: ScrapeEnd): Close {
    const unfound = end.reading && unfoundIn(end.reading.fill, source);
    const reading = end.reading && { ...end.reading, ...defined({ endsOpen }) };
    const found = defined({ copy, reading, unfound: unfound?.length === 0 ? undefined : unfound });
    return { ...end, walk: walkOf(source), ...found };
  }
}

/** The result of a visit that asks nobody: the page is as it was when it was read. */
function listedAt(url: string, at: number): Visited {
  const outcome = { kind: 'unmodified', validators: {}, at, elapsedMs: 0, bytes: 0 } as const;
  return { result: { outcome, generation: 0, wasAsked: false, waitedMs: 0 }, url };
}

/** What is stored of a page that can be asked again, apart from its records. */
function pageOf(visit: Visit, { url, result: { outcome } }: Visited, version: string): Pick<StepOps, 'page'> {
  if (visit.keepsPage !== true || outcome.kind !== 'read') return {};
  const endsOpen = outcome.extraction.endsIn === undefined ? undefined : true;
  return { page: { url, version, ...outcome.validators, ...defined({ endsOpen }) } };
}

/** Throws `Superseded` for a commit that was superseded. */
export function check({ outcome }: CommitResult): void {
  if (outcome === 'superseded') throw new Superseded();
}

/**
 * The verdict on a source after a visit.
 *
 * @param before - the verdict so far; stays where the visit says nothing of the source.
 */
export function verdictOf({ result: { outcome, wasAsked, trouble } }: Visited, before: SourceVerdict): SourceVerdict {
  if (!wasAsked || isOwnFailure(outcome)) return before;
  return trouble !== undefined && againstSource.has(trouble.cause) ? 'bad' : 'good';
}

/** Lets `runScrape` cut one visit that is under way. */
interface VisitHandle {
  readonly signal: AbortSignal;
  /** Makes the requests of the visit; notes when one is with the site. */
  readonly makeRequest: MakeRequest;
  /** Cuts the visit at once. */
  cut(reason?: unknown): void;
  /** Cuts the visit while it waits; a request that is with the site is finished first, and is the last. */
  drop(): void;
  /** Whether the visit was cut by `drop`. */
  isDropped(): boolean;
}

/** The handle of a visit beside which no other is made: it ends with its scrape, and no other visit drops it. */
function onlyHandle(makeRequest: MakeRequest, signal: AbortSignal): VisitHandle {
  return { signal, makeRequest, cut: () => undefined, drop: () => undefined, isDropped: () => false };
}

function openHandle(makeRequest: MakeRequest): VisitHandle {
  const controller = new AbortController();
  /** Made when it is needed: the stack of an error costs more than all else here. */
  let dropped: Error | undefined;
  let isWanted = true;
  let isSent = false;

  return {
    signal: controller.signal,
    async makeRequest(intent, signal) {
      const { within = (run, limited) => run(limited) } = intent;
      const noted: Within = (run, limited) => {
        isSent = true;
        return within(run, limited);
      };
      try {
        return await makeRequest({ ...intent, within: noted }, signal);
      } finally {
        isSent = false;
        if (!isWanted) cutDropped();
      }
    },
    cut: (reason) => controller.abort(reason),
    drop() {
      isWanted = false;
      if (!isSent) cutDropped();
    },
    isDropped: () => dropped !== undefined && controller.signal.reason === dropped,
  };

  function cutDropped(): void {
    dropped ??= new Error('the scrape of this page has ended');
    controller.abort(dropped);
  }
}
