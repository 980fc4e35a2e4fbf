import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rmSync, watch } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { backupTo, copyFiles } from '../../src/daemon/backup.ts';
import { restoreBackup } from '../../src/daemon/restore-backup.ts';
import { packPath } from '../../src/vault/pack.ts';
import { temporaryFolder, temporaryStore } from '../store/fixture.ts';
import { productPage, productSource, startDaemon, startDaemonIn } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { run } from '../cli/terminal.ts';
import { folderWith } from './process.ts';

const shop = productSource('shop', 'url: "http://127.0.0.1:9/{page}"');

async function tracking(t: TestContext) {
  const daemon = await startDaemon(t, { sources: { shop } });
  await daemon.client.call('project.add', { id: 'solar', targets: [{ source: 'shop', params: { page: '1' } }] });
  await writeFile(join(daemon.folder, 'data', 'session.key'), 'k'.repeat(32), { mode: 0o600 });
  return daemon;
}

/** A folder for a second daemon, with the data of another folder, as one restores them. */
async function restored(t: TestContext, from: string): Promise<string> {
  const folder = await folderWith(t, { shop });
  await cp(from, join(folder, 'data'), { recursive: true, filter: (file) => !file.endsWith('.sock') });
  return folder;
}

describe('a backup', () => {
  test('is made while the daemon runs, is open to its owner alone, and can be restored beside it', async (t) => {
    const { socket, folder, client } = await tracking(t);
    const made = await run(['backup', 'kept/today', '--socket', socket], { cwd: folder });
    assert.equal(made.status, 0, made.err);
    const path = join(folder, 'kept', 'today');
    assert.match(made.out, /^copied the data to .*kept\/today, \d/);
    assert.equal((await stat(path)).mode & 0o777, 0o700);
    for (const name of ['data.mdb', 'session.key'])
      assert.equal((await stat(join(path, name))).mode & 0o777, 0o600, name);
    await client.call('project.archive', { id: 'solar' });
    const second = await startDaemonIn(t, await restored(t, path), {});
    assert.equal((await second.client.call('project.get', { id: 'solar' })).status, 'active');
    assert.equal((await client.call('project.get', { id: 'solar' })).status, 'archived');
  });

  test('overwrites nothing, and leaves nothing of itself where it fails', async (t) => {
    const { socket, folder } = await tracking(t);
    await mkdir(join(folder, 'taken'));
    await writeFile(join(folder, 'file'), '');
    for (const [path, says] of [
      ['taken', /something stands there already/],
      ['file/below', /not a directory/],
    ] as const) {
      const { status, err } = await run(['backup', path, '--socket', socket], { cwd: folder });
      assert.equal(status, 4);
      assert.match(err, says);
    }
    assert.deepEqual(await readdir(join(folder, 'taken')), []);
  });
});

test('a backup has the files of sinks that get their names while it copies them', async (t) => {
  const { store, path: data } = await temporaryStore(t);
  const { environment, vault } = store;
  const names = Array.from({ length: 40 }, (_, number) => `${number}.ndjson`);
  const folder = join(data, 'sinks', 'files');
  await mkdir(folder, { recursive: true });
  for (const name of names) await writeFile(join(folder, `.${name}.part`), name);
  let renamed: Promise<void> | undefined;
  const renameAll = async (): Promise<void> => {
    for (const name of names.toReversed()) await rename(join(folder, `.${name}.part`), join(folder, name));
  };
  const copyTo = async (to: string): Promise<void> => {
    await environment.copyTo(to);
    renamed = renameAll();
  };
  const made = join(data, 'backup');
  await backupTo(made, data, { store: { environment: { ...environment, copyTo }, vault }, vault: undefined });
  await renamed;
  const copied = (await readdir(join(made, 'sinks', 'files'))).map((name) => name.replace(/^\.|\.part$/g, ''));
  assert.deepEqual(new Set(copied), new Set(names));
});

test('a copied data folder is opened beside the original, though it carries the claim of its daemon', async (t) => {
  const { folder, client } = await tracking(t);
  const second = await startDaemonIn(t, await restored(t, join(folder, 'data')), {});
  assert.equal((await second.client.call('project.get', { id: 'solar' })).status, 'active');
  await client.call('daemon.ping', {});
});

test('a backup that is made while pages are kept can be restored: every page that its store names is whole, and ids of events are new', async (t) => {
  const pages = Array.from({ length: 12 }, (_, number) => `/p${number}`);
  let turn = 0;
  const answer = (page: string) => productPage(`Lamp ${page}`, `${turn}.00`);
  const site = await openSite(t, Object.fromEntries(pages.map((page) => [page, answer(page)])));
  const vault = { keep: 86_400_000, maxBytes: 1024 ** 3 };
  const politeness = 'politeness: { autoThrottle: false, delay: 1ms, minDelay: 1ms, concurrency: 4 }';
  const source = productSource('shop').replace(/politeness: .*/, politeness);
  const { client, socket, folder, event, daemon } = await startDaemon(t, { sources: { shop: source }, vault });
  const targets = pages.map((page) => ({ source: 'shop', url: site.url(page) }));
  await client.call('project.add', { id: 'lamps', targets });
  const scrapes = (count: number) => {
    let seen = 0;
    return event(({ type }) => type === 'scrape.completed' && ++seen >= count);
  };
  await scrapes(pages.length);
  turn = 1;
  for (const page of pages) site.answer(page, answer(page));
  await client.call('project.rescrape', { id: 'lamps' });
  const path = join(folder, 'kept');
  const [{ status, err }] = await Promise.all([run(['backup', path, '--socket', socket]), scrapes(pages.length + 5)]);
  assert.equal(status, 0, err);
  const second = await startDaemonIn(t, await restored(t, path), { vault });
  const { store, vault: reopened } = second.daemon.parts.state;
  const named = [...store().vault.pages.keys()];
  assert.ok(named.length >= pages.length);
  for (const digest of named) assert.ok((await reopened()?.read(digest))?.ok, digest);
  for (const { page = '' } of store().history.rows()) assert.match(page, /^[\w-]{22}$/);
  const generation = store().generation();
  assert.notEqual(generation, daemon.parts.state.store().generation());
  await second.close();
  const third = await startDaemonIn(t, second.folder, { vault });
  assert.equal(third.daemon.parts.state.store().generation(), generation);
});

/** Files that stand in a data folder for a moment only. */
const transient = ['control.sock.starting', 'session.key.17.0a1b2c3d', 'http-token.part'];

test('a backup has nothing that stands in a data folder for a moment only, and none of it comes back with an older one', async (t) => {
  const { store, path: data } = await temporaryStore(t);
  const folder = temporaryFolder(t);
  for (const name of [...transient, 'daemon.log', 'http-token']) await writeFile(join(data, name), '');
  await mkdir(join(data, 'tried-x'));
  const made = join(folder, 'backup');
  await backupTo(made, data, { store, vault: undefined });
  assert.deepEqual((await readdir(made)).toSorted(), ['data.mdb', 'http-token', 'vault']);
  for (const name of transient) await writeFile(join(made, name), '');
  await restoreBackup(made, join(folder, 'data'));
  assert.deepEqual((await readdir(join(folder, 'data'))).toSorted(), ['data.mdb', 'http-token', 'vault']);
});

test('a file that is removed before it could be copied fails no backup, but a folder does that is gone itself', async (t) => {
  const { path: data } = await temporaryStore(t);
  const copy = temporaryFolder(t);
  const names = Array.from({ length: 100 }, (_, number) => `${number}.key`);
  for (const name of names) await writeFile(join(data, name), 'key');
  const watcher = watch(copy);
  t.after(() => watcher.close());
  const begun = once(watcher, 'change');
  const copying = copyFiles(copy, data);
  await begun;
  for (const name of names) rmSync(join(data, name));
  await copying;
  assert.ok((await readdir(copy)).length < names.length);
  await writeFile(join(data, 'last.key'), '');
  await assert.rejects(copyFiles(join(copy, 'gone'), data), { code: 'ENOENT' });
});

test('a backup whose store was cut is refused by the name of its file, and nothing is restored', async (t) => {
  const { store, path: data } = await temporaryStore(t);
  const folder = temporaryFolder(t);
  const made = join(folder, 'backup');
  await backupTo(made, data, { store, vault: undefined });
  await truncate(join(made, 'data.mdb'), 8_192);
  const { status, err } = await run(['restore-backup', made, join(folder, 'data')]);
  assert.equal(status, 4);
  assert.ok(err.includes(`${join(made, 'data.mdb')} was cut: it has 8192 bytes`), err);
  assert.match(err, /restore another backup$/m);
  assert.doesNotMatch(err, /data\.part|--data/);
  assert.deepEqual(await readdir(folder), ['backup']);
});

describe('a backup whose store was overwritten', () => {
  /** A backup of some thousand rows. */
  async function filled(t: TestContext): Promise<{ folder: string; made: string; file: string }> {
    const { store, path: data } = await temporaryStore(t);
    const folder = temporaryFolder(t);
    const made = join(folder, 'backup');
    await store.write(() => {
      for (let pack = 1; pack <= 3_000; pack += 1)
        store.vault.packs.put(['shop', '2026-05', pack], { pack, bytes: 0, pages: 0, keptAt: 0 });
    });
    await backupTo(made, data, { store, vault: undefined });
    return { folder, made, file: join(made, 'data.mdb') };
  }

  async function assertRefused({ folder, made, file }: Awaited<ReturnType<typeof filled>>): Promise<void> {
    const { status, err } = await run(['restore-backup', made, join(folder, 'data')]);
    assert.equal(status, 4);
    assert.ok(err.includes(`${file} is damaged: `), err);
    assert.match(err, /restore another backup$/m);
    assert.doesNotMatch(err, /data\.part|--data/);
    assert.deepEqual(await readdir(folder), ['backup']);
  }

  for (const [what, byte] of [
    ['zeros', 0],
    ['other bytes', 0xa5],
  ] as const)
    test(`in its middle with ${what} is refused by the name of its file, and nothing is restored`, async (t) => {
      const backup = await filled(t);
      const bytes = await readFile(backup.file);
      await writeFile(backup.file, bytes.fill(byte, bytes.length / 2, bytes.length / 2 + 100_000));
      await assertRefused(backup);
    });

  test('within one row is refused, where its pages are whole', async (t) => {
    const backup = await filled(t);
    const bytes = await readFile(backup.file);
    bytes.write('}}', bytes.indexOf('{"pack":500,'));
    await writeFile(backup.file, bytes);
    await assertRefused(backup);
  });
});

test('pages that a backup lacks are counted when it is restored, and what is restored is its owner’s alone', async (t) => {
  const { store, path: data } = await temporaryStore(t);
  const folder = temporaryFolder(t);
  const made = join(folder, 'backup');
  await store.write(() => {
    store.vault.packs.put(['shop', '2026-05', 1], { pack: 1, bytes: 10, pages: 3, keptAt: 0 });
    store.vault.packs.put(['shop', '2026-05', 2], { pack: 2, bytes: 10, pages: 4, keptAt: 0 });
  });
  await mkdir(join(data, 'vault'));
  for (const pack of [1, 2]) await writeFile(packPath(join(data, 'vault'), pack), Buffer.alloc(10));
  await backupTo(made, data, { store, vault: undefined });
  const whole = join(folder, 'whole');
  assert.doesNotMatch((await run(['restore-backup', made, whole])).out, /kept page/);
  for (const name of await readdir(whole)) assert.equal((await stat(join(whole, name))).mode & 0o077, 0, name);
  await rm(packPath(join(made, 'vault'), 2));
  const { status, out } = await run(['restore-backup', made, join(folder, 'lacking')]);
  assert.equal(status, 0);
  assert.match(
    out,
    /^restored .*; 4 kept pages of packs that the backup lacks, or has not whole, cannot all be read$/m,
  );
});
