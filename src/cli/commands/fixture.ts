import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { Command } from 'commander';
import type { Source } from '../../definition/source.ts';
import { examples, helpGroups, print } from '../cli.ts';
import { CommandError } from '../exit-status.ts';
import { pluginsFolder, sourcesFolder, validDefinition } from '../local/definitions.ts';
import { addressOf, fetchPage, readPageFile } from '../local/page.ts';
import { readHeldPage } from '../local/read-page.ts';
import { pairOption } from '../options.ts';
import { fixturesOption } from '../project-folder.ts';
import type { Terminal } from '../terminal.ts';
import { countText } from '../../view/text.ts';

interface Options {
  readonly param?: Readonly<Record<string, string>>;
  readonly name?: string;
  readonly file?: string;
  readonly sources?: string;
  readonly fixtures: string;
  readonly force?: boolean;
}

/** `fixture`: saves pages and what definitions are expected to read there. */
export function createCommand(terminal: Terminal): Command {
  const fixture = new Command('fixture')
    .helpGroup(helpGroups.sources)
    .description('keep pages with what they are expected to give, for `heronry test`')
    .addHelpText('after', examples('heronry fixture add kickfund https://kickfund.example/projects/solar'));
  return fixture.addCommand(
    new Command('add')
      .description('save a page, and the records that are read there now as what is expected of it')
      .argument('<source>', 'the source')
      .argument('[url]', "the page; default: the source's own address")
      .option('-p, --param <name=value>', "a parameter of the source's address pattern; may be repeated", pairOption)
      .option('-n, --name <name>', 'the name of the files; by default the end of the address')
      .option('--file <page>', 'read this saved page instead of fetching it; needs no daemon')
      .option('--sources <folder>', 'the folder of definitions')
      .addOption(fixturesOption(terminal))
      .option('--force', 'overwrite existing files')
      .addHelpText(
        'after',
        examples(
          'heronry fixture add kickfund https://kickfund.example/projects/solar',
          'heronry fixture add kickfund --param slug=solar',
          'heronry fixture add news',
          'heronry fixture add kickfund https://kickfund.example/projects/solar --name sold-out --file page.html',
        ),
      )
      .action(async (source: string, given: string | undefined, options: Options, command: Command) => {
        const { fixtureFiles, writeFixture } = await import('../local/fixtures.ts');
        const folder = await sourcesFolder(terminal, options.sources);
        const definition = await validDefinition(terminal, folder, source);
        const asked = askedPage(given, options.param);
        const url = await placeOf(definition, asked, options);
        const files = fixtureFiles(resolve(terminal.cwd, options.fixtures), definition, nameOf(url, options.name));
        const shown = Object.values(files).map((file) => relative(terminal.cwd, file));
        const there = shown.filter((file) => existsSync(resolve(terminal.cwd, file)));
        if (there.length > 0 && !options.force) {
          const told = `fixture add: ${there.join(', ')} stand there already: --force overwrites them, --name names others`;
          throw new CommandError('conflict', told);
        }
        const page =
          options.file === undefined
            ? await fetchPage(terminal, command, { id: source, ...asked })
            : { body: await readPageFile(resolve(terminal.cwd, options.file)), url };
        const plugins = await pluginsFolder(terminal, folder);
        const found = await readHeldPage(definition, page, { asCrawled: true, plugins });
        await writeFixture(files, page, found);
        const gives = found.failure ? `the failure ${found.failure.code}` : countText(found.drafts.length, 'record');
        const { isListing } = await import('../../provider/is-listing.ts');
        const isForLinks = found.failure === undefined && isListing(definition, page.url);
        const told = isForLinks
          ? 'the crawl reads it for links alone: it gives no record. Save a page whose address crawl.detail matches to have its records tested'
          : `it gives ${gives}; \`heronry test ${source}\` holds it to that`;
        print(terminal, command, { written: shown, records: found.drafts.length, failure: found.failure?.code }, () =>
          [...shown.map((file) => `wrote ${file}`), told].join('\n'),
        );
      }),
  );
}

type AskedPage = { readonly url: string } | { readonly params: Record<string, string> };

function askedPage(url: string | undefined, params: Options['param']): AskedPage {
  if (url === undefined) return { params: { ...params } };
  if (params === undefined) return { url };
  throw new CommandError('usage', 'fixture add: expected either a URL or --param, got both');
}

/**
 * Resolves with the address by which the files of a page are named; a plug-in may give it only when the page is
 * fetched.
 */
async function placeOf(definition: Source, asked: AskedPage, { file }: Options): Promise<string> {
  const { id, url, plugin } = definition;
  if (file !== undefined || url !== undefined || plugin === undefined || 'url' in asked)
    return addressOf(definition, asked);
  const { pluginAddress } = await import('../../definition/target-address.ts');
  return pluginAddress(id, asked.params);
}

/** Returns the name of the files: the given one, else one made of the end of the page's path. */
function nameOf(url: string, given: string | undefined): string {
  if (given !== undefined) {
    if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$/.test(given)) return given;
    throw new CommandError('usage', `fixture add: expected a name of letters, digits, - and _, got "${given}"`);
  }
  const { pathname = '/' } = URL.parse(url) ?? {};
  const words =
    pathname
      .split('/')
      .at(-1)
      ?.replace(/\.\w{1,5}$/, '') ?? '';
  const name = words
    .replaceAll(/[^A-Za-z0-9_]+/g, '-')
    .replaceAll(/^[-_]+|-+$/g, '')
    .slice(0, 60);
  return name === '' ? 'page' : name;
}
