import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Repair } from '../../view/repair.ts';
import { CommandError } from '../exit-status.ts';
import type { JudgedFixtures } from '../show-ticket.ts';
import type { Terminal } from '../terminal.ts';
import { pluginsFolder, sourcesFolder } from './definitions.ts';
import { type Fixture, fixturesIn, readFixture, runFixture } from './fixtures.ts';

/** A saved page that can be read, and its address. */
interface SavedPage {
  readonly fixture: Fixture;
  readonly url: string;
}

/** The folders of definitions and of saved pages. */
export interface FixtureFolders {
  readonly sources?: string;
  readonly fixtures: string;
}

/**
 * Reads the saved pages of a source by each of the repairs, as `test` does; nothing where none are saved, or the definition is elsewhere. Those that the
 * present rules read as expected were saved before the site changed: the right repair need not read them, so that none is judged by them.
 */
export async function judgeByFixtures(
  terminal: Terminal,
  source: string,
  repairs: readonly Repair[],
  folders: FixtureFolders,
): Promise<JudgedFixtures> {
  const { editRules } = await import('../../definition/edit-rules.ts');
  const found = await savedPages(terminal, source, folders);
  if (found === undefined) return { counts: [], toRenew: [] };
  const { text, saved } = found;
  const old = await found.readBy(text, saved);
  const others = saved.filter((page) => !old.includes(page));
  const counts: { kept: number; of: number }[] = [];
  for (const { changes } of others.length === 0 ? [] : repairs) {
    const edited = editRules(text, changes);
    counts.push({ kept: edited.ok ? (await found.readBy(edited.text, others)).length : 0, of: others.length });
  }
  return { counts, toRenew: old.map(renewal) };
}

/** The commands that save the pages of a source anew that its definition does not read as expected; nothing where it is elsewhere. */
export async function fixturesToRenew(
  terminal: Terminal,
  source: string,
  folders: FixtureFolders,
): Promise<readonly string[]> {
  const found = await savedPages(terminal, source, folders);
  if (found === undefined) return [];
  const read = await found.readBy(found.text, found.saved);
  return found.saved.filter((page) => !read.includes(page)).map(renewal);
}

/** The saved pages of a source and the text of its definition; nothing where one of them is not at hand. */
async function savedPages(terminal: Terminal, source: string, { sources, fixtures }: FixtureFolders) {
  const { definitionIn } = await import('../../definition/file.ts');
  const { parseSource } = await import('../../definition/load.ts');
  const saved: SavedPage[] = [];
  for (const fixture of fixturesIn(resolve(terminal.cwd, fixtures), source)) {
    const url = await addressOf(fixture);
    if (url !== undefined) saved.push({ fixture, url });
  }
  const folder = await sourcesFolder(terminal, sources);
  const file = definitionIn(folder, source);
  if (saved.length === 0 || !existsSync(file)) return undefined;
  const how = { update: false, plugins: await pluginsFolder(terminal, folder) };
  return { saved, text: await readFile(file, 'utf8'), readBy };

  /** The saved pages that a definition reads as expected. */
  async function readBy(text: string, pages: readonly SavedPage[]): Promise<readonly SavedPage[]> {
    const parsed = parseSource(text, file);
    const read: SavedPage[] = [];
    for (const page of pages) if ((await runFixture(terminal, page.fixture, parsed, how)).ok) read.push(page);
    return read;
  }
}

/** The address of a saved page; nothing where it cannot be read, which `test` tells. */
async function addressOf(fixture: Fixture): Promise<string | undefined> {
  try {
    return (await readFixture(fixture)).expected.url;
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}

/** The command that saves a page anew. */
function renewal({ fixture: { source, name }, url }: SavedPage): string {
  return `heronry fixture add ${source} '${url.replaceAll("'", '%27')}' --name ${name} --force`;
}
