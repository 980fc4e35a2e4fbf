import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Handlers } from '../../src/control/methods.ts';
import type { CrawlView } from '../../src/view/crawl.ts';
import { serve } from '../control/daemon.ts';
import { run } from './terminal.ts';
import { now } from './views.ts';

const crawl: CrawlView = {
  target: 7,
  source: 'shop',
  crawl: 2,
  version: 'abc',
  startedAt: now - 60_000,
  endedAt: now - 30_000,
  durationMs: 30_000,
  endReason: 'complete',
  pages: 40,
  maxPages: 1_000,
  recordPages: 24,
  records: 24,
  newRecords: 3,
  changed: 5,
  errors: 1,
  forbidden: 0,
  bytes: 120_000,
  status: { '2xx': 39, '4xx': 1 },
  refused: { denied: 4, offsite: 9 },
  offsite: [{ domain: 'other.example', links: 9 }],
  tooDeep: 0,
  overBudget: 2,
  fieldFill: { 'product.title': { seen: 24, total: 24 }, 'product.price': { seen: 18, total: 24 } },
  waiting: { detail: 0, listing: 0 },
};

/** A daemon that knows the source. */
const shop: Partial<Handlers> = {
  'source.list': () => ({
    sources: [{ id: 'shop', name: 'shop', provider: 'html', status: 'ready', targets: 1, problems: [] }],
  }),
};

describe('crawls', () => {
  test('tells pages, records, answers, how often each field was found, and what was not followed (P29)', async (t) => {
    const { path } = await serve(t, { ...shop, 'crawl.list': () => ({ crawls: [crawl] }) });
    const { out, status } = await run(['crawls', 'shop', '--socket', path], { now });
    assert.equal(status, 0);
    assert.equal(
      out,
      `crawl 2 of target 7  shop  complete in 30s, began 1m ago
  pages     40 of 1000 at most, 24 gave records, 120.0 kB
  records   24 read, 3 met, 5 changed
  answers   2xx 39, 4xx 1
  errors    1
  refused   denied 4, offsite 9, over_budget 2
  offsite   other.example 9
  fields    product.price 75 %, product.title 100 %
`,
    );
  });

  test('tells what robots.txt forbids among what was not followed, not among the answers', async (t) => {
    const forbidden = { ...crawl, forbidden: 1, status: { '2xx': 39, forbidden: 3 }, refused: {}, overBudget: 0 };
    const { path } = await serve(t, { ...shop, 'crawl.list': () => ({ crawls: [forbidden] }) });
    const { out } = await run(['crawls', 'shop', '--socket', path], { now });
    assert.match(out, /^ {2}answers {3}2xx 39$/m);
    assert.match(out, /^ {2}refused {3}forbidden 3$/m);
  });

  test('tells how far the present one is, and what trapped one that was aborted', async (t) => {
    const { endedAt: _endedAt, endReason: _endReason, ...open } = crawl;
    const running = { ...open, crawl: 3, waiting: { detail: 2, listing: 5 } };
    const trapped: CrawlView = {
      ...crawl,
      endReason: 'loop',
      loop: {
        template: '/calendar/{n}',
        pages: 5_000,
        samples: ['http://shop.example/calendar/1'],
        share: 0.9,
        nearDuplicates: 0.5,
        growing: ['path'],
        knownDetails: 0,
      },
    };
    const { path } = await serve(t, { ...shop, 'crawl.list': () => ({ crawls: [running, trapped] }) });
    const { out } = await run(['crawls', 'shop', '--socket', path], { now });
    assert.match(out, /^crawl 3 of target 7 {2}shop {2}running for 30s, began 1m ago$/m);
    assert.match(out, /^ {2}waiting {3}2 with records, 5 others$/m);
    assert.match(out, /^crawl 2 .* aborted: loop in 30s/m);
    assert.match(
      out,
      /trapped {3}5000 pages without a new record: \/calendar\/\{n\} \(90 % of them; 50 % nearly alike; growing path\)/,
    );
    assert.match(out, /^ +http:\/\/shop\.example\/calendar\/1$/m);
  });

  test('says so when there was none, and prints them as JSON', async (t) => {
    const none = await serve(t, { ...shop, 'crawl.list': () => ({ crawls: [] }) });
    assert.equal((await run(['crawls', 'shop', '--socket', none.path])).err, 'no crawl of shop is known\n');
    const { path } = await serve(t, { ...shop, 'crawl.list': () => ({ crawls: [crawl] }) });
    assert.deepEqual(JSON.parse((await run(['crawls', 'shop', '--json', '--socket', path])).out), [crawl]);
  });
});
