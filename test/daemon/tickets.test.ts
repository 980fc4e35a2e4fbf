import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { join } from 'node:path';
import { run } from '../cli/terminal.ts';
import { openReceiver } from '../publish/receiver.ts';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { json, listSource } from './lists/listing.ts';
import { settingsOf, startTimed } from './passing.ts';
import { nth, soon } from './tracking.ts';

describe('a target that gives less than it did', () => {
  test('has a ticket at once, which is shown wherever it is, and is resolved when it gave all twice again', async (t) => {
    const site = await openSite(t, { '/lamp': productPage('A', '1.00') });
    const daemon = await startDaemon(t, { sources: { shop: productSource('shop') }, settings: soon });
    const { client, socket } = daemon;
    await client.call('project.add', { id: 'lamp', targets: [{ source: 'shop', url: site.url('/lamp') }] });
    await nth(1, 'scrape.completed', 'lamp', daemon);

    site.answer('/lamp', '<!doctype html><h1>A</h1><p class="state">live</p>');
    await client.call('project.rescrape', { id: 'lamp' });
    const { data } = await nth(1, 'ticket.opened', 'lamp', daemon);
    const lost = { kind: 'field', record: 'product', field: 'price', measure: 'fill', observed: 0 };
    assert.deepEqual(
      [data.scrape, data.symptoms, data.samples],
      [2, [{ ...lost, expected: { median: 1 }, of: 1 }], [site.url('/lamp')]],
    );
    const views: readonly (readonly [readonly string[], RegExp])[] = [
      [['list'], /1 with tickets/],
      [
        ['show', 'lamp'],
        /active ticket[^]*tickets +1, since [-\d: ]+: product\.price: share of records with it 0, usually 1/,
      ],
      [['why', 'lamp'], /active ticket[^]*tickets +1, since [-\d: ]+: product\.price: share/],
      [['sources'], /shop\s+ticket[^]*shop: ticket 1, since [-\d: ]+: product\.price: share/],
      [['status'], /tickets +1 open: heronry tickets/],
    ];
    for (const [args, shown] of views) {
      assert.match((await run([...args, '--socket', socket])).out, shown);
      assert.match((await run([...args, '--json', '--socket', socket])).out, /"tickets?"/);
    }

    site.answer('/lamp', '<!doctype html><p>Please accept our cookies.</p>');
    await client.call('project.rescrape', { id: 'lamp' });
    await nth(1, 'scrape.failed', 'lamp', daemon);
    const empty = await nth(1, 'ticket.changed', 'lamp', daemon);
    assert.deepEqual(
      [empty.data.ticket, empty.data.symptoms.map(({ kind }) => kind)],
      [data.ticket, ['field', 'records']],
    );

    site.answer('/lamp', productPage('A', '1.00'));
    for (const count of [2, 3]) {
      await client.call('project.rescrape', { id: 'lamp' });
      await nth(count + 1, 'scrape.completed', 'lamp', daemon);
    }
    const over = await nth(1, 'ticket.resolved', 'lamp', daemon);
    assert.deepEqual([over.data.by, over.data.openedAt], ['healthy', data.openedAt]);
    const { targets } = await client.call('project.get', { id: 'lamp' });
    assert.deepEqual([targets[0]?.conditions, targets[0]?.tickets], [[], undefined]);
  });

  test('may be a list of which less than half is left', async (t) => {
    const site = await openSite(t);
    const show = (count: number) =>
      site.answer('/list', json({ items: Array.from({ length: count }, (_, id) => ({ id: `${id}`, title: 'T' })) }));
    const sources = { list: listSource('feed: { by: link }') };
    const daemon = await startDaemon(t, { sources, settings: soon });
    show(12);
    await daemon.client.call('project.add', { id: 'all', targets: [{ source: 'list', url: site.url('/list') }] });
    await nth(1, 'scrape.completed', 'all', daemon);
    show(5);
    await daemon.client.call('project.rescrape', { id: 'all' });
    const { data } = await nth(1, 'ticket.opened', 'all', daemon);
    assert.deepEqual(
      data.symptoms.map(({ kind, observed, of }) => [kind, observed, of]),
      [
        ['records', 5, undefined],
        ['missing', 7 / 12, 12],
      ],
    );
    assert.equal((await daemon.client.call('source.get', { id: 'list' })).tickets?.length, 1);
    await daemon.client.call('project.archive', { id: 'all' });
    assert.equal((await daemon.client.call('source.get', { id: 'list' })).tickets, undefined);
  });

  test('is compared anew where another version changes the rule of a field, and only there, and each scrape and change has its version [P38]', async (t) => {
    const site = await openSite(t, { '/lamp': productPage('A', '1.00') });
    const shop = productSource('shop');
    const daemon = await startDaemon(t, { sources: { shop }, settings: soon });
    const { client } = daemon;
    await client.call('project.add', { id: 'lamp', targets: [{ source: 'shop', url: site.url('/lamp') }] });
    await nth(1, 'scrape.completed', 'lamp', daemon);

    await daemon.define('shop', shop.replace('css: .price', 'css: .cost'));
    assert.deepEqual((await client.call('source.reload', {})).changed, ['shop']);
    site.answer('/lamp', '<!doctype html><h1>A</h1>');
    await client.call('project.rescrape', { id: 'lamp' });
    const { data } = await nth(1, 'ticket.opened', 'lamp', daemon);
    assert.deepEqual(
      data.symptoms.map((symptom) => ('field' in symptom ? symptom.field : symptom.kind)),
      ['state'],
    );

    site.answer('/lamp', '<!doctype html><h1>A</h1><p class="state">gone</p>');
    await client.call('project.rescrape', { id: 'lamp' });
    await nth(3, 'scrape.completed', 'lamp', daemon);
    const { scrapes } = await client.call('scrape.list', { project: 'lamp' });
    const [third, second, first] = scrapes.map(({ version }) => version);
    assert.equal(third, second);
    assert.notEqual(second, first);
    const { changes } = await client.call('project.history', { id: 'lamp' });
    assert.deepEqual(
      changes.map(({ version }) => version),
      [third, first],
    );
  });

  const vault = { keep: 86_400_000, maxBytes: 1024 ** 2 };

  test('has a cause, named by the last good and the first bad page, which are kept', async (t) => {
    const page = (name: string) =>
      `<!doctype html><h1>A</h1><div class="offer"><p class="${name}">EUR 12.50</p></div><p class="state">live</p>`;
    const site = await openSite(t, { '/lamp': page('price') });
    const daemon = await startDaemon(t, { sources: { shop: productSource('shop') }, settings: soon, vault });
    const { client, socket } = daemon;
    await client.call('project.add', { id: 'lamp', targets: [{ source: 'shop', url: site.url('/lamp') }] });
    await nth(1, 'scrape.completed', 'lamp', daemon);
    site.answer('/lamp', page('amount'));
    await client.call('project.rescrape', { id: 'lamp' });
    const { data } = await nth(1, 'ticket.changed', 'lamp', daemon);
    assert.deepEqual(
      [data.what, data.cause?.kind, data.cause?.rules],
      [
        'the cause is rule lost',
        'rule_lost',
        [{ record: 'product', field: 'price', place: '.price', before: 1, after: 0 }],
      ],
    );
    assert.match(
      (await run(['ticket', '1', '--socket', socket])).out,
      /cause +rule lost[^]*last good \S+, first bad \S+;/,
    );
    const bad = data.pages?.bad ?? '';
    const sources = join(daemon.folder, 'sources');
    const { out } = await run(['try', 'shop', '--kept', bad, '--sources', sources, '--socket', socket]);
    assert.match(out, /price +no place matched/);
    assert.match((await run(['page', bad, '--socket', socket])).out, /class="amount"/);
  });

  test('tells no change of a field that a ticket is about: it is held, shown with the ticket, told again by none, and published once that is accepted [P34]', async (t) => {
    const site = await openSite(t);
    const show = (title: (at: number) => string) =>
      site.answer('/list', json({ items: Array.from({ length: 12 }, (_, at) => ({ id: `${at}`, title: title(at) })) }));
    const sources = { list: listSource('feed: { by: link, revisit: { every: 1s } }') };
    const daemon = await startDaemon(t, { sources, settings: soon });
    const { client, socket } = daemon;
    show((at) => `Lamp number ${at}`);
    await client.call('project.add', { id: 'all', targets: [{ source: 'list', url: site.url('/list') }] });
    await nth(1, 'scrape.completed', 'all', daemon);
    for (const count of [2, 3]) {
      show(() => 'Loading');
      await client.call('project.rescrape', { id: 'all' });
      await nth(count, 'scrape.completed', 'all', daemon);
    }
    const { data } = await nth(1, 'ticket.opened', 'all', daemon);
    assert.deepEqual(
      data.symptoms.map(({ kind, field }) => [kind, field]),
      [['values', 'title']],
    );
    const { occurrences } = await client.call('ticket.get', { ticket: data.ticket });
    assert.deepEqual([occurrences, (await client.call('ticket.list', {})).tickets.length], [2, 1]);
    const changes = () => daemon.events.filter(({ type }) => type === 'record.changed').length;
    assert.equal(changes(), 0);
    assert.match(
      (await run(['held', '--socket', socket])).out,
      /list, target 1: 12 records of type item have unusual values in title, ticket 1,[^]*list item 0\s+title\s+.*Loading\s+unusual, ticket 1/,
    );
    await run(['ticket', '1', '--accept', '--socket', socket]);
    await nth(1, 'value.released', 'all', daemon);
    assert.equal(changes(), 12);
    assert.match((await run(['held', '--socket', socket])).err, /nothing is held/);
  });

  test('is sent to a webhook, which is tried again where it fails [P36]', async (t) => {
    const receiver = await openReceiver(t);
    receiver.answer(() => ({ status: receiver.all.length === 0 ? 503 : 200 }));
    const hook = `id: team\nwebhook: { url: "${receiver.url}", allowPrivate: true }\nfrom: all\nevents: [ticket.*]\nretry: { first: 50ms }\n`;
    const site = await openSite(t, { '/lamp': productPage('A', '1.00') });
    const daemon = await startDaemon(t, {
      sources: { shop: productSource('shop') },
      sinks: { team: hook },
      settings: soon,
    });
    await daemon.client.call('project.add', { id: 'lamp', targets: [{ source: 'shop', url: site.url('/lamp') }] });
    await nth(1, 'scrape.completed', 'lamp', daemon);
    site.answer('/lamp', '<!doctype html><h1>A</h1><p class="state">live</p>');
    await daemon.client.call('project.rescrape', { id: 'lamp' });
    await receiver.until(1);
    const told = receiver.all.map(
      ({ body }) => body as { readonly type: string; readonly data: { readonly ticket: number } },
    );
    assert.deepEqual(
      told.slice(0, 2).map(({ type, data }) => [type, data.ticket]),
      [
        ['ticket.opened', 1],
        ['ticket.opened', 1],
      ],
    );
  });

  test('may break what its definition expects of it, which is told as the definition says it', async (t) => {
    const site = await openSite(t, { '/lamp': productPage('A', '1.00') });
    const sources = { shop: productSource('shop').replace('key: sku', 'key: sku\n    expect: price.min >= 5') };
    const daemon = await startDaemon(t, { sources, settings: soon });
    await daemon.client.call('project.add', { id: 'lamp', targets: [{ source: 'shop', url: site.url('/lamp') }] });
    const { data } = await nth(1, 'ticket.opened', 'lamp', daemon);
    assert.deepEqual(data.symptoms, [
      { kind: 'rule', record: 'product', measure: 'price.min >= 5', observed: 1, figures: { 'price.min': 1 } },
    ]);
    assert.match(
      (await run(['tickets', '--socket', daemon.socket])).out,
      /product: expected price\.min >= 5, but price\.min is 1/,
    );
  });
});

test('the end of a snooze is told when it is over, though no scrape shows the ticket then', async (t) => {
  const site = await openSite(t, { '/lamp': productPage('A', '1.00') });
  const shop = productSource('shop').replace('every: 1h', 'every: 30d');
  const timed = await startTimed(t, { sources: { shop }, settings: settingsOf({}) });
  await timed.track('lamp', { source: 'shop', url: site.url('/lamp') });
  await timed.pass(2_000);
  site.answer('/lamp', '<!doctype html><h1>A</h1><p class="state">live</p>');
  await timed.client.call('project.rescrape', { id: 'lamp' });
  await timed.pass(10_000);
  const opened = await timed.event(({ type }) => type === 'ticket.opened');
  await timed.client.call('ticket.snooze', { ticket: 1, forMs: 60_000 });
  const changes = () => timed.events.flatMap((each) => (each.type === 'ticket.changed' ? [each.data.change] : []));
  await timed.pass(59_000);
  assert.deepEqual([opened.type, changes()], ['ticket.opened', ['snoozed']]);
  await timed.pass(2_000);
  assert.deepEqual(changes(), ['snoozed', 'unsnoozed']);
});
