import type { Auth, Given } from '../definition/auth.ts';
import { shownUrl } from '../definition/url-pattern.ts';
import type { LoginRead, LoginReading } from './read-login.ts';
import { Secret } from './secret.ts';

/** The kinds of log-in whose requests the daemon makes. A plug-in makes those of its own log-in. */
export type DeclaredAuth = Exclude<Auth, { type: 'plugin' }>;

/** The inputs of a log-in: its part of the definition, the secrets, and the origins that it may be sent to. */
export interface LoginPlan<A extends DeclaredAuth = DeclaredAuth> {
  readonly auth: A;
  /** Holds every secret that `auth` names, by name. */
  readonly secrets: ReadonlyMap<string, Secret>;
  readonly origins: ReadonlySet<string>;
  readonly ask: AskLogin;
}

/** Makes one request of a log-in and reads its answer, without following redirects. Rejects only when the owner of the session ends. */
export type AskLogin = (request: LoginRequest, reading: LoginReading) => Promise<LoginOutcome>;

/** One request of a log-in. Its body is a secret, since it may hold some. */
export interface LoginRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Secret;
}

/** The answer to one request of a log-in, whatever its status. A redirect is an answer with an absolute `location`. */
export interface LoginAnswer {
  readonly kind: 'answered';
  readonly url: string;
  readonly status: number;
  readonly location?: string;
  readonly setCookies: readonly string[];
  /** The protection product that answered in place of the site, if one did. */
  readonly challenge?: string | undefined;
  /** The parts of the body that were to be read. */
  readonly read: LoginRead;
  /** When the response head came, wall time. */
  readonly at: number;
}

/** The outcome of one request of a log-in. */
export type LoginOutcome = LoginAnswer | { readonly kind: 'failed'; readonly message: string };

/** The credentials that mark requests as those of someone who is logged in. */
export type SessionCredentials =
  /** The cookies that the site has set during the log-in. */
  | { readonly kind: 'cookies' }
  /** Headers from a plug-in's log-in, by name in lower case. */
  | {
      readonly kind: 'headers';
      readonly headers: Readonly<Record<string, Secret>>;
      /** Wall time. */
      readonly expiresAt?: number;
    }
  | {
      readonly kind: 'header';
      /** In lower case. */
      readonly header: string;
      /** The word before the token; without it the token stands alone. */
      readonly scheme?: string;
      readonly token: Secret;
      readonly refresh?: Secret;
      /** Wall time. */
      readonly expiresAt?: number;
    };

/**
 * Why a log-in failed: `login_refused` by the site; `login_unreadable` where an answer does not hold what the
 * definition says; `login_unavailable` where the site gave no answer that says anything of the credentials.
 */
export interface LoginFailure {
  readonly code: 'login_refused' | 'login_unreadable' | 'login_unavailable';
  readonly message: string;
}

/** A log-in that failed. */
export interface FailedLogin {
  readonly do: 'fail';
  readonly failure: LoginFailure;
}

/** The end of a log-in. */
export type LoginEnd = { readonly do: 'done'; readonly credentials: SessionCredentials } | FailedLogin;

/** Ends a log-in with a failure. */
export function failed(code: LoginFailure['code'], message: string): FailedLogin {
  return { do: 'fail', failure: { code, message } };
}

/**
 * Makes one request of a log-in. Resolves with the failure of the log-in where the request leads to an origin that the definition does not
 * name, and where its outcome says nothing of the credentials. Rejects as `ask` does.
 */
export async function answerTo(
  { origins, ask }: Pick<LoginPlan, 'origins' | 'ask'>,
  request: LoginRequest,
  reading: LoginReading,
): Promise<LoginAnswer | FailedLogin> {
  const { url } = request;
  if (!origins.has(URL.parse(url)?.origin ?? ''))
    return failed(
      'login_refused',
      `the log-in leads to ${shownUrl(url)}, which is none of the origins that the definition names`,
    );
  const outcome = await ask(request, reading);
  if (outcome.kind === 'failed') return unavailable(outcome.message);
  const { status, url: answeredBy, challenge } = outcome;
  if (challenge !== undefined) return unavailable(`${shownUrl(answeredBy)} is behind a challenge of ${challenge}`);
  if (status === 429 || status >= 500) return unavailable(`${shownUrl(answeredBy)} answered with status ${status}`);
  return outcome;
}

function unavailable(why: string): FailedLogin {
  return failed('login_unavailable', `could not log in: ${why}`);
}

/** The text of a field. Throws for a secret that `secrets` does not hold. */
export function textOf(given: Given, secrets: ReadonlyMap<string, Secret>): string {
  if (typeof given === 'string') return given;
  const secret = secrets.get(given.secret);
  if (secret === undefined) throw new Error(`expected the secret ${given.secret} to have been found before the log-in`);
  return secret.reveal();
}

/** The texts of named fields. Throws for a secret that `secrets` does not hold. */
export function textsOf(
  fields: Readonly<Record<string, Given>>,
  secrets: ReadonlyMap<string, Secret>,
): [name: string, text: string][] {
  return Object.entries(fields).map(([name, given]) => [name, textOf(given, secrets)]);
}

/** A body of fields, as a browser sends a form. */
export function formBody(fields: Iterable<[name: string, text: string]>): Secret {
  return new Secret('body of the log-in', new URLSearchParams([...fields]).toString());
}

/** Header credentials from a token, or a failure where no header can hold it. */
export function tokenCredentials(
  { scheme, header }: { readonly scheme: string; readonly header?: string },
  token: Secret,
  more: { readonly refresh?: Secret; readonly expiresAt?: number } = {},
): LoginEnd {
  if (!/^[\t\x20-\x7e\x80-\xff]+$/.test(token.reveal()))
    return failed('login_unreadable', `${token.toString()} holds characters that no header may, such as a line end`);
  const place = header === undefined ? { header: 'authorization', scheme } : { header: header.toLowerCase() };
  return { do: 'done', credentials: { kind: 'header', ...place, token, ...more } };
}

/** The headers that credentials add to a request, without cookies. */
export function headersOf(credentials: SessionCredentials | undefined): Readonly<Record<string, string>> {
  switch (credentials?.kind) {
    case 'header': {
      const { header, scheme, token } = credentials;
      return { [header]: scheme === undefined ? token.reveal() : `${scheme} ${token.reveal()}` };
    }
    case 'headers':
      return Object.fromEntries(Object.entries(credentials.headers).map(([name, secret]) => [name, secret.reveal()]));
    case 'cookies':
    case undefined:
      return {};
    default:
      return credentials satisfies never;
  }
}

/** The secrets within credentials, which no message may show. */
export function credentialSecrets(credentials: SessionCredentials | undefined): readonly Secret[] {
  if (credentials?.kind === 'headers') return Object.values(credentials.headers);
  if (credentials?.kind !== 'header') return [];
  const { token, refresh } = credentials;
  return refresh === undefined ? [token] : [token, refresh];
}
