import assert from 'node:assert/strict';
import { test } from 'node:test';
import { productPage } from '../../support/daemon.ts';
import { openSite } from '../../support/site.ts';
import { startTimed } from '../passing.ts';
import { gapsOf, minute, politeSource, second } from './support.ts';

test('robots.txt is asked for with the pauses of the source that wants to know, as its definition is by then', async (t) => {
  const answers = {
    '/robots.txt': { headers: { 'content-type': 'text/plain' }, body: '' },
    '/a': productPage('A', '1.00'),
  };
  const [first, other, third] = [await openSite(t, answers), await openSite(t, answers), await openSite(t, answers)];
  const slow = politeSource('slow', { robots: 'obey', politeness: 'delay: 1s' });
  const quick = politeSource('shop', {
    robots: 'obey',
    politeness: 'autoThrottle: false, delay: 10ms, minDelay: 10ms',
  });
  const timed = await startTimed(t, { sources: { slow, shop: quick } });
  const { client, pass, sent, track } = timed;
  await track('a', { source: 'slow', url: first.url('/a') });
  await pass(minute);
  await track('b', { source: 'shop', url: other.url('/a') });
  await pass(minute);
  await timed.define('slow', quick.replace('id: shop', 'id: slow'));
  await client.call('source.reload', {});
  await track('c', { source: 'slow', url: third.url('/a') });
  await pass(minute);
  const gaps = [first, other, third].map((site) => gapsOf(sent.filter(({ url }) => url.startsWith(site.origin))));
  assert.deepEqual(
    gaps.map(([gap = 0]) => gap > second),
    [true, false, false],
  );
});
