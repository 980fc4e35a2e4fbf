import type { SavedCookie } from './cookies.ts';
import type { Credentials } from './login.ts';
import { Secret } from './secret.ts';

/** Why a source has no session, as a person is told. */
export interface SessionFailure {
  readonly code: 'not_initialised' | 'login_attempts' | 'login_refused' | 'login_unreadable' | 'login_unavailable';
  readonly message: string;
}

/** What a source knows of its session besides its cookies. */
export interface SessionState {
  /** Of the definition's part and the secrets that all the rest was made with. */
  readonly fingerprint: string;
  /** Raised with each new credentials, over restarts too. */
  readonly generation: number;
  /** Log-ins since a request last worked. */
  readonly attempts: number;
  readonly credentials?: Credentials;
  readonly obtainedBy?: 'login' | 'refresh';
  /** Whether a request has worked with these credentials. */
  readonly isConfirmed: boolean;
  readonly failure?: SessionFailure;
}

/** The session of a source that was never logged in to. */
export function newSession(fingerprint: string, generation = 0): SessionState {
  return { fingerprint, generation, attempts: 0, isConfirmed: false };
}

/** As a text to be sealed: the one place besides requests where secrets are revealed. */
export function writeSession({ credentials, ...state }: SessionState, cookies: readonly SavedCookie[]): string {
  return JSON.stringify({
    ...state,
    ...(credentials && { credentials: revealed(credentials) }),
    cookies,
  } satisfies SavedSession);
}

/** What `writeSession` made; only ever called with a text whose seal was whole. */
export function readSession(text: string): { readonly state: SessionState; readonly cookies: readonly SavedCookie[] } {
  const { credentials, cookies, ...state } = JSON.parse(text) as SavedSession;
  return { state: { ...state, ...(credentials && { credentials: hidden(credentials) }) }, cookies };
}

type HeaderCredentials = Extract<Credentials, { kind: 'header' }>;
type HeadersCredentials = Extract<Credentials, { kind: 'headers' }>;
type Revealed =
  | Extract<Credentials, { kind: 'cookies' }>
  | (Omit<HeadersCredentials, 'headers'> & { readonly headers: Readonly<Record<string, string>> })
  | (Omit<HeaderCredentials, 'token' | 'refresh'> & { readonly token: string; readonly refresh?: string });

type SavedSession = Omit<SessionState, 'credentials'> & {
  readonly credentials?: Revealed;
  readonly cookies: readonly SavedCookie[];
};

function revealed(credentials: Credentials): Revealed {
  if (credentials.kind === 'cookies') return credentials;
  if (credentials.kind === 'headers')
    return { ...credentials, headers: mapped(credentials.headers, (secret) => secret.reveal()) };
  const { token, refresh, ...rest } = credentials;
  return { ...rest, token: token.reveal(), ...(refresh && { refresh: refresh.reveal() }) };
}

function hidden(credentials: Revealed): Credentials {
  if (credentials.kind === 'cookies') return credentials;
  if (credentials.kind === 'headers')
    return { ...credentials, headers: mapped(credentials.headers, (text, name) => new Secret(name, text)) };
  const { token, refresh, ...rest } = credentials;
  return {
    ...rest,
    token: new Secret('token', token),
    ...(refresh !== undefined && { refresh: new Secret('refresh token', refresh) }),
  };
}

function mapped<V, W>(all: Readonly<Record<string, V>>, change: (value: V, name: string) => W): Record<string, W> {
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, change(value, name)]));
}
