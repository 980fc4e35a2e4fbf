import { authOrigins, secretNames } from '../definition/auth.ts';
import { Cookies } from './cookies.ts';
import { type LoginFailure, type LoginOutcome, type LoginPlan, type LoginRequest, shownUrl } from './login.ts';
import { headersOf, type PluginLogin, pluginLogin, tokensOf } from './plugin-login.ts';
import type { LoginReading } from './read-login.ts';
import { type RunningLogin, startLogin, startRefresh } from './running-login.ts';
import type { SessionFailure } from './saved.ts';
import type { FindSecrets } from './secret-store.ts';
import { type Secret, withoutSecrets } from './secret.ts';
import { Session, type SessionDeps, type SessionSource } from './session.ts';

/** One exchange of a log-in, to be made under a turn like any other, without following redirects. */
export interface LoginAsk {
  /** What a log may say of its address: no query, and no secret. */
  readonly shownUrl: string;
  readonly request: LoginRequest;
  readonly reading: LoginReading;
}

export interface SessionDeskDeps extends SessionDeps {
  readonly findSecrets: FindSecrets;
  /** What the world does wrong is a `failed` outcome; rejects when the desk's owner ends, and the attempt stays counted. */
  ask(ask: LoginAsk): Promise<LoginOutcome>;
  /** Has the source's plug-in log in; missing where there is none. */
  authenticate?(): Promise<PluginLogin>;
}

/** The headers of one request, and which credentials are among them: `took`, `authenticate` and `succeeded` want to know. */
export interface StepHeaders {
  readonly headers: Readonly<Record<string, string>>;
  readonly generation: number;
}

export type Authenticated =
  | { readonly ok: true; readonly generation: number }
  | { readonly ok: false; readonly failure: SessionFailure };

/** Whether the source can be asked: at once, after a log-in, or not before a person has done something. */
export type DeskCondition =
  | { readonly code: 'ready' | 'login_needed' }
  | { readonly code: 'not_initialised' | 'login_attempts'; readonly message: string };

/** Log-ins since a request last worked; then a person must look. */
export const maxLoginAttempts = 3;

/** A token is renewed this long before it expires, so that no request meets its end. */
const expiryMarginMs = 30_000;

/** The session of one source and its log-ins, of which there is never more than one at a time. Owned by the source's actor. */
export class SessionDesk {
  readonly #source: SessionSource;
  readonly #deps: SessionDeskDeps;
  readonly #origins: ReadonlySet<string>;
  readonly #session: Session;
  #secrets: ReadonlyMap<string, Secret> = new Map();
  /** Says which secrets are missing. */
  #missing: string | undefined;
  #flight: Promise<Authenticated> | undefined;

  private constructor(source: SessionSource, deps: SessionDeskDeps) {
    this.#source = source;
    this.#deps = deps;
    this.#origins = new Set(authOrigins(source.auth, source.url));
    this.#session = new Session(source, deps);
  }

  /** Takes up what was saved, unless it belongs to other secrets or another definition. */
  static async open(source: SessionSource, deps: SessionDeskDeps): Promise<SessionDesk> {
    const desk = new SessionDesk(source, deps);
    await desk.#lookUpSecrets();
    return desk;
  }

  /** Whether another desk has taken its place. */
  get isClosed(): boolean {
    return this.#session.isClosed;
  }

  condition(): DeskCondition {
    const { failure } = this.#session.state;
    if (this.#missing !== undefined) return { code: 'not_initialised', message: this.#missing };
    if (failure?.code === 'login_attempts') return { code: failure.code, message: failure.message };
    return { code: this.#isReady() ? 'ready' : 'login_needed' };
  }

  /** Nothing goes to an origin that the definition does not name, so a redirect elsewhere carries no session. */
  headersFor(url: string): StepHeaders {
    const { credentials, generation } = this.#session.state;
    if (!this.#isWithin(url) || this.#missing !== undefined) return { headers: {}, generation };
    const cookie = this.#session.cookies.headerFor(url, this.#deps.clock.now());
    return { headers: { ...(cookie !== undefined && { cookie }), ...headersOf(credentials) }, generation };
  }

  /**
   * Takes the cookies that an answer sets; the next `flush` saves them. An answer to a request with older credentials
   * counts for nothing: it may be ending the session that was replaced.
   */
  took(url: string, setCookies: readonly string[], generation: number): void {
    if (generation === this.#session.state.generation && this.#isWithin(url)) this.#session.take(url, setCookies);
  }

  /**
   * New credentials for a request that was refused with those of `stale`. Requests that come while a log-in is under way
   * share it, and one whose credentials are older than the newest just gets those.
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

  /** A request with the credentials of `generation` worked: the log-ins before it are forgiven. Cheap when that is known. */
  async succeeded(generation: number): Promise<void> {
    const { credentials, isConfirmed, attempts, failure } = this.#session.state;
    if (credentials === undefined || generation !== this.#session.state.generation) return;
    if (this.#flight !== undefined || (isConfirmed && attempts === 0 && failure === undefined)) return;
    await this.#session.forgiveFailures({ isConfirmed: true });
  }

  /** A person wants log-ins to be tried again. */
  async reset(): Promise<void> {
    await Promise.allSettled([this.#flight]);
    await this.#lookUpSecrets();
    await this.#session.forgiveFailures();
  }

  /** Saves cookies that pages have set. Called now and then and at the end; log-ins are saved as they happen. */
  flush(): Promise<void> {
    return this.#session.flush();
  }

  /** Saves as `flush` does, for the last time: another desk has taken its place, and what still comes of requests made with this one is lost. */
  close(): Promise<void> {
    return this.#session.close();
  }

  async #authenticate(): Promise<Authenticated> {
    const { auth } = this.#source;
    if (auth === undefined) return refused('login_refused', 'the site wants a log-in, and the definition has no auth');
    await this.#lookUpSecrets();
    if (this.#missing !== undefined) return refused('not_initialised', this.#missing);
    const plan = { auth, secrets: this.#secrets, origins: this.#origins };
    return (await this.#refresh(plan)) ?? (await this.#logIn(plan));
  }

  /** Nothing when the way goes on to a log-in. A refresh that brought a token with which nothing worked is not tried again. */
  async #refresh(plan: LoginPlan): Promise<Authenticated | undefined> {
    const { credentials, obtainedBy, isConfirmed } = this.#session.state;
    if (credentials?.kind !== 'header' || credentials.refresh === undefined) return undefined;
    if (obtainedBy === 'refresh' && !isConfirmed) return undefined;
    const refresh = startRefresh(plan, credentials.refresh);
    const ended = refresh && (await this.#drive(refresh, this.#session.cookies));
    if (ended?.do === 'done') return { ok: true, generation: await this.#session.adopt(ended.credentials, 'refresh') };
    return ended?.failure.code === 'login_unavailable' ? this.#told(ended.failure) : undefined;
  }

  /** Counts first, so that a daemon that dies meanwhile has counted too; what told nothing of the credentials is taken back. */
  async #logIn(plan: LoginPlan): Promise<Authenticated> {
    const { attempts } = this.#session.state;
    if (attempts >= maxLoginAttempts) return this.#giveUp();
    await this.#session.change({ attempts: attempts + 1 });
    // Cookies of the session that is over would be sent along, and refused again.
    const cookies = new Cookies();
    const ended =
      plan.auth.type === 'plugin'
        ? pluginLogin(await this.#deps.authenticate?.(), this.#deps.clock.now())
        : await this.#drive(startLogin(plan), cookies);
    if (ended.do === 'done') {
      if (ended.credentials.kind === 'cookies') this.#session.cookies = cookies;
      return { ok: true, generation: await this.#session.adopt(ended.credentials, 'login') };
    }
    const told = this.#told(ended.failure);
    const isLost = told.failure.code !== 'login_unavailable';
    await this.#session.change({ attempts: attempts + (isLost ? 1 : 0), failure: told.failure });
    return told;
  }

  async #giveUp(): Promise<Authenticated> {
    const last = this.#session.state.failure;
    if (last?.code === 'login_attempts') return { ok: false, failure: last };
    const reason = last === undefined ? 'requests are refused after each of them' : last.message;
    const told = refused(
      'login_attempts',
      `gave up after ${maxLoginAttempts} log-ins without a request that worked: ${reason}`,
    );
    await this.#session.change({ failure: told.failure });
    return told;
  }

  async #drive(begun: RunningLogin, cookies: Cookies): Promise<Exclude<RunningLogin, { do: 'ask' }>> {
    let step = begun;
    while (step.do === 'ask') {
      const cookie = cookies.headerFor(step.request.url, this.#deps.clock.now());
      const headers = { ...step.request.headers, ...(cookie !== undefined && { cookie }) };
      const url = withoutSecrets(shownUrl(step.request.url), this.#secrets.values());
      const outcome = await this.#deps.ask({
        shownUrl: url,
        request: { ...step.request, headers },
        reading: step.reading,
      });
      if (outcome.kind === 'answered' && this.#isWithin(outcome.url))
        this.#session.take(outcome.url, outcome.setCookies, cookies);
      step = step.answer(outcome);
    }
    return step;
  }

  /** The message of a failure may repeat what a site or a caller said. */
  #told({ code, message }: LoginFailure): ReturnType<typeof refused> {
    const { credentials } = this.#session.state;
    const secrets = [...this.#secrets.values(), ...tokensOf(credentials)];
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
    const begun = startLogin({ auth, secrets: found.secrets, origins: this.#origins });
    if (begun.do === 'done') this.#session.useFixed(begun.credentials);
  }

  #isReady(): boolean {
    const { credentials } = this.#session.state;
    if (this.#source.auth === undefined || credentials?.kind === 'cookies') return true;
    if (credentials === undefined) return false;
    return (credentials.expiresAt ?? Infinity) - expiryMarginMs > this.#deps.clock.now();
  }

  /** Without a log-in there are cookies only, and their own rules say where they go. */
  #isWithin(url: string): boolean {
    return this.#source.auth === undefined || this.#origins.has(URL.parse(url)?.origin ?? '');
  }
}

function refused(code: SessionFailure['code'], message: string): Authenticated & { readonly ok: false } {
  return { ok: false, failure: { code, message } };
}
