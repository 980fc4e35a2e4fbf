import { unsentOutcome, wasSent } from '../request/failure.ts';
import { guardsOf } from '../definition/source-guards.ts';
import type { Source } from '../definition/source.ts';
import type { RecordDraft } from '../extract/draft.ts';
import { openProvider } from '../provider/declared.ts';
import type { PulseBatch } from '../provider/provider.ts';
import { type TargetBatch, BatchFiller } from '../provider/pulse.ts';
import { askAgainAt } from '../schedule/gone.ts';
import { projectsOf } from '../schedule/watchers.ts';
import { type PulseTally, pulsesTogether } from '../schedule/waste.ts';
import type { TargetRow } from '../store/tables/rows.ts';
import type { Clock } from '../clock.ts';
import { defined } from '../defined.ts';
import type { MakeRequest, RequestIntent, RequestResult, Within } from '../request/intent.ts';
import type { ScrapeDeps } from './run.ts';
import type { Catalogue } from '../definition/catalogue.ts';
import { SentCredentials } from '../request/sent-credentials.ts';
import { watchRequests } from '../request/scrape-requests.ts';
import { isAvailable } from '../schedule/time/open-hours.ts';
import type { DueTimes } from '../schedule/due-times.ts';
import { type PulseOps, commitPulse } from '../store/commit-pulse.ts';
import { scrapable } from '../store/scrapes.ts';
import type { Store } from '../store/store.ts';
import { type PulseCosts, addPulseWaste } from '../store/waste.ts';

/** The failure of a request whose target was archived, finished or parked while the request waited for its turn. */
const targetLeft = { code: 'cancelled', message: 'the target is no longer active' };

/** The result of one round of a source's pulse. */
export interface PulseRound {
  readonly asked: number;
  readonly failed: number;
  /** The latest failure, as a sentence. */
  readonly failure?: string;
}

/** The dependencies of one round. */
interface PulseRoundDeps extends Pick<ScrapeDeps, 'clock' | 'makeRequest'> {
  /** The target as it is now; `undefined` if it is no longer active. */
  active(target: number): TargetRow | undefined;
  /** The number of the target on which a record was last seen, if known. */
  ownerOf(record: Pick<RecordDraft, 'type' | 'key'>): number | undefined;
  /** Writes the drafts of a target, unless the target is no longer active. */
  commit(
    target: TargetRow,
    read: { readonly url: string; readonly observedAt: number; readonly drafts: readonly RecordDraft[] },
  ): Promise<void>;
  /** Records the cost of a request: for its target, or for the source where it asked for many targets at once. */
  spend(tally: PulseTally, target?: number): Promise<void>;
}

/**
 * Requests one data point of each target, in order of their numbers, as many at once as the source's politeness allows.
 * A target that fails does not affect the others. Rejects when a commit fails or the signal ends a request.
 */
async function runRound(
  targets: readonly number[],
  source: Source,
  deps: PulseRoundDeps,
  signal: AbortSignal,
): Promise<PulseRound> {
  const provider = openProvider(source);
  const waiting = targets.values();
  let round: PulseRound = { asked: 0, failed: 0 };
  const { batch } = provider.pulse ?? {};
  const batches = batch && batchesOf(targets, batch, deps);
  const requestNext = batches === undefined ? requestEach : () => requestBatches(batches);
  await Promise.all(Array.from({ length: source.politeness.concurrency }, requestNext));
  return round;

  /** Makes requests for many targets each, and gives each draft to the target that has its key. */
  async function requestBatches(batches: Iterable<TargetBatch>): Promise<void> {
    for (const { request, targets: byKey } of batches) {
      if (signal.aborted || provider.pulse === undefined) return;
      const step = { request, reading: provider.pulse.reading };
      const within: Within = (run, limited) =>
        [...byKey.values()].some((number) => deps.active(number))
          ? run(limited)
          : Promise.resolve(unsentOutcome(targetLeft, deps.clock.now()));
      const intent = { step, source, dueAt: deps.clock.now(), unlessOpen: true, within } as const;
      const outcome = await requestLoggedIn(intent, deps, signal);
      if (outcome.kind === 'failed' && outcome.failure.code === 'cancelled') continue;
      round = counted(round, outcome);
      if (outcome.kind !== 'read') continue;
      const numbers = new Set(byKey.values());
      const found = Map.groupBy(outcome.extraction.drafts, (draft) => {
        const owner = deps.ownerOf(draft);
        return owner !== undefined && numbers.has(owner) ? owner : byKey.get(draft.key);
      });
      for (const [number, drafts] of found) {
        const target = number === undefined ? undefined : deps.active(number);
        if (target !== undefined) await deps.commit(target, { url: request.url, observedAt: outcome.at, drafts });
      }
    }
  }

  async function requestEach(): Promise<void> {
    for (const number of waiting) {
      if (signal.aborted) return;
      const target = deps.active(number);
      const request = target && provider.pulse?.request(target.url);
      if (target === undefined || provider.pulse === undefined || request === undefined) continue;
      // A page that is gone is asked for by no pulse more often than by a scrape.
      if (target.gone !== undefined && deps.clock.now() < askAgainAt(target.gone, deps.clock.now())) continue;
      const step = { request, reading: provider.pulse.reading };
      const within: Within = (run, limited) =>
        deps.active(number) ? run(limited) : Promise.resolve(unsentOutcome(targetLeft, deps.clock.now()));
      const intent = { step, source, dueAt: deps.clock.now(), unlessOpen: true, within } as const;
      const outcome = await requestLoggedIn(intent, deps, signal, number);
      if (outcome.kind === 'failed' && outcome.failure.code === 'cancelled') continue;
      round = counted(round, outcome);
      if (outcome.kind !== 'read') continue;
      await deps.commit(target, { url: request.url, observedAt: outcome.at, drafts: outcome.extraction.drafts });
    }
  }
}

/** The batches of the targets that are active when a batch is made. */
function* batchesOf(targets: readonly number[], batch: PulseBatch, deps: PulseRoundDeps): Generator<TargetBatch> {
  const filler = new BatchFiller(batch);
  for (const number of targets) {
    const url = deps.active(number)?.url;
    const full = url === undefined ? undefined : filler.add(number, url);
    if (full !== undefined) yield full;
  }
  const last = filler.rest();
  if (last !== undefined) yield last;
}

/**
 * Makes a request; if the session has expired, once more with new credentials.
 *
 * @param target - the target that the request is for; missing for a batch.
 */
async function requestLoggedIn(
  intent: RequestIntent,
  { makeRequest, spend }: PulseRoundDeps,
  signal: AbortSignal,
  target?: number,
): Promise<RequestResult['outcome']> {
  const first = await makeRequest(intent, signal);
  await note(first);
  if (first.trouble?.cause !== 'login_expired' || intent.source.auth === undefined) return first.outcome;
  const again = await makeRequest({ ...intent, stale: first.generation }, signal);
  await note(again);
  return again.outcome;

  async function note(result: RequestResult): Promise<void> {
    const tally = pulseTally(result);
    if (tally !== undefined) await spend(tally, target);
  }
}

function counted({ asked, failed, failure }: PulseRound, outcome: RequestResult['outcome']): PulseRound {
  const last =
    outcome.kind === 'failed'
      ? outcome.failure.message
      : outcome.kind === 'redirect'
        ? `redirected to ${outcome.location}`
        : undefined;
  if (last === undefined) return { asked: asked + 1, failed, ...defined({ failure }) };
  return { asked: asked + 1, failed: failed + 1, failure: last };
}

/** The cost of a pulse's request; `undefined` if none was sent. */
export function pulseTally(result: RequestResult): PulseTally | undefined {
  const { outcome } = result;
  if (!wasSent(result)) return undefined;
  return {
    requests: 1,
    notModified: outcome.kind === 'unmodified' ? 1 : 0,
    bytes: outcome.bytes,
    cpuMs: (outcome.kind === 'read' ? outcome.cpuMs : undefined) ?? 0,
  };
}

/** The dependencies of the pulses of all sources. */
export interface PulseDeps {
  readonly clock: Clock;
  store(): Store;
  /** Runs what writes to the store; resolves with `undefined` when the store is full. */
  unlessFull<T>(write: () => Promise<T>): Promise<T | undefined>;
  catalogue(): Catalogue;
  readonly dues: Pick<DueTimes, 'scheduleOf'>;
  readonly makeRequest: MakeRequest;
  /** Has the project that scrapes a target look again, as the target is finished or ends at another time. */
  look(project: string): void;
}

/**
 * Runs one round of a source's pulse: requests one data point of each active target, and stores what is read. Resolves with no requests
 * for a source without a pulse. Rejects for errors of ours, and with the signal's reason when the signal fires.
 */
export type RunPulse = (source: string, signal: AbortSignal) => Promise<PulseRound>;

/** Opens the pulses of all sources. */
export function createPulse(deps: PulseDeps): RunPulse {
  const { clock, store } = deps;
  return async (id, signal) => {
    const { source, version } = deps.catalogue().sources.get(id) ?? {};
    if (source?.pulse === undefined || version === undefined) return { asked: 0, failed: 0 };
    const commit = async (target: TargetRow, read: Pick<PulseOps, 'url' | 'observedAt' | 'drafts'>): Promise<void> => {
      const endsAt = (): number | undefined => store().schedule.get(target.target)?.endsAt;
      const before = endsAt();
      const done = await deps.unlessFull(() =>
        commitPulse(store(), { source: id, version, target: target.target, guards: guardsOf(source), ...read }),
      );
      const isFinished = done?.outcome === 'committed' && done.targetStatus === 'finished';
      const [owner] = projectsOf(target);
      if (owner !== undefined && (isFinished || endsAt() !== before)) deps.look(owner);
    };
    // Numbers and not rows, since a round may last for hours: a range that is half read keeps its snapshot of the store.
    const targets = [...store().targets.numbersOfSource(id)];
    const ownerOf = ({ type, key }: Pick<RecordDraft, 'type' | 'key'>) => store().records.get(id, type, key)?.target;
    const costs = new RoundCosts(id, deps);
    const spend = (cost: PulseTally, target?: number) => costs.add(cost, target);
    try {
      return await runRound(targets, source, { clock, makeRequest, active, ownerOf, commit, spend }, signal);
    } finally {
      await costs.write();
    }
  };

  /** A target as it is now; `undefined` while no pulse may ask for it. */
  function active(number: number): TargetRow | undefined {
    const found = scrapable(store(), number);
    return found.ok && isAvailable(deps.dues.scheduleOf(found.target).hours, clock.now()) ? found.target : undefined;
  }

  /** A pulse follows no redirect, so that its outcome is redacted at once. */
  async function makeRequest(intent: RequestIntent, signal: AbortSignal): Promise<RequestResult> {
    const sent = new SentCredentials();
    const result = await watchRequests(deps.makeRequest, sent)({ ...intent, kind: 'pulse' }, signal);
    return { ...result, outcome: sent.outcome(result.outcome) };
  }
}

/** The largest number of costs that wait to be written. */
const keptCosts = 1_000;

/** The longest time for which a cost waits to be written, in milliseconds. */
const keptMs = 60_000;

/** The costs of one round of a pulse. They are written a few at a time, since a round may last for hours. */
class RoundCosts {
  readonly #source: string;
  readonly #deps: Pick<PulseDeps, 'clock' | 'store' | 'unlessFull'>;
  #costs = new Map<number | undefined, PulseTally>();
  #writtenAt: number;

  constructor(source: string, deps: Pick<PulseDeps, 'clock' | 'store' | 'unlessFull'>) {
    this.#source = source;
    this.#deps = deps;
    this.#writtenAt = deps.clock.monotonic();
  }

  /** Adds the cost of a request for one target, or for many at once where `target` is `undefined`. */
  async add(cost: PulseTally, target: number | undefined): Promise<void> {
    this.#costs.set(target, pulsesTogether(this.#costs.get(target), cost));
    const isLong = this.#deps.clock.monotonic() - this.#writtenAt >= keptMs;
    if (isLong || this.#costs.size >= keptCosts) await this.write();
  }

  /** Writes what was added since the last write. */
  async write(): Promise<void> {
    const costs: PulseCosts = this.#costs;
    this.#costs = new Map();
    this.#writtenAt = this.#deps.clock.monotonic();
    if (costs.size > 0) await this.#deps.unlessFull(() => addPulseWaste(this.#deps.store(), this.#source, costs));
  }
}
