import { resolve } from 'node:path';
import { Command } from 'commander';
import { examples, helpGroups } from '../cli.ts';
import { CommandError } from '../exit-status.ts';
import { takeImport } from '../local/take-import.ts';
import type { Terminal } from '../terminal.ts';

interface Options {
  readonly dryRun?: boolean;
}

const note =
  '\nNothing that is there is overwritten, so that it may be run again. What could not be taken is listed, with why. A daemon that runs takes the history;\nwithout one, start it and run this again before `heronry apply`. docs/importing.md says what becomes of each setting.\n';

/** `import`: makes definitions, projects and sinks of what another tool watches, with its history. */
export function createCommand(terminal: Terminal): Command {
  return new Command('import')
    .helpGroup(helpGroups.begin)
    .description('make sources, projects and sinks of what another tool watches, with its history')
    .addHelpText('after', examples('heronry import changedetection backup.zip', 'heronry import urlwatch urls.yaml'))
    .addCommand(changedetectionCommand(terminal))
    .addCommand(urlwatchCommand(terminal));
}

function changedetectionCommand(terminal: Terminal): Command {
  return new Command('changedetection')
    .description('of a backup of changedetection.io: watches, groups, notifications and snapshots')
    .argument('<backup>', 'the ZIP file that its page "Backups" makes')
    .option('--dry-run', 'show what would be written, and write nothing')
    .addHelpText(
      'after',
      `${note}${examples('heronry import changedetection backup.zip --dry-run', 'heronry import changedetection backup.zip')}`,
    )
    .action(async (backup: string, options: Options, command: Command) => {
      const [{ ArchiveError, openArchive }, { importChangedetection }] = await Promise.all([
        import('../../import/archive.ts'),
        import('../../import/changedetection/translate.ts'),
      ]);
      try {
        const archive = await openArchive(resolve(terminal.cwd, backup));
        try {
          await takeImport(terminal, command, await importChangedetection(archive), options);
        } finally {
          archive.close();
        }
      } catch (error) {
        throw error instanceof ArchiveError ? refused(backup, 'a backup of changedetection.io', error) : error;
      }
    });
}

function urlwatchCommand(terminal: Terminal): Command {
  return new Command('urlwatch')
    .description('of the jobs of urlwatch, with the texts that its database has')
    .argument('<jobs>', 'the file urls.yaml')
    .option('--cache <database>', 'its file cache.db: the history of the jobs')
    .option('--dry-run', 'show what would be written, and write nothing')
    .addHelpText(
      'after',
      `${note}${examples('heronry import urlwatch urls.yaml --dry-run', 'heronry import urlwatch urls.yaml --cache ~/.cache/urlwatch/cache.db')}`,
    )
    .action(async (jobs: string, { cache, ...options }: Options & { readonly cache?: string }, command: Command) => {
      const [{ importUrlwatch, JobsError }, { maxProjectFileBytes, readRegularFile }] = await Promise.all([
        import('../../import/urlwatch/translate.ts'),
        import('../../definition/file.ts'),
      ]);
      const read = await readRegularFile(resolve(terminal.cwd, jobs), maxProjectFileBytes);
      if (!read.ok) throw new CommandError('not_found', `${jobs}: ${read.message}`);
      const opened = cache === undefined ? undefined : await cacheAt(terminal, cache);
      try {
        await takeImport(terminal, command, importUrlwatch(read.bytes.toString(), opened?.snapshots), options);
      } catch (error) {
        if (error instanceof JobsError) throw refused(jobs, 'the jobs of urlwatch', error);
        const isOfCache = error instanceof Error && error.name === 'CacheError';
        throw isOfCache ? refused(cache ?? '', 'the database of urlwatch', error) : error;
      } finally {
        opened?.close();
      }
    });
}

async function cacheAt(terminal: Terminal, cache: string) {
  const { CacheError, openCache } = await import('../../import/urlwatch/cache.ts');
  try {
    return openCache(resolve(terminal.cwd, cache));
  } catch (error) {
    throw error instanceof CacheError ? refused(cache, 'the database of urlwatch', error) : error;
  }
}

function refused(file: string, what: string, { message }: Error): CommandError {
  return new CommandError('invalid', `${file}: expected ${what}: ${message}`);
}
