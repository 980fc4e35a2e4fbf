/**
 * Crawls a shop by our crawl on the set-up that other crawlers are measured on: no robots.txt, no turns, no store, pages read
 * where they are fetched, records to a file of lines of JSON. All else is as in life: the walk with its guard and budgets, time
 * limits, the client with its limits and vetted addresses, compiled plans.
 *
 * `START_URLS` (parted by commas), `OUT` and `CONC` come by the environment; prints one line `@@{"wallS":…,"cpuS":…}` at its end.
 */
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { systemClock } from '../src/clock.ts';
import { Source } from '../src/definition/source.ts';
import { extractInput } from '../src/engine/inline.ts';
import { type LocalEngineDeps, runLocally } from '../src/engine/local.ts';
import { extract } from '../src/extract/extract.ts';
import { BodyBudget } from '../src/fetch/body-budget.ts';
import { createClient } from '../src/fetch/wire/client.ts';
import { canonicalUrl } from '../src/frontier/canonical.ts';
import { linkRules } from '../src/frontier/links.ts';
import { openProvider } from '../src/provider/declared.ts';
import type { MakeRequest } from '../src/request/intent.ts';
import { crawlWalk } from '../src/scrape/crawl-walk.ts';
import { runScrape } from '../src/scrape/run.ts';
import type { Close, CommitResult, StepOps } from '../src/store/ops.ts';
import { memoryCrawl } from './crawl-memory.ts';
import { productFields } from './pages.ts';

const startUrls = (process.env['START_URLS'] ?? '').split(',').map((url) => canonicalUrl(url) ?? url);
const width = Number(process.env['CONC'] ?? 64);
const { origin } = new URL(startUrls[0] ?? '');

const source = Source.parse({
  id: 'shop',
  allowPrivate: true,
  robots: 'ignore',
  crawl: { start: startUrls, detail: ['/p/'], follow: ['/list/'], links: ['a.product-link', 'a.next-page'] },
  records: { product: { key: 'sku', fields: productFields } },
});
const { crawl } = source;
if (crawl === undefined) throw new Error('the definition has no crawl');

const clock = systemClock();
const budget = new BodyBudget();
const client = createClient({ budget });
const engine: LocalEngineDeps = {
  client,
  budget,
  now: () => clock.now(),
  renderPage: (request, options) => client.fetchPage(request, options),
  extract: (page, reading) => extract(extractInput(page, reading)),
};
const makeRequest: MakeRequest = async ({ step, within }, signal) => {
  const run = (limited: AbortSignal) => runLocally(step, engine, limited, () => undefined);
  const outcome = await (within === undefined ? run(signal) : within(run, signal));
  return { outcome, generation: 0, wasAsked: true, waitedMs: 0 };
};

const out = createWriteStream(process.env['OUT'] ?? '/dev/null');
let lines = '';
let errors = 0;
let end: string | undefined;

function write({ drafts, log, crawl: ops, close }: StepOps): void {
  for (const { fields } of drafts) {
    // Addresses are made absolute; other crawlers give them as they are written.
    const { image } = fields;
    const written = typeof image === 'string' ? image.slice(origin.length) : image;
    lines += `${JSON.stringify({ url: log.url, ...fields, image: written })}\n`;
  }
  if (lines.length > 65_536) flush();
  if (log.failure !== undefined) {
    errors += 1;
    console.error(log.url, log.failure.message);
  }
  if (ops !== undefined) frontier.apply(ops);
  end = close?.reason ?? end;
}

function flush(): void {
  out.write(lines);
  lines = '';
}

const frontier = memoryCrawl(startUrls, crawl.maxPages, linkRules(crawl, startUrls));
const walk = crawlWalk({
  crawl,
  startUrls,
  provider: openProvider(source),
  width,
  state: frontier.state,
  now: () => clock.now(),
});
const committed: CommitResult = {
  outcome: 'committed',
  counts: { added: 0, changed: 0, confirmed: 0, missing: 0, gone: 0 },
  lastEvent: 0,
  targetStatus: 'active',
};
const deps = {
  clock,
  random: Math.random,
  makeRequest,
  timeLimitMs: 900_000,
  commit(_fence: unknown, ops: StepOps) {
    write(ops);
    return Promise.resolve(committed);
  },
  close(_fence: unknown, close: Close) {
    end = close.reason;
    return Promise.resolve(committed);
  },
};
const begun = { target: 1, epoch: 1, scrape: 1, dueAt: 0, nextDueAt: Infinity, version: '1' };

const cpu = process.cpuUsage();
const startedAt = performance.now();
await runScrape(begun, source, walk, deps, new AbortController().signal);
flush();
out.end();
await finished(out);
const wallS = (performance.now() - startedAt) / 1_000;
const { user, system } = process.cpuUsage(cpu);
await client.close();
if (end !== 'complete') errors += 1;
const rssMb = process.resourceUsage().maxRSS / 1_024;
const requests = frontier.row.pages;
console.log(`@@${JSON.stringify({ wallS, cpuS: (user + system) / 1e6, requests, errors, rssMb })}`);
