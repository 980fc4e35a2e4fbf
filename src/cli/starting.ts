import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Client, connect, ConnectionError } from '../control/client.ts';
import { defined } from '../defined.ts';

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
    writeFileSync(file, String(process.pid), { mode: 0o600 });
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

/** Whether a living process says that it starts a daemon which will listen at a socket. */
function isStarting(socket: string): boolean {
  try {
    return process.kill(Number(readFileSync(noticeOf(socket), 'utf8')), 0);
  } catch {
    // There is no notice, or its process is gone.
    return false;
  }
}

function noticeOf(socket: string): string {
  return `${socket}.starting`;
}
