import type { Clock } from '../clock.ts';
import { defined } from '../defined.ts';
import type { Source } from '../definition/source.ts';
import { Cookies, type SavedCookie } from './cookies.ts';
import type { SessionCredentials } from './login.ts';
import type { Sealer } from './seal.ts';
import { Secret } from './secret.ts';

/** The part of a source on which its session depends. */
export type SessionSource = Pick<Source, 'id' | 'url' | 'auth' | 'secrets'>;

/** The dependencies of a session. */
export interface SessionDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly sealer: Sealer;
  /** The sealed session of the source as last saved. */
  load(): string | undefined;
  /** Saves the sealed session. Resolves when it is durable; rejects when it cannot be written. */
  save(sealed: string): Promise<void>;
  warn(message: string): void;
}

/** A source's cookies and the state of its session. Stored sealed. */
export class Session {
  readonly #source: SessionSource;
  readonly #deps: SessionDeps;
  #state: SessionState;
  #isDirty = false;
  #hasWarned = false;
  #isClosed = false;
  /** Saves that are not written yet. */
  readonly #saves = new Set<Promise<void>>();
  cookies = new Cookies();

  /** Restores the saved session. One that cannot be opened is dropped with a warning: it costs one log-in. */
  constructor(source: SessionSource, deps: SessionDeps) {
    this.#source = source;
    this.#deps = deps;
    this.#state = newSession(this.#fingerprint([]));
    const sealed = deps.load();
    if (sealed !== undefined) this.#restore(sealed);
  }

  get state(): SessionState {
    return this.#state;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Begins a new session, without credentials, cookies and counts, if the secrets or the definition have changed. */
  belongTo(secrets: ReadonlyMap<string, Secret>): void {
    const fingerprint = this.#fingerprint(Array.from(secrets.values(), (secret) => secret.reveal()));
    if (fingerprint === this.#state.fingerprint) return;
    this.#state = newSession(fingerprint, this.#state.generation + 1);
    this.cookies = new Cookies();
  }

  /** Sets credentials that need no log-in. They are not saved. */
  useFixed(credentials: SessionCredentials): void {
    this.#state = { ...this.#state, credentials };
  }

  /** Begins to use new credentials, and saves them. Resolves with their generation; rejects as `save` does. */
  async adopt(credentials: SessionCredentials, obtainedBy: 'login' | 'refresh'): Promise<number> {
    const { fingerprint, attempts } = this.#state;
    const generation = this.#state.generation + 1;
    this.#state = { fingerprint, generation, attempts, credentials, obtainedBy, isConfirmed: false };
    await this.save();
    return generation;
  }

  /** Changes the state and saves it. Rejects as `save` does. */
  async change(change: Partial<SessionState>): Promise<void> {
    this.#state = { ...this.#state, ...change };
    await this.save();
  }

  /** Forgets failed log-ins, and saves that. Rejects as `save` does. */
  async forgiveFailures(change: Partial<SessionState> = {}): Promise<void> {
    const { failure: _, ...state } = this.#state;
    this.#state = { ...state, attempts: 0, ...change };
    await this.save();
  }

  /** Takes the cookies of an answer, into the session's or into those of a log-in under way. */
  take(url: string, setCookies: readonly string[], into = this.cookies): void {
    if (setCookies.length === 0) return;
    this.#isDirty = true;
    const dropped = into.take(url, setCookies, this.#deps.clock.now());
    if (dropped === 0 || this.#hasWarned) return;
    this.#hasWarned = true;
    this.#deps.warn(`source "${this.#source.id}": more or larger cookies than are kept; the oldest go first`);
  }

  /** Saves cookies that were taken since the last save. Rejects as `save` does. */
  async flush(): Promise<void> {
    if (this.#isDirty) await this.save();
  }

  /** Saves the session, unless it is closed. Resolves when it is durable; rejects when it cannot be written. */
  async save(): Promise<void> {
    if (this.#isClosed) return;
    this.#isDirty = false;
    const text = writeSession(this.#state, this.cookies.save(this.#deps.clock.now()));
    const saving = this.#deps.save(this.#deps.sealer.seal(text, this.#source.id));
    this.#saves.add(saving);
    await saving.finally(() => this.#saves.delete(saving));
  }

  /** Saves what is not saved yet, and nothing from then on. Resolves when all saves have ended; rejects as `save` does. */
  async close(): Promise<void> {
    const last = this.flush();
    this.#isClosed = true;
    await Promise.allSettled(this.#saves);
    await last;
  }

  #fingerprint(texts: readonly string[]): string {
    return this.#deps.sealer.fingerprint(JSON.stringify([this.#source.auth ?? null, texts]));
  }

  #restore(sealed: string): void {
    const opened = this.#deps.sealer.open(sealed, this.#source.id);
    if (opened.ok) {
      const { state, cookies } = readSession(opened.text);
      this.#state = state;
      this.cookies = new Cookies(cookies);
      return;
    }
    const why = opened.why === 'version' ? 'another version wrote it' : 'another key made it, or it was changed since';
    this.#deps.warn(`source "${this.#source.id}": the saved session is discarded: ${why}`);
  }
}

/** Why a source has no session, for people. */
export interface SessionFailure {
  readonly code: 'not_initialised' | 'login_attempts' | 'login_refused' | 'login_unreadable' | 'login_unavailable';
  readonly message: string;
}

/** The state of a session, without its cookies. */
export interface SessionState {
  /** The digest of the definition's log-in and of the secrets that the session was made with. */
  readonly fingerprint: string;
  /** The number of the credentials; raised with each new ones, over restarts too. */
  readonly generation: number;
  /** The number of log-ins since a request last worked. */
  readonly attempts: number;
  readonly credentials?: SessionCredentials;
  readonly obtainedBy?: 'login' | 'refresh';
  /** Whether a request has worked with these credentials. */
  readonly isConfirmed: boolean;
  readonly failure?: SessionFailure;
}

/** The state of a session without log-in. */
function newSession(fingerprint: string, generation = 0): SessionState {
  return { fingerprint, generation, attempts: 0, isConfirmed: false };
}

/** The session as a text to be sealed. Secrets are revealed here and in requests only. */
function writeSession({ credentials, ...state }: SessionState, cookies: readonly SavedCookie[]): string {
  return JSON.stringify({
    ...state,
    ...defined({ credentials: credentials && revealed(credentials) }),
    cookies,
  } satisfies SavedSession);
}

/** Reads the text of `writeSession`. Only called with a text whose seal was intact. */
function readSession(text: string): { readonly state: SessionState; readonly cookies: readonly SavedCookie[] } {
  const { credentials, cookies, ...state } = JSON.parse(text) as SavedSession;
  return { state: { ...state, ...defined({ credentials: credentials && hidden(credentials) }) }, cookies };
}

type HeaderCredentials = Extract<SessionCredentials, { kind: 'header' }>;
type HeadersCredentials = Extract<SessionCredentials, { kind: 'headers' }>;
type Revealed =
  | Extract<SessionCredentials, { kind: 'cookies' }>
  | (Omit<HeadersCredentials, 'headers'> & { readonly headers: Readonly<Record<string, string>> })
  | (Omit<HeaderCredentials, 'token' | 'refresh'> & { readonly token: string; readonly refresh?: string });

type SavedSession = Omit<SessionState, 'credentials'> & {
  readonly credentials?: Revealed;
  readonly cookies: readonly SavedCookie[];
};

function revealed(credentials: SessionCredentials): Revealed {
  if (credentials.kind === 'cookies') return credentials;
  if (credentials.kind === 'headers')
    return { ...credentials, headers: mapped(credentials.headers, (secret) => secret.reveal()) };
  const { token, refresh, ...rest } = credentials;
  return { ...rest, token: token.reveal(), ...defined({ refresh: refresh?.reveal() }) };
}

function hidden(credentials: Revealed): SessionCredentials {
  if (credentials.kind === 'cookies') return credentials;
  if (credentials.kind === 'headers')
    return { ...credentials, headers: mapped(credentials.headers, (text, name) => new Secret(name, text)) };
  const { token, refresh, ...rest } = credentials;
  return {
    ...rest,
    token: new Secret('token', token),
    ...defined({ refresh: refresh === undefined ? undefined : new Secret('refresh token', refresh) }),
  };
}

function mapped<V, W>(all: Readonly<Record<string, V>>, change: (value: V, name: string) => W): Record<string, W> {
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, change(value, name)]));
}
