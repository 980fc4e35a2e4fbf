import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '../../src/clock.ts';
import { startAt, startTimed } from '../daemon/passing.ts';
import { runningUnder } from '../daemon/tracking.ts';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';

const pulse = `
pulse: { every: 1m, record: product, fields: { sku: { css: h1 }, price: { css: .price, type: money } } }
`;

test('a daemon for its methods alone serves them, and makes no scrape and no pulse (J83)', async (t) => {
  const site = await openSite(t, { '/a': productPage('A', '1') });
  const clock = new VirtualClock(startAt);
  const { client, daemon } = await startDaemon(t, {
    sources: { shop: productSource('shop', pulse) },
    clock,
    apiOnly: true,
  });
  await client.call('project.add', { id: 'a', tokens: true, targets: [{ source: 'shop', url: site.url('/a') }] });
  for (let hours = 0; hours < 48; hours += 1) {
    clock.advance(3_600_000);
    await daemon.system.idle();
    await client.call('settings.set', {});
  }
  assert.deepEqual(site.asked, []);
  const { apiOnly, scrapes, state } = await client.call('daemon.status', {});
  assert.deepEqual([apiOnly, scrapes.running, scrapes.complete, state], [true, 0, 0, 'ready']);
  assert.deepEqual(await runningUnder('projects', client), []);
  assert.deepEqual(await runningUnder('sources', client), []);
  assert.equal((await client.call('project.list', {})).projects[0]?.id, 'a');
  assert.equal((await client.call('schedule.list', {})).turns.length, 1);
  assert.equal((await client.call('project.why', { id: 'a' })).targets[0]?.because[0]?.by, 'first');
  await assert.rejects(client.call('project.rescrape', { id: 'a' }), { code: 'not_ready', message: /--api-only/ });
});

test('without it, the same project is scraped and pulsed', async (t) => {
  const site = await openSite(t, { '/a': productPage('A', '1') });
  const { client, pass, track } = await startTimed(t, { sources: { shop: productSource('shop', pulse) } });
  await track('a', { source: 'shop', url: site.url('/a') });
  await pass(300_000);
  assert.ok(site.asked.length > 2);
  assert.equal((await client.call('daemon.status', {})).apiOnly, undefined);
});
