import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { open } from 'lmdb';
import { systemClock } from '../../src/clock.ts';
import { followStore } from '../../src/daemon/continuous-backup.ts';
import { restoreBackup } from '../../src/daemon/restore-backup.ts';
import { table } from '../../src/store/lmdb/table.ts';
import { temporaryFolder, temporaryStore } from '../store/fixture.ts';
import { productSource, startDaemon, startDaemonIn } from '../support/daemon.ts';
import { run } from '../cli/terminal.ts';
import { folderWith } from './process.ts';

/** All rows of all databases of a store, as bytes. */
async function rowsOf(path: string): Promise<readonly string[]> {
  const root = open<Buffer>({ path, noSubdir: false, maxDbs: 128, encoding: 'binary' });
  try {
    const names = [...root.getKeys()].map(String);
    return names.flatMap((name) =>
      [...root.openDB<Buffer>({ name, encoding: 'binary' }).getRange()].map(
        ({ key, value }) => `${name} ${JSON.stringify(key)} ${value.toString('hex')}`,
      ),
    );
  } finally {
    await root.close();
  }
}

/** A store that is followed only when it is told to. */
async function followed(t: TestContext) {
  const { store, path } = await temporaryStore(t);
  const clock = systemClock();
  let lateMs = 0;
  const to = join(temporaryFolder(t), 'backup');
  const warnings: string[] = [];
  const notes: string[] = [];
  const backup = followStore({
    options: { to, everyMs: 3_600_000 },
    data: path,
    clock: { ...clock, monotonic: () => clock.monotonic() + lateMs },
    store,
    vault: () => undefined,
    warn: (what) => void warnings.push(what),
    info: (what) => void notes.push(what),
  });
  t.after(() => backup.close());
  const settings = table<string, unknown>(store.environment, 'settings');
  const lists = table<[string, number], string>(store.environment, 'hosts');
  const pass = (ms: number) => {
    lateMs += ms;
  };
  /** Ends both, and checks that what is restored has every row of the store. */
  const restored = async (): Promise<void> => {
    const data = join(temporaryFolder(t), 'data');
    await restoreBackup(to, data);
    await backup.close();
    await store.close();
    assert.deepEqual(await rowsOf(data), await rowsOf(path));
  };
  return { store, path, to, warnings, notes, backup, settings, lists, pass, restored };
}

/** Numbers that look random and are the same in each run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}

for (const seed of [1, 2, 3]) {
  test(`what is restored has every row of the store at its last frame, after writes by chance (${seed})`, async (t) => {
    const { store, backup, settings, lists, restored } = await followed(t);
    const below = numbers(seed);
    assert.equal(await backup.follow(), undefined);
    for (let round = 0; round < 20; round += 1) {
      const writes = Array.from({ length: 30 }, () =>
        store
          .write(() => {
            const name = `k${below(40)}`;
            if (below(4) === 0) settings.remove(name);
            else settings.put(name, { text: 'x'.repeat(below(3_000)), round });
            lists.put([name, below(5)], `ä${round}`);
            if (below(10) === 0) lists.removeRange({ from: [name, 0], before: [name, 9] });
            if (below(6) === 0) throw new Error('undone');
          })
          .catch((error: Error) => assert.equal(error.message, 'undone')),
      );
      // Amid the writes, so that some are not committed.
      const following = backup.follow();
      await Promise.all(writes);
      assert.equal(await following, undefined);
    }
    await backup.follow();
    await restored();
  });
}

test('a frame that was cut off is left out, and the instant before it is restored', async (t) => {
  const { store, to, backup, settings } = await followed(t);
  await backup.follow();
  await store.write(() => settings.put('a', 1));
  await backup.follow();
  const journal = join(to, 'base-1', 'journal');
  const { size } = await stat(journal);
  await appendFile(journal, Buffer.alloc(100, 1));
  const data = join(temporaryFolder(t), 'data');
  assert.equal((await restoreBackup(to, data)).cutBytes, 100);
  // The next frame takes the place of what was cut off.
  await store.write(() => settings.put('a', 2));
  await backup.follow();
  assert.ok((await stat(journal)).size > size);
  const second = join(temporaryFolder(t), 'data');
  assert.equal((await restoreBackup(to, second)).cutBytes, 0);
  assert.ok((await rowsOf(second)).some((row) => row.startsWith('settings "a" 32')));
  assert.ok((await rowsOf(data)).some((row) => row.startsWith('settings "a" 31')));
});

test('a folder that is gone is told of once, and the backup goes on when it is back', async (t) => {
  const { store, to, warnings, backup, settings } = await followed(t);
  await backup.follow();
  await rename(to, `${to}.away`);
  await store.write(() => settings.put('a', 1));
  assert.match((await backup.follow()) ?? '', /the folder is gone/);
  await backup.follow();
  assert.equal(warnings.length, 1);
  await rename(`${to}.away`, to);
  assert.equal(await backup.follow(), undefined);
  const data = join(temporaryFolder(t), 'data');
  await restoreBackup(to, data);
  assert.ok((await rowsOf(data)).some((row) => row.startsWith('settings "a" 31')));
  assert.deepEqual((await readdir(to)).toSorted(), ['base-1', 'heronry-backup.json']);
});

test('a folder that was removed is not made again, and an empty one in its place is begun anew', async (t) => {
  const { store, to, warnings, notes, backup, settings, restored } = await followed(t);
  await backup.follow();
  await store.write(() => settings.put('a', 1));
  await backup.follow();
  await rm(to, { recursive: true });
  assert.match((await backup.follow()) ?? '', /is gone: mount its disk, or make an empty folder/);
  assert.ok(!existsSync(to));
  await mkdir(to, { mode: 0o700 });
  await writeFile(join(to, 'of-another'), '');
  assert.match((await backup.follow()) ?? '', /another one is in its place/);
  await rm(join(to, 'of-another'));
  await store.write(() => settings.put('b', 2));
  assert.deepEqual(notes, []);
  assert.equal(await backup.follow(), undefined);
  assert.equal(await backup.follow(), undefined);
  assert.deepEqual([warnings.length, notes], [1, [`${to}: the continuous backup goes on`]]);
  assert.deepEqual((await readdir(to)).toSorted(), ['base-1', 'heronry-backup.json']);
  await restored();
});

test('a copy that was removed from its folder is made anew', async (t) => {
  const { store, to, backup, settings } = await followed(t);
  await backup.follow();
  await rm(join(to, 'base-1'), { recursive: true });
  await store.write(() => settings.put('a', 1));
  assert.equal(await backup.follow(), undefined);
  const data = join(temporaryFolder(t), 'data');
  await restoreBackup(to, data);
  assert.ok((await rowsOf(data)).some((row) => row.startsWith('settings "a" 31')));
});

test('a journal that outgrows its base gives way to a new copy, in which what changed meanwhile is too', async (t) => {
  const { store, to, backup, settings, restored } = await followed(t);
  await backup.follow();
  const put = (key: string, megabytes: number) =>
    store.write(() => settings.put(key, 'x'.repeat(megabytes * 1_048_576)));
  for (let round = 0; round < 5; round += 1) {
    await put('large', 14);
    assert.equal(await backup.follow(), undefined);
  }
  // A copy is being made since; the rows of now are in the journal before, or noted for the one of the copy.
  for (let round = 0; !(await readdir(to)).includes('base-2'); round += 1) {
    assert.ok(round < 1_000, 'a second base within a thousand turns');
    await put(`beside-${round}`, 0);
    assert.equal(await backup.follow(), undefined);
  }
  assert.deepEqual((await readdir(to)).toSorted(), ['base-2', 'heronry-backup.json']);
  await store.write(() => settings.put('after', 1));
  await backup.follow();
  await restored();
});

test('a folder that is gone for half a million changes is written anew when it is back', async (t) => {
  const { store, to, backup, settings, pass } = await followed(t);
  await backup.follow();
  await rename(to, `${to}.away`);
  for (let part = 0; part < 5; part += 1)
    await store.write(() => {
      for (let key = 0; key <= 100_000; key += 1) settings.put(`${part}-${key}`, key);
    });
  assert.match((await backup.follow()) ?? '', /the folder is gone/);
  await rename(`${to}.away`, to);
  pass(60_000);
  assert.equal(await backup.follow(), undefined);
  assert.deepEqual((await readdir(to)).toSorted(), ['base-2', 'heronry-backup.json']);
  const data = join(temporaryFolder(t), 'data');
  await restoreBackup(to, data);
  assert.ok((await rowsOf(data)).some((row) => row.startsWith('settings "4-100000" ')));
});

test('how far the backup has come is told, and why it stands still; a store to which nothing is written is not behind', async (t) => {
  const { store, to, backup, settings, pass } = await followed(t);
  assert.deepEqual(backup.progress(), {});
  const upTo = async () => {
    const before = Date.now();
    assert.equal(await backup.follow(), undefined);
    const { upToAt = 0, ...rest } = backup.progress();
    assert.deepEqual(rest, {});
    return upToAt >= before;
  };
  assert.ok(await upTo());
  assert.ok(await upTo());
  await rename(to, `${to}.away`);
  const failure = (await backup.follow()) ?? assert.fail('followed');
  assert.equal(backup.progress().failure, failure);
  await rename(`${to}.away`, to);
  await store.write(() => settings.put('a', 1));
  assert.ok(await upTo());
  // As of a folder on another machine that answers no more.
  pass(61_000);
  assert.match(backup.progress().failure ?? '', /not ended for a minute/);
  assert.ok(await upTo());
});

test('a file beside the store is copied when it is another, and else left as it is', async (t) => {
  const { path, to, backup } = await followed(t);
  await writeFile(join(path, 'session.key'), 'k'.repeat(32));
  await backup.follow();
  const copy = join(to, 'base-1', 'session.key');
  const { ino } = await stat(copy);
  await backup.follow();
  assert.equal((await stat(copy)).ino, ino);
  await writeFile(join(path, 'session.key'), 'l'.repeat(32));
  await backup.follow();
  assert.equal(await readFile(copy, 'utf8'), 'l'.repeat(32));
  assert.equal((await stat(copy)).mode & 0o777, 0o600);
});

test('a folder with something else in it is left alone', async (t) => {
  const { to, backup } = await followed(t);
  await backup.follow();
  await writeFile(join(to, 'heronry-backup.json'), '{"generation":"others"}');
  assert.match((await backup.follow()) ?? '', /another store/);
});

test('a restored continuous backup goes on as the daemon that was followed, and scrapes count on far above', async (t) => {
  const shop = productSource('shop', 'url: "http://127.0.0.1:9/{page}"');
  const to = join(temporaryFolder(t), 'backup');
  const first = await startDaemon(t, { sources: { shop }, backup: { to, everyMs: 1_000 } });
  await first.client.call('project.add', { id: 'solar', targets: [{ source: 'shop', params: { page: '1' } }] });
  const last = first.daemon.parts.state.store().scrapes.last();
  await first.close();
  const folder = await folderWith(t, { shop });
  const made = await run(['restore-backup', to, join(folder, 'data')], { cwd: folder });
  assert.equal(made.status, 0, made.err);
  assert.match(made.out, /^restored .*data as of \d{4}-/);
  assert.equal((await stat(join(folder, 'data'))).mode & 0o777, 0o700);
  const second = await startDaemonIn(t, folder, {});
  assert.equal((await second.client.call('project.get', { id: 'solar' })).status, 'active');
  assert.ok(second.daemon.parts.state.store().scrapes.last() >= last + 1_000_000);
});

test('what is no backup, or no empty folder, is refused, and nothing is made', async (t) => {
  const folder = temporaryFolder(t);
  await mkdir(join(folder, 'empty'));
  await mkdir(join(folder, 'begun'));
  await writeFile(join(folder, 'begun', 'heronry-backup.json'), '{}');
  for (const [from, says] of [
    ['missing', /expected a folder/],
    ['empty', /no backup of Heronry/],
    ['begun', /no whole copy/],
  ] as const)
    await assert.rejects(restoreBackup(join(folder, from), join(folder, 'data')), says);
  const { to, backup } = await followed(t);
  await backup.follow();
  await assert.rejects(restoreBackup(to, join(folder, 'begun')), /something stands there already/);
  assert.deepEqual((await readdir(folder)).toSorted(), ['begun', 'empty']);
});
