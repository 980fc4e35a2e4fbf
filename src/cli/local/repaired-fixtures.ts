import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Repair } from '../../view/repair.ts';
import type { FixtureCount } from '../show-ticket.ts';
import type { Terminal } from '../terminal.ts';
import { pluginsFolder, sourcesFolder } from './definitions.ts';
import { fixturesIn, runFixture } from './fixtures.ts';

/** Reads the saved pages of a source by each of the repairs, as `test` does; nothing where none are saved, or the definition is elsewhere. */
export async function countFixtures(
  terminal: Terminal,
  source: string,
  repairs: readonly Repair[],
  { sources, fixtures }: { readonly sources?: string; readonly fixtures: string },
): Promise<readonly FixtureCount[]> {
  const { editRules } = await import('../../definition/edit-rules.ts');
  const { definitionIn } = await import('../../definition/file.ts');
  const { parseSource } = await import('../../definition/load.ts');
  const saved = fixturesIn(resolve(terminal.cwd, fixtures), source);
  const folder = await sourcesFolder(terminal, sources);
  const file = definitionIn(folder, source);
  if (saved.length === 0 || !existsSync(file)) return [];
  const text = await readFile(file, 'utf8');
  const how = { update: false, plugins: await pluginsFolder(terminal, folder) };
  const counts: FixtureCount[] = [];
  for (const { changes } of repairs) {
    const edited = editRules(text, changes);
    const runs = edited.ok ? saved.map((fixture) => ({ fixture, parsed: parseSource(edited.text, file) })) : [];
    let kept = 0;
    for (const { fixture, parsed } of runs) if ((await runFixture(terminal, fixture, parsed, how)).ok) kept += 1;
    counts.push({ kept, of: saved.length });
  }
  return counts;
}
