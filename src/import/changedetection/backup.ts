import { basename } from 'node:path/posix';
import { isMapping } from '../../schema/mapping.ts';
import { type Archive, ArchiveError } from '../archive.ts';
import { readLenient } from '../lenient.ts';
import { Application, Requests } from './schema.ts';

/** What a backup of changedetection.io holds, as it stands there. */
export interface Backup {
  readonly application: Application;
  readonly requests: Requests;
  /** The groups by their ids. */
  readonly tags: ReadonlyMap<string, unknown>;
  /** The watches by their ids, in the order in which they are listed. */
  readonly watches: ReadonlyMap<string, unknown>;
  /** Files that could not be read, and why. */
  readonly broken: readonly { readonly path: string; readonly why: string }[];
}

const idForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Reads the settings, groups and watches of a backup: `changedetection.json` and a `watch.json` for each watch, or the `url-watches.json` of versions before them. Rejects with an `ArchiveError` where it has neither. */
export async function readBackup(archive: Archive): Promise<Backup> {
  const broken: { path: string; why: string }[] = [];
  const settings = await json('changedetection.json');
  const old = await json('url-watches.json');
  const top = settings ?? old;
  const watches = new Map<string, unknown>();
  const tags = new Map<string, unknown>();
  const { application = {}, requests = {} } = settingsOf(top);
  if (isMapping(application) && isMapping(application['tags']))
    for (const [id, tag] of Object.entries(application['tags'])) tags.set(id, tag);
  // A file of each watch is newer than the one of all of them, which stays as it was after a migration.
  if (isMapping(old) && isMapping(old['watching']))
    for (const [id, watch] of Object.entries(old['watching'])) watches.set(id, watch);
  let hasOwn = false;
  for (const path of archive.paths) {
    const [folder = '', name, more] = path.split('/');
    if (more !== undefined || !idForm.test(folder) || (name !== 'watch.json' && name !== 'tag.json')) continue;
    const read = await json(path);
    if (!hasOwn && name === 'watch.json') watches.clear();
    hasOwn ||= name === 'watch.json';
    if (read !== undefined) (name === 'tag.json' ? tags : watches).set(folder, read);
  }
  if (top === undefined && watches.size === 0 && broken.length === 0)
    throw new ArchiveError(
      'no backup of changedetection.io: it has no changedetection.json, url-watches.json or watch.json',
    );
  return {
    application: readLenient(Application, application)?.value ?? {},
    requests: readLenient(Requests, requests)?.value ?? {},
    tags,
    watches,
    broken,
  };

  async function json(path: string): Promise<unknown> {
    try {
      const bytes = await archive.read(path);
      return bytes === undefined ? undefined : (JSON.parse(bytes.toString()) as unknown);
    } catch (error) {
      if (error instanceof SyntaxError) broken.push({ path: shown(path), why: 'it is no JSON' });
      else if (error instanceof ArchiveError) broken.push({ path: shown(path), why: error.message });
      else throw error;
      return undefined;
    }
  }
}

function shown(path: string): string {
  return path.length > 100 ? basename(path).slice(0, 100) : path;
}

function settingsOf(top: unknown): { readonly application?: unknown; readonly requests?: unknown } {
  const settings = isMapping(top) ? top['settings'] : undefined;
  return isMapping(settings) ? settings : {};
}
