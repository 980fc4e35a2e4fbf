import type { Auth } from '../definition/auth.ts';
import {
  failed,
  formBody,
  type LoginFlow,
  type LoginOutcome,
  type LoginPlan,
  type LoginStep,
  shownUrl,
  textsOf,
  tokenCredentials,
  unavailable,
} from './login.ts';
import { Secret } from './secret.ts';

type Token = Extract<Auth, { type: 'token' }>;
type Plan = LoginPlan<Token>;
type Step = LoginStep<TokenState>;

/** A redirect is followed with what was sent; the refresh token is kept for an answer that brings no new one. */
export interface TokenState {
  readonly redirects: number;
  readonly body: Secret;
  readonly refresh?: Secret;
}

/** An API that gives tokens has no reason to redirect twice. */
const maxRedirects = 2;

/** A log-in that is answered with a token. */
export const tokenLogin: LoginFlow<Token, TokenState> = {
  begin({ auth, secrets, origins }) {
    const body = bodyOf(auth, textsOf(auth.fields, secrets));
    return ask({ auth, origins }, auth.url, { redirects: 0, body });
  },
  next,
};

/** A new token for a refresh token: as `tokenLogin`, with less to send. */
export function beginRefresh({ auth, secrets, origins }: Plan, refresh: Secret): Step {
  if (auth.refresh === undefined) return failed('login_refused', 'the definition names no way to refresh a token');
  const { url = auth.url, fields, token } = auth.refresh;
  const body = bodyOf(auth, [...textsOf(fields, secrets), [token, refresh.reveal()]]);
  return ask({ auth, origins }, url, { redirects: 0, body, refresh });
}

function bodyOf({ encoding }: Token, fields: readonly [name: string, text: string][]): Secret {
  if (encoding === 'form') return formBody(fields);
  return new Secret('body of the log-in', JSON.stringify(Object.fromEntries(fields)));
}

const contentTypes = { form: 'application/x-www-form-urlencoded', json: 'application/json' } as const;

function ask({ auth, origins }: Pick<Plan, 'auth' | 'origins'>, url: string, state: TokenState): Step {
  if (!origins.has(URL.parse(url)?.origin ?? ''))
    return failed(
      'login_refused',
      `the log-in leads to ${shownUrl(url)}, which is none of the origins that the definition names`,
    );
  const headers = { accept: 'application/json', 'content-type': contentTypes[auth.encoding] };
  return {
    do: 'ask',
    request: { url, method: 'POST', headers, body: state.body },
    reading: { json: { ...auth.read } },
    state,
  };
}

function next(plan: Plan, state: TokenState, outcome: LoginOutcome): Step {
  const down = unavailable(outcome);
  if (down !== undefined || outcome.kind === 'failed') return down ?? failed('login_unavailable', 'no answer');
  const { status, url, location, read, at } = outcome;
  if (location !== undefined && (status === 307 || status === 308) && state.redirects < maxRedirects)
    return ask(plan, location, { ...state, redirects: state.redirects + 1 });
  if (status >= 300) return failed('login_refused', `${shownUrl(url)} refused the log-in with status ${status}`);
  const { access } = read.json;
  if (access === undefined)
    return failed('login_unreadable', `the answer of ${shownUrl(url)} has no token at "${plan.auth.read.access}"`);
  return tokenCredentials(plan.auth, new Secret('token', String(access)), {
    ...refreshOf(read.json['refresh'], state.refresh),
    ...expiryOf(read.json['expiresIn'], at),
  });
}

/** RFC 6749: an answer without a new refresh token leaves the old one in force. */
function refreshOf(found: string | number | undefined, before: Secret | undefined): { readonly refresh?: Secret } {
  if (found !== undefined) return { refresh: new Secret('refresh token', String(found)) };
  return before === undefined ? {} : { refresh: before };
}

function expiryOf(seconds: string | number | undefined, at: number): { readonly expiresAt?: number } {
  const after = Number(seconds);
  return seconds !== undefined && after > 0 && after < 1e10 ? { expiresAt: at + after * 1_000 } : {};
}
