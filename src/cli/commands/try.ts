import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from 'commander';
import type { TryView } from '../../control/methods/source.ts';
import { examples, print, withDaemon } from '../cli.ts';
import { CommandError, exitStatus } from '../exit-status.ts';
import { pluginsFolder, sourcesFolder, validDefinition } from '../local/definitions.ts';
import { addressOf, readHeldPage, readPageFile } from '../local/page.ts';
import { countOption, pairOption } from '../options.ts';
import { showTrial } from '../show-trial.ts';
import type { Terminal } from '../terminal.ts';
import { plainText } from '../text.ts';

export interface TryOptions {
  readonly param?: Readonly<Record<string, string>>;
  readonly file?: string;
  readonly sources?: string;
  readonly items: number;
  readonly trees?: boolean;
  readonly watch?: boolean;
}

/** A page that is to be tried: asked for, or a file that is read in its place. */
export interface Tried {
  readonly source: string;
  readonly url?: string;
  readonly params?: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly file?: string;
}

/** `try`: shows what a definition reads on a page. */
export function tryCommand(terminal: Terminal): Command {
  return new Command('try')
    .description(
      "show what a source's definition reads on one page, and how each field came to its value; stores nothing",
    )
    .argument('<source>', 'the source')
    .argument('[page]', 'its address, or a file that it is saved in')
    .option('-p, --param <name=value>', "what fills the source's address pattern; may be repeated", pairOption)
    .option('--file <page>', 'read this saved page instead of asking for it; needs no daemon')
    .option('--sources <folder>', 'of a saved page, or with --watch: the folder of definitions')
    .option('--items <count>', 'show at most so many records', countOption, 10)
    .option('--trees', 'tell where the fast and the browser tree give different fields')
    .option('-w, --watch', 'read the page again whenever its definition or file changes, until interrupted')
    .addHelpText(
      'after',
      examples(
        'heronry try kickfund https://kickfund.example/projects/solar',
        'heronry try kickfund --param slug=solar --json',
        'heronry try kickfund solar.html --trees',
        'heronry try kickfund https://kickfund.example/projects/solar --watch',
      ),
    )
    .action(async (source: string, page: string | undefined, options: TryOptions, command: Command) => {
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
        const asked = { id: source, ...(url !== undefined && { url }), ...(params && { params: { ...params } }) };
        const found = await client.call('source.try', { ...asked, trees: options.trees ?? false });
        finish(terminal, command, found, options);
      });
    });
}

/** What is to be read: the page's file may stand in the place of its address. */
function triedPage(terminal: Terminal, source: string, page: string | undefined, options: TryOptions): Tried {
  const isFile = page !== undefined && !/^https?:/i.test(page) && isRegular(resolve(terminal.cwd, page));
  if (isFile && options.file !== undefined)
    throw new CommandError(exitStatus.usage, `try: expected one saved page, got ${page} and ${options.file}`);
  const named = isFile ? page : options.file;
  const url = isFile ? undefined : page;
  const params = options.param;
  const isPlace = url !== undefined || params !== undefined;
  if ((url !== undefined && params !== undefined) || (!isPlace && named === undefined)) {
    throw new CommandError(exitStatus.usage, 'try: expected either a URL or --param, or a saved page');
  }
  return {
    source,
    ...(url !== undefined && { url }),
    ...(params && { params }),
    ...(named !== undefined && { file: resolve(terminal.cwd, named) }),
  };
}

function isRegular(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function finish(terminal: Terminal, command: Command, found: TryView, { items }: TryOptions): void {
  print(terminal, command, found, () => showTrial(terminal, found, items));
  const { failure } = found;
  if (failure) throw new CommandError(exitStatus.failed, `try: ${failure.code}: ${plainText(failure.message)}`);
}
