import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { temporaryDirectory } from '../control/daemon.ts';
import { productSource } from '../support/daemon.ts';
import { run } from './terminal.ts';

/** Runs validate in a folder with one source, `shop`, whose records have `sku` and `price`, and these sinks. */
async function validated(t: TestContext, sinks: Readonly<Record<string, string>>) {
  const cwd = await temporaryDirectory(t);
  const files = { 'sources/shop.yaml': productSource('shop', 'url: "https://shop.example/{slug}"') };
  const all = {
    ...files,
    ...Object.fromEntries(Object.entries(sinks).map(([id, text]) => [`sinks/${id}.yaml`, text])),
  };
  for (const [path, text] of Object.entries(all)) {
    await mkdir(dirname(join(cwd, path)), { recursive: true });
    await writeFile(join(cwd, path), text);
  }
  return run(['validate'], { cwd });
}

describe('validate of sinks', () => {
  const webhook = (body: string, more = 'from: { sources: [shop] }') =>
    `id: team\nwebhook: { url: "https://chat.example/", body: ${JSON.stringify(body)} }\n${more}\n`;

  test('warns of a name in a template that no record has', async (t) => {
    const { status, err } = await validated(t, { team: webhook('{key} {prise.amount} {old.price} {artist}') });
    assert.equal(status, 0);
    assert.equal(
      err,
      'warning: sink team: no record that it may get has "prise", which a template names; did you mean "price"?\n' +
        'warning: sink team: no record that it may get has "artist", which a template names; what has no value gives nothing\n',
    );
  });

  test('warns of a record type of which a template names no field', async (t) => {
    const of = async (body: string, more?: string) => {
      const cwd = await temporaryDirectory(t);
      await mkdir(join(cwd, 'sources'));
      await mkdir(join(cwd, 'sinks'));
      await writeFile(join(cwd, 'sources', 'shop.yaml'), productSource('shop', 'url: "https://shop.example/{slug}"'));
      const terms =
        'id: terms\nurl: https://shop.example/terms\nrecords: { page: { key: content, fields: { text: main } } }\n';
      await writeFile(join(cwd, 'sources', 'terms.yaml'), terms);
      await writeFile(join(cwd, 'sinks', 'team.yaml'), webhook(body, more));
      return (await run(['validate'], { cwd })).err;
    };
    assert.equal(
      await of('{price}, was {old.price}', 'from: all'),
      'warning: sink team: terms page has none of the fields that a template names (price): `from` may leave it out\n',
    );
    for (const [body, more] of [
      ['{price}', undefined],
      ['{price}', 'from: { types: [product] }'],
      ['{price}', 'from: { projects: [solar] }'],
      ['{price} {text}', 'from: all'],
      ['{key}: {event}', 'from: all'],
    ] as const)
      assert.equal(await of(body, more), '', body);
  });

  test('warns of no name where other messages than those of single records come', async (t) => {
    for (const more of ['from: all\nevents: [scrape.failed]', 'from: all\ndigest: 1h', 'from: all\nper: scrape'])
      assert.equal((await validated(t, { team: webhook('{failure} {events}', more) })).err, '', more);
  });

  for (const host of ['127.0.0.1:7480', 'localhost', '[::1]:80', '10.1.2.3', '192.168.0.9:8080'])
    test(`warns of a receiver at ${host} that the file does not allow`, async (t) => {
      const of = (more: string) => `id: team\nwebhook: { url: "http://${host}/inbox"${more} }\nfrom: all\n`;
      const shown = host.replace(/:80$/, '');
      assert.deepEqual(await validated(t, { team: of('') }), {
        status: 0,
        out: '1 source and 0 projects and 1 sink, no problems\n',
        err: `warning: sink team: ${shown} looks like a private address: nothing is sent to one without \`allowPrivate: true\`\n`,
      });
      assert.equal((await validated(t, { team: of(', allowPrivate: true') })).err, '');
    });

  test('warns of no receiver that is public by its look, and of none whose address is a secret', async (t) => {
    const sinks = {
      team: 'id: team\nwebhook: { url: "https://chat.example/" }\nfrom: all\n',
      chat: 'id: chat\ndiscord: { url: { secret: CHAT } }\nfrom: all\n',
    };
    assert.doesNotMatch((await validated(t, sinks)).err, /private/);
  });

  const address = 'https://hooks.slack.com/services/T0/B0/hunter2hunter2';
  const bare = 'discord.com/api/webhooks/1/hunter2hunter2';
  const noSecret = 'expected a mapping { secret: NAME }, since no secret stands here';
  const literal: readonly (readonly [what: string, kind: string, says: string])[] = [
    [
      'an address in place of a mapping',
      `webhook: ${address}`,
      'webhook: expected a mapping, got "https://hooks.slack.com/…"',
    ],
    ['an address elsewhere', `ndjson: { every: "${address}" }`, 'ndjson.every: expected'],
    [
      'an address without a scheme',
      `discord: { url: ${bare} }`,
      'discord.url: expected an http or https URL, or { secret: NAME }',
    ],
    [
      'a token among the parameters of a webhook',
      'webhook: { url: "https://chat.example/?key=1&token=hunter2hunter2" }',
      'webhook.url: expected an http or https URL without a secret, got one in the parameter "key": name a secret that is the whole address',
    ],
    [
      'a password among the parameters of a broker',
      'amqp: { url: "amqps://u@b.example/?password=hunter2hunter2" }',
      'amqp.url: expected an amqp or amqps URL without a secret, got one in the parameter "password": name it under "password", or name a secret that is the whole address',
    ],
    [
      'a password among the parameters of a database',
      'postgres: { url: "postgres://u@b.example/db?sslpassword=hunter2hunter2" }',
      'got one in the parameter "sslpassword"',
    ],
    [
      'a password among the parameters of a mail server',
      'email: { url: "smtp://m@b.example/?pass=hunter2hunter2", from: a@b.example, to: a@b.example }',
      'got one in the parameter "pass"',
    ],
    [
      'a token as a header',
      `webhook: { url: "https://x.example/", headers: { Authorization: Bearer hunter2hunter2 } }`,
      `webhook.headers.Authorization: ${noSecret}`,
    ],
    [
      'a key as a header',
      `webhook: { url: "https://x.example/", headers: { x-api-key: hunter2hunter2 } }`,
      `webhook.headers.x-api-key: ${noSecret}`,
    ],
  ];
  for (const [what, kind, says] of literal)
    test(`refuses ${what}, and shows none of it`, async (t) => {
      const { status, out } = await validated(t, { team: `id: team\n${kind}\n` });
      assert.equal(status, 2, out);
      assert.ok(out.includes(says), out);
      assert.doesNotMatch(out, /hunter2/);
    });

  test('lets addresses and headers stand that are no secrets', async (t) => {
    const sinks = {
      team: 'id: team\nwebhook: { url: "https://x.example/?keywords=a&tokyo=1", headers: { accept: text/plain, x-author: me } }\n',
      base: 'id: base\npostgres: { url: "postgres://u@b.example/db?application_name=x&require_auth=none&sslmode=require" }\n',
    };
    const { status, out } = await validated(t, sinks);
    assert.equal(status, 0, out);
  });
});
