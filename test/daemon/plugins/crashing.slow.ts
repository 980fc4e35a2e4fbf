import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { productSource } from '../../support/daemon.ts';
import { openSite } from '../../support/site.ts';
import { type Plugged, pluggedSource, startPlugged } from './plugging.ts';

/** A plug-in whose `read` is of this body. */
function reading(body: string): string {
  return `import { defineProvider } from 'heronry/provider';

export default defineProvider({ request: ({ url }) => ({ url }), async read() { ${body} } });
`;
}

async function targetOf({ client }: Plugged, project: string) {
  const [target] = (await client.call('project.get', { id: project })).targets;
  assert.ok(target);
  return target;
}

/** Resolves with the target of a project, once a crash of it is stored. */
async function crashed(daemon: Plugged, project: string) {
  await daemon.event((event) => event.type === 'target.crashed' && event.projects?.[0] === project);
  return targetOf(daemon, project);
}

describe('what a plug-in does wrong', () => {
  const misdeeds = {
    throws: ["throw new RangeError('no such page')", 'plugin_threw'],
    rejects: ["Promise.reject(new Error('beside')); await new Promise(() => {})", 'plugin_threw'],
    exits: ['process.exit(3)', 'plugin_exited'],
    hoards: ['for (const all = []; ;) all.push(Array.from({ length: 10_000 }, () => ({})))', 'plugin_memory'],
    hangs: ['for (;;) Math.random()', 'plugin_timeout'],
    lies: ["return { drafts: 'none' }", 'plugin_bad_result'],
  } as const;

  test('ends its scrape with its own code, and is counted against its target as a crash is', async (t) => {
    const site = await openSite(t, { '/trials': '{}' });
    const names = Object.keys(misdeeds);
    const plugins = Object.fromEntries(Object.entries(misdeeds).map(([name, [body]]) => [`${name}.ts`, reading(body)]));
    const sources = Object.fromEntries(names.map((name) => [name, pluggedSource(name)]));
    // What is busy is bounded by its own work, so that other work of the machine makes no difference.
    const pluginLimits = { memoryMib: 64, cpuMs: 2_000, totalMs: 120_000, loadMs: 60_000 };
    const daemon = await startPlugged(t, plugins, { sources, pluginLimits });
    for (const [name, [, code]] of Object.entries(misdeeds)) {
      const { scrape } = await daemon.track(name, { url: site.url('/trials') });
      const { crashes, status, lastError } = await crashed(daemon, name);
      assert.deepEqual([scrape.status, scrape.failure?.code], ['failed', code], name);
      assert.deepEqual([crashes.total, crashes.inRow, status, lastError?.code], [1, 1, 'active', code], name);
      assert.equal(crashes.last, scrape.failure?.message);
    }
  });

  test('parks its target at the fourth time in a row, and no other target', async (t) => {
    const site = await openSite(t, { '/trials': '{}' });
    const plugins = { 'throws.ts': reading(misdeeds.throws[0]), 'works.ts': reading('return { drafts: [] }') };
    const sources = { throws: pluggedSource('throws'), works: pluggedSource('works') };
    const daemon = await startPlugged(t, plugins, { sources });
    await daemon.track('works', { url: site.url('/trials') });
    await daemon.track('throws', { url: site.url('/trials') });
    for (let time = 0; time < 3; time += 1) await daemon.again('throws');
    await daemon.event(({ type }) => type === 'target.parked');
    const { status, crashes, parked } = await targetOf(daemon, 'throws');
    assert.deepEqual([status, crashes.total, parked?.times], ['parked', 4, 1]);
    assert.match(parked?.reason ?? '', /^throws\.ts: read threw RangeError: no such page/);
    const { scrapes } = await daemon.client.call('scrape.list', { project: 'throws' });
    assert.deepEqual(
      scrapes.map(({ failure }) => failure?.code),
      Array.from({ length: 4 }, () => 'plugin_threw'),
    );
    assert.equal((await targetOf(daemon, 'works')).status, 'active');
  });

  test('is forgotten with the next page that it reads', async (t) => {
    const site = await openSite(t, { '/trials': '{}' });
    const sources = { mends: pluggedSource('mends') };
    const daemon = await startPlugged(t, { 'mends.ts': reading(misdeeds.throws[0]) }, { sources });
    await daemon.track('mends', { url: site.url('/trials') });
    await crashed(daemon, 'mends');
    await daemon.plug('mends.ts', reading('return { drafts: [] }'));
    await daemon.client.call('source.reload', {});
    await daemon.again('mends');
    const { crashes, status } = await targetOf(daemon, 'mends');
    assert.deepEqual([crashes.total, crashes.inRow, status], [1, 0, 'active']);
  });

  test('is no more than what the site did where a request of its own failed', async (t) => {
    const site = await openSite(t, { '/trials': { status: 404, body: 'gone' } });
    const collector = `export async function* collect(context) { await context.fetch('${site.url('/trials')}'); }\n`;
    const daemon = await startPlugged(t, { 'asks.ts': collector }, { sources: { asks: pluggedSource('asks') } });
    const { scrape } = await daemon.track('asks', { url: site.url('/trials') });
    assert.deepEqual([scrape.failure?.code, scrape.failure?.cause], ['plugin_threw', 'status']);
    assert.equal((await targetOf(daemon, 'asks')).crashes.total, 0);
  });
});

test('a page that outlasts its thread twice in a row parks its target', async (t) => {
  const heavy = `<!doctype html><h1>A</h1>${'<div class="price state">'.repeat(60_000)}`;
  const site = await openSite(t, { '/heavy': heavy });
  const shop = productSource('shop', 'limits: { extract: 100ms }').replace('.price,', '".none .price .price",');
  const daemon = await startPlugged(t, {}, { sources: { shop } });
  const first = await daemon.track('shop', { url: site.url('/heavy') });
  assert.equal(first.scrape.failure?.code, 'extract_timeout');
  assert.deepEqual((await crashed(daemon, 'shop')).crashes.inRow, 1);
  const parked = daemon.event(({ type }) => type === 'target.parked');
  await daemon.again('shop');
  await parked;
  const { status, crashes } = await targetOf(daemon, 'shop');
  assert.deepEqual([status, crashes.total], ['parked', 2]);
});
