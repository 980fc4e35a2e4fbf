import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { createInterface } from 'node:readline';

/** How a process ended. */
export interface Ended {
  /** Missing when a signal ended it. */
  readonly status?: number;
  readonly signal?: NodeJS.Signals;
  /** The last lines that it wrote, standard output and error together. */
  readonly tail: readonly string[];
}

/** A child process that runs this very Node; disposing of it stops it. */
export interface OwnProcess extends AsyncDisposable {
  readonly pid: number;
  /** The first line of its standard output; rejects when it ends without one. */
  readonly firstLine: Promise<string>;
  readonly ended: Promise<Ended>;
  /** Sends SIGTERM, and SIGKILL once its grace is over; resolves when the process has ended. */
  stop(): Promise<Ended>;
}

const tailLines = 20;
const tether = new URL(`tether${extname(import.meta.filename)}`, import.meta.url).href;

/** How a process is run. */
export interface OwnProcessOptions {
  /** How long it may take to end in order, in ms. Default 10 s. */
  readonly graceMs?: number;
  /** Called with each line that it writes, to standard output or error. */
  wrote?(line: string): void;
}

/**
 * Runs a file with this Node. The child ends with this process at the latest, however this one ends, since its standard input
 * closes then. Except on Windows, the terminal's Ctrl-C does not reach it: its parent decides when it ends. Rejects if the
 * process cannot be started.
 */
export async function startProcess(
  file: string,
  args: readonly string[],
  { graceMs = 10_000, wrote }: OwnProcessOptions = {},
): Promise<OwnProcess> {
  const child = spawn(process.execPath, ['--import', tether, file, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
  });
  await once(child, 'spawn');
  const tail: string[] = [];
  const { promise: firstLine, resolve, reject } = Promise.withResolvers<string>();
  firstLine.catch(() => undefined); // whoever waits for it gets the rejection; nobody has to

  const remember = (line: string) => {
    wrote?.(line);
    tail.push(line);
    if (tail.length > tailLines) tail.shift();
  };
  createInterface({ input: child.stdout }).on('line', remember).once('line', resolve);
  createInterface({ input: child.stderr }).on('line', remember);
  child.stdin.on('error', () => undefined); // it ended while we did: `close` below tells

  const { promise: ended, resolve: end } = Promise.withResolvers<Ended>();
  child.once('close', (status, signal) => {
    reject(new Error(`${file} ended before it said anything: ${tail.join('\n')}`));
    end({ ...(status === null ? {} : { status }), ...(signal === null ? {} : { signal }), tail });
  });

  return { pid: child.pid ?? 0, firstLine, ended, stop, [Symbol.asyncDispose]: async () => void (await stop()) };

  async function stop(): Promise<Ended> {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
    const how = await ended;
    clearTimeout(timer);
    return how;
  }
}

/** How a process ended, as the end of a sentence: `ended with status 1`. */
export function endText({ status, signal }: Ended): string {
  return status === undefined ? `was ended by ${signal ?? 'a signal'}` : `ended with status ${status}`;
}
