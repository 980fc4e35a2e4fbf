import type { Command } from 'commander';
import { type Client, ConnectionError } from '../control/client.ts';
import type { MethodInput, Method, Result } from '../control/methods.ts';
import { durationText } from '../time-text.ts';
import { noProject } from './project-folder.ts';
import { daemonPlace, refuseOther } from './socket.ts';
import { connectWhenStarted } from './starting.ts';
import type { Terminal } from './terminal.ts';
import { countText } from '../view/text.ts';

/** The headings under which `heronry --help` lists the commands, in that order. */
export const helpGroups = {
  begin: 'To begin:',
  projects: 'Projects:',
  sources: 'Sources, hosts and scrapes:',
  schedule: 'When, and at what cost:',
  daemon: 'The daemon:',
} as const;

/** Options that stand before or after any command. */
export interface GlobalOptions {
  readonly socket?: string;
  readonly anyDaemon?: boolean;
  readonly json?: boolean;
}

/**
 * Connects to the daemon, runs a command's work and hangs up. Rejects with a `ConnectionError` where no daemon
 * listens, and with a `CommandError` where it is not the daemon of the present folder.
 *
 * @param signal - gives up the wait for a daemon, or hangs up.
 */
export async function withClient(
  terminal: Terminal,
  command: Command,
  work: (client: Client) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const { socket, anyDaemon = false } = globalOptions(command);
  const place = await daemonPlace(terminal, socket);
  const client = await connectWhenStarted(place.socket, signal).catch((error: unknown) => {
    throw place.isUsual && error instanceof ConnectionError && error.code === 'no_daemon'
      ? new ConnectionError('no_daemon', `${error.message}; ${noProject(terminal.cwd)}`, { cause: error })
      : error;
  });
  try {
    signal?.throwIfAborted();
    signal?.addEventListener('abort', () => client.close(), { once: true });
    if (!anyDaemon) await refuseOther(client, place);
    await work(client);
  } finally {
    client.close();
  }
}

/**
 * Runs a command's work as `withClient` does, with a passing line that tells how long it has taken once that is
 * over a second.
 */
export function withDaemon(
  terminal: Terminal,
  command: Command,
  work: (client: Client) => Promise<void>,
): Promise<void> {
  return withProgress(terminal, `waiting for ${command.name()}`, withClient(terminal, command, work));
}

/** Awaits work. After a second, shows what it is doing and for how long on a passing line of the error stream; nothing while that is empty. */
export async function withProgress<T>(
  terminal: Terminal,
  doing: string | (() => string),
  work: Promise<T>,
): Promise<T> {
  const startedAt = terminal.now();
  const timer = setInterval(() => {
    const told = typeof doing === 'string' ? doing : doing();
    if (told !== '') terminal.passing(`${told} … ${durationText(terminal.now() - startedAt)}`);
  }, 1_000);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    terminal.passing('');
  }
}

/** The most rows that the daemon puts into one answer. */
const maxSlice = 1_000;

/** The rows that a listing command prints. */
interface Listing {
  /** The most rows to print; default: all. */
  readonly limit?: number;
  /** What a row is, for people. */
  readonly noun: string;
}

/**
 * Requests slice after slice of a method that lists: all rows, or the first `limit`. Where the limit leaves rows out, says so
 * on the error stream.
 *
 * @param name - the field of the answers that holds the rows.
 * @param request - asks for a slice of at most `limit` rows that begins at the `next` of the answer before.
 */
export async function listRows<Name extends string, T, Cursor>(
  terminal: Terminal,
  { limit = Infinity, noun }: Listing,
  name: Name,
  request: (
    limit: number,
    from: Cursor | undefined,
  ) => Promise<Readonly<Record<Name, readonly T[]>> & { readonly next?: Cursor | undefined }>,
): Promise<T[]> {
  const found: T[] = [];
  let from: Cursor | undefined;
  do {
    // One more than is shown tells whether any is left out.
    const answer = await request(Math.min(limit + 1 - found.length, maxSlice), from);
    for (const row of answer[name]) found.push(row);
    from = answer.next;
  } while (from !== undefined && found.length <= limit);
  if (found.length <= limit) return found;
  terminal.err(moreText(limit, noun));
  return found.slice(0, limit);
}

/** Says that a limit leaves rows out of what a command prints. */
export function moreText(limit: number, noun: string): string {
  return `… and more than ${countText(limit, noun)}: --limit shows more`;
}

/** Calls one method of the daemon and prints its result, as `print` does. Rejects as `withClient` and the call do. */
export function callAndPrint<M extends Method>(
  terminal: Terminal,
  command: Command,
  [method, params]: readonly [method: M, params: MethodInput<M>],
  show: (result: Result<M>) => string,
): Promise<void> {
  return withDaemon(terminal, command, async (client) =>
    print(terminal, command, await client.call(method, params), show),
  );
}

/** Prints a result: as one line of JSON with `--json`, else as `show` formats it. An empty text is not printed. */
export function print<T>(terminal: Terminal, command: Command, result: T, show: (result: T) => string): void {
  const text = globalOptions(command).json ? JSON.stringify(result) : show(result);
  if (text !== '') terminal.out(text);
}

/** Returns the options that every command has. */
export function globalOptions(command: Command): GlobalOptions {
  return command.optsWithGlobals<GlobalOptions>();
}

/** Formats the examples that end a command's help. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}
