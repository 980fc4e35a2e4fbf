import type { Auth, Given } from '../definition/auth.ts';
import type { LoginRead, LoginReading } from './read-login.ts';
import { Secret } from './secret.ts';

/** What a log-in is made of: the definition's part, its secrets, and where they may be sent. */
export interface LoginPlan<A extends Auth = Auth> {
  readonly auth: A;
  /** Holds every secret that `auth` names. */
  readonly secrets: ReadonlyMap<string, Secret>;
  readonly origins: ReadonlySet<string>;
}

/** One exchange of a log-in. Its body is a secret, since it may hold some. */
export interface LoginRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Secret;
}

/** How one exchange of a log-in went, whatever the status: a redirect is an answer with a `location`, which is absolute. */
export type LoginOutcome =
  | {
      readonly kind: 'answered';
      readonly url: string;
      readonly status: number;
      readonly location?: string;
      readonly setCookies: readonly string[];
      /** The product before the site that has answered in its place. */
      readonly challenge?: string | undefined;
      /** What the step's reading found in the body. */
      readonly read: LoginRead;
      /** Wall time of the response head. */
      readonly at: number;
    }
  | { readonly kind: 'failed'; readonly message: string };

/** What makes requests those of someone who is logged in. */
export type Credentials =
  /** The cookies that were set meanwhile. */
  | { readonly kind: 'cookies' }
  /** What a plug-in's log-in gave, by the headers' names in lower case. */
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
      /** Stands before the token; without it the token stands alone. */
      readonly scheme?: string;
      readonly token: Secret;
      readonly refresh?: Secret;
      /** Wall time. */
      readonly expiresAt?: number;
    };

/**
 * Why a log-in did not work: `login_refused` by the site, `login_unreadable` where an answer does not hold what the
 * definition says, `login_unavailable` where the site gave no answer that tells anything, so that nothing was lost.
 */
export interface LoginFailure {
  readonly code: 'login_refused' | 'login_unreadable' | 'login_unavailable';
  readonly message: string;
}

/** What to do next in a log-in. A state is plain data and belongs to the flow that made it. */
export type LoginStep<S> =
  | { readonly do: 'ask'; readonly request: LoginRequest; readonly reading: LoginReading; readonly state: S }
  | { readonly do: 'done'; readonly credentials: Credentials }
  | { readonly do: 'fail'; readonly failure: LoginFailure };

/** One way to log in, as a machine without memory: from a state and an outcome to the next step. */
export interface LoginFlow<A extends Auth, S> {
  begin(plan: LoginPlan<A>): LoginStep<S>;
  next(plan: LoginPlan<A>, state: S, outcome: LoginOutcome): LoginStep<S>;
}

export function failed(code: LoginFailure['code'], message: string): { do: 'fail'; failure: LoginFailure } {
  return { do: 'fail', failure: { code, message } };
}

/** The failure of an exchange that tells nothing of the credentials, whichever flow it belongs to. */
export function unavailable(outcome: LoginOutcome): { do: 'fail'; failure: LoginFailure } | undefined {
  if (outcome.kind === 'failed') return failed('login_unavailable', `could not log in: ${outcome.message}`);
  const { status, url, challenge } = outcome;
  if (challenge !== undefined)
    return failed('login_unavailable', `could not log in: ${shownUrl(url)} is behind a challenge of ${challenge}`);
  return status === 429 || status >= 500
    ? failed('login_unavailable', `could not log in: ${shownUrl(url)} answered with status ${status}`)
    : undefined;
}

/** An URL without its query and fragment, where sites put tokens. */
export function shownUrl(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? 'an address that is none' : `${parsed.origin}${parsed.pathname}`;
}

/** The text that a field sends. */
export function textOf(given: Given, secrets: ReadonlyMap<string, Secret>): string {
  if (typeof given === 'string') return given;
  const secret = secrets.get(given.secret);
  if (secret === undefined) throw new Error(`expected the secret ${given.secret} to have been found before the log-in`);
  return secret.reveal();
}

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

/** Header credentials from a token, or a failure when no header can hold it. */
export function tokenCredentials(
  { scheme, header }: { readonly scheme: string; readonly header?: string },
  token: Secret,
  more: { readonly refresh?: Secret; readonly expiresAt?: number } = {},
): LoginStep<never> {
  if (!/^[\t\x20-\x7e\x80-\xff]+$/.test(token.reveal()))
    return failed('login_unreadable', `${token.toString()} holds characters that no header may, such as a line end`);
  const place = header === undefined ? { header: 'authorization', scheme } : { header: header.toLowerCase() };
  return { do: 'done', credentials: { kind: 'header', ...place, token, ...more } };
}
