import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { Auth } from '../../src/definition/auth.ts';
import { parseSource } from '../../src/definition/load.ts';
import { auths, Shop, shop, type Site } from './support.ts';

/** All that could give a secret away: as it is, and as it is sent. */
const canary = /canary|Y2FuYXJ5|s3cret-(?:session|access|refresh)/i;

function shownIn(value: unknown): string {
  const json = JSON.stringify(value, (_key, each: unknown) => (each instanceof Error ? each.stack : each));
  return `${inspect(value, { depth: 20, showHidden: true, getters: true })} ${String(value)} ${json}`;
}

const echo: Site = ({ request }) => ({
  status: 302,
  location: `/error?said=${encodeURIComponent(request.body?.reveal() ?? '')}`,
  body: request.body?.reveal() ?? '',
});

const sites: readonly (readonly [what: string, site: Site])[] = [
  [
    'lets them in',
    () => ({
      setCookies: ['session=s3cret-session'],
      body: '{"access_token":"s3cret-access","refresh_token":"s3cret-refresh"}',
    }),
  ],
  ['refuses', () => ({ status: 403 })],
  ['repeats what it was sent', echo],
  ['breaks', () => ({ status: 500, body: 'canary' })],
  ['fails with a message that holds them', ({ request }) => `could not send ${request.body?.reveal()}`],
];

for (const kind of ['basic', 'bearer', 'form', 'token'] as const)
  for (const [what, site] of sites)
    test(`no secret of a ${kind} log-in is shown by anything at a site that ${what}`, async () => {
      const shop1 = new Shop();
      shop1.site = site;
      const desk = await shop1.open(auths[kind]);
      const shown: unknown[] = [desk, desk.condition()];
      for (let time = 0; time < 5; time += 1) shown.push(await desk.authenticate(desk.headersFor(shop).generation));
      shown.push(desk, desk.condition(), shop1.warnings, shop1.saved);
      for (const ask of shop1.asks) shown.push(ask.request.body, ask.shownUrl, ask.request.headers['authorization']);
      for (const each of shown) assert.doesNotMatch(shownIn(each), canary);
    });

for (const [what, auth] of [
  ['a password in the place of its name', 'type: basic, user: u, password: canary-1'],
  ['a password under secret', 'type: basic, user: u, password: { secret: canary-1 }'],
  ['a password under another key', 'type: basic, user: u, password: { value: canary-1 }'],
  ['a list as a field', 'type: form, url: "http://h.test", fields: { p: [canary-1] }, success: { status: 200 }'],
  ['a password in the address', 'type: token, url: "http://u:canary-1@h.test/", fields: {}'],
] as const)
  test(`a definition with ${what} is refused, and the message does not show it`, () => {
    const text = `id: s\nprovider: html\nurl: http://h.test/\nrecords: { p: { key: t, fields: { t: { css: b } } } }\nauth: { ${auth} }`;
    const parsed = parseSource(text, 's.yaml');
    assert.ok(!parsed.ok);
    assert.doesNotMatch(shownIn(parsed), canary);
  });

test('a definition holds names only', () => {
  assert.deepEqual(Auth.parse(auths.basic), auths.basic);
  assert.doesNotMatch(shownIn(auths), canary);
});
