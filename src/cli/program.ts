import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { ConnectionError } from '../control/client.ts';
import { ControlError } from '../control/error.ts';
import { addCommand } from './commands/add.ts';
import { applyCommand } from './commands/apply.ts';
import { archiveCommand } from './commands/archive.ts';
import { cancelCommand } from './commands/cancel.ts';
import { completionCommand } from './commands/completion.ts';
import { demoCommand } from './commands/demo.ts';
import { historyCommand } from './commands/history.ts';
import { initCommand } from './commands/init.ts';
import { listCommand } from './commands/list.ts';
import { releaseCommand } from './commands/release.ts';
import { rescrapeCommand } from './commands/rescrape.ts';
import { restoreCommand } from './commands/restore.ts';
import { schemaCommand } from './commands/schema.ts';
import { scrapesCommand } from './commands/scrapes.ts';
import { settingsCommand } from './commands/settings.ts';
import { showCommand } from './commands/show.ts';
import { sourcesCommand } from './commands/sources.ts';
import { startCommand } from './commands/start.ts';
import { statusCommand } from './commands/status.ts';
import { stopCommand } from './commands/stop.ts';
import { treeCommand } from './commands/tree.ts';
import { tryCommand } from './commands/try.ts';
import { validateCommand } from './commands/validate.ts';
import { watchCommand } from './commands/watch.ts';
import { CommandError, exitStatus, exitStatusHelp, type ExitStatus } from './exit-status.ts';
import type { Terminal } from './terminal.ts';

/** The whole command line; nothing runs until it is given words to parse. */
export function createProgram(terminal: Terminal): Command {
  const program = new Command('heronry')
    .description('Keeps track of projects on sites that it does not control, and tells what changed.')
    .version(version())
    .option('--socket <path>', 'where the daemon listens')
    .option('--json', 'print for machines')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => terminal.out(text.replace(/\n$/, '')),
      writeErr: (text) => terminal.err(text.replace(/\n$/, '')),
    })
    .exitOverride()
    .addHelpText('after', `\n${exitStatusHelp}\n\nTo begin: heronry demo, or heronry init and heronry start.`);
  for (const [heading, commands] of groupedCommands(terminal)) {
    program.commandsGroup(heading);
    for (const command of commands) program.addCommand(inherit(command, program));
  }
  return program;
}

/** Runs one command line and gives what to leave with. Throws only what is a bug. */
export async function runProgram(words: readonly string[], terminal: Terminal): Promise<ExitStatus> {
  try {
    await createProgram(terminal).parseAsync(words, { from: 'user' });
    return exitStatus.ok;
  } catch (error) {
    // What commander refuses it has said.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitStatus.ok : exitStatus.usage;
    const status = statusOf(error);
    if (status === undefined || !(error instanceof Error)) throw error;
    if (words.includes('--json')) terminal.err(JSON.stringify({ error: describe(error) }));
    else terminal.err(`heronry: ${error.message}`);
    return status;
  }
}

/** The version that this program was published as. */
function version(): string {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    readonly version: string;
  };
  return manifest.version;
}

function groupedCommands(terminal: Terminal): readonly (readonly [heading: string, commands: readonly Command[]])[] {
  return [
    [
      'To begin:',
      [
        demoCommand(),
        initCommand(terminal),
        validateCommand(terminal),
        schemaCommand(terminal),
        startCommand(terminal),
      ],
    ],
    [
      'Projects:',
      [
        addCommand(terminal),
        applyCommand(terminal),
        listCommand(terminal),
        showCommand(terminal),
        historyCommand(terminal),
        rescrapeCommand(terminal),
        archiveCommand(terminal),
        restoreCommand(terminal),
        releaseCommand(terminal),
      ],
    ],
    [
      'Sources and scrapes:',
      [sourcesCommand(terminal), tryCommand(terminal), scrapesCommand(terminal), cancelCommand(terminal)],
    ],
    [
      'The daemon:',
      [
        statusCommand(terminal),
        treeCommand(terminal),
        watchCommand(terminal),
        settingsCommand(terminal),
        stopCommand(terminal),
        completionCommand(terminal),
      ],
    ],
  ];
}

/** Gives a command of a command the same output and help as the whole. */
function inherit(command: Command, from: Command): Command {
  command.copyInheritedSettings(from);
  for (const inner of command.commands) inherit(inner, command);
  return command;
}

function statusOf(error: unknown): ExitStatus | undefined {
  if (error instanceof CommandError) return error.status;
  if (error instanceof ConnectionError) return exitStatus.unavailable;
  if (!(error instanceof ControlError)) return undefined;
  switch (error.code) {
    case 'not_found':
      return exitStatus.notFound;
    case 'conflict':
      return exitStatus.conflict;
    case 'invalid_params':
      return exitStatus.usage;
    default:
      return exitStatus.failed;
  }
}

function describe(error: Error): object {
  if (error instanceof ControlError) {
    const { code, message, issues } = error;
    return { code, message, ...(issues.length > 0 && { issues }) };
  }
  return { code: error instanceof ConnectionError ? error.code : 'failed', message: error.message };
}
