/**
 * Question: how much does a browser load before it shows the dashboard for the first time, and how long does that take on loopback? `bytes` are
 * those of the start page and of all files that it names, compressed, without headers. `firstContentMs` is the first contentful paint in
 * Chromium, from the beginning of the navigation, the median of contexts that have nothing cached. Where `load` is above the number of
 * processors, most of it is waiting for one.
 *
 * Goals: 60 kB and 300 ms.
 *
 * Run with `node bench/first-load.bench.ts [--json] [--quick]`.
 */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { chromiumPath } from '../test/support/browser.ts';
import { filledSource, fillStore } from '../test/support/filled-store.ts';
import { freePort } from '../test/support/servers/own-server.ts';
import { daemonFolder, ready, startDaemon } from './daemon.ts';
import { load } from './process-figures.ts';
import { isQuick, show } from './show.ts';
import { median, rounded } from './statistics.ts';

const projects = 1_000;
const rounds = isQuick ? 3 : 15;

const port = await freePort();
await using folder = await daemonFolder(filledSource, { http: { port } });
await fillStore(folder.path, { count: projects });
await using daemon = await startDaemon(folder);
await ready(daemon);
const token = (await readFile(join(folder.path, 'data', 'http-token'), 'utf8')).trim();
const headers = { authorization: `Bearer ${token}` };
const origin = `http://127.0.0.1:${port}/`;

const page = await (await fetch(origin, { headers })).text();
const files = new Set(page.match(/(?<=")assets\/[^"#]+/g));
let bytes = 0;
for (const path of ['', ...files]) bytes += await compressedBytes(origin + path);

show('first-load', [
  {
    files: 1 + files.size,
    bytes,
    goalBytes: 60_000,
    firstContentMs: rounded(median(await firstContents()), 0),
    goalMs: 300,
    load: load(),
  },
]);

/** The bytes of a body as they are sent. */
async function compressedBytes(url: string): Promise<number> {
  const request = get(url, { headers: { ...headers, 'accept-encoding': 'gzip' } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let length = 0;
  for await (const chunk of response) length += (chunk as Buffer).length;
  if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode}`);
  return length;
}

async function firstContents(): Promise<number[]> {
  const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
  const found: number[] = [];
  // The first one is for the browser's own start.
  for (let round = 0; round <= rounds; round += 1) {
    const context = await browser.newContext({ extraHTTPHeaders: headers });
    const tab = await context.newPage();
    await tab.goto(origin, { waitUntil: 'load' });
    const paintedAt = await tab.evaluate<number>(
      `new Promise((resolve) => new PerformanceObserver((list) => {
        const [entry] = list.getEntriesByName('first-contentful-paint');
        if (entry !== undefined) resolve(entry.startTime);
      }).observe({ type: 'paint', buffered: true }))`,
    );
    if (round > 0) found.push(paintedAt);
    await context.close();
  }
  await browser.close();
  return found;
}
