import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startDaemon } from '../../support/daemon.ts';
import { openSite } from '../../support/site.ts';
import { isEnd, recordsOf } from '../lists/listing.ts';
import { answerWith, nth, soon } from '../tracking.ts';
import { crawlSource, openShop, page, pathsOf } from './shop.ts';

const bare = '<!doctype html><title>Just a moment...</title><p>Enable JavaScript and cookies to continue</p>';
const challenges = {
  'without links': bare,
  'with links': `${bare}<a href="/help">Help</a><a href="https://waf.test/">By</a>`,
};

describe('a challenge in place of the page', () => {
  for (const [what, challenge] of Object.entries(challenges)) {
    test(`where a site's first crawl begins is a failure, and no empty site: ${what}`, async (t) => {
      const site = await openSite(t, { '/': challenge, '/help': page([]) });
      const daemon = await startDaemon(t, { sources: { shop: crawlSource() }, settings: soon });
      await daemon.client.call('project.add', { id: 'all', targets: [{ source: 'shop', url: site.url('/') }] });
      const { type, scrape } = await daemon.event(isEnd);
      const { failure } = (await daemon.client.call('scrape.get', { scrape })).scrape;
      assert.deepEqual([type, failure?.code, failure?.cause], ['scrape.failed', 'blocked', 'blocked']);
      assert.deepEqual(pathsOf(site), ['/']);
    });

    test(`leaves what a listing led to as it was: ${what}`, async (t) => {
      const site = await openShop(t);
      const daemon = await startDaemon(t, { sources: { shop: crawlSource() }, settings: soon });
      const { client } = daemon;
      await client.call('project.add', { id: 'all', targets: [{ source: 'shop', url: site.url('/') }] });
      await nth(1, 'scrape.completed', 'all', daemon);
      site.answer('/c/3', challenge);
      await client.call('project.rescrape', { id: 'all' });
      const { data, scrape } = await nth(2, 'scrape.completed', 'all', daemon);
      assert.deepEqual(data.counts, { added: 0, changed: 0, confirmed: 30 });
      const { steps } = await client.call('scrape.get', { scrape, limit: 1_000 });
      assert.deepEqual(
        steps.filter(({ failure }) => failure?.cause === 'blocked').map(({ url }) => url),
        [site.url('/c/3')],
      );
      assert.equal((await recordsOf(client)).get('35')?.absent, undefined);
    });
  }

  test('of the last pages, and of one that was read before, has them asked for by the next scrape', async (t) => {
    const paths = ['/p/0', '/p/1', '/p/2'];
    const site = await openSite(t, { '/': page(paths) });
    site.answer('/p/0', (_request, response) => {
      answerWith(page([], '0'), response);
      for (const path of paths) site.answer(path, bare);
    });
    const daemon = await startDaemon(t, { sources: { shop: crawlSource() }, settings: soon });
    const { client } = daemon;
    await client.call('project.add', { id: 'all', targets: [{ source: 'shop', url: site.url('/') }] });
    const { type, scrape } = await daemon.event(isEnd);
    const { endReason } = (await client.call('scrape.get', { scrape })).scrape;
    assert.deepEqual([type, endReason, pathsOf(site)], ['scrape.failed', 'blocked', ['/', ...paths, '/p/0']]);
    for (const path of paths) site.answer(path, page([], path.slice(3)));
    await client.call('project.rescrape', { id: 'all' });
    await nth(1, 'scrape.completed', 'all', daemon);
    assert.deepEqual(pathsOf(site).slice(5), ['/p/1', '/p/2']);
    assert.equal((await recordsOf(client)).size, 3);
  });
});
