import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';

describe('a project', () => {
  test('is scraped after its initial delay, and what the page says is known (B6)', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1.50') });
    const { client, event } = await startDaemon(t, {
      sources: { shop: productSource('shop') },
      settings: { initialDelayMs: 50, everyMs: 60_000, timeLimitMs: 60_000, logLevel: 'silent' },
    });
    await client.call('project.add', { id: 'solar', targets: [{ source: 'shop', url: site.url('/a') }] });
    await event(({ type }) => type === 'scrape.completed');
    const { records } = await client.call('project.records', { id: 'solar' });
    assert.deepEqual(records[0]?.fields['price']?.value, { amount: '1.50', currency: 'EUR' });
  });
});
