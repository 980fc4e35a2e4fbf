import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { openSite } from '../support/site.ts';
import { page } from './crawls/shop.ts';
import { startTimed, type TimedDaemon } from './passing.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Products, and the pause between two requests: with the turns that re-checks are sure of, once round takes two thirds of the objective. */
const products = Number(process.env['PRODUCTS'] ?? 2_000);
const delay = `${(2 * hour) / 3 / 2 / products}ms`;
const listed = 100;

/** A shop whose products have their prices from `prices`, and are gone while they are in `gone`. */
async function openShop(t: TestContext, prices: ReadonlyMap<number, number>, gone: ReadonlySet<number>) {
  const site = await openSite(t);
  const lists = Array.from({ length: products / listed }, (_, list) => `/c/${list}`);
  site.answer('/', page(lists));
  for (const [list, path] of lists.entries())
    site.answer(path, page(Array.from({ length: listed }, (_, index) => `/p/${list * listed + index}`)));
  for (let product = 0; product < products; product += 1)
    site.answer(`/p/${product}`, (_, response) => {
      response.setHeader('content-type', 'text/html');
      response.statusCode = gone.has(product) ? 500 : 200;
      response.end(`<!doctype html><title>x</title><h1>${product}</h1><b>${prices.get(product) ?? 10}</b>`);
    });
  return site;
}

const definition = `id: shop
allowPrivate: true
robots: ignore
retry: { times: 0 }
every: 7d
politeness: { autoThrottle: false, delay: ${delay}, minDelay: ${delay} }
objectives: { fields: { price: { errorAfter: 1h } } }
crawl: { detail: ['/p/\\d+$'] }
records:
  product:
    key: id
    fields: { id: { css: h1, required: true }, price: { css: b, type: number } }
`;

/** When each product's page was asked for. */
function askedAt({ sent }: TimedDaemon): Map<string, number[]> {
  const asked = Map.groupBy(
    sent.filter(({ url }) => url.includes('/p/')),
    ({ url }) => new URL(url).pathname,
  );
  return new Map(Array.from(asked, ([path, all]) => [path, all.map(({ at }) => at)]));
}

test('a shop whose prices may be an hour old has each product verified within the hour, for six hours, and asks hardly more than it must', async (t) => {
  const prices = new Map<number, number>();
  const gone = new Set<number>();
  const site = await openShop(t, prices, gone);
  const timed = await startTimed(t, { sources: { shop: definition } });
  await timed.track('all', { source: 'shop', url: site.url('/') });
  const changed: { readonly product: number; readonly at: number }[] = [];
  await timed.pass(hour);
  const from = timed.clock.now();
  for (let change = 0; change < 50; change += 1) {
    const product = (change * 997) % products;
    prices.set(product, 20 + change);
    changed.push({ product, at: timed.clock.now() });
    await timed.pass(4 * minute);
  }
  // Two products fail from here on; one of them for good.
  const failingAt = timed.clock.now();
  gone.add(7).add(8);
  await timed.pass(100 * minute);
  const last = new Map(Array.from(askedAt(timed), ([path, all]) => [path, all]));
  const okUntil = (path: string): number | undefined => last.get(path)?.findLast((at) => at < failingAt);
  const [error, ...more] = timed.events.filter(({ type }) => type === 'objective.error');
  assert.deepEqual(more, []);
  assert.ok(error?.type === 'objective.error');
  const deadline = Math.min(...['/p/7', '/p/8'].map((path) => (okUntil(path) ?? 0) + hour));
  assert.ok(error.at >= deadline && error.at <= deadline + minute, `${error.at - deadline} ms after the deadline`);
  const { all } = await timed.client.call('objective.report', {});
  assert.deepEqual([all.count, all.breaches], [products, 2]);

  for (const { product, at } of changed) {
    const told = timed.events.find(
      (event) => event.type === 'record.changed' && event.data.key === `${product}` && event.at >= at,
    );
    assert.ok(told !== undefined && told.at - at <= hour, `product ${product}`);
  }
  const spans = [...last].filter(([path]) => path !== '/p/7' && path !== '/p/8');
  for (const [path, times] of spans) {
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    assert.ok(Math.max(...gaps) <= hour, `${path}: ${Math.max(...gaps)}`);
  }
  const hours = (timed.clock.now() - from) / hour;
  const counts = spans.map(([, times]) => times.filter((at) => at >= from).length);
  const share = counts.reduce((sum, count) => sum + count, 0) / spans.length / hours;
  t.diagnostic(`${products} products: ${share.toFixed(2)} requests a product and hour, of 1 that the objective needs`);
  t.diagnostic(`the product that was asked for most often: ${Math.max(...counts)} requests in ${hours} hours`);
  t.diagnostic(`the failing product was told ${error.at - deadline} ms after its deadline`);
  assert.ok(share <= 1.25, `${share} requests a product and hour`);
});
