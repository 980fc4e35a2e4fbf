import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { settingsOf, startTimed } from '../daemon/passing.ts';
import { openSite } from '../support/site.ts';
import { exampleFolder } from './example.ts';

const minute = 60_000;
const text = await readFile(join(exampleFolder, '..', 'definitions.md'), 'utf8');
const [, section = ''] = text.split(/^## In between.*$/m);
const [, definition = ''] = /^```yaml\n(.*?)^```$/ms.exec(section) ?? [];
const [, answer = ''] = /^```json\n(.*?)^```$/ms.exec(section) ?? [];

test('docs/definitions.md shows a pulse that asks for many targets at once, and does what is said of it (B42)', async (t) => {
  const page = (sku: string) => `<h1>Socks</h1><p class="sku">${sku}</p><p class="price">EUR 20.00</p>`;
  const site = await openSite(t, { '/p/red': page('red'), '/p/blue': page('blue') });
  site.answer('/prices', (_, response) => void response.setHeader('content-type', 'application/json').end(answer));
  const here = definition.replaceAll('https://shop.example', site.origin);
  const quick = 'allowPrivate: true\nrobots: ignore\npoliteness: { autoThrottle: false, delay: 1ms, minDelay: 1ms }\n';
  const timed = await startTimed(t, { sources: { shop: `${here}${quick}` }, settings: settingsOf({}) });
  for (const name of ['red', 'blue']) await timed.track(name, { source: 'shop', url: site.url(`/p/${name}`) });
  await timed.pass(minute);
  await timed.settle();
  assert.deepEqual(
    timed.sent.filter(({ url }) => url.includes('/prices')).map(({ url }) => url),
    [site.url('/prices?of=red,blue')],
  );
  for (const [id, amount] of [
    ['red', '12.50'],
    ['blue', '9.90'],
  ] as const) {
    const { records } = await timed.client.call('project.records', { id });
    assert.deepEqual(
      records.map(({ fields }) => [fields['title']?.value, fields['price']?.value]),
      [['Socks', { amount, currency: 'EUR' }]],
    );
  }
});
