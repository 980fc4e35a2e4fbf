import { isPlugged } from '../definition/catalogue.ts';
import type { Source } from '../definition/source.ts';
import type { StepOutcome } from '../engine/step.ts';
import { decodeBody } from '../extract/decode.ts';
import { knownChallenge, maxAnswerUnits } from '../fetch/challenge.ts';
import { requestOf } from '../provider/requests.ts';
import { type DeskCondition, type LoginAsk, SessionDesk } from '../session/desk.ts';
import type { LoginOutcome } from '../session/login.ts';
import { type LoginReading, nothingRead, readLogin } from '../session/read-login.ts';
import type { PluginLogin } from '../session/start-login.ts';
import { readKey, type Sealer, sealerWith } from '../session/seal.ts';
import { defined } from '../defined.ts';
import { firstInLine } from './intent.ts';
import { loginFetch } from './plugin-fetch.ts';
import type { RequestPorts } from './ports.ts';
import type { Robots } from './robots.ts';

/** The sessions of sources: cookies, tokens and log-ins. */
export interface Sessions {
  /**
   * Opens the desk of a source's session, for the source's actor to own. Its log-ins end when the signal fires. Rejects when the key file
   * or a secret's place cannot be read.
   */
  open(source: string, signal: AbortSignal): Promise<SessionDesk>;
  /** The condition of a source's session: ready, or why no request can be made with it; `undefined` while no actor keeps the session. */
  conditionOf(source: string): DeskCondition | undefined;
  /** The desk of a source's session; `undefined` while no actor keeps one, or while its actor replaces it. */
  deskOf(source: string): SessionDesk | undefined;
  /** Logs in to a source that needs it; `undefined` where no log-in is needed, or none is possible. Rejects when the session cannot be saved. */
  prepare(source: Source): Promise<unknown> | undefined;
}

/** Creates the sessions of all sources; none is opened yet. `exchange` makes the requests of their log-ins. */
export function createSessions(
  { clock, sources, secrets, rows, daemon }: Pick<RequestPorts, 'clock' | 'sources' | 'secrets' | 'rows' | 'daemon'>,
  exchange: Robots['exchange'],
): Sessions {
  let sealer: Promise<Sealer> | undefined;
  /** The open desks by source; a desk is removed when the life that opened it ends, or when it is to be replaced. */
  const desks = new Map<string, SessionDesk>();

  return {
    async open(id, signal) {
      const desk = await SessionDesk.open(sources.loaded(id)?.source ?? { id }, {
        clock,
        sealer: await openSealer(),
        findSecrets: secrets.find,
        load: () => rows.sessions.load(id),
        save: (sealed) => rows.sessions.save(id, sealed),
        ask: (ask) => askLogin(id, ask, signal),
        authenticate: () => authenticate(id, signal),
        warn: (message) => daemon.warn(message),
      });
      keep(id, desk, signal);
      return desk;
    },
    conditionOf: (id) => desks.get(id)?.condition(),
    deskOf: (id) => desks.get(id),
    prepare({ id, auth }) {
      const desk = auth === undefined ? undefined : desks.get(id);
      if (desk?.condition().code !== 'login_needed') return undefined;
      return sources.authenticate(id, desk.headersFor('').generation);
    },
  };

  async function authenticate(id: string, signal: AbortSignal): Promise<PluginLogin> {
    const loaded = sources.loaded(id);
    return loaded !== undefined && isPlugged(loaded)
      ? sources.loginByPlugin(loaded, loginFetch(loaded.source, exchange), signal)
      : { ok: false, message: `source "${id}" is no longer loaded with a plug-in` };
  }

  /** Opens the sealer that all sessions share. If its key cannot be read, the next call reads it again. */
  function openSealer(): Promise<Sealer> {
    sealer ??= readKey(daemon.data)
      .then(sealerWith)
      .catch((error: unknown) => {
        sealer = undefined;
        throw error;
      });
    return sealer;
  }

  /** Keeps a desk until the signal fires. */
  function keep(id: string, desk: SessionDesk, signal: AbortSignal): void {
    if (signal.aborted) return;
    desks.set(id, desk);
    const drop = (): void => void (desks.get(id) === desk && desks.delete(id));
    signal.addEventListener('abort', drop, { once: true });
  }

  async function askLogin(id: string, { request, reading }: LoginAsk, signal: AbortSignal): Promise<LoginOutcome> {
    const source = sources.loaded(id)?.source;
    if (source === undefined) return { kind: 'failed', message: `source "${id}" is no longer loaded` };
    const { limits, allowPrivate } = requestOf(source, request.url);
    const { url, method, headers, body } = request;
    const text = body && { text: body.reveal() };
    const step = { request: { url, method, headers, limits, allowPrivate, ...defined({ body: text }) } };
    const outcome = await exchange({ kind: 'login', step, source, dueAt: firstInLine }, signal);
    signal.throwIfAborted();
    return loginOutcome(url, outcome, reading);
  }
}

/** A response of any status is an answer to a log-in; without a response the log-in has failed. */
async function loginOutcome(url: string, outcome: StepOutcome, reading: LoginReading): Promise<LoginOutcome> {
  const { status, at, signs, setCookies = [] } = outcome;
  const answered = { kind: 'answered', url, status: status ?? 0, setCookies, at } as const;
  const challengeIn = (excerpt = ''): { readonly challenge?: string | undefined } => ({
    challenge: knownChallenge(defined({ headers: signs, excerpt })),
  });
  if (outcome.kind === 'page') {
    const { body, headers } = outcome.page;
    const text = decodeBody(new Uint8Array(body), headers['content-type']);
    return { ...answered, ...challengeIn(text.slice(0, maxAnswerUnits)), read: await readLogin(text, reading) };
  }
  if (outcome.kind === 'redirect')
    return { ...answered, location: outcome.location, ...challengeIn(), read: nothingRead };
  if (outcome.kind === 'failed' && outcome.failure.code === 'status')
    return { ...answered, ...challengeIn(outcome.failure.excerpt), read: nothingRead };
  return { kind: 'failed', message: outcome.kind === 'failed' ? outcome.failure.message : `got "${outcome.kind}"` };
}
