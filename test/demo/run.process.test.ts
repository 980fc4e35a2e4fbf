import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, test, type TestContext } from 'node:test';
import { startProcess } from '../../src/process/own-process.ts';
import { runDemo, type DemoOptions } from '../../src/demo/run.ts';
import type { Output } from '../../src/demo/show.ts';

const program = fileURLToPath(new URL('stand-in-daemon.ts', import.meta.url));

interface Demo {
  readonly status: Promise<number>;
  readonly said: string[];
  /** Resolves when a text has been said. */
  until(text: string): Promise<void>;
}

function demo(options: DemoOptions, terminal: Omit<Output, 'write'> = {}): Demo {
  const said: string[] = [];
  const waits: { readonly text: string; resolve(): void }[] = [];
  const write = (text: string) => {
    said.push(text);
    for (const each of waits) if (text.includes(each.text)) each.resolve();
  };
  const status = runDemo({ program, ...options, output: { write, ...terminal } });
  const until = async (text: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    waits.push({ text, resolve });
    await promise;
  };
  return { status, said, until };
}

async function assertGone({ said }: Demo): Promise<void> {
  const all = said.join('');
  const socket = /a daemon at (\S+?):? try/.exec(all)?.[1] ?? '';
  await assert.rejects(access(dirname(socket)), { code: 'ENOENT' });
  const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(all)?.[1] ?? '';
  await assert.rejects(once(connect(Number(port), '127.0.0.1'), 'connect'), { code: 'ECONNREFUSED' });
}

function withDaemonThatDies(t: TestContext): void {
  process.env['DEMO_DAEMON'] = 'dies';
  t.after(() => delete process.env['DEMO_DAEMON']);
}

describe('demo', () => {
  test('runs for as long as it was told to, with web and daemon and no other server, then sums up and leaves nothing behind [S51]', async () => {
    const running = demo({ forMs: 300 });
    assert.equal(await running.status, 0);
    const all = running.said.join('');
    assert.match(all, /solar-backpack {2}crowd {2}added thing solar-backpack: name solar-backpack\n/);
    assert.match(all, /\n0 scrapes, 10 records, 0 changes, 0 failures, 0 finished in \d+\.\d s\n$/);
    await assertGone(running);
  });

  test('says where the dashboard is, and again with another code after the first scrapes', async (t) => {
    process.env['DEMO_DAEMON'] = 'scrapes';
    t.after(() => delete process.env['DEMO_DAEMON']);
    const running = demo({});
    await running.until('code=2');
    process.emit('SIGINT');
    assert.equal(await running.status, 0);
    const told = running.said
      .filter((text) => text.startsWith('the dashboard'))
      .map((text) => /code=\d/.exec(text)?.[0]);
    assert.deepEqual(told, ['code=1', 'code=2']);
  });

  test('a signal ends it cleanly', async () => {
    const running = demo({});
    await running.until('paper-radio');
    process.emit('SIGINT');
    assert.equal(await running.status, 0);
    assert.match(running.said.at(-1) ?? '', /10 records/);
    await assertGone(running);
  });

  test('tells events and summary as JSON for machines', async () => {
    const running = demo({ forMs: 300, json: true });
    assert.equal(await running.status, 0);
    const lines = running.said.map((line) => JSON.parse(line));
    assert.equal(lines.filter(({ event }) => event?.type === 'record.added').length, 10);
    assert.equal(lines.at(-1).summary.records, 10);
  });

  test('draws in place on a terminal, and gives the cursor back', async () => {
    const running = demo({ forMs: 600 }, { isTTY: true, columns: 90, rows: 30 });
    assert.equal(await running.status, 0);
    const [first, ...drawn] = running.said;
    assert.equal(first, '\x1b[?25l');
    assert.ok(drawn.some((text) => text.startsWith('\x1b[12F\x1b[0J') && text.includes('solar-backpack  crowd')));
    assert.ok(running.said.at(-1)?.startsWith('\x1b[?25h0 scrapes, 10 records'));
    await assertGone(running);
  });

  test('a daemon that dies is reported with the last that it wrote', async (t) => {
    withDaemonThatDies(t);
    const running = demo({});
    assert.equal(await running.status, 1);
    assert.match(running.said.join(''), /the daemon ended with status 3; the last it wrote:\nthe roof came down\n/);
    await assertGone(running);
  });
});

describe('demo as a process', () => {
  test('leaves neither web nor daemon behind when it is killed', async (t) => {
    const parent = await startProcess(fileURLToPath(new URL('demo-process.ts', import.meta.url)), [program]);
    const [, port = '', socket = ''] = /127\.0\.0\.1:(\d+), a daemon at (\S+): try/.exec(await parent.firstLine) ?? [];
    t.after(() => rm(dirname(socket), { recursive: true }));
    const connections = [connect(Number(port), '127.0.0.1'), connect(socket)];
    await Promise.all(connections.map((connection) => once(connection, 'connect')));
    // Whose other end is killed may see a reset before the end.
    const closed = connections.map((connection) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      connection
        .resume()
        .on('error', () => undefined)
        .once('close', resolve);
      return promise;
    });
    process.kill(parent.pid, 'SIGKILL');
    await Promise.all(closed);
  });

  test('ends cleanly when the process that started it is killed', async (t) => {
    // The shell starts the demo, then becomes a program that waits for no child.
    const words = [process.execPath, fileURLToPath(new URL('demo-process.ts', import.meta.url)), program];
    const shell = spawn('sh', ['-c', '"$0" "$1" "$2" & exec sleep 60', ...words], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.after(() => shell.kill('SIGKILL'));
    const said: string[] = [];
    const lines = createInterface(shell.stdout).on('line', (line) => said.push(line));
    await once(lines, 'line');
    const ended = once(lines, 'close');
    shell.kill('SIGKILL');
    await ended;
    assert.match(said.at(-1) ?? '', /^\d+ scrapes, /);
    const [, socket = ''] = /a daemon at (\S+): try/.exec(said[0] ?? '') ?? [];
    await assert.rejects(access(dirname(socket)), { code: 'ENOENT' });
  });

  test('takes a signal that comes twice at once for one, and leaves nothing behind', async () => {
    const child = await startProcess(fileURLToPath(new URL('demo-process.ts', import.meta.url)), [program, 'twice']);
    const [, socket = ''] = /a daemon at (\S+): try/.exec(await child.firstLine) ?? [];
    process.kill(child.pid, 'SIGINT');
    const { status, signal } = await child.ended;
    assert.deepEqual([status, signal], [0, undefined]);
    await assert.rejects(access(dirname(socket)), { code: 'ENOENT' });
  });

  test('leaves no folder behind when it exits at once', async () => {
    const child = await startProcess(fileURLToPath(new URL('demo-process.ts', import.meta.url)), [program, 'exit']);
    const [, socket = ''] = /a daemon at (\S+): try/.exec(await child.firstLine) ?? [];
    await child.ended;
    await assert.rejects(access(dirname(socket)), { code: 'ENOENT' });
  });
});
