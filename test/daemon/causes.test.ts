import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { CauseKind } from '../../src/view/ticket.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { openSite, type Site } from '../support/site.ts';
import { isEnd } from './lists/listing.ts';
import { pluggedSource, startPlugged } from './plugins/plugging.ts';
import { nth, soon } from './tracking.ts';

const vault = { keep: 86_400_000, maxBytes: 1024 ** 2 };

const polite = `allowPrivate: true
robots: ignore
retry: { times: 0 }
politeness: { autoThrottle: false, delay: 1ms, minDelay: 1ms }`;

const fields = `        title: h1
        price: { css: .price, type: money }`;

/** A crawl of a shop, a list of it whose items lead to their pages, and one product by itself. */
const sources = {
  crawl: `id: crawl
${polite}
crawl: { detail: [/p/] }
records:
  product:
    key: sku
    fields:
        sku: .sku
${fields}
`,
  list: `id: list
${polite}
feed: { by: link }
records:
  product:
    key: sku
    each: li
    fields:
        sku: { attr: data-sku }
    page:
      url: { css: a, attr: href }
      fields:
${fields}
`,
  table: `id: table
${polite}
feed: { by: link }
records:
  product:
    key: sku
    each: li
    fields:
        sku: { attr: data-sku }
        name: a
`,
  shelves: `id: shelves
${polite}
crawl: { detail: [/p/], follow: [/c/] }
records:
  product:
    key: sku
    on: /p/
    fields:
        sku: { css: .sku, required: true }
${fields}
`,
  one: `id: one
${polite}
records:
  product:
    key: sku
    fields:
        sku: { css: .sku, required: true }
${fields}
`,
};

const numbers = Array.from({ length: 12 }, (_, number) => number + 1);

function product(number: number, { name = 'price', text = `EUR ${number}.50` } = {}): string {
  return `<!doctype html><title>Lamp ${number}</title><main class="item"><h1>Lamp ${number}</h1><p class="sku">S-${number}</p>
    <div class="offer"><b class="${name}">${text}</b></div><p class="text">Gives light for ${number} hours.</p></main>`;
}

const start = `<!doctype html><title>Lamps</title><ul>${numbers
  .map((number) => `<li data-sku="S-${number}"><a href="/p/${number}">Lamp ${number}</a></li>`)
  .join('')}</ul>`;

const wall = '<!doctype html><title>Before you continue</title><p>Accept all cookies to continue to the site.</p>';

interface Shop {
  readonly site: Site;
  readonly daemon: TestDaemon;
  /** Scrapes the shop again, with what is shown there by then; resolves with the cause of its ticket. */
  causeAfter(change: (site: Site) => void): Promise<readonly [kind: CauseKind | undefined, says: string]>;
}

/** A shop that was scraped once. */
async function scraped(
  t: TestContext,
  source: keyof typeof sources,
  path: string,
  show: (site: Site) => void = () => undefined,
): Promise<Shop> {
  const site = await openSite(t, { '/': start });
  for (const number of numbers) site.answer(`/p/${number}`, product(number));
  show(site);
  const daemon = await startDaemon(t, { sources: { [source]: sources[source] }, settings: soon, vault });
  await daemon.client.call('project.add', { id: 'shop', targets: [{ source, url: site.url(path) }] });
  await nth(1, 'scrape.completed', 'shop', daemon);
  return { site, daemon, causeAfter };

  async function causeAfter(change: (site: Site) => void): ReturnType<Shop['causeAfter']> {
    change(site);
    // Also the pages of items that have not changed.
    await daemon.client.call('project.rescrape', { id: 'shop', wish: { full: true } });
    const { data } = await nth(1, 'ticket.changed', 'shop', daemon);
    return [data.cause?.kind, data.cause?.says.join('; ') ?? ''];
  }
}

describe('the cause of what pages of a crawl or of items give', { concurrency: true }, () => {
  for (const source of ['crawl', 'list'] as const) {
    test(`is a rule that they have lost, and names one of them (${source})`, async (t) => {
      const { site, daemon, causeAfter } = await scraped(t, source, '/');
      const [kind] = await causeAfter(() => {
        for (const number of numbers) site.answer(`/p/${number}`, product(number, { name: 'cost' }));
      });
      assert.equal(kind, 'rule_lost');
      const { pages, cause, samples } = await daemon.client.call('ticket.get', { ticket: 1 });
      assert.deepEqual(cause?.rules, [{ record: 'product', field: 'price', place: '.price', before: 1, after: 0 }]);
      const [good, bad] = [pages?.good ?? '', pages?.bad ?? ''];
      const shown = await Promise.all([good, bad].map((digest) => daemon.client.call('page.get', { digest })));
      assert.equal(shown[0]?.page.url, shown[1]?.page.url);
      assert.match(shown[0]?.page.url ?? '', /\/p\/\d+$/);
      assert.deepEqual(pages?.urls, { good: shown[0]?.page.url, bad: shown[1]?.page.url });
      const [own, ...others] = samples;
      assert.deepEqual([own, others.length, others.includes(pages?.urls?.bad ?? '')], [site.url('/'), 4, true]);
      for (const sample of others) assert.match(sample, /\/p\/\d+$/);
    });

    test(`is a placeholder that stands on all of them, by what most of them show (${source})`, async (t) => {
      const { site, causeAfter } = await scraped(t, source, '/');
      const found = await causeAfter(() => {
        for (const number of numbers.slice(1)) site.answer(`/p/${number}`, product(number, { text: 'Loading…' }));
        site.answer('/p/1', product(1, { name: 'cost' }));
      });
      assert.deepEqual(found, ['placeholder', 'price says "Loading…" on 1 record']);
    });
  }

  test('is a wall in the place of the page where the crawl begins', async (t) => {
    const { causeAfter } = await scraped(t, 'crawl', '/');
    const [kind, says] = await causeAfter((site) => site.answer('/', wall));
    assert.deepEqual(
      [kind, says],
      ['cookie_wall', 'the page, "Before you continue", asks about cookies, and shows nothing else'],
    );
  });

  test('is a redirect to the start page that most of them have become', async (t) => {
    const { causeAfter } = await scraped(t, 'crawl', '/');
    const found = await causeAfter((site) => {
      for (const number of numbers) site.answer(`/p/${number}`, { status: 302, headers: { location: '/' }, body: '' });
    });
    assert.deepEqual(found, ['redirected_home', '12 of 13 requests of the run were redirected to the start page']);
  });

  test('is that the page where the crawl begins leads to fewer pages', async (t) => {
    const { causeAfter } = await scraped(t, 'crawl', '/');
    const few = start.replace(/(<li.*?<\/li>){9}/, '');
    const [kind, says] = await causeAfter((site) => site.answer('/', few));
    assert.deepEqual([kind, says], ['items_cut', 'the page has 3 links, where there were 12']);
  });

  test('is how most requests for them failed, where no page came', async (t) => {
    const { causeAfter } = await scraped(t, 'list', '/');
    const [kind, says] = await causeAfter((site) => {
      for (const number of numbers) site.answer(`/p/${number}`, { status: 404, body: 'Not found' });
    });
    assert.equal(kind, 'soft_404');
    assert.match(says, /^12 of 12 requests of the run failed: .*404/);
  });
});

describe('the cause of records that are missing from a list', { concurrency: true }, () => {
  test('is that they were cut, also where half of them are left', async (t) => {
    const { daemon, causeAfter } = await scraped(t, 'table', '/');
    const half = start.replace(/(<li.*?<\/li>){6}/, '');
    const [kind, says] = await causeAfter((site) => site.answer('/', half));
    assert.equal(kind, 'items_cut');
    assert.match(says, /^product: 6 places, where there were 12;/);
    const { pages } = await daemon.client.call('ticket.get', { ticket: 1 });
    assert.ok(pages?.good !== undefined && pages.bad !== undefined);
  });

  test('is a redirect to a start page that shows a few of them as well', async (t) => {
    const { site, daemon, causeAfter } = await scraped(t, 'table', '/list', (shop) => shop.answer('/list', start));
    const few = `<!doctype html><title>Welcome</title><h1>Welcome</h1>${start.replace(/(<li.*?<\/li>){9}/, '')}`;
    site.answer('/home', few);
    const [kind, says] = await causeAfter(() =>
      site.answer('/list', { status: 302, headers: { location: '/home' }, body: '' }),
    );
    assert.deepEqual([kind, says], ['redirected_home', 'the request for /list was redirected to the start page']);
    const { pages } = await daemon.client.call('ticket.get', { ticket: 1 });
    const shown = await daemon.client.call('page.get', { digest: pages?.bad ?? '' });
    assert.equal(shown.page.url, site.url('/home'));
    assert.deepEqual(pages?.urls, { good: site.url('/list'), bad: site.url('/home') });
  });
});

describe('the cause of records that a crawl no longer finds', { concurrency: true }, () => {
  const shelf = (numbers: readonly number[]) =>
    `<!doctype html><title>Shelf</title><h1>Shelf</h1><ul>${numbers.map((number) => `<li><a href="/p/${number}">Lamp ${number}</a>`).join('')}</ul>`;
  const shelves = (site: Site, left: number) => {
    site.answer('/c/1', shelf(numbers.slice(0, left)));
    site.answer('/c/2', shelf(numbers.slice(6, 6 + left)));
  };
  const scrapedShelves = async (t: TestContext) =>
    scraped(t, 'shelves', '/', (site) => {
      site.answer('/', '<!doctype html><title>Shop</title><h1>Shop</h1><a href="/c/1">One</a> <a href="/c/2">Two</a>');
      shelves(site, 6);
    });

  for (const left of [3, 0])
    test(`is that the pages that led to them lead to ${left} of 6 each`, async (t) => {
      const { causeAfter } = await scrapedShelves(t);
      const [kind, says] = await causeAfter((site) => shelves(site, left));
      assert.deepEqual(
        [kind, says],
        [
          'items_cut',
          left === 0
            ? 'the page has 0 links, where there were 6'
            : 'no page of the crawl leads to the pages of 6 of 6 records that are missing',
        ],
      );
    });

  test('is a wall in the place of the pages that led to them', async (t) => {
    const { causeAfter } = await scrapedShelves(t);
    const [kind] = await causeAfter((site) => {
      for (const path of ['/c/1', '/c/2']) site.answer(path, wall);
    });
    assert.equal(kind, 'cookie_wall');
  });

  test('is a page that says that there is nothing, in place of all of them', async (t) => {
    const { causeAfter } = await scrapedShelves(t);
    const [kind] = await causeAfter((site) => {
      const nothing =
        '<!doctype html><title>Page not found</title><h1>Page not found</h1><p>Sorry, it does not exist.</p>';
      for (const path of ['/', '/c/1', '/c/2', ...numbers.map((number) => `/p/${number}`)]) site.answer(path, nothing);
    });
    assert.equal(kind, 'soft_404');
  });
});

const listed = `id: lamps
${polite}
records:
  product:
    key: sku
    each: li
    fields:
        sku: { attr: data-sku }
        title: h1
        price: { css: .price, type: money }
        state: .state
`;

const paths = ['/a', '/b', '/c'];

/** A list of twelve lamps, those of each path with keys of their own. */
const lamps = (path: string, change: (item: string) => string = (item) => item): string =>
  `<!doctype html><title>Lamps</title><ul>${numbers
    .map((number) => `<h1>Lamp ${number}</h1><b class="price">EUR ${number}.50</b><i class="state">${number} left</i>`)
    .map((item, at) => `<li data-sku="${path}-${at}">${change(item)}</li>`)
    .join('')}</ul>`;

const renamed = (item: string): string => item.replace('price', 'cost');
const loading = (item: string): string => item.replace(/EUR [\d.]+|\d+ left/g, 'Loading…');

/** Three lists of lamps, which have been scraped once. */
async function scrapedLamps(t: TestContext) {
  const site = await openSite(t, Object.fromEntries(paths.map((path) => [path, lamps(path)])));
  const daemon = await startDaemon(t, { sources: { lamps: listed }, settings: soon, vault });
  const targets = paths.map((path) => ({ source: 'lamps', url: site.url(path) }));
  await daemon.client.call('project.add', { id: 'shop', targets });
  let scrapes = paths.length;
  await nth(scrapes, 'scrape.completed', 'shop', daemon);
  /** Scrapes all lists again, with what these show by then. */
  const show = async (on: readonly string[], change?: (item: string) => string): Promise<void> => {
    for (const path of on) site.answer(path, lamps(path, change));
    await daemon.client.call('project.rescrape', { id: 'shop' });
    await nth((scrapes += paths.length), 'scrape.completed', 'shop', daemon);
  };
  /** The next cause that is told after an event. */
  const causeAfter = async (last: number) => {
    const { data } = await daemon.event(
      ({ id, type, data: of }) => id > last && type === 'ticket.changed' && 'change' in of && of.change === 'cause',
    );
    return 'symptoms' in data ? data.cause?.kind : undefined;
  };
  return { ...daemon, show, causeAfter };
}

test('a ticket that is reopened by another fault has the cause, pages and repairs of that one', async (t) => {
  const { client, event, events, show, causeAfter } = await scrapedLamps(t);
  await show(['/a'], loading);
  assert.equal(await causeAfter(0), 'placeholder');
  const first = await client.call('ticket.get', { ticket: 1 });
  for (const _ of [1, 2]) await show(['/a']);
  const over = await event(({ type }) => type === 'ticket.resolved');
  await show(['/b'], renamed);
  assert.equal(await causeAfter(over.id), 'rule_lost');
  await event(({ id, data }) => id > over.id && 'change' in data && data.change === 'proposed');
  const view = await client.call('ticket.get', { ticket: 1 });
  assert.deepEqual([view.reopened, view.symptoms.map(({ kind }) => kind), view.targets], [1, ['field'], 1]);
  assert.notDeepEqual([view.pages?.bad, view.scrape], [first.pages?.bad, first.scrape]);
  assert.equal(events.filter(({ type }) => type === 'ticket.opened').length, 1);
});

describe('the next ticket on the same page', () => {
  /** Ends the first ticket on a page without a price as a person does; resolves with the second one once its cause is told. */
  async function second(
    t: TestContext,
    end: 'ticket.resolve' | 'ticket.accept',
    between: readonly string[],
    then: string,
  ) {
    const { site, daemon, causeAfter } = await scraped(t, 'one', '/p/1');
    const { client, event, events } = daemon;
    await causeAfter(() => site.answer('/p/1', product(1, { text: '' })));
    await client.call(end, { ticket: 1 });
    for (const page of [...between, then]) {
      const scrapes = events.filter(({ type }) => type === 'scrape.completed').length;
      site.answer('/p/1', page);
      await client.call('project.rescrape', { id: 'shop' });
      await nth(scrapes + 1, 'scrape.completed', 'shop', daemon);
    }
    await event(({ type, data }) => type === 'ticket.changed' && data.ticket === 2 && data.change === 'cause');
    const { cause, pages } = await client.call('ticket.get', { ticket: 2 });
    const textOf = async (digest = '') => {
      const { body } = await client.call('page.get', { digest });
      return Buffer.from(body, 'base64').toString();
    };
    return { cause: cause?.kind, good: await textOf(pages?.good), bad: await textOf(pages?.bad) };
  }

  test('has its own first bad page, where none was good since the first one', async (t) => {
    const renamed = product(1, { name: 'cost' });
    assert.deepEqual(await second(t, 'ticket.resolve', [], renamed), {
      cause: 'rule_lost',
      good: product(1),
      bad: renamed,
    });
  });

  test('has its own last good page, where what the first one showed was accepted', async (t) => {
    const accepted = product(1, { text: '' });
    const other = accepted.replaceAll('h1', 'h2');
    const found = await second(t, 'ticket.accept', [accepted, accepted], other);
    assert.deepEqual(found, { cause: 'rule_lost', good: accepted, bad: other });
  });
});

test('a ticket that gets a further symptom is looked at again', async (t) => {
  const { event, show, causeAfter } = await scrapedLamps(t);
  await show(['/a'], renamed);
  assert.equal(await causeAfter(0), 'rule_lost');
  await show(['/b', '/c'], loading);
  const { id } = await event(({ data }) => 'change' in data && data.change === 'symptoms');
  assert.equal(await causeAfter(id), 'placeholder');
});

test('the cause of a page that is not there is the redirect to the start page, which no page of its own shows', async (t) => {
  const { causeAfter } = await scraped(t, 'one', '/p/1');
  const [kind, says] = await causeAfter((site) =>
    site.answer('/p/1', { status: 302, headers: { location: '/' }, body: '' }),
  );
  assert.deepEqual([kind, says], ['redirected_home', 'the request for /p/1 was redirected to the start page']);
});

test('the cause of what a page gives is found beside the last page of the known record, not of another one that it showed before', async (t) => {
  const { site, daemon, causeAfter } = await scraped(t, 'one', '/p/1');
  for (const [count, number] of [
    [2, 2],
    [3, 1],
  ] as const) {
    site.answer('/p/1', `${product(number)}<p>seen ${count} times</p>`);
    await daemon.client.call('project.rescrape', { id: 'shop', wish: { full: true } });
    await nth(count, 'scrape.completed', 'shop', daemon);
  }
  const found = await causeAfter(() => site.answer('/p/1', product(1, { text: 'Loading…' })));
  assert.deepEqual(found, ['placeholder', 'price says "Loading…" on 1 record']);
});

test('a wall in place of a page that a plug-in reads is recognised by the two pages alone', async (t) => {
  const plugin = `import { defineProvider } from 'heronry/provider';

export default defineProvider({
  request: ({ url }) => ({ url }),
  read(page) {
    const ids = [...page.text.matchAll(/<li>(\\w+)/g)];
    return { drafts: ids.map(([, id]) => ({ type: 'trial', fields: { id, title: id } })) };
  },
});
`;
  const site = await openSite(t, { '/trials': '<!doctype html><ul><li>a<li>b<li>c</ul>' });
  const daemon = await startPlugged(
    t,
    { 'trials.ts': plugin },
    { sources: { trials: pluggedSource('trials') }, vault },
  );
  await daemon.track('trials', { url: site.url('/trials') });
  site.answer('/trials', wall);
  await daemon.client.call('project.rescrape', { id: 'trials' });
  await daemon.event((event) => isEnd(event) && event.scrape === 2);
  const { data } = await nth(1, 'ticket.changed', 'trials', daemon);
  assert.equal(data.cause?.kind, 'cookie_wall');
});
