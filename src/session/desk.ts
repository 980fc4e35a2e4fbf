import { type Auth, authOrigins, secretNames } from '../definition/auth.ts';
import { shownUrl } from '../definition/url-pattern.ts';
import { Cookies } from './cookies.ts';
import {
  type AskLogin,
  type DeclaredAuth,
  headersOf,
  type LoginFailure,
  type LoginOutcome,
  type LoginPlan,
  type LoginRequest,
  credentialSecrets,
} from './login.ts';
import { fixedLogin, logIn, type PluginLogin, pluginLogin, renewToken } from './start-login.ts';
import type { LoginReading } from './read-login.ts';
import { Session, type SessionDeps, type SessionFailure, type SessionSource } from './session.ts';
import type { FindSecrets } from './secret-store.ts';
import { withoutSecrets } from './redact.ts';
import { type Secret } from './secret.ts';

/** One request of a log-in, to be made under a turn of its own, without following redirects. */
export interface LoginAsk {
  /** The address as logs may show it: without query and secrets. */
  readonly shownUrl: string;
  readonly request: LoginRequest;
  readonly reading: LoginReading;
}

/** The dependencies of a desk. */
export interface SessionDeskDeps extends SessionDeps {
  readonly findSecrets: FindSecrets;
  /**
   * Makes one request of a log-in. Whatever goes wrong with it is a `failed` outcome; rejects only when the desk's
   * owner ends, and then the attempt stays counted.
   */
  ask(ask: LoginAsk): Promise<LoginOutcome>;
  /** Calls the `authenticate` function of the source's plug-in; missing where there is none. */
  authenticate?(): Promise<PluginLogin>;
}

/**
 * The session headers of one request. `generation` names the credentials among them, for `keepCookies`, `authenticate` and
 * `succeeded`.
 */
export interface StepHeaders {
  readonly headers: Readonly<Record<string, string>>;
  readonly generation: number;
}

/** The result of a log-in: the generation of the new credentials, or why there are none. */
export type Authenticated =
  | { readonly ok: true; readonly generation: number }
  | { readonly ok: false; readonly failure: SessionFailure };

/** Whether the source can be asked: at once, after a log-in, or only once a person has acted. */
export type DeskCondition =
  | { readonly code: 'ready' | 'login_needed' }
  | { readonly code: 'not_initialised' | 'login_attempts'; readonly message: string };

/** The number of log-ins without a request that worked after which a person must act. */
const maxLoginAttempts = 3;

/** How long before its end a token is renewed, in milliseconds, so that no request outlives it. */
const expiryMarginMs = 30_000;

/** The session of one source and its log-ins, of which at most one is under way. Owned by the source's actor. */
export class SessionDesk {
  readonly #source: SessionSource;
  readonly #deps: SessionDeskDeps;
  readonly #origins: ReadonlySet<string>;
  readonly #session: Session;
  #secrets: ReadonlyMap<string, Secret> = new Map();
  /** The sentence that names the missing secrets, if any are. */
  #missing: string | undefined;
  #flight: Promise<Authenticated> | undefined;

  private constructor(source: SessionSource, deps: SessionDeskDeps) {
    this.#source = source;
    this.#deps = deps;
    this.#origins = new Set(authOrigins(source.auth, source.url));
    this.#session = new Session(source, deps);
  }

  /**
   * Opens the desk with the saved session, unless that belongs to other secrets or another definition. Rejects when the
   * file of secrets cannot be opened.
   */
  static async open(source: SessionSource, deps: SessionDeskDeps): Promise<SessionDesk> {
    const desk = new SessionDesk(source, deps);
    await desk.#lookUpSecrets();
    return desk;
  }

  /** Whether another desk has replaced this one. */
  get isClosed(): boolean {
    return this.#session.isClosed;
  }

  condition(): DeskCondition {
    const { failure } = this.#session.state;
    if (this.#missing !== undefined) return { code: 'not_initialised', message: this.#missing };
    if (failure?.code === 'login_attempts') return { code: failure.code, message: failure.message };
    return { code: this.#isReady() ? 'ready' : 'login_needed' };
  }

  /**
   * The session headers of a request for `url`; none for an origin that the definition does not name, so that a
   * redirect elsewhere carries no session.
   */
  headersFor(url: string): StepHeaders {
    const { credentials, generation } = this.#session.state;
    if (!this.#isWithin(url) || this.#missing !== undefined) return { headers: {}, generation };
    const cookie = this.#session.cookies.headerFor(url, this.#deps.clock.now());
    const headers = headersOf(credentials);
    return { headers: cookie === undefined ? headers : { cookie, ...headers }, generation };
  }

  /**
   * Takes the cookies that an answer sets; the next `flush` saves them. Ignores answers to requests with older
   * credentials, which may end the session that was replaced.
   */
  keepCookies(url: string, setCookies: readonly string[], generation: number): void {
    if (generation === this.#session.state.generation && this.#isWithin(url)) this.#session.take(url, setCookies);
  }

  /**
   * Gets new credentials after a request was refused with those of generation `stale`. Calls during a log-in share it;
   * a call with older credentials than the newest gets the newest. Rejects when the session cannot be saved.
   */
  authenticate(stale: number): Promise<Authenticated> {
    if (this.#flight !== undefined) return this.#flight;
    const { generation } = this.#session.state;
    if (stale < generation && this.#isReady()) return Promise.resolve({ ok: true, generation });
    this.#flight = this.#authenticate().finally(() => {
      this.#flight = undefined;
    });
    return this.#flight;
  }

  /**
   * Records that a request with the credentials of `generation` worked: earlier failed log-ins no longer count. Rejects
   * when the session cannot be saved.
   */
  async succeeded(generation: number): Promise<void> {
    const { credentials, isConfirmed, attempts, failure } = this.#session.state;
    if (credentials === undefined || generation !== this.#session.state.generation) return;
    if (this.#flight !== undefined || (isConfirmed && attempts === 0 && failure === undefined)) return;
    await this.#session.forgiveFailures({ isConfirmed: true });
  }

  /**
   * Forgets failed log-ins on a person's request, so that log-ins are tried again. Rejects when the session cannot be
   * saved.
   */
  async reset(): Promise<void> {
    await Promise.allSettled([this.#flight]);
    await this.#lookUpSecrets();
    await this.#session.forgiveFailures();
  }

  /**
   * Saves cookies that pages have set since the last save. Called now and then and at the end; log-ins are saved as
   * they happen. Rejects when the session cannot be saved.
   */
  flush(): Promise<void> {
    return this.#session.flush();
  }

  /**
   * Saves for the last time, when another desk replaces this one. What requests of this desk still bring is lost. Rejects when the last
   * save fails.
   */
  close(): Promise<void> {
    return this.#session.close();
  }

  async #authenticate(): Promise<Authenticated> {
    const { auth } = this.#source;
    if (auth === undefined) return refused('login_refused', 'the site wants a log-in, and the definition has no auth');
    await this.#lookUpSecrets();
    if (this.#missing !== undefined) return refused('not_initialised', this.#missing);
    return (await this.#refresh(auth)) ?? (await this.#logIn(auth));
  }

  /**
   * Tries to renew the token; `undefined` where a log-in is to follow. A renewed token with which no request worked is
   * not renewed again.
   */
  async #refresh(auth: Auth): Promise<Authenticated | undefined> {
    const { credentials, obtainedBy, isConfirmed } = this.#session.state;
    if (auth.type === 'plugin' || credentials?.kind !== 'header' || credentials.refresh === undefined) return undefined;
    if (obtainedBy === 'refresh' && !isConfirmed) return undefined;
    const ended = await renewToken(this.#planOf(auth, this.#session.cookies), credentials.refresh);
    if (ended?.do === 'done') return { ok: true, generation: await this.#session.adopt(ended.credentials, 'refresh') };
    return ended?.failure.code === 'login_unavailable' ? this.#redacted(ended.failure) : undefined;
  }

  /**
   * Logs in. The attempt is counted before, so that it counts even if the daemon dies meanwhile; an attempt that says
   * nothing of the credentials is taken back.
   */
  async #logIn(auth: Auth): Promise<Authenticated> {
    const { attempts } = this.#session.state;
    if (attempts >= maxLoginAttempts) return this.#giveUp();
    await this.#session.change({ attempts: attempts + 1 });
    // Cookies of the session that is over would be sent along, and refused again.
    const cookies = new Cookies();
    const ended =
      auth.type === 'plugin'
        ? pluginLogin(await this.#deps.authenticate?.(), this.#deps.clock.now())
        : await logIn(this.#planOf(auth, cookies));
    if (ended.do === 'done') {
      if (ended.credentials.kind === 'cookies') this.#session.cookies = cookies;
      return { ok: true, generation: await this.#session.adopt(ended.credentials, 'login') };
    }
    const redacted = this.#redacted(ended.failure);
    const isLost = redacted.failure.code !== 'login_unavailable';
    await this.#session.change({ attempts: attempts + (isLost ? 1 : 0), failure: redacted.failure });
    return redacted;
  }

  async #giveUp(): Promise<Authenticated> {
    const last = this.#session.state.failure;
    if (last?.code === 'login_attempts') return { ok: false, failure: last };
    const reason = last === undefined ? 'requests are refused after each of them' : last.message;
    const gaveUp = refused(
      'login_attempts',
      `gave up after ${maxLoginAttempts} log-ins without a request that worked: ${reason}`,
    );
    await this.#session.change({ failure: gaveUp.failure });
    return gaveUp;
  }

  /** The inputs of a log-in whose requests send `cookies` and add to them what the answers set. */
  #planOf(auth: DeclaredAuth, cookies: Cookies): LoginPlan {
    const ask: AskLogin = async (request, reading) => {
      const cookie = cookies.headerFor(request.url, this.#deps.clock.now());
      const headers = cookie === undefined ? request.headers : { ...request.headers, cookie };
      const url = withoutSecrets(shownUrl(request.url), this.#secrets.values());
      const outcome = await this.#deps.ask({ shownUrl: url, request: { ...request, headers }, reading });
      if (outcome.kind === 'answered' && this.#isWithin(outcome.url))
        this.#session.take(outcome.url, outcome.setCookies, cookies);
      return outcome;
    };
    return { auth, secrets: this.#secrets, origins: this.#origins, ask };
  }

  /** The failure without secrets: its message may repeat what a site or a caller said. */
  #redacted({ code, message }: LoginFailure): ReturnType<typeof refused> {
    const { credentials } = this.#session.state;
    const secrets = [...this.#secrets.values(), ...credentialSecrets(credentials)];
    return refused(code, withoutSecrets(message, secrets));
  }

  async #lookUpSecrets(): Promise<void> {
    const { auth, secrets = [] } = this.#source;
    const found = await this.#deps.findSecrets(auth?.type === 'plugin' ? secrets : secretNames(auth));
    this.#missing = found.ok ? undefined : found.message;
    if (!found.ok) return;
    this.#secrets = found.secrets;
    this.#session.belongTo(found.secrets);
    if (auth?.type !== 'basic' && auth?.type !== 'bearer') return;
    const fixed = fixedLogin(auth, found.secrets);
    if (fixed.do === 'done') this.#session.useFixed(fixed.credentials);
  }

  #isReady(): boolean {
    const { credentials } = this.#session.state;
    if (this.#source.auth === undefined || credentials?.kind === 'cookies') return true;
    if (credentials === undefined) return false;
    return (credentials.expiresAt ?? Infinity) - expiryMarginMs > this.#deps.clock.now();
  }

  /** Whether the session may be sent to `url`. Without a log-in there are cookies only, whose own rules decide. */
  #isWithin(url: string): boolean {
    return this.#source.auth === undefined || this.#origins.has(URL.parse(url)?.origin ?? '');
  }
}

function refused(code: SessionFailure['code'], message: string): Authenticated & { readonly ok: false } {
  return { ok: false, failure: { code, message } };
}
