import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nth } from '../tracking.ts';
import { startDaemon } from '../../support/daemon.ts';
import { openSite } from '../../support/site.ts';

const shelves = `id: shelves
provider: html
allowPrivate: true
robots: ignore
politeness: { autoThrottle: false, delay: 1ms, minDelay: 1ms }
crawl: { detail: [/p/], follow: [/c/] }
records:
  product:
    key: sku
    fields: { sku: { css: .sku, required: true }, name: h1, maker: .maker }
`;

const product = (number: number): string =>
  `<!doctype html><title>Lamp ${number}</title><h1>Lamp ${number}</h1><p class="sku">S-${number}</p><p class="maker">Maker ${number}</p>`;

test('another record in the place of the known one on a page of a crawl is told once a second crawl shows it', async (t) => {
  const numbers = [1, 2, 3];
  const links = numbers.map((number) => `<a href="/p/${number}">Lamp ${number}</a>`).join('');
  const site = await openSite(t, { '/': `<!doctype html><title>Lamps</title>${links}` });
  for (const number of numbers) site.answer(`/p/${number}`, product(number));
  const settings = { initialDelayMs: 0, everyMs: 3_600_000, timeLimitMs: 60_000, logLevel: 'silent' } as const;
  const daemon = await startDaemon(t, { sources: { shelves }, settings });
  const { client, events } = daemon;
  const added = () => events.flatMap((event) => (event.type === 'record.added' ? [event.data.key] : []));
  let crawls = 1;
  const crawl = async (): Promise<void> => {
    await client.call('project.rescrape', { id: 'shop' });
    await nth((crawls += 1), 'scrape.completed', 'shop', daemon);
  };
  await client.call('project.add', { id: 'shop', targets: [{ source: 'shelves', url: site.url('/') }] });
  await nth(1, 'scrape.completed', 'shop', daemon);
  await crawl();

  site.answer('/p/2', product(9));
  await crawl();
  assert.deepEqual(added().toSorted(), ['S-1', 'S-2', 'S-3']);

  await crawl();
  assert.deepEqual(added().toSorted(), ['S-1', 'S-2', 'S-3', 'S-9']);
});
