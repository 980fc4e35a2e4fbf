/**
 * Question: what does serving HTTP cost the scraping beside it? A daemon scrapes 1,000 targets over and over, as fast as it can on one core
 * where `taskset` is there; in turns nobody asks, and a dashboard is open in five places: as many streams of all events, and a page every 200 ms.
 * `ratio` is that of the scrapes a second while it is open to those while it is not, the median over pairs of turns.
 *
 * Goal: nine tenths.
 *
 * Run with `node bench/http-beside.bench.ts [--json] [--quick]`.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fillStore } from '../test/support/filled-store.ts';
import { freePort } from '../test/support/servers/own-server.ts';
import { openStreams } from '../test/support/stream-clients.ts';
import { daemonFolder, paceOver, shopSource, startDaemon } from './daemon.ts';
import { load } from './process-figures.ts';
import { isQuick, show } from './show.ts';
import { openSite } from './site.ts';
import { at, median, rounded } from './statistics.ts';

const targets = 1_000;
const streams = 5;
const pageEveryMs = 200;
const pages = ['', 'projects', 'projects?q=project-7', 'sources/shop', 'schedule'];
const rounds = isQuick ? 1 : 5;
const [warmMs, windowMs] = isQuick ? [3_000, 3_000] : [10_000, 8_000];

const port = await freePort();
await using site = await openSite({ hosts: 200, kilobytes: 5, cores: '1' });
await using folder = await daemonFolder(shopSource({ continuous: { sleep: '0s' } }), { http: { port } });
const urls = Array.from({ length: targets }, (_, index) => site.url(index));
await fillStore(folder.path, { count: targets, urls, pace: { kind: 'continuous' } });
await using daemon = await startDaemon(folder, '0');
await delay(warmMs);
const token = (await readFile(join(folder.path, 'data', 'http-token'), 'utf8')).trim();

const found = [];
const times: number[] = [];
for (let round = 0; round < rounds; round += 1) {
  const alone = await paceOver(daemon, windowMs);
  const serving = await paceServing();
  found.push({ alone: alone.perSecond, serving: serving.perSecond });
}
show('http-beside', [
  {
    streams,
    pageEveryMs,
    alonePerSecond: Math.round(median(found.map(({ alone }) => alone))),
    servingPerSecond: Math.round(median(found.map(({ serving }) => serving))),
    ratio: rounded(median(found.map(({ alone, serving }) => serving / alone))),
    goal: 0.9,
    pageP50Ms: rounded(at(0.5, times), 1),
    pageP99Ms: rounded(at(0.99, times), 1),
    load: load(),
  },
]);

/** The pace while a dashboard is open. */
async function paceServing() {
  await using _clients = await openStreams({ port, path: '/v1/events', token, count: streams });
  const over = new AbortController();
  const asking = askPages(over.signal);
  const pace = await paceOver(daemon, windowMs);
  over.abort();
  await asking;
  return pace;
}

async function askPages(signal: AbortSignal): Promise<void> {
  for (let asked = 0; !signal.aborted; asked += 1) {
    const startedAt = performance.now();
    const url = `http://127.0.0.1:${port}/${pages[asked % pages.length] ?? ''}`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    await response.text();
    if (!response.ok) throw new Error(`${url}: ${response.status}`);
    times.push(performance.now() - startedAt);
    await delay(pageEveryMs);
  }
}
