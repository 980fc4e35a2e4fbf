import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { VirtualClock } from '../../src/clock.ts';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { answerWith, hold, nth, runningUnder, soon } from './tracking.ts';

const shop = productSource('shop');
/** Reads the title as well. */
const changed = shop.replace('    fields:\n', '    fields:\n      title: { css: title }\n');
const broken = shop.replace('provider: html', 'provider: htlm');

describe('reloading definitions', () => {
  test('tells of a folder that is gone, which is the problem of no source', async (t) => {
    const { client, folder } = await startDaemon(t, { sources: {} });
    assert.deepEqual(await client.call('source.list', {}), { sources: [] });
    const sources = join(folder, 'sources');
    await rm(sources, { recursive: true });
    await client.call('source.reload', {});
    const problem = { file: sources, line: 1, column: 1, path: '', message: 'there is no such file or folder' };
    assert.deepEqual(await client.call('source.list', {}), { sources: [], problems: [problem] });
  });

  test('has a changed one read by from the next scrape on; one under way keeps the version it began with', async (t) => {
    const site = await openSite(t);
    const held = hold(site, '/a');
    const daemon = await startDaemon(t, { sources: { shop }, settings: soon });
    const { client, define } = daemon;
    await client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: site.url('/a') }] });
    const response = await held;
    const { version } = await client.call('source.get', { id: 'shop' });
    await define('shop', changed);
    assert.deepEqual(await client.call('source.reload', {}), { changed: ['shop'], removed: [], problems: [] });
    const later = (await client.call('source.get', { id: 'shop' })).version;
    assert.notEqual(later, version);
    answerWith(productPage('A', '1'), response);
    site.answer('/a', productPage('A', '1'));
    await nth(1, 'scrape.completed', 'a', daemon);
    const fieldsOf = async () =>
      Object.keys((await client.call('project.records', { id: 'a' })).records[0]?.fields ?? {});
    assert.deepEqual((await fieldsOf()).sort(), ['price', 'sku', 'state']);
    await client.call('project.rescrape', { id: 'a' });
    await nth(2, 'scrape.completed', 'a', daemon);
    assert.deepEqual((await fieldsOf()).sort(), ['price', 'sku', 'state', 'title']);
    const { scrapes } = await client.call('scrape.list', { project: 'a' });
    assert.deepEqual(
      scrapes.map((each) => each.version),
      [later, version],
    );
    assert.deepEqual((await client.call('source.reload', {})).changed, []);
  });

  test('leaves what an earlier version says to be seen, as long as a scrape names it', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const daemon = await startDaemon(t, { sources: { shop }, settings: soon });
    const { client, define } = daemon;
    await client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: site.url('/a') }] });
    await nth(1, 'scrape.completed', 'a', daemon);
    const before = await client.call('source.get', { id: 'shop', text: true });
    assert.equal(before.file?.text, shop);
    await define('shop', changed);
    await client.call('source.reload', {});
    const now = await client.call('source.get', { id: 'shop', text: true });
    assert.equal(now.file?.text, changed);
    assert.notEqual(now.file.digest, before.file.digest);
    const { definition } = await client.call('source.get', { id: 'shop', version: before.version ?? '' });
    assert.deepEqual(definition, before.definition);
    assert.notDeepEqual(definition, now.definition);
    assert.equal((await client.call('source.get', { id: 'shop', version: 'other' })).definition, undefined);
  });

  test('reports a broken one, and goes on by its last valid version', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const daemon = await startDaemon(t, { sources: { shop }, settings: soon });
    const { client, define } = daemon;
    await client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: site.url('/a') }] });
    await nth(1, 'scrape.completed', 'a', daemon);
    await define('shop', broken);
    const { problems, ...rest } = await client.call('source.reload', {});
    assert.deepEqual(rest, { changed: [], removed: [] });
    assert.deepEqual(
      problems.map(({ path, line }) => [path, line]),
      [['provider', 2]],
    );
    const view = await client.call('source.get', { id: 'shop' });
    assert.equal(view.status, 'definition_error');
    await client.call('project.rescrape', { id: 'a' });
    const { scrape } = await nth(2, 'scrape.completed', 'a', daemon);
    assert.ok(scrape !== undefined);
    assert.equal((await client.call('scrape.get', { scrape })).scrape.version, view.version);
    await define('shop', shop);
    assert.deepEqual(await client.call('source.reload', {}), { changed: [], removed: [], problems: [] });
    assert.equal((await client.call('source.get', { id: 'shop' })).status, 'ready');
  });

  test('without the file of one, asks nothing of that source until it is there again', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1'), '/b': productPage('B', '1') });
    const clock = new VirtualClock(1_000_000);
    const daemon = await startDaemon(t, { sources: { shop, other: productSource('other') }, clock });
    const { client, define, folder } = daemon;
    for (const [id, source] of [
      ['a', 'shop'],
      ['b', 'other'],
    ] as const) {
      await client.call('project.add', { id, targets: [{ source, url: site.url(`/${id}`) }] });
      clock.advance(1_000);
      await nth(1, 'scrape.completed', id, daemon);
    }
    await daemon.daemon.system.idle();
    await rm(join(folder, 'sources', 'shop.yaml'));
    const reloaded = await client.call('source.reload', { force: true });
    assert.deepEqual(reloaded, { changed: [], removed: ['shop'], problems: [] });
    assert.deepEqual((await client.call('project.get', { id: 'a' })).targets[0]?.conditions, ['definition_error']);
    const { status, version, targets } = await client.call('source.get', { id: 'shop' });
    assert.deepEqual({ status, version, targets }, { status: 'definition_error', version: undefined, targets: 1 });
    assert.deepEqual((await client.call('daemon.status', {})).sources, { ready: 1, broken: 0, missing: 1 });
    await daemon.daemon.system.idle();
    clock.advance(soon.everyMs);
    await nth(2, 'scrape.completed', 'b', daemon);
    await daemon.daemon.system.idle();
    assert.equal(site.asked.filter(({ path }) => path === '/a').length, 1);

    await define('shop', shop);
    assert.deepEqual((await client.call('source.reload', {})).changed, ['shop']);
    await daemon.daemon.system.idle();
    clock.advance(1_000);
    await nth(2, 'scrape.completed', 'a', daemon);
  });

  test('keeps one in use whose file is gone, and names the projects, until it is forced or nothing uses it', async (t) => {
    const site = await openSite(t);
    const { client, folder } = await startDaemon(t, { sources: { shop } });
    const ids = Array.from({ length: 12 }, (_, index) => `p${String(index).padStart(2, '0')}`);
    for (const id of ids)
      await client.call('project.add', { id, targets: [{ source: 'shop', url: site.url(`/${id}`) }] });
    const file = join(folder, 'sources', 'shop.yaml');
    await rm(file);
    const { problems, ...rest } = await client.call('source.reload', {});
    assert.deepEqual(rest, { changed: [], removed: [] });
    const message = `the file is gone, but 12 targets use it, of projects ${ids.slice(0, 10).join(', ')} and perhaps others: it stays as it was loaded, unless the reload is forced`;
    assert.deepEqual(problems, [{ file, line: 1, column: 1, path: '', message }]);
    assert.deepEqual((await client.call('project.get', { id: 'p00' })).targets[0]?.conditions, ['not_initialised']);
    for (const id of ids) await client.call('project.archive', { id });
    assert.deepEqual(await client.call('source.reload', {}), { changed: [], removed: ['shop'], problems: [] });
  });

  test('starts the actor of a new source, whose pulse beats from then on, and ends that of a removed one', async (t) => {
    const clock = new VirtualClock(1_000_000);
    const started = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const { client, define, folder } = await startDaemon(t, {
      sources: { shop },
      clock,
      report({ type, id }) {
        if (type === 'started' && id.startsWith('late#')) started.resolve();
        if (type === 'ended' && id.startsWith('shop#')) ended.resolve();
      },
    });
    await define('late', productSource('late', 'pulse: { every: 7s, record: product, fields: { sku: { css: h1 } } }'));
    await rm(join(folder, 'sources', 'shop.yaml'));
    assert.deepEqual(await client.call('source.reload', {}), { changed: ['late'], removed: ['shop'], problems: [] });
    await started.promise;
    await ended.promise;
    assert.deepEqual(await runningUnder('sources', client), ['late']);
    const { pulse } = await client.call('source.get', { id: 'late' });
    assert.deepEqual(pulse, { everyMs: 7_000, nextAt: clock.now() + 7_000 });
  });
});
