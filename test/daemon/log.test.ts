import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { productPage, productSource, startDaemon, startDaemonIn } from '../support/daemon.ts';
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

describe('the log of definitions', () => {
  const broken = Object.fromEntries(
    Array.from({ length: 25 }, (_, index) => [`bad${index + 10}`, `id: bad${index + 10}\nrecords: 5\n`] as const),
  );

  test('has at the start a line for each problem, up to twenty, the number of the rest, and what was tracked on them', async (t) => {
    const first = await startDaemon(t, { sources: { shop: productSource('shop') } });
    await first.client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: 'http://127.0.0.1:1/' }] });
    for (const [id, text] of Object.entries({ ...broken, shop: 'id: shop\n' })) await first.define(id, text);
    await first.close();
    const lines: string[] = [];
    await startDaemonIn(t, first.folder, { warn: (what) => lines.push(what) });
    assert.equal(lines.filter((line) => /sources\/bad\d\d\.yaml:\d+:\d+: records: /.test(line)).length, 20);
    assert.ok(
      lines.some((line) => /^and \d+ more problems of definitions$/.test(line)),
      lines.join('\n'),
    );
    assert.ok(lines.includes('source shop has no definition that could be loaded, but 1 target uses it, of project a'));
  });
});
