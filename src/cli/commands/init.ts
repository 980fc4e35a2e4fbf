import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Command } from 'commander';
import { examples, print } from '../cli.ts';
import { CommandError, exitStatus } from '../exit-status.ts';
import type { Terminal } from '../terminal.ts';
import { initSourceCommand } from './init-source.ts';

/** `init`: writes files to begin with. */
export function initCommand(terminal: Terminal): Command {
  const init = new Command('init')
    .description('write heronry.yaml, sources/example.yaml and projects.yaml to begin with, each explained in comments')
    .argument('[folder]', 'where; made if need be', '.')
    .option('--force', 'overwrite files that stand there')
    .addHelpText(
      'after',
      examples('heronry init', 'heronry init watch', 'heronry init source https://kickfund.example/projects/solar'),
    )
    .action(async (folder: string, { force }: { readonly force?: boolean }, command: Command) => {
      const { initialFiles } = await import('../initial-files.ts');
      const top = resolve(terminal.cwd, folder);
      const found = Object.keys(initialFiles).filter((name) => existsSync(join(top, name)));
      if (found.length > 0 && !force) {
        throw new CommandError(
          exitStatus.conflict,
          `init: ${found.join(', ')} stand there already: --force overwrites them`,
        );
      }
      for (const [name, text] of Object.entries(initialFiles)) {
        await mkdir(dirname(join(top, name)), { recursive: true });
        await writeFile(join(top, name), text);
      }
      const written = Object.keys(initialFiles);
      print(terminal, command, { folder: top, written }, () =>
        [
          ...written.map((name) => `wrote ${join(folder, name)}`),
          'next: `heronry validate`, then `heronry start` there',
        ].join('\n'),
      );
    });
  return init.addCommand(initSourceCommand(terminal));
}
