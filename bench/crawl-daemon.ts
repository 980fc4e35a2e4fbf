/**
 * Crawls a shop by a whole daemon with default settings, in a process of its own. As by the others, nothing but the width bounds
 * how fast the host is asked, and robots.txt is left aside.
 *
 * `START_URLS` (parted by commas), `OUT` and `CONC` come by the environment, `DELAY`, the least time between two requests, and `VAULT=off` for a daemon that keeps no pages;
 * prints one line `@@{"wallS":…,"cpuS":…}` at its end, with the daemon's processor time and memory. Records go to `OUT` once the
 * crawl has ended, which its time does not count.
 */
import { appendFileSync, writeFileSync } from 'node:fs';
import type { Client } from '../src/control/client.ts';
import { daemonFolder, shopSource, startDaemon } from './daemon.ts';

const startUrls = (process.env['START_URLS'] ?? '').split(',');
const [startUrl = ''] = startUrls;
const { origin } = new URL(startUrl);
const pause = process.env['DELAY'] ?? '0ms';
const concurrency = Math.min(64, Number(process.env['CONC'] ?? 64));

await using folder = await daemonFolder(
  shopSource({
    politeness: { autoThrottle: false, delay: pause, minDelay: pause, concurrency },
    crawl: { start: startUrls, detail: ['/p/'], follow: ['/list/'], links: ['a.product-link', 'a.next-page'] },
  }),
  process.env['VAULT'] === 'off' ? { vault: 'off' } : undefined,
);
await using daemon = await startDaemon(folder);
const { client } = daemon;
const over = Promise.withResolvers<void>();
await client.subscribe({ types: ['scrape.completed', 'scrape.failed', 'scrape.aborted'] }, () => over.resolve());

const cpuBefore = daemon.cpuMs();
const startedAt = performance.now();
await client.call('project.add', { id: 'all', targets: [{ source: 'shop', url: startUrl }], initialDelayMs: 0 });
await over.promise;
const wallS = (performance.now() - startedAt) / 1_000;
const cpuS = (daemon.cpuMs() - cpuBefore) / 1_000;
const rssMb = daemon.peakBytes() / 1_048_576;

const { scrapes } = await client.call('scrape.list', {});
const [scrape] = scrapes;
await writeRecords(client, process.env['OUT'] ?? '/dev/null');
const errors = scrape?.status === 'complete' ? 0 : 1;
if (errors > 0) console.error(scrape?.status, scrape?.failure?.message);
console.log(`@@${JSON.stringify({ wallS, cpuS, requests: scrape?.steps ?? 0, errors, rssMb })}`);

async function writeRecords({ call }: Client, out: string): Promise<void> {
  writeFileSync(out, '');
  let after: string | undefined;
  do {
    const slice = await call('project.records', { id: 'all', limit: 1_000, ...(after && { after }) });
    for (const { url, fields } of slice.records) {
      const values = Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value]));
      // Addresses are made absolute; other crawlers give them as they are written.
      const image = typeof values['image'] === 'string' ? values['image'].slice(origin.length) : values['image'];
      appendFileSync(out, `${JSON.stringify({ url, ...values, image })}\n`);
    }
    after = slice.next;
  } while (after !== undefined);
}
