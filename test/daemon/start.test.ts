import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test, type TestContext } from 'node:test';
import { connectWhenStarted, tellStarting } from '../../src/cli/starting.ts';
import { connect } from '../../src/control/client.ts';
import { dataFault } from '../../src/daemon/start-failure.ts';
import { openEnvironment } from '../../src/store/lmdb/environment.ts';
import { openStore } from '../../src/store/store.ts';
import { run } from '../cli/terminal.ts';
import { folderWith, program, startProcess } from './process.ts';

/** Places for a daemon, each of which a test may spoil. */
async function placesOf(t: TestContext) {
  const folder = await folderWith(t, {});
  return { folder, data: join(folder, 'data'), sources: join(folder, 'sources'), socket: join(folder, 'control.sock') };
}

type Places = Awaited<ReturnType<typeof placesOf>>;

/** What keeps a daemon from starting, and what it says. */
const spoilt: Readonly<
  Record<string, { spoil?(places: Places): Promise<unknown>; at?: Partial<Places>; says: RegExp }>
> = {
  'data where a file stands': {
    spoil: ({ data }) => writeFile(data, ''),
    says: /data: expected a folder for the data, found a file: use another folder with --data$/,
  },
  'data where no folder can be made': {
    at: { data: '/proc/nope/data' },
    says: /^heronry: \/proc\/nope\/data: data cannot be kept there: .*--data/,
  },
  'data of something else': {
    async spoil({ data }) {
      await mkdir(data);
      await writeFile(join(data, 'data.mdb'), Buffer.alloc(65_536, 'spoilt'));
    },
    says: /data\/data\.mdb is not a store of Heronry: move it away, or use another folder with --data$/,
  },
  'data of a newer version': {
    async spoil({ data }) {
      const scheduling = { first: refuse, next: refuse, verified: refuse, isKept: refuse, endsAt: refuse };
      const store = await openStore({ path: data, now: () => 0, scheduling });
      await store.write(() => store.meta.setSchema(99), { durable: true });
      await store.close();
    },
    says: /data: has schema 99: expected at most \d+, which this version of Heronry knows; use the version that wrote it/,
  },
  'a socket where a directory stands': {
    spoil: ({ socket }) => mkdir(socket),
    says: /control\.sock: expected a socket or nothing, found a directory: choose another place with --socket$/,
  },
  'a socket below a file': {
    async spoil({ folder }) {
      await writeFile(join(folder, 'file'), '');
    },
    at: { socket: 'file/control.sock' },
    says: /control\.sock: its folder cannot be used: not a directory: choose another place/,
  },
};

describe('a store that was cut', () => {
  /** A folder with a store of some pages. */
  async function filled(t: TestContext): Promise<{ data: string; file: string; size: number }> {
    const { data } = await placesOf(t);
    const environment = openEnvironment({ path: data });
    const database = environment.database<string>('all');
    await environment.commit(() => void database.put('a', 'x'.repeat(100_000)), { durable: true });
    await environment.close();
    const file = join(data, 'data.mdb');
    return { data, file, size: (await stat(file)).size };
  }

  test('is refused before it is opened, wherever it was cut', async (t) => {
    const { data, file, size } = await filled(t);
    assert.equal(await dataFault(data), undefined);
    for (const left of [size - 1, size - 4_096, 8_192, 8_191, 4_097, 4_096, 200, 0]) {
      await truncate(file, left);
      assert.match((await dataFault(data)) ?? '', /data\.mdb was cut: .*: put a backup in its place/, String(left));
    }
  });

  test('is none where the pages that are missing are not in use: a transaction may give back what it took unwritten', async (t) => {
    const { data, file } = await filled(t);
    // What frees the pages of `a` puts its own pages behind them; the last one is free again after the next commit.
    const environment = openEnvironment({ path: data });
    const database = environment.database<string>('all');
    await environment.commit(() => void database.remove('a'), { durable: true });
    for (const key of ['b', 'c', 'd']) await environment.commit(() => void database.put(key, key), { durable: true });
    await environment.close();
    await truncate(file, (await stat(file)).size - 4_096);
    assert.equal(await dataFault(data), undefined);
    assert.deepEqual((await readdir(data)).sort(), ['data.mdb', 'lock.mdb']);
    const again = openEnvironment({ path: data });
    assert.deepEqual([...again.database<string>('all').getKeys()], ['b', 'c', 'd']);
    await again.close();
    await truncate(file, (await stat(file)).size - 40_960);
    assert.match((await dataFault(data)) ?? '', /data\.mdb was cut: .* those in use cannot be copied: /);
  });

  for (const left of ['session.key', 'vault'])
    test(`is refused where it is empty beside ${left}, as in a copy that ended early and has no lock file`, async (t) => {
      const { data, file } = await filled(t);
      await truncate(file, 0);
      await rm(join(data, 'lock.mdb'));
      await mkdir(join(data, left));
      assert.match((await dataFault(data)) ?? '', /data\.mdb was cut: it is empty, where a store was: put a backup/);
    });

  test('is none where an empty file never held one', async (t) => {
    const { data } = await placesOf(t);
    await mkdir(data);
    await writeFile(join(data, 'data.mdb'), '');
    assert.equal(await dataFault(data), undefined);
  });
});

describe('a daemon that cannot start', () => {
  for (const [what, { spoil, at, says }] of Object.entries(spoilt)) {
    test(`for ${what} says so in one line and leaves with 1`, { timeout: 20_000 }, async (t) => {
      const places = await placesOf(t);
      await spoil?.(places);
      const socket = at?.socket === undefined ? places.socket : join(places.folder, at.socket);
      const { status, output } = await startProcess(t, { ...places, ...at, socket }).ended;
      const [line = '', ...more] = output.trimEnd().split('\n');
      assert.match(line, says);
      assert.match(line, /^heronry: \//);
      assert.deepEqual(more, []);
      assert.equal(status, 1);
    });
  }
});

test(
  'a daemon with a damaged store says what to do in its last line, after those of LMDB',
  { timeout: 20_000 },
  async (t) => {
    const places = await placesOf(t);
    const environment = openEnvironment({ path: places.data });
    await environment.commit(() => void environment.database<string>('all').put('a', 'b'), { durable: true });
    await environment.close();
    const file = join(places.data, 'data.mdb');
    const bytes = await readFile(file);
    // Both first pages say that the tables begin on a page that the store does not have.
    for (const first of [0, 4_096]) bytes.writeBigUInt64LE(1_000_000n, first + 136);
    await writeFile(file, bytes);
    const { status, output } = await startProcess(t, places).ended;
    assert.equal(status, 1);
    assert.match(
      output.trimEnd().split('\n').at(-1) ?? '',
      /^heronry: .*data: the store is damaged: restore a backup \(docs\/operating\.md#backup-and-restore\): MDB_PAGE_NOTFOUND/,
    );
  },
);

test('a heronry.yaml that is a link to nothing is refused with 2', { timeout: 20_000 }, async (t) => {
  const places = await placesOf(t);
  const file = join(places.folder, 'heronry.yaml');
  await symlink('gone.yaml', file);
  assert.deepEqual(await startProcess(t, { ...places, cwd: places.folder }).ended, {
    status: 2,
    output: `${file}:1:1: there is no such file or folder\n`,
  });
});

describe('a daemon that is started in the background', () => {
  /** Runs `heronry start --detach --json`. Resolves with its exit status and what it printed; what it started ends with the test. */
  async function detach(t: TestContext, { folder, data, sources, socket }: Places, ...words: string[]) {
    const all = ['--json', '--socket', socket, 'start', '--detach', '--data', data, '--sources', sources, ...words];
    const child = spawn(process.execPath, [program, ...all], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    const [out, err, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    const started: { readonly pid: number; readonly log: string } | undefined =
      out === '' ? undefined : JSON.parse(out);
    t.after(async () => {
      const client = await connect(socket).catch(() => undefined);
      await client?.call('daemon.shutdown', {});
      await client?.closed;
    });
    return { status: Number(status), started, err };
  }

  test('listens when the command returns, logs to its data folder, and a second one is not started', async (t) => {
    const places = await placesOf(t);
    const { status, started, err } = await detach(t, places);
    const log = join(places.data, 'daemon.log');
    assert.deepEqual([status, err], [0, '']);
    assert.deepEqual(started, { pid: started?.pid, socket: places.socket, data: places.data, log });
    const client = await connect(places.socket);
    assert.equal((await client.call('daemon.place', {})).pid, started?.pid);
    client.close();
    assert.match(await readFile(log, 'utf8'), /"msg":"started"/);
    assert.equal((await stat(log)).mode & 0o777, 0o600);

    const log2 = join(places.folder, 'second.log');
    const second = await detach(t, places, '--log', log2);
    assert.deepEqual([second.status, second.started], [4, undefined]);
    assert.equal(
      JSON.parse(second.err).error.message,
      `the daemon runs already (pid ${started?.pid}): \`heronry stop\` ends it`,
    );
    assert.ok(!existsSync(log2));
    const other = await detach(t, { ...places, data: join(places.folder, 'other') });
    assert.equal(other.status, 4);
    assert.ok(JSON.parse(other.err).error.message.includes(`already (pid ${started?.pid}, its data: ${places.data})`));
  });

  test('says in the end of its log why it could not keep data that a daemon on another socket keeps', async (t) => {
    const places = await placesOf(t);
    const { started } = await detach(t, places);
    const log = join(places.folder, 'second.log');
    const second = await detach(t, { ...places, socket: join(places.folder, 'second.sock') }, '--log', log);
    assert.deepEqual([second.status, second.started], [1, undefined]);
    assert.match(
      JSON.parse(second.err).error.message,
      new RegExp(`^.*a daemon on .*pid ${started?.pid}.*\nthe daemon ended before it listened, with status 1$`),
    );
    assert.match(await readFile(log, 'utf8'), /^heronry: .*keeps it already/);
  });

  test('is none where the configuration is wrong, and leaves nothing behind', async (t) => {
    const places = await placesOf(t);
    const { status, started, err } = await detach(t, places, '--config', 'none.yaml');
    assert.deepEqual([status, started], [2, undefined]);
    assert.match(err, /none\.yaml: no such file: expected the configuration there/);
    assert.deepEqual(await readdir(places.folder), ['sources']);
  });
});

describe('a daemon that has started', () => {
  test(
    'tells its log of broken definitions, and takes from others what rights they have to its data',
    { timeout: 20_000 },
    async (t) => {
      const places = await placesOf(t);
      await writeFile(
        join(places.sources, 'shop.yaml'),
        'id: shop\nevry: 4h\nrecords: { r: { key: k, fields: { k: h1 } } }\n',
      );
      await mkdir(places.data);
      await chmod(places.data, 0o777);
      await writeFile(join(places.data, 'session.key'), Buffer.alloc(32, 'k'), { mode: 0o644 });
      const daemon = startProcess(t, places);
      await daemon.up;
      daemon.child.kill('SIGTERM');
      const { output } = await daemon.ended;
      const warnings = output
        .trimEnd()
        .split('\n')
        .map((line): { level: number; msg: string } => JSON.parse(line))
        .filter(({ level }) => level === 40)
        .map(({ msg }) => msg);
      assert.match(warnings[0] ?? '', /sources\/shop\.yaml:2:1: evry: unknown key "evry"; did you mean "every"\?$/);
      assert.deepEqual(warnings.slice(1), [
        `${places.data}: others had rights to it: its mode was 0777 and is 0700 now`,
        `${join(places.data, 'session.key')}: others had rights to it: its mode was 0644 and is 0600 now`,
      ]);
      assert.equal((await stat(places.data)).mode & 0o777, 0o700);
    },
  );

  test('ends with a sentence and 1 when its data folder is removed', { timeout: 20_000 }, async (t) => {
    const places = await placesOf(t);
    const daemon = startProcess(t, places);
    await daemon.said(/heronry is up/);
    await rm(places.data, { recursive: true });
    const { status, output } = await daemon.ended;
    assert.equal(status, 1);
    assert.match(output, /data\.mdb was removed or moved while the daemon kept it.*"msg":"the daemon ends"/);
  });

  test('is waited for by a command that is run at the same time', { timeout: 60_000 }, async (t) => {
    const places = await placesOf(t);
    const daemon = startProcess(t, places);
    const { status, err } = await run(['sources', '--socket', places.socket]);
    assert.equal(status, 0, err);
    assert.ok(!(await readdir(places.folder)).includes('control.sock.starting'));
    daemon.child.kill('SIGTERM');
    assert.equal((await daemon.ended).status, 0);
  });

  test('is waited for no longer than it says that it starts', async (t) => {
    const { socket } = await placesOf(t);
    const takeBack = tellStarting(socket);
    const waiting = connectWhenStarted(socket);
    takeBack();
    await assert.rejects(waiting, { code: 'no_daemon' });
  });

  test('is not waited for where its notice has the number of a process that is another one', async (t) => {
    const { socket } = await placesOf(t);
    const takeBack = tellStarting(socket);
    const notice = await readFile(`${socket}.starting`, 'utf8');
    takeBack();
    // As of one that was killed while it started, or that came with a copy of its folder.
    for (const other of [String(process.pid), `${process.pid} another boot 17`, notice.replace(/\d$/, 'x')]) {
      await writeFile(`${socket}.starting`, other);
      const begunAt = performance.now();
      await assert.rejects(connectWhenStarted(socket), { code: 'no_daemon' });
      assert.ok(performance.now() - begunAt < 30_000, other);
    }
  });

  test('reads its definitions again at SIGHUP without a terminal, and goes on', { timeout: 20_000 }, async (t) => {
    const places = await placesOf(t);
    const daemon = startProcess(t, { ...places, isDetached: true });
    await daemon.up;
    await writeFile(
      join(places.sources, 'shop.yaml'),
      'id: shop\nurl: http://127.0.0.1/\nrecords: { r: { key: k, fields: { k: h1 } } }\n',
    );
    daemon.child.kill('SIGHUP');
    await daemon.said(/"changed":\["shop"\].*"msg":"read the definitions again"/);
    daemon.child.kill('SIGTERM');
    assert.equal((await daemon.ended).status, 0);
  });

  test(
    'says that it is up only when its socket is open, and keeps all to its owner',
    { timeout: 20_000 },
    async (t) => {
      const places = await placesOf(t);
      const daemon = startProcess(t, { ...places, socket: join(places.folder, 'run', 'control.sock') });
      await daemon.up;
      (await connect(join(places.folder, 'run', 'control.sock'))).close();
      // The key of sessions comes by a file of another name, which may stand there for a moment.
      const names = (await readdir(places.data)).filter((name) => !name.startsWith('session.key'));
      const modes = await Promise.all(
        [places.data, ...names.map((name) => join(places.data, name)), join(places.folder, 'run')].map(async (path) => [
          path.slice(places.folder.length),
          ((await stat(path)).mode & 0o777).toString(8),
        ]),
      );
      assert.deepEqual(Object.fromEntries(modes), {
        '/data': '700',
        '/data/data.mdb': '600',
        '/data/lock.mdb': '600',
        '/data/vault': '700',
        '/run': '700',
      });
      daemon.child.kill('SIGTERM');
      daemon.child.kill('SIGTERM');
      daemon.child.kill('SIGINT');
      const { status, output } = await daemon.ended;
      assert.equal(status, 0);
      const lines = output
        .trimEnd()
        .split('\n')
        .map((line): { msg: string; life?: string } => JSON.parse(line));
      const heard = lines.findIndex(({ msg, life }) => msg === 'started' && life?.startsWith('control#'));
      assert.ok(heard >= 0);
      assert.equal(
        lines.findIndex(({ msg }) => msg === 'heronry is up'),
        heard + 1,
      );
      assert.equal(lines.at(-1)?.msg, 'ended');
    },
  );
});

function refuse(): never {
  throw new Error('nothing is scheduled here');
}
