import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import type { Event } from '../../src/event/catalogue.ts';
import { startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { nth, soon } from './tracking.ts';

const vault = { keep: 86_400_000, maxBytes: 1024 ** 2 };

/** What a definition says beside its records. */
const polite = `allowPrivate: true
robots: ignore
retry: { times: 0 }
politeness: { autoThrottle: false, delay: 1ms, minDelay: 1ms }`;

/** How the site of the kettles is laid out: the classes of a kettle and its maker in the list, and of a price. */
interface Layout {
  readonly tile: string;
  readonly maker: string;
  readonly price: string;
  /** Kettle 3 costs something else since. */
  readonly isDearer?: boolean;
}

const before: Layout = { tile: 'kettle', maker: 'maker', price: 'price' };

const numbers = Array.from({ length: 12 }, (_, at) => at);

/** A list of twelve kettles that leads to a page of each, which has its price. */
function pagesOf({ tile, maker, price, isDearer = false }: Layout): Record<string, string> {
  const amountOf = (at: number) => (at === 3 && isDearer ? '99.00' : (8 + at * 2.5).toFixed(2));
  const tiles = numbers.map(
    (at) => `<li class="${tile}"><a href="/p/${at}">Kettle ${at}</a><i class="${maker}">Maker ${at % 5}</i></li>`,
  );
  const shown = numbers.map((at): [string, string] => [
    `/p/${at}`,
    `<!doctype html><h1>Kettle ${at}</h1><p class="${price}">EUR ${amountOf(at)}</p><p class="weight">${900 + at * 7} g</p>`,
  ]);
  return { '/': `<!doctype html><ul>${tiles.join('')}</ul>`, ...Object.fromEntries(shown) };
}

const crawled = `id: shop
${polite}
crawl: { detail: ['/p/\\d+$'] }
records:
  kettle:
    key: name
    fields:
      name: h1
      price: { css: .price, type: money } # in euros
      weight: .weight
`;

const listed = `id: shop
${polite}
records:
  kettle:
    key: name
    each: .kettle # not .tip
    fields:
      name: a
      maker: .maker
    page:
      url: a
      fields:
        price: { css: .price, type: money } # in euros
        weight: .weight
`;

/** The source of the kettles, which has been read as it was, and then as it is laid out now: its ticket with what is proposed. */
async function changed(t: TestContext, definition: string, now: Layout) {
  const site = await openSite(t, pagesOf(before));
  const daemon = await startDaemon(t, { sources: { shop: definition }, settings: soon, vault });
  const { client, folder, events } = daemon;
  await client.call('project.add', { id: 'all', targets: [{ source: 'shop', url: site.url('/') }] });
  await nth(1, 'scrape.completed', 'all', daemon);
  for (const [path, page] of Object.entries(pagesOf(now))) site.answer(path, page);
  await client.call('project.rescrape', { id: 'all', wish: { full: true } });
  await daemon.event(isProposal);
  const ticket = await client.call('ticket.get', { ticket: 1 });
  return { ...daemon, site, ticket, told: events.length, file: join(folder, 'sources', 'shop.yaml') };
}

/** Whether an event tells that repairs are proposed. */
function isProposal(event: Event): boolean {
  return event.type === 'ticket.changed' && event.data.change === 'proposed';
}

/** Makes the first repair, reads the site until the ticket ends, and expects that nothing is told but the other price of kettle 3. */
async function repaired(daemon: Awaited<ReturnType<typeof changed>>): Promise<string> {
  const { client, events, told, file } = daemon;
  const scrapes = () => events.filter(({ type }) => type === 'scrape.completed').length;
  const made = await client.call('ticket.repair', { ticket: 1, proposal: 1 });
  const written = await readFile(file, 'utf8');
  await nth(scrapes() + 1, 'scrape.completed', 'all', daemon);
  await client.call('reextraction.get', { job: made.job ?? 0, wait: true });
  const { records } = await client.call('project.records', { id: 'all' });
  assert.deepEqual(
    new Map(records.map(({ key, fields }) => [key, fields['price']?.value])),
    new Map(
      numbers.map((at) => [
        `Kettle ${at}`,
        { amount: at === 3 ? '99.00' : (8 + at * 2.5).toFixed(2), currency: 'EUR' },
      ]),
    ),
  );
  await client.call('project.rescrape', { id: 'all', wish: { full: true } });
  const over = await nth(1, 'ticket.resolved', 'all', daemon);
  assert.deepEqual([over.data.by, over.data.repaired?.by], ['healthy', 'person']);
  const untrue = events
    .slice(told)
    .filter(
      ({ type, data }) =>
        type === 'ticket.opened' || (type.startsWith('record.') && (!('key' in data) || data.key !== 'Kettle 3')),
    );
  assert.deepEqual(untrue, []);
  return written;
}

describe('a repair of a source that reads many pages', () => {
  test('gives the pages of a crawl another rule, and what they have hidden', async (t) => {
    const daemon = await changed(t, crawled, { ...before, price: 'cost', isDearer: true });
    assert.deepEqual(daemon.ticket.repairs?.proposals[0]?.changes, [
      { record: 'kettle', field: 'price', before: '.price', to: { css: '.cost' } },
    ]);
    assert.equal(await repaired(daemon), crawled.replace('css: .price', 'css: .cost'));
  });

  test('gives the pages that items of a list lead to another rule, where the definition has it', async (t) => {
    const daemon = await changed(t, listed, { ...before, price: 'cost', isDearer: true });
    const { changes, kept, isSafe } = daemon.ticket.repairs?.proposals[0] ?? {};
    assert.deepEqual(changes, [{ record: 'kettle', field: 'price', before: '.price', to: { css: '.cost' } }]);
    const [kettles] = kept ?? [];
    assert.deepEqual([kettles?.kept, isSafe], [kettles?.of, true]);
    const { client, file } = daemon;
    await writeFile(file, listed.replace('name: a', 'name: li a'));
    await assert.rejects(
      client.call('ticket.repair', { ticket: 1 }),
      /changed since the repair was proposed; by hand, write records\.kettle\.page\.fields\.price: \.cost$/,
    );
    await writeFile(file, listed);
    assert.equal(await repaired(daemon), listed.replace('css: .price', 'css: .cost'));
  });

  test('gives a list and the pages of its items other rules at once', async (t) => {
    const daemon = await changed(t, listed, { ...before, maker: 'brand', price: 'cost', isDearer: true });
    assert.deepEqual(daemon.ticket.repairs?.proposals[0]?.changes, [
      { record: 'kettle', field: 'maker', before: '.maker', to: { css: '.brand' } },
      { record: 'kettle', field: 'price', before: '.price', to: { css: '.cost' } },
    ]);
    const written = listed.replace('maker: .maker', 'maker: .brand').replace('css: .price', 'css: .cost');
    assert.equal(await repaired(daemon), written);
  });

  test('finds the items of a list that lead to pages which are as before', async (t) => {
    const daemon = await changed(t, listed, { ...before, tile: 'tile', isDearer: true });
    assert.deepEqual(daemon.ticket.repairs?.proposals[0]?.changes, [
      { record: 'kettle', before: '.kettle', to: { css: '.tile' } },
    ]);
    assert.equal(await repaired(daemon), listed.replace('each: .kettle', 'each: .tile'));
  });
});
