import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { startDaemon, type TestDaemon } from '../../support/daemon.ts';
import { openSite, type Site } from '../../support/site.ts';
import { run } from '../../cli/terminal.ts';
import { soon } from '../tracking.ts';
import { startTimed } from '../passing.ts';
import { again, answerBy, type Item, itemsOf, json, listSource, recordsOf, trackList } from './listing.ts';

interface Shown {
  readonly daemon: TestDaemon;
  readonly site: Site;
  /** The list, the newest item first; a test puts more before. */
  readonly items: Item[];
}

const byPage = 'feed: { by: page, size: { param: limit, first: 10, later: 4 } }';

/** A daemon, and a site that shows a list in pages of the size that it is asked for. */
async function listed(t: TestContext, count: number, feed = byPage): Promise<Shown> {
  const site = await openSite(t);
  const items = itemsOf(0, count);
  answerBy(site, '/list', (query) => {
    const size = Number(query.get('limit') ?? 4);
    const first = (Number(query.get('page') ?? 1) - 1) * size;
    return { items: items.slice(first, first + size) };
  });
  const daemon = await startDaemon(t, { sources: { list: listSource(feed) }, settings: soon });
  return { daemon, site, items };
}

function publish(items: Item[], ...ids: readonly string[]): void {
  items.unshift(...ids.map((id) => ({ id, title: 'new' })));
}

describe('a list that is scraped for the first time', () => {
  test('is read to its end in large pages, however many (J43, J44)', async (t) => {
    const { daemon, site } = await listed(t, 75);
    const { scrape, asked } = await trackList(daemon, site, '/list');
    assert.deepEqual(
      asked,
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((page) => `/list?limit=10&page=${page}`),
    );
    assert.deepEqual([scrape.status, scrape.endReason, scrape.counts.added], ['complete', 'empty', 75]);
  });

  test('keeps what the pages before a failure gave, and goes on with the last of them the next time (J59)', async (t) => {
    const { daemon, site } = await listed(t, 45);
    let fails = true;
    answerBy(site, '/list', (query) => {
      const page = Number(query.get('page'));
      return fails && page === 3 ? 500 : { items: itemsOf((page - 1) * 10, page < 6 ? 10 : 0) };
    });
    const failed = await trackList(daemon, site, '/list');
    assert.deepEqual([failed.scrape.status, failed.scrape.counts.added], ['failed', 20]);
    assert.equal((await recordsOf(daemon.client)).size, 20);
    assert.equal(daemon.events.filter(({ type }) => type === 'record.added').length, 20);
    fails = false;
    const { scrape, asked } = await again(daemon, site);
    assert.deepEqual([scrape.status, scrape.counts], ['complete', { added: 30, changed: 0, confirmed: 10 }]);
    assert.deepEqual(
      asked,
      [2, 3, 4, 5, 6, 7].map((page) => `/list?limit=10&page=${page}`),
    );
  });

  for (const [by, behind] of [
    ['page', 'empty'],
    ['page', 404],
    ['offset', 'empty'],
    ['offset', 404],
  ] as const)
    test(`fails at a page that holds nothing before others (${behind}), and loses none of them (by ${by})`, async (t) => {
      const site = await openSite(t);
      const items = itemsOf(0, 60);
      let isBroken = true;
      answerBy(site, '/list', (query) => {
        const from = by === 'offset' ? Number(query.get('offset')) : (Number(query.get('page')) - 1) * 10;
        const isNone = from >= items.length || (isBroken && from === 20);
        if (isNone && behind === 404) return 404;
        return { items: isNone ? [] : items.slice(from, from + 10) };
      });
      const daemon = await startDaemon(t, { sources: { list: listSource(`feed: { by: ${by} }`) }, settings: soon });
      const failed = await trackList(daemon, site, '/list');
      assert.deepEqual([failed.scrape.status, failed.scrape.failure?.code], ['failed', 'empty_page']);
      assert.match(failed.scrape.failure?.message ?? '', /^page 3 has no item, though page 4 behind it has items$/);
      isBroken = false;
      const whole = await again(daemon, site);
      assert.deepEqual([whole.scrape.status, whole.scrape.counts.added, whole.asked.length], ['complete', 40, 7]);
      const records = [...(await recordsOf(daemon.client)).values()].sort(
        (one, other) => other.sequence - one.sequence,
      );
      assert.deepEqual(
        records.map(({ key }) => key),
        items.map(({ id }) => id),
      );
    });

  test('gives the newest item the highest sequence, over all pages and all scrapes (J79)', async (t) => {
    const { daemon, site, items } = await listed(t, 25);
    await trackList(daemon, site, '/list');
    publish(items, 'n1', 'n0');
    await again(daemon, site);
    const records = [...(await recordsOf(daemon.client)).values()].sort((a, b) => b.sequence - a.sequence);
    assert.deepEqual(
      records.map(({ key }) => key),
      items.map(({ id }) => id),
    );
  });

  test('has the number, the status and the time of each page in its run log (J80)', async (t) => {
    const { daemon, site } = await listed(t, 15);
    const { steps } = await trackList(daemon, site, '/list');
    assert.deepEqual(
      steps.map(({ step, page, status, counts }) => [step, page, status, counts.added]),
      [
        [1, 1, 200, 10],
        [2, 2, 200, 5],
        [3, 3, 200, 0],
        [4, 4, 200, 0],
      ],
    );
    assert.ok(steps.every(({ elapsedMs, bytes }) => elapsedMs > 0 && bytes > 0));
  });
});

describe('a list that is scraped again', () => {
  test('is read to the page with something known, in small pages, and what is new there is told (J43, J45)', async (t) => {
    const { daemon, site, items } = await listed(t, 30);
    await trackList(daemon, site, '/list');
    publish(items, 'a', 'b', 'c', 'd', 'e');
    const { scrape, asked } = await again(daemon, site);
    assert.deepEqual(asked, ['/list?limit=4&page=1', '/list?limit=4&page=2']);
    assert.deepEqual([scrape.endReason, scrape.counts.added], ['known', 5]);
    const told = daemon.events.filter((event) => event.type === 'record.added');
    assert.deepEqual(
      told.filter((event) => event.scrape === scrape.scrape).map(({ data }) => data.key),
      ['a', 'b', 'c', 'd', 'e'],
    );
  });

  test('takes one request when there is nothing new (J46)', async (t) => {
    const { daemon, site } = await listed(t, 30);
    await trackList(daemon, site, '/list');
    assert.deepEqual((await again(daemon, site)).asked, ['/list?limit=4&page=1']);
  });

  test('is cut at its limit of pages, which is told; the scrapes behind it read what is left until nothing is (J47)', async (t) => {
    const { daemon, site, items } = await listed(t, 5);
    await trackList(daemon, site, '/list');
    publish(items, ...Array.from({ length: 50 }, (_, index) => `n${index}`));
    const { scrape, asked } = await again(daemon, site);
    assert.deepEqual([asked.length, scrape.status, scrape.endReason], [5, 'complete', 'page_limit']);
    const gap = await daemon.event(({ type }) => type === 'scrape.gap');
    assert.deepEqual([gap.scrape, gap.data], [scrape.scrape, { pages: 5, url: site.url('/list?limit=4&page=5') }]);
    const left = async () => (await daemon.client.call('project.get', { id: 'all' })).targets[0]?.gaps;
    assert.deepEqual(
      (await left())?.map(({ page }) => page),
      [5],
    );
    const why = await daemon.client.call('project.why', { id: 'all' });
    assert.deepEqual(why.targets[0]?.gaps, await left());
    // What is new meanwhile comes first, and moves what is left to later pages.
    publish(items, 'm1', 'm2', 'm3');
    const second = await again(daemon, site);
    assert.deepEqual([second.asked.length, second.scrape.endReason], [6, 'catching_up']);
    assert.deepEqual(second.asked.slice(1, 3), ['/list?limit=4&page=5', '/list?limit=4&page=6']);
    const third = await again(daemon, site);
    assert.deepEqual([third.scrape.endReason, (await left())?.map(({ page }) => page)], ['catching_up', [13]]);
    const last = await again(daemon, site);
    assert.deepEqual([last.scrape.endReason, await left()], ['known', undefined]);
    const records = [...(await recordsOf(daemon.client)).values()].sort((one, other) => other.sequence - one.sequence);
    assert.deepEqual(
      records.map(({ key }) => key),
      items.map(({ id }) => id),
    );
    assert.equal((await again(daemon, site)).asked.length, 1);
  });

  test('has all of 30 posts that came at once, two on a page, after the scrapes that follow, and says until then that some are missing', async (t) => {
    const { daemon, site, items } = await listed(
      t,
      6,
      'feed: { by: page, size: { param: limit, first: 2, later: 2 } }',
    );
    await trackList(daemon, site, '/list');
    publish(items, ...Array.from({ length: 30 }, (_, index) => `n${index}`));
    const shown = async (...args: readonly string[]) => (await run([...args, '--socket', daemon.socket])).out;
    const found: number[] = [];
    do {
      const { scrape } = await again(daemon, site);
      found.push(scrape.counts.added);
      const isCut = (await recordsOf(daemon.client)).size < items.length;
      assert.equal(scrape.endReason, !isCut ? 'known' : found.length === 1 ? 'page_limit' : 'catching_up');
      for (const command of ['show', 'why'])
        assert.equal(
          /left out +what lay behind page \d+ of the list/.test(await shown(command, 'all')),
          isCut,
          command,
        );
    } while (found.length < 10 && (await recordsOf(daemon.client)).size < items.length);
    t.diagnostic(`new posts by scrape: ${found.join(', ')}`);
    assert.deepEqual(new Set((await recordsOf(daemon.client)).keys()), new Set(items.map(({ id }) => id)));
    assert.deepEqual(
      daemon.events.filter(({ type }) => type === 'scrape.gap').map(({ data }) => data),
      [{ pages: 5, url: site.url('/list?limit=2&page=5') }],
    );
    assert.equal((await again(daemon, site)).asked.length, 1);
  });

  test('of one page is whole by a feed whose pages lead no further, and may be a part without a feed', async (t) => {
    for (const feed of ['feed: { by: link }', '']) {
      const { daemon, site, items } = await listed(t, 4, feed);
      await trackList(daemon, site, '/list');
      items.shift();
      const { scrape } = await again(daemon, site);
      assert.deepEqual([scrape.status, scrape.counts.missing], ['complete', feed === '' ? undefined : 1], feed);
    }
  });

  test('is read on past what is known once an hour, for so many pages or to its end (`revisit`)', async (t) => {
    const site = await openSite(t);
    const items = itemsOf(0, 12);
    for (const path of ['/some', '/all'])
      answerBy(site, path, (query) => {
        const first = (Number(query.get('page') ?? 1) - 1) * 4;
        return { items: items.slice(first, first + 4) };
      });
    const definition = (id: string, revisit: string) =>
      listSource(`every: 20m\nfeed: { by: page, revisit: ${revisit} }`).replace('id: list', `id: ${id}`);
    const sources = { some: definition('some', '{ every: 1h, pages: 2 }'), all: definition('all', '{ every: 1h }') };
    const daemon = await startTimed(t, { sources });
    await daemon.track('p', ...['some', 'all'].map((source) => ({ source, url: site.url(`/${source}`) })));
    await daemon.pass(60_000);
    // One on the second page, one on the third, and the last one, which leaves the list.
    items[5] = { id: 'i5', title: 'changed' };
    items[9] = { id: 'i9', title: 'changed' };
    items.pop();
    const pass = async (minutes: number) => {
      const before = site.asked.length;
      await daemon.pass(minutes * 60_000);
      const paths = site.asked.slice(before).map(({ path }) => path);
      return ['/some', '/all'].map((path) => paths.filter((asked) => asked.startsWith(path)).length);
    };
    assert.deepEqual(await pass(20), [1, 1]);
    const known = daemon.events.length;
    // Two visits end with what is known on the first page; a list without an end of its own is asked for two empty pages.
    assert.deepEqual(await pass(60), [2 + 2, 2 + 5]);
    const told = daemon.events
      .slice(known)
      .flatMap(({ type, source, data }) =>
        type === 'record.changed' || type === 'record.missing' ? [`${source} ${type} ${data.key}`] : [],
      );
    assert.deepEqual(
      told.toSorted((one, other) => one.localeCompare(other)),
      ['all record.changed i5', 'all record.changed i9', 'all record.missing i11', 'some record.changed i5'],
    );
  });

  test('that was read whole has what it no longer shows missing, and then gone', async (t) => {
    const { daemon, site, items } = await listed(t, 10);
    await trackList(daemon, site, '/list');
    const [left] = items.splice(6, 1);
    const first = await again(daemon, site, { full: true });
    assert.deepEqual([first.scrape.counts.missing, first.scrape.counts.gone], [1, undefined]);
    const second = await again(daemon, site, { full: true });
    assert.deepEqual([second.scrape.counts.missing, second.scrape.counts.gone], [undefined, 1]);
    const told = daemon.events.filter(({ type }) => type === 'record.missing' || type === 'record.gone');
    assert.deepEqual(
      told.map(({ type, data }) => [type, 'key' in data && data.key]),
      [
        ['record.missing', left?.['id']],
        ['record.gone', left?.['id']],
      ],
    );
  });

  test('that was a single page before is read to its end, as a list that is new', async (t) => {
    const { daemon, site } = await listed(t, 30);
    const definition = listSource('feed: { by: page, size: { param: limit, first: 10, later: 4 } }');
    await daemon.define('list', definition.replace(/feed: .*/, ''));
    await daemon.client.call('source.reload', {});
    await trackList(daemon, site, '/list');
    const few = (await recordsOf(daemon.client)).size;
    await daemon.define('list', definition);
    await daemon.client.call('source.reload', {});
    await again(daemon, site);
    assert.ok(few < 30);
    assert.equal((await recordsOf(daemon.client)).size, 30);
  });

  test('finds what is new behind items that are pinned (J48)', async (t) => {
    const { daemon, site, items } = await listed(t, 30);
    await trackList(daemon, site, '/list');
    const [pinned = {}] = items.splice(20, 1);
    publish(items, 'a', 'b', 'c', 'd', 'e');
    items.unshift(pinned);
    const { scrape } = await again(daemon, site);
    assert.deepEqual([scrape.counts.added, scrape.steps], [5, 2]);
  });

  test('knows items that have nothing but a text (J49)', async (t) => {
    const { daemon, site } = await listed(t, 0);
    answerBy(site, '/list', () => ({ items: [{ id: 'a' }, { id: 'b' }] }));
    await trackList(daemon, site, '/list');
    const { asked, scrape } = await again(daemon, site);
    assert.deepEqual([asked.length, scrape.endReason], [1, 'known']);
  });

  test('is read past what is known to its end when a person wants it (J52)', async (t) => {
    const { daemon, site } = await listed(t, 33);
    await trackList(daemon, site, '/list');
    const { scrape, asked } = await again(daemon, site, { full: true });
    assert.deepEqual([asked.length, scrape.counts.confirmed, scrape.wish], [11, 33, { full: true }]);
  });

  test('has an item under another address changed, not lost (J78)', async (t) => {
    const { daemon, site, items } = await listed(t, 0);
    items.push({ id: 'a', link: 'https://cdn.test/1?sig=x' }, { id: 'b', link: 'https://cdn.test/2?sig=x' });
    await trackList(daemon, site, '/list');
    items.splice(0, 1, { id: 'a', link: 'https://cdn.test/1?sig=y' });
    const { scrape } = await again(daemon, site);
    assert.deepEqual([scrape.status, scrape.counts], ['complete', { added: 0, changed: 1, confirmed: 1 }]);
    assert.equal((await recordsOf(daemon.client)).get('a')?.fields['link']?.value, 'https://cdn.test/1?sig=y');
  });

  test('is not read again while its first page has not changed', async (t) => {
    const site = await openSite(t);
    site.answer('/list', (request, response) => {
      const isSame = request.headers['if-none-match'] === '"1"';
      response.statusCode = isSame ? 304 : 200;
      response.setHeader('content-type', 'application/json').setHeader('etag', '"1"');
      response.end(isSame ? '' : JSON.stringify({ items: itemsOf(0, 3) }));
    });
    const daemon = await startDaemon(t, { sources: { list: listSource('feed: { by: link }') }, settings: soon });
    await trackList(daemon, site, '/list');
    const { scrape, steps } = await again(daemon, site);
    assert.deepEqual([scrape.endReason, steps[0]?.status, scrape.counts.confirmed], ['unmodified', 304, 3]);
  });
});

describe('a list goes on', () => {
  test('by a cursor that is handed back as it came (J50)', async (t) => {
    const { daemon, site } = await listed(t, 0, "feed: { by: cursor, param: after, next: { json: '$.next' } }");
    const cursor = 'a+b/c==&ü';
    answerBy(site, '/list', (query) =>
      query.get('after') === cursor ? { items: itemsOf(9, 1) } : { items: itemsOf(0, 2), next: cursor },
    );
    const { scrape, asked } = await trackList(daemon, site, '/list');
    assert.deepEqual([asked.length, scrape.endReason, scrape.counts.added], [2, 'end', 3]);
  });

  test('by its Link header (J50)', async (t) => {
    const { daemon, site } = await listed(t, 0, 'feed: { by: link }');
    site.answer('/list', json({ items: itemsOf(0, 2) }, { link: '</more>; rel="next"' }));
    site.answer('/more', json({ items: itemsOf(2, 2) }));
    const { scrape, asked } = await trackList(daemon, site, '/list');
    assert.deepEqual([asked, scrape.counts.added], [['/list', '/more'], 4]);
  });

  for (const [kind, given, expected] of [
    ['form', 'fields: { q: lamps }', ['q=lamps&page=1', 'q=lamps&page=2', 'q=lamps&page=3']],
    ['json', 'json: { q: lamps }', ['{"q":"lamps","page":1}', '{"q":"lamps","page":2}', '{"q":"lamps","page":3}']],
  ] as const)
    test(`by what the ${kind} of its request says (J50)`, async (t) => {
      const { daemon, site } = await listed(t, 0, `feed: { by: page, in: ${kind} }\nrequest: { ${given} }`);
      const bodies: string[] = [];
      site.answer('/list', (request, response) => {
        let body = '';
        request.on('data', (bytes: Buffer) => (body += bytes.toString()));
        request.on('end', () => {
          bodies.push(body);
          response.setHeader('content-type', 'application/json');
          response.end(JSON.stringify({ items: itemsOf(0, bodies.length < 2 ? 2 : 0) }));
        });
      });
      await trackList(daemon, site, '/list');
      assert.deepEqual(bodies, expected);
      assert.deepEqual(new Set(site.asked.map(({ method }) => method)), new Set(['POST']));
    });

  test('not by the same cursor again: the scrape fails (J51)', async (t) => {
    const { daemon, site } = await listed(t, 0, "feed: { by: cursor, next: { json: '$.next' } }");
    answerBy(site, '/list', () => ({ items: itemsOf(0, 2), next: 'x' }));
    const { scrape, asked } = await trackList(daemon, site, '/list');
    assert.deepEqual([asked.length, scrape.status, scrape.failure?.code], [2, 'failed', 'pagination_loop']);
  });
});

describe('a page of a list that fails', () => {
  test('is kept with its status, what it said and why (J60)', async (t) => {
    const { daemon, site } = await listed(t, 5);
    site.answer('/list', { status: 503, body: '<h1>Closed for repairs</h1>' });
    const { scrape, steps } = await trackList(daemon, site, '/list');
    assert.equal(scrape.failure?.code, 'status');
    assert.deepEqual([steps[0]?.status, steps[0]?.failure?.code], [503, 'status']);
    assert.match(steps[0]?.failure?.excerpt ?? '', /Closed for repairs/);
    assert.match(steps[0]?.failure?.message ?? '', /503/);
  });

  test('is kept also when no connection came about (J60)', async (t) => {
    const { daemon, site } = await listed(t, 5);
    answerBy(site, '/list', () => undefined);
    const { steps } = await trackList(daemon, site, '/list');
    assert.deepEqual([steps.length, steps[0]?.status], [1, undefined]);
    assert.ok((steps[0]?.failure?.message ?? '').length > 0);
  });

  test('for it is no JSON is kept with what the parser says, and is not taken for an empty list (J61)', async (t) => {
    const { daemon, site } = await listed(t, 5);
    answerBy(site, '/list', () => '{"items": [oops');
    const { scrape, steps } = await trackList(daemon, site, '/list');
    assert.deepEqual([scrape.status, steps[0]?.status, steps[0]?.failure?.code], ['failed', 200, 'unparseable']);
    assert.match(steps[0]?.failure?.message ?? '', /Unexpected token|Expected/);
    assert.match(steps[0]?.failure?.excerpt ?? '', /oops/);
  });
});
