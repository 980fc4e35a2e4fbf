import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from '../cli/terminal.ts';
import { startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { nth, soon } from './tracking.ts';

const rules = `allowPrivate: true
robots: ignore
politeness: { autoThrottle: false, delay: 0ms, minDelay: 0ms }
records: { lamp: { key: sku, each: .lamp, fields: { sku: b, price: { css: .price, type: money } } } }
`;

test('a field that no record of a scrape has is told with its rule: in its result, its event, a trial and the crawls', async (t) => {
  const lamps = (count: number) => Array.from({ length: count }, (_, at) => `<p class=lamp><b>l${at}</b></p>`).join('');
  const site = await openSite(t, { '/lamps': lamps(6), '/few': lamps(4) });
  const daemon = await startDaemon(t, {
    sources: { lamps: `id: lamps\n${rules}`, site: `id: site\ncrawl: { detail: [lamps] }\n${rules}` },
    settings: soon,
  });
  const { client, socket } = daemon;
  const scraped = async (id: string, source: string, path: string) => {
    await client.call('project.add', { id, targets: [{ source, url: site.url(path) }] });
    return nth(1, 'scrape.completed', id, daemon);
  };
  const unfound = [{ record: 'lamp', field: 'price', records: 6, rule: '.price' }];
  const { data, scrape } = await scraped('lamps', 'lamps', '/lamps');
  assert.deepEqual(data.unfound, unfound);
  const shown = async (...words: readonly string[]) => (await run([...words, '--socket', socket])).out;
  const told = /lamp\.price: in none of 6 records, looked for at \.price/;
  assert.match(await shown('scrapes', String(scrape)), told);
  assert.match(await shown('try', 'lamps', site.url('/lamps')), told);
  await scraped('all', 'site', '/lamps');
  assert.match(await shown('crawls', 'site'), told);
  assert.deepEqual((await scraped('few', 'lamps', '/few')).data.unfound, undefined);
  assert.match(await shown('try', 'lamps', site.url('/few')), /lamp\.price: no place matched/);
});
