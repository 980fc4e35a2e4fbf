import { resolve } from 'node:path';
import { Command } from 'commander';
import { examples, helpGroups, print } from '../cli.ts';
import { CommandError } from '../exit-status.ts';
import { loadDefinition, pluginsFolder, sourcesFolder } from '../local/definitions.ts';
import type { FixtureRun } from '../local/fixtures.ts';
import { differenceLine } from '../local/differences.ts';
import { fixturesOption } from '../project-folder.ts';
import type { Terminal } from '../terminal.ts';
import { countText } from '../../view/text.ts';

interface Options {
  readonly update?: boolean;
  readonly sources?: string;
  readonly fixtures: string;
}

/** `test`: reads saved pages and shows how they differ from what is expected. */
export function createCommand(terminal: Terminal): Command {
  return new Command('test')
    .helpGroup(helpGroups.sources)
    .description('read saved pages by their definitions and show what differs from what is expected; needs no daemon')
    .argument('[sources...]', 'only pages of these sources')
    .option('--update', 'expect from now on what the pages give now')
    .option('--sources <folder>', 'the folder of definitions')
    .addOption(fixturesOption(terminal))
    .addHelpText('after', examples('heronry test', 'heronry test kickfund --update'))
    .action(async (wanted: readonly string[], options: Options, command: Command) => {
      const { fixturesIn, runFixture } = await import('../local/fixtures.ts');
      const folder = resolve(terminal.cwd, options.fixtures);
      const definitions = await sourcesFolder(terminal, options.sources);
      const lists = wanted.length === 0 ? [fixturesIn(folder)] : wanted.map((source) => fixturesIn(folder, source));
      const bare = wanted.filter((_, index) => lists[index]?.length === 0);
      const fixtures = lists.flat();
      if (bare.length > 0 || fixtures.length === 0) {
        const whose = bare.length > 0 ? ` of ${bare.join(', ')}` : '';
        throw new CommandError(
          'not_found',
          `test: no saved page${whose} in ${folder}: \`heronry fixture add\` saves one`,
        );
      }
      const how = { update: options.update ?? false, plugins: await pluginsFolder(terminal, definitions) };
      const runs: FixtureRun[] = [];
      for (const fixture of fixtures) {
        const loaded = await loadDefinition(definitions, fixture.source);
        runs.push(await runFixture(terminal, fixture, loaded, how));
      }
      print(terminal, command, runs, () => showRuns(terminal, runs));
      const bad = runs.filter(({ ok }) => !ok).length;
      if (bad > 0)
        throw new CommandError(
          'failed',
          `${bad} of ${countText(runs.length, 'saved page')} ${bad === 1 ? 'differs' : 'differ'}`,
        );
    });
}

function showRuns(terminal: Terminal, runs: readonly FixtureRun[]): string {
  const shown = runs.map((run) => [headText(terminal, run), ...detailLines(terminal, run)].join('\n'));
  return runs.every(({ ok }) => ok)
    ? [...shown, `${countText(runs.length, 'saved page')}, none differs`].join('\n')
    : shown.join('\n');
}

function headText(terminal: Terminal, { source, name, ok, updated }: FixtureRun): string {
  const word = updated
    ? terminal.paint('cyan', 'updated')
    : ok
      ? terminal.paint('green', 'ok')
      : terminal.paint('red', 'differs');
  return `${word}  ${source}/${name}`;
}

/** Formats differences: what was expected before the arrow, what the page gives after it. */
function detailLines(terminal: Terminal, { differences, notes }: FixtureRun): string[] {
  return [...differences.map((each) => differenceLine(terminal, each)), ...notes].map(
    (line) => `  ${line.replaceAll('\n', '\n  ')}`,
  );
}
