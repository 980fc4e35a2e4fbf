import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { EventOf } from '../../src/event/catalogue.ts';
import { nth, soon } from '../daemon/tracking.ts';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { blocksOf } from './blocks.ts';

const blocks = blocksOf(readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'pipelines.md'), 'utf8'));

test('the pipeline and the plug-in of docs/pipelines.md run as they are written', async (t) => {
  const out = await mkdtemp(join(tmpdir(), 'heronry-'));
  t.after(() => rm(out, { recursive: true, force: true }));
  const contentOf = (of: string): string => blocks.find(({ language }) => language === of)?.content ?? '';
  const site = await openSite(t, { '/a': productPage('A', '7.50'), '/b': productPage('B', '4.20') });
  const daemon = await startDaemon(t, {
    sources: { shop: productSource('shop') },
    settings: soon,
    plugIns: { 'prices.ts': contentOf('ts') },
    pipelines: { nightly: contentOf('yaml').replace('/srv/export', out) },
  });
  const targets = ['/a', '/b'].map((path) => ({ source: 'shop', url: site.url(path) }));
  await daemon.client.call('project.add', { id: 'solar', labels: ['news'], targets });
  await nth(2, 'scrape.completed', 'solar', daemon);
  await daemon.client.call('pipeline.run', { id: 'nightly' });
  const ended = await daemon.event((each): each is EventOf<'pipeline.ended'> => each.type === 'pipeline.ended');
  assert.equal(ended.data.state, 'done');
  const { last } = await daemon.client.call('pipeline.get', { id: 'nightly' });
  assert.deepEqual(last?.jobs.map(({ name, result }) => [name, Object(result)]).slice(0, 2), [
    ['collect', { scrapes: 2, added: 0, changed: 0 }],
    ['process', { lowest: 4.2 }],
  ]);
});
