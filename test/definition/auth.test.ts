import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Auth, authOrigins, loginUrls, secretNames } from '../../src/definition/auth.ts';
import { parseSource } from '../../src/definition/load.ts';

/** Problems of a source whose `auth` is the given YAML, as `path: message`. */
function problemsOf(auth: string, url = 'url: "http://h.test/{id}"'): string[] {
  const head = `id: site\nprovider: html\nrecords: { page: { key: title, fields: { title: { css: h1 } } } }\n${url}`;
  const parsed = parseSource(`${head}\nauth: ${auth}`, 'site.yaml');
  return parsed.ok ? [] : parsed.problems.map(({ path, message }) => `${path}: ${message}`);
}

const password = 'password: { secret: P }';

describe('the log-in of a definition', () => {
  for (const auth of [
    `{ type: basic, user: me, ${password} }`,
    '{ type: bearer, token: { secret: T }, header: x-api-key }',
    '{ type: bearer, token: { secret: T }, header: Authorization }',
    `{ type: form, url: "http://h.test/l", fields: { p: { secret: P }, keep: "1" }, hidden: { csrf: "input[name=c]" }, success: { redirect: /in } }`,
    `{ type: token, url: "http://h.test/t", fields: { p: { secret: P } }, refresh: {}, read: { access: data.token } }`,
  ])
    test(`may be ${auth.slice(2, 15)}`, () => assert.deepEqual(problemsOf(auth), []));

  const table: readonly (readonly [auth: string, ...problems: string[]])[] = [
    [
      '{ type: bsic }',
      'auth.type: expected one of basic, bearer, form, token, plugin, got "bsic"; did you mean "basic"?',
    ],
    [
      `{ type: basic, usr: me, ${password} }`,
      'auth.user: missing, expected text or a mapping { secret: NAME }',
      'auth.usr: unknown key "usr"; did you mean "user"?',
    ],
    [
      '{ type: basic, user: me, password: hunter2 }',
      'auth.password: expected a mapping { secret: NAME }, since no secret stands here',
    ],
    [
      '{ type: bearer, token: { secret: lower } }',
      'auth.token.secret: expected the name of a secret like "SHOP_PASSWORD": capitals, digits and "_"',
    ],
    [
      '{ type: form, url: "ftp://h.test/", fields: {}, success: {} }',
      'auth.url: expected an http or https URL without user name and password',
      'auth.success: expected at least one of status, redirect, selector and cookie, got {}',
    ],
    ...['Content-Length', 'transfer-encoding', 'Host', 'cookie'].map(
      (header) =>
        [
          `{ type: bearer, token: { secret: T }, header: ${header} }`,
          `auth.header: expected a header that the daemon does not set itself, got "${header}"`,
        ] as const,
    ),
    [
      `{ type: basic, user: me, ${password}, origins: ["http://h.test/x"] }`,
      'auth.origins[0]: expected an origin like "https://shop.example", got "http://h.test/…"',
    ],
  ];
  for (const [auth, ...problems] of table)
    test(`${auth} is refused`, () => assert.deepEqual(problemsOf(auth).sort(), problems.sort()));

  test('names its origins where neither it nor the source has an address', () => {
    assert.deepEqual(problemsOf(`{ type: basic, user: me, ${password} }`, 'name: x'), [
      'auth.origins: missing, expected the origins that the basic credentials are for, since the source has no url',
    ]);
  });

  test('is for the origins it names, else for its own and that of the source', () => {
    const auth = Auth.parse({
      type: 'form',
      url: 'https://id.test/l',
      page: 'https://id.test/f',
      fields: {},
      success: { status: 200 },
    });
    assert.deepEqual(authOrigins(auth, 'https://h.test/{id}?q={q}'), ['https://h.test', 'https://id.test']);
    assert.deepEqual(authOrigins({ ...auth, origins: ['https://x.test'] }, 'https://h.test/{id}'), ['https://x.test']);
    assert.deepEqual(loginUrls(auth), ['https://id.test/f', 'https://id.test/l']);
  });

  test('names each of its secrets once', () => {
    const fields = { a: { secret: 'B' }, b: { secret: 'A' }, c: 'text', d: { secret: 'B' } };
    const auth = Auth.parse({
      type: 'token',
      url: 'https://h.test/t',
      fields,
      refresh: { fields: { e: { secret: 'C' } } },
    });
    assert.deepEqual(secretNames(auth), ['A', 'B', 'C']);
  });
});
