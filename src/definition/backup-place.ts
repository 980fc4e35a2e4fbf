import { isAbsolute, relative, sep } from 'node:path';

/** Why a continuous backup cannot lie in a folder; `undefined` where it can. Both paths are whole. */
export function backupPlaceFault(to: string, data: string): string | undefined {
  const way = relative(data, to);
  if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) return undefined;
  return `${to} lies in the data folder: expected a folder on another disk`;
}
