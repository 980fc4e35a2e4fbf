import type { Auth } from '../definition/auth.ts';
import { shownUrl } from '../definition/url-pattern.ts';
import { defined } from '../defined.ts';
import {
  answerTo,
  failed,
  formBody,
  type LoginAnswer,
  type LoginEnd,
  type LoginPlan,
  textsOf,
  tokenCredentials,
} from './login.ts';
import { Secret } from './secret.ts';

type Token = Extract<Auth, { type: 'token' }>;
type Plan = LoginPlan<Token>;

/** An API that gives tokens has no reason to redirect twice. */
const maxRedirects = 2;

const contentTypes = { form: 'application/x-www-form-urlencoded', json: 'application/json' } as const;

/** Logs in at an API whose answer holds a token. Rejects as `ask` of the plan does. */
export function tokenLogin(plan: Plan): Promise<LoginEnd> {
  const { auth, secrets } = plan;
  return requestToken(plan, auth.url, bodyOf(auth, textsOf(auth.fields, secrets)));
}

/** Requests a new token with a refresh token. Rejects as `ask` of the plan does. */
export function tokenRefresh(
  plan: Plan,
  { url, fields, token }: NonNullable<Token['refresh']>,
  refresh: Secret,
): Promise<LoginEnd> {
  const { auth, secrets } = plan;
  const body = bodyOf(auth, [...textsOf(fields, secrets), [token, refresh.reveal()]]);
  return requestToken(plan, url ?? auth.url, body, refresh);
}

function bodyOf({ encoding }: Token, fields: readonly [name: string, text: string][]): Secret {
  if (encoding === 'form') return formBody(fields);
  return new Secret('body of the log-in', JSON.stringify(Object.fromEntries(fields)));
}

/**
 * Requests a token. A redirect is followed with the same body.
 *
 * @param kept - the refresh token that stays in force if the answer brings no new one.
 */
async function requestToken(plan: Plan, start: string, body: Secret, kept?: Secret): Promise<LoginEnd> {
  const { auth } = plan;
  const headers = { accept: 'application/json', 'content-type': contentTypes[auth.encoding] };
  let url = start;
  for (let redirects = 0; ; redirects += 1) {
    const answer = await answerTo(plan, { url, method: 'POST', headers, body }, { json: { ...auth.read } });
    if ('do' in answer) return answer;
    const { location, status } = answer;
    const isFollowed = (status === 307 || status === 308) && redirects < maxRedirects;
    if (location === undefined || !isFollowed) return readToken(auth, answer, kept);
    url = location;
  }
}

function readToken(auth: Token, { status, url, read, at }: LoginAnswer, kept: Secret | undefined): LoginEnd {
  if (status >= 300) return failed('login_refused', `${shownUrl(url)} refused the log-in with status ${status}`);
  const { access, refresh, expiresIn } = read.json;
  if (access === undefined)
    return failed('login_unreadable', `the answer of ${shownUrl(url)} has no token at "${auth.read.access}"`);
  const more = defined({
    // RFC 6749: an answer without a new refresh token leaves the old one in force.
    refresh: refresh === undefined ? kept : new Secret('refresh token', String(refresh)),
    expiresAt: expiryOf(expiresIn, at),
  });
  return tokenCredentials(auth, new Secret('token', String(access)), more);
}

function expiryOf(seconds: string | number | undefined, at: number): number | undefined {
  const after = Number(seconds);
  return seconds !== undefined && after > 0 && after < 1e10 ? at + after * 1_000 : undefined;
}
