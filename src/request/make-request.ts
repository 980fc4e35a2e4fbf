import { unsentFailures, unsentResult } from './failure.ts';
import { loginUrls } from '../definition/auth.ts';
import type { Source } from '../definition/source.ts';
import type { StepFailure, StepOutcome } from '../engine/step.ts';
import { gaveNothing } from '../extract/extract.ts';
import { networkCodes, triage, type Trouble } from '../fetch/triage.ts';
import { unlessAborted } from '../fetch/abort.ts';
import type { SessionDesk, StepHeaders } from '../session/desk.ts';
import { defined } from '../defined.ts';
import type { Circuits } from './gate.ts';
import type { MakeRequest, RequestIntent, RequestResult, SessionHeaders } from './intent.ts';
import type { RequestPorts } from './ports.ts';
import type { Robots } from './robots.ts';
import { withoutSentCredentials } from './sent-credentials.ts';
import type { Sessions } from './sessions.ts';
import type { ExchangeInTurn } from './turn.ts';

/** The credentials of a request while no actor keeps the session of its source. */
const noCredentials: StepHeaders = { headers: {}, generation: 0 };

/** Creates the function that makes requests, in the order that `createRequests` tells. The result is reported to the session. */
export function createMakeRequest(
  {
    clock,
    circuits,
    sources,
    rows,
  }: Pick<RequestPorts, 'clock'> & {
    readonly circuits: Pick<Circuits, 'of'>;
    readonly sources: Pick<RequestPorts['sources'], 'session' | 'authenticate'>;
    readonly rows: Pick<RequestPorts['rows'], 'hasClosed'>;
  },
  {
    robots,
    sessions,
    exchange,
  }: {
    readonly robots: Pick<Robots, 'prepare' | 'mayAsk' | 'crawlDelayMs' | 'grantCheck'>;
    readonly sessions: Pick<Sessions, 'deskOf'>;
    readonly exchange: ExchangeInTurn;
  },
): MakeRequest {
  return async (intent, signal) => {
    intent.waits?.(true);
    try {
      return await makeRequest(intent, signal);
    } finally {
      intent.waits?.(false);
    }
  };

  async function makeRequest(intent: RequestIntent, signal: AbortSignal): Promise<RequestResult> {
    const { source } = intent;
    const { url } = intent.step.request;
    const openCircuit = intent.unlessOpen === true ? await circuitFailure(source) : undefined;
    if (openCircuit !== undefined) return unsent(openCircuit);
    const preparing = robots.prepare(source, url, signal);
    // The request of robots.txt takes a turn of the same host.
    if (preparing !== undefined) intent.first?.giveBack();
    const verdict = await (preparing ?? robots.mayAsk(source, url, signal));
    if (verdict !== 'allowed') return unsent(verdict);
    const session = readySession(intent) ?? (await unlessAborted(sessionFor(intent), signal));
    if ('code' in session) return unsent(session);
    let { desk } = session;
    let sent: StepHeaders = noCredentials;
    let waitedMs = 0;
    const askedAt = clock.monotonic();
    const credentials = async (): Promise<SessionHeaders> => {
      // The definition may have changed while the request waited, and the session with it.
      if (desk?.isClosed === true) desk = (await unlessAborted(sources.session(source.id), signal)) ?? desk;
      sent = desk?.headersFor(url) ?? noCredentials;
      waitedMs = clock.monotonic() - askedAt;
      intent.sends?.(sent.headers);
      return sent.headers;
    };
    const options = {
      crawlDelayMs: () => robots.crawlDelayMs(source, url),
      credentials,
      ...defined({ check: robots.grantCheck(source, url) }),
    };
    const answer = await exchange(intent, options, signal);
    if ('refused' in answer) return unsent(answer.refused);
    const { headers, generation } = sent;
    desk?.keepCookies(url, answer.setCookies ?? [], generation);
    const { outcome, trouble } = cutOff(intent, answer) ?? judged(url, answer, source);
    // A request without credentials, or one that is redirected, says nothing of the log-in.
    const hasWorked = Object.keys(headers).length > 0 && (outcome.kind === 'read' || outcome.kind === 'unmodified');
    if (hasWorked) await desk?.succeeded(generation);
    return {
      outcome: withoutSentCredentials(outcome, headers),
      generation,
      wasAsked: outcome.kind !== 'failed' || !unsentFailures.has(outcome.failure.code),
      waitedMs,
      sessionHeaders: Object.keys(headers),
      ...defined({ trouble }),
    };
  }

  /** The failure of a page that ends within an element, as it never did before; else `undefined`. */
  function cutOff({ target, step }: RequestIntent, outcome: StepOutcome): Judged | undefined {
    const endsIn = endOf(outcome);
    if (target === undefined || endsIn === undefined || !rows.hasClosed(target, step.request.url)) return undefined;
    const { at, elapsedMs, bytes, status, kept } = outcome;
    const message = `cut short: the page ends within <${endsIn}>`;
    const exchange = { at, elapsedMs, bytes, ...defined({ status, kept }) };
    const failure = { code: 'truncated', message };
    return { outcome: { ...exchange, kind: 'failed', failure }, trouble: { cause: 'network', message } };
  }

  /** The failure of a request whose source is left alone, as its circuit lets no target through; else `undefined`. */
  async function circuitFailure({ id }: Source): Promise<StepFailure | undefined> {
    const circuit = await circuits.of(id);
    if (circuit === undefined || circuit.state === 'closed') return undefined;
    if (circuit.state !== 'open' && circuit.nextAt === undefined) return undefined;
    return { code: 'circuit_open', message: `most targets of source "${id}" fail, so that it is left alone for now` };
  }

  /** The session of a source that is open and ready, without a question to its actor; `undefined` where the actor has to be asked. */
  function readySession({ source, stale }: RequestIntent): OpenSession | undefined {
    const desk = stale === undefined ? sessions.deskOf(source.id) : undefined;
    return desk?.condition().code === 'ready' ? { desk } : undefined;
  }

  /** The session of a source, logged in if need be; or why it cannot be. */
  async function sessionFor({ source, stale, first }: RequestIntent): Promise<OpenSession | StepFailure> {
    const desk = await sources.session(source.id);
    if (desk === undefined) return sessionWithout(source);
    const condition = desk.condition();
    if (condition.code === 'login_attempts') return condition;
    // A missing secret is looked up again, since a person may have added it meanwhile.
    if (condition.code === 'ready' && stale === undefined) return { desk };
    // So does the request of a log-in.
    first?.giveBack();
    const authenticated = await sources.authenticate(source.id, stale ?? desk.headersFor('').generation);
    if (authenticated === undefined) return sessionWithout(source);
    return authenticated.ok ? { desk } : authenticated.failure;
  }

  function unsent(failure: StepFailure): RequestResult {
    const { code, message, retryAfterMs } = failure;
    const result = unsentResult(failure, clock.now());
    // The site fails, or its robots.txt does; all else is of the daemon or a definition.
    if (code !== 'robots_unreachable' && !networkCodes.has(code)) return result;
    return { ...result, trouble: { cause: 'network', message, ...defined({ retryAfterMs }) } };
  }
}

/** The session of a request; `desk` is `undefined` where the source has no log-in and no actor keeps a session. */
interface OpenSession {
  readonly desk: SessionDesk | undefined;
}

function sessionWithout({ id, auth }: Source): OpenSession | StepFailure {
  if (auth === undefined) return { desk: undefined };
  return { code: 'not_initialised', message: `the actor of source "${id}", which keeps its session, does not run` };
}

/** The element in which a page ends that was read, or that gave no record; `undefined` where it ends in none. */
function endOf(outcome: StepOutcome): string | undefined {
  if (outcome.kind === 'read') return outcome.extraction.endsIn;
  return outcome.kind === 'failed' && outcome.failure.code === 'no_record' ? outcome.failure.endsIn : undefined;
}

/** An outcome, and what is wrong with it. */
interface Judged {
  readonly outcome: StepOutcome;
  readonly trouble?: Trouble | undefined;
}

/**
 * An outcome with its trouble, as triage finds it. A page from which records were read has no trouble, whatever else stands on it. A page
 * without records may be a challenge or a log-in form in place of the requested page; then the outcome is turned into a failure.
 */
function judged(from: string, outcome: StepOutcome, { auth }: Source): Judged {
  const { status, signs } = outcome;
  const login = auth && { urls: loginUrls(auth), expiredStatus: auth.expiredStatus };
  const symptoms = defined({ status, headers: signs });
  if (outcome.kind === 'redirect')
    return { outcome, trouble: triage({ ...symptoms, from, url: outcome.location }, login) };
  if (outcome.kind === 'failed') {
    const { failure } = outcome;
    const found = failure.excerpt === undefined ? symptoms : { ...symptoms, excerpt: failure.excerpt };
    const trouble = triage({ ...found, failure, at: from }, login);
    if (failure.code !== 'no_record' || trouble?.cause !== 'login_expired') return { outcome, trouble };
    // What was expected on the page says nothing of a log-in in its place.
    return {
      outcome: { ...outcome, failure: { ...failure, code: 'login_required', message: trouble.message } },
      trouble,
    };
  }
  if (outcome.kind !== 'read' || outcome.excerpt === undefined) return { outcome };
  const { kind, extraction, validators, nextLink, excerpt, ...exchange } = outcome;
  // A page with links is a challenge only by its known signs, not by the words of its text.
  const { text } = excerpt;
  const seen = { ...symptoms, excerpt: text };
  const trouble = triage(gaveNothing(extraction) ? { ...seen, empty: excerpt } : seen, login);
  if (trouble !== undefined) {
    const failure = { code: trouble.cause, message: trouble.message, excerpt: text };
    return { outcome: { ...exchange, kind: 'failed', failure }, trouble };
  }
  return { outcome: { ...exchange, kind, extraction, ...defined({ validators, nextLink }) } };
}
