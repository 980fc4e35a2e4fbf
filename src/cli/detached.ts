import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { connect } from '../control/client.ts';
import { realPathOf } from '../control/socket-path.ts';
import type { DaemonPlaces, RunOptions } from '../daemon.ts';
import { CommandError } from './exit-status.ts';
import { launcherFile } from '../own-package.ts';

const askAgainMs = 25;
/** How long a daemon that listens already may take to say which one it is. */
const answerWithinMs = 5_000;
/** Lines of its log that tell why a daemon ended. */
const toldLines = 20;

/** A daemon that runs in a process of its own. */
export interface Detached extends DaemonPlaces {
  readonly pid: number;
}

/**
 * Runs a daemon in a process of its own, which belongs to no terminal and appends its log to a file. Resolves when it listens; with the exit
 * status where nothing was started, after printing why. Rejects with a `CommandError` where a daemon listens there already, and with one that
 * has the last lines of its log where it ends before it listens.
 */
export async function startDetached(options: RunOptions, logFile: string | undefined): Promise<Detached | 1 | 2> {
  const { preparePlaces } = await import('../daemon.ts');
  const prepared = await preparePlaces(options);
  if (typeof prepared === 'number') return prepared;
  const places = { ...prepared, log: logFile ?? prepared.log };
  await refuseSecond(places);
  const file = await openLog(places.log);
  const before = fstatSync(file).size;
  const child = spawn(process.execPath, [...process.execArgv, launcherFile, ...wordsOf(options, places)], {
    detached: true,
    stdio: ['ignore', file, file],
  });
  closeSync(file);
  const over = new AbortController();
  try {
    const ended = once(child, 'exit').then(([status, signal]: (number | string | null)[]) =>
      status === null ? `by ${signal}` : `with status ${status}`,
    );
    const how = await Promise.race([ended, listening(places.socket, child, over.signal)]);
    if (how !== undefined) {
      const lines = [...linesAfter(places.log, before), `the daemon ended before it listened, ${how}`];
      throw new CommandError('failed', lines.join('\n'));
    }
  } finally {
    over.abort();
  }
  child.unref();
  return { pid: child.pid ?? 0, ...places };
}

/** Rejects with a `CommandError` where a daemon listens at a socket already. */
async function refuseSecond({ socket, data }: DaemonPlaces): Promise<void> {
  const client = await connect(socket).catch(() => undefined);
  if (client === undefined) return;
  // A daemon that does not answer still keeps its data: the one that is started then says so.
  const timer = setTimeout(() => client.close(), answerWithinMs);
  const there = await client.call('daemon.place', {}).catch(() => undefined);
  clearTimeout(timer);
  client.close();
  if (there === undefined) return;
  const what =
    realPathOf(there.data) === realPathOf(data)
      ? `the daemon runs already (pid ${there.pid}): \`heronry stop\` ends it`
      : `another daemon listens at ${socket} already (pid ${there.pid}, its data: ${there.data}): name another socket`;
  throw new CommandError('conflict', what);
}

function wordsOf({ config, sources, apiOnly, logLevel }: RunOptions, { socket, data }: DaemonPlaces): string[] {
  const named = { config, data, sources, 'log-level': logLevel, socket };
  return [
    'start',
    ...Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value])),
    ...(apiOnly ? ['--api-only'] : []),
  ];
}

async function openLog(path: string): Promise<number> {
  try {
    return openSync(path, 'a', 0o600);
  } catch (error) {
    const { systemText } = await import('../definition/file.ts');
    throw new CommandError('failed', `${path}: the log cannot be written there: ${systemText(error)}: expected a file`);
  }
}

/** Resolves when this process, and no other, answers at a socket. */
async function listening(socket: string, { pid }: ChildProcess, signal: AbortSignal): Promise<undefined> {
  while (!signal.aborted) {
    try {
      const client = await connect(socket);
      try {
        if ((await client.call('daemon.place', {})).pid === pid) return;
      } finally {
        client.close();
      }
    } catch {
      // None listens there yet, or another one that ends.
    }
    await wait(askAgainMs);
  }
}

/** The last lines of a file behind its first bytes, without the program's name. */
function linesAfter(path: string, bytes: number): string[] {
  const text = readFileSync(path).subarray(bytes).toString().trimEnd();
  return text === ''
    ? []
    : text
        .split('\n')
        .slice(-toldLines)
        .map((line) => line.replace(/^heronry: /, ''));
}
