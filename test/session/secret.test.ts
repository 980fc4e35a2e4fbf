import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { ownerFault, secretsFrom } from '../../src/session/secret-store.ts';
import { withoutSecrets } from '../../src/session/redact.ts';
import { Secret } from '../../src/session/secret.ts';
import { temporaryFolder } from './support.ts';

/** Of every kind that is written differently somewhere. */
const texts = [
  'abcdefgh',
  'canary pass&word/ü',
  's:abc+def/xyz==',
  'abcdefg%3D%3d',
  '41abcdef',
  'a%25252Fb%zz%4',
  'schlüssel €5 😀',
  `quote"back\\slash'()*!~\n\u0001`,
  '\ufffd half \ud83d',
];

/** A text as sites and clients write it. */
const writings: readonly (readonly [what: string, write: (text: string) => string])[] = [
  ['as it is', (text) => text],
  ['with escapes', (text) => encodeURIComponent(text.toWellFormed())],
  ['with small escapes', (text) => escaped(text, (hex) => hex)],
  ['with an escape for each letter', (text) => escaped(text, (hex) => hex.toUpperCase(), /[^]/gu)],
  [
    'with escapes of escapes',
    (text) =>
      escaped(
        escaped(text, (hex) => hex),
        (hex) => hex,
      ),
  ],
  ['escaped three times', (text) => [1, 2, 3].reduce((each) => encodeURIComponent(each), text.toWellFormed())],
  ['with + for spaces', (text) => encodeURIComponent(text.toWellFormed()).replaceAll('%20', '+')],
  ['as a field of a form', (text) => new URLSearchParams({ '': text }).toString().slice(1)],
  ['in JSON', (text) => JSON.stringify(text).slice(1, -1)],
  ['in JSON within an URL', (text) => encodeURIComponent(JSON.stringify(text).slice(1, -1))],
  ['in base64', (text) => Buffer.from(text).toString('base64')],
  ['in base64 within an URL', (text) => encodeURIComponent(Buffer.from(text).toString('base64'))],
];

function escaped(text: string, digits: (hex: string) => string, which = /[^\w.-]/gu): string {
  return text.replaceAll(which, (letter) =>
    Array.from(Buffer.from(letter), (octet) => `%${digits(octet.toString(16).padStart(2, '0'))}`).join(''),
  );
}

/** What stands before and behind it, of which no escape runs into it. */
const surroundings = [
  ['', ''],
  ['?t=', '&p=1'],
  ['grün%20', '%zz€'],
  ['%25-', '%4'],
  ['😀', '…'],
] as const;

describe('a secret', () => {
  const secret = new Secret('SHOP_PASSWORD', 'canary pass&word/ü');

  test('is its name wherever it is shown', () => {
    const shown = [
      String(secret),
      ['at', secret].join(' '),
      JSON.stringify({ secret }),
      inspect({ secret }, { depth: 9 }),
    ];
    for (const text of shown) assert.match(text, /\[secret SHOP_PASSWORD\]/);
    for (const text of shown) assert.doesNotMatch(text, /canary/);
    assert.deepEqual(Object.values(secret), ['SHOP_PASSWORD']);
  });

  test('is taken out of a message in each of its forms', () => {
    const { searchParams } = new URL('http://h.test');
    searchParams.set('p', secret.reveal());
    const forms = [
      secret.reveal(),
      encodeURIComponent(secret.reveal()),
      searchParams.toString(),
      Buffer.from(secret.reveal()).toString('base64'),
    ];
    for (const form of forms)
      assert.match(withoutSecrets(`at ${form}!`, [secret]), /^at (?:p=)?\[secret SHOP_PASSWORD\]!$/);
  });

  for (const [what, text, message] of [
    ['with escapes in small letters', 's:abcd/xyz', '?t=s%3aabcd%2fxyz&p=1'],
    ['escaped twice', 's:abcd/xyz', '?next=%2Fb%3Ft%3Ds%253Aabcd%252Fxyz&p=1'],
    ['decoded, where it was sent with escapes', 'abcdefg%3D%3d', '?t=abcdefg==&p=1'],
    ['behind what looks like an escape', '41abcdef', '?t=100%41abcdef&p=1'],
    ['in letters of several octets', 'schlüssel', '?t=schl%c3%bcssel&p=1'],
  ] as const)
    test(`is taken out of an address ${what}`, () => {
      const shown = withoutSecrets(message, [new Secret('COOKIE', text)], () => '…');
      assert.match(shown, /…&p=1$/);
      assert.doesNotMatch(shown, /abcd|ssel/);
    });

  for (const [what, write] of writings)
    test(`is taken out of any text where it stands ${what}`, () => {
      for (const text of texts)
        for (const [before, behind] of surroundings) {
          const message = before + write(text) + behind;
          // Those before it stand in nothing; it is looked for among them all the same, and again.
          const secrets = ['never there', 'x'.repeat(99), text].map((each) => new Secret('COOKIE', each));
          for (const time of ['first', 'second'])
            assert.equal(
              withoutSecrets(message, secrets, () => '…'),
              `${before}…${behind}`,
              `${message}, ${time} time`,
            );
        }
    });

  test('that is a part of another, or overlaps with it, leaves nothing of it', () => {
    const secrets = ['abcdefgh', 'abcdefghijkl', 'ijklmnop'].map((text) => new Secret('COOKIE', text));
    assert.equal(
      withoutSecrets('?t=abcdefghijklmnop&p=1', secrets, () => '…'),
      '?t=…&p=1',
    );
  });

  test('is taken out where another that goes cuts the escape that swallowed its beginning', () => {
    const secrets = ['xxxx%4', '1bcdefgh-ü'].map((text) => new Secret('COOKIE', text));
    assert.equal(
      withoutSecrets('?t=xxxx%41bcdefgh-%c3%bc&p=1', secrets, () => '…'),
      '?t=……&p=1',
    );
  });

  test('of three letters is not looked for, since it is found everywhere', () => {
    assert.equal(withoutSecrets('a page of the shop', [new Secret('X', 'pag')]), 'a page of the shop');
  });
});

describe('secrets', () => {
  test('come from the environment, before the file', async (context) => {
    const file = join(temporaryFolder(context), 'secrets.yaml');
    writeFileSync(file, 'A: of the file\nB: "0042"\n', { mode: 0o600 });
    const found = await secretsFrom({ environment: { HERONRY_SECRET_A: 'of the environment' }, file })(['A', 'B']);
    assert.ok(found.ok);
    assert.deepEqual(
      Array.from(found.secrets, ([name, secret]) => [name, secret.reveal()]),
      [
        ['A', 'of the environment'],
        ['B', '0042'],
      ],
    );
  });

  test('may stand in JSON', async (context) => {
    const file = join(temporaryFolder(context), 'secrets.json');
    writeFileSync(file, '{ "A": "x1" }', { mode: 0o600 });
    const found = await secretsFrom({ environment: {}, file })(['A']);
    assert.equal(found.ok && found.secrets.get('A')?.reveal(), 'x1');
  });

  test('that are missing are named, with the places where they were looked for (J58)', async () => {
    assert.deepEqual(
      await secretsFrom({ environment: { HERONRY_SECRET_B: 'x', HERONRY_SECRET_C: '' } })(['A', 'B', 'C']),
      {
        ok: false,
        missing: ['A', 'C'],
        message:
          'missing the secrets A, C: expected the environment variable HERONRY_SECRET_A, or a file that `secrets` of heronry.yaml names; the daemon sees either only after a restart',
      },
    );
  });

  test('are not read before they are asked for, so that a file may come later', async (context) => {
    const file = join(temporaryFolder(context), 'secrets.yaml');
    const find = secretsFrom({ environment: {}, file });
    const early = await find(['A']);
    assert.match(early.ok ? '' : early.message, /could not be read: ENOENT/);
    writeFileSync(file, 'A: later', { mode: 0o600 });
    assert.equal((await find(['A'])).ok, true);
  });

  for (const mode of [0o644, 0o640, 0o604, 0o620])
    test(`in a file of mode ${mode.toString(8)} are refused, and the mode is named`, async (context) => {
      const file = join(temporaryFolder(context), 'secrets.yaml');
      writeFileSync(file, 'A: canary');
      chmodSync(file, mode);
      const found = await secretsFrom({ environment: {}, file })(['A']);
      assert.ok(!found.ok);
      assert.match(found.message, new RegExp(`expected mode 0600, .* got 0${mode.toString(8)}$`));
    });

  test('in a fifo are refused at once, as nobody may ever write to it', { timeout: 5_000 }, async (context) => {
    const file = join(temporaryFolder(context), 'secrets.yaml');
    execFileSync('bash', ['-c', 'mkfifo -m 600 "$0"', file]);
    const found = await secretsFrom({ environment: {}, file })(['A']);
    assert.ok(!found.ok);
    assert.match(found.message, /secrets\.yaml: expected a regular file, got a fifo$/);
  });

  for (const [what, text] of [
    ['a number', 'A: 42'],
    ['a list', '- canary'],
    ['broken YAML', 'A: "canary\nB: canary: canary'],
    ['an alias of nothing', 'A: *canary'],
    ['a repeated key', 'A: canary1\nA: canary2'],
    ['a name that every object has', 'constructor: 1'],
  ] as const)
    test(`in a file with ${what} are missing, and nothing of it is shown`, async (context) => {
      const file = join(temporaryFolder(context), 'secrets.yaml');
      writeFileSync(file, text, { mode: 0o600 });
      const found = await secretsFrom({ environment: {}, file })(['A', 'constructor']);
      assert.ok(!found.ok);
      assert.doesNotMatch(JSON.stringify(found), /canary/);
    });
});

describe('the owner of a file of secrets', () => {
  const [root, daemon, other] = [0, 1_000, 1_001];

  test('is the user of the daemon, or root', () => {
    assert.equal(ownerFault('s.yaml', 0o100600, daemon, daemon), undefined);
    assert.equal(ownerFault('s.yaml', 0o100400, root, daemon), undefined);
    assert.match(
      ownerFault('s.yaml', 0o100600, other, daemon) ?? '',
      /expected a file of the user who runs the daemon/,
    );
  });

  test('that is root may let a group read it, as systemd and Kubernetes hand it to a service, but not write', () => {
    for (const mode of [0o440, 0o640]) assert.equal(ownerFault('s.yaml', 0o100000 + mode, root, daemon), undefined);
    for (const mode of [0o660, 0o644, 0o450, 0o604])
      assert.match(ownerFault('s.yaml', 0o100000 + mode, root, daemon) ?? '', /expected mode 0600/);
  });

  test('that runs the daemon may not, be it root', () => {
    for (const user of [root, daemon])
      assert.match(ownerFault('s.yaml', 0o100640, user, user) ?? '', /expected mode 0600, .* got 0640$/);
  });
});
