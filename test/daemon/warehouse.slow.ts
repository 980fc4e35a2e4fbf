import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Tables } from '../../src/publish/warehouse/table.ts';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { noPostgresql, openDatabase, postgresqlUrl } from '../support/servers/postgresql.ts';
import { suiteEnd } from '../support/servers/own-server.ts';
import { openSite } from '../support/site.ts';
import { answerBy, listSource } from './lists/listing.ts';
import { nth, soon } from './tracking.ts';

const sources = { shop: productSource('shop') };
const end = suiteEnd();

test(
  'a warehouse learns of each sighting of a record, though its file asks for records of one type alone',
  { skip: noPostgresql, timeout: 60_000 },
  async (t) => {
    const { client, rows, url } = await openDatabase(t, await postgresqlUrl(end));
    await new Tables('auto').with(client, 'shop_product', 'records', []);
    await client.query(`create function tell() returns trigger language plpgsql as
      $$ begin perform pg_notify('written', ''); return null; end $$`);
    await client.query(
      'create trigger tell after insert or update on shop_product for each row execute function tell()',
    );
    await client.query('listen written');

    const site = await openSite(t, { '/a': productPage('A', '12.50') });
    const sinks = { db: `id: db\npostgres: { url: "${url}" }\nfrom: { types: [product] }\n` };
    const daemon = await startDaemon(t, { sources, sinks, settings: soon });
    const added = once(client, 'notification');
    await daemon.client.call('project.add', { id: 'solar', targets: [{ source: 'shop', url: site.url('/a') }] });
    await added;
    const [first] = await rows(
      'select meta_created, meta_updated, price_amount::text as price, state from shop_product',
    );
    assert.deepEqual([first?.['price'], first?.['state']], ['12.50', 'live']);

    await nth(1, 'scrape.completed', 'solar', daemon);
    const seen = once(client, 'notification');
    await daemon.client.call('project.rescrape', { id: 'solar' });
    await seen;
    const [second] = await rows('select meta_created, meta_updated from shop_product');
    assert.deepEqual(second?.['meta_created'], first?.['meta_created']);
    assert.ok(Number(second?.['meta_updated']) > Number(first?.['meta_updated']));
    assert.deepEqual(
      daemon.events.filter(({ type }) => type === 'record.changed'),
      [],
    );
  },
);

test(
  'a warehouse takes back what was told of a scrape before it was found to be unusual',
  { skip: noPostgresql, timeout: 60_000 },
  async (t) => {
    const { rows, url } = await openDatabase(t, await postgresqlUrl(end));
    const site = await openSite(t);
    const show = (currency: string): void => {
      const items = (from: number, count: number) =>
        Array.from({ length: count }, (_, at) => ({ id: `i${from + at}`, price: `${currency} ${from + at + 1}.00` }));
      answerBy(site, '/list', (query) =>
        query.has('cursor') ? { items: items(4, 20) } : { items: items(0, 4), next: 'more' },
      );
    };
    show('EUR');
    const source = listSource("feed: { by: cursor, next: { json: '$.next' } }").replace(
      'title: { json: $.title }',
      'price: { json: $.price, type: money }',
    );
    const sinks = { db: `id: db\npostgres: { url: "${url}", history: true }\nfrom: { types: [item] }\n` };
    const daemon = await startDaemon(t, { sources: { list: source }, sinks, settings: soon });
    await daemon.client.call('project.add', { id: 'all', targets: [{ source: 'list', url: site.url('/list') }] });
    await nth(1, 'scrape.completed', 'all', daemon);
    show('USD');
    await daemon.client.call('project.rescrape', { id: 'all', wish: { full: true } });
    const { data } = await nth(1, 'records.recalled', 'all', daemon);
    assert.equal(data.count, 4);
    // It waits until the recall has been applied to the store.
    let { sink } = await daemon.client.call('sink.get', { id: 'db' });
    while (sink.behind + sink.parked > 0) ({ sink } = await daemon.client.call('sink.get', { id: 'db' }));
    assert.deepEqual(await rows('select price_currency as currency, count(*)::int from list_item group by 1'), [
      { currency: 'EUR', count: 24 },
    ]);
    // In the history, nothing has ever been in dollars.
    assert.deepEqual(await rows('select distinct price_currency as currency from list_item__history'), [
      { currency: 'EUR' },
    ]);
  },
);
