import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Source } from '../../definition/source.ts';
import type { DrillResult } from '../../drill/drill.ts';
import type { ShownPage } from '../../drill/shown-page.ts';
import { CommandError } from '../exit-status.ts';
import { type Fixture, readFixture } from './fixtures.ts';

/** What would become of one change of a saved page. */
export interface FixtureDrill extends DrillResult {
  readonly fixture: string;
}

/** The largest seed of random numbers. */
const mostSeed = 2_147_483_646;

/** What a drill of saved pages needs besides them. */
interface DrillOptions {
  /** All saved pages of the source. */
  readonly all: readonly Fixture[];
  readonly seed: number;
  /** Is told of each page that is left out: its file, and why. */
  skip(what: string): void;
}

/**
 * Drills the saved pages of a source, one after the other, each in a site that is made of it and of `all` that are saved. A page that cannot be read, or
 * has nothing that could be changed, is skipped.
 */
export async function* drillFixtures(
  source: Source,
  fixtures: readonly Fixture[],
  { all, seed, skip }: DrillOptions,
): AsyncGenerator<FixtureDrill> {
  const [{ drillPage }, { seeded }] = await Promise.all([
    import('../../drill/drill.ts'),
    import('../../drill/seeded.ts'),
  ]);
  const shown = await shownPages(
    all.filter((fixture) => fixture.pageFile !== undefined || fixtures.includes(fixture)),
    skip,
  );
  for (const fixture of fixtures) {
    const page = shown.get(fixture.name);
    if (page === undefined) continue;
    const others = [...shown.values()].filter((other) => other !== page);
    const folder = await mkdtemp(join(tmpdir(), 'heronry-drill-'));
    let count = 0;
    try {
      const random = seeded((seed % mostSeed) + 1);
      for await (const result of drillPage({ source, page, others }, { folder, random })) {
        count += 1;
        yield { fixture: fixture.name, ...result };
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    if (count === 0)
      skip(
        `${fixture.pageFile ?? fixture.name}: nothing to change: expected a page in HTML whose records have fields besides their key that are found by selectors, and for a page that leads to others one of these that is saved as well`,
      );
  }
}

/** The saved pages as a site shows them, by their names, without those that cannot be read. */
async function shownPages(
  fixtures: readonly Fixture[],
  skip: DrillOptions['skip'],
): Promise<ReadonlyMap<string, ShownPage>> {
  const { pageSource } = await import('../../vault/page-text.ts');
  const shown = new Map<string, ShownPage>();
  for (const fixture of fixtures) {
    try {
      const { url, contentType, body } = (await readFixture(fixture)).page;
      const html = pageSource({ page: { contentType }, body });
      shown.set(fixture.name, { url, status: 200, html, contentType: 'text/html; charset=utf-8' });
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      skip(error.message);
    }
  }
  return shown;
}
