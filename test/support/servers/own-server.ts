import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, globSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { after } from 'node:test';

/** Where Debian has a server's own programs, as patterns: what stands in `PATH` may be wrappers, or nothing. */
const serverFolders = ['/usr/lib/rabbitmq/bin', '/usr/lib/postgresql/*/bin'];

/** Finds a program; `undefined` where it is not installed. */
export function findProgram(name: string): string | undefined {
  const path = (process.env['PATH'] ?? '').split(delimiter);
  return [...path.toReversed(), ...serverFolders.flatMap((pattern) => globSync(pattern))]
    .map((folder) => join(folder, name))
    .findLast(isProgram);
}

/**
 * Why the tests with a real server cannot run here; `false` where they can. Where `CI` is set they run in any case, and fail without
 * their server.
 */
export function missingServer(name: string, isThere: boolean): string | false {
  return isThere || (process.env['CI'] ?? '') !== '' ? false : `${name} is not installed`;
}

/** Whether a file is there and may be run. */
export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch (absent) {
    if (absent instanceof Error) return false;
    throw absent;
  }
}

/** What ends with a test or a suite. */
export interface Ending {
  after(end: () => Promise<unknown>): void;
}

/** Collects what ends with a suite; called in the suite's body, as a hook ends what is given to it with the hook. */
export function suiteEnd(): Ending {
  const ends: (() => Promise<unknown>)[] = [];
  after(async () => {
    for (const end of ends) await end();
  });
  return { after: (end) => void ends.push(end) };
}

/** A port of loopback that nobody uses just now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error(`expected a port, got ${address}`);
  server.close();
  await once(server, 'close');
  return address.port;
}

/** A program to be run for a test. */
export interface ServerStart {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What it writes once it serves. */
  readonly isUp: RegExp;
  /** The user and group whose rights it has. Default: those of the test. */
  readonly user?: number | undefined;
}

/** A server in a process of its own. */
export interface OwnServer {
  /** Sends a signal; resolves when the server has ended. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Runs a program beside a watcher, which ends both once descriptor 3 closes: with the test, however that ends. */
const guarded = '(read -r _ <&3; kill -s KILL -- -$$) </dev/null >/dev/null 2>&1 & exec "$@" 3<&-';

/** Starts a server; resolves when it serves, rejects with what it wrote when it ends before. */
export async function startServer({ command, cwd, env, isUp, user }: ServerStart): Promise<OwnServer> {
  const child = spawn('/bin/sh', ['-c', guarded, 'server', ...command], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
    ...(user !== undefined && { uid: user, gid: user }),
  });
  const ended = once(child, 'exit');
  let output = '';
  const { promise: up, resolve, reject } = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (bytes: Buffer) => {
      output = (output + bytes.toString()).slice(-20_000);
      if (isUp.test(output)) resolve();
    });
  void ended.then(
    () => reject(new Error(`${command.join(' ')} ended: ${output}`)),
    (error: unknown) => reject(error),
  );
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await ended;
    release(child);
  };
  try {
    await up;
  } catch (error) {
    release(child);
    throw error;
  }
  return { end };
}

/** Has the watcher end what is left. */
function release({ stdio }: ChildProcess): void {
  for (const stream of stdio) stream?.destroy();
}
