import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { Command } from 'commander';
import { examples, print } from '../cli.ts';
import { CommandError, exitStatus } from '../exit-status.ts';
import { definitionFile, sourcesFolder } from '../local/definitions.ts';
import { peekPage } from '../local/fetch-page.ts';
import { type HeldPage, readPageFile } from '../local/page.ts';
import { showTrial } from '../show-trial.ts';
import type { Terminal } from '../terminal.ts';
import { shellText } from '../text.ts';

interface Options {
  readonly id?: string;
  readonly file?: string;
  readonly sources?: string;
  readonly force?: boolean;
}

/** Records that are shown of what a draft reads. */
const shownItems = 2;

/** `init source`: drafts a definition from a page. */
export function initSourceCommand(terminal: Terminal): Command {
  return new Command('source')
    .description(
      'draft a definition from a page: from what it tells machines, from repeated blocks, or from a feed, JSON or a table',
    )
    .argument('<url>', 'the page')
    .option('--id <id>', 'what the source is called; by default like its host')
    .option('--file <page>', 'take this saved page instead of asking for it; needs no daemon')
    .option('--sources <folder>', 'the folder of definitions')
    .option('--force', 'overwrite a definition that stands there')
    .addHelpText(
      'after',
      examples(
        'heronry init source https://kickfund.example/projects/solar',
        'heronry init source https://kickfund.example/discover --id kickfund-list --file discover.html',
      ),
    )
    .action(async (url: string, options: Options, command: Command) => {
      const { contentTypeOf, draftSource, idOf } = await import('../local/draft-source.ts');
      const { SourceId } = await import('../../definition/slug.ts');
      const { HttpUrl } = await import('../../definition/url-pattern.ts');
      if (!HttpUrl.safeParse(url).success)
        throw new CommandError(exitStatus.usage, `init source: expected an http or https URL, got "${url}"`);
      const id = options.id ?? idOf(url);
      if (!SourceId.safeParse(id).success)
        throw new CommandError(
          exitStatus.usage,
          `init source: expected an id of lower-case letters, digits and -, got "${id}"`,
        );
      const file = definitionFile(await sourcesFolder(terminal, options.sources), id);
      const shown = relative(terminal.cwd, file);
      // `init` has an option of that name as well, and takes it first.
      if (existsSync(file) && !command.optsWithGlobals<Options>().force)
        throw new CommandError(
          exitStatus.conflict,
          `init source: ${shown} stands there already: --id names another, --force overwrites it`,
        );
      const page = options.file === undefined ? await peekPage(terminal, command, url) : await saved(options.file);
      const { text, draft, found } = await draftSource(terminal, file, id, page);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
      print(terminal, command, { written: shown, found: draft.found, records: found.drafts.length }, () =>
        [
          ...draft.found.map((each, index) => `${index === 0 ? 'reads' : 'also there'}  ${each}`),
          showTrial(terminal, found, shownItems),
          `wrote ${shown}, which is valid; next: \`heronry sources --reload\`, then \`heronry add ID --url ${shellText(url)}\``,
        ].join('\n'),
      );

      async function saved(name: string): Promise<HeldPage> {
        const path = resolve(terminal.cwd, name);
        const contentType = contentTypeOf(path);
        return { body: await readPageFile(path), url, ...(contentType !== undefined && { contentType }) };
      }
    });
}
