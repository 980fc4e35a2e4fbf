import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { ConnectionError } from '../control/client.ts';
import { ControlError } from '../control/error.ts';
import { addCommand } from './commands/add.ts';
import { applyCommand } from './commands/apply.ts';
import { archiveCommand } from './commands/archive.ts';
import { cancelCommand } from './commands/cancel.ts';
import { completionCommand } from './commands/completion.ts';
import { crawlsCommand } from './commands/crawls.ts';
import { demoCommand } from './commands/demo.ts';
import { fetchCommand } from './commands/fetch.ts';
import { fixtureCommand } from './commands/fixture.ts';
import { freshnessCommand } from './commands/freshness.ts';
import { historyCommand } from './commands/history.ts';
import { hostsCommand } from './commands/hosts.ts';
import { initCommand } from './commands/init.ts';
import { listCommand } from './commands/list.ts';
import { planCommand } from './commands/plan.ts';
import { releaseCommand } from './commands/release.ts';
import { rescrapeCommand } from './commands/rescrape.ts';
import { restoreCommand } from './commands/restore.ts';
import { runCommand } from './commands/run.ts';
import { scheduleCommand } from './commands/schedule.ts';
import { schemaCommand } from './commands/schema.ts';
import { scrapesCommand } from './commands/scrapes.ts';
import { settingsCommand } from './commands/settings.ts';
import { showCommand } from './commands/show.ts';
import { sourcesCommand } from './commands/sources.ts';
import { startCommand } from './commands/start.ts';
import { statusCommand } from './commands/status.ts';
import { stopCommand } from './commands/stop.ts';
import { testCommand } from './commands/test.ts';
import { treeCommand } from './commands/tree.ts';
import { tryCommand } from './commands/try.ts';
import { validateCommand } from './commands/validate.ts';
import { wasteCommand } from './commands/waste.ts';
import { watchCommand } from './commands/watch.ts';
import { whyCommand } from './commands/why.ts';
import { CommandError, exitStatus, exitStatusHelp, type ExitStatus } from './exit-status.ts';
import type { Terminal } from './terminal.ts';
import { plainText } from './text.ts';

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
      // Told when it is caught, in the form that is asked for.
      outputError: () => {},
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
    const isJson = words.includes('--json');
    if (error instanceof CommanderError) return refuse(error, isJson, terminal);
    const status = statusOf(error);
    if (status === undefined || !(error instanceof Error)) throw error;
    if (isJson) terminal.err(JSON.stringify({ error: describe(error) }));
    else terminal.err(`heronry: ${plainLines(error.message)}`);
    return status;
  }
}

/** Says what commander refuses; help it has shown itself. */
function refuse({ code, exitCode, message }: CommanderError, isJson: boolean, terminal: Terminal): ExitStatus {
  if (exitCode === 0) return exitStatus.ok;
  const isHelp = code === 'commander.help';
  const told = isHelp ? 'expected a command' : plainLines(message.replace(/^error: /, ''));
  if (isJson) terminal.err(JSON.stringify({ error: { code: 'usage', message: told } }));
  else if (!isHelp) terminal.err(`error: ${told}`);
  return exitStatus.usage;
}

/** A message of ours, in which words from elsewhere do not steer the terminal. */
function plainLines(message: string): string {
  return message.split('\n').map(plainText).join('\n');
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
        runCommand(terminal),
        archiveCommand(terminal),
        restoreCommand(terminal),
        releaseCommand(terminal),
      ],
    ],
    [
      'Sources, hosts and scrapes:',
      [
        sourcesCommand(terminal),
        hostsCommand(terminal),
        tryCommand(terminal),
        fetchCommand(terminal),
        fixtureCommand(terminal),
        testCommand(terminal),
        scrapesCommand(terminal),
        crawlsCommand(terminal),
        cancelCommand(terminal),
      ],
    ],
    [
      'When, and at what cost:',
      [
        whyCommand(terminal),
        scheduleCommand(terminal),
        planCommand(terminal),
        freshnessCommand(terminal),
        wasteCommand(terminal),
      ],
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

const errorCodes: Readonly<Record<ExitStatus, string>> = {
  [exitStatus.ok]: 'ok',
  [exitStatus.failed]: 'failed',
  [exitStatus.usage]: 'usage',
  [exitStatus.notFound]: 'not_found',
  [exitStatus.conflict]: 'conflict',
  [exitStatus.unavailable]: 'unavailable',
};

function describe(error: Error): object {
  if (error instanceof ControlError) {
    const { code, message, issues } = error;
    return { code, message, ...(issues.length > 0 && { issues }) };
  }
  if (error instanceof ConnectionError) return { code: error.code, message: error.message };
  const status = error instanceof CommandError ? error.status : exitStatus.failed;
  return { code: errorCodes[status], message: plainLines(error.message) };
}
