import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HistoryView } from '../../src/view/record.ts';
import { serve } from '../control/daemon.ts';
import { nth, soon } from '../daemon/tracking.ts';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { run } from './terminal.ts';
import { now } from './views.ts';

const hourMs = 3_600_000;

describe('diff', () => {
  test('shows what differs by field, texts by their words, with age, scrape and version', async (t) => {
    const by = { serial: 9, at: now - hourMs, scrape: 41, version: '0123456789abcdef' };
    const { path } = await serve(t, {
      'project.diff': ({ from, to }) => ({
        differences: [
          {
            ...{ record: 3, source: 'shop', type: 'product', key: 'A-17', kind: 'changed' },
            fields: {
              title: { old: 'Solar bag, red', new: 'Solar pack, red', by },
              price: { old: { amount: '12.90', currency: 'EUR' }, new: { amount: '13.90', currency: 'EUR' }, by },
            },
          },
          { record: 4, source: 'shop', type: 'product', key: `${from}-${to}`, kind: 'gone', fields: {} },
          { record: 5, source: 'shop', type: 'product', key: 'B', kind: 'changed', fields: {} },
        ],
      }),
    });
    const words = ['diff', 'solar', '--from', '1970-01-02', '--to', '1970-01-03T12:00:00Z', '--socket', path];
    const { out } = await run(words, { now });
    assert.equal(
      out,
      [
        'shop product A-17: changed',
        '  title: Solar [-bag,-] {+pack,+} red  1h ago, scrape 41 01234567',
        '  price: 12.90 EUR → 13.90 EUR  1h ago, scrape 41 01234567',
        'shop product 86400000-216000000: gone',
        'shop product B: back',
        '',
      ].join('\n'),
    );
    assert.equal(JSON.parse((await run([...words, '--json'], { now })).out).length, 3);
  });

  test('asks a daemon of two instants of a project, and history of those between them', async (t) => {
    const site = await openSite(t);
    site.answer('/a', productPage('Lamp', '1.00'));
    const daemon = await startDaemon(t, { sources: { shop: productSource('shop') }, settings: soon });
    const { client } = daemon;
    await client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: site.url('/a') }] });
    await nth(1, 'scrape.completed', 'a', daemon);
    const { changes: first } = await client.call('project.history', { id: 'a' });
    const at = first[0]?.at ?? 0;
    site.answer('/a', productPage('Lamp', '2.00'));
    await client.call('project.rescrape', { id: 'a' });
    await nth(2, 'scrape.completed', 'a', daemon);
    const { differences } = await client.call('project.diff', { id: 'a', from: at });
    const [[field, { by, ...values }] = ['', { by: undefined }]] = Object.entries(differences[0]?.fields ?? {});
    assert.deepEqual([differences.length, differences[0]?.kind, Object.keys(values)], [1, 'changed', ['old', 'new']]);
    const { scrapes } = await client.call('scrape.list', { limit: 1 });
    assert.deepEqual([by?.scrape, by?.version], [scrapes[0]?.scrape, scrapes[0]?.version]);
    const { changes } = await client.call('project.history', { id: 'a', since: at + 1, field });
    assert.deepEqual([changes.length, changes[0]?.serial, changes[0]?.version], [1, by?.serial, by?.version]);
    assert.deepEqual((await client.call('project.history', { id: 'a', until: at + 1 })).changes, first);
    assert.deepEqual((await client.call('project.diff', { id: 'a', from: at - 2, to: at - 1 })).differences, []);
    await assert.rejects(client.call('project.diff', { id: 'a', from: 5, to: 5 }), /expected "from" before "to"/);
  });
});

describe('history', () => {
  test('marks what a re-extraction corrected', async (t) => {
    const of = {
      record: 3,
      target: 7,
      source: 'shop',
      type: 'product',
      key: 'A',
      at: now,
      scrape: 4,
      version: 'v1',
    } as const;
    const price = (amount: number) => ({ kind: 'changed', fields: { price: { new: amount } } }) as const;
    const { path } = await serve(t, {
      'project.history': () => ({
        changes: [
          { ...of, serial: 9, corrects: 5, ...price(2) },
          { ...of, serial: 5, ...price(1) },
        ],
      }),
    });
    const { out } = await run(['history', 'shop', '--socket', path], { now });
    assert.deepEqual(
      out
        .trimEnd()
        .split('\n')
        .slice(2)
        .map((line) => line.split('\t').slice(2, 4)),
      [
        ['corrected', '2'],
        ['changed', '1'],
      ],
    );
  });

  test('prints a change a line as they come, with --format ndjson', async (t) => {
    const of = { record: 3, target: 7, source: 'shop', type: 'product', key: 'A' };
    const change = { ...of, at: now, scrape: 4, version: 'v1', fields: {} };
    const all = Array.from({ length: 1_200 }, (_, index): HistoryView => ({
      serial: index + 1,
      ...change,
      kind: 'gone',
    }));
    const asked: unknown[] = [];
    const { path } = await serve(t, {
      'project.history': ({ before = '0', limit, since, until }) => {
        asked.push([since, until]);
        const end = Number(before) + limit;
        return { changes: all.slice(Number(before), end), ...(end < all.length && { next: `${end}` }) };
      },
    });
    const words = ['history', 'shop', '--format', 'ndjson', '--since', '1970-01-02', '--until', '1970-01-03'];
    const { out } = await run([...words, '--socket', path], { now });
    assert.deepEqual(
      out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
      all,
    );
    assert.deepEqual(
      asked,
      Array.from({ length: 3 }, () => [86_400_000, 172_800_000]),
    );
    const { out: some } = await run([...words, '--limit', '501', '--socket', path], { now });
    assert.equal(some.trimEnd().split('\n').length, 501);
  });
});
