import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Source } from '../../definition/source.ts';
import type { DrillResult } from '../../drill/drill.ts';
import { CommandError } from '../exit-status.ts';
import { type Fixture, readFixture } from './fixtures.ts';

/** What would become of one change of a saved page. */
export interface FixtureDrill extends DrillResult {
  readonly fixture: string;
}

/** The largest seed of random numbers. */
const mostSeed = 2_147_483_646;

/**
 * Drills the saved pages of a source, one after the other. Rejects with a `CommandError` where a page cannot be read, or has nothing that could be
 * changed.
 */
export async function* drillFixtures(
  source: Source,
  fixtures: readonly Fixture[],
  seed: number,
): AsyncGenerator<FixtureDrill> {
  const [{ drillPage }, { pageOnly }, { seeded }, { openProvider }, { pageSource }] = await Promise.all([
    import('../../drill/drill.ts'),
    import('../../drill/rehearsal.ts'),
    import('../../drill/seeded.ts'),
    import('../../provider/declared.ts'),
    import('../../vault/page-text.ts'),
  ]);
  const { plan } = openProvider(pageOnly(source)).page;
  for (const fixture of fixtures) {
    const { page } = await readFixture(fixture);
    const { url, contentType, body } = page;
    const html = pageSource({ page: { contentType }, body });
    const folder = await mkdtemp(join(tmpdir(), 'heronry-drill-'));
    let count = 0;
    try {
      const shown = { url, status: 200, html, contentType: 'text/html; charset=utf-8' };
      for await (const result of drillPage(source, {
        page: shown,
        plan,
        folder,
        random: seeded((seed % mostSeed) + 1),
      })) {
        count += 1;
        yield { fixture: fixture.name, ...result };
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    if (count === 0)
      throw new CommandError(
        'failed',
        `${fixture.pageFile ?? fixture.name}: nothing to change: expected a page in HTML whose records have fields besides their key that are found by selectors`,
      );
  }
}
