import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';

const definition = (url: string) => `
id: terms
url: "${url}"
tree: browser
allowPrivate: loopback
politeness: { autoThrottle: false, delay: 1ms, minDelay: 1ms }
records: { page: { key: watch, fields: { watch: { const: terms }, text: { css: body, take: lines } } } }
`;

describe('record.import', () => {
  test('has the first scrape of a page tell what changed since the last version, and history shows all of them', async (t) => {
    const site = await openSite(t, { '/terms': '<p>Returns within 14 days.</p>' });
    const url = site.url('/terms');
    const { client, event } = await startDaemon(t, { sources: { terms: definition(url) } });
    const day = (iso: string): number => Date.parse(iso);
    const imported = await client.call('record.import', {
      source: 'terms',
      url,
      type: 'page',
      key: 'terms',
      versions: [
        { at: day('2024-01-01'), fields: { watch: 'terms', text: 'Returns within 60 days.' } },
        { at: day('2025-01-01'), fields: { watch: 'terms', text: 'Returns within 30 days.' } },
      ],
    });
    assert.deepEqual(imported, { changes: 2, same: 0, skipped: 0 });
    await client.call('project.add', { id: 'terms', targets: [{ source: 'terms' }] });
    const { data } = await event((each) => each.type === 'record.changed');
    assert.deepEqual('fields' in data && data.fields, {
      text: { old: 'Returns within 30 days.', new: 'Returns within 14 days.' },
    });
    const { changes } = await client.call('project.history', { id: 'terms', limit: 10 });
    assert.deepEqual(
      changes.slice(1).map(({ at, kind }) => [new Date(at).toISOString().slice(0, 10), kind]),
      [
        ['2025-01-01', 'changed'],
        ['2024-01-01', 'added'],
      ],
    );
    const { differences } = await client.call('project.diff', {
      id: 'terms',
      from: day('2024-06-01'),
      to: day('2025-06-01'),
      limit: 10,
    });
    assert.deepEqual(differences[0]?.fields['text']?.new, 'Returns within 30 days.');
  });

  test('is refused for a source, a type or a field that is not defined', async (t) => {
    const { client } = await startDaemon(t, { sources: { terms: definition('http://127.0.0.1:1/') } });
    const versions = [{ at: 1, fields: { price: 1 } }];
    const wanted = { source: 'terms', url: 'http://127.0.0.1:1/', type: 'page', key: 'terms', versions };
    await assert.rejects(client.call('record.import', wanted), /versions.*has no field "price"/);
    await assert.rejects(client.call('record.import', { ...wanted, type: 'other' }), /other/);
    await assert.rejects(client.call('record.import', { ...wanted, source: 'nobody' }), /no .*source "nobody"|nobody/);
  });
});
