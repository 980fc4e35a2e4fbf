import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inlineBytes } from '../../src/engine/inline.ts';
import { settingsOf, startAt, startTimed } from '../daemon/passing.ts';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';

const minute = 60_000;

test('waste.report tells what scraping cost by source and target, how much found nothing new, and what to do', async (t) => {
  const [one, two] = [
    await openSite(t, { '/': productPage('A', '1') }),
    await openSite(t, { '/': productPage('B', '1') }),
  ];
  const sources = { shop: productSource('shop', 'every: 5m'), ads: productSource('ads', 'every: 5m') };
  const { client, pass, track } = await startTimed(t, { sources, settings: settingsOf({}) });
  await track('a', { source: 'shop', url: one.url('/') });
  await track('b', { source: 'ads', url: two.url('/') });
  await pass(32 * 5 * minute);
  const { from, all, sources: bySource, targets } = await client.call('waste.report', { days: 7 });
  assert.equal(from, startAt - 6 * 86_400_000);
  assert.deepEqual([all.scrapes, all.unchanged, all.requests], [64, 62, 64]);
  const pageBytes = Buffer.byteLength(productPage('A', '1'));
  assert.deepEqual([all.bytes, all.unchangedBytes], [64 * pageBytes, 62 * pageBytes]);
  assert.deepEqual(targets, []);
  assert.deepEqual(
    bySource.map(({ source, scrapes }) => [source, scrapes]),
    [
      ['ads', 32],
      ['shop', 32],
    ],
  );
  const [advice, other] = bySource[1]?.advice ?? [];
  assert.deepEqual([advice?.code, advice?.betterMs, other?.code], ['ask_less', 30 * minute, 'no_validators']);
  assert.match(advice?.text ?? '', /^96 % of 32 scrapes found nothing new: every 5m could be 30m$/);

  const ofShop = await client.call('waste.report', { source: 'shop' });
  assert.deepEqual(
    ofShop.targets.map(({ projects: [project] = [], scrapes }) => [project, scrapes]),
    [['a', 32]],
  );
  await assert.rejects(client.call('waste.report', { source: 'nope' }), { code: 'not_found' });
  await assert.rejects(client.call('waste.report', { days: 33 }), { code: 'invalid_params' });
});

test('waste.report counts what reading took of the processor, wherever a page is read', async (t) => {
  const site = await openSite(t, {
    '/small': `${productPage('A', '1')}<p>${'more '.repeat(inlineBytes / 20)}</p>`,
    '/large': `${productPage('B', '1')}<p>${'more '.repeat(inlineBytes / 4)}</p>`,
  });
  const sources = { small: productSource('small', 'every: 5m'), large: productSource('large', 'every: 5m') };
  const { client, pass, track } = await startTimed(t, { sources, settings: settingsOf({}) });
  for (const source of ['small', 'large']) await track(source, { source, url: site.url(`/${source}`) });
  await pass(32 * 5 * minute);
  const report = await client.call('waste.report', {});
  assert.deepEqual(
    report.sources.map(({ source, cpuMs }) => [source, cpuMs > 0]),
    [
      ['large', true],
      ['small', true],
    ],
  );
});
