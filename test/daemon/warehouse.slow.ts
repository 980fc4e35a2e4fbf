import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Tables } from '../../src/publish/warehouse/table.ts';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { noPostgresql, openDatabase, postgresqlUrl } from '../support/servers/postgresql.ts';
import { suiteEnd } from '../support/servers/own-server.ts';
import { openSite } from '../support/site.ts';
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
