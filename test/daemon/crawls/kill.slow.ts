import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordsOf } from '../lists/listing.ts';
import { daemonFolder, startOwnDaemon } from '../own-daemon.ts';
import { hold } from '../tracking.ts';
import { crawlSource, openShop, page, pathsOf } from './shop.ts';

test('a crawl goes on after a kill, and asks for no page again but the one under way (P49)', async (t) => {
  const site = await openShop(t);
  const folder = await daemonFolder(t, { shop: crawlSource() });
  const first = await startOwnDaemon(folder);
  const held = hold(site, '/p/17');
  await first.client.call('project.add', { id: 'all', targets: [{ source: 'shop', url: site.url('/') }] });
  await held;
  await first.kill();
  const before = pathsOf(site);
  site.answer('/p/17', page([], '17'));
  const { client } = await startOwnDaemon(folder);
  const { promise, resolve } = Promise.withResolvers<void>();
  await client.subscribe({ after: 0 }, ({ type }) => (type === 'scrape.completed' ? resolve() : undefined));
  await promise;
  const after = pathsOf(site).slice(before.length);
  assert.deepEqual(
    after.filter((path) => before.includes(path)),
    ['/p/17'],
  );
  assert.equal(new Set([...before, ...after]).size, 45);
  assert.equal((await recordsOf(client)).size, 40);
});
