import { isDeepStrictEqual } from 'node:util';
import { Command } from 'commander';
import type { Client } from '../../control/client.ts';
import type { SourceView } from '../../control/methods/source.ts';
import type { Problem } from '../../definition/problem.ts';
import { examples, print, withDaemon } from '../cli.ts';
import { durationText } from '../duration.ts';
import { CommandError, exitStatus } from '../exit-status.ts';
import { showProblems } from '../problems.ts';
import { circuitText } from '../show.ts';
import { showStatus } from '../show-status.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { countText, plainText } from '../text.ts';

interface Options {
  readonly reload?: boolean;
  readonly reset?: string;
  readonly ids?: boolean;
}

/** `sources`: the sources and what is wrong with their definitions. */
export function sourcesCommand(terminal: Terminal): Command {
  return new Command('sources')
    .description('list sources, and what is wrong with their definitions, sessions and sites')
    .option('--reload', 'read the definition files again before; leaves with 2 where one has a problem')
    .option('--reset <id>', 'before, let this source log in again after it gave up')
    .option('--ids', 'print ids alone')
    .addHelpText('after', examples('heronry sources', 'heronry sources --reload', 'heronry sources --reset kickfund'))
    .action(({ reload, reset, ids }: Options, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        const problems = reload ? await reloaded(terminal, client) : [];
        if (reset !== undefined) {
          const { session } = await client.call('source.reset', { id: reset });
          terminal.err(`source ${reset}: log-ins are tried again${session ? `, now ${session.code}` : ''}`);
        }
        const { sources } = await client.call('source.list', {});
        if (sources.length === 0) terminal.err('no sources: write a definition, then `heronry sources --reload`');
        print(terminal, command, sources, () =>
          ids ? sources.map(({ id }) => id).join('\n') : showSources(terminal, sources, problems),
        );
        if (problems.length > 0) throw refusal(terminal, problems);
      }),
    );
}

/** Has the definition files read again, and gives what is wrong with them. */
async function reloaded(terminal: Terminal, client: Client): Promise<readonly Problem[]> {
  const { changed, removed, problems } = await client.call('source.reload', {});
  terminal.err(`${countText(changed.length, 'source')} changed, ${removed.length} removed`);
  return problems;
}

function refusal(terminal: Terminal, problems: readonly Problem[]): CommandError {
  const told = `${countText(problems.length, 'problem')}; what has one stays as it was loaded before:`;
  return new CommandError(exitStatus.usage, `${told}\n${showProblems(terminal, problems)}`);
}

/** @param told - problems that are told elsewhere. */
function showSources(terminal: Terminal, sources: readonly SourceView[], told: readonly Problem[]): string {
  if (sources.length === 0) return '';
  const rows = sources.map((source) => [
    source.id,
    showStatus(terminal, statusOf(source)),
    String(source.targets),
    source.everyMs === undefined ? '–' : durationText(source.everyMs),
    source.pulse ? durationText(source.pulse.everyMs) : '–',
    source.robots ?? '–',
    plainText(source.name),
  ]);
  const problems = sources
    .flatMap((source) => source.problems)
    .filter((problem) => !told.some((each) => isDeepStrictEqual(each, problem)));
  return [
    table(terminal, ['SOURCE', 'STATUS', 'TARGETS', 'EVERY', 'PULSE', 'ROBOTS', 'NAME'], rows),
    ...sources.flatMap((source) => noteLines(terminal, source)),
    ...(problems.length > 0 ? [showProblems(terminal, problems)] : []),
  ].join('\n');
}

/** The worst thing about a source. */
function statusOf({ status, session, circuit }: SourceView): string {
  if (status !== 'ready') return status;
  if (session?.message !== undefined) return session.code;
  return circuit?.state === 'open' ? 'circuit_open' : status;
}

/** What a person should know or do about a source, besides the problems of its definition. */
function noteLines(terminal: Terminal, { id, session, circuit }: SourceView): string[] {
  const hint = session?.code === 'login_attempts' ? `; then: heronry sources --reset ${id}` : '';
  return [
    ...(session?.message === undefined ? [] : [`${id}: ${session.code}: ${plainText(session.message)}${hint}`]),
    ...(circuit ? [`${id}: circuit ${circuitText(circuit, terminal.now())}`] : []),
  ];
}
