import { defined } from '../defined.ts';
import type { Auth } from '../definition/auth.ts';
import { formLogin } from './form-login.ts';
import { failed, type LoginEnd, type LoginPlan, textOf, tokenCredentials } from './login.ts';
import { Secret } from './secret.ts';
import { tokenLogin, tokenRefresh } from './token-login.ts';

/** Logs in as the definition says. Rejects as `ask` of the plan does. */
export async function logIn({ auth, ...given }: LoginPlan): Promise<LoginEnd> {
  switch (auth.type) {
    case 'basic':
    case 'bearer':
      return fixedLogin(auth, given.secrets);
    case 'form':
      return formLogin({ auth, ...given });
    case 'token':
      return tokenLogin({ auth, ...given });
    default:
      return auth satisfies never;
  }
}

/** Renews a token; `undefined` if the definition has no way to do so. Rejects as `ask` of the plan does. */
export async function renewToken({ auth, ...given }: LoginPlan, refresh: Secret): Promise<LoginEnd | undefined> {
  if (auth.type !== 'token' || auth.refresh === undefined) return undefined;
  return tokenRefresh({ auth, ...given }, auth.refresh, refresh);
}

/** The credentials of a log-in that needs no request. Throws for a secret that `secrets` does not hold. */
export function fixedLogin(auth: FixedAuth, secrets: LoginPlan['secrets']): LoginEnd {
  if (auth.type === 'basic') return basicLogin(auth, secrets);
  return tokenCredentials(auth, new Secret(auth.token.secret, textOf(auth.token, secrets)));
}

type FixedAuth = Extract<Auth, { type: 'basic' | 'bearer' }>;

/** User and password with each request, as RFC 7617 has it. */
function basicLogin(auth: Extract<Auth, { type: 'basic' }>, secrets: LoginPlan['secrets']): LoginEnd {
  const user = textOf(auth.user, secrets);
  if (user.includes(':'))
    return failed('login_unreadable', 'expected a user name without ":", which would end it in the header');
  const pair = Buffer.from(`${user}:${textOf(auth.password, secrets)}`).toString('base64');
  return tokenCredentials({ scheme: 'Basic' }, new Secret('user and password', pair));
}

/** The result of a log-in that a plug-in made itself. */
export type PluginLogin =
  | {
      readonly ok: true;
      readonly credentials: {
        readonly headers: Readonly<Record<string, string>>;
        readonly expiresInMs?: number | undefined;
      };
    }
  /** `cause` is the code of the request whose failure ended the log-in. */
  | { readonly ok: false; readonly message: string; readonly cause?: string };

/**
 * The end of a log-in that a plug-in made; `now` is wall time. Where the site gave no answer, the log-in counts as unavailable, not as
 * refused.
 */
export function pluginLogin(login: PluginLogin = { ok: false, message: 'there is no plug-in' }, now: number): LoginEnd {
  if (!login.ok) {
    const { cause = 'status', message } = login;
    return failed(cause === 'status' ? 'login_refused' : 'login_unavailable', `could not log in: ${message}`);
  }
  const { headers, expiresInMs } = login.credentials;
  const secret = Object.entries(headers).map(([name, text]) => [name.toLowerCase(), new Secret(name, text)] as const);
  const expiresAt = expiresInMs === undefined ? undefined : now + expiresInMs;
  return {
    do: 'done',
    credentials: { kind: 'headers', headers: Object.fromEntries(secret), ...defined({ expiresAt }) },
  };
}
