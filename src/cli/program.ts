import { readdirSync } from 'node:fs';
import { extname } from 'node:path';
import { Command, CommanderError } from 'commander';
import { ConnectionError } from '../control/client.ts';
import { ControlError } from '../control/error.ts';
import { type GlobalOptions, helpGroups } from './cli.ts';
import { oneCallCommands } from './one-call.ts';
import { CommandError, exitStatus, exitStatusHelp, type ExitStatus } from './exit-status.ts';
import type { Terminal } from './terminal.ts';
import { plainText } from '../view/text.ts';

/** The exports of a file in `commands/`, which has the name of its command. */
interface CommandFile {
  createCommand(terminal: Terminal): Command;
}

const commandFolder = new URL('./commands/', import.meta.url);

/**
 * Creates the command line. Nothing runs until it is given words to parse.
 *
 * @param names - the commands that it has; default: all. A command starts sooner where no other one is loaded.
 * @param version - what `--version` prints.
 */
export async function createProgram(terminal: Terminal, names?: readonly string[], version = ''): Promise<Command> {
  const program = new Command('heronry')
    .description('Keeps track of projects on sites that it does not control, and tells what changed.')
    .version(version, versionFlags.join(', '))
    .option('--socket <path>', 'where the daemon listens')
    .option('--any-daemon', "talk to the daemon there even if it is not this folder's")
    .option('--json', 'print for machines')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => terminal.out(text.replace(/\n$/, '')),
      // For machines nothing but the error is told.
      writeErr: (text) => void (isJson() || terminal.err(text.replace(/\n$/, ''))),
      // Told when it is caught, in the form that is asked for.
      outputError: () => {},
    })
    .exitOverride()
    .addHelpText('after', `\n${exitStatusHelp}\n\nTo begin: heronry demo, or heronry init and heronry start.`);
  const commands = await Promise.all((names ?? commandNames()).map((name) => loadCommand(name, terminal)));
  const headings: readonly string[] = Object.values(helpGroups);
  commands.sort((a, b) => headings.indexOf(a.helpGroup()) - headings.indexOf(b.helpGroup()));
  for (const command of commands) program.addCommand(inherit(command, program));
  return program;

  function isJson(): boolean {
    return program.opts<GlobalOptions>().json ?? false;
  }
}

/** Lists the names of all commands. */
function commandNames(): string[] {
  const files = readdirSync(commandFolder).filter((file) => /^[a-z-]+\.[jt]s$/.test(file));
  return [...files.map((file) => file.slice(0, -3)), ...Object.keys(oneCallCommands)].sort();
}

async function loadCommand(name: string, terminal: Terminal): Promise<Command> {
  const create = oneCallCommands[name];
  if (create !== undefined) return create(terminal);
  const file = new URL(`${name}${extname(import.meta.url)}`, commandFolder);
  const loaded = (await import(file.href)) as CommandFile;
  return loaded.createCommand(terminal);
}

/**
 * Returns the names of the commands that a command line needs; nothing where it needs all, as help, completion and an unknown
 * name do, which is compared with all names.
 */
function neededCommands(words: readonly string[]): readonly string[] | undefined {
  if (words[0] === '--version') return [];
  const name = words.find((word, index) => !word.startsWith('-') && words[index - 1] !== '--socket') ?? '';
  return name !== 'completion' && commandNames().includes(name) ? [name] : undefined;
}

/** The options that print the version. */
const versionFlags: readonly string[] = ['-V', '--version'];

async function readVersion(): Promise<string> {
  const { ownVersion } = await import('../own-package.ts');
  return ownVersion();
}

/** Runs one command line. Resolves with the status to exit with; rejects with what is a bug of ours. */
export async function runProgram(words: readonly string[], terminal: Terminal): Promise<ExitStatus> {
  try {
    const version = words.some((word) => versionFlags.includes(word)) ? await readVersion() : '';
    const program = await createProgram(terminal, neededCommands(words), version);
    await program.parseAsync(words, { from: 'user' });
    return exitStatus.ok;
  } catch (caught) {
    const error = isOfFiles(caught) ? await fileError(caught) : caught;
    const isJson = words.includes('--json');
    if (error instanceof CommanderError) return refuse(error, isJson, terminal);
    const status = statusOf(error);
    if (status === undefined || !(error instanceof Error)) throw caught;
    if (isJson) terminal.err(JSON.stringify({ error: describe(error) }));
    else if (!(error instanceof CommandError && error.isTold)) terminal.err(`heronry: ${plainLines(messageOf(error))}`);
    return status;
  }
}

/**
 * Prints why commander refuses a command line. Help and version are no refusal, and commander has printed them
 * already.
 */
function refuse({ code, exitCode, message }: CommanderError, isJson: boolean, terminal: Terminal): ExitStatus {
  if (exitCode === 0) return exitStatus.ok;
  const isHelp = code === 'commander.help';
  const told = isHelp ? 'expected a command' : plainLines(message.replace(/^error: /, ''));
  if (isJson) terminal.err(JSON.stringify({ error: { code: 'usage', message: told } }));
  else if (!isHelp) terminal.err(`error: ${told}`);
  return exitStatus.usage;
}

/** Removes control characters, which may be in names and addresses, from each line of a message. */
function plainLines(message: string): string {
  return message.split('\n').map(plainText).join('\n');
}

/** Applies the output and help settings of the program to a command and its own commands. */
function inherit(command: Command, from: Command): Command {
  command.copyInheritedSettings(from);
  for (const inner of command.commands) inherit(inner, command);
  return command;
}

function statusOf(error: unknown): ExitStatus | undefined {
  if (error instanceof CommandError) return exitStatus[error.code];
  if (error instanceof ConnectionError) return exitStatus.unavailable;
  if (!(error instanceof ControlError)) return undefined;
  switch (error.code) {
    case 'not_found':
      return exitStatus.not_found;
    case 'conflict':
      return exitStatus.conflict;
    case 'invalid_params':
      return exitStatus.usage;
    default:
      return exitStatus.failed;
  }
}

/** Codes of system errors that a person can mend: rights, room, or another kind of file at the place. */
const mendable: ReadonlySet<unknown> = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOSPC',
  'EDQUOT',
  'ENOTDIR',
  'EISDIR',
  'EEXIST',
  'ENAMETOOLONG',
]);

/** Whether an error is one of a file that cannot be read or written, with the path of it. */
function isOfFiles(error: unknown): error is Error & { readonly path: string } {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error && 'path' in error)) return false;
  return typeof error.path === 'string' && mendable.has(error.code);
}

async function fileError(error: Error & { readonly path: string }): Promise<CommandError> {
  const { systemText } = await import('../definition/file.ts');
  return new CommandError('failed', `${error.path}: ${systemText(error)}`, { cause: error });
}

/** Returns the message of an error for people, to whom the name of a control method says nothing. */
function messageOf(error: Error): string {
  const isOfParams = error instanceof ControlError && error.issues.length > 0;
  return isOfParams ? error.message.replace(/^[a-z]+\.[a-zA-Z]+: /, '') : error.message;
}

function describe(error: Error): object {
  if (error instanceof ControlError) {
    const { code, message, issues } = error;
    return { code, message, ...(issues.length > 0 && { issues }) };
  }
  if (error instanceof ConnectionError) return { code: error.code, message: error.message };
  return { code: error instanceof CommandError ? error.code : 'failed', message: plainLines(error.message) };
}
