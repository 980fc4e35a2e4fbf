import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openSite } from '../../support/site.ts';
import { daemonFolder, startOwnDaemon } from '../own-daemon.ts';
import { answerBy, held, itemsOf, listSource, recordsOf } from './listing.ts';

describe('a list whose daemon is killed between two pages', () => {
  test('keeps the pages before, and is read from the last of them to its end after that, each item stored once', async (t) => {
    const site = await openSite(t);
    let last = 0;
    const fourth = Promise.withResolvers<void>();
    let holds = true;
    answerBy(site, '/list', (query) => {
      last = Number(query.get('page'));
      if (!holds || last < 4) return { items: itemsOf((last - 1) * 5, last > 4 ? 0 : 5) };
      fourth.resolve();
      return held;
    });
    const folder = await daemonFolder(t, { list: listSource('feed: { by: page }') });
    const first = await startOwnDaemon(folder);
    await first.client.call('project.add', { id: 'all', targets: [{ source: 'list', url: site.url('/list') }] });
    await fourth.promise;
    await first.kill();
    const before = site.asked.length;
    holds = false;
    const { client } = await startOwnDaemon(folder);
    const { promise, resolve } = Promise.withResolvers<void>();
    const added: unknown[] = [];
    await client.subscribe({ after: 0 }, (event) => {
      if (event.type === 'record.added') added.push(event.data.key);
      if (event.type === 'scrape.completed') resolve();
    });
    await promise;
    assert.equal(new URL(site.asked[before]?.path ?? '', site.origin).searchParams.get('page'), '3');
    assert.deepEqual([last, (await recordsOf(client)).size], [6, 20]);
    assert.deepEqual([added.length, new Set(added).size], [20, 20]);
  });
});
