import { CallError } from '../actor/errors.ts';
import type { Ref } from '../actor/types.ts';
import { loginUrls } from '../definition/auth.ts';
import type { Source } from '../definition/source.ts';
import type { StepFailure, StepOutcome } from '../engine/step.ts';
import { unlessAborted } from '../fetch/unless-aborted.ts';
import { triage, type Trouble } from '../fetch/triage.ts';
import type { CircuitView } from '../fetch/circuit-book.ts';
import { type Ask, type Asked, unaskedFailures, type Wish } from '../scrape/ask.ts';
import type { Authenticated, SessionDesk } from '../session/desk.ts';
import type { SourceMessage } from '../../workers/source.ts';
import { createTurns, type SessionHeaders, type TurnsDeps } from './turns.ts';

/** How requests of every kind are made: robots.txt, session and host agree to each, and learn what came of it. */
export interface Asking {
  readonly ask: Ask;
  /** One exchange under its turn, for which nothing but the host is asked: robots.txt and log-ins. */
  exchange(wish: Wish, signal: AbortSignal): Promise<StepOutcome>;
}

/** What a source is asked with while no actor keeps its session. */
const noSession = { headers: {}, generation: 0 };

export function createAsking(deps: TurnsDeps): Asking {
  const { clock, names, robots } = deps;
  const turns = createTurns(deps);
  return { ask, exchange };

  async function exchange(wish: Wish, signal: AbortSignal): Promise<StepOutcome> {
    const outcome = await turns.run(wish, { credentials: () => noSession.headers, robots: 'ignore' }, signal);
    if ('refused' in outcome) throw new Error(`${wish.step.request.url}: robots.txt had no say in it, and refused it`);
    return outcome;
  }

  async function ask(wish: Wish, signal: AbortSignal): Promise<Asked> {
    wish.waits?.(true);
    try {
      return await askInTurn(wish, signal);
    } finally {
      wish.waits?.(false);
    }
  }

  async function askInTurn(wish: Wish, signal: AbortSignal): Promise<Asked> {
    const { step, source } = wish;
    const { url } = step.request;
    const held = wish.unlessOpen === true ? await circuitHold(source) : undefined;
    if (held !== undefined) return unasked(held);
    const verdict = await robots.mayAsk(source, url, signal);
    if (verdict !== 'allowed') return unasked(verdict);
    const session = await sessionFor(wish, signal);
    if ('code' in session) return unasked(session);
    const { desk } = session;
    let generation = 0;
    let waitedMs = 0;
    let sessionHeaders: readonly string[] = [];
    const askedAt = clock.monotonic();
    const credentials = (): SessionHeaders => {
      const given = desk?.headersFor(url) ?? noSession;
      generation = given.generation;
      sessionHeaders = Object.keys(given.headers);
      waitedMs = clock.monotonic() - askedAt;
      wish.sends?.(given.headers);
      return given.headers;
    };
    const outcome = await turns.run(wish, { credentials, robots: 'obey' }, signal);
    if ('refused' in outcome) return unasked(outcome.refused);
    desk?.took(url, outcome.setCookies ?? [], generation);
    const trouble = troubleOf(url, outcome, source);
    // What was asked with old credentials, or leads elsewhere, says nothing of the log-in.
    if (session.isNew && (outcome.kind === 'read' || outcome.kind === 'unmodified')) await desk?.succeeded(generation);
    const wasAsked = outcome.kind !== 'failed' || !unaskedFailures.has(outcome.failure.code);
    const asked = { outcome, generation, wasAsked, waitedMs, sessionHeaders };
    return trouble === undefined ? asked : { ...asked, trouble };
  }

  /** Why a source is left alone, if it is. */
  async function circuitHold({ id }: Source): Promise<StepFailure | undefined> {
    const view = await names.hosts
      .via('hosts')
      .ask<CircuitView | undefined>((reply) => ({ type: 'circuit', source: id, reply }), Infinity);
    if (view === undefined || view.state === 'closed') return undefined;
    if (view.state !== 'open' && view.nextAt === undefined) return undefined;
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

  function unasked(failure: StepFailure): Asked {
    const { code, message, retryAfterMs } = failure;
    const outcome: StepOutcome = { kind: 'failed', failure, at: clock.now(), elapsedMs: 0, bytes: 0 };
    const asked = { outcome, generation: 0, wasAsked: false, waitedMs: 0 };
    if (code !== 'robots_unreachable') return asked;
    return { ...asked, trouble: { cause: 'network', message, ...(retryAfterMs !== undefined && { retryAfterMs }) } };
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

/** What could be read has nothing wrong with it, whatever else stands on the page. */
function troubleOf(from: string, outcome: StepOutcome, { auth }: Source): Trouble | undefined {
  const { status, signs } = outcome;
  const login = auth && { urls: loginUrls(auth), expiredStatus: auth.expiredStatus };
  const symptoms = { ...(status !== undefined && { status }), ...(signs !== undefined && { headers: signs }) };
  if (outcome.kind === 'redirect') return triage({ ...symptoms, from, url: outcome.location }, login);
  if (outcome.kind !== 'failed') return undefined;
  const { failure } = outcome;
  const { excerpt } = failure;
  return triage({ ...symptoms, failure, ...(excerpt !== undefined && { excerpt }) }, login);
}
