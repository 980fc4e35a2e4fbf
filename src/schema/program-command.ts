import * as z from 'zod';
import { got } from './expected.ts';

/** Interpreters that may run a program, by their names as the daemon's `PATH` finds them. */
const interpreters = ['bash', 'node', 'perl', 'php', 'python', 'python3', 'Rscript', 'ruby', 'sh'];

/** The name of a file in the folder of plug-ins, and what follows it on the command line. */
export interface ProgramCommand {
  /** Missing where the file is run by itself. */
  readonly interpreter?: string;
  readonly file: string;
  readonly args: readonly string[];
}

/** Splits a command into its interpreter, its file and its arguments. */
export function programCommand([first = '', ...rest]: readonly string[]): ProgramCommand {
  if (!interpreters.includes(first)) return { file: first, args: rest };
  const [file = '', ...args] = rest;
  return { interpreter: first, file, args };
}

/** A program and its arguments. Its file is in the folder of plug-ins, so that nothing is run that the operator has not put there. */
export const Command = z
  .array(
    z
      .string()
      .max(1_000)
      .regex(/^[^\0]*$/),
  )
  .min(1)
  .max(50)
  .refine((command) => /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/.test(programCommand(command).file), {
    error: ({ input }) =>
      got(
        input,
        `the name of a file in the folder of plug-ins, with its arguments, after nothing or one of ${interpreters.join(', ')}`,
      ),
  });
