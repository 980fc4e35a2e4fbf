import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Fence, fencesOf, reasonOf, top } from './fences.ts';
import { isShown } from './printed.ts';

const program = join(top, 'src', 'heronry.cjs');

/** The ports that the pages name, the one of the practice sites first: each test has free ones in their place. */
const ports = ['7480', '7437'] as const;

/** The longest that a block may take, in milliseconds. */
const patienceMs = 60_000;

/** A shell in a folder of its own, in which the blocks of a page are run one after the other. */
interface Shell {
  /** The folder in which the last block ended. */
  readonly cwd: () => string;
  /** Runs commands; resolves with what they printed, on both streams, and their status. */
  run(commands: string): Promise<{ readonly printed: string; readonly status: number | null }>;
  /** Runs commands that go on, as in another terminal. */
  start(commands: string): Background;
}

/** What runs in another terminal. */
interface Background {
  /** Resolves once all that was printed since the last call is what is shown; rejects after the patience is over. */
  prints(shown: string): Promise<void>;
}

/**
 * Runs every block of a page as a reader would, in an empty folder, with the program of this repository as `heronry` and `npx heronry`: blocks of `sh` by
 * bash, while blocks that begin with the name of a file become that file, and a block directly after commands is what they print.
 * Comments above a block say what else it is; CONTRIBUTING.md lists them.
 */
export async function runPage(t: TestContext, page: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const own = await Promise.all(ports.map(freePort));
  const swap = (text: string, from: readonly string[], to: readonly string[]): string =>
    from.reduce((swapped, port, at) => swapped.replaceAll(port, to[at] ?? port), text);
  const shell = await openShell(t, own[0] ?? '', env);
  let printed: string | undefined;
  let other: Background | undefined;
  for (const fence of fencesOf(page)) {
    const content = swap(fence.content, ports, own);
    const before: string | undefined = printed;
    printed = undefined;
    if (reasonOf(fence) !== undefined) continue;
    if (fence.note === 'the other terminal prints') {
      assert.ok(other, `${fence.where}: expected a block in another terminal above`);
      await other.prints(content).catch((error: unknown) => assert.fail(`${fence.where}: ${String(error)}`));
    } else if (fence.language === 'sh' && fence.note === 'in another terminal') other = shell.start(content);
    else if (fence.language === 'sh' && fence.file === undefined) printed = await runFence(shell, fence, content);
    else if (fence.file !== undefined) {
      const file = join(shell.cwd(), fence.file);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content, { mode: 0o600 });
    } else {
      assert.ok(before !== undefined, `${fence.where}: expected commands above, the name of a file, or a reason`);
      const shown = swap(before, own, ports);
      assert.ok(isShown(fence.content, shown), `${fence.where} shows\n${fence.content}\nbut printed is\n${shown}`);
    }
  }
}

async function runFence(shell: Shell, { where, note }: Fence, content: string): Promise<string> {
  const { printed, status } = await shell.run(content);
  const expected = Number(/^exits (\d+)$/.exec(note)?.[1] ?? 0);
  assert.equal(status, expected, `${where}: status ${status}\n${printed}`);
  return printed;
}

async function openShell(t: TestContext, practicePort: string, env: Readonly<Record<string, string>>): Promise<Shell> {
  const folder = await mkdtemp(join(tmpdir(), 'heronry-'));
  const [bin, home] = [join(folder, 'bin'), join(folder, 'home')];
  await mkdir(bin);
  await mkdir(home);
  const practice = `test "$1" = practice && set -- practice --port ${practicePort}`;
  const launch = `${practice}\nexec '${process.execPath}' '${program}' "$@"\n`;
  await writeFile(join(bin, 'heronry'), `#!/bin/sh\n${launch}`, { mode: 0o755 });
  await writeFile(join(bin, 'npx'), `#!/bin/sh\ntest "$1" = heronry || exit 99\nshift\n${launch}`, { mode: 0o755 });
  const surroundings = { ...process.env, ...env, PATH: `${bin}:${process.env['PATH']}`, NO_COLOR: '1' };
  const state = join(folder, 'cwd');
  let cwd = home;
  const others: ChildProcess[] = [];
  t.after(async () => {
    for (const child of others) end(child);
    for (const socket of globSync('**/control.sock', { cwd: home }))
      await run(`heronry stop --any-daemon --socket '${join(home, socket)}'`);
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  return { cwd: () => cwd, run, start };

  async function run(commands: string): ReturnType<Shell['run']> {
    // Standard error where standard output goes, in the order of a terminal.
    const script = `trap 'pwd > ${state}' EXIT\nset -e\n${commands}`;
    const child = spawn('bash', ['-c', `exec 2>&1\n${script}`], { cwd, env: surroundings, detached: true });
    const timer = setTimeout(() => end(child), patienceMs);
    let printed = '';
    child.stdout.on('data', (bytes: Buffer) => (printed += bytes.toString()));
    // A daemon that it left running would keep its streams open: it has its own.
    const [status] = (await once(child, 'close')) as [number | null];
    clearTimeout(timer);
    cwd = (await readFile(state, 'utf8')).trim();
    return { printed, status };
  }

  function start(commands: string): Background {
    const child = spawn('bash', ['-c', `exec 2>&1\n${commands}`], { cwd, env: surroundings, detached: true });
    others.push(child);
    let printed = '';
    child.stdout.on('data', (bytes: Buffer) => (printed += bytes.toString()));
    return {
      async prints(shown) {
        const signal = AbortSignal.timeout(patienceMs);
        while (!isShown(shown, printed))
          await once(child.stdout, 'data', { signal }).catch(() => {
            throw new Error(`shows\n${shown}\nbut printed is\n${printed}`);
          });
        printed = '';
      },
    };
  }
}

/** Ends a process and all that it started. */
function end({ pid, exitCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null) process.kill(-pid);
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  assert.ok(typeof address === 'object' && address !== null);
  return String(address.port);
}
