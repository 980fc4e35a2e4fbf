import { Command } from 'commander';
import type { Client } from '../control/client.ts';
import { ControlError } from '../control/error.ts';
import type { MethodInput } from '../control/methods.ts';
import type { ProjectView } from '../control/methods/project.ts';
import { defined } from '../defined.ts';
import { helpGroups, listRows, print, withClient, withProgress } from './cli.ts';
import { CommandError } from './exit-status.ts';
import { showProjects } from './show-projects.ts';
import { table } from './table.ts';
import type { Terminal } from './terminal.ts';
import { countText, plainText, projectsText } from '../view/text.ts';

/** The options that choose the projects of a command in place of their ids; all that are given must hold. */
interface Selection {
  readonly label?: string;
  readonly source?: string;
  readonly match?: string;
  readonly search?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** The work of a command on each of its projects. */
interface BulkWork<T> {
  /** The verb, such as `archive`, and its past participle. */
  readonly verbs: readonly [verb: string, done: string];
  /** The projects that a selection chooses: without a status, all that are not archived. */
  readonly among: readonly NonNullable<MethodInput<'project.list'>['status']>[] | 'not archived' | 'all';
  /** Whether the command asks a person for confirmation even if the projects are named by their ids. */
  readonly asks?: boolean;
  /** Applies the command to one project; with `dryRun`, only finds out what it would do. */
  run(client: Client, id: string, dryRun: boolean): Promise<T>;
  /** Formats what was done to a project: as a line of its own with the id, or as a row of a table without it. */
  show(result: T, id?: string): string;
  /** Whether `run` has something to tell with `dryRun`; without it, a dry run lists the projects. */
  readonly tellsDryRun?: boolean;
}

/** Projects that are asked for at once. */
const atOnce = 16;

/** The largest number of refusals that the error of a command lists. */
const maxTold = 20;

/** Creates a command on projects, which are named by their ids or chosen by options. */
export function ofProjects(name: string, description: string): Command {
  return new Command(name)
    .helpGroup(helpGroups.projects)
    .description(description)
    .argument('[id...]', 'the projects')
    .option('-l, --label <label>', 'instead of ids: the projects with this label')
    .option('-s, --source <id>', 'instead of ids: the projects with a target on this source')
    .option('--match <pattern>', "instead of ids: the projects whose id matches, such as 'shop-*'")
    .option('--search <query>', "instead of ids: the projects that a search finds, such as 'source:shop state:late'")
    .option('--dry-run', 'only show what would be done')
    .option('-y, --yes', 'do not ask first');
}

/**
 * Applies a command to each of its projects, a few at a time, and goes on after the daemon refused one. Prints a line for each project
 * that was named, and a table of those that options chose. Rejects with a `CommandError` if nobody confirms, and at the end with a
 * `ControlError` that lists the refusals, with the code of the first.
 */
export async function changeProjects<T>(
  terminal: Terminal,
  command: Command,
  ids: readonly string[],
  work: BulkWork<T>,
): Promise<void> {
  const chosen = selectionOf(command, ids);
  const { dryRun = false } = command.opts<Selection>();
  let doing = `waiting for ${command.name()}`;
  const running = withClient(terminal, command, async (client) => {
    const found = chosen === undefined ? undefined : await selected(terminal, client, chosen, work);
    if (found?.length === 0) terminal.err('no project matches');
    if (dryRun && !work.tellsDryRun) {
      const projects = found ?? (await Promise.all(ids.map((id) => client.call('project.get', { id }))));
      return showWanted(terminal, command, projects, work);
    }
    const wanted = found?.map(({ id }) => id) ?? [...new Set(ids)];
    if (!dryRun && wanted.length > 0 && (chosen !== undefined || work.asks)) {
      const before = doing;
      // A passing line would hide the question.
      doing = '';
      await confirm(terminal, command, wanted, work);
      doing = before;
    }
    const outcomes: Outcome<T>[] = [];
    for (let from = 0; from < wanted.length; from += atOnce) {
      const some = await Promise.all(wanted.slice(from, from + atOnce).map((id) => runOne(client, id, dryRun, work)));
      if (chosen === undefined) showEach(terminal, command, some, work);
      for (const outcome of some) outcomes.push(outcome);
      doing = `${work.verbs[1]} ${outcomes.length} of ${countText(wanted.length, 'project')}`;
    }
    if (chosen !== undefined) showAll(terminal, command, outcomes, dryRun, work);
    refuse(outcomes);
  });
  await withProgress(terminal, () => doing, running);
}

type Chosen = Pick<Selection, 'label' | 'source' | 'match' | 'search'>;

type Outcome<T> =
  | { readonly id: string; readonly ok: true; readonly result: T }
  | { readonly id: string; readonly ok: false; readonly error: ControlError };

/** Returns the options that choose the projects; `undefined` where ids name them. Throws a `CommandError` for both, or neither. */
function selectionOf(command: Command, ids: readonly string[]): Chosen | undefined {
  const { label, source, match, search } = command.opts<Selection>();
  const chosen = defined({ label, source, match, search });
  const isChosen = Object.keys(chosen).length > 0;
  if (search !== undefined && Object.keys(chosen).length > 1)
    throw new CommandError('usage', `${command.name()}: --search: expected no --label, --source or --match beside it`);
  if (isChosen === ids.length > 0)
    throw new CommandError(
      'usage',
      `${command.name()}: expected ids of projects, or --label, --source, --match or --search in their place${isChosen ? ', got both' : ''}`,
    );
  return isChosen ? chosen : undefined;
}

async function selected<T>(
  terminal: Terminal,
  client: Client,
  chosen: Chosen,
  { among }: BulkWork<T>,
): Promise<readonly ProjectView[]> {
  const { search, ...listed } = chosen;
  const found = new Map<string, ProjectView>();
  const statuses = among === 'not archived' ? [undefined] : among === 'all' ? [undefined, 'archived' as const] : among;
  for (const status of statuses) {
    const rows = await listRows(terminal, { noun: 'project' }, 'projects', (limit, after?: string) =>
      search === undefined
        ? client.call('project.list', { ...listed, limit, ...defined({ status, after }) })
        : client.call('project.search', { query: queryOf(search, status), limit, ...defined({ after }) }),
    );
    for (const row of rows) if (among !== 'not archived' || row.status !== 'archived') found.set(row.id, row);
  }
  return [...found.values()];
}

/** A search of projects of one status. */
function queryOf(search: string, status: string | undefined): string {
  return status === undefined ? search : `${search} state:${status}`;
}

async function runOne<T>(client: Client, id: string, dryRun: boolean, work: BulkWork<T>): Promise<Outcome<T>> {
  try {
    return { id, ok: true, result: await work.run(client, id, dryRun) };
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    return { id, ok: false, error };
  }
}

/** Asks a person. Rejects with a `CommandError` where nobody can be asked, or the answer is no. */
async function confirm<T>(
  terminal: Terminal,
  command: Command,
  ids: readonly string[],
  { verbs: [verb] }: BulkWork<T>,
): Promise<void> {
  if (command.opts<Selection>().yes) return;
  const answer = await terminal.ask(`${verb} ${countText(ids.length, 'project')}: ${projectsText(ids)}? [y/N] `);
  if (answer === undefined)
    throw new CommandError(
      'usage',
      `${command.name()}: ${countText(ids.length, 'project')}: expected --yes, or --dry-run, as nobody can be asked`,
    );
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new CommandError('failed', `${command.name()}: nothing was done`);
}

/** Lists the projects that a command would touch. */
function showWanted<T>(
  terminal: Terminal,
  command: Command,
  projects: readonly ProjectView[],
  { verbs: [, done] }: BulkWork<T>,
): void {
  print(terminal, command, { dryRun: true, projects: projects.map(({ id }) => ({ id })) }, () =>
    [
      ...(projects.length > 0 ? [showProjects(terminal, projects)] : []),
      `${countText(projects.length, 'project')} would be ${done}`,
    ].join('\n'),
  );
}

function showEach<T>(terminal: Terminal, command: Command, outcomes: readonly Outcome<T>[], work: BulkWork<T>): void {
  for (const outcome of outcomes)
    if (outcome.ok) print(terminal, command, outcome.result, (result) => work.show(result, outcome.id));
}

function showAll<T>(
  terminal: Terminal,
  command: Command,
  outcomes: readonly Outcome<T>[],
  dryRun: boolean,
  work: BulkWork<T>,
): void {
  const projects = outcomes.map((each) =>
    each.ok
      ? { id: each.id, result: each.result }
      : { id: each.id, error: { code: each.error.code, message: each.error.message } },
  );
  const succeeded = outcomes.filter(({ ok }) => ok).length;
  const would = dryRun ? 'would be ' : '';
  print(terminal, command, { dryRun, projects }, () =>
    [
      table(terminal, outcomes, [
        ['PROJECT', ({ id }) => id],
        ['RESULT', (each) => plainText(each.ok ? work.show(each.result) : each.error.message)],
      ]),
      ...(outcomes.length > 0 ? [`${countText(succeeded, 'project')} ${would}${work.verbs[1]}`] : []),
    ].join('\n'),
  );
}

function refuse<T>(outcomes: readonly Outcome<T>[]): void {
  const refused = outcomes.flatMap((each) => (each.ok ? [] : each.error));
  const [first] = refused;
  if (first === undefined) return;
  if (refused.length === 1) throw first;
  const told = refused.slice(0, maxTold).map(({ message }) => message);
  const more = refused.length > told.length ? [`and ${refused.length - told.length} more`] : [];
  throw new ControlError(first.code, [...told, ...more].join('\n'));
}
