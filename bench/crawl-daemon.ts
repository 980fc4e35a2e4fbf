/**
 * Crawls a shop by a whole daemon: turns, robots.txt, vetted addresses, pages read on threads, records with history, a frontier
 * and events in the store. Its host's ledger gives a turn each millisecond, which is the least that a definition may ask for.
 *
 * `START_URLS` (parted by commas), `OUT` and `CONC` come by the environment; prints one line `@@{"wallS":…,"cpuS":…}` at its
 * end. Records go to `OUT` once the crawl has ended, which its time does not count.
 */
import { appendFileSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../src/clock.ts';
import { type Client, connect, ConnectionError } from '../src/control/client.ts';
import { openDaemon } from '../src/daemon/open.ts';
import { secretsFrom } from '../src/session/secret-store.ts';
import { productFields } from './pages.ts';

const startUrls = (process.env['START_URLS'] ?? '').split(',');
const [startUrl = ''] = startUrls;
const { origin } = new URL(startUrl);
const definition = {
  id: 'shop',
  allowPrivate: true,
  politeness: {
    concurrency: Math.min(64, Number(process.env['CONC'] ?? 64)),
    delay: '1ms',
    minDelay: '1ms',
    autoThrottle: false,
  },
  crawl: { start: startUrls, detail: ['/p/'], follow: ['/list/'], links: ['a.product-link', 'a.next-page'] },
  records: { product: { key: 'sku', fields: productFields } },
};

const folder = await mkdtemp(join(tmpdir(), 'heronry-bench-'));
for (const name of ['data', 'sources', 'plugins']) await mkdir(join(folder, name), { mode: 0o700 });
// JSON is YAML.
await writeFile(join(folder, 'sources', 'shop.yaml'), JSON.stringify(definition));
const socket = join(folder, 'socket');
const daemon = await openDaemon({
  clock: systemClock(),
  random: Math.random,
  data: join(folder, 'data'),
  sources: join(folder, 'sources'),
  plugins: join(folder, 'plugins'),
  socket,
  version: '0.0.0',
  settings: { initialDelayMs: 1, everyMs: 86_400_000, timeLimitMs: 600_000, logLevel: 'silent' },
  pulseEveryMs: 300_000,
  bot: { name: 'Heronry', userAgent: 'Heronry/0.0.0', onlyLoopback: true },
  findSecrets: secretsFrom({ environment: {} }),
  threads: 1,
  report: () => undefined,
  warn: (what, error) => console.error(what, error),
});
const client = await connectSoon();
const over = Promise.withResolvers<void>();
await client.subscribe({ project: 'all' }, ({ type }) => {
  if (/^scrape\.(?:completed|failed|aborted)$/.test(type)) over.resolve();
});

const cpu = process.cpuUsage();
const startedAt = performance.now();
await client.call('project.add', { id: 'all', targets: [{ source: 'shop', url: startUrl }] });
await over.promise;
const wallS = (performance.now() - startedAt) / 1_000;
const { user, system } = process.cpuUsage(cpu);

const { scrapes } = await client.call('scrape.list', {});
const [scrape] = scrapes;
await writeRecords(process.env['OUT'] ?? '/dev/null');
client.close();
daemon.stop();
await daemon.ended;
await rm(folder, { recursive: true });
const errors = scrape?.status === 'complete' ? 0 : 1;
if (errors > 0) console.error(scrape?.status, scrape?.failure?.message);
const rssMb = process.resourceUsage().maxRSS / 1_024;
const told = { wallS, cpuS: (user + system) / 1e6, requests: scrape?.steps ?? 0, errors, rssMb };
console.log(`@@${JSON.stringify(told)}`);

/** Its socket listens once all that stands above it in the tree has started. */
async function connectSoon(): Promise<Client> {
  for (let left = 500; ; left -= 1) {
    try {
      return await connect(socket);
    } catch (error) {
      if (!(error instanceof ConnectionError) || left === 0) throw error;
      await delay(10);
    }
  }
}

async function writeRecords(out: string): Promise<void> {
  writeFileSync(out, '');
  let after: string | undefined;
  do {
    const slice = await client.call('project.records', { id: 'all', limit: 1_000, ...(after && { after }) });
    for (const { url, fields } of slice.records) {
      const values = Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value]));
      const image = typeof values['image'] === 'string' ? values['image'].slice(origin.length) : values['image'];
      appendFileSync(out, `${JSON.stringify({ url, ...values, image })}\n`);
    }
    after = slice.next;
  } while (after !== undefined);
}
