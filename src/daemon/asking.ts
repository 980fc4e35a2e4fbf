import { CallError } from '../actor/errors.ts';
import type { Ref } from '../actor/types.ts';
import { loginUrls } from '../definition/auth.ts';
import { politenessKey, type Source } from '../definition/source.ts';
import type { Clock } from '../clock.ts';
import type { Step, StepFailure, StepOutcome } from '../engine/step.ts';
import { turnMs } from '../fetch/out-turns.ts';
import type { HoldUp } from '../fetch/hold.ts';
import type { Policy } from '../fetch/policy.ts';
import { unlessAborted } from '../fetch/unless-aborted.ts';
import { triage, type Trouble } from '../fetch/triage.ts';
import { turnOutcome } from '../fetch/turn-outcome.ts';
import type { Leave } from '../fetch/circuit.ts';
import type { CircuitView } from '../fetch/circuit-book.ts';
import { pause } from '../scrape/pause.ts';
import { type Ask, type Asked, unaskedFailures, type Wish } from '../scrape/ask.ts';
import type { Authenticated, SessionDesk } from '../session/desk.ts';
import type { Names } from '../../supervisors/names.ts';
import { takeTurn, type Turn } from '../../workers/take-turn.ts';
import type { SourceMessage } from '../../workers/source.ts';
import { withoutCredentials } from './credentials.ts';
import type { Robots } from './robots.ts';
import type { Sessions } from './sessions.ts';

export interface AskingDeps {
  readonly clock: Clock;
  readonly names: Names;
  readonly robots: Robots;
  proxyOf: Sessions['proxyOf'];
  /** Whether nothing but loopback may be asked, as no contact is configured. */
  readonly onlyLoopback: boolean;
  /** Runs a step on the engine. */
  runStep(step: Step, signal: AbortSignal, onSent: () => void): Promise<StepOutcome>;
}

/** How requests of every kind are made: robots.txt, session and host agree to each, and learn what came of it. */
export interface Asking {
  readonly ask: Ask;
  /** One exchange under its turn, for which nothing but the host is asked: robots.txt and log-ins. */
  exchange(wish: Wish, signal: AbortSignal): Promise<StepOutcome>;
}

/** What a source is asked with while no actor keeps its session. */
const noSession = { headers: {}, generation: 0 };

export function createAsking({ clock, names, robots, proxyOf, onlyLoopback, runStep }: AskingDeps): Asking {
  return { ask, exchange: (wish, signal) => underTurn(wish, noSession.headers, signal) };

  async function ask(wish: Wish, signal: AbortSignal): Promise<Asked> {
    const { step, source } = wish;
    const { url } = step.request;
    const held = wish.unlessOpen === true ? await circuitHold(source) : undefined;
    if (held !== undefined) return unasked(held);
    const verdict = await robots.mayAsk(source, url, signal);
    if (verdict !== 'allowed') return unasked(verdict);
    const session = await sessionFor(wish, signal);
    if ('code' in session) return unasked(session);
    const { desk } = session;
    // Taken when the turn has come: others may have logged in meanwhile.
    const credentials = (): typeof noSession => desk?.headersFor(url) ?? noSession;
    let generation = 0;
    let waitedMs = 0;
    let sessionHeaders: readonly string[] = [];
    const askedAt = clock.monotonic();
    const outcome = await underTurn(
      wish,
      () => {
        const given = credentials();
        generation = given.generation;
        sessionHeaders = Object.keys(given.headers);
        waitedMs = clock.monotonic() - askedAt;
        return given.headers;
      },
      signal,
    );
    desk?.took(url, outcome.setCookies ?? [], generation);
    const trouble = troubleOf(outcome, source);
    // What was asked with old credentials, or leads elsewhere, says nothing of the log-in.
    if (session.isNew && (outcome.kind === 'read' || outcome.kind === 'unmodified')) await desk?.succeeded(generation);
    const wasAsked = outcome.kind !== 'failed' || !unaskedFailures.has(outcome.failure.code);
    const asked = { outcome, generation, wasAsked, waitedMs, sessionHeaders };
    return trouble === undefined ? asked : { ...asked, trouble };
  }

  /** Why a source is left alone, if it is. */
  async function circuitHold({ id }: Source): Promise<StepFailure | undefined> {
    const views = await names.hosts
      .via('hosts')
      .ask<readonly CircuitView[]>((reply) => ({ type: 'circuits', reply }), Infinity);
    const view = views.find(({ source }) => source === id);
    if (view === undefined || (view.state !== 'open' && view.nextAt === undefined)) return undefined;
    return { code: 'circuit_open', message: `most targets of source "${id}" fail, so that it is left alone for now` };
  }

  /** The desk of the source's session, logged in if need be; or why it cannot be. Rejects when the signal fires first. */
  async function sessionFor(wish: Wish, signal: AbortSignal): Promise<OpenSession | StepFailure> {
    const { source } = wish;
    const actor = names.sources.whereis(source.id);
    if (actor === undefined) return sessionWithout(source);
    try {
      return await unlessAborted(sessionOf(actor, wish), signal);
    } catch (error) {
      // Its supervisor starts it anew; that is no reason for others to end.
      if (error instanceof CallError && (error.code === 'ended' || error.code === 'noproc'))
        return sessionWithout(source);
      throw error;
    }
  }

  async function sessionOf(actor: Ref<SourceMessage>, { stale }: Wish): Promise<OpenSession | StepFailure> {
    const desk = await actor.ask<SessionDesk>((reply) => ({ type: 'session', reply }), Infinity);
    const condition = desk.condition();
    if (condition.code === 'login_attempts') return condition;
    // A secret that is missing is looked for again: somebody may have put it there.
    if (condition.code === 'ready' && stale === undefined) return { desk, isNew: false };
    const of = stale ?? desk.headersFor('').generation;
    const authenticated = await actor.ask<Authenticated>(
      (reply) => ({ type: 'authenticate', stale: of, reply }),
      Infinity,
    );
    return authenticated.ok ? { desk, isNew: true } : authenticated.failure;
  }

  async function underTurn(
    { step, source, target, dueAt, within = (run, signal) => run(signal), explain }: Wish,
    credentials: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>),
    signal: AbortSignal,
  ): Promise<StepOutcome> {
    const { url } = step.request;
    const through = await proxyOf(source);
    if ('missing' in through) return failedOutcome({ code: 'not_initialised', message: through.missing });
    const wish = {
      key: politenessKey(source, url),
      policy: policyOf(source, robots.crawlDelayMs(source, url)),
      dueAt,
      source: source.id,
      sentMs: turnMs(source.limits.total),
    };
    const hosts = names.hosts.via('hosts');
    if (explain) explain(await hosts.ask<HoldUp>((reply) => ({ type: 'hold-up', ...wish, reply })));
    const turn = await turnWithLeave(wish, target, signal);
    let outcome: StepOutcome | undefined;
    try {
      const headers = typeof credentials === 'function' ? credentials() : credentials;
      const request = { ...step.request, ...through, headers: headersOf(source, step, headers), onlyLoopback };
      outcome = await within((limited) => runStep({ ...step, request }, limited, () => turn.sent()), signal);
      return told(withoutCredentials(outcome, headers));
    } finally {
      turn.done(outcome === undefined ? { kind: 'unused' } : turnOutcomeOf(outcome));
    }
  }

  /** A turn for a target that its source's circuit still lets through when it comes; one that is not goes back unused. */
  async function turnWithLeave(
    wish: Parameters<typeof takeTurn>[1] & { readonly source: string },
    target: number | undefined,
    signal: AbortSignal,
  ): Promise<Turn> {
    const hosts = names.hosts.via('hosts');
    for (;;) {
      const turn = await takeTurn(hosts, wish, signal);
      if (target === undefined) return turn;
      const { source } = wish;
      const leave = await hosts.ask<Leave>((reply) => ({ type: 'ask-leave', source, target, reply }), Infinity);
      if (leave.mayAsk) return turn;
      turn.done({ kind: 'unused' });
      await pause(clock, Math.max(1, leave.nextAt - clock.now()), signal);
    }
  }

  /** Says of what no setting of the source could allow what would. */
  function told(outcome: StepOutcome): StepOutcome {
    if (!onlyLoopback || outcome.kind !== 'failed' || outcome.failure.code !== 'refused_address') return outcome;
    const { failure } = outcome;
    const hint = 'without `bot.contact` in the configuration of the daemon, nothing but loopback is asked';
    return { ...outcome, failure: { ...failure, message: `${failure.message}; ${hint}` } };
  }

  function unasked(failure: StepFailure): Asked {
    const { code, message, retryAfterMs } = failure;
    const asked = { outcome: failedOutcome(failure), generation: 0, wasAsked: false, waitedMs: 0 };
    if (code !== 'robots_unreachable') return asked;
    return { ...asked, trouble: { cause: 'network', message, ...(retryAfterMs !== undefined && { retryAfterMs }) } };
  }

  function failedOutcome(failure: StepFailure): StepOutcome {
    return { kind: 'failed', failure, at: clock.now(), elapsedMs: 0, bytes: 0 };
  }
}

/** The desk to ask with; nothing where no credentials are needed and no actor keeps any. */
interface OpenSession {
  readonly desk: SessionDesk | undefined;
  /** Whether it was logged in to for this request. */
  readonly isNew: boolean;
}

function sessionWithout({ id, auth }: Source): OpenSession | StepFailure {
  if (auth === undefined) return { desk: undefined, isNew: false };
  return { code: 'not_initialised', message: `the actor of source "${id}", which keeps its session, does not run` };
}

function headersOf(
  { userAgent }: Source,
  { request }: Step,
  credentials: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return { ...request.headers, ...(userAgent !== undefined && { 'user-agent': userAgent }), ...credentials };
}

export function policyOf({ politeness }: Source, crawlDelayMs: number | undefined): Policy {
  const { concurrency, delay, minDelay, autoThrottle } = politeness;
  const throttle = autoThrottle && {
    startMs: autoThrottle.start,
    maxMs: autoThrottle.max,
    concurrency: autoThrottle.concurrency,
  };
  return {
    concurrency,
    delayMs: delay,
    minDelayMs: minDelay,
    ...(crawlDelayMs !== undefined && { crawlDelayMs }),
    ...(throttle !== false && { autoThrottle: throttle }),
  };
}

function turnOutcomeOf(outcome: StepOutcome): ReturnType<typeof turnOutcome> {
  const { status, elapsedMs: latencyMs } = outcome;
  const trouble = outcome.kind === 'failed' ? { ...outcome.failure, status } : undefined;
  return turnOutcome(trouble, { status, latencyMs });
}

/** What could be read has nothing wrong with it, whatever else stands on the page. */
function troubleOf(outcome: StepOutcome, { auth }: Source): Trouble | undefined {
  const { status } = outcome;
  const login = auth && { urls: loginUrls(auth), expiredStatus: auth.expiredStatus };
  if (outcome.kind === 'redirect')
    return triage({ ...(status !== undefined && { status }), url: outcome.location }, login);
  if (outcome.kind !== 'failed') return undefined;
  const { failure } = outcome;
  const { excerpt } = failure;
  return triage({ ...(status !== undefined && { status }), failure, ...(excerpt !== undefined && { excerpt }) }, login);
}
