import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename, dirname } from 'node:path';
import type { Readable } from 'node:stream';
import type { ProgramSource } from '../definition/catalogue.ts';
import { programOf } from '../definition/collect.ts';
import type { AddressParts } from '../definition/target-address.ts';
import type { Secret } from '../session/secret.ts';
import { openBatches } from './batches.ts';
import { cut, PluginFault } from './fault.ts';
import type { Since } from './protocol.ts';
import { checkDraft } from './result.ts';
import type { PluginServices } from './services.ts';
import { openLog } from './thread-log.ts';

/** Why a program failed: it could not be run or ended badly, or printed more than it may. */
export interface ProgramFailure {
  readonly code: 'program_failed' | 'program_output';
  readonly message: string;
  /** No request of the daemon's causes it. */
  readonly cause?: string;
}

/** What a program is told: in its environment, as `environmentOf` names it. */
export interface ProgramInput {
  readonly args: readonly string[];
  /** The newest stored dates by field. */
  readonly since: Since;
  readonly address: AddressParts;
  readonly secrets: ReadonlyMap<string, Secret>;
}

/** The longest line that a program may print, in bytes, and all of them together. */
const mostLineBytes = 1024 * 1024;
const mostBytes = 1024 ** 3;

/** The last lines of standard error that a failure tells, and their length together. */
const toldLines = 10;
const toldUnits = 1_500;

/** An output that is still open once its program has ended, and gives nothing more for so long, is not waited for any longer. */
const silentMs = 200;

/** Programs that run at a time; more wait. */
const mostPrograms = 4;

/** Variables of the daemon's environment that a program gets. */
const passedOn = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'SystemRoot', 'TEMP', 'TMP'];

/**
 * Runs the command in a process group of its own, which a watcher beside it ends once the standard input of this shell closes: with the
 * run, and with the daemon, however that ends. The program itself reads nothing.
 */
const guarded =
  'exec 3<&0; (while read -r _; do :; done <&3; kill -s KILL -- -$$) >/dev/null 2>&1 & exec "$@" </dev/null 3<&-';

/** What a run of a program uses of the daemon. */
type ProgramServices = Pick<PluginServices, 'began' | 'collected' | 'log' | 'hide'>;

/**
 * Runs the program that collects a source, and hands its records over in batches. Resolves with why it failed, if it did. Rejects with the
 * signal's reason when that fires first, and with what `collected` rejects with. Its processes have ended in any case.
 */
export type RunProgram = (
  loaded: ProgramSource,
  input: ProgramInput,
  services: ProgramServices,
  signal: AbortSignal,
) => Promise<ProgramFailure | undefined>;

/** Opens the programs of a daemon: a few run at a time, the others wait. */
export function openPrograms(): RunProgram {
  const waiting = new Set<() => void>();
  let running = 0;
  return async (loaded, input, services, signal) => {
    while (running >= mostPrograms && !signal.aborted) await turn(signal);
    running += 1;
    try {
      signal.throwIfAborted();
      const failure = await run(loaded, input, services, signal);
      signal.throwIfAborted();
      return failure;
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      running -= 1;
      const [next] = waiting;
      next?.();
    }
  };

  function turn(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const go = (): void => {
      waiting.delete(go);
      signal.removeEventListener('abort', go);
      resolve();
    };
    waiting.add(go);
    signal.addEventListener('abort', go);
    return promise;
  }
}

async function run(
  loaded: ProgramSource,
  input: ProgramInput,
  { began, collected, log, hide }: ProgramServices,
  signal: AbortSignal,
): Promise<ProgramFailure | undefined> {
  const name = basename(loaded.program.file);
  const child = start(loaded, environmentOf(loaded, input));
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
  signal.addEventListener('abort', stop, { once: true });
  void ended.then(() => {
    // What it left behind goes with it; what has left its process group may hold the outputs open for ever.
    end();
    endOnceSilent(child.stdout);
    endOnceSilent(child.stderr);
  });
  began?.();
  const lines = openLog((line) => log({ ...line, message: hide(line.message) }));
  const last: string[] = [];
  const said = listen(child.stderr, (line) => {
    lines.write('info', line);
    last.push(line);
    if (last.length > toldLines) last.shift();
  });
  try {
    const fault = await read(child.stdout, loaded, collected);
    if (fault !== undefined) stop();
    const how = await ended;
    await said;
    if (fault !== undefined) return { code: 'program_output', message: `${name} ${fault}` };
    if (how === undefined) return undefined;
    const words = hide(last.join('\n')).slice(-toldUnits).trim();
    return { code: 'program_failed', message: `${name} ${how}${words === '' ? '' : `: ${words}`}` };
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
    await Promise.allSettled([ended, said]);
    lines.close();
  }
}

function start({ source, program }: ProgramSource, env: Record<string, string>) {
  const { interpreter, args = [] } = programOf(source) ?? {};
  const command = [...(interpreter === undefined ? [] : [interpreter]), program.file, ...args];
  const [first = '', ...rest] =
    process.platform === 'win32' ? command : ['/bin/sh', '-c', guarded, 'heronry', ...command];
  const child = spawn(first, rest, {
    cwd: dirname(program.file),
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  // Its end is told by `exit`.
  child.stdin.on('error', () => undefined);
  return child;
}

/** The environment of a program: a few variables of the daemon's, and what it is told. */
function environmentOf(
  { source }: ProgramSource,
  { args, since, address, secrets }: ProgramInput,
): Record<string, string> {
  const own = passedOn.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries([
    ...own,
    ['HERONRY_SOURCE', source.id],
    ...(address.url === undefined ? [] : [['HERONRY_URL', address.url] as const]),
    ...Object.entries(address.params).map(([name, value]) => [`HERONRY_PARAM_${variable(name)}`, value] as const),
    ...args.map((arg, index) => [`HERONRY_ARG_${index + 1}`, arg] as const),
    ...Object.entries(since).map(([field, date]) => [`HERONRY_SINCE_${variable(field)}`, date] as const),
    ...Array.from(secrets, ([name, secret]) => [`HERONRY_SECRET_${name}`, secret.reveal()] as const),
  ]);
}

function variable(name: string): string {
  return name.replaceAll(/\W/g, '_').toUpperCase();
}

/** Resolves when a program has ended: with how, or with nothing where it ended well. */
async function endOf(child: ChildProcess): Promise<string | undefined> {
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    if (signal !== null) return `was ended by ${signal}`;
    return code === 0 ? undefined : `ended with status ${code}`;
  } catch (error) {
    return `could not be run: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Ends a program with all that it has started. */
function endGroup(child: ChildProcess): void {
  child.stdin?.destroy();
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    // It has ended already.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** Ends a stream that somebody holds open, once all that it gave is read and nothing more comes. */
function endOnceSilent(stream: Readable): void {
  if (stream.destroyed) return;
  const timer = setTimeout(() => (stream.readableLength > 0 ? timer.refresh() : stream.destroy()), silentMs);
  stream.on('readable', () => timer.refresh());
  stream.once('close', () => clearTimeout(timer));
}

/** Hands the records of standard output over. Resolves with what is wrong with it as a whole, if anything is. */
async function read(
  output: Readable,
  { source }: ProgramSource,
  collected: PluginServices['collected'],
): Promise<string | undefined> {
  const batches = openBatches(collected);
  const types = Object.keys(source.records);
  const usual = types.length === 1 ? types[0] : undefined;
  let bytes = 0;
  let number = 0;
  try {
    for await (const line of linesOf(output, (length) => (bytes += length))) {
      number += 1;
      if (line === undefined) return `printed a line of more than ${mostLineBytes} bytes: line ${number}`;
      if (bytes > mostBytes) return `printed more than ${mostBytes} bytes`;
      if (line.trim() === '') continue;
      const draft = draftIn(line, usual);
      if (draft.ok) await batches.addDraft(draft.draft, draft.bytes);
      else await batches.addFailure({ url: `line ${number}`, message: draft.message });
    }
    return undefined;
  } finally {
    // What was found before an end was found all the same.
    await batches.finish();
  }
}

type ReadLine =
  | ({ readonly ok: true } & ReturnType<typeof checkDraft>)
  | { readonly ok: false; readonly message: string };

/** Reads a line as a record; without a `type` it is of the usual one. */
function draftIn(line: string, usual: string | undefined): ReadLine {
  try {
    const value: unknown = JSON.parse(line);
    const isPlain = typeof value === 'object' && value !== null && !Array.isArray(value);
    return { ok: true, ...checkDraft(isPlain && usual !== undefined ? { type: usual, ...value } : value) };
  } catch (error) {
    if (error instanceof SyntaxError) return { ok: false, message: `expected a record as JSON, got ${cut(line, 200)}` };
    if (error instanceof PluginFault) return { ok: false, message: cut(error.message, 500) };
    throw error;
  }
}

/** Calls `hear` with each line of a stream. Resolves at its end. */
async function listen(stream: Readable, hear: (line: string) => void): Promise<void> {
  for await (const line of linesOf(stream)) hear(line ?? `a line of more than ${mostLineBytes} bytes was left out`);
}

/** Yields the lines of a stream until it ends or is destroyed, and `undefined` in place of one that is too long, as soon as it is. */
async function* linesOf(stream: Readable, count?: (bytes: number) => void): AsyncGenerator<string | undefined> {
  let parts: Buffer[] = [];
  let length = 0;
  let isSkipped = false;
  for await (const chunk of chunksOf(stream)) {
    count?.(chunk.length);
    for (let from = 0; from < chunk.length;) {
      const at = chunk.indexOf(0x0a, from);
      const end = at < 0 ? chunk.length : at;
      length += end - from;
      if (isSkipped) parts = [];
      else if (length > mostLineBytes) {
        isSkipped = true;
        parts = [];
        yield undefined;
      } else parts.push(chunk.subarray(from, end));
      from = end + 1;
      if (at < 0) continue;
      if (!isSkipped) yield Buffer.concat(parts).toString('utf8');
      [parts, length, isSkipped] = [[], 0, false];
    }
  }
  if (length > 0 && !isSkipped) yield Buffer.concat(parts).toString('utf8');
}

async function* chunksOf(stream: Readable): AsyncGenerator<Buffer> {
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch (error) {
    if (!stream.destroyed || stream.errored !== null) throw error;
  }
}
