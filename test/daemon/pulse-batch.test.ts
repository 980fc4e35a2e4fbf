import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { startTimed, type TimedDaemon } from './passing.ts';

const second = 1_000;
const names = ['a', 'b', 'c', 'd', 'e'];

function pulsing(origin: string, url: string, more = ''): string {
  return productSource(
    'shop',
    `url: "${origin}/{name}"
pulse:
  url: "${origin}${url}"
  ${more}
  each: { css: tr }
  record: product
  fields: { sku: { css: .sku, required: true }, price: { css: .price, type: money } }`,
  );
}

function table(prices: Readonly<Record<string, string>>): string {
  const rows = Object.entries(prices).map(
    ([name, price]) => `<tr><td class="sku">${name}</td><td class="price">EUR ${price}</td></tr>`,
  );
  return `<table>${rows.join('')}</table>`;
}

async function priceOf({ client }: TimedDaemon, id: string): Promise<unknown> {
  const { records } = await client.call('project.records', { id });
  const value = records[0]?.fields['price']?.value;
  return typeof value === 'object' && value !== null && 'amount' in value ? value.amount : value;
}

async function start(t: Parameters<typeof openSite>[0], source: (origin: string) => string) {
  const site = await openSite(t, Object.fromEntries(names.map((name) => [`/${name}`, productPage(name, '1.00')])));
  const timed = await startTimed(t, { sources: { shop: source(site.origin) }, pulseEveryMs: 30 * second });
  for (const name of names) await timed.track(name, { source: 'shop', url: site.url(`/${name}`) });
  await timed.pass(5 * second);
  return { site, timed };
}

describe('a pulse that asks for many targets at once', () => {
  test('asks for so many with one request, and each record goes to the target that has its key (B42)', async (t) => {
    const { site, timed } = await start(t, (origin) => pulsing(origin, '/prices?of={ids}', 'batch: 2'));
    site.answer('/prices', (request, response) => {
      const ids = new URL(request.url ?? '', site.origin).searchParams.get('of')?.split(',') ?? [];
      const prices = Object.fromEntries([...ids, 'stranger'].map((id) => [id, `${2 + names.indexOf(id)}.00`]));
      response.setHeader('content-type', 'text/html').end(table(prices));
    });
    await timed.pass(30 * second);
    await timed.settle();
    assert.deepEqual(
      timed.sent.flatMap(({ url }) => /of=(.*)$/.exec(url)?.[1] ?? []),
      ['a,b', 'c,d', 'e'],
    );
    for (const [index, name] of names.entries()) assert.equal(await priceOf(timed, name), `${2 + index}.00`);
    const { records } = await timed.client.call('project.records', { id: 'a' });
    assert.equal(records.length, 1);
  });

  test('may have answers of another kind than the pages of its source', async (t) => {
    const json = (origin: string) =>
      productSource(
        'shop',
        `url: "${origin}/{name}"
pulse:
  url: "${origin}/api?of={ids}"
  provider: json
  each: "$.items[*]"
  record: product
  fields: { sku: $.id, price: { json: $.price, type: money, currency: EUR } }`,
      );
    const { site, timed } = await start(t, json);
    site.answer('/api', (_, response) => {
      const items = names.map((id) => ({ id, price: '3.00' }));
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ items }));
    });
    await timed.pass(30 * second);
    await timed.settle();
    for (const name of names) assert.equal(await priceOf(timed, name), '3.00');
  });

  test('asks once for all where one answer has them', async (t) => {
    const { site, timed } = await start(t, (origin) => pulsing(origin, '/prices'));
    site.answer('/prices', table({ a: '7.00', c: '8.00', e: '9.00' }));
    await timed.pass(30 * second);
    await timed.settle();
    assert.equal(timed.sent.filter(({ url }) => url.endsWith('/prices')).length, 1);
    assert.deepEqual(await Promise.all(names.map((name) => priceOf(timed, name))), [
      '7.00',
      '1.00',
      '8.00',
      '1.00',
      '9.00',
    ]);
  });

  test('leaves the scrapes alone when it fails, and works again when it can (B43)', async (t) => {
    const { site, timed } = await start(t, (origin) => pulsing(origin, '/prices?of={ids}'));
    const due = async () => (await timed.client.call('project.get', { id: 'a' })).targets[0]?.dueAt;
    const before = await due();
    site.answer('/prices', { status: 404 });
    await timed.pass(31 * second);
    assert.equal(await due(), before);
    assert.equal(await priceOf(timed, 'a'), '1.00');
    site.answer('/prices', table({ a: '3.00' }));
    await timed.pass(30 * second);
    await timed.settle();
    assert.equal(await priceOf(timed, 'a'), '3.00');
  });
});
