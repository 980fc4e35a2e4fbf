import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { run } from '../cli/terminal.ts';
import { productPage, productSource, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { json, listSource } from './lists/listing.ts';
import { nth, soon } from './tracking.ts';

const guarded = (guards: string): string =>
  productSource('shop').replace('{ css: .price, type: money }', `{ css: .price, type: money, ${guards} }`);

/** Scrapes a project once more. Resolves once its `count`th scrape is complete. */
async function again(count: number, project: string, daemon: TestDaemon): Promise<void> {
  await daemon.client.call('project.rescrape', { id: project });
  await nth(count, 'scrape.completed', project, daemon);
}

async function recordsOf(source: string, { client }: TestDaemon) {
  return (await client.call('source.records', { id: source, limit: 100 })).records;
}

async function priceOf(daemon: TestDaemon): Promise<unknown> {
  const [record] = await recordsOf('shop', daemon);
  return (record?.fields['price']?.value as { readonly amount: string } | undefined)?.amount;
}

const titlesOf = async (daemon: TestDaemon) =>
  (await recordsOf('list', daemon)).map(({ fields }) => fields['title']?.value);

const history = async ({ client }: TestDaemon, id: string) => (await client.call('project.history', { id })).changes;

async function startShop(t: Parameters<typeof openSite>[0], guards: string) {
  const site = await openSite(t, { '/lamp': productPage('A', '100.00') });
  const daemon = await startDaemon(t, { sources: { shop: guarded(guards) }, settings: soon });
  await daemon.client.call('project.add', { id: 'lamp', targets: [{ source: 'shop', url: site.url('/lamp') }] });
  await nth(1, 'scrape.completed', 'lamp', daemon);
  let scrapes = 1;
  const show = async (price: string): Promise<void> => {
    site.answer('/lamp', productPage('A', price));
    await again((scrapes += 1), 'lamp', daemon);
  };
  return { site, daemon, show, socket: daemon.socket, client: daemon.client };
}

describe('a price that jumps', () => {
  test('is held, told once, and shown as held, and the price that was known stays and is not verified', async (t) => {
    const { site, daemon, show, socket } = await startShop(t, 'hold: { jump: 80% }');
    await show('1.00');
    const { data } = await nth(1, 'value.held', 'lamp', daemon);
    assert.deepEqual([data.kind, data.field, data.count], ['jump', 'price', 1]);
    assert.deepEqual(data.examples, [
      {
        type: 'product',
        key: 'A',
        old: { amount: '100.00', currency: 'EUR' },
        new: { amount: '1.00', currency: 'EUR' },
      },
    ]);
    assert.equal(await priceOf(daemon), '100.00');
    assert.equal((await history(daemon, 'lamp')).length, 1);
    const [record] = await recordsOf('shop', daemon);
    assert.ok((record?.fields['price']?.verifiedAt ?? 0) < (record?.fields['sku']?.verifiedAt ?? 0));
    assert.match((await run(['held', '--socket', socket])).out, /shop product A\s+price\s+.*100\.00.*1\.00.*jump/);
    assert.match(
      (await run(['show', 'lamp', '--socket', socket])).out,
      /shop product A: price: .*1\.00.* is held since/,
    );
    const tried = await run(['try', 'shop', site.url('/lamp'), '--socket', socket]);
    assert.match(tried.out, /product A: price is not believed, it is held; what is known is \{"amount":"100\.00"/);
    assert.match((await run(['records', 'shop', '--socket', socket])).out, /"held":\{"price":\{"kind":"jump"/);
  });

  test('is believed on a second look', async (t) => {
    const { daemon, show } = await startShop(t, 'hold: { jump: 80% }');
    await show('1.00');
    await show('1.00');
    const released = await nth(1, 'value.released', 'lamp', daemon);
    assert.equal(released.data.by, 'look');
    assert.equal(await priceOf(daemon), '1.00');
    const [change] = await history(daemon, 'lamp');
    assert.deepEqual([change?.kind, change?.scrape, Object.keys(change?.fields ?? {})], ['changed', 2, ['price']]);
    const told = await nth(1, 'record.changed', 'lamp', daemon);
    assert.equal(told.id, change?.serial);
  });

  test('is forgotten when the page shows what it showed before, or another plausible price', async (t) => {
    const { daemon, show, client } = await startShop(t, 'hold: { jump: 80% }');
    await show('1.00');
    await show('101.00');
    assert.equal((await nth(1, 'value.rejected', 'lamp', daemon)).data.by, 'source');
    assert.equal(await priceOf(daemon), '101.00');
    assert.deepEqual((await client.call('held.list', {})).values, []);
  });

  test('is published by a person as the change that it was, once', async (t) => {
    const { daemon, show, socket } = await startShop(t, 'hold: { jump: 80% }');
    await show('1.00');
    assert.match((await run(['held', 'release', 'shop', 'A', '--socket', socket])).out, /^released 1 value$/m);
    assert.match((await run(['held', 'release', 'shop', 'A', '--socket', socket])).out, /^released 0 values$/m);
    assert.equal(await priceOf(daemon), '1.00');
    const [record] = await recordsOf('shop', daemon);
    const [change, ...others] = await history(daemon, 'lamp');
    assert.deepEqual([change?.at, change?.scrape, others.length], [record?.fields['price']?.observedAt, 2, 1]);
    assert.equal((await nth(1, 'value.released', 'lamp', daemon)).data.by, 'person');
  });

  test('is not told again once a person has rejected it, as long as the page shows it', async (t) => {
    const { daemon, show, socket, client } = await startShop(t, 'hold: { jump: 80% }');
    await show('1.00');
    assert.match((await run(['held', 'reject', 'shop', '--all', '--socket', socket])).out, /^rejected 1 value$/m);
    await show('1.00');
    await show('1.00');
    assert.equal(await priceOf(daemon), '100.00');
    assert.deepEqual((await client.call('held.list', {})).values, []);
    await show('2.00');
    assert.equal((await nth(2, 'value.held', 'lamp', daemon)).data.examples.length, 1);
  });
});

test('a price and an availability that change are kept and told with the old and the new value and when they were seen (P40)', async (t) => {
  const { site, daemon, client } = await startShop(t, 'required: false');
  site.answer('/lamp', productPage('A', '90.00', 'sold out'));
  await again(2, 'lamp', daemon);
  const { id, data } = await nth(1, 'record.changed', 'lamp', daemon);
  const euros = (amount: string) => ({ amount, currency: 'EUR' });
  const fields = {
    price: { old: euros('100.00'), new: euros('90.00') },
    state: { old: 'live', new: 'sold out' },
  };
  assert.deepEqual(data.fields, fields);
  const [change] = await history(daemon, 'lamp');
  const [record] = (await client.call('source.records', { id: 'shop' })).records;
  assert.deepEqual([change?.serial, change?.fields, change?.at], [id, fields, record?.fields['price']?.observedAt]);
});

test('a price that must be confirmed is told once, when it was seen often enough, with when it was seen first', async (t) => {
  const { daemon, show } = await startShop(t, 'confirm: { times: 2, of: 3 }');
  await show('90.00');
  assert.equal(await priceOf(daemon), '100.00');
  const [waiting] = await recordsOf('shop', daemon);
  const firstSeenAt = waiting?.candidates?.['price']?.[0]?.observedAt;
  await show('90.00');
  const { data } = await nth(1, 'record.changed', 'lamp', daemon);
  assert.deepEqual([data.fields['price']?.firstSeenAt, await priceOf(daemon)], [firstSeenAt, '90.00']);
  await show('95.00');
  for (let sight = 0; sight < 3; sight += 1) await show('90.00');
  assert.equal((await history(daemon, 'lamp')).length, 2);
  assert.equal((await recordsOf('shop', daemon))[0]?.candidates, undefined);
  await show('95.00');
  await show('90.00');
  await show('95.00');
  assert.deepEqual([await priceOf(daemon), (await history(daemon, 'lamp')).length], ['95.00', 3]);
});

describe('a list', () => {
  async function startList(
    t: Parameters<typeof openSite>[0],
    count: number,
    more = 'feed: { by: link, revisit: { every: 1s } }',
  ) {
    const site = await openSite(t);
    const show = (titles: readonly string[]) =>
      site.answer('/list', json({ items: titles.map((title, id) => ({ id: `${id}`, title })) }));
    show(Array.from({ length: count }, (_, id) => `T${id}`));
    const daemon = await startDaemon(t, { sources: { list: listSource(more) }, settings: soon });
    await daemon.client.call('project.add', { id: 'all', targets: [{ source: 'list', url: site.url('/list') }] });
    await nth(1, 'scrape.completed', 'all', daemon);
    return { site, show, daemon, client: daemon.client, socket: daemon.socket };
  }

  test('of which a field is empty on all records at once holds that, until it shows values again', async (t) => {
    const { show, daemon, client, socket } = await startList(t, 6);
    show(Array.from({ length: 6 }, () => ''));
    await again(2, 'all', daemon);
    const { data } = await nth(1, 'value.held', 'all', daemon);
    assert.deepEqual([data.kind, data.record, data.field, data.count], ['empty', 'item', 'title', 6]);
    assert.deepEqual(await titlesOf(daemon), ['T0', 'T1', 'T2', 'T3', 'T4', 'T5']);
    assert.match((await run(['held', '--socket', socket])).out, /6 records of type item became empty in title/);
    show(Array.from({ length: 6 }, (_, id) => `U${id}`));
    await again(3, 'all', daemon);
    assert.equal((await nth(1, 'value.rejected', 'all', daemon)).data.by, 'source');
    assert.deepEqual(await titlesOf(daemon), ['U0', 'U1', 'U2', 'U3', 'U4', 'U5']);
    const held = await client.call('held.list', {});
    assert.deepEqual([held.together, held.values], [[], []]);
  });

  test('of which a field is empty is believed once a person has released it', async (t) => {
    const { show, daemon, client } = await startList(t, 6);
    show(Array.from({ length: 6 }, () => ''));
    await again(2, 'all', daemon);
    assert.deepEqual(await client.call('held.release', { source: 'list', field: 'title' }), { values: 6, missing: 0 });
    assert.ok((await recordsOf('list', daemon)).every(({ fields }) => fields['title']?.value === null));
    const { data } = await nth(6, 'record.changed', 'all', daemon);
    assert.equal(data.fields['title']?.new, null);
    assert.equal((await client.call('held.list', {})).values.length, 0);
  });

  test('of which most items are gone at once holds that they are missing, until a person releases it', async (t) => {
    const { show, daemon, client, socket } = await startList(t, 12);
    const full = { id: 'all', wish: { full: true } } as const;
    const titles = Array.from({ length: 12 }, (_, id) => `T${id}`);
    const missing = async () => (await recordsOf('list', daemon)).filter(({ absent }) => absent !== undefined).length;
    show(titles.slice(0, 5));
    await client.call('project.rescrape', full);
    const { data } = await nth(1, 'value.held', 'all', daemon);
    assert.deepEqual([data.kind, data.count, data.examples.length], ['missing', 7, 7]);
    assert.equal(await missing(), 0);
    assert.match((await run(['held', '--socket', socket])).out, /list, target 1: 7 records were not found any more/);

    show(titles.slice(0, 11));
    await client.call('project.rescrape', full);
    assert.equal((await nth(1, 'value.rejected', 'all', daemon)).data.by, 'source');
    await nth(1, 'record.missing', 'all', daemon);
    assert.equal(await missing(), 1);

    show(titles.slice(0, 5));
    await client.call('project.rescrape', full);
    await nth(2, 'value.held', 'all', daemon);
    assert.deepEqual(await client.call('held.release', { source: 'list', all: true }), { values: 0, missing: 6 });
    assert.equal(await missing(), 7);
    await nth(7, 'record.missing', 'all', daemon);
    assert.equal((await client.call('held.list', {})).together.length, 0);
  });
});
