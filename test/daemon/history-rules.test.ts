import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from '../cli/terminal.ts';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { nth, soon } from './tracking.ts';

test('history tells by which rule each value was read, also by one that the definition has no more', async (t) => {
  const site = await openSite(t, { '/lamp': productPage('Lamp', '1.00') });
  const shop = productSource('shop');
  const daemon = await startDaemon(t, { sources: { shop }, settings: soon });
  const { client, socket } = daemon;
  await client.call('project.add', { id: 'lamp', targets: [{ source: 'shop', url: site.url('/lamp') }] });
  await nth(1, 'scrape.completed', 'lamp', daemon);
  await daemon.define('shop', shop.replace('css: .price', 'css: p.price'));
  await client.call('source.reload', {});
  site.answer('/lamp', productPage('Lamp', '2.00'));
  await client.call('project.rescrape', { id: 'lamp' });
  await nth(2, 'scrape.completed', 'lamp', daemon);

  const { changes } = await client.call('project.history', { id: 'lamp', field: 'price', rules: true });
  assert.deepEqual(
    changes.map(({ rules }) => rules?.['price']),
    ['p.price', '.price'],
  );
  const { out } = await run(['history', 'lamp', '--field', 'price', '--rules', '--socket', socket]);
  const [head, ...rows] = out
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  assert.equal(head?.at(-1), 'RULE');
  assert.deepEqual(
    rows.map((row) => row.at(-1)),
    ['p.price', '.price'],
  );
  const plain = await client.call('project.history', { id: 'lamp' });
  assert.ok(plain.changes.every((change) => !('rules' in change)));
});
