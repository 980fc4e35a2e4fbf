import { runProgram } from '../../src/cli/program.ts';
import type { Terminal } from '../../src/cli/terminal.ts';

/** What a command printed and left with. */
export interface Run {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Where a command line is run. */
export interface Surroundings {
  /** Missing: a pipe. */
  readonly columns?: number;
  readonly rows?: number;
  readonly cwd?: string;
  readonly env?: Terminal['env'];
  /** The instant, or how it passes. Default: 0. */
  readonly now?: number | (() => number);
  /** What a person answers. Missing: nobody can be asked. */
  readonly answer?: string;
}

/** A terminal that remembers what was printed on it. */
export function paper({ columns, rows, cwd = '/nowhere', env = {}, now = 0, answer }: Surroundings = {}) {
  const printed = { out: '', err: '' };
  const terminal: Terminal = {
    out: (text) => void (printed.out += `${text}\n`),
    err: (text) => void (printed.err += `${text}\n`),
    passing: () => false,
    async ask(question) {
      if (answer === undefined) return undefined;
      printed.err += `${question}\n`;
      return answer;
    },
    paint: (_style, text) => text,
    columns,
    rows,
    cwd,
    env,
    now: typeof now === 'number' ? () => now : now,
  };
  return { terminal, printed };
}

/** Runs a command line of words. */
export async function run(words: readonly string[], surroundings: Surroundings = {}): Promise<Run> {
  const { terminal, printed } = paper(surroundings);
  const status = await runProgram(words, terminal);
  return { status, ...printed };
}
