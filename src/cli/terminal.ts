import { styleText } from 'node:util';

export type Style = Extract<Parameters<typeof styleText>[0], string>;

/** Where a command prints to and what it knows of its surroundings. */
export interface Terminal {
  /** Prints lines of the result; adds the last line's end. */
  out(text: string): void;
  /** Prints lines that are not the result. */
  err(text: string): void;
  /** Shows a passing line on the error stream in place of the one before; empty clears it. Nothing without a terminal. */
  passing(text: string): void;
  /** Colours a text of the result, where there is a terminal that wants colours. */
  paint(style: Style, text: string): string;
  /** The width of the terminal that results are shown on; undefined when they go elsewhere. */
  readonly columns: number | undefined;
  /** Its height; undefined likewise. */
  readonly rows: number | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  now(): number;
}

/** What a terminal has that does not say: some say 0. */
const usual = { columns: 80, rows: 24 };

/** The terminal, or pipes, that this process was started with. */
export function processTerminal(): Terminal {
  const { stdout, stderr, env } = process;
  const coloured = stdout.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  return {
    out: (text) => void stdout.write(`${text}\n`),
    err: (text) => void stderr.write(`${text}\n`),
    passing: (text) => void (stderr.isTTY && stderr.write(`\r\u001B[2K${text}`)),
    paint: (style, text) => (coloured ? styleText(style, text, { validateStream: false }) : text),
    get columns() {
      return stdout.isTTY ? stdout.columns || usual.columns : undefined;
    },
    get rows() {
      return stdout.isTTY ? stdout.rows || usual.rows : undefined;
    },
    env,
    cwd: process.cwd(),
    now: Date.now,
  };
}
