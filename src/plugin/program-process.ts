import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename, dirname } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { ProgramCommand } from '../schema/program-command.ts';
import type { PluginLogLine } from './protocol.ts';
import { linesOf, mostLineBytes } from './line-stream.ts';
import { openLog } from './thread-log.ts';

/** A program of the operator's to be run. */
export interface ProgramStart {
  /** `file` is its path. */
  readonly command: ProgramCommand;
  /** Variables besides the few of the daemon's that each program gets. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether the program gets a standard input to read. Default: it reads nothing. */
  readonly hasInput?: boolean;
  /** Receives each line of standard error; no more than the log of a plug-in takes. */
  log(line: PluginLogLine): void;
  /** Takes secrets out of a text. */
  hide(text: string): string;
}

/** A program that runs in a process group of its own. */
export interface ProgramProcess {
  /** Its standard input; present with `hasInput`. */
  readonly input?: Writable;
  readonly output: Readable;
  /** Resolves when it has ended. */
  readonly ended: Promise<ProgramEnd>;
  /** Resolves with the last lines of its standard error, once all of it is read. */
  readonly words: Promise<string>;
  /** Ends it with all that it has started, and closes what it prints. */
  stop(): void;
}

/** How a program ended: `text` is the end of a sentence that says so. */
export interface ProgramEnd {
  /** Missing where a signal ended it, or where it could not be run. */
  readonly status?: number;
  readonly text: string;
}

/** The last lines of standard error that a failure tells, and their length together. */
const toldLines = 10;
const toldUnits = 1_500;

/** An output that is still open once its program has ended, and gives nothing more for so long, is not waited for any longer. */
const silentMs = 200;

/** Variables of the daemon's environment that a program gets. */
const passedOn = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'SystemRoot', 'TEMP', 'TMP'];

/**
 * Runs the command in a process group of its own, which a watcher beside it ends once descriptor 3 of this shell closes: with the
 * run, and with the daemon, however that ends.
 */
const guarded = '(while read -r _; do :; done <&3; kill -s KILL -- -$$) </dev/null >/dev/null 2>&1 & exec "$@" 3<&-';

/** Starts a program. One that cannot be run is told by `ended`. */
export function startProgram({ command, env, hasInput = false, log, hide }: ProgramStart): ProgramProcess {
  const child = spawnGuarded(command, { ...passedEnvironment(), ...env }, hasInput);
  const ended = endOf(child);
  let isOver = false;
  const end = (): void => {
    if (!isOver) endGroup(child);
    isOver = true;
  };
  const stop = (): void => {
    end();
    child.stdout.destroy();
    child.stderr.destroy();
  };
  void ended.then(() => {
    // What it left behind goes with it; what has left its process group may hold the outputs open for ever.
    end();
    endOnceSilent(child.stdout);
    endOnceSilent(child.stderr);
  });
  const words = wordsOf(child.stderr, (line) => log({ ...line, message: hide(line.message) }));
  return {
    ...(child.stdin !== null && { input: child.stdin }),
    output: child.stdout,
    ended,
    words: words.then((text) => hide(text).slice(-toldUnits).trim()),
    stop,
  };
}

/** Writes how a program ended, with its last words: `fetch.py ended with status 1: no such host`. */
export function endingText({ file }: ProgramCommand, { text }: ProgramEnd, words: string): string {
  return `${basename(file)} ${text}${words === '' ? '' : `: ${words}`}`;
}

function spawnGuarded({ interpreter, file, args }: ProgramCommand, env: Record<string, string>, hasInput: boolean) {
  const words = [...(interpreter === undefined ? [] : [interpreter]), file, ...args];
  const isWindows = process.platform === 'win32';
  const [first = '', ...rest] = isWindows ? words : ['/bin/sh', '-c', guarded, 'heronry', ...words];
  const child = spawn(first, rest, {
    cwd: dirname(file),
    env,
    stdio: [hasInput ? 'pipe' : 'ignore', 'pipe', 'pipe', ...(isWindows ? [] : ['pipe' as const])],
    detached: !isWindows,
    windowsHide: true,
  });
  const { stdin, stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('expected pipes for what a program prints');
  // Its end is told by `exit`.
  stdin?.on('error', () => undefined);
  child.stdio[3]?.on('error', () => undefined);
  return Object.assign(child, { stdout, stderr });
}

function passedEnvironment(): Record<string, string> {
  const { env } = process;
  return Object.fromEntries(passedOn.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

async function endOf(child: ChildProcess): Promise<ProgramEnd> {
  try {
    const [status, signal] = (await once(child, 'exit')) as [number | null, string | null];
    return status === null ? { text: `was ended by ${signal}` } : { status, text: `ended with status ${status}` };
  } catch (error) {
    return { text: `could not be run: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** Ends a program with all that it has started. */
function endGroup(child: ChildProcess): void {
  child.stdin?.destroy();
  child.stdio[3]?.destroy();
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    // It has ended already.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** Ends a stream that another process keeps open, once all its data is read and no more comes. */
function endOnceSilent(stream: Readable): void {
  if (stream.destroyed) return;
  const timer = setTimeout(() => (stream.readableLength > 0 ? timer.refresh() : stream.destroy()), silentMs);
  stream.on('readable', () => timer.refresh());
  stream.once('close', () => clearTimeout(timer));
}

/** Logs the lines of standard error. Resolves with the last of them at its end. */
async function wordsOf(stream: Readable, log: (line: PluginLogLine) => void): Promise<string> {
  const lines = openLog(log);
  const last: string[] = [];
  for await (const read of linesOf(stream)) {
    const line = read ?? `a line of more than ${mostLineBytes} bytes was left out`;
    lines.write('info', line);
    last.push(line);
    if (last.length > toldLines) last.shift();
  }
  lines.close();
  return last.join('\n');
}
