import type { Command } from 'commander';
import { connect, type Client } from '../control/client.ts';
import { withProgress } from './progress.ts';
import { socketPath } from './socket.ts';
import type { Terminal } from './terminal.ts';

/** Options that stand before or after any command. */
export interface GlobalOptions {
  readonly socket?: string;
  readonly json?: boolean;
}

/** Connects to the daemon, runs a command's work and hangs up. */
export async function withClient(
  terminal: Terminal,
  command: Command,
  work: (client: Client) => Promise<void>,
): Promise<void> {
  const client = await connect(await socketPath(terminal, globalOptions(command).socket));
  try {
    await work(client);
  } finally {
    client.close();
  }
}

/** The same, for work that shows nothing until it is done: says that it goes on when it takes more than a second. */
export function withDaemon(
  terminal: Terminal,
  command: Command,
  work: (client: Client) => Promise<void>,
): Promise<void> {
  return withProgress(terminal, `waiting for ${command.name()}`, withClient(terminal, command, work));
}

/** Prints a result: for machines as one line of JSON, for people as `show` makes it; an empty text is not printed. */
export function print<T>(terminal: Terminal, command: Command, result: T, show: (result: T) => string): void {
  const text = globalOptions(command).json ? JSON.stringify(result) : show(result);
  if (text !== '') terminal.out(text);
}

/** The options that are every command's. */
export function globalOptions(command: Command): GlobalOptions {
  return command.optsWithGlobals<GlobalOptions>();
}

/** The examples that end a command's help. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}
