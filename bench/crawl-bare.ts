/** The least that a crawl of the shop takes: undici, htmlparser2 and selectors compiled once, in a loop. Talks as `crawl-peer` does. */
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { compile, selectAll, selectOne } from 'css-select';
import type { AnyNode, Element } from 'domhandler';
import { DomUtils, parseDocument } from 'htmlparser2';
import { Pool } from 'undici';
import { productFields } from './pages.ts';

const startUrls = (process.env['START_URLS'] ?? '').split(',');
const width = Number(process.env['CONC'] ?? 64);
const { origin } = new URL(startUrls[0] ?? '');
const pool = new Pool(origin, { connections: width, pipelining: 1 });
const fields = Object.entries(productFields).map(([name, field]) => ({
  name,
  attr: 'attr' in field ? field.attr : undefined,
  matches: compile<AnyNode, Element>(field.css),
}));
const isLink = compile<AnyNode, Element>('a.product-link, a.next-page');

const out = createWriteStream(process.env['OUT'] ?? '/dev/null');
let lines = '';
const queue = [...startUrls];
const seen = new Set(queue);
let requests = 0;

async function visit(url: string): Promise<void> {
  const { body } = await pool.request({ path: url.slice(origin.length), method: 'GET' });
  const root = parseDocument(await body.text());
  if (url.includes('/p/')) write(url, root.children);
  for (const { attribs } of selectAll<AnyNode, Element>(isLink, root.children)) {
    const link = new URL(attribs['href'] ?? '', url).href;
    if (seen.has(link)) continue;
    seen.add(link);
    queue.push(link);
  }
}

function write(url: string, nodes: AnyNode[]): void {
  const record: Record<string, string> = { url };
  for (const { name, attr, matches } of fields) {
    const found = selectOne<AnyNode, Element>(matches, nodes);
    if (found !== null) record[name] = attr === undefined ? DomUtils.textContent(found) : (found.attribs[attr] ?? '');
  }
  lines += `${JSON.stringify(record)}\n`;
  if (lines.length > 65_536) flush();
}

function flush(): void {
  out.write(lines);
  lines = '';
}

/** Keeps so many pages under way until there are no more. */
function crawl(): Promise<void> {
  return new Promise((resolve, reject) => {
    let underWay = 0;
    const fill = (): void => {
      while (underWay < width && requests < queue.length) {
        underWay += 1;
        requests += 1;
        visit(queue[requests - 1] ?? '').then(left, reject);
      }
      if (underWay === 0) resolve();
    };
    const left = (): void => {
      underWay -= 1;
      fill();
    };
    fill();
  });
}

const cpu = process.cpuUsage();
const startedAt = performance.now();
await crawl();
flush();
out.end();
await finished(out);
const wallS = (performance.now() - startedAt) / 1_000;
const { user, system } = process.cpuUsage(cpu);
await pool.close();
const rssMb = process.resourceUsage().maxRSS / 1_024;
console.log(`@@${JSON.stringify({ wallS, cpuS: (user + system) / 1e6, requests, errors: 0, rssMb })}`);
