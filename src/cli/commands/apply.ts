import { Command } from 'commander';
import type { Result } from '../../control/methods.ts';
import { examples, helpGroups, print, withDaemon } from '../cli.ts';
import { infeasibleText } from '../infeasible-text.ts';
import { readProjects, splitTooLarge } from '../local/projects.ts';
import type { Style, Terminal } from '../terminal.ts';
import { countText, plainText } from '../text.ts';

interface Options {
  readonly file: string;
  readonly prune?: boolean;
  readonly dryRun?: boolean;
}

type Applied = Result<'project.apply'>;

/** `apply`: makes the tracked projects equal to a file. */
export function createCommand(terminal: Terminal): Command {
  return new Command('apply')
    .helpGroup(helpGroups.projects)
    .description('make the tracked projects equal to a file, by id, and print the difference')
    .requiredOption('-f, --file <file>', 'the project file')
    .option('--prune', 'archive projects that are not in the file')
    .option('--dry-run', 'print the difference and do nothing')
    .addHelpText(
      'after',
      examples('heronry apply -f projects.yaml --dry-run', 'heronry apply -f projects.yaml --prune'),
    )
    .action(async ({ file, prune = false, dryRun = false }: Options, command: Command) => {
      const projects = await readProjects(terminal, file);
      await withDaemon(terminal, command, async (client) => {
        const applied = await client.call('project.apply', { projects, prune, dryRun }).catch(splitTooLarge('apply'));
        for (const each of applied.infeasible ?? []) terminal.err(`warning: ${infeasibleText(each)}`);
        print(terminal, command, applied, () => showApplied(terminal, applied, prune));
      });
    });
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
