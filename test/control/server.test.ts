import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { connect } from '../../src/control/client.ts';
import { defaultSocketPath, SocketError } from '../../src/control/socket-path.ts';
import { startServer } from '../../src/control/server.ts';
import { handlersWith, line, rawClient, serve, temporaryDirectory } from './daemon.ts';

const options = { handlers: handlersWith({}), failed: () => {}, audit: () => {} };

describe('control socket', () => {
  test('only its owner may open it', async (t) => {
    const path = join(await temporaryDirectory(t), 'made', 'for', 'it', 'control.sock');
    const server = await startServer({ path, ...options });
    t.after(() => server.close());
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.equal((await stat(dirname(path))).mode & 0o777, 0o700);
  });

  test('listening leaves the mask for other files as it was', async (t) => {
    const before = process.umask();
    await serve(t);
    assert.equal(process.umask(), before);
  });

  test('a socket that a dead daemon left is replaced', async (t) => {
    const path = join(await temporaryDirectory(t), 'control.sock');
    const dead = spawn(process.execPath, [
      '-e',
      `net.createServer().listen(${JSON.stringify(path)}, () => console.log())`,
    ]);
    await once(dead.stdout, 'data');
    dead.kill('SIGKILL');
    await once(dead, 'exit');
    assert.ok((await stat(path)).isSocket());
    const server = await startServer({ path, ...options });
    t.after(() => server.close());
    const client = await connect(path);
    assert.deepEqual(await client.call('daemon.ping', {}), {});
    client.close();
  });

  test("a living daemon's socket is refused and goes on serving", async (t) => {
    const { path } = await serve(t);
    await assert.rejects(startServer({ path, ...options }), { name: 'SocketError', code: 'in_use' });
    const client = await connect(path);
    assert.deepEqual(await client.call('daemon.ping', {}), {});
    client.close();
  });

  test('a directory in its place is refused as such', async (t) => {
    const path = await temporaryDirectory(t);
    await assert.rejects(startServer({ path, ...options }), /found a directory: choose another place with --socket$/);
  });

  test('a file that is no socket is refused and left alone', async (t) => {
    const path = join(await temporaryDirectory(t), 'control.sock');
    await writeFile(path, 'precious');
    await assert.rejects(startServer({ path, ...options }), { code: 'not_a_socket' });
    assert.ok((await stat(path)).isFile());
  });

  test('a path over 107 bytes is refused with its length', async (t) => {
    const directory = await temporaryDirectory(t);
    const path = join(directory, 'é'.repeat(50), 'control.sock');
    await assert.rejects(startServer({ path, ...options }), (error) => {
      assert.ok(error instanceof SocketError);
      assert.match(error.message, new RegExp(`at most 107 bytes, got ${Buffer.byteLength(path)}`));
      return true;
    });
  });

  test('a path of 107 bytes is listened at', async (t) => {
    const directory = await temporaryDirectory(t);
    const path = join(directory, 'x'.repeat(106 - directory.length));
    const server = await startServer({ path, ...options });
    assert.equal(Buffer.byteLength(server.path), 107);
    await server.close();
  });

  test('a directory that stood there keeps its mode', async (t) => {
    const directory = join(await temporaryDirectory(t), 'shared');
    await mkdir(directory, { mode: 0o755 });
    const server = await startServer({ path: join(directory, 'control.sock'), ...options });
    t.after(() => server.close());
    assert.equal((await stat(directory)).mode & 0o777, 0o755);
  });

  test('a server that closes sends what it owes, hangs up and removes its socket', async (t) => {
    const { promise: release, resolve: finish } = Promise.withResolvers<void>();
    const server = await serve(t, { 'daemon.shutdown': () => release.then(() => ({ pid: 7 })) });
    const client = await rawClient(t, server.path);
    client.send(line(1, 'daemon.shutdown') + line(2, 'daemon.ping'));
    assert.equal((await client.next())?.id, 2);
    const closed = server.close();
    finish();
    assert.deepEqual((await client.next())?.result, { pid: 7 });
    assert.equal(await client.next(), undefined);
    client.socket.end();
    await closed;
    await assert.rejects(stat(server.path), { code: 'ENOENT' });
  });

  const long = `/srv/${'d'.repeat(100)}`;
  const places: readonly [string, Parameters<typeof defaultSocketPath>, string][] = [
    [
      'the usual data folder',
      [{ HOME: '/home/ann' }, undefined, 'linux'],
      '/home/ann/.local/share/heronry/control.sock',
    ],
    ['the data folder that is set', [{ HERONRY_DATA: '/srv/h' }, undefined, 'linux'], '/srv/h/control.sock'],
    [
      'the data folder, in a session with a runtime directory too',
      [{ XDG_RUNTIME_DIR: '/run/user/7' }, '/srv/h', 'linux'],
      '/srv/h/control.sock',
    ],
    ['a long data folder without a runtime directory', [{}, long, 'linux'], `${long}/control.sock`],
    ['a long data folder when that is relative', [{ XDG_RUNTIME_DIR: 'run' }, long, 'linux'], `${long}/control.sock`],
  ];
  for (const [what, arguments_, expected] of places) {
    test(`by default it is in ${what}`, () => assert.equal(defaultSocketPath(...arguments_), expected));
  }

  test('by default it is in the runtime directory for a long data folder, one for each', () => {
    const pathOf = (data: string): string => defaultSocketPath({ XDG_RUNTIME_DIR: '/run/user/7' }, data, 'linux');
    assert.match(pathOf(long), /^\/run\/user\/7\/heronry\/[0-9a-f]{16}\.sock$/);
    assert.notEqual(pathOf(long), pathOf(`${long}e`));
  });

  test('by default it is the same by whatever links one comes to the data folder', async (t) => {
    const directory = await temporaryDirectory(t);
    await symlink(directory, join(directory, 'link'));
    const [straight, around] = ['', 'link'].map((way) => defaultSocketPath({}, join(directory, way, 'data')));
    assert.equal(around, straight);
  });

  test('by default it is a named pipe on Windows', () => {
    assert.match(defaultSocketPath({ HOME: 'C:\\ann' }, undefined, 'win32'), /^\\\\\.\\pipe\\heronry-[0-9a-f]{16}$/);
  });
});

describe('control server, much asked', () => {
  test('a thousand clients at once are all served', async (t) => {
    const { path } = await serve(t);
    const clients = await Promise.all(Array.from({ length: 1_000 }, () => connect(path)));
    t.after(() => clients.forEach((client) => client.close()));
    const answers = await Promise.all(clients.map((client) => client.call('daemon.ping', {})));
    assert.equal(answers.length, 1_000);
  });

  test('a thousand requests on one connection are answered each by its id', async (t) => {
    const { path } = await serve(t, {
      'scrape.get': ({ scrape }) => Promise.reject(new Error(String(scrape))),
      'settings.set': async ({ everyMs = 0 }) => ({ initialDelayMs: 0, everyMs, timeLimitMs: 1, logLevel: 'info' }),
    });
    const client = await connect(path);
    t.after(() => client.close());
    const asked = Array.from({ length: 1_000 }, (_, index) => index + 1_000);
    const answers = await Promise.all(asked.map((everyMs) => client.call('settings.set', { everyMs })));
    assert.deepEqual(
      answers.map(({ everyMs }) => everyMs),
      asked,
    );
  });

  test('a slow call delays no other', async (t) => {
    const { promise: slow, resolve: finish } = Promise.withResolvers<{ sources: [] }>();
    const { path } = await serve(t, { 'source.list': () => slow });
    const client = await rawClient(t, path);
    client.send(line('slow', 'source.list') + line('quick', 'daemon.ping'));
    assert.equal((await client.next())?.id, 'quick');
    finish({ sources: [] });
    assert.equal((await client.next())?.id, 'slow');
  });

  test('of one client at most 256 calls are under way, and the rest follow', async (t) => {
    let most = 0;
    let underWay = 0;
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const { path } = await serve(t, {
      'source.list': async () => {
        underWay += 1;
        most = Math.max(most, underWay);
        if (underWay === 256) open();
        await gate;
        underWay -= 1;
        return { sources: [] };
      },
    });
    const client = await connect(path);
    t.after(() => client.close());
    await Promise.all(Array.from({ length: 2_000 }, () => client.call('source.list', {})));
    assert.equal(most, 256);
  });

  test('a client that asks and does not read is left waiting, with bounded memory, and then served', async (t) => {
    const name = 'n'.repeat(100_000);
    let served = 0;
    const { path } = await serve(t, {
      'source.reload': () => ({ changed: [name], removed: [], problems: [], served: (served += 1) }),
    });
    const client = await rawClient(t, path);
    client.socket.pause();
    const asked = 500;
    client.send(line(0, 'source.reload').repeat(asked));
    const other = await connect(path);
    t.after(() => other.close());
    // Each answered ping is a turn in which the server could have served the client that does not read.
    for (let pings = 0; pings < 50; pings += 1) await other.call('daemon.ping', {});
    assert.ok(served < 40, `served ${served} of ${asked}`);
    client.socket.resume();
    for (let answers = 0; answers < asked; answers += 1) await client.next();
    assert.equal(served, asked);
  });

  test('the signal of a call fires when its client goes', async (t) => {
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    const { path } = await serve(t, {
      'source.try': (_, { signal }) =>
        new Promise((_resolve, reject) => {
          client.socket.destroy();
          signal.addEventListener('abort', () => {
            resolve();
            reject(signal.reason);
          });
        }),
    });
    const client = await rawClient(t, path);
    client.send(line(1, 'source.try', { id: 'crowd', url: 'http://127.0.0.1/' }));
    await aborted;
  });
});
