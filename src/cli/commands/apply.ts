import { Command } from 'commander';
import type { Client } from '../../control/client.ts';
import type { MethodInput, Result } from '../../control/methods.ts';
import { examples, helpGroups, print, withClient, withProgress } from '../cli.ts';
import { infeasibleText } from '../infeasible-text.ts';
import { requestsFor, together } from '../local/apply-requests.ts';
import { readProjects } from '../local/projects.ts';
import type { Style, Terminal } from '../terminal.ts';
import { countText, plainText } from '../../view/text.ts';

interface Options {
  readonly file: string;
  readonly prune?: boolean;
  readonly dryRun?: boolean;
}

type Request = MethodInput<'project.apply'>;
type Listed = Request['projects'];
type Applied = Result<'project.apply'>;

/** `apply`: makes the tracked projects equal to a file. */
export function createCommand(terminal: Terminal): Command {
  return new Command('apply')
    .helpGroup(helpGroups.projects)
    .description(
      'make the tracked projects equal to a file, with the tables and sitemaps that it names, by id, and print the difference',
    )
    .requiredOption('-f, --file <file>', 'the project file')
    .option('--prune', 'archive projects that are not in the file')
    .option('--dry-run', 'print the difference and do nothing')
    .addHelpText(
      'after',
      examples('heronry apply -f projects.yaml --dry-run', 'heronry apply -f projects.yaml --prune'),
    )
    .action(async ({ file, prune = false, dryRun = false }: Options, command: Command) => {
      const projects = await readProjects(terminal, command, file);
      let doing = 'waiting for apply';
      const work = withClient(terminal, command, async (client) => {
        const applied = await applyAll(client, projects, { prune, dryRun }, (told) => (doing = told));
        for (const each of applied.infeasible ?? []) terminal.err(`warning: ${infeasibleText(each)}`);
        print(terminal, command, applied, () => showApplied(terminal, applied, prune));
      });
      await withProgress(terminal, () => doing, work);
    });
}

/**
 * Applies a list, however long. Where it takes several requests, all of it is compared before any of it is applied, so that a list with a
 * mistake changes nothing.
 *
 * @param told - called with how far it is.
 */
async function applyAll(
  client: Client,
  projects: Listed,
  { prune, dryRun }: { readonly prune: boolean; readonly dryRun: boolean },
  told: (progress: string) => void,
): Promise<Applied> {
  const requests = requestsFor(projects, prune);
  const compared = await callEach(requests, 'compared', requests.length > 1 || dryRun);
  if (requests.length === 1 || dryRun) return together(compared, projects);
  const changing = requests.filter((_, index) => (compared[index]?.changes.length ?? 0) > 0);
  const applied = await callEach(changing, 'applied', false);
  const same = compared.filter(({ changes }) => changes.length === 0).map((answer) => ({ ...answer, applied: true }));
  return together([...same, ...applied], projects);

  async function callEach(all: readonly Request[], what: string, isDry: boolean): Promise<Applied[]> {
    const answers: Applied[] = [];
    const total = all.reduce((sum, request) => sum + request.projects.length, 0);
    let done = 0;
    for (const request of all) {
      if (all.length > 1) told(`${what} ${done} of ${countText(total, 'project')}`);
      answers.push(await client.call('project.apply', { ...request, dryRun: isDry }));
      done += request.projects.length;
    }
    return answers;
  }
}

const marks: Readonly<Record<Applied['changes'][number]['action'], readonly [mark: string, style: Style]>> = {
  add: ['+', 'green'],
  restore: ['+', 'green'],
  update: ['~', 'yellow'],
  archive: ['-', 'red'],
};

function showApplied(terminal: Terminal, { changes, unchanged, applied }: Applied, prune: boolean): string {
  const lines = changes.flatMap(({ id, action, details }) => {
    const [mark, style] = marks[action];
    return [terminal.paint(style, `${mark} ${action} ${id}`), ...details.map((detail) => `    ${plainText(detail)}`)];
  });
  const summary = `${countText(changes.length, 'change')}, ${unchanged} unchanged${prune ? '' : '; nothing is archived without --prune'}`;
  return [...lines, applied ? summary : `${summary}; not applied`].join('\n');
}
