import { resolve } from 'node:path';
import { Command } from 'commander';
import { examples, helpGroups, print } from '../cli.ts';
import { CommandError } from '../exit-status.ts';
import { sourcesFolder, validDefinition } from '../local/definitions.ts';
import type { FixtureDrill } from '../local/drill.ts';
import { countOption } from '../options.ts';
import { table } from '../table.ts';
import { fixturesOption } from '../project-folder.ts';
import type { Terminal } from '../terminal.ts';
import { countText, plainText } from '../../view/text.ts';

interface Options {
  readonly name?: string;
  readonly sources?: string;
  readonly fixtures: string;
  readonly seed: number;
}

/** `drill`: changes saved pages as sites change, and says what the daemon would notice. */
export function createCommand(terminal: Terminal): Command {
  return new Command('drill')
    .helpGroup(helpGroups.sources)
    .description(
      'change the saved pages of a source as sites change, and say which changes would be noticed, and how; needs no daemon and asks no site; exits with 1 where one would not be',
    )
    .argument('<source>', 'the source')
    .option('-n, --name <name>', 'only this saved page')
    .option('--seed <number>', 'what chance is drawn from: the same number, the same changes', countOption, 1)
    .option('--sources <folder>', 'the folder of definitions')
    .addOption(fixturesOption(terminal))
    .addHelpText('after', examples('heronry drill kickfund', 'heronry drill kickfund --name solar --json'))
    .action(async (id: string, { name, seed, ...options }: Options, command: Command) => {
      const [{ fixturesIn }, { drillFixtures }] = await Promise.all([
        import('../local/fixtures.ts'),
        import('../local/drill.ts'),
      ]);
      const source = await validDefinition(terminal, await sourcesFolder(terminal, options.sources), id);
      if (source.plugin !== undefined || source.collect !== undefined)
        throw new CommandError(
          'usage',
          `drill: ${id} is read by a plug-in or program: expected a source that rules read`,
        );
      const folder = resolve(terminal.cwd, options.fixtures);
      const all = fixturesIn(folder, id);
      const fixtures = all.filter((fixture) => name === undefined || fixture.name === name);
      if (fixtures.length === 0)
        throw new CommandError(
          'not_found',
          `drill: no saved page ${name === undefined ? '' : `"${name}" `}of ${id} in ${folder}: \`heronry fixture add\` saves one`,
        );
      const results: FixtureDrill[] = [];
      const skip = (what: string): void => terminal.err(`skipped: ${plainText(what)}`);
      for await (const result of drillFixtures(source, fixtures, { all, seed, skip })) results.push(result);
      if (results.length === 0) throw new CommandError('failed', `no saved page of ${id} has anything to change`);
      print(terminal, command, results, () => showDrill(terminal, results));
      const missed = results.filter(({ noticed }) => noticed === 'none').length;
      if (missed > 0)
        throw new CommandError('failed', `${missed} of ${countText(results.length, 'change')} would not be noticed`);
    });
}

function showDrill(terminal: Terminal, results: readonly FixtureDrill[]): string {
  const rows = table(terminal, results, [
    ['PAGE', ({ fixture }) => fixture],
    ['CHANGE', ({ mutation }) => mutation],
    ['FIELD', ({ field = '' }) => field],
    ['NOTICED', (result) => noticedText(terminal, result)],
    ['BY', byText, { cutTo: 24 }],
    [
      'CAUSE',
      ({ cause, isRight }) => (cause === undefined ? '' : `${cause.replaceAll('_', ' ')}${isRight ? '' : ' ?'}`),
    ],
  ]);
  const noticed = results.filter((each) => each.noticed !== 'none');
  const right = noticed.filter(({ isRight }) => isRight).length;
  const sites = [...Map.groupBy(results, ({ fixture }) => fixture)].flatMap(([fixture, [first]]) =>
    first === undefined ? [] : [`${fixture}: ${rehearsedText(first)}`],
  );
  return `${rows}\n\n${sites.join('\n')}\n${noticed.length} of ${countText(results.length, 'change')} noticed, ${right} with the right cause`;
}

/** Says which pages were rehearsed. */
function rehearsedText({ rehearsed: { of, pages, changed } }: FixtureDrill): string {
  const kinds = {
    pages: 'by themselves',
    crawl: 'of a crawl',
    list: 'of a list',
    items: 'of a list and its items',
  };
  return `${changed} of ${countText(pages, 'page')} ${kinds[of]} changed`;
}

function noticedText(terminal: Terminal, { noticed, told }: FixtureDrill): string {
  if (noticed !== 'none') return terminal.paint('green', 'yes');
  return terminal.paint('red', told > 0 ? `no: ${countText(told, 'change')} told` : 'no');
}

function byText({ noticed, symptoms }: FixtureDrill): string {
  return noticed === 'failure' ? 'the scrape fails' : symptoms.join(', ');
}
