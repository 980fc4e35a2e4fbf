import { styleText } from 'node:util';

/** A colour or emphasis of text, such as `red` or `bold`. */
export type Style = Extract<Parameters<typeof styleText>[0], string>;

/** The output of a command, and what it knows of its process. */
export interface Terminal {
  /** Prints lines of the result, and a line feed after the last. */
  out(text: string): void;
  /** Prints lines on the error stream: whatever is not the result. */
  err(text: string): void;
  /** Replaces the passing line at the end of the error stream; an empty text clears it. Returns false off a terminal, where it does nothing. */
  passing(text: string): boolean;
  /** Asks a person a question on the error stream. Resolves with the answer; with `undefined` where no person can be asked. */
  ask(question: string): Promise<string | undefined>;
  /** Colours a text of the result, if it goes to a terminal with colours. */
  paint(style: Style, text: string): string;
  /** The width of the terminal in characters; undefined where the result goes elsewhere. */
  readonly columns: number | undefined;
  /** The height of the terminal in lines; undefined where the result goes elsewhere. */
  readonly rows: number | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  now(): number;
}

/** The size of a terminal that does not tell its own: some say 0. */
const usual = { columns: 80, rows: 24 };

/** Creates the terminal of this process: its standard streams, environment and folder. */
export function processTerminal(): Terminal {
  const { stdout, stderr, env } = process;
  const coloured = stdout.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  return {
    out: (text) => void stdout.write(`${text}\n`),
    err: (text) => void stderr.write(`${text}\n`),
    passing(text) {
      if (stderr.isTTY) stderr.write(`\r\u001B[2K${text}`);
      return stderr.isTTY;
    },
    async ask(question) {
      const { stdin } = process;
      if (!stdin.isTTY || !stderr.isTTY) return undefined;
      const { createInterface } = await import('node:readline');
      stderr.write(`\r\u001B[2K${question}`);
      for await (const line of createInterface({ input: stdin })) return line;
      return '';
    },
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

const statusStyles: Readonly<Record<string, Style>> = {
  active: 'green',
  ready: 'green',
  complete: 'green',
  running: 'cyan',
  waiting: 'cyan',
  starting: 'cyan',
  finished: 'blue',
  archived: 'dim',
  cancelled: 'yellow',
  aborted: 'yellow',
  missing: 'yellow',
  disabled: 'yellow',
  stopping: 'yellow',
  gone: 'red',
  parked: 'red',
  failed: 'red',
  definition_error: 'red',
  not_initialised: 'red',
  login_attempts: 'red',
  circuit_open: 'red',
  ticket: 'yellow',
  open: 'red',
  acknowledged: 'yellow',
  resolved: 'green',
  objective_infeasible: 'yellow',
};

/** Colours a status, where the terminal wants colours. */
export function showStatus(terminal: Terminal, status: string): string {
  const style = statusStyles[status];
  return style ? terminal.paint(style, status) : status;
}
