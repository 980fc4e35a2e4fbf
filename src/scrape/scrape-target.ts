import { fileFieldsOf } from '../definition/file-fields.ts';
import { guardsOf } from '../definition/source-guards.ts';
import { ruleDigests } from '../definition/rule-digests.ts';
import { expectationsOf } from '../definition/expectations.ts';
import { hasPagesOfRecords } from '../definition/objective-fields.ts';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../clock.ts';
import { type Catalogue, hasCollector, type LoadedSource, isPlugged } from '../definition/catalogue.ts';
import type { Log } from '../log.ts';
import type { SourcePlugins } from '../plugin/source-plugins.ts';
import { pageId } from '../definition/page.ts';
import type { Circuits, FirstTurn } from '../request/gate.ts';
import { ranked, watchRequests, withinHours } from '../request/scrape-requests.ts';
import type { MakeRequest } from '../request/intent.ts';
import { SentCredentials } from '../request/sent-credentials.ts';
import { defined } from '../defined.ts';
import type { Page } from '../fetch/page.ts';
import type { DueTimes } from '../schedule/due-times.ts';
import { ownerOf } from '../schedule/watchers.ts';
import { closeScrape, commitStep } from '../store/commit.ts';
import { sweepCrawls } from '../store/crawl.ts';
import type { Close, CommitResult, Fence, StepOps } from '../store/ops.ts';
import type { TargetRow } from '../store/tables/rows.ts';
import { writeBegin } from '../store/fence.ts';
import { beginScrape } from '../store/scrapes.ts';
import { openCollector, runCollector } from './collector.ts';
import { evidenceOf, type KeepDeps, openKeeper } from './keep-page.ts';
import { openWalk } from './open-walk.ts';
import { type ObservedEnd, observeTogether, type ScrapeObserver } from './observer.ts';
import { redactedClose, redactedStep } from './step-ops.ts';
import { type SourceVerdict, runScrape } from './run.ts';
import { ScrapeLog } from './scrape-log.ts';

/** The dependencies of the scrapes of all targets. */
export interface ScrapeTargetDeps extends KeepDeps {
  readonly clock: Clock;
  /** A number in `[0, 1)`. */
  random(): number;
  /** Runs what writes to the store; resolves with `undefined` when the store is full. */
  unlessFull<T>(write: () => Promise<T>): Promise<T | undefined>;
  catalogue(): Catalogue;
  settings(): { readonly timeLimitMs: number };
  readonly dues: DueTimes;
  readonly circuits: Circuits;
  readonly makeRequest: MakeRequest;
  readonly plugins: Pick<SourcePlugins, 'open' | 'collect'>;
  readonly log: Log;
  /** Stores that a scrape of the target crashed; `mostInRow` crashes in a row park it. */
  crashed(target: number, error: unknown, mostInRow?: number): Promise<unknown>;
  /** Called after the scrape of a target with an objective: the planner looks again when to warn of it. */
  freshnessChanged(): void;
  /** Called when records of a source were stored that have objectives, or that may name files which are new. */
  recordsSeen(source: string, work: 'recheck' | 'files'): void;
  /** Called when a step whose outcome has a receipt is written, or is found superseded. Default: nobody is told. */
  acknowledge?(receipt: string): void;
  /** Told of each scrape. Default: nobody is. */
  readonly observers?: readonly ScrapeObserver[];
}

/** Called by a scrape that is under way, for the actor of its project. */
export interface ScrapeProgress {
  /** Called when the scrape has begun, with its number. */
  begun(scrape: number): void;
  /** Called with `true` when the scrape begins to wait for a turn of its host, and with `false` when it has the turn. */
  waits(isWaiting: boolean): void;
}

/**
 * Scrapes one target, which has been granted a turn, to the end of its scrape. Resolves also when the scrape failed or could not begin;
 * rejects for errors of ours, and with the signal's reason when that fires. The turn is given back in any case.
 */
export type ScrapeTarget = (
  target: TargetRow,
  first: FirstTurn,
  signal: AbortSignal,
  progress: ScrapeProgress,
) => Promise<void>;

/** How long a scrape of one page may run before its begin is written without its end, in milliseconds. */
const unwrittenMs = 500;

/** Opens the scrapes of all targets. */
export function createScrapeTarget(deps: ScrapeTargetDeps): ScrapeTarget {
  const { clock, store, dues, circuits } = deps;
  const observer = observeTogether(deps.observers ?? []);
  return async (target, first, signal, progress) => {
    let verdict: SourceVerdict = 'unused';
    try {
      const loaded = deps.catalogue().sources.get(target.source);
      // A plug-in may take long before it asks.
      if (loaded !== undefined && (isPlugged(loaded) || hasCollector(loaded))) first.giveBack();
      if (loaded !== undefined) verdict = (await scrape(target, loaded, { first, progress }, signal)) ?? 'unused';
    } finally {
      first.giveBack();
      // A page of one site says nothing of the others that its source is for.
      const counted = target.source === pageId ? 'unused' : verdict;
      circuits.ended(target.source, { target: target.target, verdict: counted });
    }
  };

  /** Begins, runs and closes a scrape; resolves with `undefined` where it could not begin or was superseded. */
  async function scrape(
    target: TargetRow,
    loaded: LoadedSource,
    { first, progress }: { readonly first: FirstTurn; readonly progress: ScrapeProgress },
    signal: AbortSignal,
  ): Promise<SourceVerdict | undefined> {
    const { source, version } = loaded;
    const schedule = dues.scheduleOf(target);
    const nextDueAt = dues.afterwards(target, schedule);
    const inMemory = source.crawl === undefined;
    const began = await deps.unlessFull(() => beginScrape(store(), target.target, version, { inMemory }));
    if (!began?.ok) return undefined;
    const { wish, fence } = began;
    progress.begun(fence.scrape);
    const begun = { ...fence, address: target.url, version, dueAt: first.dueAt, nextDueAt };
    // The pages that a crawl finds are no longer what the person asked for.
    const isManual = source.crawl === undefined && first.isManual === true;
    const rank = { first, isManual, scrape: fence.scrape, ...defined({ deadlineAt: first.deadlineAt }) };
    const hasPages = hasPagesOfRecords(source);
    const hasFiles = Object.keys(fileFieldsOf(source)).length > 0;
    const guards = guardsOf(source);
    const rules = ruleDigests(loaded);
    const expectations = expectationsOf(source);
    const sent = new SentCredentials();
    const log = new ScrapeLog(deps.log, { source: source.id, project: ownerOf(target) ?? '', scrape: fence.scrape });
    const observed = observer.begun({
      ...{ scrape: fence.scrape, target: target.target, source, startedAt: clock.now() },
      ...{ dueAt: first.dueAt, isManual: first.isManual === true },
    });
    let end: ObservedEnd = 'cancelled';
    const watched = watchRequests(observed.requests(deps.makeRequest), sent, (isWaiting) => progress.waits(isWaiting));
    const kept = { source: source.id, target: target.target, scrape: fence.scrape, version, sent };
    const keeper = openKeeper(deps, kept);
    const runDeps = {
      clock,
      random: () => deps.random(),
      makeRequest: ranked(rank, withinHours(schedule.hours, clock, watched)),
      timeLimitMs: deps.settings().timeLimitMs,
      keepBytes: keeper.keepBytes,
      async commit(step: Fence, ops: StepOps, page?: Page) {
        const digest = evidenceOf(page, ops);
        const redacted = log.ops(redactedStep(sent, ops));
        const close = redacted.close && { ...redacted.close, rules, expectations };
        const written = { ...redacted, ...defined({ digest, close }), guards, rules };
        const result = ended(
          written.close,
          log.written(ops, await observed.commit(() => commitStep(store(), step, written))),
        );
        if (ops.receipt !== undefined) deps.acknowledge?.(ops.receipt);
        // Most sources have no such pages, and the row of a target takes time to read.
        const hasAges = hasPages && store().schedule.get(target.target)?.fresh?.records !== undefined;
        if (hasAges) deps.recordsSeen(source.id, 'recheck');
        if (hasFiles && result.outcome === 'committed') deps.recordsSeen(source.id, 'files');
        const isRead = written.log.failure === undefined;
        const leads = ops.crawl?.leads;
        if (page !== undefined) await keeper.keep(page, { digest, itemType: ops.item?.type, isRead, leads, result });
        return result;
      },
      async close(closed: Omit<Fence, 'step'>, close: Close) {
        log.closing(close);
        const written = { ...redactedClose(sent, close), guards, rules, expectations };
        return ended(written, await observed.commit(() => closeScrape(store(), closed, written)));
      },
    };
    const crashes: Close[] = [];
    // Bound to this life, as a stray rejection of its is.
    const writeLasting = AsyncLocalStorage.bind(() => void deps.unlessFull(() => writeBegin(store(), fence)));
    const lasting = clock.at(clock.monotonic() + unwrittenMs, writeLasting);
    try {
      const verdict = await deps.unlessFull(run);
      // Nothing more of it comes. One that ended by an error stays, for the change that stores the error.
      store().scrapes.forget(fence.scrape);
      for (const { failure, parksAfter } of crashes) await deps.crashed(target.target, failure?.message, parksAfter);
      return verdict;
    } catch (error) {
      if (!signal.aborted) end = 'failed';
      throw error;
    } finally {
      clock.cancel(lasting);
      log.stopped();
      observed.ended(end);
      if (store().schedule.get(target.target)?.fresh) deps.freshnessChanged();
      if (source.crawl !== undefined) await sweepCrawls(store(), target.target);
    }

    /** Notes an end once it is committed, and whether it counts as a crash. */
    function ended(close: Close | undefined, result: CommitResult): CommitResult {
      if (close !== undefined && result.outcome === 'committed') end = close.status;
      if (close?.parksAfter !== undefined && result.outcome === 'committed') crashes.push(close);
      return result;
    }

    async function run(): Promise<SourceVerdict | undefined> {
      const opened = isPlugged(loaded) ? await deps.plugins.open(loaded, signal) : undefined;
      if (opened?.isCollector === true || source.collect !== undefined || source.crawl !== undefined)
        log.started(wish.args);
      if (hasCollector(loaded) || (opened?.isCollector === true && isPlugged(loaded))) {
        await writeBegin(store(), fence);
        const { args = [], full: isFull = false } = wish;
        const provider = opened?.provider ?? {};
        const parts = { loaded, target, scrape: fence.scrape, args, isFull, sent, provider };
        return runCollector(begun, source, openCollector({ ...parts, plugins: deps.plugins }), runDeps, signal);
      }
      const walk = await openWalk(store(), { target, loaded, wish, fence, provider: opened?.provider }, () =>
        clock.now(),
      );
      if (walk !== undefined && walk.isOnePage !== true) await writeBegin(store(), fence);
      return walk && runScrape(begun, source, walk, runDeps, signal);
    }
  }
}
