import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Source } from '../../src/definition/source.ts';
import type { ShownPage } from '../../src/drill/shown-page.ts';
import type { DrillSite } from '../../src/drill/saved-pages.ts';
import { siteOf } from '../../src/drill/site.ts';
import { listRecords, listSubject } from './pages.ts';
import { productPage, productPageRecords, products } from './product-pages.ts';

const shop = 'https://shop.example';
const [kettle] = products(1).map((product): ShownPage => ({
  url: `${shop}/p/1`,
  status: 200,
  html: productPage(product),
}));
const links = Array.from({ length: 30 }, (_, at) => `<li><a href="/p/${at + 1}">kettle</a></li>`).join('');
const start: ShownPage = {
  url: `${shop}/`,
  status: 200,
  html: `<nav><a href="/about">About</a></nav><ul>${links}</ul>`,
};
const list: ShownPage = listSubject().page;

/** The site that is made of saved pages. */
async function made(
  source: Source,
  page: ShownPage | undefined,
  ...others: readonly (ShownPage | undefined)[]
): Promise<DrillSite> {
  assert.ok(page !== undefined);
  const site = await siteOf({ source, page, others: others.filter((other) => other !== undefined) });
  assert.ok(site !== undefined);
  return site;
}

/** The addresses of a site that are asked for, without the origin, and those that change. */
function addresses({ pages, subjects }: DrillSite): readonly [pages: readonly string[], changed: readonly string[]] {
  const paths = (urls: readonly string[]): string[] => urls.map((url) => url.replace(shop, ''));
  return [paths(pages.map(({ url }) => url)), paths(subjects.map(({ page }) => page.url))];
}

describe('a drill of a crawl', () => {
  const source = Source.parse({ id: 'shop', crawl: { detail: ['/p/'] }, records: productPageRecords });

  test('has a start of its own that leads to a saved page and others like it, which change', async () => {
    const site = await made(source, kettle);
    const [pages, changed] = addresses(site);
    assert.deepEqual([site.kind, pages.length, pages.slice(0, 3)], ['crawl', 13, ['/?drill', '/p/1', '/p/1?copy=1']]);
    assert.deepEqual(changed, pages.slice(1));
    assert.deepEqual(site.targets, [`${shop}/?drill`]);
  });

  test('begins at a saved page without records, and shows up to 24 pages to which it leads as a saved one', async () => {
    const site = await made(source, start, list, kettle);
    const [pages, changed] = addresses(site);
    assert.deepEqual([site.kind, pages.length, pages[1], pages.at(-1)], ['crawl', 25, '/p/1', '/p/24']);
    assert.deepEqual(changed, ['/']);
  });

  test('has nothing to change of a page that leads to others where none of these is saved', async () => {
    assert.equal(await siteOf({ source, page: start, others: [list] }), undefined);
  });

  test('has nothing to change of a page without records that leads to no other', async () => {
    assert.ok(kettle !== undefined);
    const page = { ...start, html: '<p>Nothing here leads on.</p>' };
    assert.equal(await siteOf({ source, page, others: [kettle] }), undefined);
  });
});

describe('a drill of a list', () => {
  test('shows a second page that the first one names, with keys of its own, and none behind it', async () => {
    const source = Source.parse({ id: 'list', feed: { by: 'link' }, records: listRecords });
    const page = { ...list, html: list.html.replace('</ul>', '</ul><a rel="next" href="?page=2">next</a>') };
    const site = await made(source, page);
    const [pages, changed] = addresses(site);
    assert.deepEqual([site.kind, pages, changed], ['list', ['/kettles/', '/kettles/?page=2'], pages]);
    const [, second] = site.pages;
    assert.match(second?.html ?? '', /data-sku="S-00001"/);
    assert.doesNotMatch(second?.html ?? '', /rel="next"/);
  });

  test('shows it alone where its next page has no address that it gives', async () => {
    const feed = { by: 'cursor', next: { json: '$.next' }, in: 'json' };
    const source = Source.parse({ id: 'list', feed, records: listRecords });
    const site = await made(source, list);
    assert.deepEqual([site.kind, site.pages.length], ['pages', 1]);
  });
});

describe('a drill of a list whose items lead to pages', () => {
  const { product } = listRecords;
  const item = { url: 'h2.name > a', fields: { brand: '.brand' } };
  const source = Source.parse({ id: 'list', records: { product: { ...product, page: item } } });

  test('shows each of them as a saved one, and changes the pages of the kind that it is of', async () => {
    const ofItems = await made(source, kettle, list);
    assert.deepEqual([ofItems.kind, ofItems.pages.length, ofItems.subjects.length], ['items', 21, 20]);
    assert.deepEqual(ofItems.targets, [list.url]);
    const ofList = await made(source, list, kettle);
    assert.deepEqual(addresses(ofList)[1], ['/kettles/']);
  });

  test('asks for none of them where none is saved', async () => {
    const site = await made(source, list);
    assert.deepEqual([site.kind, site.source.records['product']?.page], ['pages', undefined]);
  });
});
