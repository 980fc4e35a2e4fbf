import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openSite } from '../../support/site.ts';
import { json } from '../lists/listing.ts';
import { pagesPlugin, pluggedSource, startPlugged } from './plugging.ts';

const here = { params: {} };

describe('plug-ins that misbehave', () => {
  test('by blocking, exiting or leaking fail alone, and others keep pace (O40)', async (t) => {
    const site = await openSite(t, { '/trials': json({ trials: [{ id: 'a' }] }) });
    const misdeeds = {
      blocks: `export function collect() { for (;;); }`,
      exits: `export async function collect() { process.exit(3); }`,
      leaks: `export function collect() { const all = []; for (;;) all.push(new Array(1000).fill(1)); }`,
    };
    const bad = Object.keys(misdeeds);
    const daemon = await startPlugged(
      t,
      {
        ...Object.fromEntries(Object.entries(misdeeds).map(([id, text]) => [`${id}.ts`, text])),
        'good.ts': pagesPlugin,
      },
      {
        sources: Object.fromEntries([...bad, 'good'].map((id) => [id, pluggedSource(id)])),
        pluginLimits: { silenceMs: 4_000, memoryMib: 64 },
      },
    );
    const failing = Promise.all(bad.map((id) => daemon.track(id, here)));
    await daemon.track('good', { url: site.url('/trials') });
    for (let n = 0; n < 3; n += 1) assert.equal((await daemon.again('good')).scrape.status, 'complete');
    const ended = await failing;
    assert.deepEqual(
      ended.map(({ scrape }) => [scrape.status, scrape.failure?.code]),
      [
        ['failed', 'plugin_timeout'],
        ['failed', 'plugin_exited'],
        ['failed', 'plugin_memory'],
      ],
    );
    assert.equal((await daemon.again('good')).scrape.status, 'complete');
  });
});
