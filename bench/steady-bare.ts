/**
 * The least that it takes to scrape pages over and over: undici, htmlparser2 with selectors compiled once, and an lmdb put, in a
 * loop of 64 at once. `URLS` (parted by commas) come by the environment, the milliseconds to warm up and of the window as
 * arguments; prints pages per second and the processor time of a page as JSON.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { compile, selectOne } from 'css-select';
import type { AnyNode, Element } from 'domhandler';
import { DomUtils, parseDocument } from 'htmlparser2';
import { open } from 'lmdb';
import { Agent } from 'undici';
import { productFields } from './pages.ts';

const width = 64;
const [warmMs = 0, windowMs = 0] = process.argv.slice(2).map(Number);
const places = (process.env['URLS'] ?? '').split(',').map((url) => new URL(url));
const fields = Object.entries(productFields).map(([name, field]) => ({
  name,
  attr: 'attr' in field ? field.attr : undefined,
  matches: compile<AnyNode, Element>(field.css),
}));
const folder = mkdtempSync(join(tmpdir(), 'heronry-bench-'));
const store = open<Record<string, string>, string>({ path: folder, encoding: 'json' });
const agent = new Agent({ connections: 1, pipelining: 1 });

let next = 0;
let pages = 0;
let isOver = false;

async function visit({ origin, pathname, href }: URL): Promise<void> {
  const { body } = await agent.request({ origin, path: pathname, method: 'GET' });
  const root = parseDocument(await body.text());
  const record: Record<string, string> = { url: href };
  for (const { name, attr, matches } of fields) {
    const found = selectOne<AnyNode, Element>(matches, root.children);
    if (found !== null) record[name] = attr === undefined ? DomUtils.textContent(found) : (found.attribs[attr] ?? '');
  }
  await store.put(record['sku'] ?? href, record);
  pages += 1;
}

async function lane(): Promise<void> {
  while (!isOver) {
    const place = places[next % places.length];
    next += 1;
    if (place !== undefined) await visit(place);
  }
}

const lanes = Array.from({ length: width }, lane);
await delay(warmMs);
const before = { pages, cpu: process.cpuUsage(), at: performance.now() };
await delay(windowMs);
const { user, system } = process.cpuUsage(before.cpu);
const done = pages - before.pages;
const perSecond = (done / (performance.now() - before.at)) * 1_000;
isOver = true;
await Promise.all(lanes);
await agent.close();
await store.close();
rmSync(folder, { recursive: true });
console.log(JSON.stringify({ perSecond, cpuMsEach: (user + system) / 1_000 / done }));
