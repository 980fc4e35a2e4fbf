import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { serveHttp } from '../http/server.ts';
import { hostilePages } from '../picker/hostile.ts';
import { noBrowser } from '../support/browser.ts';
import { openSite } from '../support/site.ts';
import { views } from '../../src/dashboard/views.ts';
import { startBrowser, view } from './browser.ts';
import { hostile, pathOf } from './hostile.ts';
import { sampleHandlers } from './samples.ts';
import { digest, withPage } from './stored-page.ts';

// Without a browser these are skipped, but on the machine that checks a landing: there they fail.
const options = { skip: process.env['CI'] === undefined && noBrowser, timeout: 600_000 };

/** The widths of a phone and of a desktop, in pixels. */
const widths = [390, 1_280] as const;

/** Texts that could run something, or widen a page beyond its window. */
const texts = {
  'markup and long words': { text: hostile, items: 2 },
  'words from right to left': { text: `\u202E${'\u05D0\u05D1'.repeat(400)}\u2067 \u0627\u0644`, items: 2 },
  'fields of a megabyte': { text: 'x'.repeat(1_000_000), items: 1 },
};

/** Has each request of a context made by a token of role `admin`. */
const asAdmin = { extraHTTPHeaders: { authorization: 'Bearer admin' } };

/** Opens all that can be opened, and gives the elements that have the page scroll sideways, if it does. */
const overhanging = `(() => {
  for (const each of document.querySelectorAll('details')) each.open = true;
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const over = [...document.querySelectorAll('body *')].filter(
    (each) => each.getBoundingClientRect().right > clientWidth && each.closest('.scroll, pre, .sections') === null,
  );
  return [scrollWidth + ' wide', ...over.slice(0, 5).map((each) => each.cloneNode(false).outerHTML.slice(0, 100))];
})()`;

describe('hostile data in a browser', options, () => {
  let browser: Browser;
  before(async () => void (browser = await startBrowser()));
  after(() => browser.close());

  test('runs and loads nothing in the frame of a stored page', async (t) => {
    const site = await openSite(t);
    const pages = Object.values(hostilePages).map((page) => page.replaceAll('LOAD', site.url('/evil')));
    let body = '';
    const served = await serveHttp(
      t,
      withPage(() => body),
    );
    await using viewing = await view(browser, served, asAdmin);
    const shown = await viewing.open('login');
    for (const page of pages) {
      body = page;
      await shown.goto(viewing.at(`sources/shop/try?page=${digest}`));
      await shown.frameLocator('#frame').locator('body').waitFor({ state: 'attached' });
    }
    assert.deepEqual(site.asked, []);
  });

  for (const [name, { text, items }] of Object.entries(texts))
    test(`neither runs nor widens a page beyond the window of a phone or a desktop: ${name}`, async (t) => {
      const served = await serveHttp(t, sampleHandlers({ text, items, number: 1_760_000_000_000 }));
      await using viewing = await view(browser, served, asAdmin);
      const page = await viewing.open('login');
      // The sample of a picture of a page is none.
      await page.route('**/pictures/*', (route) => route.fulfill({ contentType: 'image/jpeg', body: '' }));
      const wide: string[] = [];
      for (const { path } of views) {
        await page.goto(viewing.at(pathOf(path, 'shop')));
        for (const width of widths) {
          await page.setViewportSize({ width, height: 800 });
          const over = await page.evaluate<readonly string[]>(overhanging);
          wide.push(...over.map((element) => `${path} at ${width} px: ${element}`));
        }
      }
      assert.deepEqual(wide, []);
    });
});
