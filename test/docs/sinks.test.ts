import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, test, type TestContext } from 'node:test';
import { run } from '../cli/terminal.ts';
import { nth, soon } from '../daemon/tracking.ts';
import { openReceiver } from '../publish/receiver.ts';
import { secretsFrom } from '../../src/session/secret-store.ts';
import { sinkKinds } from '../../src/publish/sinks/all.ts';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { openMailServer } from '../support/servers/smtp.ts';
import { openSite } from '../support/site.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'sinks.md'), 'utf8');

/** The files of the page, by their paths. */
const files = new Map(
  Array.from(page.matchAll(/^```yaml\n# (\S+)\n(.+?)```$/gms), ([, path = '', text = '']) => [path, text] as const),
);
const [, receiverCode = ''] = /^```js\n(.+?)```$/ms.exec(page) ?? [];
const key = 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'heronry-docs-'));
  t.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** Runs the receiver of the page; yields what it prints. */
async function runReceiver(t: TestContext): Promise<{ readonly url: string; next(): Promise<string> }> {
  const file = join(folder(t), 'receiver.mjs');
  // Any free port, which it tells.
  const code = receiverCode.replace(
    "8090, () => console.log('listening')",
    '0, function () { console.log(this.address().port) }',
  );
  assert.notEqual(code, receiverCode);
  await writeFile(file, code);
  const child: ChildProcess = spawn(process.execPath, [file], { env: { ...process.env, TEAM_HOOK: key } });
  t.after(() => child.kill());
  const lines = createInterface({ input: child.stdout ?? assert.fail() });
  const next = async () => String((await once(lines, 'line'))[0]);
  return { url: `http://localhost:${await next()}/`, next };
}

describe('docs/sinks.md', () => {
  test('has sinks that are delivered to, and a receiver that verifies what is signed', async (t) => {
    const own = await runReceiver(t);
    const [slack, discord] = [await openReceiver(t), await openReceiver(t)];
    const site = await openSite(t, { '/a': productPage('A', '12.50') });
    const text = (id: string, more = '') => (files.get(`sinks/${id}.yaml`) ?? assert.fail(id)).concat(more);
    const sinks = {
      team: text('team').replace('http://localhost:8090/', own.url),
      slack: text('slack').replace('webhook:', 'webhook:\n  allowPrivate: true'),
      discord: text('discord').replace('DISCORD_URL }', 'DISCORD_URL }, allowPrivate: true'),
    };
    const environment = {
      HERONRY_SECRET_TEAM_HOOK: key,
      HERONRY_SECRET_SLACK_URL: slack.url,
      HERONRY_SECRET_DISCORD_URL: discord.url,
    };
    const findSecrets = secretsFrom({ environment });
    const daemon = await startDaemon(t, {
      sources: { shop: productSource('shop') },
      sinks,
      findSecrets,
      settings: soon,
    });
    const line = own.next();
    await daemon.client.call('project.add', { id: 'solar', targets: [{ source: 'shop', url: site.url('/a') }] });
    await nth(1, 'record.added', 'solar', daemon);
    await Promise.all([slack.until(1), discord.until(1)]);
    assert.match(await line, /^\S+-\d+ record\.added A \{"sku":\{"new":"A"\},"price":/);
    assert.deepEqual(slack.accepted[0]?.body, { text: 'A: record.added, now 12.50 EUR', unfurl_links: false });
    assert.match(JSON.stringify(discord.accepted[0]?.body), /"title":"A: record.added"/);

    const unsigned = await fetch(own.url, { method: 'POST', body: '{}' });
    assert.equal(unsigned.status, 401);
    const commands = Array.from(page.matchAll(/^heronry (sinks?\b.*?)(?: +#.*)?$/gm), ([, words = '']) => words);
    assert.equal(commands.length, 7);
    const { id } = slack.accepted[0] ?? assert.fail();
    for (const words of commands) {
      const given = words.replace('k3f9Qz-1042', id).split(' ');
      const { err, status } = await run([...given, '--socket', daemon.socket, '--any-daemon']);
      assert.deepEqual([status, err], [0, ''], words);
    }
  });

  test('has a program that is told', async (t) => {
    const [, program = ''] = /^```sh\n# plugins\/note\.sh\n(.+?)```$/ms.exec(page) ?? [];
    const findSecrets = secretsFrom({ environment: { HERONRY_SECRET_NOTE_TOKEN: 'sesame99' } });
    const sinks = { note: files.get('sinks/note.yaml') ?? assert.fail() };
    const daemon = await startDaemon(t, { sources: { shop: productSource('shop') }, sinks, findSecrets });
    const plugins = join(daemon.folder, 'plugins');
    await mkdir(plugins);
    await writeFile(join(plugins, 'note.sh'), program);
    const tested = await daemon.client.call('sink.test', { id: 'note' });
    assert.ok(tested.ok, JSON.stringify(tested));
    assert.match(readFileSync(join(plugins, 'notes'), 'utf8'), /^record\.changed \S+ \{"id":/);
  });

  test('has an e-mail that a server takes', async (t) => {
    const server = await openMailServer(t);
    const findSecrets = secretsFrom({ environment: { HERONRY_SECRET_MAIL_PASSWORD: 'hunter22' } });
    const text = files.get('sinks/mail.yaml') ?? assert.fail();
    const own = text.replace('smtp://heronry@mail.example:587', server.url.replace('//', '//mailer@'));
    assert.notEqual(own, text);
    const daemon = await startDaemon(t, {
      sources: { shop: productSource('shop') },
      sinks: { mail: own },
      findSecrets,
    });
    const tested = await daemon.client.call('sink.test', { id: 'mail' });
    assert.ok(tested.ok, JSON.stringify(tested));
    assert.deepEqual(
      server.mails.map(({ to, headers }) => [to, headers['from']]),
      [[['team@mail.example'], 'Heronry <heronry@mail.example>']],
    );
  });

  test('has files that are valid', async (t) => {
    const cwd = folder(t);
    const shop = productSource('shop', 'url: "https://shop.example/p/{slug}"');
    for (const [path, text] of [...files, ['sources/shop.yaml', shop] as const]) {
      await mkdir(dirname(join(cwd, path)), { recursive: true });
      await writeFile(join(cwd, path), text, { mode: 0o600 });
    }
    const inFile = files.get('secrets.yaml') ?? assert.fail();
    const names = Array.from(page.matchAll(/(?:secrets?|password): \[?([A-Z][A-Z_]+)/g), ([, name]) => name);
    const env = Object.fromEntries(
      names.filter((name = '') => !inFile.includes(`${name}:`)).map((name) => [`HERONRY_SECRET_${name}`, 'x']),
    );
    const { out, err } = await run(['validate'], { cwd, env });
    assert.deepEqual([out, err], ['2 sources and 1 project and 10 sinks, no problems\n', '']);
    const { HERONRY_SECRET_CHAT_URL: _, ...others } = env;
    const { err: warned } = await run(['validate'], { cwd, env: others });
    assert.match(warned, /^warning: sink chat: missing the secret CHAT_URL: expected .*\n$/);
  });

  test('lists every kind', () => {
    const rows = Object.entries(sinkKinds).map(([name, { doc }]) => `| \`${name}\` | ${doc} |`);
    assert.deepEqual(
      rows.filter((row) => !page.includes(row)),
      [],
    );
  });
});
