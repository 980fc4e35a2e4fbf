import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { VirtualClock } from '../../../src/clock.ts';
import type { Client } from '../../../src/control/client.ts';
import type { ScrapeView, StepView } from '../../../src/view/scrape.ts';
import { openStore } from '../../../src/store/store.ts';
import { hourly } from '../../store/fixture.ts';
import { productSource } from '../../support/daemon.ts';
import type { TimedDaemon } from '../passing.ts';

export const second = 1_000;
export const minute = 60 * second;

/** What a test changes about a source that asks without pauses, retries and robots.txt. */
export interface Manners {
  /** As YAML, each in the place of what `productSource` says. */
  readonly politeness?: string;
  readonly retry?: string;
  readonly robots?: 'obey' | 'ignore';
  /** More of the definition, line by line. */
  readonly more?: string;
}

export function politeSource(
  id: string,
  {
    politeness = 'autoThrottle: false, delay: 1ms, minDelay: 1ms',
    retry = 'times: 0',
    robots = 'ignore',
    more = '',
  }: Manners,
): string {
  return productSource(id, more)
    .replace('autoThrottle: false, delay: 1ms, minDelay: 1ms', politeness)
    .replace('times: 0', retry)
    .replace('robots: ignore', `robots: ${robots}`);
}

/** The newest scrape of a project, with its steps. */
export async function lastScrape(
  project: string,
  client: Client,
): Promise<{ readonly scrape: ScrapeView; readonly steps: readonly StepView[] }> {
  const { scrapes } = await client.call('scrape.list', { project, limit: 1 });
  const [newest] = scrapes;
  if (newest === undefined) throw new Error(`${project} was never scraped`);
  return client.call('scrape.get', { scrape: newest.scrape });
}

/** The pauses between instants, in milliseconds. */
export function gapsOf(instants: readonly { readonly at: number }[]): number[] {
  return instants.slice(1).map(({ at }, index) => at - (instants[index]?.at ?? 0));
}

/**
 * What a daemon leaves behind, and the time that it is then, for the next to start with: all of it in order when it was
 * stopped; what is on the disk at this instant when it was killed, of which a copy is made.
 */
export async function afterEnd(
  t: TestContext,
  { clock, folder, close }: TimedDaemon,
  how: 'stopped' | 'killed',
): Promise<{ readonly clock: VirtualClock; readonly folder: string }> {
  if (how === 'stopped') await close();
  const copy = await mkdtemp(join(tmpdir(), 'heronry-'));
  t.after(() => rm(copy, { recursive: true, force: true }));
  await cp(folder, copy, { recursive: true, filter: (path) => !/\.sock$|lock\.mdb$/.test(path) });
  if (how === 'killed') await disown(join(copy, 'data'));
  return { clock: new VirtualClock(clock.now()), folder: copy };
}

/** The process that keeps the original lives, so that nobody else may have the copy before it is said to be nobody's. */
async function disown(path: string): Promise<void> {
  const store = await openStore({ path, now: () => 0, scheduling: hourly });
  store.environment.exclusively(() => store.meta.setHolder(undefined));
  await store.close();
}
