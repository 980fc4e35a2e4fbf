import { CallError } from '../actor/errors.ts';
import type { Ref } from '../actor/types.ts';
import { loginUrls } from '../definition/auth.ts';
import type { Source } from '../definition/source.ts';
import type { StepFailure, StepOutcome } from '../engine/step.ts';
import { gaveNothing } from '../extract/extract.ts';
import { unlessAborted } from '../fetch/unless-aborted.ts';
import { triage, type Trouble } from '../fetch/triage.ts';
import type { CircuitView } from '../fetch/circuit-book.ts';
import { type Ask, type Asked, unaskedFailures, type Wish } from '../scrape/ask.ts';
import type { Authenticated, SessionDesk } from '../session/desk.ts';
import type { SourceMessage } from '../../workers/source.ts';
import { withoutCredentials } from './credentials.ts';
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
    let { desk } = session;
    let generation = 0;
    let waitedMs = 0;
    let sent: SessionHeaders = {};
    const askedAt = clock.monotonic();
    const credentials = async (): Promise<SessionHeaders> => {
      if (desk?.isClosed === true) desk = (await deskNow(source, signal)) ?? desk;
      const given = desk?.headersFor(url) ?? noSession;
      generation = given.generation;
      sent = given.headers;
      waitedMs = clock.monotonic() - askedAt;
      wish.sends?.(given.headers);
      return given.headers;
    };
    const came = await turns.run(wish, { credentials, robots: 'obey' }, signal);
    if ('refused' in came) return unasked(came.refused);
    desk?.took(url, came.setCookies ?? [], generation);
    const { outcome, trouble } = judged(url, came, source);
    // What went without credentials, or leads elsewhere, says nothing of the log-in.
    const hasWorked = Object.keys(sent).length > 0 && (outcome.kind === 'read' || outcome.kind === 'unmodified');
    if (hasWorked) await desk?.succeeded(generation);
    const wasAsked = outcome.kind !== 'failed' || !unaskedFailures.has(outcome.failure.code);
    const told = withoutCredentials(outcome, sent);
    const asked = { outcome: told, generation, wasAsked, waitedMs, sessionHeaders: Object.keys(sent) };
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
      if (isEnd(error)) return sessionWithout(source);
      throw error;
    }
  }

  /** The desk that has taken the place of another while a request waited; nothing while there is none. */
  async function deskNow({ id }: Source, signal: AbortSignal): Promise<SessionDesk | undefined> {
    const actor = names.sources.whereis(id);
    if (actor === undefined) return undefined;
    try {
      const asked = actor.ask<SessionDesk>((reply) => ({ type: 'session', reply }), Infinity);
      return await unlessAborted(asked, signal);
    } catch (error) {
      if (isEnd(error)) return undefined;
      throw error;
    }
  }

  async function sessionOf(actor: Ref<SourceMessage>, { stale }: Wish): Promise<OpenSession | StepFailure> {
    const desk = await actor.ask<SessionDesk>((reply) => ({ type: 'session', reply }), Infinity);
    const condition = desk.condition();
    if (condition.code === 'login_attempts') return condition;
    // A secret that is missing is looked for again: somebody may have put it there.
    if (condition.code === 'ready' && stale === undefined) return { desk };
    const of = stale ?? desk.headersFor('').generation;
    const authenticated = await actor.ask<Authenticated>(
      (reply) => ({ type: 'authenticate', stale: of, reply }),
      Infinity,
    );
    return authenticated.ok ? { desk } : authenticated.failure;
  }

  function unasked(failure: StepFailure): Asked {
    const { code, message, retryAfterMs } = failure;
    const outcome: StepOutcome = { kind: 'failed', failure, at: clock.now(), elapsedMs: 0, bytes: 0 };
    const asked = { outcome, generation: 0, wasAsked: false, waitedMs: 0 };
    if (code !== 'robots_unreachable') return asked;
    return { ...asked, trouble: { cause: 'network', message, ...(retryAfterMs !== undefined && { retryAfterMs }) } };
  }
}

function isEnd(error: unknown): boolean {
  return error instanceof CallError && (error.code === 'ended' || error.code === 'noproc');
}

/** The desk to ask with; nothing where no credentials are needed and no actor keeps any. */
interface OpenSession {
  readonly desk: SessionDesk | undefined;
}

function sessionWithout({ id, auth }: Source): OpenSession | StepFailure {
  if (auth === undefined) return { desk: undefined };
  return { code: 'not_initialised', message: `the actor of source "${id}", which keeps its session, does not run` };
}

/**
 * An outcome, with what is wrong with it. What could be read has nothing wrong with it, whatever else stands on the page; but
 * what gave nothing may have come in place of the page, and then it is a failure.
 */
function judged(
  from: string,
  outcome: StepOutcome,
  { auth }: Source,
): { readonly outcome: StepOutcome; readonly trouble?: Trouble | undefined } {
  const { status, signs } = outcome;
  const login = auth && { urls: loginUrls(auth), expiredStatus: auth.expiredStatus };
  const symptoms = { ...(status !== undefined && { status }), ...(signs !== undefined && { headers: signs }) };
  if (outcome.kind === 'redirect')
    return { outcome, trouble: triage({ ...symptoms, from, url: outcome.location }, login) };
  if (outcome.kind === 'failed') {
    const { failure } = outcome;
    const { excerpt } = failure;
    return { outcome, trouble: triage({ ...symptoms, failure, ...(excerpt !== undefined && { excerpt }) }, login) };
  }
  if (outcome.kind !== 'read' || outcome.excerpt === undefined) return { outcome };
  const { kind, extraction, validators, nextLink, excerpt, ...exchange } = outcome;
  // A page that leads on has to be a known challenge: what its words are about says nothing.
  const { text } = excerpt;
  const trouble = triage({ ...symptoms, excerpt: text, ...(gaveNothing(extraction) && { empty: excerpt }) }, login);
  if (trouble !== undefined) {
    const failure = { code: trouble.cause, message: trouble.message, excerpt: text };
    return { outcome: { ...exchange, kind: 'failed', failure }, trouble };
  }
  const ways = { ...(validators && { validators }), ...(nextLink !== undefined && { nextLink }) };
  return { outcome: { ...exchange, kind, extraction, ...ways } };
}
