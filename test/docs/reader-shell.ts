import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { top } from './fences.ts';
import { isShown } from './printed.ts';

const program = join(top, 'src', 'heronry.cjs');

/** The longest that the commands of a block may take, in milliseconds. */
export const patienceMs = 60_000;

/** A shell in a folder of its own, in which the blocks of a page are run one after the other. */
export interface ReaderShell {
  /** The folder in which the last commands ended. */
  cwd(): string;
  /** Runs commands; resolves with what they printed, on both streams, and their status. */
  run(commands: string): Promise<{ readonly printed: string; readonly status: number | null }>;
  /** Runs commands that go on, as in another terminal. */
  start(commands: string): OtherTerminal;
}

/** What runs in another terminal. */
export interface OtherTerminal {
  /** Resolves once all that was printed since the last call is what is shown; rejects after `patienceMs`. */
  prints(shown: string): Promise<void>;
}

/**
 * Opens a shell in an empty folder, with the program of this repository as `heronry` and as `npx heronry`. What commands export, and the folder that
 * they go to, hold for the next ones. All that was started ends with the test.
 *
 * @param practicePort - the port at which `heronry practice` listens.
 */
export async function openReaderShell(t: TestContext, practicePort: string): Promise<ReaderShell> {
  const folder = await mkdtemp(join(tmpdir(), 'heronry-'));
  const [bin, home] = [join(folder, 'bin'), join(folder, 'home')];
  await mkdir(bin);
  await mkdir(home);
  const practice = `test "$1" = practice && set -- practice --port ${practicePort}`;
  const launch = `${practice}\nexec '${process.execPath}' '${program}' "$@"\n`;
  await writeFile(join(bin, 'heronry'), `#!/bin/sh\n${launch}`, { mode: 0o755 });
  await writeFile(
    join(bin, 'npx'),
    `#!/bin/sh\ntest "$1" = heronry || exit 99\nshift\nexport npm_command=exec\n${launch}`,
    { mode: 0o755 },
  );
  const surroundings = { ...process.env, PATH: `${bin}:${process.env['PATH']}`, NO_COLOR: '1' };
  const [state, exported] = [join(folder, 'cwd'), join(folder, 'exported')];
  let cwd = home;
  const others: ChildProcess[] = [];
  t.after(async () => {
    for (const child of others) end(child);
    for (const socket of globSync('**/control.sock', { cwd: home }))
      await run(`heronry stop --any-daemon --socket '${join(home, socket)}'`);
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  return { cwd: () => cwd, run, start };

  async function run(commands: string): ReturnType<ReaderShell['run']> {
    // Standard error where standard output goes, in the order of a terminal.
    const script = `exec 2>&1\ntouch ${exported}; . ${exported}\ntrap 'pwd > ${state}; export -p > ${exported}' EXIT\nset -e\n${commands}`;
    const child = spawn('bash', ['-c', script], { cwd, env: surroundings, detached: true });
    const timer = setTimeout(() => end(child), patienceMs);
    let printed = '';
    child.stdout.on('data', (bytes: Buffer) => (printed += bytes.toString()));
    // A daemon that it left running would keep its streams open: it has its own.
    const [status] = (await once(child, 'close')) as [number | null];
    clearTimeout(timer);
    cwd = (await readFile(state, 'utf8')).trim();
    return { printed, status };
  }

  function start(commands: string): OtherTerminal {
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
