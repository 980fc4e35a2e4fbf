import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Client, connect, ConnectionError } from '../control/client.ts';
import { defined } from '../defined.ts';
import { isAlive, processStart } from '../is-alive.ts';

/** The time, in milliseconds, in which a daemon that was started just before a command begins to say so. */
const noticeMs = 1_000;
/** The longest wait for a daemon that says it is starting, in milliseconds. */
const startMs = 60_000;
const askAgainMs = 25;

/**
 * Says beside a socket that a daemon starts in this process and will listen there. Returns what takes that back. Nothing is said where no file
 * can be made there; the start then says why.
 */
export function tellStarting(socket: string): () => void {
  const file = noticeOf(socket);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${process.pid} ${processStart(process.pid) ?? ''}`, { mode: 0o600 });
  } catch {
    return () => {};
  }
  const takeBack = (): void => rmSync(file, { force: true });
  process.once('exit', takeBack);
  return () => {
    process.removeListener('exit', takeBack);
    takeBack();
  };
}

/**
 * Connects to the daemon at a socket. Waits a second for one that was started just before, and up to a minute while one says that it is starting.
 * Rejects as `connect` does where none listens then, and at once when the signal fires.
 */
export async function connectWhenStarted(socket: string, signal?: AbortSignal): Promise<Client> {
  const begunAt = performance.now();
  for (;;) {
    // Looked at before the socket, which a daemon opens before it takes the notice back.
    const limitMs = isStarting(socket) ? startMs : noticeMs;
    try {
      return await connect(socket);
    } catch (error) {
      const isAbsent = error instanceof ConnectionError && error.code === 'no_daemon';
      if (!isAbsent || performance.now() - begunAt > limitMs) throw error;
    }
    await wait(askAgainMs, undefined, defined({ signal }));
  }
}

/**
 * Whether a living process says that it starts a daemon which will listen at a socket. A notice whose process was killed, or that came with a copy of
 * its folder, may have the number of another process, which began at another time.
 */
function isStarting(socket: string): boolean {
  const [, pid, since] = /^(\d+) (.*)$/.exec(noticeAt(socket) ?? '') ?? [];
  if (pid === undefined) return false;
  return since === '' ? isAlive(Number(pid)) : processStart(Number(pid)) === since;
}

function noticeAt(socket: string): string | undefined {
  try {
    return readFileSync(noticeOf(socket), 'utf8');
  } catch {
    // There is none, or it cannot be read, as by another user: then nobody waits for it.
    return undefined;
  }
}

function noticeOf(socket: string): string {
  return `${socket}.starting`;
}
