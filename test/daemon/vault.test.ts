import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import type { DaemonOptions } from '../../src/daemon/parts.ts';
import { run } from '../cli/terminal.ts';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { type Answer, openSite } from '../support/site.ts';

const limits = { keep: 400 * 86_400_000, maxBytes: 1024 ** 3 };

/** A daemon that tracks one page. `scrape` resolves when the page that the scrape before has read is kept. */
async function tracking(
  t: TestContext,
  answer: Answer,
  {
    vault = limits,
    source = productSource('shop'),
  }: { readonly vault?: DaemonOptions['vault']; readonly source?: string } = {},
) {
  const site = await openSite(t, { '/lamp': answer });
  const daemon = await startDaemon(t, { sources: { shop: source }, vault });
  const { client, socket } = daemon;
  await client.call('project.add', { id: 'lamp', targets: [{ source: 'shop', url: site.url('/lamp') }] });
  const scrape = async (page: Answer) => {
    site.answer('/lamp', page);
    await run(['rescrape', 'lamp', '--wait', '--socket', socket]);
  };
  await scrape(answer);
  const history = async () => (await client.call('project.history', { id: 'lamp', limit: 100 })).changes;
  const status = () => client.call('vault.status', {});
  return { ...daemon, site, scrape, history, status, cli: (...words: string[]) => run([...words, '--socket', socket]) };
}

describe('the vault', () => {
  test('keeps the pages that changed something, which changes name and the command line shows', async (t) => {
    const { scrape, history, status, cli, folder } = await tracking(t, productPage('Lamp', '12.00'));
    await scrape(productPage('Lamp', '9.50'));
    await scrape(productPage('Lamp', '9.50'));
    const [newer, older] = await history();
    assert.match(newer?.page ?? '', /^[\w-]{22}$/);
    const shown = await cli('page', newer?.page ?? '');
    assert.equal(shown.out.trimEnd(), productPage('Lamp', '9.50'));
    assert.match(shown.err, /\/lamp 200, \d+ B, /);
    const difference = await cli('page', newer?.page ?? '', '--diff', older?.page ?? '');
    assert.equal(difference.out.trimEnd(), 'Lamp Lamp EUR [-12.00-] {+9.50+} live');
    const saved = await cli('page', older?.page ?? '', '-o', join(folder, 'lamp.html'));
    assert.equal(saved.status, 0, saved.err);
    assert.equal(await readFile(join(folder, 'lamp.html'), 'utf8'), productPage('Lamp', '12.00'));
    assert.match((await cli('history', 'lamp', '--pages')).out, new RegExp(newer?.page ?? 'none'));
    assert.match((await cli('vault')).out, /^2 pages, \d+ B; kept for 400d, up to 1\.1 GB\n\nSOURCE\tPAGES/);
    const { pages } = await status();
    assert.equal(pages, 2);
  });

  test('takes nothing for a scrape that changes nothing, whatever else its page shows', async (t) => {
    const { scrape, status, daemon } = await tracking(t, productPage('Lamp', '12.00'));
    await scrape(`${productPage('Lamp', '12.00')}<p>0 visitors`);
    const before = await status();
    const { vault } = daemon.parts.state.store();
    const rows = [vault.pages.count(), vault.packs.count()];
    for (let visitors = 1; visitors < 8; visitors += 1)
      await scrape(`${productPage('Lamp', '12.00')}<p>${visitors} visitors`);
    assert.deepEqual(await status(), before);
    assert.equal(before.pages, 1);
    assert.deepEqual([vault.pages.count(), vault.packs.count()], rows);
  });

  test('keeps the first page from which nothing could be read, and after a good one the next', async (t) => {
    const good = productPage('Lamp', '12.00');
    const { scrape, status, daemon, site } = await tracking(t, good);
    const { vault } = daemon.parts.state;
    await scrape('<p>are you a robot?');
    await scrape('<p>are you really not a robot?');
    const { bad = '' } = (await vault()?.evidenceOf(1, site.url('/lamp'))) ?? {};
    const found = await vault()?.read(bad);
    assert.ok(found?.ok);
    assert.equal(Buffer.from(found.page.body).toString(), '<p>are you a robot?');
    await scrape(good);
    assert.equal((await status()).pages, 2);
    await scrape('<p>a wall again');
    await scrape(good);
    assert.equal((await status()).pages, 3);
  });

  test('keeps a page that shows the known record again, after one that showed another one, as the last good one', async (t) => {
    const page = (visitors: number, name = 'Lamp') => `${productPage(name, '12.00')}<p>${visitors} visitors`;
    const { scrape, status, daemon, site } = await tracking(t, page(1));
    const evidence = async () => (await daemon.parts.state.vault()?.evidenceOf(1, site.url('/lamp'))) ?? {};
    const textOf = async (digest = '') => {
      const found = await daemon.parts.state.vault()?.read(digest);
      return found?.ok === true ? Buffer.from(found.page.body).toString() : undefined;
    };
    await scrape(page(2, 'Garden hose'));
    await scrape(page(3, 'Garden hose'));
    const first = (await evidence()).before;
    await scrape(page(4));
    const { good, before } = await evidence();
    assert.equal(await textOf(good), page(4));
    assert.deepEqual([before, await textOf(before)], [first, page(1)], 'that of the other record is no evidence');
    await scrape(page(5));
    assert.equal((await status()).pages, 3);
    await scrape('<p>a wall');
    assert.equal((await evidence()).good, good);
  });

  test('keeps a page that shows the known values again, after one whose values were held, as the last good one', async (t) => {
    const source = productSource('shop').replace('type: money', 'type: money, hold: { jump: 80% }');
    const { scrape, status, daemon, site } = await tracking(t, productPage('Lamp', '12.00'), { source });
    const evidence = async () => (await daemon.parts.state.vault()?.evidenceOf(1, site.url('/lamp'))) ?? {};
    await scrape(productPage('Lamp', '99.00'));
    const jumped = (await evidence()).good;
    for (const visitors of [1, 2]) await scrape(`${productPage('Lamp', '12.00')}<p>${visitors} visitors`);
    const { good } = await evidence();
    assert.notEqual(good, jumped);
    const found = await daemon.parts.state.vault()?.read(good ?? '');
    assert.ok(found?.ok);
    assert.match(Buffer.from(found.page.body).toString(), /12\.00.*1 visitors/s);
    assert.equal((await status()).pages, 3);
  });

  test('keeps a large page, which a thread has read, to the byte', async (t) => {
    const body = `${productPage('Lamp', '12.00')}${'<p>very much text and more of it</p>'.repeat(4_000)}`;
    const { scrape, history, cli } = await tracking(t, body);
    await scrape(body);
    const [change] = await history();
    assert.equal((await cli('page', change?.page ?? '')).out.trimEnd(), body);
  });

  test('keeps no credential that a site repeats, and what it keeps says so', async (t) => {
    const secret = 's3cr3t-s3ss10n-0f-many';
    const body = `${productPage('Lamp', '12.00')}<a href="/buy?sid=${secret}">buy for ü</a>`;
    const { scrape, history, cli } = await tracking(t, { headers: { 'set-cookie': `sid=${secret}` }, body });
    await scrape(body);
    const [change] = await history();
    const { out, err } = await cli('page', change?.page ?? '');
    assert.doesNotMatch(out, new RegExp(secret));
    assert.match(out, /<a href="\/buy\?sid=.+">buy for ü<\/a>/);
    assert.match(err, /without the credentials that it repeated/);
  });

  test('that is off keeps nothing, names nothing and says so', async (t) => {
    const { history, status, cli } = await tracking(t, productPage('Lamp', '12.00'), { vault: 'off' });
    const [change] = await history();
    assert.equal(change?.page, undefined);
    const { limits: none, pages } = await status();
    assert.deepEqual([none, pages], [undefined, 0]);
    const { status: code, err } = await cli('page', 'AAAAAAAAAAAAAAAAAAAAAA');
    assert.equal(code, 3, err);
    assert.match(err, /no pages are kept: heronry\.yaml says `vault: off`/);
  });
});
