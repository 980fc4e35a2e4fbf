import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { Command } from 'commander';
import { defined } from '../../defined.ts';
import { examples, helpGroups, print } from '../cli.ts';
import { CommandError } from '../exit-status.ts';
import { sourcesFolder } from '../local/definitions.ts';
import { type HeldPage, peekPage, readPageFile } from '../local/page.ts';
import { commandName } from '../command-name.ts';
import { configName, projectFolder } from '../project-folder.ts';
import { showTrial } from '../show-trial.ts';
import type { Terminal } from '../terminal.ts';
import { shellText } from '../../view/text.ts';

/** `init`: writes a project of definitions to begin with. */
export function createCommand(terminal: Terminal): Command {
  const init = new Command('init')
    .helpGroup(helpGroups.begin)
    .description(
      'write a project of definitions to begin with: heronry.yaml, a source with a saved page, and projects.yaml, each explained in comments; and, where there are none, package.json, .gitignore and a workflow for GitHub that validates and tests them',
    )
    .argument('[folder]', 'the folder to write to; it is created if there is none', '.')
    .option('--force', 'overwrite existing definitions, or begin a project within another one')
    .addHelpText(
      'after',
      examples('heronry init', 'heronry init watch', 'heronry init source https://kickfund.example/projects/solar'),
    )
    .action(async (folder: string, { force }: { readonly force?: boolean }, command: Command) => {
      const top = resolve(terminal.cwd, folder);
      const { definitionFiles, initialContent, projectFiles, scriptsCommand } =
        await import('../local/initial-files.ts');
      const found = definitionFiles.filter((name) => existsSync(join(top, name)));
      if (found.length > 0 && !force) {
        throw new CommandError('conflict', `init: ${found.join(', ')} stand there already: --force overwrites them`);
      }
      const outer = projectFolder(top);
      if (outer !== undefined && outer !== top && !force) {
        const where = `${top} is within the project of ${join(outer, configName)}`;
        throw new CommandError('conflict', `init: ${where}: --force begins another one there`);
      }
      // A package.json may say more than ours, as may the others: they are left to their owner, with --force as well.
      const kept = projectFiles.filter((name) => existsSync(join(top, name)));
      const written = [...definitionFiles, ...projectFiles.filter((name) => !kept.includes(name))];
      for (const name of written) {
        await mkdir(dirname(join(top, name)), { recursive: true });
        await writeFile(join(top, name), await initialContent(name));
      }
      const heronry = commandName(terminal);
      const scripts = kept.includes('package.json') ? await scriptsCommand(top) : undefined;
      print(terminal, command, { folder: top, written, kept }, () =>
        [
          ...written.map((name) => `wrote ${join(folder, name)}`),
          ...kept.map((name) => `left ${join(folder, name)} as it is`),
          ...(scripts === undefined ? [] : [`its scripts for this, if you like: ${scripts}`]),
          `next: ${top === terminal.cwd ? '' : `\`cd ${shellText(folder)}\`, `}\`${heronry} validate\`, then \`${heronry} start --detach\``,
        ].join('\n'),
      );
    });
  return init.addCommand(sourceCommand(terminal));
}

interface SourceOptions {
  readonly id?: string;
  readonly file?: string;
  readonly sources?: string;
  readonly text?: boolean;
}

/** The most records that are shown of what a draft reads. */
const shownItems = 2;

/** `init source`: drafts a definition from a page. */
function sourceCommand(terminal: Terminal): Command {
  return new Command('source')
    .description(
      'draft a definition from a page: from its metadata, from repeated blocks, or from a feed, JSON or a table',
    )
    .argument('<url>', 'the page')
    .option('--id <id>', 'the id of the source; by default made from the host')
    .option('--file <page>', 'read this saved page instead of fetching it; needs no daemon')
    .option('--sources <folder>', 'the folder of definitions')
    .option('--text', 'watch the text of the whole page, in place of the records on it')
    .addHelpText(
      'after',
      examples(
        'heronry init source https://kickfund.example/projects/solar',
        'heronry init source https://kickfund.example/discover --id kickfund-list --file discover.html',
        'heronry init source https://kickfund.example/terms --id kickfund-terms --text',
      ),
    )
    .action(async (url: string, options: SourceOptions, command: Command) => {
      const { contentTypeOf, draftSource, idOf } = await import('../local/draft-source.ts');
      const { SourceId } = await import('../../schema/slug.ts');
      const { HttpUrl } = await import('../../definition/url-pattern.ts');
      if (!HttpUrl.safeParse(url).success)
        throw new CommandError('usage', `init source: expected an http or https URL, got "${url}"`);
      const id = options.id ?? idOf(url);
      if (!SourceId.safeParse(id).success)
        throw new CommandError('usage', `init source: expected an id of lower-case letters, digits and -, got "${id}"`);
      const { definitionIn, systemText } = await import('../../definition/file.ts');
      const file = definitionIn(await sourcesFolder(terminal, options.sources), id);
      const shown = relative(terminal.cwd, file);
      // An option of `init`, which its commands take as well.
      if (existsSync(file) && !command.optsWithGlobals<{ readonly force?: boolean }>().force)
        throw new CommandError(
          'conflict',
          `init source: ${shown} stands there already: --id names another, --force overwrites it`,
        );
      const page = options.file === undefined ? await peekPage(terminal, command, url) : await saved(options.file);
      const { text, draft, found } = await draftSource(
        terminal,
        file,
        id,
        page,
        options.text === true ? 'text' : 'records',
      );
      const heronry = commandName(terminal);
      const { schemaLine } = await import('../local/initial-files.ts');
      const whole = schemaLine(file, projectFolder(terminal.cwd) ?? terminal.cwd) + text;
      try {
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, whole);
      } catch (error) {
        const message = `init source: ${shown} cannot be written: ${systemText(error)}; --sources FOLDER writes it elsewhere`;
        throw new CommandError('failed', message, { cause: error });
      }
      const { noticesOf } = await import('../../draft/notices.ts');
      const notices = noticesOf(draft);
      const written = { written: shown, found: draft.found, records: found.drafts.length, ...defined({ notices }) };
      print(terminal, command, written, () =>
        [
          ...draft.found.map((each, index) => `${index === 0 ? 'reads' : 'also there'}  ${each}`),
          showTrial(terminal, found, shownItems),
          ...(notices === undefined ? [] : [`this draft notices ${notices}`]),
          `wrote ${shown}, which is valid; next: \`${heronry} sources --reload\`, then \`${heronry} add ID --source ${id} --url ${shellText(url)}\``,
        ].join('\n'),
      );

      async function saved(name: string): Promise<HeldPage> {
        const path = resolve(terminal.cwd, name);
        const contentType = contentTypeOf(path);
        return { body: await readPageFile(path), url, ...defined({ contentType }) };
      }
    });
}
