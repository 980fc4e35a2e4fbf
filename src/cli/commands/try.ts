import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from 'commander';
import type { TryView } from '../../control/methods/source.ts';
import { defined } from '../../defined.ts';
import { examples, helpGroups, print, withDaemon } from '../cli.ts';
import { CommandError } from '../exit-status.ts';
import { pluginsFolder, sourcesFolder, validDefinition } from '../local/definitions.ts';
import { addressOf, keptPage, readPageFile, tryPage } from '../local/page.ts';
import { readHeldPage } from '../local/read-page.ts';
import type { Tried, TryOptions } from '../local/watch-trial.ts';
import { countOption, pairOption } from '../options.ts';
import { showTrial } from '../show-trial.ts';
import type { Terminal } from '../terminal.ts';
import { plainText } from '../../view/text.ts';

/** `try`: shows what a definition reads on one page. */
export function createCommand(terminal: Terminal): Command {
  return new Command('try')
    .helpGroup(helpGroups.sources)
    .description(
      "show what a source's definition reads on one page, and how each field came to its value; stores nothing",
    )
    .argument('<source>', 'the source')
    .argument('[page]', "the address of the page, or a file with it; default: the source's own address")
    .option('-p, --param <name=value>', "a parameter of the source's address pattern; may be repeated", pairOption)
    .option('--file <page>', 'read this saved page instead of fetching it; needs no daemon')
    .option('--kept <digest>', 'read this page, which the daemon has kept as evidence, and ask no site')
    .option('--sources <folder>', 'the folder of definitions, for a saved or kept page or with --watch')
    .option('--items <count>', 'the most records to show', countOption, 10)
    .option('--trees', 'show where the fast and the browser tree give different fields')
    .option('-w, --watch', 'read the page again whenever its definition or file changes, until interrupted')
    .addHelpText(
      'after',
      examples(
        'heronry try kickfund https://kickfund.example/projects/solar',
        'heronry try kickfund --param slug=solar --json',
        'heronry try kickfund solar.html --trees',
        'heronry try kickfund https://kickfund.example/projects/solar --watch',
        'heronry try kickfund --kept 6Zb0QmXq2vI1ZQbJr0T1xA',
      ),
    )
    .action(async (source: string, page: string | undefined, options: TryOptions, command: Command) => {
      if (options.kept !== undefined) {
        const { kept: digest } = options;
        if ([page, options.file, options.param, options.watch].some((given) => given !== undefined))
          throw new CommandError(
            'usage',
            'try: expected either a kept page or another one, which alone can be watched',
          );
        return withDaemon(terminal, command, async (client) => {
          const held = await keptPage(client, digest);
          const folder = await sourcesFolder(terminal, options.sources);
          const definition = await validDefinition(terminal, folder, source);
          const how = { trees: options.trees ?? false, plugins: await pluginsFolder(terminal, folder) };
          finish(terminal, command, await readHeldPage(definition, held, how), options);
        });
      }
      const tried = triedPage(terminal, source, page, options);
      if (options.watch) {
        const { watchTrial } = await import('../local/watch-trial.ts');
        return watchTrial(terminal, command, tried, options);
      }
      if (tried.file !== undefined) {
        const folder = await sourcesFolder(terminal, options.sources);
        const definition = await validDefinition(terminal, folder, source);
        const held = { body: await readPageFile(tried.file), url: await addressOf(definition, tried) };
        const how = { trees: options.trees ?? false, plugins: await pluginsFolder(terminal, folder) };
        return finish(terminal, command, await readHeldPage(definition, held, how), options);
      }
      const { url, params } = tried;
      return withDaemon(terminal, command, async (client) => {
        const asked = { id: source, ...defined({ url, params: params ? { ...params } : undefined }) };
        const found = await tryPage(terminal, command, client, { ...asked, trees: options.trees ?? false });
        finish(terminal, command, found, options);
      });
    });
}

/**
 * Returns the page to read: the argument may be its address or a file. Throws a `CommandError` where it is not one
 * page.
 */
function triedPage(terminal: Terminal, source: string, page: string | undefined, options: TryOptions): Tried {
  const isFile = page !== undefined && !/^https?:/i.test(page) && isRegular(resolve(terminal.cwd, page));
  if (isFile && options.file !== undefined)
    throw new CommandError('usage', `try: expected one saved page, got ${page} and ${options.file}`);
  if (page !== undefined && !isFile && !/^[a-z][a-z\d+.-]*:/i.test(page))
    throw new CommandError('usage', `try: expected a URL or a saved page, got ${page}, which is no file`);
  const named = isFile ? page : options.file;
  const url = isFile ? undefined : page;
  if (url !== undefined && options.param !== undefined)
    throw new CommandError('usage', 'try: expected either a URL or --param, got both');
  // The address of a source may have no parameters.
  const params = options.param ?? (url === undefined && named === undefined ? {} : undefined);
  return {
    source,
    ...defined({ url, params, file: named === undefined ? undefined : resolve(terminal.cwd, named) }),
  };
}

/** Whether a regular file stands at a path. False where that cannot be found out. */
function isRegular(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    return false;
  }
}

function finish(terminal: Terminal, command: Command, found: TryView, { items }: TryOptions): void {
  print(terminal, command, found, () => showTrial(terminal, found, items));
  const { failure } = found;
  if (failure) throw new CommandError('failed', `try: ${failure.code}: ${plainText(failure.message)}`);
}
