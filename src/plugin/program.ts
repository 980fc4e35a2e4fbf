import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import type { ProgramSource } from '../definition/catalogue.ts';
import { programOf } from '../definition/collect.ts';
import type { AddressParts } from '../definition/target-address.ts';
import type { Secret } from '../session/secret.ts';
import { openBatches } from './batches.ts';
import { cut, PluginFault } from './fault.ts';
import { linesOf, mostLineBytes } from './line-stream.ts';
import { endingText, startProgram } from './program-process.ts';
import type { Since } from './protocol.ts';
import { checkDraft } from './result.ts';
import type { PluginServices } from './services.ts';

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

/** What a program may print in all, in bytes. */
const mostBytes = 1024 ** 3;

/** Programs that run at a time; more wait. */
export const mostPrograms = 4;

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
  const command = { args: [], ...programOf(loaded.source), file: loaded.program.file };
  const program = startProgram({ command, env: environmentOf(loaded, input), log, hide });
  signal.addEventListener('abort', program.stop, { once: true });
  began?.();
  try {
    const fault = await read(program.output, loaded, collected);
    if (fault !== undefined) program.stop();
    const end = await program.ended;
    const words = await program.words;
    if (fault !== undefined) return { code: 'program_output', message: `${basename(command.file)} ${fault}` };
    return end.status === 0 ? undefined : { code: 'program_failed', message: endingText(command, end, words) };
  } finally {
    signal.removeEventListener('abort', program.stop);
    program.stop();
    await Promise.allSettled([program.ended, program.words]);
  }
}

/** What a program is told in its environment. */
function environmentOf(
  { source }: ProgramSource,
  { args, since, address, secrets }: ProgramInput,
): Record<string, string> {
  return Object.fromEntries([
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
