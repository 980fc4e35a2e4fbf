import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Auth, authOrigins, secretNames } from '../../src/definition/auth.ts';
import type { LoginAsk } from '../../src/session/desk.ts';
import type { DeclaredAuth, LoginEnd, LoginPlan, SessionCredentials } from '../../src/session/login.ts';
import { fixedLogin, logIn as logInBy, renewToken } from '../../src/session/start-login.ts';
import { secretsFrom } from '../../src/session/secret-store.ts';
import { Secret } from '../../src/session/secret.ts';
import { auths, environment, outcomeOf, shop, type Site, type SiteAnswer } from './support.ts';

/** A log-in, or another use of its plan, and what was asked for meanwhile, as text. */
async function follow(auth: Auth, site: Site, use: (plan: LoginPlan) => Promise<LoginEnd | undefined>) {
  const asked: string[] = [];
  const found = await secretsFrom({ environment })(secretNames(auth));
  assert.ok(found.ok);
  const end = await use({
    auth: auth as DeclaredAuth,
    secrets: found.secrets,
    origins: new Set(authOrigins(auth, undefined)),
    ask(request, reading) {
      asked.push(`${request.method} ${request.url.replace(shop, '')} ${request.body?.reveal() ?? ''}`.trim());
      return outcomeOf(site, { shownUrl: '', request, reading }, 5_000);
    },
  });
  return { end: end ?? assert.fail('there was no log-in'), asked };
}

async function logIn(auth: Auth, site: Site) {
  return follow(auth, site, logInBy);
}

/** A site that answers each path with what is written for it. */
function siteOf(answers: Readonly<Record<string, SiteAnswer>>): Site {
  return ({ request }: LoginAsk) => answers[`${request.method} ${new URL(request.url).pathname}`] ?? { status: 404 };
}

function shown(end: LoginEnd): string {
  if (end.do === 'fail') return `${end.failure.code}: ${end.failure.message}`;
  const { credentials } = end;
  return credentials.kind === 'header' ? headerText(credentials) : credentials.kind;
}

function headerText({ header, scheme, token }: Extract<SessionCredentials, { kind: 'header' }>): string {
  return `${header}: ${scheme ?? ''} ${token.reveal()}`;
}

const credentialsBody = 'user=canary-user-1c&password=canary+pass%26word%2F%C3%BC&go=yes';

describe('a log-in without exchange', () => {
  test('by user and password is a header of RFC 7617, in UTF-8 (O57)', async () => {
    const pair = Buffer.from('canary-user-1c:canary pass&word/ü').toString('base64');
    assert.equal(shown((await logIn(auths.basic, siteOf({}))).end), `authorization: Basic ${pair}`);
  });

  test('by token is a header, after a scheme or alone', async () => {
    const own = Auth.parse({ type: 'bearer', token: { secret: 'SHOP_TOKEN' }, header: 'X-Api-Key' });
    assert.equal(shown((await logIn(auths.bearer, siteOf({}))).end), 'authorization: Bearer canary-token-77');
    assert.equal(shown((await logIn(own, siteOf({}))).end), 'x-api-key:  canary-token-77');
  });

  test('refuses a token that no header can hold, by its name', () => {
    const bearer = auths.bearer as Extract<Auth, { type: 'bearer' }>;
    const secrets = new Map([['SHOP_TOKEN', new Secret('SHOP_TOKEN', 'canary\n')]]);
    assert.match(shown(fixedLogin(bearer, secrets)), /^login_unreadable: \[secret SHOP_TOKEN\] holds characters/);
  });
});

describe('a log-in by form', () => {
  function formOf(more: Readonly<Record<string, unknown>>): Auth {
    return Auth.parse({ ...auths.form, ...more });
  }

  test('sends its fields once and is done when the cookie is set', async () => {
    const { end, asked } = await logIn(auths.form, () => ({
      status: 302,
      location: '/account',
      setCookies: ['session=1'],
    }));
    assert.equal(shown(end), 'cookies');
    assert.deepEqual(asked, [`POST /login ${credentialsBody}`]);
  });

  test('sends what the page of the form holds along with its fields', async () => {
    const auth = formOf({ page: `${shop}/start`, hidden: { csrf: 'input[name=csrf]', meta: 'meta[name=m]' } });
    const page = '<meta name=m content=M><form><input type=hidden name=csrf value="a&b"></form>';
    const { end, asked } = await logIn(
      auth,
      siteOf({
        'GET /start': { status: 302, location: '/start2' },
        'GET /start2': { body: page },
        'POST /login': { setCookies: ['session=1'] },
      }),
    );
    assert.equal(shown(end), 'cookies');
    assert.deepEqual(asked, ['GET /start', 'GET /start2', `POST /login csrf=a%26b&meta=M&${credentialsBody}`]);
  });

  test('fails by name when its page does not hold a hidden field', async () => {
    const { end } = await logIn(formOf({ hidden: { csrf: '.no' } }), () => ({ body: '<p>hello</p>' }));
    assert.equal(shown(end), `login_unreadable: the log-in page ${shop}/login has nothing for hidden.csrf`);
  });

  const table: readonly (readonly [
    what: string,
    success: object,
    answers: Readonly<Record<string, SiteAnswer>>,
    string,
  ])[] = [
    ['a status', { status: 204 }, { 'POST /login': { status: 204 } }, 'done after 1'],
    ['another status', { status: 204 }, { 'POST /login': { status: 200 } }, 'refused after 1'],
    ['a redirect', { redirect: '/in' }, { 'POST /login': { status: 302, location: '/in?x' } }, 'done after 1'],
    [
      'a redirect further on',
      { redirect: '/in' },
      { 'POST /login': { status: 303, location: '/a' }, 'GET /a': { status: 301, location: '/in' } },
      'done after 2',
    ],
    [
      'a redirect back to the form',
      { redirect: '/in' },
      { 'POST /login': { status: 302, location: '/login' }, 'GET /login': {} },
      'refused after 2',
    ],
    [
      'an element of the page it leads to',
      { selector: '.logout' },
      { 'POST /login': { status: 302, location: '/in' }, 'GET /in': { body: '<a class=logout>' } },
      'done after 2',
    ],
    ['no such element', { selector: '.logout' }, { 'POST /login': { body: '<a class=login>' } }, 'refused after 1'],
    [
      'a cookie that is taken away',
      { cookie: 's' },
      { 'POST /login': { setCookies: ['s=; Max-Age=0'] } },
      'refused after 1',
    ],
    [
      'all of several tests',
      { cookie: 's', selector: 'b' },
      { 'POST /login': { status: 302, location: '/in', setCookies: ['s=1'] }, 'GET /in': { body: '<b>' } },
      'done after 2',
    ],
    [
      'a redirect that wants the form again',
      { status: 308, cookie: 's' },
      { 'POST /login': { status: 308, location: '/l2' }, 'POST /l2': { setCookies: ['s=1'] } },
      'done after 2',
    ],
    [
      'redirects without end',
      { cookie: 's' },
      { 'POST /login': { status: 302, location: '/r' }, 'GET /r': { status: 302, location: '/r' } },
      'refused after 6',
    ],
    [
      'a redirect elsewhere',
      { cookie: 's' },
      { 'POST /login': { status: 307, location: 'http://127.0.0.2/x' } },
      'refused after 1',
    ],
    ['a site that is down', { cookie: 's' }, { 'POST /login': { status: 503 } }, 'unavailable after 1'],
    ['too many requests', { cookie: 's' }, { 'POST /login': { status: 429 } }, 'unavailable after 1'],
  ];
  for (const [what, success, answers, expected] of table)
    test(`is ${expected} exchanges, given ${what}`, async () => {
      const { end, asked } = await logIn(formOf({ success }), siteOf(answers));
      const ended = end.do === 'fail' ? end.failure.code.slice('login_'.length) : end.do;
      assert.equal(`${ended} after ${asked.length}`, expected);
    });

  test('is unavailable where something before the site answers in its place, so that nothing is lost', async () => {
    for (const auth of [auths.form, auths.token]) {
      const { end } = await logIn(auth, () => ({ status: 403, challenge: 'Cloudflare' }));
      assert.match(shown(end), /^login_unavailable: .* is behind a challenge of Cloudflare$/);
    }
  });

  test('tells which test it did not pass', async () => {
    const { end } = await logIn(auths.form, () => ({ status: 200 }));
    assert.equal(
      shown(end),
      `login_refused: the log-in was refused: expected cookie session, got status 200 from ${shop}/login without it`,
    );
  });
});

describe('a log-in for a token', () => {
  test('reads the token, its end and the way to renew it', async () => {
    const { end, asked } = await logIn(auths.token, () => ({
      body: '{"access_token":"t1","refresh_token":"r1","expires_in":60}',
    }));
    assert.deepEqual(asked, ['POST /token grant_type=password&password=canary+pass%26word%2F%C3%BC']);
    assert.ok(end.do === 'done' && end.credentials.kind === 'header');
    assert.equal(headerText(end.credentials), 'authorization: Bearer t1');
    assert.equal(end.credentials.refresh?.reveal(), 'r1');
    assert.equal(end.credentials.expiresAt, 65_000);
  });

  test('finds it by dotted keys, sends JSON and uses another header', async () => {
    const auth = Auth.parse({
      type: 'token',
      url: `${shop}/token`,
      encoding: 'json',
      fields: { key: { secret: 'SHOP_TOKEN' } },
      read: { access: 'data.0.jwt' },
      header: 'X-Token',
    });
    const { end, asked } = await logIn(auth, () => ({ status: 201, body: '{"data":[{"jwt":"t2"}]}' }));
    assert.equal(shown(end), 'x-token:  t2');
    assert.deepEqual(asked, ['POST /token {"key":"canary-token-77"}']);
  });

  for (const [what, answer, expected] of [
    ['no JSON', { body: '<p>canary' }, /^login_unreadable: the answer of .* has no token at "access_token"$/],
    ['no token', { body: '{"access_token":{"x":1}}' }, /^login_unreadable/],
    ['a token with a line end', { body: String.raw`{"access_token":"a\nb"}` }, /^login_unreadable: \[secret token\]/],
    ['a refusal', { status: 400, body: '{"error":"invalid_grant"}' }, /^login_refused: .* with status 400$/],
    ['a redirect', { status: 302, location: '/x' }, /^login_refused/],
    ['a redirect elsewhere', { status: 307, location: 'http://127.0.0.2/x' }, /^login_refused: .* none of the origins/],
    ['an error of the site', { status: 500 }, /^login_unavailable/],
  ] as const)
    test(`fails on ${what}`, async () => assert.match(shown((await logIn(auths.token, () => answer)).end), expected));

  test('renews a token, and keeps the refresh token for which there is no new one', async () => {
    const { end, asked } = await follow(
      auths.token,
      () => ({ body: '{"access_token":"t2"}' }),
      (plan) => renewToken(plan, new Secret('refresh token', 'r1')),
    );
    assert.deepEqual(asked, ['POST /token grant_type=refresh_token&refresh_token=r1']);
    assert.ok(end.do === 'done' && end.credentials.kind === 'header');
    assert.equal(end.credentials.refresh?.reveal(), 'r1');
  });
});
