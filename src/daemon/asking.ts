import { loginUrls } from '../definition/auth.ts';
import { politenessKey, type Source } from '../definition/source.ts';
import type { Clock } from '../clock.ts';
import type { Step, StepOutcome } from '../engine/step.ts';
import { turnMs } from '../fetch/out-turns.ts';
import type { Policy } from '../fetch/policy.ts';
import { describeRefusal } from '../fetch/robots/entry.ts';
import { triage, type Trouble } from '../fetch/triage.ts';
import { turnOutcome } from '../fetch/turn-outcome.ts';
import type { Ask, Asked, Wish } from '../scrape/ask.ts';
import type { Authenticated, SessionDesk } from '../session/desk.ts';
import type { Names } from '../../supervisors/names.ts';
import { takeTurn } from '../../workers/hosts.ts';
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
    const verdict = await robots.mayAsk(source, url, signal);
    if (verdict !== 'allowed') {
      const { code } = verdict.refused;
      return unasked(code === 'disallowed' ? 'robots_disallowed' : code, describeRefusal(verdict.refused));
    }
    const session = await sessionFor(wish);
    if ('code' in session) return unasked(session.code, session.message);
    const { desk } = session;
    // Taken when the turn has come: others may have logged in meanwhile.
    const credentials = (): typeof noSession => desk?.headersFor(url) ?? noSession;
    let generation = 0;
    let waitedMs = 0;
    const askedAt = clock.monotonic();
    const outcome = await underTurn(
      wish,
      () => {
        const given = credentials();
        generation = given.generation;
        waitedMs = clock.monotonic() - askedAt;
        return given.headers;
      },
      signal,
    );
    desk?.took(url, outcome.setCookies ?? [], generation);
    const trouble = troubleOf(outcome, source);
    if (trouble === undefined) await desk?.succeeded(generation);
    return { outcome, generation, wasAsked: true, waitedMs, ...(trouble !== undefined && { trouble }) };
  }

  /** The desk of the source's session, logged in if need be; or why it cannot be. */
  async function sessionFor({
    source,
    stale,
  }: Wish): Promise<{ readonly desk: SessionDesk | undefined } | { readonly code: string; readonly message: string }> {
    const actor = names.sources.whereis(source.id);
    if (actor === undefined) {
      return source.auth === undefined
        ? { desk: undefined }
        : {
            code: 'not_initialised',
            message: `the actor of source "${source.id}", which keeps its session, does not run`,
          };
    }
    const desk = await actor.ask<SessionDesk>((reply) => ({ type: 'session', reply }), Infinity);
    const condition = desk.condition();
    if ('message' in condition) return condition;
    if (condition.code === 'ready' && stale === undefined) return { desk };
    const of = stale ?? desk.headersFor('').generation;
    const authenticated = await actor.ask<Authenticated>(
      (reply) => ({ type: 'authenticate', stale: of, reply }),
      Infinity,
    );
    return authenticated.ok ? { desk } : authenticated.failure;
  }

  async function underTurn(
    { step, source, dueAt, within = (run, signal) => run(signal) }: Wish,
    credentials: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>),
    signal: AbortSignal,
  ): Promise<StepOutcome> {
    const { url } = step.request;
    const through = await proxyOf(source);
    if ('missing' in through) return failedOutcome('not_initialised', through.missing);
    const wish = {
      key: politenessKey(source, url),
      policy: policyOf(source, robots.crawlDelayMs(source, url)),
      dueAt,
      source: source.id,
      sentMs: turnMs(source.limits.total),
    };
    const turn = await takeTurn(names.hosts.via('hosts'), wish, signal);
    let outcome: StepOutcome | undefined;
    try {
      const headers = typeof credentials === 'function' ? credentials() : credentials;
      const request = { ...step.request, ...through, headers: headersOf(source, step, headers), onlyLoopback };
      outcome = await within((limited) => runStep({ ...step, request }, limited, () => turn.sent()), signal);
      return outcome;
    } finally {
      turn.done(outcome === undefined ? { kind: 'unused' } : turnOutcomeOf(outcome));
    }
  }

  function unasked(code: string, message: string): Asked {
    return { outcome: failedOutcome(code, message), generation: 0, wasAsked: false, waitedMs: 0 };
  }

  function failedOutcome(code: string, message: string): StepOutcome {
    return { kind: 'failed', failure: { code, message }, at: clock.now(), elapsedMs: 0, bytes: 0 };
  }
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
