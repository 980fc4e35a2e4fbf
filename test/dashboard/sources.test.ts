import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { load } from 'cheerio';
import { ControlError } from '../../src/control/error.ts';
import type { Handlers } from '../../src/control/methods.ts';
import type { SourceView } from '../../src/control/methods/source.ts';
import type { ScrapeOfProjects } from '../../src/control/methods/scrape.ts';
import { serveHttp } from '../http/server.ts';

const hostile = '"><script>alert(1)</script>\u202Eabc';

const shop: SourceView = {
  id: 'shop',
  name: 'Shop',
  provider: 'html',
  status: 'ready',
  version: 'new-version',
  everyMs: 60_000,
  targets: 1,
  pulse: { everyMs: 30_000, nextAt: 2_000_000_000_000 },
  problems: [],
};

const scrape: ScrapeOfProjects = {
  scrape: 7,
  target: 1,
  source: 'shop',
  version: 'old-version',
  status: 'complete',
  startedAt: 1_000,
  endedAt: 2_000,
  bytes: 10,
  reason: 'due',
  steps: 1,
  counts: { added: 1, changed: 0, confirmed: 0 },
  projects: ['lamp'],
};

const tally = {
  scrapes: 4,
  unchanged: 3,
  requests: 5,
  pulses: 1,
  notModified: 1,
  validated: 0,
  bytes: 100,
  unchangedBytes: 50,
  cpuMs: 12,
};
const fresh = { count: 0, maxMs: 0, p50Ms: 0, p95Ms: 0, p99Ms: 0, shareWithin: 1, breaches: 0 };

/** A daemon with one source. */
function withShop(view: Partial<SourceView> = {}, more: Partial<Handlers> = {}): Partial<Handlers> {
  const source = { ...shop, ...view };
  return {
    'source.list': () => ({ sources: [source] }),
    'source.get': ({ version }) => ({
      ...source,
      definition: version === undefined ? { id: 'shop', key: 'sku' } : { id: 'shop', key: 'name' },
      file: { path: '/x/sources/shop.yaml', text: `id: shop # ${hostile}\n`, digest: 'd' },
    }),
    'scrape.list': () => ({
      scrapes: [
        scrape,
        { ...scrape, scrape: 6, status: 'failed', failure: { code: 'x', message: hostile }, version: 'new-version' },
      ],
    }),
    'waste.report': () => ({
      from: 0,
      all: tally,
      sources: [{ ...tally, source: 'shop', advice: [{ code: 'ask_less', text: hostile }] }],
      targets: [],
    }),
    'objective.report': () => ({ at: 0, all: fresh, sources: [], next: [], infeasible: [] }),
    'ticket.list': () => ({ tickets: [] }),
    'target.list': () => ({
      targets: [
        {
          target: 1,
          source: 'shop',
          url: 'https://shop.example/a',
          key: 'https://shop.example',
          status: 'active',
          projects: ['lamp'],
          isRunning: true,
          priority: 1,
          scrapes: 1,
          discovered: 1,
        },
      ],
    }),
    'host.list': ({ key }) => ({
      hosts: [
        { key: key ?? '', sources: [], waiting: 2, next: [], open: 0, delayMs: 1_500, failures: 0, backOffStep: 3 },
      ],
    }),
    ...more,
  };
}

async function pageOf(t: TestContext, path: string, view?: Partial<SourceView>, more?: Partial<Handlers>) {
  const { ask } = await serveHttp(t, withShop(view, more));
  const { status, text } = await ask(path);
  assert.equal(status, 200, text);
  return text;
}

describe('the list of sources', () => {
  test('tells the state, the pulse and the trouble of each', async (t) => {
    const text = await pageOf(t, '/sources', {
      session: { code: 'login_attempts', message: hostile },
      circuit: { state: 'open', times: 2 },
      problems: [{ file: 'shop.yaml', line: 3, column: 5, path: 'records', message: hostile }],
    });
    for (const told of ['href="sources/shop"', 'login attempts', 'circuit open', '1 problem', '30s'])
      assert.ok(text.includes(told), told);
    assert.ok(!text.includes('<script>alert'));
    assert.ok(!text.includes('\u202E'));
  });

  test('is searched by ids and names', async (t) => {
    assert.match(await pageOf(t, '/sources?source=SHO'), /href="sources\/shop"/);
    assert.match(await pageOf(t, '/sources?source=other'), /No source is found/);
  });
});

describe('the page of a source', () => {
  test('does not wait for what is counted over all its targets', { timeout: 20_000 }, async (t) => {
    const never = () => new Promise<never>(() => {});
    const text = await pageOf(t, '/sources/shop', {}, { 'waste.report': never, 'objective.report': never });
    for (const told of ['Not all is counted yet', 'https://shop.example']) assert.ok(text.includes(told), told);
    assert.ok(!text.includes('not modified'));
  });

  test('shows the hosts of its targets by their keys, each once', async (t) => {
    const asked: unknown[] = [];
    const target = { target: 1, source: 'shop', url: 'https://a.example/1', key: 'shops', status: 'active' as const };
    const counts = { projects: ['lamp'], isRunning: true, priority: 1, scrapes: 1, discovered: 1 };
    const text = await pageOf(
      t,
      '/sources/shop',
      {},
      {
        'target.list': () => ({
          targets: [
            { ...target, ...counts },
            { ...target, ...counts, target: 2, url: 'https://b.example/2' },
            { ...target, ...counts, target: 3, key: 'others' },
          ],
        }),
        'host.list': ({ key = '' }) => {
          asked.push(key);
          return { hosts: [{ key, sources: [], waiting: 2, next: [], open: 0, failures: 0, backOffStep: 0 }] };
        },
      },
    );
    assert.deepEqual(asked, ['shops', 'others']);
    const links = load(text)('#hosts tbody a').toArray();
    assert.deepEqual(
      links.map((link) => load(link)('a').attr('href')),
      ['hosts/shops', 'hosts/others'],
    );
  });

  test('says by which clock each outcome was', async (t) => {
    assert.match(await pageOf(t, '/sources/shop'), /<title>7: changed, 1970-01-01 00:00:01 UTC<\/title>/);
  });

  test('tells how it does, what its host allows, and what its definition says', async (t) => {
    const text = await pageOf(t, '/sources/shop');
    for (const told of [
      '1 changed, 1 failed',
      '1 not modified',
      'https://shop.example',
      '1.5s',
      'step 3',
      'id: shop #',
    ])
      assert.ok(text.includes(told), told);
    assert.ok(!text.includes('<script>alert'));
    assert.ok(!text.includes('\u202E'));
  });

  test('shows the problems of its file with line and column', async (t) => {
    const problem = {
      file: '/x/sources/shop.yaml',
      line: 3,
      column: 5,
      path: 'records.card',
      message: 'expected a key',
    };
    const text = await pageOf(t, '/sources/shop', { status: 'definition_error', problems: [problem] });
    assert.match(text, /shop\.yaml<\/bdi>:3:5/);
    assert.match(text, /expected a key/);
  });

  test('shows how an earlier version differs from the one in use', async (t) => {
    const text = await pageOf(t, '/sources/shop?version=old-version');
    const lines = load(text)('.diff');
    assert.match(lines.find('del').text(), /^\s*- {3}"key": "name"\s*$/);
    assert.match(lines.find('ins').text(), /^\s*\+ {3}"key": "sku"\s*$/);
  });

  test('shows the text of its file with a mark for each character that hides', async (t) => {
    assert.match(await pageOf(t, '/sources/shop'), /id: shop # [^\n]*\uFFFDabc\n/);
  });

  test('has a form that pulses at once, unless a round is under way', async (t) => {
    assert.match(await pageOf(t, '/sources/shop'), /action="act\/source\.pulse"/);
    const running = { everyMs: 30_000, running: true } as const;
    assert.doesNotMatch(await pageOf(t, '/sources/shop', { pulse: running }), /action="act\/source\.pulse"/);
  });

  test('of a source that there is not says so', async (t) => {
    const { ask } = await serveHttp(t, {
      'source.get': () => {
        throw new ControlError('not_found', 'no source "none"');
      },
    });
    const { status, text } = await ask('/sources/none');
    assert.equal(status, 404);
    assert.match(text, /no source &quot;none&quot;/);
  });
});
