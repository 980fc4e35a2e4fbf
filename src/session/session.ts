import type { Clock } from '../clock.ts';
import type { Source } from '../definition/source.ts';
import { Cookies } from './cookies.ts';
import type { Credentials } from './login.ts';
import { newSession, readSession, type SessionState, writeSession } from './saved.ts';
import type { Sealer } from './seal.ts';
import type { Secret } from './secret.ts';

/** What of a source its session depends on. */
export type SessionSource = Pick<Source, 'id' | 'url' | 'auth' | 'secrets'>;

export interface SessionDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly sealer: Sealer;
  /** The sealed session of the source as it was last saved. */
  load(): string | undefined;
  /** Resolves when the session is durable. */
  save(sealed: string): Promise<void>;
  warn(message: string): void;
}

/** A source's cookies and what else it knows of its session, as they are kept sealed. */
export class Session {
  readonly #source: SessionSource;
  readonly #deps: SessionDeps;
  #state: SessionState;
  #isDirty = false;
  #hasWarned = false;
  #isClosed = false;
  /** Saves under way. */
  readonly #saves = new Set<Promise<void>>();
  cookies = new Cookies();

  /** What was saved; a seal that does not open costs a log-in, no more. */
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

  /** Other secrets, or another definition, are another session: nothing of the old one is sent, and its count begins anew. */
  belongTo(secrets: ReadonlyMap<string, Secret>): void {
    const fingerprint = this.#fingerprint(Array.from(secrets.values(), (secret) => secret.reveal()));
    if (fingerprint === this.#state.fingerprint) return;
    this.#state = newSession(fingerprint, this.#state.generation + 1);
    this.cookies = new Cookies();
  }

  /** Puts credentials that need no exchange in place; they are made anew at each start. */
  useFixed(credentials: Credentials): void {
    this.#state = { ...this.#state, credentials };
  }

  async adopt(credentials: Credentials, obtainedBy: 'login' | 'refresh'): Promise<number> {
    const { fingerprint, attempts } = this.#state;
    const generation = this.#state.generation + 1;
    this.#state = { fingerprint, generation, attempts, credentials, obtainedBy, isConfirmed: false };
    await this.save();
    return generation;
  }

  async change(change: Partial<SessionState>): Promise<void> {
    this.#state = { ...this.#state, ...change };
    await this.save();
  }

  async forgiveFailures(change: Partial<SessionState> = {}): Promise<void> {
    const { failure: _, ...state } = this.#state;
    this.#state = { ...state, attempts: 0, ...change };
    await this.save();
  }

  /** Takes cookies into these, or into those of a log-in under way. */
  take(url: string, setCookies: readonly string[], into = this.cookies): void {
    if (setCookies.length === 0) return;
    this.#isDirty = true;
    const dropped = into.take(url, setCookies, this.#deps.clock.now());
    if (dropped === 0 || this.#hasWarned) return;
    this.#hasWarned = true;
    this.#deps.warn(`source "${this.#source.id}": more or larger cookies than are kept; the oldest go first`);
  }

  async flush(): Promise<void> {
    if (this.#isDirty) await this.save();
  }

  async save(): Promise<void> {
    if (this.#isClosed) return;
    this.#isDirty = false;
    const text = writeSession(this.#state, this.cookies.save(this.#deps.clock.now()));
    const saving = this.#deps.save(this.#deps.sealer.seal(text, this.#source.id));
    this.#saves.add(saving);
    await saving.finally(() => this.#saves.delete(saving));
  }

  /** Saves what is not saved yet, and nothing from now on; resolves when all that was begun is written. */
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
