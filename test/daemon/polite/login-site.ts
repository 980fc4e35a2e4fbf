import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { secretsFrom } from '../../../src/session/secret-store.ts';
import { productPage } from '../../support/daemon.ts';
import { openSite, type Site } from '../../support/site.ts';

/** What no log, event, error or file may hold. */
export const canaries = {
  password: 'canary-password-4711',
  access: 'canary-access-',
  refresh: 'canary-refresh-',
  cookie: 'canary-cookie-',
} as const;

export const findSecrets = secretsFrom({ environment: { HERONRY_SECRET_SHOP_PASSWORD: canaries.password } });

/** A site that gives tokens, and pages to who brings one. */
export interface TokenSite extends Site {
  /** What was asked of `/token`, in order. */
  readonly logins: readonly ('login' | 'refresh')[];
  /** No token that was given until now is good any more. */
  revoke(): void;
  /** How the site is to behave from now on. */
  readonly mood: { accepts: boolean; refreshes: boolean; expiresIn: number };
  /** Has a path answer with a page to who is logged in. */
  page(path: string): void;
}

/** How a definition logs in to a token site. */
export function tokenAuth({ origin }: Site, more = ''): string {
  return `auth:
  type: token
  url: "${origin}/token"
  origins: ["${origin}"]
  fields: { user: bot, password: { secret: SHOP_PASSWORD } }
  ${more}`;
}

export async function openTokenSite(t: TestContext): Promise<TokenSite> {
  const site = await openSite(t);
  const logins: ('login' | 'refresh')[] = [];
  const mood = { accepts: true, refreshes: true, expiresIn: 86_400 };
  let good = 0;
  site.answer('/token', (request, response) => void give(request, response));

  return {
    ...site,
    logins,
    mood,
    revoke: () => void (good = Infinity),
    page(path) {
      site.answer(path, ({ headers }, response) => {
        const [, number = ''] = /^Bearer canary-access-(\d+)$/.exec(headers.authorization ?? '') ?? [];
        const isGood = mood.accepts && number !== '' && Number(number) >= good;
        answer(response, isGood ? 200 : 401, isGood ? productPage(path.slice(1), '1.00') : 'log in first');
      });
    },
  };

  async function give(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const fields = new URLSearchParams(await text(request));
    const isRefresh = fields.has('refresh_token');
    logins.push(isRefresh ? 'refresh' : 'login');
    const isRight = isRefresh ? mood.refreshes : fields.get('password') === canaries.password;
    if (!isRight) return answer(response, 400, 'try login');
    if (good === Infinity) good = logins.length;
    const tokens = {
      access_token: `${canaries.access}${logins.length}`,
      refresh_token: `${canaries.refresh}${logins.length}`,
      expires_in: mood.expiresIn,
    };
    return answer(response, 200, JSON.stringify(tokens), 'application/json');
  }
}

function answer(response: ServerResponse, status: number, body: string, type = 'text/html'): void {
  response.statusCode = status;
  response.setHeader('content-type', type).end(body);
}
