import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { run } from '../cli/terminal.ts';
import { productSource, startDaemon, startDaemonIn } from '../support/daemon.ts';
import { folderWith } from './process.ts';

test('a source whose session cannot be opened fails the check of status', async (t) => {
  const folder = await folderWith(t, { shop: productSource('shop') });
  const key = join(folder, 'data', 'session.key');
  await mkdir(join(folder, 'data'), { mode: 0o700 });
  await writeFile(key, 'cut', { mode: 0o600 });
  const { socket, event } = await startDaemonIn(t, folder, {});
  await event((each) => each.type === 'actor.gave_up' && each.source === 'shop');
  const checked = await run(['status', '--check', '--socket', socket], { now: Date.now() });
  assert.equal(checked.status, 1);
  assert.match(
    checked.out,
    /session of shop is not open, since .*session\.key: expected 32 bytes, got 3; .*; tried again in /,
  );
});

test('a source that lacks a secret is counted by status, and fails its check', async (t) => {
  const auth = 'auth: { type: bearer, token: { secret: NO_SUCH_TOKEN }, origins: [https://shop.example] }';
  const { client, socket, event } = await startDaemon(t, { sources: { shop: productSource('shop', auth) } });
  await client.call('project.add', { id: 'lamp', targets: [{ source: 'shop', url: 'http://127.0.0.1:9/lamp' }] });
  await event(({ type }) => type === 'scrape.failed');
  const shown = await run(['status', '--socket', socket], { now: Date.now() });
  assert.match(shown.out, /^sources   \d+ ready, 1 of them without a secret: heronry sources$/m);
  const checked = await run(['status', '--check', '--socket', socket], { now: Date.now() });
  assert.equal(checked.status, 1);
  assert.match(checked.out, /1 source without a secret: heronry sources/);
});
