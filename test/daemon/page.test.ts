import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newProjectId } from '../../src/control/handlers/project-spec.ts';
import { pageSource } from '../../src/definition/page.ts';
import type { Source } from '../../src/definition/source.ts';
import { ProjectId } from '../../src/schema/slug.ts';
import { run } from '../cli/terminal.ts';
import { productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { settingsOf, startTimed } from './passing.ts';
import { nth, runningUnder, soon } from './tracking.ts';

const minute = 60_000;
const builtIn = [pageSource];
/** The same without pauses between requests. */
const quick: Source = {
  ...pageSource,
  robots: 'ignore',
  politeness: { ...pageSource.politeness, autoThrottle: false, delay: 1, minDelay: 1 },
};
/** This machine stands for the sites of the world. */
const anywhere: Source = { ...quick, allowPrivate: 'loopback' };
const selling = `<title>Kettle</title><script type="application/ld+json">
  {"@type": "Product", "name": "Kettle", "offers": {"price": "12.50", "priceCurrency": "EUR"}}</script>`;

describe('an address that no source knows', () => {
  test('is tracked as a page, under an id of its own, and that is said', async (t) => {
    const { client, socket } = await startDaemon(t, { sources: {}, builtIn });
    const url = 'https://nowhere.example/kettle';
    const added = await run(['add', '--url', url, '--json', '--socket', socket]);
    assert.equal(added.status, 0, added.err);
    assert.match(
      added.err,
      /no source knows this address: tracked as a page; `heronry init source https:\/\/nowhere\.example\/kettle` drafts one that reads more/,
    );
    const { id, targets } = JSON.parse(added.out);
    assert.match(id, /^[\w-]{21}$/);
    assert.equal(targets[0].source, 'page');
    assert.deepEqual((await client.call('source.resolve', { url })).matches, [{ source: 'page', url, projects: [id] }]);
    const again = await run(['add', '--url', url, '--socket', socket]);
    assert.match(again.err, /project ".*" watches https:\/\/nowhere\.example\/kettle on page already/);
    const { name, builtIn: isBuiltIn, targets: tracked } = await client.call('source.get', { id: 'page' });
    assert.deepEqual([name, isBuiltIn, tracked], ['Any page (built-in)', true, 1]);
    assert.match((await run(['sources', '--socket', socket])).out, /^page\tready\t1\t.*Any page \(built-in\)/m);
  });

  test('belongs to the source whose pattern makes it, where there is one', async (t) => {
    const { client } = await startDaemon(t, {
      sources: { shop: productSource('shop', 'url: "https://shop.example/p/{slug}"') },
      builtIn,
    });
    const { unknown, targets } = await client.call('project.add', { targets: [{ url: 'https://shop.example/p/a' }] });
    assert.deepEqual([unknown, targets[0]?.source], [undefined, 'shop']);
  });

  test('or whose own it is, or that is on its host; which one was taken, and why, is said', async (t) => {
    const { socket } = await startDaemon(t, {
      sources: {
        shop: productSource('shop', 'url: "https://shop.example/p/{slug}"'),
        terms: productSource('terms', 'url: "https://shop.example/terms"'),
        far: productSource('far', 'url: "https://far.example/{page}"'),
        local: productSource('local', 'url: "http://127.0.0.1:8000/{page}"'),
      },
      builtIn,
    });
    const told = async (...words: string[]) => (await run(['add', ...words, '--socket', socket])).err.trim();
    const other = '; `--source page` tracks it as a page of no source';
    assert.equal(await told('--url', 'https://shop.example/p/a'), `by source shop, whose address pattern fits${other}`);
    assert.equal(await told('--url', 'https://shop.example/terms'), `by source terms, whose address it is${other}`);
    assert.equal(await told('--url', 'https://far.example/a/b'), `by source far, which is on the same host${other}`);
    assert.equal(await told('--url', 'http://127.0.0.1:8000/a'), 'by source local, whose address pattern fits');
    assert.equal(await told('--source', 'shop', '--url', 'https://shop.example/p/b'), '');
  });

  for (const onlyLoopback of [true, false])
    test(`is never asked at a private address, ${onlyLoopback ? 'without' : 'with'} a contact of the daemon`, async (t) => {
      const site = await openSite(t, { '/kettle': selling });
      const daemon = await startDaemon(t, {
        sources: {},
        builtIn: [quick],
        settings: soon,
        bot: { name: 'Heronry', userAgent: 'Heronry/0.0.0', onlyLoopback },
      });
      const targets = [{ source: 'page', url: site.url('/kettle') }];
      await daemon.client.call('project.apply', { projects: [{ id: 'a', targets }] });
      const failed = await nth(1, 'scrape.failed', 'a', daemon);
      assert.match(JSON.stringify(failed.data), /"refused_address"/);
      assert.deepEqual(site.asked, []);
    });

  test('is refused at once where it names this machine, with what to do', async (t) => {
    const { socket, client } = await startDaemon(t, { sources: {}, builtIn });
    const url = 'http://127.0.0.1:8000/kettle';
    for (const words of [[], ['--source', 'page']]) {
      const { status, err } = await run(['add', 'a', '--url', url, ...words, '--socket', socket]);
      assert.equal(status, 2);
      assert.match(
        err,
        /http:\/\/127\.0\.0\.1:8000\/kettle names this machine, and the source "page" asks public addresses alone: `heronry init source http:\/\/127\.0\.0\.1:8000\/kettle` drafts a source that may ask it/,
      );
    }
    assert.deepEqual((await client.call('project.list', {})).projects, []);
  });

  test('has its page read like that of any source', async (t) => {
    const site = await openSite(t, { '/kettle': selling });
    const daemon = await startDaemon(t, { sources: {}, builtIn: [anywhere], settings: soon });
    const url = site.url('/kettle');
    await daemon.client.call('project.add', { id: 'a', targets: [{ url }] });
    await nth(1, 'scrape.completed', 'a', daemon);
    const { records } = await daemon.client.call('project.records', { id: 'a' });
    const [record] = records;
    assert.deepEqual([records.length, record?.type, record?.key], [1, 'page', url]);
    assert.deepEqual(record?.fields['price']?.value, { amount: '12.50', currency: 'EUR' });
    assert.deepEqual(await runningUnder('sources', daemon.client), ['page']);
    const tried = await run(['try', 'page', url, '--socket', daemon.socket]);
    assert.match(tried.out, /price.*12\.50/);
  });

  test('is asked whatever the sites of other pages answer', async (t) => {
    const site = await openSite(t);
    const timed = await startTimed(t, {
      sources: {},
      builtIn: [{ ...anywhere, politeness: { ...anywhere.politeness, concurrency: 10 } }],
      settings: settingsOf({ everyMs: 2 * minute }),
    });
    const ids = Array.from({ length: 10 }, (_, index) => `p${index}`);
    for (const id of ids) {
      site.answer(`/${id}`, { status: 403 });
      await timed.track(id, { source: 'page', url: site.url(`/${id}`) });
    }
    await timed.pass(5 * minute);
    await timed.settle();
    assert.equal((await timed.client.call('source.get', { id: 'page' })).circuit, undefined);
  });

  test('is told once a source knows it', async (t) => {
    const { socket, client, define } = await startDaemon(t, { sources: {}, builtIn });
    await client.call('project.add', { id: 'a', targets: [{ url: 'https://shop.example/p/a' }] });
    await client.call('project.add', { id: 'b', targets: [{ url: 'https://shop.example/about' }] });
    await define('shop', productSource('shop', 'url: "https://shop.example/p/{slug}"'));
    const { err } = await run(['sources', '--reload', '--socket', socket]);
    assert.match(err, /source shop knows https:\/\/shop\.example\/p\/a, which a tracks as a page of no source/);
    assert.doesNotMatch(err, /about/);
    assert.equal((await client.call('source.reload', {})).knownPages, undefined);
  });

  test('is not told of once a project tracks it by that source, nor by a source whose pattern makes every page', async (t) => {
    const { client, define } = await startDaemon(t, { sources: {}, builtIn });
    const url = 'https://shop.example/p/a';
    await client.call('project.add', { id: 'a', targets: [{ url }] });
    await define('shop', productSource('shop', 'url: "https://shop.example/{part}/{page}"'));
    assert.equal((await client.call('source.reload', {})).knownPages, undefined);
    await define('shop', productSource('shop', 'url: "https://shop.example/p/{slug}"'));
    assert.deepEqual((await client.call('source.reload', {})).knownPages, [{ url, source: 'shop', projects: ['a'] }]);
    await client.call('project.add', { id: 'b', targets: [{ source: 'shop', url }] });
    await define('shop', productSource('shop', 'url: "https://shop.example/p/{name}"'));
    const { changed, knownPages } = await client.call('source.reload', {});
    assert.deepEqual([changed, knownPages], [['shop'], undefined]);
  });
});

test('the id that a project is given is one', () => {
  for (let times = 0; times < 1_000; times += 1) assert.ok(ProjectId.safeParse(newProjectId()).success);
});
