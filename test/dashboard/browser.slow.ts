import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { views } from '../../src/dashboard/views.ts';
import { startServing } from '../daemon/serving.ts';
import { nth, soon } from '../daemon/tracking.ts';
import { noBrowser } from '../support/browser.ts';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { startBrowser, view } from './browser.ts';

/** How long a change may take from the scrape that found it to the screen, in milliseconds. */
const onScreenMs = 2_000;

// Without a browser these are skipped, but on the machine that checks a landing: there they fail.
const options = { skip: process.env['CI'] === undefined && noBrowser, timeout: 600_000 };

const vault = { keep: 86_400_000, maxBytes: 1024 ** 2 };

/** A definition of a list of kettles. */
const kettleSource = `
id: shop
allowPrivate: true
robots: ignore
retry: { times: 0 }
politeness: { autoThrottle: false, delay: 1ms, minDelay: 1ms }
records:
  kettle:
    key: name
    each: .kettle
    fields:
      name: h2
      price: { css: .price, type: money }
`;

/** A page of twelve kettles whose prices stand in elements of a class. */
function kettles(name: string): string {
  const items = Array.from(
    { length: 12 },
    (_, at) => `<li class="kettle"><h2>Kettle ${at}</h2><p class="${name}">EUR ${(8 + at * 2.5).toFixed(2)}</p></li>`,
  );
  return `<!doctype html><ul>${items.join('')}</ul>`;
}

describe('the dashboard in a browser', options, () => {
  let browser: Browser;
  before(async () => void (browser = await startBrowser()));
  after(() => browser.close());

  test('a person logs in by the address of the command, adds a project, sees it change, archives it and logs out', async (t) => {
    const site = await openSite(t, { '/lamp': productPage('lamp', '10.00') });
    const served = await startServing(t);
    const permissions = ['clipboard-read', 'clipboard-write'];
    await using viewing = await view(browser, { port: served.port }, { permissions });
    const { url } = await served.client.call('login.invite', {});
    const page = await viewing.open(url.slice(viewing.at('').length));
    await page.waitForURL(viewing.at(''));
    assert.ok(!page.url().includes('code='));
    await page.getByText('No project is tracked').or(page.getByText('Nothing.')).first().waitFor();

    await page.getByRole('link', { name: 'Projects', exact: true }).click();
    await page.getByText('Add a project').click();
    await page.getByLabel('Address').fill(site.url('/lamp'));
    await page.getByLabel('Name').fill('The lamp');
    await page.getByLabel('Id').fill('lamp');
    await page.getByLabel('Source').fill('shop');
    // The command that a form has is as it is filled in.
    await page.locator('details.add').getByRole('button', { name: 'Copy as CLI' }).click();
    await page.getByText('Copied').waitFor();
    assert.equal(
      await page.evaluate('navigator.clipboard.readText()'),
      `heronry add lamp --url ${site.url('/lamp')} --name 'The lamp' --source shop`,
    );
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('Tracked from now on.').waitFor();
    await page.waitForURL(/\/projects\/lamp\?/);
    await page.getByRole('cell', { name: '10.00' }).first().waitFor();

    site.answer('/lamp', productPage('lamp', '12.50'));
    await page.getByRole('button', { name: 'Rescrape' }).first().click();
    await page.getByText('A scrape is asked for.').waitFor();
    const { at } = await served.event((event) => event.type === 'record.changed');
    await page.locator('#changes ins', { hasText: '12.50' }).first().waitFor();
    assert.ok(Date.now() - at < onScreenMs, `${Date.now() - at} ms`);
    // Nothing is clicked from here on: what the next scrape finds comes by itself.
    site.answer('/lamp', productPage('lamp', '13.75'));
    await served.client.call('project.rescrape', { id: 'lamp' });
    const changed = await served.event(
      (event) => event.type === 'record.changed' && JSON.stringify(event.data).includes('13.75'),
    );
    await page.locator('#records .fresh-value', { hasText: '13.75' }).waitFor();
    assert.ok(Date.now() - changed.at < onScreenMs, `${Date.now() - changed.at} ms`);

    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('Outbox').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('b');
    await page.waitForURL(viewing.at('outbox'));
    await page.keyboard.press('/');
    await page.keyboard.type('lamp');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'The lamp' }).click();

    await page.getByRole('button', { name: 'Archive', exact: true }).click();
    await page.getByRole('button', { name: 'Restore', exact: true }).waitFor();
    assert.equal((await served.client.call('project.get', { id: 'lamp' })).status, 'archived');
    await page.locator('.who summary').click();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.waitForURL(/\/login/);
    await page.goto(viewing.at('projects'));
    await page.waitForURL(/\/login\?next=/);
  });

  test('a search that is shown as it is typed waits for the answer to what was typed last, and no other', async (t) => {
    const served = await startServing(t);
    for (const id of ['lamp', 'lime'])
      await served.client.call('project.add', { id, targets: [{ source: 'shop', url: `http://127.0.0.1:9/${id}` }] });
    await using viewing = await view(browser, served);
    const page = await viewing.open('projects');
    await page.getByRole('link', { name: 'lime', exact: true }).waitFor();
    // The answer to the first query never comes.
    await page.route(/q=l$/, () => undefined);
    const isFirst = (request: { url(): string }): boolean => request.url().endsWith('q=l');
    const asked = page.waitForRequest(isFirst);
    await page.getByRole('searchbox').fill('l');
    await asked;
    const dropped = page.waitForEvent('requestfailed', isFirst);
    await page.getByRole('searchbox').fill('lamp');
    await dropped;
    await page.getByRole('link', { name: 'lime', exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'lamp', exact: true }).waitFor();
    await page.locator('#results [role=status]', { hasText: /^1 project$/ }).waitFor({ state: 'attached' });
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('a project whose page is looked at is viewed, and unviewed again once it changes', async (t) => {
    const site = await openSite(t, { '/lamp': productPage('lamp', '10.00') });
    const served = await startServing(t);
    const { token } = await served.client.call('token.create', { label: 'ann', role: 'operate' });
    await using viewing = await view(browser, { port: served.port, token });
    const read = served.event((event) => event.type === 'record.added');
    await served.client.call('project.add', { id: 'lamp', targets: [{ source: 'shop', url: site.url('/lamp') }] });
    await read;
    const list = await viewing.open('projects');
    const unviewed = list.locator('tr', { hasText: 'lamp' }).getByText('unviewed');
    await unviewed.waitFor();
    await viewing.check(list);
    const noted = list.context().waitForEvent('response', (response) => response.url().endsWith('/v1/viewings'));
    const page = await viewing.open('projects/lamp');
    assert.equal((await noted).status(), 200);
    await page.close();
    await list.reload();
    await list.getByRole('link', { name: 'lamp', exact: true }).waitFor();
    assert.equal(await unviewed.count(), 0);

    site.answer('/lamp', productPage('lamp', '12.50'));
    await served.client.call('project.rescrape', { id: 'lamp' });
    await unviewed.waitFor();
    await list.goto(viewing.at('projects?q=changes:unviewed'));
    await list.getByLabel('as', { exact: true }).fill('What is new');
    await list.getByRole('button', { name: 'Save this search' }).click();
    await list.getByText('The search is saved as a view.').waitFor();
    await viewing.check(list);
    await list.getByRole('button', { name: 'Mark all that match as viewed' }).click();
    await list.getByText('No project is found by this search.').waitFor();
    await list.getByRole('button', { name: 'Remove the view What is new' }).click();
    await list.getByText('The view is removed.').waitFor();
  });

  test('an unviewed change keeps its mark while its page is open, though the page comes again', async (t) => {
    const site = await openSite(t, { '/lamp': productPage('lamp', '10.00') });
    const served = await startServing(t);
    const { token } = await served.client.call('token.create', { label: 'ann', role: 'operate' });
    await using viewing = await view(browser, { port: served.port, token });
    await served.client.call('project.add', { id: 'lamp', targets: [{ source: 'shop', url: site.url('/lamp') }] });
    await nth(1, 'scrape.completed', 'lamp', served);
    // Until something was viewed, all changes would have the mark, so that none has.
    const first = await viewing.open('projects/lamp');
    await first.locator('#changes').waitFor();
    await first.close();
    site.answer('/lamp', productPage('lamp', '12.50'));
    await served.client.call('project.rescrape', { id: 'lamp' });
    await nth(2, 'scrape.completed', 'lamp', served);
    const page = await viewing.open('projects/lamp');
    const mark = page.locator('#changes tr', { hasText: '12.50' }).getByText('unviewed');
    await mark.waitFor();
    assert.equal(await page.locator('#changes').getByText('unviewed').count(), 1);
    await served.client.call('project.update', { id: 'lamp', name: 'The lamp' });
    await page.getByRole('heading', { name: 'The lamp' }).waitFor();
    assert.equal(await page.locator('#changes').getByText('unviewed').count(), 1);
    assert.equal(await mark.count(), 1);
    await page.reload();
    await page.locator('#changes').waitFor();
    assert.equal(await mark.count(), 0);
  });

  test('a page is patched wherever a person has clicked on it, and keeps what was typed or chosen', async (t) => {
    const served = await startServing(t);
    const add = (id: string) =>
      served.client.call('project.add', { id, targets: [{ source: 'shop', url: `http://127.0.0.1:9/${id}` }] });
    await add('lamp');
    await using viewing = await view(browser, served);
    const page = await viewing.open('projects');
    await page.getByText('Add a project').click();
    await page.getByLabel('Address').fill('https://shop.example/kettle');
    await page.locator('#bulk select').selectOption('archive');
    await page.getByLabel('Label or priority').fill('acme');
    await page.getByRole('heading', { name: 'Projects' }).click();
    for (const id of ['lime', 'lace']) {
      await add(id);
      await page.getByRole('link', { name: id, exact: true }).waitFor();
    }
    assert.equal(await page.getByLabel('Address').inputValue(), 'https://shop.example/kettle');
    assert.equal(await page.locator('#bulk select').inputValue(), 'archive');
    assert.equal(await page.getByLabel('Label or priority').inputValue(), 'acme');
  });

  test('a page whose log-in ends leads to the log-in by itself', async (t) => {
    const served = await startServing(t);
    const { token, id } = await served.client.call('token.create', { label: 'ann', role: 'operate' });
    await using viewing = await view(browser, { port: served.port, token });
    const page = await viewing.open('projects');
    await page.getByText('No project is tracked').waitFor();
    await served.client.call('token.revoke', { id });
    await page.waitForURL(/\/login\?next=%2Fprojects/);
  });

  test('all of it works without scripts', async (t) => {
    const site = await openSite(t, { '/lamp': productPage('lamp', '10.00') });
    const served = await startServing(t);
    await using viewing = await view(browser, { port: served.port }, { javaScriptEnabled: false });
    const page = await viewing.open('projects/lamp');
    await page.getByLabel('Token or one-time code').fill(served.token);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('no project "lamp"').waitFor();
    await page.getByRole('link', { name: 'Projects', exact: true }).click();
    await page.getByText('Add a project').click();
    await page.getByLabel('Address').fill(site.url('/lamp'));
    await page.getByLabel('Id').fill('lamp');
    await page.getByLabel('Source').fill('shop');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('Tracked from now on.').waitFor();
    await nth(1, 'scrape.completed', 'lamp', served);
    await page.getByRole('searchbox').fill('lam');
    await page.getByRole('searchbox').press('Enter');
    await page.getByRole('link', { name: 'lamp', exact: true }).click();
    await page.getByRole('cell', { name: '10.00' }).first().waitFor();
    await page.getByRole('button', { name: 'Archive', exact: true }).click();
    await page.getByText('Archived: it is not scraped any more').waitFor();
    await page.getByRole('button', { name: 'Restore', exact: true }).click();
    await page.getByText('Tracked again.').waitFor();
    await page.locator('.who summary').click();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
  });

  test('every page can be read by all, in both themes: with nothing to show, with something, and where it is refused', async (t) => {
    const site = await openSite(t, {
      '/kettles': kettles('price'),
      '/gone': { status: 500, body: 'out' },
      '/hook': '',
    });
    const sink = (path: string): string =>
      `id: ${path.slice(1)}\nwebhook: { url: "${site.url(path)}", allowPrivate: true }\n`;
    const served = await startServing(t, {
      sources: { shop: kettleSource },
      sinks: { hook: sink('/hook'), gone: sink('/gone') },
      settings: soon,
      vault,
    });
    const { client } = served;
    await using viewing = await view(browser, served);
    const page = await viewing.open();
    const walk = async (paths: readonly string[]): Promise<void> => {
      for (const path of paths) {
        await page.goto(viewing.at(path));
        await page.getByRole('heading', { level: 1 }).waitFor();
        await viewing.check(page);
      }
    };
    const general = views.map(({ path }) => path).filter((path) => !path.includes(':'));
    const lists = general.filter((path) => path !== 'bulk' && path !== 'try');
    await walk([...general, 'sources/shop', 'sources/shop/try', 'outbox/hook', 'audit?who=nobody']);

    for (const id of ['kettles', 'gone'])
      await client.call('project.add', { id, targets: [{ source: 'shop', url: site.url(`/${id}`) }] });
    await nth(1, 'scrape.completed', 'kettles', served);
    const gone = await nth(1, 'scrape.failed', 'gone', served);
    site.answer('/kettles', kettles('cost'));
    await client.call('project.rescrape', { id: 'kettles' });
    await served.event((event) => event.type === 'ticket.changed' && event.data.change === 'proposed');
    const { changes } = await client.call('project.history', { id: 'kettles' });
    const digest = changes[0]?.page ?? '';
    await walk([
      ...lists,
      'projects/kettles',
      'projects/gone',
      'projects/kettles/why',
      'projects/kettles/diff',
      'bulk?action=archive&all=yes',
      'bulk?action=add-label&value=new&ids=gone',
      `scrapes/${gone.scrape}`,
      'scrapes/1',
      'sources/shop',
      'sources/shop/try',
      `sources/shop/try?page=${digest}&pick=5`,
      'tickets/1',
      `hosts/${encodeURIComponent(site.origin)}`,
      'outbox/hook',
      'outbox/gone',
      'docs/api',
    ]);
    await walk([
      'projects?q=state:wrong',
      'projects?q=nothing',
      'projects/nobody',
      'projects/kettles/diff?from=2&to=1',
      'bulk?action=archive',
      'bulk?action=multiplier&value=much&ids=gone',
      'scrapes/999',
      'sources/nowhere',
      `sources/shop/try?page=${'x'.repeat(22)}`,
      'tickets/999',
      'hosts/nowhere',
      'outbox/nobody',
      'no-such-page',
    ]);
  });

  test('a page where one logs in can be read by all, also where the token is wrong', async (t) => {
    const served = await startServing(t);
    await using viewing = await view(browser, { port: served.port });
    const page = await viewing.open('login');
    await viewing.check(page);
    await page.getByLabel('Token or one-time code').fill('wrong');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('alert').waitFor();
    await viewing.check(page);
  });

  test('a stored page is tried, a text of it chosen, its rule added, and the definition saved and used', async (t) => {
    const lamp = productPage('lamp', '10.00').concat('<p class="stock">7 left</p>');
    const site = await openSite(t, { '/lamp': lamp });
    const served = await startServing(t, { settings: soon, vault });
    const { client } = served;
    await client.call('project.add', { id: 'lamp', targets: [{ source: 'shop', url: site.url('/lamp') }] });
    await nth(1, 'scrape.completed', 'lamp', served);
    const { version = '' } = await client.call('source.get', { id: 'shop' });
    const asked = site.asked.length;
    await using viewing = await view(browser, served);
    const page = await viewing.open('sources/shop');
    const versionShown = page.locator('.facts div', { hasText: 'Version' }).locator('code');
    const before = await versionShown.textContent();
    await page.getByRole('link', { name: 'Try a page' }).click();
    await page.locator('#kept a').first().click();
    const frame = page.frameLocator('#frame');
    // What is read already is marked with the name of its field.
    await frame.locator('.read[data-fields*="price"]', { hasText: '10.00' }).waitFor();
    assert.equal(await frame.locator('.read', { hasText: '7 left' }).count(), 0);
    await frame.getByText('7 left').click();
    await page.locator('#picked').getByText('.stock').first().waitFor();
    await frame.locator('.picked', { hasText: '7 left' }).waitFor();
    await viewing.check(page);
    await page.getByRole('textbox', { name: 'Field' }).fill('stock');
    await page.getByRole('button', { name: 'Add to product' }).click();
    await page.getByText('Nothing is saved.', { exact: false }).first().waitFor();
    await frame.locator('.read[data-fields*="stock"]', { hasText: '7 left' }).waitFor();
    await page.locator('#found tr', { hasText: 'stock' }).getByText('7 left').waitFor();
    await page.getByRole('button', { name: 'Save as definition' }).click();
    await page.getByText('Saved, and in use from now on.').waitFor();
    assert.notEqual(await versionShown.textContent(), before);
    assert.match(await readFile(join(served.folder, 'sources', 'shop.yaml'), 'utf8'), /stock: .*\.stock/);
    assert.notEqual((await client.call('source.get', { id: 'shop' })).version, version);
    assert.equal(site.asked.length, asked, 'the site was asked');

    await page.goto(viewing.at('projects/lamp'));
    await page.getByRole('button', { name: 'Rescrape' }).first().click();
    await page.locator('#records').getByText('7 left').waitFor();
  });

  test('a value of a pulse is on the screen within the interval of the pulse and 2 s [B50]', async (t) => {
    const site = await openSite(t, {
      '/lamp': productPage('lamp', '10.00'),
      '/pulse/lamp': productPage('lamp', '10.00'),
    });
    const pulse = `url: "${site.origin}/{name}"
pulse:
  url: "${site.origin}/pulse/{name}"
  record: product
  fields: { sku: { css: h1, required: true }, price: { css: .price, type: money } }`;
    const pulseEveryMs = 4_000;
    const served = await startServing(t, {
      sources: { shop: productSource('shop', pulse) },
      settings: soon,
      pulseEveryMs,
    });
    await served.client.call('project.add', { id: 'lamp', targets: [{ source: 'shop', url: site.url('/lamp') }] });
    await nth(1, 'scrape.completed', 'lamp', served);
    await using viewing = await view(browser, served);
    const page = await viewing.open('projects/lamp');
    await page.locator('#records').getByText('10.00').waitFor();
    site.answer('/pulse/lamp', productPage('lamp', '11.00'));
    const changedAt = Date.now();
    await page.locator('#records').getByText('11.00').waitFor();
    const tookMs = Date.now() - changedAt;
    assert.ok(tookMs < pulseEveryMs + onScreenMs, `${tookMs} ms`);
  });

  test('a ticket opens by itself, and its proposal is shown and made', async (t) => {
    const site = await openSite(t, { '/kettles': kettles('price') });
    const served = await startServing(t, { sources: { shop: kettleSource }, settings: soon, vault });
    await using viewing = await view(browser, served);
    const page = await viewing.open();
    await served.client.call('project.add', { id: 'all', targets: [{ source: 'shop', url: site.url('/kettles') }] });
    await nth(1, 'scrape.completed', 'all', served);
    site.answer('/kettles', kettles('cost'));
    await served.client.call('project.rescrape', { id: 'all' });
    await page.getByText('repair proposed').waitFor();
    await page.getByRole('group', { name: 'Tickets' }).getByRole('link', { name: '1', exact: true }).click();
    await page.locator('#repairs').getByText('.cost').first().waitFor();
    await viewing.check(page);
    await page.getByRole('link', { name: 'Show what it would change' }).first().click();
    await page.getByText('css: .cost').first().waitFor();
    await page.getByRole('button', { name: /^Make/ }).first().click();
    await nth(3, 'scrape.completed', 'all', served);
    assert.match(
      await readFile(join(served.folder, 'sources', 'shop.yaml'), 'utf8'),
      /price: \{ css: \.cost, type: money \}/,
    );
    const { log } = await served.client.call('ticket.get', { ticket: 1 });
    assert.ok(log.some(({ what, by }) => what.startsWith('repaired') && by !== undefined));
  });

  test('eight tabs share one stream, which is closed while none of them is seen', async (t) => {
    const served = await startServing(t, { sources: { shop: productSource('shop') } });
    await using viewing = await view(browser, served);
    const tabs = [await viewing.open()];
    for (let more = 1; more < 8; more += 1) tabs.push(await viewing.open('projects'));
    const streams = async (): Promise<string | undefined> =>
      /^heronry_http_streams (\d+)$/m.exec((await served.ask('/metrics')).text)?.[1];
    await served.client.call('project.add', {
      id: 'lamp',
      targets: [{ source: 'shop', url: 'http://127.0.0.1:9/lamp' }],
    });
    for (const tab of tabs.slice(1)) await tab.getByRole('link', { name: 'lamp', exact: true }).waitFor();
    assert.equal(await streams(), '1');
    for (const tab of tabs)
      await tab.evaluate(
        'Object.defineProperty(document, "hidden", { value: true }); document.dispatchEvent(new Event("visibilitychange"))',
      );
    // Asked until the end of the test's time: the daemon notices when the connection has ended.
    while ((await streams()) !== '0');
  });
});
