import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RecordView } from '../../src/view/record.ts';
import { serve } from '../control/daemon.ts';
import { nth, soon } from '../daemon/tracking.ts';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { run } from './terminal.ts';
import { now, record } from './views.ts';

const at = { observedAt: now, verifiedAt: now };
const all: readonly RecordView[] = [
  { ...record, key: 'plain', fields: { title: { value: 'Solar', ...at }, price: { value: 5, ...at } } },
  {
    ...record,
    key: 'a "quoted", key',
    fields: { title: { value: 'two\nlines', ...at }, stock: { value: null, ...at } },
  },
  { ...record, key: '=1+1', fields: { tags: { value: ['sun', 'bag'], ...at }, title: { value: '', ...at } } },
];

/** A daemon that hands out one record an answer. */
function slices(t: Parameters<typeof serve>[0]) {
  const fields = ['sku', 'tags', 'stock', 'title'].map((name) => ({ name, type: 'text' }));
  const table = (type: string) => ({ id: `shop.${type}`, records: [{ source: 'shop', type }], fields });
  return serve(t, {
    'export.tables': () => ({ tables: [{ ...table('post'), fields: fields.slice(3) }, table('campaign')] }),
    'source.records': ({ after = '0' }) => {
      const place = Number(after);
      const next = place + 1 < all.length ? { next: String(place + 1) } : {};
      return { records: all.slice(place, place + 1), ...next };
    },
  });
}

describe('records', () => {
  test('prints one line of JSON for each record, all of them', async (t) => {
    const { path } = await slices(t);
    const { out, status } = await run(['records', 'shop', '--socket', path]);
    const lines = out.trimEnd().split('\n');
    assert.deepEqual([status, lines.map((line) => JSON.parse(line))], [0, all]);
  });

  test('prints one document as JSON, also where there is none', async (t) => {
    const { path } = await slices(t);
    assert.deepEqual(JSON.parse((await run(['records', 'shop', '--format', 'json', '--socket', path])).out), all);
    const none = await serve(t, { 'project.records': () => ({ records: [] }) });
    const { out: empty, err } = await run(['records', '-p', 'solar', '--json', '--socket', none.path]);
    assert.deepEqual([empty, err], ['[]\n', 'no record matches\n']);
  });

  test('prints CSV with a column for each field that any record has, as the definition has them, quoted where it must be', async (t) => {
    const { path } = await slices(t);
    const { out } = await run(['records', 'shop', 'campaign', '--format', 'csv', '--socket', path]);
    const own = 'http://127.0.0.1/solar,1970-01-11T13:46:40.000Z,1970-01-12T13:46:40.000Z,';
    assert.equal(
      out,
      [
        'source,type,key,url,firstSeenAt,updatedAt,state,tags,stock,title,price',
        `crowd,campaign,plain,${own},,,Solar,5`,
        `crowd,campaign,"a ""quoted"", key",${own},,,"two\nlines",`,
        `crowd,campaign,'=1+1,${own},"[""sun"",""bag""]",,"",`,
        '',
      ].join('\r\n'),
    );
  });

  test('prints CSV without control characters on a terminal, and with all of a text into a file', async (t) => {
    const steering = { ...record, key: 'a\u001B[2Jb\u009Bc' };
    const { path } = await serve(t, {
      'export.tables': () => ({ tables: [] }),
      'source.records': () => ({ records: [steering] }),
    });
    const words = ['records', 'shop', '--format', 'csv', '--socket', path];
    const shown = (await run(words, { columns: 80 })).out;
    assert.ok(!/(?!\n)\p{Cc}/u.test(shown), JSON.stringify(shown));
    assert.ok((await run(words)).out.includes(',a\u001B[2Jb\u009Bc,'));
  });

  test('tells where to go on when it is interrupted, and goes on there', async (t) => {
    let answers = 0;
    const { path } = await serve(t, {
      'source.records': ({ after }) => {
        answers += 1;
        if (answers === 2) throw new Error('gone');
        return after === undefined ? { records: all.slice(0, 1), next: 'one' } : { records: all.slice(1) };
      },
    });
    const first = await run(['records', 'shop', '--socket', path]);
    assert.equal(first.status, 1);
    assert.match(first.err, /^interrupted: --after one goes on behind what was printed$/m);
    const rest = await run(['records', 'shop', '--after', 'one', '--socket', path]);
    const printed = (first.out + rest.out).trimEnd().split('\n');
    assert.deepEqual(
      printed.map((line) => JSON.parse(line)),
      all,
    );
  });

  test('of a source come from all its projects, each once, slice by slice', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1'), '/b': productPage('B', '2') });
    const daemon = await startDaemon(t, { sources: { shop: productSource('shop') }, settings: soon });
    const { client } = daemon;
    for (const id of ['a', 'b']) {
      await client.call('project.add', { id, targets: [{ source: 'shop', url: site.url(`/${id}`) }] });
      await nth(1, 'scrape.completed', id, daemon);
    }
    const { records, next } = await client.call('source.records', { id: 'shop', limit: 1 });
    assert.deepEqual(
      records.map(({ key }) => key),
      ['A'],
    );
    const rest = await client.call('source.records', { id: 'shop', after: next ?? '' });
    assert.deepEqual([rest.records.map(({ key }) => key), rest.next], [['B'], undefined]);
    await assert.rejects(client.call('source.records', { id: 'nosuch' }), { code: 'not_found' });
    const { out } = await run(['records', 'shop', '--project', 'b', '--socket', daemon.socket]);
    assert.equal(JSON.parse(out).key, 'B');
    const cheap = { id: 'shop', where: '@.price.amount < 2', limit: 1 };
    const found = await client.call('source.records', cheap);
    assert.deepEqual(
      found.records.map(({ key }) => key),
      ['A'],
    );
    assert.deepEqual(await client.call('source.records', { ...cheap, after: found.next ?? '' }), { records: [] });
    const where = (condition: string, ...more: string[]) =>
      run(['records', 'shop', '--where', condition, ...more, '--socket', daemon.socket]);
    assert.equal(JSON.parse((await where('@.state == "live" && !(@.price.amount < 2)')).out).key, 'B');
    assert.equal((await where('@.price.amount < 2', '--project', 'b', '--json')).out, '[]\n');
    // The columns of CSV are the same, whatever records are wanted.
    const headOf = ({ out }: { readonly out: string }): string => out.split('\n', 1)[0] ?? '';
    const heads = [
      await where('@.price.amount < 2', '--format', 'csv'),
      await where('@.price.amount < 0', '--format', 'csv'),
      await run(['records', 'shop', '--format', 'csv', '--socket', daemon.socket]),
    ].map(headOf);
    assert.equal(new Set(heads).size, 1, heads.join('\n'));
    assert.match(heads[0] ?? '', /,price/);
    assert.equal(
      (await where('@.preis.amunt < 15 || @.price.amunt < 15')).err,
      'no record matches\nno field "preis", only sku, price, state\n"price" has no "amunt"; did you mean "amount"?\n',
    );
    assert.equal((await where('@.price.amount < 0 && @.sku == "@.no"')).err, 'no record matches\n');
    const { err, status } = await where('@.stock = 0');
    assert.deepEqual(
      [status, err],
      [
        2,
        'heronry: where: expected a condition like "@.stock > 0", got "@.stock = 0": unexpected "=" at character 9\n',
      ],
    );
  });

  test('are removed by key, by when they were last seen, or where they are gone, once it is said which', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1'), '/b': productPage('B', '2') });
    const daemon = await startDaemon(t, { sources: { shop: productSource('shop') }, settings: soon });
    for (const id of ['a', 'b']) {
      await daemon.client.call('project.add', { id, targets: [{ source: 'shop', url: site.url(`/${id}`) }] });
      await nth(1, 'scrape.completed', id, daemon);
    }
    const remove = (...words: string[]) =>
      run(['records', 'remove', 'shop', 'product', ...words, '--socket', daemon.socket]);
    const removed = async (...words: string[]) => (await remove(...words)).out;
    assert.equal(await removed('--gone'), '0 records removed\n');
    assert.equal(await removed('--not-seen-since', '2001-01-01'), '0 records removed\n');
    assert.equal(await removed('A', '--dry-run'), 'product A\n1 record would be removed\n');
    assert.equal(await removed('A'), 'product A\n1 record removed\n');
    assert.equal((await remove('B', 'A')).status, 3);
    assert.equal(await removed('--not-seen-since', '2999-01-01T00:00:00Z'), 'product B\n1 record removed\n');
    for (const words of [[], ['A', '--gone'], ['--not-seen-since', '2026-02-30']])
      assert.equal((await remove(...words)).status, 2);
    assert.equal((await daemon.client.call('project.history', { id: 'a' })).changes.length, 1);
  });
});
