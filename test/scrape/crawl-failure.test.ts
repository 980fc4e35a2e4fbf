import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { closeOpenScrapes } from '../../src/store/scrapes.ts';
import { ticketsOf } from '../../src/store/tickets.ts';
import { temporaryStore } from '../store/fixture.ts';
import { crawl, recordOf, shopOf, shopTarget, type Site } from './crawling.ts';

const failing = { cause: 'origin_down', status: 500 } as const;
const hundred = Array.from({ length: 100 }, (_, index) => `${index}`);

describe('pages of a crawl that cannot be read', () => {
  test('are counted, and it completes without them', async (t) => {
    const { store } = await temporaryStore(t);
    const site = shopOf(hundred, { '/p/7': failing, '/p/8': { cause: 'not_found', status: 404 } });
    const { scrape, row } = await crawl(store, await shopTarget(store), site);
    assert.deepEqual([scrape.status, row.errors, row.status], ['complete', 1, { '2xx': 99, '4xx': 1, '5xx': 1 }]);
  });

  test('end it when they are too many', async (t) => {
    const { store } = await temporaryStore(t);
    const site: Site = (path) => (/[13579]$/.test(path) ? failing : shopOf(hundred)(path));
    const { scrape, row } = await crawl(store, await shopTarget(store), site);
    assert.deepEqual([scrape.status, scrape.endReason, row.endReason], ['failed', 'errors', 'errors']);
    assert.match(
      scrape.failure?.message ?? '',
      /^\d+ of \d+ pages could not be read: expected at most 20 %; most often: origin_down \(\d+\), such as https:\/\/shop\.test\/p\/1$/,
    );
    assert.ok(scrape.steps <= 12, `${scrape.steps}`);
  });

  test('end it for want of records, where most of them are read and none gives one any more', async (t) => {
    const { store } = await temporaryStore(t);
    const target = await shopTarget(store);
    await crawl(store, target, shopOf(hundred));
    const site: Site = (path) => (path.startsWith('/p/') ? { own: 'no_record' } : shopOf(hundred)(path));
    const { scrape, row } = await crawl(store, target, site);
    assert.deepEqual([scrape.status, scrape.failure?.code, row.endReason], ['failed', 'no_record', 'failed']);
    const [ticket] = ticketsOf(store, { source: 'shop', member: target });
    assert.deepEqual([ticket?.symptoms[0]?.kind, ticket?.symptoms[0]?.record], ['records', 'item']);
  });

  test('end it not by being none of those with records, ten in a row or not', async (t) => {
    const { store } = await temporaryStore(t);
    const site: Site = (path) => (/\/1.$/.test(path) ? { cause: 'unexpected', status: 200 } : shopOf(hundred)(path));
    const { scrape, row } = await crawl(store, await shopTarget(store), site, {
      crawl: 'errorCeiling: { share: 0.5 }',
    });
    assert.deepEqual([scrape.status, row.pages, row.errors], ['complete', 101, 10]);
  });

  test('end the scrape when ten in a row fail, and the next one goes on with the crawl and asks them again', async (t) => {
    const { store } = await temporaryStore(t);
    const target = await shopTarget(store);
    let isDown = false;
    const site: Site = (path) => (isDown ? failing : shopOf(hundred)(path));
    const rules = { crawl: 'errorCeiling: { share: 1 }' };
    await crawl(store, target, site, { ...rules, killedAfter: 40 });
    await closeOpenScrapes(store);
    isDown = true;
    const down = await crawl(store, target, site, rules);
    assert.deepEqual(
      [down.scrape.status, down.scrape.endReason, down.row.endReason],
      ['failed', 'unreachable', undefined],
    );
    assert.equal(down.asked.length, 11);
    isDown = false;
    const up = await crawl(store, target, site, rules);
    assert.deepEqual([up.row.crawl, up.row.endReason, up.asked.length], [1, 'complete', 61]);
    // Behind those that wait, so that a part of the site that is down does not hold up the rest.
    assert.deepEqual(up.asked.slice(-10), down.asked.slice(0, 10));
    assert.deepEqual([up.row.pages, up.row.errors, up.row.recordPages, store.records.count()], [101, 0, 100, 100]);
  });

  for (const cause of ['blocked', 'login_expired'] as const)
    test(`end the scrape when five in a row are ${cause}, and the next one goes on with the crawl`, async (t) => {
      const { store } = await temporaryStore(t);
      const target = await shopTarget(store);
      let isClosed = true;
      const site: Site = (path) =>
        isClosed && path !== '/' ? { cause, status: 200 } : shopOf(hundred.slice(0, 9))(path);
      const closed = await crawl(store, target, site);
      assert.equal(closed.asked.length, 6);
      assert.deepEqual(
        [closed.scrape.status, closed.scrape.endReason, closed.scrape.failure?.cause, closed.row.endReason],
        ['failed', cause, cause, undefined],
      );
      isClosed = false;
      const open = await crawl(store, target, site);
      assert.deepEqual([open.row.crawl, open.row.endReason, open.row.errors], [1, 'complete', 0]);
      assert.equal(store.records.count(), 9);
    });

  test('are counted when fewer in a row are blocked, by themselves', async (t) => {
    const { store } = await temporaryStore(t);
    const blocked = { cause: 'blocked', status: 403 } as const;
    const some = Object.fromEntries(
      hundred.filter((key) => Number(key) % 6 !== 0).map((key) => [`/p/${key}`, blocked]),
    );
    const four = Object.fromEntries(['51', '52', '53', '54', '56', '57'].map((key) => [`/p/${key}`, blocked]));
    const fine = await crawl(store, await shopTarget(store, 'four'), shopOf(hundred, four));
    assert.deepEqual([fine.scrape.status, fine.row.errors], ['complete', 6]);
    const { scrape } = await crawl(store, await shopTarget(store, 'some'), shopOf(hundred, some));
    assert.equal(scrape.endReason, 'errors');
    assert.match(scrape.failure?.message ?? '', /most often: blocked/);
  });

  for (const [broken, share, end, errors] of [
    [12, 1, 'complete', 12],
    [60, 0.2, 'errors', 10],
  ] as const)
    test(`are errors of one scrape, ${broken} of a hundred in a row, where another page can be read`, async (t) => {
      const { store } = await temporaryStore(t);
      const site: Site = (path) =>
        path.startsWith('/p/') && Number(path.slice(3)) < broken ? failing : shopOf(hundred)(path);
      const rules = { crawl: `errorCeiling: { share: ${share} }` };
      const { asked, scrape, row } = await crawl(store, await shopTarget(store), site, rules);
      assert.deepEqual([scrape.endReason, row.endReason, row.errors], [end, end, errors]);
      const probes = asked.length - new Set(asked).size;
      assert.equal(probes, 1);
      assert.equal(store.records.count(), row.pages - 1 - errors);
    });

  test('are put back also when several are asked at a time', async (t) => {
    const { store } = await temporaryStore(t);
    const target = await shopTarget(store);
    let count = 0;
    const site: Site = (path) => {
      count += 1;
      return count > 40 && count < 60 ? failing : shopOf(hundred)(path);
    };
    const run = { politeness: 'concurrency: 4', crawl: 'errorCeiling: { share: 1 }' };
    const down = await crawl(store, target, site, run);
    assert.equal(down.scrape.endReason, 'unreachable');
    count = 60;
    const up = await crawl(store, target, site, run);
    assert.deepEqual([up.row.endReason, up.row.errors, up.row.pages, store.records.count()], ['complete', 0, 101, 100]);
  });

  for (const [what, answer, code] of [
    ['fails', failing, 'status'],
    ['is not there', undefined, 'status'],
    ['leads to another domain', { location: 'https://parked.test/' }, 'led_away'],
  ] as const)
    test(`say nothing of any record when the start ${what}`, async (t) => {
      const { store } = await temporaryStore(t);
      const target = await shopTarget(store);
      await crawl(store, target, shopOf(['a']));
      const { scrape, row } = await crawl(store, target, () => answer);
      assert.deepEqual([scrape.status, scrape.endReason, row.endReason], ['failed', 'failed', 'failed']);
      assert.equal(scrape.failure?.code, code);
      assert.equal(recordOf(store, 'a')?.absent, undefined);
    });
});
