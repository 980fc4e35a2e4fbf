import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { EventOf } from '../../src/event/catalogue.ts';
import { secretsFrom } from '../../src/session/secret-store.ts';
import type { RunView } from '../../src/view/pipeline.ts';
import { productPage, productSource, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { nth, soon } from './tracking.ts';

/** Functions that note their calls, one of which fails as long as there is a file. */
export const steps = `
import { appendFileSync, existsSync } from 'node:fs';
export async function note({ file }, { job, results, records }) {
  const prices = [];
  for await (const { fields } of records({ type: 'product' })) prices.push(fields.price.value.amount);
  appendFileSync(file, JSON.stringify({ job, added: results.collect?.added, changed: results.collect?.changed, prices }) + '\\n');
  return { prices: prices.length };
}
export function check({ file, unless }) {
  appendFileSync(file, 'check\\n');
  if (existsSync(unless)) throw new Error('not yet');
}
`;

/** The job that scrapes the project. */
export const collect = '  collect: { scrape: { labels: [news] } }';

/** A daemon with a project on one product of a site, and one pipeline, whose jobs may write to a folder. */
export async function tracked(
  t: TestContext,
  jobsIn: (folder: string) => readonly string[],
  findSecrets = secretsFrom({ environment: {} }),
) {
  const folder = await mkdtemp(join(tmpdir(), 'heronry-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const site = await openSite(t, { '/a': productPage('A', '1') });
  const daemon = await startDaemon(t, {
    sources: { shop: productSource('shop') },
    settings: soon,
    findSecrets,
    plugIns: { 'steps.ts': steps },
    pipelines: { nightly: `id: nightly\njobs:\n${jobsIn(folder).join('\n')}\n` },
  });
  const targets = [{ source: 'shop', url: site.url('/a') }];
  await daemon.client.call('project.add', { id: 'solar', labels: ['news'], targets });
  await nth(1, 'scrape.completed', 'solar', daemon);
  return { site, daemon, folder };
}

/** What a job that calls a function of that plug-in says. */
export function call(name: string, args: object, after: readonly string[] = []): string {
  const given = JSON.stringify({ plugin: 'steps.ts', function: name, args });
  return `after: ${JSON.stringify(after)}, call: ${given}`;
}

/** Resolves with what is told of the end of a run, for the so many-th time. */
export function endOf(daemon: Pick<TestDaemon, 'event'>, count = 1): Promise<EventOf<'pipeline.ended'>['data']> {
  let seen = 0;
  return daemon
    .event((each): each is EventOf<'pipeline.ended'> => each.type === 'pipeline.ended' && (seen += 1) === count)
    .then(({ data }) => data);
}

/** The last run of the pipeline. */
export async function lastRun({ client }: Pick<TestDaemon, 'client'>): Promise<RunView> {
  const { last } = await client.call('pipeline.get', { id: 'nightly' });
  assert.ok(last !== undefined);
  return last;
}

/** The states of the jobs of a run, by their names. */
export function statesOf({ jobs }: RunView): Readonly<Record<string, string>> {
  return Object.fromEntries(jobs.map(({ name, state }) => [name, state]));
}
