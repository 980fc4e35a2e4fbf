import type { Clock } from '../clock.ts';
import type { Source } from '../definition/source.ts';
import type { StepOutcome } from '../engine/step.ts';
import { againstSource } from '../fetch/triage.ts';
import type { Close, CommitResult, Fence, StepOps } from '../store/ops.ts';
import type { PageCopy } from '../store/rows.ts';
import { type Ask, hoursOver } from './ask.ts';
import { type Leash, newLeash } from './leash.ts';
import { isOwnFailure } from './own-failures.ts';
import { pause } from './pause.ts';
import { mostRecords, withinRecords } from './record-limit.ts';
import type { ScrapeEnd } from './scrape-end.ts';
import { copyOf, stepOps, visitPage } from './visit.ts';
import type { Visit, Visited, Walk } from './walk.ts';

export interface ScrapeDeps {
  readonly clock: Clock;
  /** A number in `[0, 1)`. */
  random(): number;
  readonly ask: Ask;
  commit(fence: Fence, ops: StepOps): Promise<CommitResult>;
  /** Closes a scrape all of whose steps are written. */
  close(fence: Omit<Fence, 'step'>, close: Close): Promise<CommitResult>;
  /** The longest that the steps for one page may take together; waiting for their turns does not count. */
  readonly timeLimitMs: number;
  /** Records that a scrape stores before it is cut, or a walk to the end of a list over all its scrapes; default 1,000,000. */
  readonly maxRecords?: number;
}

/** The scrape to run: begun in the store already, so that its number and epoch are its own. */
export interface BegunScrape {
  readonly target: number;
  readonly epoch: number;
  readonly scrape: number;
  readonly dueAt: number;
  /** When the target is due again, wall time. */
  readonly nextDueAt: number;
  /** Of the definition. */
  readonly version: string;
}

/** What a scrape says of its source: nothing where it could not ask. */
export type Verdict = 'good' | 'bad' | 'unused';

/** Another scrape of the target has begun, or it is no longer to be scraped. */
export class Superseded extends Error {
  override readonly name = 'Superseded';
}

/**
 * Runs one scrape from its first step to its closing commit: asks for the pages of its walk, as many at once as that is wide,
 * and writes what each gave. When one of them ends the scrape, those that wait for their turns or for another try are cut. Resolves
 * also when the scrape failed, took too long or was superseded; rejects for errors of ours, and when the signal fires.
 */
export async function runScrape(
  begun: BegunScrape,
  source: Source,
  walk: Walk,
  deps: ScrapeDeps,
  signal: AbortSignal,
): Promise<Verdict> {
  const { target, epoch, scrape, version } = begun;
  const fence = { target, epoch, scrape };
  const underWay = new Map<Promise<void>, Leash>();
  /** Resolves when a visit is over; a race of all would cost each visit as much as all others together. */
  let visited = Promise.withResolvers<void>();
  let broke: { readonly error: unknown } | undefined;
  const { maxRecords = mostRecords } = deps;
  let step = 0;
  let draftsBefore = 0;
  let ended: ScrapeEnd | undefined;
  let isClosed = false;
  let copy: PageCopy | undefined;
  let verdict: Verdict = 'unused';
  const context = { ...deps, source, target, dueAt: begun.dueAt, nextDueAt: begun.nextDueAt, commit };

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
    const leash = newLeash(deps.ask);
    const running = follow(visit, leash)
      .catch((error: unknown) => {
        broke ??= { error };
      })
      .finally(() => {
        underWay.delete(running);
        visited.resolve();
      });
    underWay.set(running, leash);
  }

  async function follow(visit: Visit, leash: Leash): Promise<void> {
    const visited = await unlessDropped(visit, leash);
    if (visited === undefined) return;
    if (isOver(visited.asked.outcome)) {
      ended ??= { status: 'aborted', reason: hoursOver, finished: false };
      return;
    }
    const preparing = walk.prepare?.(visit, visited);
    if (preparing !== undefined) await preparing;
    const { outcome } = visited.asked;
    const took = walk.took(visit, visited);
    const { length: count } = took.drafts ?? (outcome.kind === 'read' ? outcome.extraction.drafts : []);
    const taken = withinRecords(walk, took, { before: draftsBefore, count, most: maxRecords });
    if (visit.keepsCopy === true) copy = copyOf(visited.url, outcome, version);
    verdict = verdictOf(visited, verdict);
    if (ended === undefined && taken.end !== undefined) {
      ended = taken.end;
      for (const other of underWay.values()) other.drop();
    }
    const close = ended !== undefined && underWay.size === 1 ? closeOf(ended) : undefined;
    isClosed = close !== undefined;
    const ops = stepOps(visit, visited, { taken, close, draftsBefore });
    draftsBefore += ops.drafts.length;
    await commit(ops);
    walk.wrote?.(visit);
  }

  /** Nothing for a visit that was dropped before the site was asked; what else went wrong with it is an error all the same. */
  async function unlessDropped(visit: Visit, leash: Leash): Promise<Visited | undefined> {
    try {
      if (visit.afterMs !== undefined) await pause(deps.clock, visit.afterMs, leash.signal);
      // Pages after the first wait behind what has been due for longer, as what must be fresh is.
      const dueAt = step === 0 ? begun.dueAt : deps.clock.now();
      return await visitPage(visit, { ...context, dueAt, ask: leash.ask }, leash.signal);
    } catch (error) {
      if (leash.isDropped() && error === leash.signal.reason) return undefined;
      throw error;
    }
  }

  async function commit(ops: StepOps): Promise<void> {
    step += 1;
    check(await deps.commit({ ...fence, step }, ops));
  }

  function cutAll(): void {
    for (const leash of underWay.values()) leash.cut(signal.reason);
  }

  function closeOf(end: ScrapeEnd): Close {
    return { ...end, ...(copy !== undefined && { copy }) };
  }
}

/** Whether nobody was asked, as the hours of the source are over. */
export function isOver(outcome: StepOutcome): boolean {
  return outcome.kind === 'failed' && outcome.failure.code === hoursOver;
}

/** Throws for a commit that came too late. */
export function check({ outcome }: CommitResult): void {
  if (outcome === 'superseded') throw new Superseded();
}

/** What a visit adds to what is said of its source. */
export function verdictOf({ asked: { outcome, wasAsked, trouble } }: Visited, before: Verdict): Verdict {
  if (!wasAsked || isOwnFailure(outcome)) return before;
  return trouble !== undefined && againstSource.has(trouble.cause) ? 'bad' : 'good';
}
