import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { temporaryStore } from '../store/fixture.ts';
import { crawl, shop, shopOf, shopTarget, type Site } from './crawling.ts';

describe('a redirect within a crawl', () => {
  test('leads to a page that nobody has met, which is then asked for no more', async (t) => {
    const { store } = await temporaryStore(t);
    const site = shopOf(['a', 'b', 'c'], {
      '/p/a': { location: `${shop}p/moved` },
      '/p/b': { to: ['/p/moved'], holds: ['b'] },
    });
    const { asked, row } = await crawl(store, await shopTarget(store), site);
    assert.deepEqual(asked, ['/', '/p/a', '/p/moved', '/p/b', '/p/c']);
    assert.deepEqual([row.pages, row.newRecords], [4, 3]);
  });

  test('to a page that was met already leads nowhere', async (t) => {
    const { store } = await temporaryStore(t);
    const site = shopOf(['a', 'b', 'c'], { '/p/a': { location: `${shop}p/c` }, '/p/b': { location: `${shop}p/a` } });
    const { asked, row, scrape } = await crawl(store, await shopTarget(store), site);
    assert.deepEqual(asked, ['/', '/p/a', '/p/b', '/p/c']);
    assert.deepEqual([row.status, scrape.status], [{ '2xx': 2, '3xx': 2 }, 'complete']);
  });

  test('from a list to a page with records has that read for its records', async (t) => {
    const { store } = await temporaryStore(t);
    const site = shopOf(['b'], {
      '/': { to: ['/go/1', '/p/b'] },
      '/go/1': { location: `${shop}go/2` },
      '/go/2': { location: `${shop}p/a` },
    });
    const { asked, row } = await crawl(store, await shopTarget(store), site, { crawl: 'maxDepth: 1' });
    assert.deepEqual(asked, ['/', '/p/b', '/go/1', '/go/2', '/p/a']);
    assert.deepEqual([row.newRecords, row.recordPages], [2, 2]);
  });

  for (const [what, to, rules] of [
    ['where no link would be followed', 'us/', 'follow: [/c/]'],
    ['to a page with records', 'p/home', 'follow: [/c/]'],
    ['to a page that is denied', 'us/', 'deny: [/us/]'],
  ] as const)
    test(`of a start leads ${what}`, async (t) => {
      const { store } = await temporaryStore(t);
      const site: Site = (path) =>
        path === '/' ? { location: `${shop}${to}` } : { to: path === `/${to}` ? ['/p/1'] : [], holds: [path] };
      const { asked, scrape } = await crawl(store, await shopTarget(store), site, { crawl: rules });
      assert.deepEqual([asked, scrape.status], [['/', `/${to}`, '/p/1'], 'complete']);
    });

  test('to itself, as with a cookie, is asked for again', async (t) => {
    const { store } = await temporaryStore(t);
    let visits = 0;
    const site: Site = (path) => {
      if (path !== '/') return { to: [], holds: ['a'] };
      visits += 1;
      return visits < 3 ? { location: shop } : { to: ['/p/a'] };
    };
    const { asked, row } = await crawl(store, await shopTarget(store), site);
    assert.deepEqual([asked, row.pages], [['/', '/', '/', '/p/a'], 2]);
  });

  test('to another domain, or where no link may lead, leads nowhere and is counted', async (t) => {
    const { store } = await temporaryStore(t);
    const site = shopOf(['a', 'b', 'c'], {
      '/p/a': { location: 'https://partner.test/a' },
      '/p/b': { location: `${shop}private/b` },
    });
    const { asked, row } = await crawl(store, await shopTarget(store), site, { crawl: 'deny: [/private/]' });
    assert.deepEqual(asked, ['/', '/p/a', '/p/b', '/p/c']);
    assert.deepEqual([row.refused, row.offsite], [{ offsite: 1, denied: 1 }, [{ domain: 'partner.test', links: 1 }]]);
  });

  test('of two pages to a third has that asked for once, also at a time', async (t) => {
    const { store } = await temporaryStore(t);
    const to = { location: `${shop}p/both` };
    const site = shopOf(['a', 'b', 'c', 'd'], { '/p/a': to, '/p/b': to, '/p/c': { to: ['/p/both'], holds: ['c'] } });
    const { asked } = await crawl(store, await shopTarget(store), site, { politeness: 'concurrency: 4' });
    assert.equal(asked.filter((path) => path === '/p/both').length, 1);
  });
});
