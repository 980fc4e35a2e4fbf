import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Command } from 'commander';
import type { Client } from '../../control/client.ts';
import { ControlError } from '../../control/error.ts';
import type { SourceView } from '../../control/methods/source.ts';
import type { Problem } from '../../definition/problem.ts';
import { defined } from '../../defined.ts';
import { examples, helpGroups, print, withDaemon } from '../cli.ts';
import { durationText } from '../../time-text.ts';
import { CommandError } from '../exit-status.ts';
import { showProblems } from '../problems.ts';
import { circuitText } from '../../view/host-text.ts';
import { showReplay } from '../show-replay.ts';
import { markText } from '../show-target.ts';
import { showWritten } from '../show-written.ts';
import { table } from '../table.ts';
import { projectFolder } from '../project-folder.ts';
import { showStatus, type Terminal } from '../terminal.ts';
import { countText, plainText, shellText } from '../../view/text.ts';

interface Options {
  readonly reload?: boolean;
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly reset?: string;
  readonly pulse?: string;
  readonly ids?: boolean;
}

/** `sources`: lists the sources and their problems. */
export function createCommand(terminal: Terminal): Command {
  return new Command('sources')
    .helpGroup(helpGroups.sources)
    .description('list sources, and the problems of their definitions, sessions and sites')
    .option(
      '--reload',
      'read the definition files again, and list the sources that changed or have a problem; exits with 2 if one has',
    )
    .option('--dry-run', 'with --reload: only show what would change on kept pages, and what has a problem')
    .option(
      '--force',
      'with --reload: remove also sources that targets use and whose file is gone, and take definitions that read nothing from kept pages',
    )
    .option('--reset <id>', 'first let this source log in again after it gave up')
    .option('--pulse <id>', 'first have this source begin a round of its pulse, each request in the turn of its host')
    .option('--ids', 'print only the ids')
    .addHelpText(
      'after',
      examples(
        'heronry sources',
        'heronry sources --reload --dry-run',
        'heronry sources --reload',
        'heronry sources --reset kickfund',
        'heronry sources --pulse kickfund',
        'heronry sources save kickfund draft.yaml',
        'heronry sources rename kickfund kicker',
      ),
    )
    .addCommand(saveCommand(terminal))
    .addCommand(renameCommand(terminal))
    .action(({ reload, force, dryRun, reset, pulse, ids }: Options, command: Command) => {
      const beside = force ? '--force' : dryRun ? '--dry-run' : undefined;
      if (beside !== undefined && !reload)
        throw new CommandError('usage', `sources: ${beside}: expected --reload beside it`);
      return withDaemon(terminal, command, async (client) => {
        if (dryRun) return tryReload(terminal, command, client, force ?? false);
        const { changed, problems } = reload ? await reloaded(terminal, client, force ?? false) : notReloaded;
        if (reset !== undefined) {
          const { session } = await client.call('source.reset', { id: reset });
          terminal.err(`source ${reset}: log-ins are tried again${session ? `, now ${session.code}` : ''}`);
        }
        if (pulse !== undefined) {
          await client.call('source.pulse', { id: pulse });
          terminal.err(`source ${pulse}: a round of its pulse has begun`);
        }
        const { sources, problems: ofNone = [] } = await client.call('source.list', {});
        const untold = problems.length > 0 ? [] : ofNone;
        if (untold.length > 0) terminal.err(showProblems(terminal, untold));
        else if (sources.every(({ builtIn }) => builtIn))
          terminal.err('no sources: write a definition, then `heronry sources --reload`');
        print(terminal, command, sources, () => {
          if (ids) return sources.map(({ id }) => id).join('\n');
          const isShown = (source: SourceView) => changed?.includes(source.id) !== false || source.problems.length > 0;
          return showSources(terminal, sources.filter(isShown), problems);
        });
        if (problems.length > 0) throw refusal(terminal, problems);
      });
    });
}

/** Shows what a reload would change, and takes nothing. */
async function tryReload(terminal: Terminal, command: Command, client: Client, force: boolean): Promise<void> {
  const found = await client.call('source.reload', { force, dryRun: true });
  const { changed, removed, problems, replays = [] } = found;
  print(terminal, command, found, () =>
    [
      `${countText(changed.length, 'source')} would change, ${removed.length} be removed`,
      ...replays.map((replay) => showReplay(terminal, replay)),
    ].join('\n'),
  );
  if (problems.length > 0) throw refusal(terminal, problems);
}

function saveCommand(terminal: Terminal): Command {
  return new Command('save')
    .description(
      'write a file as the definition of a source, new or not, and take it into use; refused where a reload would refuse it',
    )
    .argument('<source>', 'the source')
    .argument('<file>', 'the file with the text of the definition')
    .option('--dry-run', 'show how the definition would differ, and write nothing')
    .addHelpText(
      'after',
      examples('heronry sources save kickfund draft.yaml --dry-run', 'heronry sources save kickfund draft.yaml'),
    )
    .action(async (id: string, file: string, _options: object, command: Command) => {
      // The option of the same name of `sources` comes first, wherever it stands.
      const { dryRun = false } = command.optsWithGlobals<{ readonly dryRun?: boolean }>();
      const { maxFileBytes, readRegularFile } = await import('../../definition/file.ts');
      const draft = await readRegularFile(resolve(terminal.cwd, file), maxFileBytes);
      if (!draft.ok) throw new CommandError('failed', `${file}: ${draft.message}`);
      const text = Buffer.from(draft.bytes).toString();
      await withDaemon(terminal, command, async (client) => {
        const base = await digestOf(client, id);
        const saved = await client.call('source.save', { id, text, dryRun, ...defined({ base }) });
        print(terminal, command, saved, () => showWritten(saved, dryRun));
      });
    });
}

/** Resolves with the digest of the definition file of a source; nothing where it has none. */
async function digestOf(client: Client, id: string): Promise<string | undefined> {
  try {
    return (await client.call('source.get', { id, text: true })).file?.digest;
  } catch (error) {
    if (error instanceof ControlError && error.code === 'not_found') return undefined;
    throw error;
  }
}

function renameCommand(terminal: Terminal): Command {
  return new Command('rename')
    .description('give a source another id; its file, targets, records and history follow')
    .argument('<source>', 'the source')
    .argument('<new-id>', 'its new id')
    .addHelpText('after', examples('heronry sources rename kickfund kicker'))
    .action((id: string, to: string, _options: object, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        const source = await client.call('source.rename', { id, to });
        print(
          terminal,
          command,
          source,
          () => `renamed ${id} to ${to}, which has ${countText(source.targets, 'active target')}`,
        );
        for (const hint of await stillNamed(terminal, id, to)) terminal.err(hint);
      }),
    );
}

/** Says what in the folder of the nearest heronry.yaml still names a source by its old id. */
async function stillNamed({ cwd }: Terminal, id: string, to: string): Promise<string[]> {
  const folder = projectFolder(cwd) ?? cwd;
  const projects = await readFile(join(folder, 'projects.yaml'), 'utf8').catch(() => '');
  const lines = projects.split('\n').filter((line) => new RegExp(`\\bsource:\\s*["']?${id}(?![\\w-])`).test(line));
  const pages = join('fixtures', id);
  return [
    ...(lines.length > 0
      ? [`projects.yaml says \`source: ${id}\` in ${countText(lines.length, 'line')}: change that to ${to}`]
      : []),
    ...(existsSync(join(folder, pages)) ? [`saved pages are in ${pages}: move them to ${join('fixtures', to)}`] : []),
  ];
}

/** What a reload has changed, and the problems of the definitions. */
interface Reloaded {
  /** Missing where nothing was reloaded. */
  readonly changed?: readonly string[];
  readonly problems: readonly Problem[];
}

const notReloaded: Reloaded = { problems: [] };

/** Has the daemon read the definition files again, and tells what that has changed. */
async function reloaded(terminal: Terminal, client: Client, force: boolean): Promise<Reloaded> {
  const {
    changed,
    removed,
    sinks = [],
    problems,
    replays = [],
    rekeyed = [],
    knownPages = [],
    cut,
  } = await client.call('source.reload', { force });
  const which = removed.length > 0 ? `: ${removed.join(', ')}` : '';
  terminal.err(`${countText(changed.length, 'source')} changed, ${removed.length} removed${which}`);
  if (sinks.length > 0) terminal.err(`${countText(sinks.length, 'sink')} changed: ${sinks.join(', ')}`);
  for (const replay of replays) terminal.err(showReplay(terminal, replay));
  for (const { source, type, records, at } of rekeyed)
    terminal.err(
      `${source}: ${type} has another key now, and ${countText(records, 'record')} the old one: once all targets were scraped, \`heronry records remove ${source} ${type} --not-seen-since ${new Date(at).toISOString()}\` removes what is left of them`,
    );
  for (const { url, source, projects } of knownPages)
    terminal.err(
      `source ${source} knows ${plainText(url)}, which ${projects.join(', ')} tracks as a page of no source: \`heronry add --source ${source} --url ${shellText(url)}\` tracks it by that`,
    );
  if (cut !== undefined) terminal.err('… and perhaps further pages that a source knows');
  return { changed, problems };
}

function refusal(terminal: Terminal, problems: readonly Problem[]): CommandError {
  const told = `${countText(problems.length, 'problem')}; what has one stays as it was loaded before:`;
  return new CommandError('usage', `${told}\n${showProblems(terminal, problems)}`);
}

/** @param told - problems that are printed elsewhere. */
function showSources(terminal: Terminal, sources: readonly SourceView[], told: readonly Problem[]): string {
  const problems = sources
    .flatMap((source) => source.problems)
    .filter((problem) => !told.some((each) => isDeepStrictEqual(each, problem)));
  if (sources.length === 0) return '';
  return [
    table(terminal, sources, [
      ['SOURCE', ({ id }) => id],
      ['STATUS', (source) => showStatus(terminal, statusOf(source))],
      ['TARGETS', ({ targets }) => String(targets)],
      ['EVERY', ({ everyMs }) => (everyMs === undefined ? '–' : durationText(everyMs))],
      ['PULSE', ({ pulse }) => (pulse ? durationText(pulse.everyMs) : '–'), { spare: true }],
      ['ROBOTS', ({ robots }) => robots ?? '–', { spare: true }],
      ['NAME', ({ name }) => plainText(name), { cutTo: 12, spare: true }],
    ]),
    ...sources.flatMap((source) => noteLines(terminal, source)),
    ...(problems.length > 0 ? [showProblems(terminal, problems)] : []),
  ].join('\n');
}

/** Returns the status to show of a source: its worst condition. */
function statusOf({ status, session, circuit, tickets }: SourceView): string {
  if (status !== 'ready') return status;
  if (session?.message !== undefined) return session.code;
  if (circuit?.state === 'open') return 'circuit_open';
  return tickets === undefined ? status : 'ticket';
}

/** Formats what a person should know or do about a source's session, circuit and targets. */
function noteLines(
  terminal: Terminal,
  { id, status, targets, version, problems, session, circuit, tickets = [], cut = [] }: SourceView,
): string[] {
  const hint = session?.code === 'login_attempts' ? `; then: heronry sources --reset ${id}` : '';
  const isLost = status === 'definition_error' && version === undefined && problems.length === 0;
  return [
    ...(isLost
      ? [`${id}: no definition of it is loaded, and nothing of its ${countText(targets, 'target')} is asked`]
      : []),
    ...(session?.message === undefined ? [] : [`${id}: ${session.code}: ${plainText(session.message)}${hint}`]),
    ...(circuit ? [`${id}: circuit ${circuitText(circuit, terminal.now())}`] : []),
    ...tickets.map((mark) => `${id}: ticket ${markText(mark, terminal.now())}`),
    ...(cut.includes('tickets') ? [`${id}: … and more tickets`] : []),
  ];
}
