import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { VirtualClock } from '../../src/clock.ts';
import { Auth } from '../../src/definition/auth.ts';
import { type LoginAsk, SessionDesk } from '../../src/session/desk.ts';
import type { LoginOutcome } from '../../src/session/login.ts';
import { readLogin } from '../../src/session/read-login.ts';
import { sealerWith } from '../../src/session/seal.ts';
import { type FindSecrets, secretsFrom } from '../../src/session/secret-store.ts';

export function temporaryFolder(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'heronry-'));
  context.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** What a site answers to one exchange of a log-in. */
export interface SiteAnswer {
  readonly status?: number;
  readonly location?: string;
  readonly setCookies?: readonly string[];
  readonly challenge?: string;
  readonly body?: string;
}

/** A text stands for an exchange that failed, and says why. */
export type Site = (
  ask: LoginAsk & { readonly signal?: AbortSignal },
) => SiteAnswer | string | Promise<SiteAnswer | string>;

/** The outcome that an engine would make of a site's answer. */
export async function outcomeOf(site: Site, ask: LoginAsk, at: number): Promise<LoginOutcome> {
  const answer = await site(ask);
  if (typeof answer === 'string') return { kind: 'failed', message: answer };
  const { status = 200, location, setCookies = [], challenge, body = '' } = answer;
  return {
    kind: 'answered',
    url: ask.request.url,
    status,
    ...(location !== undefined && { location: new URL(location, ask.request.url).href }),
    setCookies,
    challenge,
    read: await readLogin(body, ask.reading),
    at,
  };
}

export const environment: Readonly<Record<string, string>> = {
  HERONRY_SECRET_SHOP_USER: 'canary-user-1c',
  HERONRY_SECRET_SHOP_PASSWORD: 'canary pass&word/ü',
  HERONRY_SECRET_SHOP_TOKEN: 'canary-token-77',
};

export const shop = 'http://127.0.0.1:8080';

/** Definitions of each kind of log-in, as they come out of the schema. */
export const auths = {
  basic: Auth.parse({ type: 'basic', user: { secret: 'SHOP_USER' }, password: { secret: 'SHOP_PASSWORD' } }),
  bearer: Auth.parse({ type: 'bearer', token: { secret: 'SHOP_TOKEN' } }),
  form: Auth.parse({
    type: 'form',
    url: `${shop}/login`,
    fields: { user: { secret: 'SHOP_USER' }, password: { secret: 'SHOP_PASSWORD' }, go: 'yes' },
    success: { cookie: 'session' },
  }),
  token: Auth.parse({
    type: 'token',
    url: `${shop}/token`,
    fields: { grant_type: 'password', password: { secret: 'SHOP_PASSWORD' } },
    refresh: { fields: { grant_type: 'refresh_token' } },
  }),
} as const;

/** Remembers what it was asked, and everything that could be shown to somebody. */
export class Shop {
  readonly clock = new VirtualClock(1_000_000);
  readonly asks: LoginAsk[] = [];
  readonly warnings: string[] = [];
  saved: string | undefined;
  saves = 0;
  site: Site = () => ({ setCookies: ['session=s1; Path=/'] });
  findSecrets: FindSecrets = secretsFrom({ environment });
  sealer = sealerWith(new Uint8Array(32).fill(7));

  /** A desk as one life of the source's actor has it. */
  open(
    auth: Auth | undefined,
    url: string | undefined = `${shop}/item/{id}`,
    signal?: AbortSignal,
  ): Promise<SessionDesk> {
    return SessionDesk.open(
      { id: 'shop', ...(url !== undefined && { url }), ...(auth && { auth }) },
      {
        clock: this.clock,
        sealer: this.sealer,
        findSecrets: (names) => this.findSecrets(names),
        load: () => this.saved,
        save: async (sealed) => {
          this.saves += 1;
          this.saved = sealed;
        },
        ask: (ask) => {
          this.asks.push(ask);
          return outcomeOf((each) => this.site({ ...each, ...(signal && { signal }) }), ask, this.clock.now());
        },
        warn: (message) => void this.warnings.push(message),
      },
    );
  }

  /** What was sent, revealed. */
  sent(): string[] {
    return this.asks.map(({ request }) => `${request.method} ${request.url} ${request.body?.reveal() ?? ''}`.trim());
  }
}
