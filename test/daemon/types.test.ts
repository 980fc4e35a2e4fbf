import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { run } from '../cli/terminal.ts';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { nth, soon } from './tracking.ts';

const offer = (price: string): string => `id: offer
fields:
  price: { type: ${price}, required: true }
  sku: {}
`;
const offered = (id: string): string => productSource(id).replace('    key: sku\n', '    key: sku\n    is: offer\n');

describe('a type that records of several sources are', () => {
  test('has one table of them all; a source that it no longer fits is told and stays as it was', async (t) => {
    const site = await openSite(t, {
      '/a': productPage('A', '1'),
      '/b': productPage('B', '2'),
      '/c': productPage('C', '3'),
    });
    const daemon = await startDaemon(t, { sources: { mall: productSource('mall') }, settings: soon });
    const { client, define, folder } = daemon;
    await mkdir(join(folder, 'types'));
    const file = join(folder, 'types', 'offer.yaml');
    await writeFile(file, offer('money'));
    await define('shop', offered('shop'));
    await define('shed', offered('shed'));
    assert.deepEqual((await client.call('source.reload', {})).problems, []);
    const placed = { a: 'shop', b: 'shed', c: 'mall' };
    for (const [id, source] of Object.entries(placed)) {
      await client.call('project.add', { id, targets: [{ source, url: site.url(`/${id}`) }] });
      await nth(1, 'scrape.completed', id, daemon);
    }

    const first = await client.call('type.records', { id: 'offer', limit: 1 });
    const { fields, records, next } = await client.call('type.records', { id: 'offer', after: first.next ?? '' });
    assert.deepEqual(
      [first.fields, fields, next, [...first.records, ...records].map(({ source, key }) => [source, key])],
      [
        ['price', 'sku'],
        ['price', 'sku'],
        undefined,
        [
          ['shed', 'B'],
          ['shop', 'A'],
        ],
      ],
    );
    assert.deepEqual(Object.keys(records[0]?.fields ?? {}).sort(), ['price', 'sku']);
    const table = await run(['records', '--type', 'offer', '--format', 'csv', '--socket', daemon.socket]);
    const rows = table.out.split('\r\n').map((line) => line.replace(/http.*Z,/, '…,'));
    assert.deepEqual(rows, [
      'source,type,key,url,firstSeenAt,updatedAt,state,price,sku',
      'shed,product,B,…,,"{""amount"":""2.00"",""currency"":""EUR""}",B',
      'shop,product,A,…,,"{""amount"":""1.00"",""currency"":""EUR""}",A',
      '',
    ]);
    await assert.rejects(client.call('type.records', { id: 'offers' }), /no type "offers"/);

    await writeFile(file, offer('number'));
    const reloaded = await client.call('source.reload', {});
    assert.deepEqual(
      reloaded.problems.map(({ file: of, line, path, message }) => [of, line, path, message]),
      ['shed', 'shop'].map((id) => [
        join(folder, 'sources', `${id}.yaml`),
        14,
        'records.product.fields.price',
        'expected number, as the type "offer" has it, got money',
      ]),
    );
    assert.deepEqual([reloaded.changed, reloaded.removed], [[], []]);
    const { sources } = await client.call('source.list', {});
    const states = sources.map(({ id, status, version }) => [id, status, version !== undefined]);
    assert.deepEqual(states, [
      ['mall', 'ready', true],
      ['shed', 'definition_error', true],
      ['shop', 'definition_error', true],
    ]);

    // A type that cannot be read stays as it was as well, and is no source of that name.
    await writeFile(file, 'id: offer\n');
    await define('offer', productSource('offer'));
    await client.call('source.reload', {});
    const { problems, sources: known } = await client.call('source.list', {});
    assert.deepEqual([problems?.map((each) => each.file), known[1]?.status], [[file], 'ready']);
    assert.equal((await client.call('type.records', { id: 'offer' })).records.length, 2);
  });

  test('links records that are one thing: those that were there before, and as they are seen, change and go', async (t) => {
    const site = await openSite(t, {
      '/a': productPage('A', '1', 'Kettle (2000)'),
      '/b': productPage('B', '2', 'KETTLE-2000'),
    });
    const daemon = await startDaemon(t, {
      sources: { shop: productSource('shop'), mall: productSource('mall') },
      settings: soon,
    });
    const { client, define, folder, socket } = daemon;
    for (const [id, source] of Object.entries({ a: 'shop', b: 'mall' })) {
      await client.call('project.add', { id, targets: [{ source, url: site.url(`/${id}`) }] });
      await nth(1, 'scrape.completed', id, daemon);
    }
    await mkdir(join(folder, 'types'));
    await writeFile(
      join(folder, 'types', 'offer.yaml'),
      `${offer('money')}  state: {}\nlink: [sku, { field: state, as: words }]\n`,
    );
    for (const id of ['shop', 'mall']) await define(id, offered(id));
    await client.call('source.reload', {});
    while ((await client.call('type.entities', { id: 'offer' })).linking === true);
    assert.deepEqual(await keys(), [['A', 'B']]);

    const show = async (...words: readonly string[]) =>
      (await run(['entities', 'offer', ...words, '--socket', socket])).out.trimEnd().split('\n');
    assert.deepEqual(await show(), ['RECORDS\tSOURCE AND KEY', '2\tshop A, mall B']);
    assert.deepEqual(await show('mall', 'B'), [
      'FIELD\tVALUE\tSOURCE\tKEY',
      'price\t1.00 EUR\tshop\tA',
      'price\t2.00 EUR\tmall\tB',
      'sku\tA\tshop\tA',
      'sku\tB\tmall\tB',
      'state\tKettle (2000)\tshop\tA',
      'state\tKETTLE-2000\tmall\tB',
    ]);
    await assert.rejects(client.call('type.entities', { id: 'offer', source: 'shop', key: 'B' }), /no record "B"/);

    site.answer('/b', productPage('B', '2', 'Kettle 3000'));
    await client.call('project.rescrape', { id: 'b' });
    await nth(2, 'scrape.completed', 'b', daemon);
    assert.deepEqual([await keys(), await keys('shop', 'A')], [[], [['A']]]);
    site.answer('/c', productPage('C', '3', 'kettle 3000'));
    await client.call('project.add', { id: 'c', targets: [{ source: 'shop', url: site.url('/c') }] });
    await nth(1, 'scrape.completed', 'c', daemon);
    await client.call('source.rename', { id: 'mall', to: 'hall' });
    assert.deepEqual(await keys(), [['B', 'C']]);
    assert.deepEqual(await show(), ['RECORDS\tSOURCE AND KEY', '2\thall B, shop C']);
    const { records } = await client.call('type.records', { id: 'offer' });
    assert.deepEqual(
      records.map(({ source, key }) => [source, key]),
      [
        ['hall', 'B'],
        ['shop', 'A'],
        ['shop', 'C'],
      ],
    );

    await client.call('project.delete', { id: 'c', records: true });
    await daemon.event((each) => each.type === 'record.removed' && each.data.key === 'C');
    assert.deepEqual(await keys(), []);
    site.answer('/a', productPage('A', '1', 'kettle 3000'));
    await client.call('project.rescrape', { id: 'a' });
    await nth(2, 'scrape.completed', 'a', daemon);
    assert.deepEqual(await keys(), [['A', 'B']]);
    await client.call('record.remove', { source: 'hall', type: 'product', keys: ['B'] });
    assert.deepEqual(await keys(), []);

    async function keys(source?: string, key?: string): Promise<string[][]> {
      const of = source === undefined || key === undefined ? {} : { source, key };
      const { entities } = await client.call('type.entities', { id: 'offer', ...of });
      return entities.map(({ records }) => records.map((each) => each.key));
    }
  });
});
