import { resolve } from 'node:path';
import { Command } from 'commander';
import { examples, helpGroups, print } from '../cli.ts';
import { CommandError } from '../exit-status.ts';
import type { Terminal } from '../terminal.ts';
import { ageText } from '../../time-text.ts';
import { bytesText, countText } from '../../view/text.ts';

/** `restore-backup`: makes a data folder of a backup, without a daemon. */
export function createCommand(terminal: Terminal): Command {
  return new Command('restore-backup')
    .helpGroup(helpGroups.daemon)
    .description('make a data folder of a backup, continuous or not, on which a daemon can be started; needs no daemon')
    .argument('<backup>', 'the folder of the backup, which stays as it is')
    .argument('<data>', 'the folder to make; it may be there if it is empty')
    .addHelpText('after', examples('heronry restore-backup /mnt/backup/heronry /var/lib/heronry'))
    .action(async (backup: string, data: string, _options: object, command: Command) => {
      const { restoreBackup, RestoreError } = await import('../../daemon.ts');
      try {
        const restored = await restoreBackup(resolve(terminal.cwd, backup), resolve(terminal.cwd, data));
        print(terminal, command, restored, ({ data: path, asOf, cutBytes, lackingPages }) => {
          const cut = cutBytes > 0 ? `; ${bytesText(cutBytes)} at the end of its journal were not whole` : '';
          const lacking =
            lackingPages > 0
              ? `; ${countText(lackingPages, 'kept page')} of packs that the backup lacks, or has not whole, cannot all be read`
              : '';
          return `restored ${path} as of ${new Date(asOf).toISOString()}, ${ageText(asOf, terminal.now())}${cut}${lacking}`;
        });
      } catch (error) {
        if (error instanceof RestoreError) throw new CommandError('conflict', error.message, { cause: error });
        throw error;
      }
    });
}
