import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { crawlSource, openShop } from './crawls/shop.ts';
import { soon } from './tracking.ts';

/** Tracks one target; resolves with the lines about its first scrape, once it has ended. */
async function linesOfScrape(t: TestContext, source: string, url: string): Promise<string[]> {
  const lines: string[] = [];
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const { client } = await startDaemon(t, {
    sources: { shop: source },
    settings: soon,
    log(level, message, data) {
      if (data['scrape'] === undefined) return;
      lines.push(
        [level, message, ...[data['status'], data['failure']].filter((part) => typeof part === 'string')].join(' '),
      );
      if (message === 'scrape has stopped') resolve();
    },
  });
  await client.call('project.add', { id: 'a', targets: [{ source: 'shop', url }] });
  await ended;
  return lines;
}

describe('the log of a scrape', () => {
  test('of a page is one line at `debug`', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const lines = await linesOfScrape(t, productSource('shop'), site.url('/a'));
    assert.deepEqual(lines, ['debug scrape has stopped complete']);
  });

  test('is one line at `warn` where it failed', async (t) => {
    const site = await openSite(t, { '/a': { status: 404 } });
    const lines = await linesOfScrape(t, productSource('shop'), site.url('/a'));
    assert.deepEqual(lines, ['warn scrape has stopped failed status']);
  });

  test('of a crawl has its end at `info`', async (t) => {
    const site = await openShop(t);
    const lines = await linesOfScrape(t, crawlSource(), site.url('/'));
    assert.deepEqual(lines, ['debug scrape has started', 'info scrape has stopped complete']);
  });
});
