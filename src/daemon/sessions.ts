import type { Clock } from '../clock.ts';
import type { Source } from '../definition/source.ts';
import type { StepOutcome } from '../engine/step.ts';
import { decodeBody } from '../extract/charset.ts';
import { knownChallenge, maxAnswerUnits } from '../fetch/challenge.ts';
import type { Proxy } from '../fetch/request.ts';
import { requestOf } from '../provider/requests.ts';
import { type DeskCondition, type LoginAsk, SessionDesk } from '../session/desk.ts';
import { readKey } from '../session/key-file.ts';
import { type LoginOutcome, textOf } from '../session/login.ts';
import { type LoginReading, nothingRead, readLogin } from '../session/read-login.ts';
import { type Sealer, sealerWith } from '../session/seal.ts';
import type { FindSecrets } from '../session/secret-store.ts';
import type { PluginLogin } from '../session/plugin-login.ts';
import type { Asking } from './asking.ts';
import { isPlugged, type PluggedSource } from './plugins.ts';
import type { DaemonState } from './state.ts';

/** Secrets of proxies are wanted by each request, and looked at again after so long. */
const proxySecretsServeMs = 10_000;

/** The secrets of no more are remembered. */
const mostProxies = 1_000;

/** Every request of the source that waits would be refused without the log-in. */
const firstInLine = 0;

export interface SessionsDeps {
  readonly clock: Clock;
  readonly state: Pick<DaemonState, 'store' | 'catalogue' | 'unlessFull'>;
  /** The data folder, which holds the key that sessions are sealed with. */
  readonly data: string;
  readonly findSecrets: FindSecrets;
  /** Makes one exchange under a turn. */
  exchange: Asking['exchange'];
  /** Has a source's plug-in log in. */
  authenticate(loaded: PluggedSource, signal: AbortSignal): Promise<PluginLogin>;
  warn(message: string): void;
}

/** What sources are asked with besides their definitions. */
export interface Sessions {
  /** The desk of a source's session, for its actor to own; log-ins end with the signal. */
  open(source: string, signal: AbortSignal): Promise<SessionDesk>;
  /** Whether a source can be asked, as far as its session goes; unknown while no actor keeps that. */
  conditionOf(source: string): DeskCondition | undefined;
  /** The proxy of a source, or why it cannot be used. */
  proxyOf(source: Source): Promise<FoundProxy>;
}

type FoundProxy = { readonly proxy?: Proxy } | { readonly missing: string };

export function createSessions({
  clock,
  state,
  data,
  findSecrets,
  exchange,
  authenticate,
  warn,
}: SessionsDeps): Sessions {
  let sealer: Promise<Sealer> | undefined;
  /** For people to look at; each goes with the life that it was opened for. */
  const desks = new Map<string, SessionDesk>();
  /** What was found last, by what it was found for: one for each way of writing a proxy. */
  const proxies = new Map<string, { readonly at: number; readonly found: Promise<FoundProxy> }>();

  return {
    async open(id, signal) {
      const source = state.catalogue().sources.get(id)?.source ?? { id };
      const desk = await SessionDesk.open(source, {
        clock,
        sealer: await openSealer(),
        findSecrets,
        load: () => state.store().sessions.get(id),
        async save(sealed) {
          const { write, sessions } = state.store();
          await state.unlessFull(() => write(() => sessions.put(id, sealed), { durable: true }));
        },
        ask: (ask) => askLogin(id, ask, signal),
        authenticate: () => loginByPlugin(id, signal),
        warn,
      });
      show(id, desk, signal);
      return desk;
    },

    conditionOf: (id) => desks.get(id)?.condition(),

    async proxyOf({ proxy }) {
      if (proxy === undefined) return {};
      if (proxy.user === undefined && proxy.password === undefined) return { proxy: { url: proxy.url } };
      const asked = JSON.stringify(proxy);
      const known = proxies.get(asked);
      if (known !== undefined && clock.monotonic() - known.at < proxySecretsServeMs) return known.found;
      const found = findProxy(proxy);
      remember(asked, found);
      return found;
    },
  };

  async function loginByPlugin(id: string, signal: AbortSignal): Promise<PluginLogin> {
    const loaded = state.catalogue().sources.get(id);
    return loaded !== undefined && isPlugged(loaded)
      ? authenticate(loaded, signal)
      : { ok: false, message: `source "${id}" is no longer loaded with a plug-in` };
  }

  async function findProxy({ url, user, password }: NonNullable<Source['proxy']>): Promise<FoundProxy> {
    const names = [user, password].flatMap((given) => (typeof given === 'object' ? [given.secret] : []));
    const found = await findSecrets(names);
    if (!found.ok) return { missing: found.message };
    const text = (given: typeof user): string => (given === undefined ? '' : textOf(given, found.secrets));
    const credentials = Buffer.from(`${text(user)}:${text(password)}`).toString('base64');
    return { proxy: { url, authorization: `Basic ${credentials}` } };
  }

  function remember(asked: string, found: Promise<FoundProxy>): void {
    proxies.delete(asked);
    const [oldest] = proxies.keys();
    if (oldest !== undefined && proxies.size >= mostProxies) proxies.delete(oldest);
    proxies.set(asked, { at: clock.monotonic(), found });
    found.catch(() => proxies.delete(asked));
  }

  /** One for all; a key that could not be read may be right the next time. */
  function openSealer(): Promise<Sealer> {
    sealer ??= readKey(data)
      .then(sealerWith)
      .catch((error: unknown) => {
        sealer = undefined;
        throw error;
      });
    return sealer;
  }

  function show(id: string, desk: SessionDesk, signal: AbortSignal): void {
    if (signal.aborted) return;
    desks.set(id, desk);
    const hide = (): void => void (desks.get(id) === desk && desks.delete(id));
    signal.addEventListener('abort', hide, { once: true });
  }

  async function askLogin(id: string, { request, reading }: LoginAsk, signal: AbortSignal): Promise<LoginOutcome> {
    const source = state.catalogue().sources.get(id)?.source;
    if (source === undefined) return { kind: 'failed', message: `source "${id}" is no longer loaded` };
    const { limits, allowPrivate } = requestOf(source, request.url);
    const { url, method, headers, body } = request;
    const step = {
      request: { url, method, headers, limits, allowPrivate, ...(body && { body: { text: body.reveal() } }) },
    };
    const outcome = await exchange({ step, source, dueAt: firstInLine }, signal);
    signal.throwIfAborted();
    return loginOutcome(url, outcome, reading);
  }
}

/** A status of any kind is an answer; what was not answered has failed. */
async function loginOutcome(url: string, outcome: StepOutcome, reading: LoginReading): Promise<LoginOutcome> {
  const { status, at, signs, setCookies = [] } = outcome;
  const answered = { kind: 'answered', url, status: status ?? 0, setCookies, at } as const;
  const challengeIn = (excerpt = ''): { readonly challenge?: string | undefined } => ({
    challenge: knownChallenge({ ...(signs && { headers: signs }), excerpt }),
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
