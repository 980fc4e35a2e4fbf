import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { noteRename } from '../../src/store/rename-source.ts';
import { openStore } from '../../src/store/store.ts';
import { run } from '../cli/terminal.ts';
import { hourly } from '../store/fixture.ts';
import { productPage, productSource, startDaemon, startDaemonIn, type TestDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { answerWith, hold, nth, soon } from './tracking.ts';

const shop = `# A shop.\n${productSource('shop')}`;

async function recordsOf(source: string, { client }: TestDaemon): Promise<string[]> {
  const { records } = await client.call('source.records', { id: source });
  return records.map((record) => `${record.source} ${record.key}`);
}

describe('renaming a source', () => {
  test('moves its file and all that is known of it, while a page of it is read', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const held = hold(site, '/b');
    const daemon = await startDaemon(t, { sources: { shop, other: productSource('other') }, settings: soon });
    const { client, folder, socket } = daemon;
    await client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: site.url('/a') }] });
    await nth(1, 'scrape.completed', 'a', daemon);
    await client.call('project.add', { id: 'b', targets: [{ source: 'shop', url: site.url('/b') }] });
    const response = await held;
    await writeFile(
      join(folder, 'projects.yaml'),
      '- id: a\n  targets:\n    - source: shop # here\n    - source: shop-2\n',
    );
    const heronry = (...words: string[]) => run(['sources', 'rename', ...words, '--socket', socket], { cwd: folder });
    const { version } = await client.call('source.get', { id: 'shop' });
    assert.deepEqual(await heronry('shop', 'store'), {
      status: 0,
      out: 'renamed shop to store, which has 2 active targets\n',
      err: 'projects.yaml says `source: shop` in 1 line: change that to store\n',
    });
    answerWith(productPage('B', '1'), response);
    await nth(1, 'scrape.completed', 'b', daemon);
    assert.deepEqual((await readdir(join(folder, 'sources'))).toSorted(), ['other.yaml', 'store.yaml']);
    const text = await readFile(join(folder, 'sources', 'store.yaml'), 'utf8');
    assert.equal(text, shop.replace('id: shop', 'id: store'));
    assert.deepEqual(await recordsOf('store', daemon), ['store A', 'store B']);
    assert.equal((await client.call('source.get', { id: 'store' })).version, version);
    await client.call('project.rescrape', { id: 'a' });
    await nth(2, 'scrape.completed', 'a', daemon);
    const { changes } = await client.call('project.history', { id: 'a' });
    assert.deepEqual(
      changes.map(({ source, kind }) => [source, kind]),
      [['store', 'added']],
    );
    const { sources, problems } = await client.call('source.list', {});
    assert.deepEqual([sources.map(({ id }) => id), problems], [['other', 'store'], undefined]);
    for (const [from, to, status] of [
      ['store', 'other', 4],
      ['shop', 'new', 3],
      ['store', 'No', 2],
      ['page', 'new', 3],
    ] as const)
      assert.equal((await heronry(from, to)).status, status, `${from} ${to}`);
  });

  test('that cannot write says so and changes nothing', async (t) => {
    const daemon = await startDaemon(t, { sources: { shop } });
    const folder = join(daemon.folder, 'sources');
    await mkdir(join(folder, '.store.yaml.new'));
    await assert.rejects(daemon.client.call('source.rename', { id: 'shop', to: 'store' }), {
      code: 'not_ready',
      message: /store\.yaml: /,
    });
    assert.deepEqual((await readdir(folder)).toSorted(), ['.store.yaml.new', 'shop.yaml']);
    assert.equal((await daemon.client.call('source.get', { id: 'shop' })).status, 'ready');
    await rmdir(join(folder, '.store.yaml.new'));
    await daemon.client.call('source.rename', { id: 'shop', to: 'store' });
    assert.deepEqual(await readdir(folder), ['store.yaml']);
  });

  test('is whole or did not happen after a kill at any of its steps', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const first = await startDaemon(t, { sources: { shop }, settings: soon });
    const { folder } = first;
    await first.client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: site.url('/a') }] });
    await nth(1, 'scrape.completed', 'a', first);
    await first.close();
    const file = (id: string) => join(folder, 'sources', `${id}.yaml`);
    const killed: readonly (readonly [from: string, to: string, now: string, done: () => Promise<void>])[] = [
      ['shop', 'store', 'shop', () => writeFile(join(folder, 'sources', '.store.yaml.new'), 'id: st')],
      ['shop', 'store', 'store', () => writeFile(file('store'), shop.replace('id: shop', 'id: store'))],
      [
        'store',
        'mall',
        'mall',
        async () => {
          await rename(file('store'), file('mall'));
          await writeFile(file('mall'), shop.replace('id: shop', 'id: mall'));
        },
      ],
    ];
    for (const [from, to, now, done] of killed) {
      const store = await openStore({ path: join(folder, 'data'), now: Date.now, scheduling: hourly });
      await noteRename(store, { from, to });
      await store.close();
      await done();
      await rm(join(folder, 'sources', '.store.yaml.new'), { force: true });
      const daemon = await startDaemonIn(t, folder, { settings: soon });
      assert.deepEqual(await recordsOf(now, daemon), [`${now} A`]);
      const { sources } = await daemon.client.call('source.list', {});
      assert.deepEqual(
        sources.map(({ id, status }) => [id, status]),
        [[now, 'ready']],
      );
      assert.deepEqual(await readdir(join(folder, 'sources')), [`${now}.yaml`]);
      await daemon.close();
    }
  });
});
