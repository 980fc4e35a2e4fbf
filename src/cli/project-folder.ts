import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Option } from 'commander';
import type { Terminal } from './terminal.ts';

/** The name of the daemon's configuration, which marks the folder of a project of definitions. */
export const configName = 'heronry.yaml';

/**
 * Returns the nearest folder with a heronry.yaml: the present one, or one above it. Above it, only a heronry.yaml counts that belongs to the
 * same user, or to root, since whoever wrote it says which plug-ins are run. Returns nothing where there is none.
 */
export function projectFolder(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const owner = ownerOf(join(folder, configName));
    if (owner !== undefined && (folder === cwd || owner === 0 || owner === process.getuid?.())) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

/** Says that neither the present folder nor one above it has a heronry.yaml. */
export function noProject(cwd: string): string {
  return `there is no ${configName} in ${cwd} or above it`;
}

/** The option that names the folder of saved pages. */
export function fixturesOption({ cwd }: Terminal): Option {
  return new Option('--fixtures <folder>', 'where saved pages are kept, a folder for each source').default(
    join(projectFolder(cwd) ?? cwd, 'fixtures'),
    `fixtures, beside ${configName}`,
  );
}

/** The owner of a file, or of whatever stands at its path; nothing where nothing does, or where that cannot be found out. */
function ownerOf(path: string): number | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.uid;
  } catch {
    // A folder that cannot be searched, or a file in place of a folder.
    return undefined;
  }
}
