import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { fixturesIn } from './fixture-files.ts';

/** What a person may have forgotten of the saved pages in a folder; nothing where there is no such folder. */
export function fixtureWarnings(folder: string, sources: readonly string[], cwd: string): string[] {
  if (!existsSync(folder)) return [];
  const fixtures = fixturesIn(folder);
  const saved = new Set(fixtures.map(({ source }) => source));
  const unknown = [...saved].filter((source) => !sources.includes(source));
  return [
    ...sources
      .filter((source) => !saved.has(source))
      .map((source) => `source ${source} has no saved page: \`heronry fixture add\` saves one`),
    ...unknown.map((source) => `saved pages of ${source}, of which there is no valid definition`),
    ...fixtures
      .filter(({ pageFile }) => pageFile === undefined)
      .map(({ expectedFile }) => `${relative(cwd, expectedFile)}: there is no page beside it`),
  ];
}
