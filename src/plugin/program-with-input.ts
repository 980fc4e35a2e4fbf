import { resolve } from 'node:path';
import { readPlugin } from '../definition/plugin-file.ts';
import type { ProgramCommand } from '../schema/program-command.ts';
import { withoutSecrets } from '../session/redact.ts';
import { Secret } from '../session/secret.ts';
import { endingText, startProgram, type ProgramEnd, type ProgramStart } from './program-process.ts';

/** A program that reads its input from the standard input. */
export interface ProgramWithInput extends Pick<ProgramStart, 'env' | 'log'> {
  /** Its file is in `folder`. */
  readonly command: ProgramCommand;
  /** The folder of plug-ins. */
  readonly folder: string;
  /** What it reads on its standard input. */
  readonly input: string;
  /** Passed on in its environment, and taken out of what it writes. */
  readonly secrets: ReadonlyMap<string, Pick<Secret, 'reveal'>>;
  /** After so long it is ended, in real time. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** Runs a program on an input, and ignores its standard output. Resolves with how it ended, in a sentence, once all its processes have ended. */
export async function runWithInput({
  command,
  folder,
  input,
  env,
  secrets,
  limitMs,
  signal,
  log,
}: ProgramWithInput): Promise<ProgramEnd> {
  const found = await readPlugin(folder, command.file);
  if (!found.ok) return { text: `${command.file} could not be run from ${resolve(folder)}: ${found.message}` };
  const named = { ...command, file: found.plugin.file };
  const known = Array.from(secrets, ([name, secret]) => new Secret(name, secret.reveal()));
  const passed = known.map((secret) => [`HERONRY_SECRET_${secret.name}`, secret.reveal()] as const);
  const program = startProgram({
    command: named,
    env: { ...env, ...Object.fromEntries(passed) },
    hasInput: true,
    log,
    hide: (text) => withoutSecrets(text, known),
  });
  const limit = AbortSignal.timeout(limitMs);
  const either = AbortSignal.any([limit, signal]);
  either.addEventListener('abort', program.stop, { once: true });
  try {
    if (either.aborted) program.stop();
    program.input?.end(input);
    // What nobody reads would stop it once the pipe is full.
    program.output.resume();
    const { status, text } = await program.ended;
    const words = await program.words;
    if (limit.aborted) return { text: endingText(named, { text: `ran for more than ${limitMs} ms` }, words) };
    return { ...(status !== undefined && { status }), text: endingText(named, { text }, words) };
  } finally {
    either.removeEventListener('abort', program.stop);
    program.stop();
  }
}
