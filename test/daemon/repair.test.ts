import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import type { Event } from '../../src/event/catalogue.ts';
import { run } from '../cli/terminal.ts';
import { productPage, productPageRecords, products, redesignedPage } from '../drill/product-pages.ts';
import { startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { nth, soon } from './tracking.ts';

const vault = { keep: 86_400_000, maxBytes: 1024 ** 2 };

/** A definition of a list of kettles. */
const definition = (more = ''): string => `# Kettles, as of May.
id: shop
allowPrivate: true
robots: ignore
retry: { times: 0 }
politeness: { autoThrottle: false, delay: 1ms, minDelay: 1ms }
${more}
records:
  kettle:
    key: name
    each: .kettle
    fields:
      name: h2
      price: { css: .price, type: money } # in euros
`;

/** A page of twelve kettles whose prices stand in elements of a class. */
const kettles = (name: string, price = (at: number) => (8 + at * 2.5).toFixed(2)): string =>
  `<!doctype html><ul>${Array.from(
    { length: 12 },
    (_, at) => `<li class="kettle"><h2>Kettle ${at}</h2><p class="${name}">EUR ${price(at)}</p></li>`,
  ).join('')}</ul>`;

/** A list whose prices have another class since its first scrape, and its ticket with what is proposed. */
async function renamed(t: TestContext, more = '') {
  const site = await openSite(t, { '/kettles': kettles('price') });
  const daemon = await startDaemon(t, { sources: { shop: definition(more) }, settings: soon, vault });
  const { client, socket, folder } = daemon;
  await client.call('project.add', { id: 'all', targets: [{ source: 'shop', url: site.url('/kettles') }] });
  await nth(1, 'scrape.completed', 'all', daemon);
  const file = join(folder, 'sources', 'shop.yaml');
  const cli = (...words: string[]) => run([...words, '--socket', socket]);
  return { ...daemon, site, file, cli };
}

/** The prices of all kettles by name, as they are known. */
async function pricesOf({ client }: Awaited<ReturnType<typeof renamed>>): Promise<Record<string, unknown>> {
  const { records } = await client.call('project.records', { id: 'all' });
  return Object.fromEntries(records.map(({ key, fields }) => [key, fields['price']?.value]));
}

/** Whether an event tells that repairs are proposed. */
function isProposal(event: Event): boolean {
  return event.type === 'ticket.changed' && event.data.repairs !== undefined && event.data.change === 'proposed';
}

describe('a repair of a source whose site has changed', () => {
  test('is proposed, shown, made by a person, and corrects what the kept page has hidden; nothing false is told', async (t) => {
    const daemon = await renamed(t);
    const { client, cli, site, file, events } = daemon;
    // The class is another, and one price as well.
    site.answer(
      '/kettles',
      kettles('cost', (at) => (at === 3 ? '99.00' : (8 + at * 2.5).toFixed(2))),
    );
    await client.call('project.rescrape', { id: 'all' });
    await daemon.event(isProposal);
    const shown = (await cli('ticket', '1')).out;
    assert.match(
      shown,
      /repairs:\n  1\. kettle\.price: \.price → \.cost\n +keeps 12 of 12 kettles, 12 of 12 name, 11 of 12 price \(1 changed\)/,
    );
    const dry = await cli('ticket', '1', '--accept', '1', '--dry-run');
    assert.match(
      dry.out,
      /-       price: { css: \.price, type: money } # in euros\n\+       price: { css: \.cost, type: money } # in euros/,
    );
    assert.equal(await readFile(file, 'utf8'), definition());

    const told = events.length;
    const made = await cli('ticket', '1', '--accept', '1', '--as', 'ada');
    assert.match(
      made.out,
      /is written:[^]*ticket 1: 1 target will be scraped, kept pages are read again by job 1\n$/,
      made.err,
    );
    assert.equal(await readFile(file, 'utf8'), definition().replace('css: .price', 'css: .cost'));
    await nth(3, 'scrape.completed', 'all', daemon);
    await client.call('reextraction.get', { job: 1, wait: true });
    assert.deepEqual((await pricesOf(daemon))['Kettle 3'], { amount: '99.00', currency: 'EUR' });
    const { changes } = await client.call('project.history', { id: 'all', field: 'price' });
    const [last] = changes.filter(({ key }) => key === 'Kettle 3');
    assert.deepEqual(last?.fields['price'], {
      old: { amount: '15.50', currency: 'EUR' },
      new: { amount: '99.00', currency: 'EUR' },
    });
    await client.call('project.rescrape', { id: 'all' });
    const over = await nth(1, 'ticket.resolved', 'all', daemon);
    assert.deepEqual([over.data.by, over.data.repaired?.by], ['healthy', 'person']);
    const untrue = events
      .slice(told)
      .filter(
        ({ type, data }) =>
          type === 'ticket.opened' || (type.startsWith('record.') && (!('key' in data) || data.key !== 'Kettle 3')),
      );
    assert.deepEqual(untrue, []);
    const { log } = await client.call('ticket.get', { ticket: 1 });
    assert.deepEqual(log.map(({ what, by }) => [what, by]).slice(2, 4), [
      ['4 repairs are proposed', undefined],
      ['repaired: kettle.price is {"css":".cost"}', 'ada'],
    ]);
  });

  test('says what to write where the file cannot be written, was changed since, or is not asked for rightly', async (t) => {
    const daemon = await renamed(t);
    const { client, cli, site, file } = daemon;
    site.answer('/kettles', kettles('cost'));
    await client.call('project.rescrape', { id: 'all' });
    await daemon.event(isProposal);
    const before = await readFile(file, 'utf8');
    await writeFile(file, before.replace('name: h2', 'name: .kettle h2'));
    const changed = await cli('ticket', '1', '--accept', '1');
    assert.match(
      changed.err,
      /shop\.yaml: it has changed since the repair was proposed; by hand, write records\.kettle\.fields\.price: \.cost/,
    );
    await writeFile(file, before);
    // Where the new file would be written beside the old one.
    const beside = join(dirname(file), '.shop.yaml.new');
    await mkdir(beside);
    const unwritten = await cli('ticket', '1', '--accept', '1');
    assert.match(
      unwritten.err,
      /shop\.yaml: .*; by hand, write line \d+: price: \{ css: \.cost, type: money \} # in euros$/m,
    );
    await rm(beside, { recursive: true });
    if (process.getuid?.() !== 0) {
      await chmod(file, 0o400);
      assert.match((await cli('ticket', '1', '--accept', '1')).err, /shop\.yaml: permission denied; by hand, write/);
      await chmod(file, 0o600);
    }
    for (const none of ['0', '5', '7']) {
      const { status, err } = await cli('ticket', '1', '--accept', none);
      assert.equal(status, 3);
      assert.match(err, new RegExp(`^heronry: ticket 1 has \\d repairs: expected 1 to \\d, got ${none}\n$`));
    }
    assert.match((await cli('ticket', '1', '--dry-run')).err, /expected --accept and the number of a repair/);
    assert.equal(await readFile(file, 'utf8'), before);
  });

  test('is made without a person where its source says so and all is as it was known, once; then it is proposed', async (t) => {
    const daemon = await renamed(t, 'repair: auto');
    const { client, site, file, events } = daemon;
    site.answer('/kettles', kettles('cost'));
    await client.call('project.rescrape', { id: 'all' });
    const made = await daemon.event((event) => event.type === 'ticket.changed' && event.data.repaired !== undefined);
    assert.equal('what' in made.data && made.data.what, 'repaired without a person: kettle.price is {"css":".cost"}');
    assert.match(await readFile(file, 'utf8'), /css: \.cost, type: money/);
    await nth(3, 'scrape.completed', 'all', daemon);
    await client.call('project.rescrape', { id: 'all' });
    await nth(1, 'ticket.resolved', 'all', daemon);
    assert.equal(events.filter(({ type }) => type === 'record.changed').length, 0);

    site.answer('/kettles', kettles('amount'));
    await client.call('project.rescrape', { id: 'all' });
    await daemon.event(() => events.filter(isProposal).length === 2);
    const { repaired, repairs } = await client.call('ticket.get', { ticket: 1 });
    const { version } = made.type === 'ticket.changed' ? (made.data.repaired ?? {}) : {};
    assert.deepEqual([repaired, repairs?.version], [undefined, version]);
    assert.equal(repairs?.proposals[0]?.isSafe, true);
    assert.match(await readFile(file, 'utf8'), /css: \.cost, type: money/);
  });

  test('is proposed again by the same ticket where one that was made has not lasted', async (t) => {
    const daemon = await renamed(t, 'repair: auto');
    const { client, site, file, events } = daemon;
    site.answer('/kettles', kettles('cost'));
    await client.call('project.rescrape', { id: 'all' });
    await daemon.event((event) => event.type === 'ticket.changed' && event.data.repaired !== undefined);
    // Before the second healthy run, which would resolve the ticket.
    await nth(3, 'scrape.completed', 'all', daemon);
    site.answer('/kettles', kettles('amount'));
    await client.call('project.rescrape', { id: 'all' });
    await daemon.event(() => events.filter(isProposal).length === 2);
    const { repairs, log } = await client.call('ticket.get', { ticket: 1 });
    assert.deepEqual(repairs?.proposals[0]?.changes, [
      { record: 'kettle', field: 'price', before: '.cost', to: { css: '.amount' } },
    ]);
    assert.ok(log.some(({ what }) => what === 'seen again by the repaired definition'));
    assert.match(await readFile(file, 'utf8'), /css: \.cost, type: money/);
  });

  test('loads the file of its source alone: others that have changed wait to be reloaded', async (t) => {
    const daemon = await renamed(t);
    const { client, cli, site } = daemon;
    const other = definition().replace('id: shop', 'id: other');
    await daemon.define('other', other);
    await client.call('source.reload', {});
    const versions = async () => {
      const { sources } = await client.call('source.list', {});
      return Object.fromEntries(sources.map(({ id, version }) => [id, version]));
    };
    const before = await versions();
    site.answer('/kettles', kettles('cost'));
    await client.call('project.rescrape', { id: 'all' });
    await daemon.event(isProposal);
    await daemon.define('other', other.replace('css: .price', 'css: .fee'));
    await daemon.define('third', definition().replace('id: shop', 'id: third'));
    assert.equal((await cli('ticket', '1', '--accept', '1')).status, 0);
    const after = await versions();
    assert.deepEqual([after['other'], after['third']], [before['other'], undefined]);
    assert.notEqual(after['shop'], before['shop']);
    assert.deepEqual((await client.call('source.reload', {})).changed, ['other', 'third']);
  });

  test('is searched anew for another definition, and those of the one before are for a person to write', async (t) => {
    const daemon = await renamed(t);
    const { client, cli, site, events } = daemon;
    site.answer('/kettles', kettles('cost'));
    await client.call('project.rescrape', { id: 'all' });
    await daemon.event(isProposal);
    const { repairs } = await client.call('ticket.get', { ticket: 1 });
    await daemon.define('shop', definition().replace('name: h2', 'name: h2.kettle-name, h2'));
    await client.call('source.reload', {});
    const early = await cli('ticket', '1', '--accept', '1');
    if (early.status !== 0)
      assert.match(early.err, /has changed since .*; by hand, write records\.kettle\.fields\.price: \.cost/);
    await daemon.event(() => events.filter(isProposal).length === 2);
    const anew = await client.call('ticket.get', { ticket: 1 });
    assert.notEqual(anew.repairs?.version, repairs?.version);
    assert.equal((await cli('ticket', '1', '--accept', '1')).status, 0);
  });

  test('is searched again as more pages show the ticket, and is made without a person once they are enough', async (t) => {
    const shown = products(6);
    const places = shown.map(({ sku }) => `/p/${sku}`);
    const site = await openSite(t, Object.fromEntries(shown.map((product, at) => [places[at], productPage(product)])));
    const polite = definition().split('records:')[0] ?? '';
    const yaml = `${polite}repair: auto\nrecords: ${JSON.stringify(productPageRecords)}\n`;
    const daemon = await startDaemon(t, { sources: { shop: yaml }, settings: soon, vault });
    const { client, event, events } = daemon;
    const targets = places.map((path) => ({ source: 'shop', url: site.url(path) }));
    await client.call('project.add', { id: 'all', targets });
    await nth(targets.length, 'scrape.completed', 'all', daemon);
    for (const [at, product] of shown.slice(0, 2).entries()) site.answer(places[at] ?? '', redesignedPage(product));
    await client.call('project.rescrape', { id: 'all' });
    const first = await event(isProposal);
    assert.equal(first.type === 'ticket.changed' && first.data.repairs?.proposals[0]?.isSafe, false);
    for (const [at, product] of shown.entries()) site.answer(places[at] ?? '', redesignedPage(product));
    await client.call('project.rescrape', { id: 'all' });
    await event(({ data }) => 'change' in data && data.change === 'repaired');
    for (const _ of [1, 2]) {
      const done = events.filter(({ type }) => type === 'scrape.completed').length;
      await client.call('project.rescrape', { id: 'all' });
      await nth(done + targets.length, 'scrape.completed', 'all', daemon);
    }
    await nth(1, 'ticket.resolved', 'all', daemon);
    assert.deepEqual(
      events.filter(({ type }) => type === 'record.changed' || type === 'record.missing'),
      [],
    );
  });

  test('is judged by saved pages of the new layout alone, and says which are to be saved anew', async (t) => {
    const daemon = await renamed(t);
    const { client, site, folder, socket } = daemon;
    site.answer('/kettles', kettles('cost'));
    await client.call('project.rescrape', { id: 'all' });
    await daemon.event(isProposal);
    const saved = join(folder, 'fixtures', 'shop');
    await mkdir(saved, { recursive: true });
    await writeFile(join(saved, 'page.html'), kettles('cost'));
    const records = Array.from({ length: 12 }, (_, at) => ({
      type: 'kettle',
      key: `Kettle ${at}`,
      fields: { name: `Kettle ${at}`, price: { amount: (8 + at * 2.5).toFixed(2), currency: 'EUR' } },
    }));
    await writeFile(join(saved, 'page.expected.json'), JSON.stringify({ url: site.url('/kettles'), records }));
    // Of the layout before, which the right repair does not read.
    await writeFile(join(saved, 'old.html'), kettles('price'));
    await writeFile(join(saved, 'old.expected.json'), JSON.stringify({ url: site.url('/kettles?a=1&b=2'), records }));
    const folders = ['--fixtures', join(folder, 'fixtures'), '--sources', join(folder, 'sources')];
    const cli = (...words: string[]) => run([...words, '--socket', socket, ...folders]);
    const shown = await cli('ticket', '1');
    assert.match(shown.out, /1\. kettle\.price: \.price → \.cost\n.*12 of 12 price, 1 of 1 saved page/);
    assert.match(
      shown.out,
      /\n  saved pages of the old layout, which the present rules read: 1\. They say nothing against a repair, /,
    );
    const made = await cli('ticket', '1', '--accept', '1');
    assert.equal(
      made.err,
      `1 saved page fails \`heronry test\`. What was saved before the site changed has the old layout: save it anew\n  heronry fixture add shop '${site.url('/kettles?a=1&b=2')}' --name old --force\n`,
    );
  });
});
