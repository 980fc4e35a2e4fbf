import type { Clock } from '../clock.ts';
import type { Source } from '../definition/source.ts';
import type { StepOutcome } from '../engine/step.ts';
import { againstSource } from '../fetch/triage.ts';
import { openProvider } from '../provider/all.ts';
import type { Hop } from '../provider/provider.ts';
import type { CommitResult, Failure, Fence, PageCopy, StepOps } from '../store/rows.ts';
import type { Ask, Asked, Wish, Within } from './ask.ts';
import { type Allowance, type Decision, decide, type Spent } from './decide.ts';
import { pause } from './pause.ts';
import { TimeLimit } from './time-limit.ts';

export interface ScrapeDeps {
  readonly clock: Clock;
  /** A number in `[0, 1)`. */
  random(): number;
  readonly ask: Ask;
  commit(fence: Fence, ops: StepOps): Promise<CommitResult>;
  /** The longest that the steps of one scrape may take together; waiting for its turns does not count. */
  readonly timeLimitMs: number;
}

/** The scrape to run: begun in the store already, so that its number and epoch are its own. */
export interface BegunScrape {
  readonly target: number;
  readonly epoch: number;
  readonly scrape: number;
  readonly url: string;
  readonly dueAt: number;
  /** When the target is due again, wall time. */
  readonly nextDueAt: number;
  /** Of the definition. */
  readonly version: string;
  /** What was read last. */
  readonly copy?: PageCopy;
}

/** What a scrape says of its source: nothing where it could not ask. */
export type Verdict = 'good' | 'bad' | 'unused';

/** No request is refused for its credentials more often; how many log-ins there are is counted by the session. */
const maxLogins = 4;

/**
 * Runs one scrape from its first step to its closing commit: ask, decide, commit. Resolves also when the scrape failed,
 * took too long or was superseded; rejects for errors of ours, and when the signal fires.
 */
export async function runScrape(
  begun: BegunScrape,
  source: Source,
  deps: ScrapeDeps,
  signal: AbortSignal,
): Promise<Verdict> {
  const { clock } = deps;
  const provider = openProvider(source);
  const limit = new TimeLimit(clock, deps.timeLimitMs);
  let url = begun.url;
  let spent = newSpent(0, clock.now());
  let stale: number | undefined;
  let hop: Hop | undefined;
  let retry: Retry | undefined;
  const nextDueAt = lastInstant(begun.nextDueAt, clock.now());
  for (let step = 1; ; step += 1) {
    const request = provider.request(url, copyFor(begun, url), hop);
    const wish = {
      step: { request, reading: provider.page, render: source.render },
      source,
      target: begun.target,
      dueAt: begun.dueAt,
      within: limit.until(retry?.endsBy ?? Infinity),
      ...(stale !== undefined && { stale }),
    };
    const asked = await (retry === undefined ? deps.ask(wish, signal) : askAgain(wish, retry, deps, signal));
    const allowance = allowanceOf(source, { now: clock.now(), nextDueAt, draw: deps.random() });
    const decision = decide(asked, { ...spent, tries: spent.tries + 1 }, allowance);
    const fence = { target: begun.target, epoch: begun.epoch, scrape: begun.scrape, step };
    const committed = await deps.commit(fence, opsOf(url, asked, decision, begun));
    if (committed.outcome === 'superseded') return 'unused';
    stale = undefined;
    retry = undefined;
    switch (decision.do) {
      case 'complete':
        return 'good';
      case 'fail':
        return verdictOf(asked);
      case 'follow':
        url = decision.url;
        hop = nextHop(hop, decision, begun.url);
        spent = newSpent(spent.redirects + 1, clock.now());
        break;
      case 'authenticate':
        stale = asked.generation;
        spent = { ...spent, logins: spent.logins + 1 };
        break;
      case 'retry':
        retry = { after: asked, endsBy: decision.endsBy };
        spent = { ...spent, tries: spent.tries + 1 };
        await pause(clock, decision.delayMs, signal);
        break;
      default:
        decision satisfies never;
    }
  }
}

/** What a redirect makes of the request: a method that was left, or an origin, is not taken up again. */
export function nextHop(
  hop: Hop | undefined,
  { url, keepsMethod }: Extract<Decision, { do: 'follow' }>,
  startUrl: string,
): Hop {
  const isHome = (hop?.isHome ?? true) && URL.parse(url)?.origin === URL.parse(startUrl)?.origin;
  return { keepsMethod: (hop?.keepsMethod ?? true) && keepsMethod, isHome };
}

/** Of a chain of tries: so much before the next due time that its closing commit does not cost the target that one. */
function lastInstant(nextDueAt: number, now: number): number {
  return nextDueAt === Infinity ? Infinity : nextDueAt - Math.min(1_000, (nextDueAt - now) / 10);
}

/** Another try of what failed. */
interface Retry {
  readonly after: Asked;
  /** The chain of tries is over then, wall time. */
  readonly endsBy: number;
}

/** Asks once more; where no turn comes before the chain is over, what it failed with stands. */
async function askAgain(wish: Wish, { after, endsBy }: Retry, deps: ScrapeDeps, signal: AbortSignal): Promise<Asked> {
  const { clock } = deps;
  const { within } = wish;
  const late = new AbortController();
  const timer = clock.at(clock.monotonic() + Math.max(0, endsBy - clock.now()), () => late.abort());
  const inTime: Within = (run, both) => {
    clock.cancel(timer);
    return within === undefined ? run(both) : within(run, both);
  };
  try {
    return await deps.ask({ ...wish, within: inTime }, AbortSignal.any([signal, late.signal]));
  } catch (error) {
    if (signal.aborted || !late.signal.aborted) throw error;
    return tooLate(after, clock.now());
  } finally {
    clock.cancel(timer);
  }
}

function tooLate(after: Asked, at: number): Asked {
  if (after.outcome.kind !== 'failed') return after;
  const { failure } = after.outcome;
  const message = `${failure.message}; the target is due again before the host can be asked once more`;
  return { ...after, outcome: { kind: 'failed', failure: { ...failure, message }, at, elapsedMs: 0, bytes: 0 } };
}

/** What a source's definition lets a scrape spend. */
export function allowanceOf(
  { retry: { times, first, longest, within }, auth }: Source,
  at: Pick<Allowance, 'now' | 'nextDueAt' | 'draw'>,
): Allowance {
  return {
    retry: { retries: times, initialMs: first, capMs: longest, spread: 0.1, budgetMs: within, lastTryMs: 100 },
    logins: auth === undefined ? 0 : maxLogins,
    ...at,
  };
}

/** At the first try of a request. */
export function newSpent(redirects: number, startedAt: number): Spent {
  return { redirects, tries: 0, logins: 0, startedAt };
}

/** The copy says something of the page at its own address only, and only as this definition reads it. */
function copyFor({ copy, version }: BegunScrape, url: string): PageCopy | undefined {
  return copy?.url === url && copy.version === version ? copy : undefined;
}

/** What we did or lack, which says nothing of the source. */
const ownFailures: ReadonlySet<string> = new Set(['cancelled', 'time_limit', 'renderer_missing', 'render_crashed']);

function verdictOf({ outcome, wasAsked, trouble }: Asked): Verdict {
  if (!wasAsked || (outcome.kind === 'failed' && ownFailures.has(outcome.failure.code))) return 'unused';
  return trouble !== undefined && againstSource.has(trouble.cause) ? 'bad' : 'good';
}

function opsOf(url: string, { outcome, trouble }: Asked, decision: Decision, begun: BegunScrape): StepOps {
  const extraction = outcome.kind === 'read' ? outcome.extraction : undefined;
  const failure = failureOf(outcome, trouble?.cause, decision);
  const copy = copyOf(url, outcome, begun.version);
  return {
    observedAt: outcome.at,
    drafts: extraction?.drafts ?? [],
    log: {
      url,
      at: outcome.at,
      elapsedMs: outcome.elapsedMs,
      bytes: outcome.bytes,
      ...(outcome.status !== undefined && { status: outcome.status }),
      ...(failure !== undefined && { failure }),
      absent: extraction?.absent ?? [],
      unparsed: extraction?.unparsed ?? [],
    },
    ...(outcome.kind === 'unmodified' && { unmodified: true }),
    ...(copy !== undefined && { copy }),
    ...closing(decision, failure),
  };
}

/** An excerpt of more says no more. */
const excerptLength = 2_000;

function failureOf(outcome: StepOutcome, cause: string | undefined, decision: Decision): Failure | undefined {
  const failure = decision.do === 'fail' ? decision.failure : outcome.kind === 'failed' ? outcome.failure : undefined;
  if (failure === undefined) return undefined;
  const { code, message, excerpt } = failure;
  return {
    code,
    message,
    ...(cause !== undefined && { cause }),
    ...(excerpt !== undefined && { excerpt: excerpt.slice(0, excerptLength) }),
  };
}

function copyOf(url: string, outcome: StepOutcome, version: string): PageCopy | undefined {
  if (outcome.kind !== 'read' && outcome.kind !== 'unmodified') return undefined;
  const { validators, at: observedAt } = outcome;
  return validators && { url, version, observedAt, ...validators };
}

function closing(decision: Decision, failure: Failure | undefined): Pick<StepOps, 'close'> {
  if (decision.do === 'complete') return { close: { status: 'complete', finished: decision.finished } };
  if (decision.do !== 'fail') return {};
  return { close: { status: 'failed', finished: false, ...(failure !== undefined && { failure }) } };
}
