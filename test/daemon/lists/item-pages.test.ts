import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { startDaemon, startDaemonIn, type TestDaemon } from '../../support/daemon.ts';
import { openSite, type Site } from '../../support/site.ts';
import { run } from '../../cli/terminal.ts';
import { startAt, startTimed, type TimedDaemon } from '../passing.ts';
import { hold, soon } from '../tracking.ts';
import { again, answerBy, type Ended, recordsOf, trackList } from './listing.ts';

/** A list of products whose names lead to pages with a price. */
function shopSource(more = '', page = ''): string {
  return `id: list
allowPrivate: true
robots: ignore
retry: { times: 0 }
politeness: { autoThrottle: false, delay: 1ms, minDelay: 1ms }
${more}
records:
  article:
    key: sku
    each: li
    fields: { sku: '@id', title: a }
    page:
      url: a
      ${page}
      fields: { price: { css: .price, type: number, required: true }, sold: { css: .sold, type: integer } }
`;
}

const minute = 60_000;
const hour = 60 * minute;

interface Item {
  readonly id: string;
  readonly title: string;
  /** The page that it leads to. Default: one of its own. */
  readonly page?: string;
}

const listPage = (items: readonly Item[], next = ''): string =>
  `<ul>${items.map(({ id, title, page = id }) => `<li id="${id}"><a href="/p/${page}#top">${title}</a></li>`).join('')}</ul>${next}`;
const itemPage = (price: number | string, sold: number | string = 1): string =>
  `<b class="price">${price}</b><i class="sold">${sold}</i>`;

/** A site with a list of items, each with a page. */
async function openShop(t: TestContext, ...ids: readonly string[]): Promise<Site> {
  const site = await openSite(t, { '/list': listPage(ids.map((id) => ({ id, title: `Title ${id}` }))) });
  for (const [index, id] of ids.entries()) site.answer(`/p/${id}`, itemPage(index + 1));
  return site;
}

async function listed(
  t: TestContext,
  site: Site,
  source = shopSource(),
): Promise<TestDaemon & { readonly first: Ended }> {
  const daemon = await startDaemon(t, { sources: { list: source }, settings: soon });
  return { ...daemon, first: await trackList(daemon, site, '/list') };
}

async function valuesOf(daemon: TestDaemon): Promise<Record<string, Record<string, unknown>>> {
  const entries = [...(await recordsOf(daemon.client))].map(([key, { fields }]) => [
    key,
    Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value])),
  ]);
  return Object.fromEntries(entries) as Record<string, Record<string, unknown>>;
}

describe('a list whose items lead to pages', () => {
  test('gives one record of both, and asks for the page of an item again once the item has changed', async (t) => {
    const site = await openShop(t, 'a', 'b');
    const daemon = await listed(t, site);
    assert.deepEqual(daemon.first.asked, ['/list', '/p/a', '/p/b']);
    assert.deepEqual(
      [daemon.first.scrape.status, daemon.first.scrape.counts],
      ['complete', { added: 2, changed: 0, confirmed: 0 }],
    );
    assert.deepEqual(await valuesOf(daemon), {
      a: { sku: 'a', title: 'Title a', price: 1, sold: 1 },
      b: { sku: 'b', title: 'Title b', price: 2, sold: 1 },
    });
    const record = (await recordsOf(daemon.client)).get('a');
    assert.deepEqual([record?.url, record?.page?.url], [site.url('/list'), site.url('/p/a')]);
    const { changes: history } = await daemon.client.call('project.history', { id: 'all', key: 'a' });
    assert.deepEqual(history.map(({ kind, fields }) => [kind, Object.keys(fields)]).reverse(), [
      ['added', ['sku', 'title']],
      ['changed', ['price', 'sold']],
    ]);
    assert.deepEqual((await again(daemon, site)).asked, ['/list']);
    site.answer(
      '/list',
      listPage([
        { id: 'a', title: 'Other' },
        { id: 'b', title: 'Title b' },
        { id: 'c', title: 'C', page: 'a' },
      ]),
    );
    site.answer('/p/a', itemPage(9));
    const third = await again(daemon, site);
    assert.deepEqual(third.asked, ['/list', '/p/a']);
    assert.deepEqual([third.scrape.counts.added, third.scrape.counts.changed], [1, 2]);
    const { a, c } = await valuesOf(daemon);
    assert.deepEqual([a?.['title'], a?.['price'], c?.['price']], ['Other', 9, 9]);
    assert.deepEqual((await again(daemon, site, { full: true })).asked, ['/list', '/p/a', '/p/b']);
  });

  test('has what is still to be read told, and read by the next scrapes, also where the first visit is cut', async (t) => {
    const site = await openShop(t, 'a', 'b', 'c', 'd', 'e');
    const items = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, title: id }));
    answerBy(
      site,
      '/list',
      (query) => {
        const page = Number(query.get('page'));
        return listPage(items.slice(3 * page - 3, 3 * page));
      },
      'text/html',
    );
    const waits = hold(site, '/p/b');
    const source = shopSource('feed: { by: page }', 'maxPages: 3');
    const { client, folder, close } = await startDaemon(t, { sources: { list: source }, settings: soon });
    await client.call('project.add', { id: 'all', targets: [{ source: 'list', url: site.url('/list') }] });
    await waits;
    await close();
    site.answer('/p/b', itemPage(2));
    const before = site.asked.length;
    const restarted = await startDaemonIn(t, folder, { settings: soon });
    const { scrape = 0 } = await restarted.event(({ type }) => type === 'scrape.completed');
    const ended = await restarted.client.call('scrape.get', { scrape });
    // The list was read to its end before the cut, so that no more of it is read than what is new.
    const asked = site.asked.slice(before).map(({ path }) => path);
    assert.deepEqual([asked, ended.scrape.pagesLeft], [['/list?page=1', '/p/b', '/p/c', '/p/d'], 1]);
    const left = async () => (await restarted.client.call('project.get', { id: 'all' })).targets[0]?.pagesLeft;
    assert.equal(await left(), 1);
    const last = await again(restarted, site);
    assert.deepEqual(
      [last.asked, last.scrape.pagesLeft, await left()],
      [['/list?page=1', '/p/e'], undefined, undefined],
    );
    assert.deepEqual(
      Object.values(await valuesOf(restarted)).map(({ price }) => price),
      [1, 2, 3, 4, 5],
    );
  });

  test('is complete where the page of an item fails, which is told with its key and leaves its fields stale', async (t) => {
    const site = await openShop(t, 'a', 'b');
    const daemon = await listed(t, site);
    site.answer('/p/a', { status: 404 });
    site.answer('/p/b', '<p>Sold out</p>');
    site.answer('/list', listPage(['a', 'b'].map((id) => ({ id, title: 'New' }))));
    const { scrape } = await again(daemon, site);
    assert.deepEqual([scrape.status, scrape.pagesLeft, scrape.errors], ['complete', 2, 2]);
    assert.match((await run(['scrapes', '--project', 'all', '--socket', daemon.socket])).out, /complete with 2 errors/);
    assert.deepEqual(
      scrape.unparsed?.map(({ key, field, expected }) => [key, field, expected]),
      [
        ['a', 'page', 'a page that can be read, met not_found'],
        ['b', 'page', 'a page that can be read, met no_record'],
      ],
    );
    const values = Object.values(await valuesOf(daemon));
    assert.deepEqual(
      values.map(({ title, price }) => [title, price]),
      [
        ['New', 1],
        ['New', 2],
      ],
    );
    assert.deepEqual((await again(daemon, site)).asked, ['/list']);
  });

  test('has a ticket while most of the pages of its items fail', async (t) => {
    const ids = Array.from({ length: 10 }, (_, id) => `i${id}`);
    const site = await openShop(t, ...ids);
    for (const id of ids.slice(4)) site.answer(`/p/${id}`, { status: 302, headers: { location: '/list' } });
    const daemon = await listed(t, site);
    const { data } = await daemon.event(({ type }) => type === 'ticket.opened');
    assert.ok('symptoms' in data);
    assert.deepEqual(
      [daemon.first.scrape.status, data.symptoms],
      [
        'complete',
        [{ kind: 'pages', record: 'article', measure: 'unread', observed: 0.6, expected: { high: 0.5 }, of: 10 }],
      ],
    );
    for (const args of [['show', 'all'], ['why', 'all'], ['sources']])
      assert.match(
        (await run([...args, '--socket', daemon.socket])).out,
        /article: share of pages of items that could not be read 0\.6, usually at most 0\.5 \(of 10\)/,
      );
    assert.match((await run(['list', '--socket', daemon.socket])).out, /1 with tickets/);
    // What asks for none of them says nothing.
    await again(daemon, site);
    for (const id of ids) site.answer(`/p/${id}`, itemPage(1));
    for (const _ of [1, 2]) await again(daemon, site, { full: true });
    await daemon.event(({ type }) => type === 'ticket.resolved');
    // Its cause is told as `ticket.changed`, if it is found before the end.
    const told = daemon.events.filter(({ type }) => type.startsWith('ticket.') && type !== 'ticket.changed');
    assert.deepEqual(
      told.map(({ type }) => type),
      ['ticket.opened', 'ticket.resolved'],
    );
  });

  test('has a ticket once all pages of its items are answered by a challenge, after the fifth of which it asks for no more', async (t) => {
    const ids = Array.from({ length: 12 }, (_, id) => `i${id}`);
    const site = await openShop(t, ...ids);
    const body = '<!doctype html><title>Just a moment...</title><script>window._cf_chl_opt={}</script>';
    for (const id of ids) site.answer(`/p/${id}`, { headers: { 'content-type': 'text/html' }, body });
    const daemon = await listed(t, site);
    const { data } = await daemon.event(({ type }) => type === 'ticket.opened');
    assert.ok('symptoms' in data);
    const { kind, record, observed, of } = data.symptoms[0] ?? {};
    assert.deepEqual([daemon.first.scrape.status, daemon.first.asked.length], ['complete', 6]);
    assert.deepEqual([kind, record, observed, of], ['pages', 'article', 1, 5]);
    const told = await daemon.event(({ type }) => type === 'ticket.changed');
    assert.ok('symptoms' in told.data);
    assert.equal(told.data.cause?.kind, 'challenge');
  });

  test('has a ticket once a number is left empty on all pages of its items', async (t) => {
    const ids = Array.from({ length: 12 }, (_, id) => `i${id}`);
    const site = await openShop(t, ...ids);
    const daemon = await listed(t, site);
    for (let run = 0; run < 6; run += 1) await again(daemon, site, { full: true });
    for (const [index, id] of ids.entries()) site.answer(`/p/${id}`, itemPage(index + 1, ''));
    await again(daemon, site, { full: true });
    const { data } = await daemon.event(({ type }) => type === 'ticket.opened');
    assert.ok('symptoms' in data);
    const [{ kind, field, observed } = {}] = data.symptoms;
    assert.deepEqual([kind, field, observed], ['field', 'sold', 0]);
  });

  test('finds what it no longer shows missing, and then asks for its page no more', async (t) => {
    const site = await openShop(t, 'a', 'b', 'c');
    site.answer('/p/b', { status: 500 });
    const daemon = await listed(t, site, shopSource('feed: { by: link }'));
    assert.equal(daemon.first.scrape.pagesLeft, 1);
    site.answer('/list', listPage(['a', 'c'].map((id) => ({ id, title: `Title ${id}` }))));
    const first = await again(daemon, site, { full: true });
    assert.deepEqual([first.asked, first.scrape.counts.missing], [['/list', '/p/a', '/p/c'], 1]);
    const second = await again(daemon, site, { full: true });
    assert.deepEqual([second.scrape.counts.gone, second.scrape.pagesLeft], [1, undefined]);
  });
});

describe('pages of items', () => {
  const walks: readonly (readonly [name: string, more: string, list: readonly string[]])[] = [
    ['a crawl', 'crawl: { detail: [/list$], deny: [/p/] }', ['/list']],
    [
      'a register',
      'collect: { since: { record: article, fields: [added] }, start: 2020-01-01, window: 3000 }',
      ['/list?from=2020-01-01'],
    ],
  ];
  for (const [name, more, list] of walks)
    test(`are read behind ${name}, and those that were left by the next scrape`, async (t) => {
      const site = await openShop(t, 'a', 'b', 'c');
      const source = shopSource(more, 'maxPages: 2').replace(
        'title: a }',
        "title: a, added: { const: '2026-01-01', type: date } }",
      );
      const daemon = await listed(t, site, source);
      const pathOf = (path: string) => path.replace(/&.*/, '');
      assert.deepEqual(daemon.first.asked.map(pathOf), [...list, '/p/a', '/p/b']);
      assert.deepEqual([daemon.first.scrape.status, daemon.first.scrape.pagesLeft], ['complete', 1]);
      assert.deepEqual((await again(daemon, site)).asked.slice(-1), ['/p/c']);
      assert.deepEqual(
        Object.values(await valuesOf(daemon)).map(({ price }) => price),
        [1, 2, 3],
      );
    });
});

describe('the records of a list whose items lead to pages', () => {
  /** What was asked for after the first scrapes, by path, and when. */
  function later({ sent }: TimedDaemon): Map<string, number[]> {
    const asked = new Map<string, number[]>();
    for (const { url, at } of sent.filter((each) => each.at > startAt + minute)) {
      const { pathname } = new URL(url);
      asked.set(pathname, [...(asked.get(pathname) ?? []), at - startAt]);
    }
    return asked;
  }

  async function kept(t: TestContext, site: Site, objectives: string, more = 'feed: { by: link }\nevery: 1d') {
    const source = shopSource(`${more}\nobjectives: { ${objectives} }`);
    const timed = await startTimed(t, { sources: { list: source } });
    await timed.track('all', { source: 'list', url: site.url('/list') });
    await timed.pass(minute);
    return timed;
  }

  test('have an objective on a field of their pages kept by these pages alone, which may be unchanged', async (t) => {
    const site = await openShop(t, 'a', 'b');
    const etag = '"1"';
    let unmodified = 0;
    site.answer('/p/a', (request, response) => {
      response.statusCode = request.headers['if-none-match'] === etag ? 304 : 200;
      unmodified += Number(response.statusCode === 304);
      response.setHeader('etag', etag).setHeader('content-type', 'text/html');
      response.end(response.statusCode === 304 ? undefined : itemPage(1));
    });
    const timed = await kept(t, site, 'fields: { price: { errorAfter: 20m } }');
    await timed.pass(2 * hour);
    const asked = later(timed);
    assert.deepEqual([...asked.keys()].sort(), ['/p/a', '/p/b']);
    for (const times of asked.values()) assert.ok(times.length >= 6 && times.length <= 7, times.join(' '));
    assert.ok(timed.events.every(({ type }) => !type.startsWith('objective.')));
    assert.equal(unmodified, asked.get('/p/a')?.length);
    site.answer('/p/b', itemPage(7));
    await timed.pass(20 * minute);
    assert.deepEqual((await valuesOf(timed))['b'], { sku: 'b', title: 'Title b', price: 7, sold: 1 });
  });

  test('have an objective on a field of the list kept by the list alone', async (t) => {
    const timed = await kept(t, await openShop(t, 'a', 'b'), 'fields: { title: { errorAfter: 10m } }', 'every: 1d');
    await timed.pass(hour);
    assert.deepEqual([...later(timed).keys()], ['/list']);
  });

  test('are late as a whole while their own page cannot be had, though the list shows them', async (t) => {
    const site = await openShop(t, 'a', 'b');
    const timed = await kept(t, site, 'errorAfter: 30m', 'feed: { by: link }\nevery: 5m');
    site.answer('/p/a', { status: 500 });
    await timed.pass(hour);
    const asked = later(timed);
    // It is tried again after pauses that grow, and not after each sighting.
    assert.ok((asked.get('/p/a')?.length ?? 0) <= 10, asked.get('/p/a')?.join(' '));
    const [target] = (await timed.client.call('project.why', { id: 'all' })).targets;
    const { records } = target?.objectives[0] ?? {};
    assert.deepEqual([records?.count, records?.overdue, records?.missed.map(({ key }) => key)], [2, 1, ['a']]);
    const [told] = timed.events.filter(({ type }) => type === 'objective.error');
    assert.ok(told?.type === 'objective.error' && told.data.records?.oldest[0]?.key === 'a');
  });
});
