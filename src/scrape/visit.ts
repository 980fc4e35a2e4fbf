import type { Clock } from '../clock.ts';
import type { Source } from '../definition/source.ts';
import type { StepFailure, StepOutcome } from '../engine/step.ts';
import type { Advice } from '../provider/define.ts';
import type { Hop } from '../provider/provider.ts';
import type { Close, StepOps } from '../store/ops.ts';
import type { Failure, PageCopy } from '../store/rows.ts';
import { type Ask, type Asked, hoursOver, type Wish, type Within } from './ask.ts';
import { spentOf } from './spent.ts';
import { type Allowance, type Decision, decide, type Spent } from './decide.ts';
import { pause } from './pause.ts';
import { TimeLimit } from './time-limit.ts';
import { excerptLength, type Taken, type Visit, type Visited } from './walk.ts';

/** What a visit needs of its scrape. */
export interface VisitContext {
  readonly clock: Clock;
  /** A number in `[0, 1)`. */
  random(): number;
  readonly ask: Ask;
  readonly source: Source;
  readonly target: number;
  readonly dueAt: number;
  /** When the target is due again, wall time; bounds the tries of a scrape of one page. */
  readonly nextDueAt: number;
  /** The longest that the steps of one visit may take together; waiting for turns does not count. */
  readonly timeLimitMs: number;
  /** Writes a step that is not the visit's last. */
  commit(ops: StepOps): Promise<void>;
}

/** No request is refused for its credentials more often; how many log-ins there are is counted by the session. */
const maxLogins = 4;

/** Asks for one page until it is read or given up; redirects, log-ins and further tries are steps of their own. The last step is the caller's to write. */
export async function visitPage(visit: Visit, context: VisitContext, signal: AbortSignal): Promise<Visited> {
  const { clock, source } = context;
  const limit = new TimeLimit(clock, context.timeLimitMs);
  let { url } = visit;
  let startUrl: string | undefined;
  let spent = newSpent(0, clock.now());
  let stale: number | undefined;
  let hop: Hop | undefined;
  let retry: Retry | undefined;
  const nextDueAt = visit.isOnly === true ? lastInstant(context.nextDueAt, clock.now()) : Infinity;
  for (;;) {
    const request = await visit.request(url, visit.copy?.url === url ? visit.copy : undefined, hop);
    if ('failure' in request) return { asked: unmade(request.failure, clock.now()), url };
    // A plug-in may ask elsewhere than at the visit's own address.
    const { url: at } = request;
    startUrl ??= at;
    const wish = {
      step: { request, ...(visit.reading && { reading: visit.reading }), render: source.render },
      source,
      target: context.target,
      dueAt: context.dueAt,
      within: limit.until(retry?.endsBy ?? Infinity),
      ...(stale !== undefined && { stale }),
    };
    const asked = await (retry === undefined ? context.ask(wish, signal) : askAgain(wish, retry, context, signal));
    const allowance = allowanceOf(source, { now: clock.now(), nextDueAt, draw: context.random() });
    if (asked.outcome.kind === 'page' && visit.reading === undefined) return { asked, url: at };
    const advice = await adviceOn(visit, asked, at);
    const decision = decide(asked, { ...spent, tries: spent.tries + 1 }, allowance, advice);
    if (decision.do === 'complete' || decision.do === 'fail') return { asked: settled(asked, decision), url: at };
    if (decision.do === 'follow' && visit.follows?.(decision.url) === false) return { asked, url: at };
    await context.commit(stepOps(visit, { asked, url: at }, {}));
    stale = undefined;
    retry = undefined;
    switch (decision.do) {
      case 'follow':
        url = decision.url;
        hop = nextHop(hop, decision, startUrl);
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

/** A step for which no request could be made. */
function unmade(failure: StepFailure, at: number): Asked {
  const outcome = { kind: 'failed', failure, at, elapsedMs: 0, bytes: 0 } as const;
  return { outcome, generation: 0, wasAsked: false, waitedMs: 0 };
}

/** What the source's plug-in says to a failure; nothing where nobody was asked. */
async function adviceOn(visit: Visit, { outcome, wasAsked }: Asked, url: string): Promise<Advice | undefined> {
  if (visit.advise === undefined || outcome.kind !== 'failed' || !wasAsked || outcome.failure.code === hoursOver)
    return undefined;
  const { code, message, excerpt } = outcome.failure;
  const { status } = outcome;
  return visit.advise({
    code,
    message,
    url,
    ...(status !== undefined && { status }),
    ...(excerpt !== undefined && { text: excerpt }),
  });
}

/** A redirect too many, or one that nobody may follow, is a failure as well. */
function settled(asked: Asked, decision: Extract<Decision, { do: 'complete' | 'fail' }>): Asked {
  const { outcome } = asked;
  if (decision.do === 'complete' || outcome.kind === 'failed') return asked;
  const { at, elapsedMs, bytes, status } = outcome;
  const exchange = { at, elapsedMs, bytes, ...(status !== undefined && { status }) };
  return { ...asked, outcome: { ...exchange, kind: 'failed', failure: decision.failure } };
}

/** What a step writes. */
export function stepOps(
  { page }: Visit,
  { asked, url }: Visited,
  { taken = {}, close, draftsBefore }: { taken?: Taken; close?: Close | undefined; draftsBefore?: number },
): StepOps {
  const { outcome, trouble } = asked;
  const extraction = outcome.kind === 'read' ? outcome.extraction : undefined;
  const failure = outcome.kind === 'failed' ? failureOf(outcome.failure, trouble?.cause) : undefined;
  return {
    observedAt: outcome.at,
    drafts: taken.drafts ?? extraction?.drafts ?? [],
    ...(draftsBefore !== undefined && { draftsBefore }),
    log: {
      url,
      ...(page !== undefined && { page }),
      at: outcome.at,
      elapsedMs: outcome.elapsedMs,
      bytes: outcome.bytes,
      ...(outcome.status !== undefined && { status: outcome.status }),
      ...(failure !== undefined && { failure }),
      absent: extraction?.absent ?? [],
      unparsed: extraction?.unparsed ?? [],
      ...(extraction !== undefined && extraction.refused > 0 && { errors: extraction.refused }),
      ...(extraction?.repeated !== undefined && { repeated: extraction.repeated }),
      ...(extraction?.notes !== undefined && extraction.notes.length > 0 && { notes: extraction.notes }),
    },
    ...(outcome.kind === 'unmodified' && { unmodified: true }),
    ...spentOf(asked),
    ...taken.ops,
    ...(close !== undefined && { close }),
  };
}

function failureOf(
  { code, message, excerpt }: Extract<StepOutcome, { kind: 'failed' }>['failure'],
  cause: string | undefined,
): Failure {
  return {
    code,
    message,
    ...(cause !== undefined && { cause }),
    ...(excerpt !== undefined && { excerpt: excerpt.slice(0, excerptLength) }),
  };
}

/** By what a page that was read can be asked for again, if the site says how. */
export function copyOf(url: string, outcome: StepOutcome, version: string): PageCopy | undefined {
  if (outcome.kind !== 'read' && outcome.kind !== 'unmodified') return undefined;
  const { validators, at: observedAt } = outcome;
  return validators && { url, version, observedAt, ...validators };
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
async function askAgain(
  wish: Wish,
  { after, endsBy }: Retry,
  { clock, ask }: VisitContext,
  signal: AbortSignal,
): Promise<Asked> {
  const { within } = wish;
  const late = new AbortController();
  const timer = clock.at(clock.monotonic() + Math.max(0, endsBy - clock.now()), () => late.abort());
  const inTime: Within = (run, both) => {
    clock.cancel(timer);
    return within === undefined ? run(both) : within(run, both);
  };
  try {
    return await ask({ ...wish, within: inTime }, AbortSignal.any([signal, late.signal]));
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

/** What a source's definition lets a visit spend. */
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
