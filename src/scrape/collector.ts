import type { Source } from '../definition/source.ts';
import type { StepOutcome } from '../engine/step.ts';
import type { FoundDraft, TypedDrafts } from '../extract/typed.ts';
import type { Close, CommitResult, StepOps } from '../store/ops.ts';
import type { Failure } from '../store/rows.ts';
import { type Asked, hoursOver, type Wish, type Within } from './ask.ts';
import { ErrorTally } from './errors.ts';
import { type BegunScrape, check, isOver, type ScrapeDeps, Superseded, type Verdict, verdictOf } from './run.ts';
import { mostRecords, recordLimitEnd } from './record-limit.ts';
import { RunLimit } from './run-limit.ts';
import { stepOps, visitPage } from './visit.ts';
import type { Visit } from './walk.ts';

/** What a collector found since it last said so. */
export interface FoundBatch {
  readonly drafts: readonly FoundDraft[];
  /** Items that it could not read. */
  readonly failures: readonly { readonly url: string; readonly message: string }[];
}

/** What a scrape does for its collector. Each that waits rejects once the scrape is over. */
export interface CollectorScrape {
  /** It has a thread and runs: from now on its time counts. */
  began(): void;
  /** Asks for a page; each exchange is a step. */
  fetch(visit: Visit, signal: AbortSignal): Promise<StepOutcome>;
  /** Writes what was found, as a step of its own. */
  collected(batch: FoundBatch): Promise<void>;
}

/** A plug-in that goes its own way through a source. */
export interface Collector {
  /** The address of its target. */
  readonly url: string;
  /** Runs to its end; gives why it failed, if it did. */
  run(scrape: CollectorScrape, signal: AbortSignal): Promise<Failure | undefined>;
  typed(drafts: readonly FoundDraft[]): TypedDrafts;
}

/** The scrape goes no further, for what its collector did. */
class GivenUp extends Error {
  override readonly name = 'GivenUp';
  readonly end: Pick<Close, 'status' | 'reason' | 'failure'>;

  constructor(end: Pick<Close, 'status' | 'reason' | 'failure'>) {
    super(end.failure?.message);
    this.end = end;
  }
}

/** The hours of its source are over. */
class HoursOver extends Error {
  override readonly name = 'HoursOver';
}

/** What is told of one step at most. */
const maxNotes = 100;

/** Runs the scrape of a collector from its first step to its closing commit, as `runScrape` does for pages that the daemon finds. */
export async function runCollector(
  begun: BegunScrape,
  source: Source,
  collector: Collector,
  deps: ScrapeDeps,
  signal: AbortSignal,
): Promise<Verdict> {
  const { target, epoch, scrape } = begun;
  const fence = { target, epoch, scrape };
  const context = { ...deps, ask, source, target, dueAt: begun.dueAt, nextDueAt: begun.nextDueAt, commit };
  const over = new AbortController();
  const limit = new RunLimit(deps.clock, source.limits.collect, () =>
    over.abort(new GivenUp(failedBy(tooLong(source)))),
  );
  const errors = new ErrorTally(source.errorCeiling);
  const { maxRecords = mostRecords } = deps;
  /** Steps that are being written. */
  const writing = new Set<Promise<CommitResult>>();
  let step = 0;
  let draftsBefore = 0;
  let seenAt: number | undefined;
  let verdict: Verdict = 'unused';

  try {
    const running = { began: () => limit.start(), fetch, collected };
    return await close(await collector.run(running, AbortSignal.any([signal, over.signal])));
  } catch (error) {
    if (error instanceof Superseded) return 'unused';
    if (error instanceof GivenUp) return closeWith(error.end);
    if (error instanceof HoursOver) return closeWith({ status: 'aborted', reason: hoursOver });
    throw error;
  } finally {
    limit.stop();
  }

  /** What waits for a turn takes none of the collector's time. */
  async function ask(wish: Wish, within: AbortSignal): Promise<Asked> {
    const goOn = limit.hold();
    const inTurn: Within = (run, limited) => {
      goOn();
      return wish.within === undefined ? run(limited) : wish.within(run, limited);
    };
    try {
      return await deps.ask({ ...wish, within: inTurn }, within);
    } finally {
      goOn();
    }
  }

  function close(failure: Failure | undefined): Promise<Verdict> {
    return closeWith(failure === undefined ? { status: 'complete', reason: 'end' } : failedBy(failure));
  }

  async function closeWith(ended: Pick<Close, 'status' | 'reason' | 'failure'>): Promise<Verdict> {
    // What was found before the end came is not cut by it half written.
    await Promise.all(writing);
    const { outcome } = await deps.close(fence, { ...ended, finished: false });
    return outcome === 'superseded' ? 'unused' : verdict;
  }

  async function fetch(visit: Visit, within: AbortSignal): Promise<StepOutcome> {
    const visited = await visitPage(visit, context, within);
    const { outcome } = visited.asked;
    if (isOver(outcome)) throw new HoursOver();
    verdict = verdictOf(visited, verdict);
    seenAt = outcome.at;
    await commit(stepOps(visit, visited, {}));
    return outcome;
  }

  async function collected({ drafts: found, failures }: FoundBatch): Promise<void> {
    const { drafts, refused, absent, unparsed, repeated, notes } = collector.typed(found);
    const items = found.length + failures.length;
    const failed = refused + failures.length;
    const tooMany = errors.add({ items, refused: failed });
    const now = deps.clock.now();
    const told = [...notes, ...failures.map(({ url, message }) => `${url}: ${message}`)].slice(0, maxNotes);
    const ops: StepOps = {
      // What was read says nothing of the time after the last page came.
      observedAt: seenAt ?? now,
      drafts,
      draftsBefore,
      log: {
        url: collector.url,
        at: now,
        elapsedMs: 0,
        bytes: 0,
        absent,
        unparsed,
        batch: items,
        ...(failed > 0 && { errors: failed }),
        ...(repeated !== undefined && { repeated }),
        ...(told.length > 0 && { notes: told }),
      },
    };
    draftsBefore += drafts.length;
    await commit(ops);
    if (tooMany !== undefined) throw new GivenUp(failedBy(tooMany));
    if (draftsBefore >= maxRecords) throw new GivenUp(recordLimitEnd(maxRecords));
  }

  async function commit(ops: StepOps): Promise<void> {
    step += 1;
    const written = deps.commit({ ...fence, step }, ops);
    writing.add(written);
    try {
      check(await written);
    } finally {
      writing.delete(written);
    }
  }
}

function failedBy(failure: Failure): Pick<Close, 'status' | 'failure'> {
  return { status: 'failed', failure };
}

function tooLong({ limits }: Source): Failure {
  const message = `the collector took longer than its limit of ${limits.collect} ms, waits for turns left out`;
  return { code: 'time_limit', message: `${message}: see limits.collect of the definition` };
}
