import { type Credentials, failed, type LoginFailure } from './login.ts';
import { Secret } from './secret.ts';

/** What a plug-in's own log-in came to. */
export type PluginLogin =
  | {
      readonly ok: true;
      readonly credentials: {
        readonly headers: Readonly<Record<string, string>>;
        readonly expiresInMs?: number | undefined;
      };
    }
  /** `cause` is the code of the request whose failure ended it. */
  | { readonly ok: false; readonly message: string; readonly cause?: string };

/** Takes up a log-in that a plug-in made; `now` is wall time. A site that gave no answer lost nothing. */
export function pluginLogin(
  login: PluginLogin = { ok: false, message: 'there is no plug-in' },
  now: number,
):
  | { readonly do: 'done'; readonly credentials: Credentials }
  | { readonly do: 'fail'; readonly failure: LoginFailure } {
  if (!login.ok) {
    const { cause = 'status', message } = login;
    return failed(cause === 'status' ? 'login_refused' : 'login_unavailable', `could not log in: ${message}`);
  }
  const { headers, expiresInMs } = login.credentials;
  const hidden = Object.entries(headers).map(([name, text]) => [name.toLowerCase(), new Secret(name, text)] as const);
  return {
    do: 'done',
    credentials: {
      kind: 'headers',
      headers: Object.fromEntries(hidden),
      ...(expiresInMs !== undefined && { expiresAt: now + expiresInMs }),
    },
  };
}

/** What credentials add to a request, cookies aside. */
export function headersOf(credentials: Credentials | undefined): Readonly<Record<string, string>> {
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

/** What of credentials no message may show. */
export function tokensOf(credentials: Credentials | undefined): readonly Secret[] {
  if (credentials?.kind === 'headers') return Object.values(credentials.headers);
  if (credentials?.kind !== 'header') return [];
  const { token, refresh } = credentials;
  return refresh === undefined ? [token] : [token, refresh];
}
