import { hoursOver, isAfterHours } from '../request/failure.ts';
import type { Source } from '../definition/source.ts';
import type { StepOutcome } from '../engine/step.ts';
import { type FoundDraft, type TypedDrafts, typedDrafts } from '../extract/record.ts';
import type { Close, CommitResult, StepOps } from '../store/ops.ts';
import type { Failure } from '../view/fields.ts';
import { defined } from '../defined.ts';
import type { RequestIntent, RequestResult, Within } from '../request/intent.ts';
import { ErrorTally, RunLimit, mostRecords, recordLimitEnd } from './limits.ts';
import { type BegunScrape, type ScrapeDeps, Superseded, type SourceVerdict, check, verdictOf } from './run.ts';
import { stepOps } from './step-ops.ts';
import { visitPage } from './visit.ts';
import { parksAfter } from './crash.ts';
import type { Visit } from './walk.ts';
import type { PluggedSource, ProgramSource } from '../definition/catalogue.ts';
import { addressParts } from '../definition/target-address.ts';
import { furthest } from './collect-walk.ts';
import { dayOf } from './windows.ts';
import { hoppedRequest, pluginRequest } from '../plugin/open.ts';
import type { Batch, Since } from '../plugin/protocol.ts';
import type { Ask } from '../provider/define.ts';
import { planOf } from '../provider/plans.ts';
import type { OpenProvider } from '../provider/provider.ts';
import { ownerOf } from '../schedule/watchers.ts';
import type { TargetRow } from '../store/tables/rows.ts';
import type { SentCredentials } from '../request/sent-credentials.ts';
import { answerOf } from '../request/plugin-fetch.ts';
import type { SourcePlugins } from '../plugin/source-plugins.ts';

/** The services of a scrape for its collector. Their promises reject once the scrape is over. */
export interface CollectorScrape {
  /** Called when the collector runs on its thread. Its time limit counts from now on. */
  began(): void;
  /** Requests a page. Each exchange is a step of the scrape. */
  fetch(visit: Visit, signal: AbortSignal): Promise<StepOutcome>;
  /** Writes a batch as a step of its own. */
  collected(batch: Batch): Promise<void>;
}

/** A plug-in's `collect` function, or a program, which decides itself what it requests. */
export interface Collector {
  /** The address of its target. */
  readonly url: string;
  /** The fields of a record that say how far the collector has come, and the newest dates of them that are stored. */
  readonly since?: { readonly record: string; readonly fields: readonly string[]; readonly newest: Since };
  /** Runs the function to its end. Resolves with the reason why it failed, if it did. */
  run(scrape: CollectorScrape, signal: AbortSignal): Promise<Failure | undefined>;
  typed(drafts: readonly FoundDraft[]): TypedDrafts;
}

/** Ends a scrape for something that its collector did. */
class GivenUp extends Error {
  override readonly name = 'GivenUp';
  readonly end: Pick<Close, 'status' | 'reason' | 'failure'>;

  constructor(end: Pick<Close, 'status' | 'reason' | 'failure'>) {
    super(end.failure?.message);
    this.end = end;
  }
}

/** Ends a scrape because the open hours of its source are over. */
class HoursOver extends Error {
  override readonly name = 'HoursOver';
}

/** The largest number of notes in the log of one step. */
const maxNotes = 100;

/**
 * Runs the scrape of a collector from its first step to its closing commit, as `runScrape` does for a walk. Resolves
 * also when the scrape failed, took too long or was superseded; rejects for errors of ours, and with the signal's
 * reason when the signal fires.
 */
export async function runCollector(
  begun: BegunScrape,
  source: Source,
  collector: Collector,
  deps: ScrapeDeps,
  signal: AbortSignal,
): Promise<SourceVerdict> {
  const { target, address, epoch, scrape } = begun;
  const fence = { target, epoch, scrape };
  const context = {
    ...deps,
    makeRequest,
    source,
    target,
    address,
    dueAt: begun.dueAt,
    nextDueAt: begun.nextDueAt,
    commit,
  };
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
  let verdict: SourceVerdict = 'unused';
  let newest: Since = collector.since?.newest ?? {};

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

  /** Makes a request. The time limit of the collector stands still until the request has its turn. */
  async function makeRequest(intent: RequestIntent, signal: AbortSignal): Promise<RequestResult> {
    const { within = (run, limited) => run(limited) } = intent;
    const goOn = limit.hold();
    const inTurn: Within = (run, limited) => {
      goOn();
      return within(run, limited);
    };
    try {
      return await deps.makeRequest({ ...intent, within: inTurn }, signal);
    } finally {
      goOn();
    }
  }

  function close(failure: Failure | undefined): Promise<SourceVerdict> {
    if (failure === undefined)
      return closeWith({
        status: 'complete',
        reason: 'end',
        ...(Object.keys(newest).length > 0 && { position: { newest } }),
      });
    return closeWith({ ...failedBy(failure), ...defined({ parksAfter: parksAfter(failure, failure.cause) }) });
  }

  async function closeWith(
    ended: Pick<Close, 'status' | 'reason' | 'failure' | 'parksAfter' | 'position'>,
  ): Promise<SourceVerdict> {
    // Batches that are being written are part of the scrape.
    await Promise.all(writing);
    const { outcome } = await deps.close(fence, { ...ended, finished: false });
    return outcome === 'superseded' ? 'unused' : verdict;
  }

  async function fetch(visit: Visit, within: AbortSignal): Promise<StepOutcome> {
    const visited = await visitPage(visit, context, within);
    const { outcome } = visited.result;
    if (isAfterHours(outcome)) throw new HoursOver();
    verdict = verdictOf(visited, verdict);
    seenAt = outcome.at;
    await commit(stepOps(visit, visited, {}));
    return outcome;
  }

  async function collected({ drafts: found, failures }: Batch): Promise<void> {
    const { drafts, refused, absent, unparsed, repeated, notes } = collector.typed(found);
    const items = found.length + failures.length;
    const failed = refused + failures.length;
    const tooMany = errors.add({ items, refused: failed });
    const now = deps.clock.now();
    const allNotes = [...notes, ...failures.map(({ url, message }) => `${url}: ${message}`)].slice(0, maxNotes);
    const ops: StepOps = {
      // The records were on the last page at the latest, so that they are not newer than it.
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
        ...defined({
          errors: failed > 0 ? failed : undefined,
          repeated,
          notes: allNotes.length > 0 ? allNotes : undefined,
        }),
      },
    };
    draftsBefore += drafts.length;
    await commit(ops);
    // A date to come would leave out all that comes before it.
    if (collector.since !== undefined) newest = furthest(newest, { drafts }, { since: collector.since }, dayOf(now));
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

/** What one run of a plug-in's `collect`, or of a program, needs. */
export interface CollectorParts {
  readonly loaded: PluggedSource | ProgramSource;
  readonly target: TargetRow;
  readonly scrape: number;
  readonly args: readonly string[];
  /** Whether all is to be collected again, whatever is stored. */
  readonly isFull: boolean;
  /** Gets the secrets that the plug-in reads, so that none of them is stored. */
  readonly sent: SentCredentials;
  readonly provider: Pick<OpenProvider, 'advise'>;
  readonly plugins: Pick<SourcePlugins, 'collect'>;
}

/** Opens the collector of a source's plug-in or program for one scrape. */
export function openCollector(parts: CollectorParts): Collector {
  const { loaded, target, scrape, args, sent, provider, plugins } = parts;
  const { source } = loaded;
  const { since } = source.collect ?? {};
  const stored = parts.isFull ? {} : (target.position?.newest ?? {});
  const newest = Object.fromEntries(Object.entries(stored).filter(([field]) => since?.fields.includes(field)));
  const plan = planOf(source);
  const { advise } = provider;
  return {
    url: target.url,
    ...(since !== undefined && { since: { ...since, newest } }),
    typed: (drafts) => typedDrafts(drafts, plan, source.url ?? target.url),
    run: (running, signal) =>
      plugins.collect(
        loaded,
        {
          args,
          since: newest,
          address: addressParts(source, target.url),
          services: {
            began: () => running.began(),
            async fetch(ask, within) {
              const visit = { ...visitOf(source, ask), ...defined({ advise }) };
              return answerOf(sent.url(ask.url), sent.outcome(await running.fetch(visit, within)));
            },
            collected: (batch) => running.collected(batch),
            hide: (text) => sent.text(text),
          },
          of: { source: source.id, project: ownerOf(target) ?? '', scrape },
          reveals: (secrets) => sent.noteRead(secrets),
        },
        signal,
      ),
  };
}

/** The visit that makes a request of a plug-in. */
export function visitOf(source: Source, ask: Ask): Visit {
  const made = pluginRequest(source, ask);
  return {
    url: ask.url,
    request: (url, _copy, hop) => (hop === undefined ? made : hoppedRequest(source, made, url, hop)),
  };
}
