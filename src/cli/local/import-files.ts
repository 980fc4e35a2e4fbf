import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { Document } from 'yaml';
import type { Imported, ImportedFile } from '../../import/imported.ts';
import { CommandError } from '../exit-status.ts';
import type { Terminal } from '../terminal.ts';
import { configName, projectFolder } from '../project-folder.ts';
import { configured } from './definitions.ts';
import { initialContent, schemaLine } from './initial-files.ts';

/** What became of a file: `same` for one that stands there with this text, `kept` for one with another text, which stays. */
export type FileState = 'written' | 'same' | 'kept';

/** A file of an import with its path from the present folder. */
export interface WrittenFile {
  readonly path: string;
  readonly state: FileState;
}

/** What became of the files of an import. */
interface WrittenImport {
  readonly files: readonly WrittenFile[];
  /** The path of the file of secrets from the present folder, and whether heronry.yaml names it. */
  readonly secrets: { readonly file: string; readonly isNamed: boolean };
}

/** The configuration of a folder that has none. */
const configuration = `# The daemon's configuration; \`heronry schema daemon\` and docs/operating.md say what else it has.
data: data
sources: sources
secrets: secrets.yaml   # names and values of secrets, for its owner alone

# bot:
#   contact: https://example.org/bot   # sent with every request; without one nothing but this machine is asked
`;

/** A file that is to be written. */
interface WantedFile {
  readonly file: string;
  readonly text: string;
  readonly mode: number;
}

/** The files of an import, and where the values of its secrets belong. */
interface Wanted {
  readonly files: readonly WantedFile[];
  readonly secrets: { readonly file: string; readonly isNamed: boolean };
}

/** Returns the files of an import in the project of the present folder: its definitions stand where heronry.yaml says, its secrets in a file for their owner alone. A folder without a heronry.yaml gets one. */
async function filesIn({ cwd }: Terminal, { files, secrets }: Imported): Promise<Wanted> {
  const found = projectFolder(cwd);
  const folder = found ?? cwd;
  const config = await configured(folder);
  const sources = resolve(folder, config?.sources ?? 'sources');
  const place = ({ path }: ImportedFile): string => {
    const [top = '', ...rest] = path.split('/');
    if (rest.length === 0) return resolve(folder, top);
    return top === 'sources' ? resolve(sources, ...rest) : resolve(dirname(sources), top, ...rest);
  };
  const wanted = files.map((each): WantedFile => {
    const file = place(each);
    return {
      file,
      text: `${each.path.startsWith('sources/') ? schemaLine(file, folder) : ''}${each.text}`,
      mode: 0o666,
    };
  });
  if (found === undefined)
    wanted.push(
      { file: resolve(folder, configName), text: configuration, mode: 0o666 },
      { file: resolve(folder, '.gitignore'), text: await initialContent('.gitignore'), mode: 0o666 },
    );
  const file = resolve(folder, config?.secrets ?? 'secrets.yaml');
  if (secrets.size > 0) wanted.push({ file, text: new Document(Object.fromEntries(secrets)).toString(), mode: 0o600 });
  return { files: wanted, secrets: { file, isNamed: found === undefined || config?.secrets !== undefined } };
}

/**
 * Writes the files of an import that are not there; one that is there stays as it is. With `isDry` nothing is written, and the states are
 * what they would be. Rejects with a `CommandError`, before anything is written, where what stands in the place of a file is none.
 */
export async function writeImport(terminal: Terminal, imported: Imported, isDry: boolean): Promise<WrittenImport> {
  const written: WrittenFile[] = [];
  const { files, secrets } = await filesIn(terminal, imported);
  for (const wanted of files) {
    const path = relative(terminal.cwd, wanted.file);
    written.push({ path, state: await stateOf(wanted, path) });
  }
  for (const [index, { path, state }] of written.entries()) {
    const wanted = files[index];
    if (wanted !== undefined && state === 'written' && !isDry) await writeNew(wanted, path);
  }
  return { files: written, secrets: { ...secrets, file: relative(terminal.cwd, secrets.file) } };
}

/** The state that a file will have. */
async function stateOf({ file, text }: WantedFile, path: string): Promise<FileState> {
  const { isTaken, kindOf, systemText } = await import('../../definition/file.ts');
  let present: string;
  try {
    if (!isTaken(file)) return 'written';
    const stats = await stat(file);
    if (!stats.isFile()) throw inTheWay(path, kindOf(stats));
    present = await readFile(file, 'utf8');
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    if ('code' in error && error.code === 'ENOENT') throw inTheWay(path, 'a link that leads nowhere');
    throw new CommandError('conflict', `${path}: could not be read: ${systemText(error)}`, { cause: error });
  }
  return present === text ? 'same' : 'kept';
}

function inTheWay(path: string, what: string): CommandError {
  return new CommandError('conflict', `${path}: expected a file, or nothing, got ${what}`);
}

async function writeNew({ file, text, mode }: WantedFile, path: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    // Whatever comes to stand there meanwhile is not overwritten.
    await writeFile(file, text, { mode, flag: 'wx' });
  } catch (error) {
    const { systemText } = await import('../../definition/file.ts');
    throw new CommandError('conflict', `${path}: could not be written: ${systemText(error)}`, { cause: error });
  }
}
