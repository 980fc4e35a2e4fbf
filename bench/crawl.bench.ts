/**
 * Question: what does a whole crawl cost over the least that one takes? A shop of product pages of 5, 50 and 400 kB, 64 pages
 * at once, records to a file, each contender in a process of its own on one core where `taskset` is there; the server has the
 * other. Every crawl must give each page's fields exactly once. `ratio` is of pages per second of CPU, the median over rounds
 * that alternate: bare undici, htmlparser2 and selectors compiled once is 1.
 *
 * Goals: at least 0.60, 0.80 and 0.85 of it at 5, 50 and 400 kB, with at most 1.3 of its peak memory, for our crawl alone;
 * the whole daemon, with turns, robots.txt, store and history, is reported beside it.
 *
 * Run with `node bench/crawl.bench.ts [--json]`.
 */
import { execFile, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { listPage, type PageSize, pageSizes, productFields, productPage } from './pages.ts';
import { median, rounded } from './statistics.ts';

const rounds = 3;
const contenders = { bare: 'crawl-bare.ts', heronry: 'crawl-peer.ts', daemon: 'crawl-daemon.ts' } as const;
type Contender = keyof typeof contenders;

/** Products of each size, and of a list. */
const products: Readonly<Record<PageSize, number>> = { 5: 2_000, 50: 600, 400: 100 };
const perList = 50;

function productPath(size: PageSize, id: number): string {
  return `/${size}/p/${id}.html`;
}

function listPath(size: PageSize, list: number): string {
  return `/${size}/list/${list}.html`;
}

/** All pages by path: lists that lead to products and to the next list, products that lead to six others. */
function siteOf(size: PageSize): Map<string, string> {
  const count = products[size];
  const site = new Map<string, string>();
  for (let id = 0; id < count; id += 1) {
    const links = [1, 2, 7, 31, 97, 211].map((step) => productPath(size, (id * 3 + step) % count));
    site.set(productPath(size, id), productPage(id, size, links).html);
  }
  for (let list = 0; list * perList < count; list += 1) {
    const first = list * perList;
    const links = Array.from({ length: Math.min(perList, count - first) }, (_, at) => productPath(size, first + at));
    const next = first + perList < count ? listPath(size, list + 1) : undefined;
    site.set(listPath(size, list), listPage(links, next));
  }
  return site;
}

/** Answers each request from memory, as cheaply as Node can. */
async function serve(): Promise<void> {
  const responses = new Map<string, Buffer>();
  for (const [path, html] of pageSizes.flatMap((size) => [...siteOf(size)])) {
    const body = Buffer.from(html);
    const head = `HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: ${body.byteLength}\r\n\r\n`;
    responses.set(path, Buffer.concat([Buffer.from(head), body]));
  }
  const missing = Buffer.from('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n');
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('data', (request) => {
      const path = request.toString('latin1', 4, request.indexOf(32, 4));
      socket.write(responses.get(path) ?? missing);
    });
    socket.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send?.(server.address());
  process.on('disconnect', () => process.exit());
}

interface Run {
  readonly perSecond: number;
  readonly perCpuSecond: number;
  readonly rssMb: number;
}

const isPinned = spawnSync('taskset', ['-c', '0', 'true']).status === 0;

async function run(contender: Contender, size: PageSize, origin: string, out: string): Promise<Run> {
  const program = [process.execPath, join(import.meta.dirname, contenders[contender])];
  const [command = '', ...args] = isPinned ? ['taskset', '-c', '0', ...program] : program;
  const env = { ...process.env, START_URLS: `${origin}${listPath(size, 0)}`, OUT: out, CONC: '64' };
  const { stdout } = await promisify(execFile)(command, args, { env });
  const told = /^@@(.*)$/m.exec(stdout)?.[1] ?? '{}';
  const { wallS, cpuS, requests, errors, rssMb } = JSON.parse(told) as Record<string, number | undefined>;
  if (errors !== 0 || wallS === undefined || cpuS === undefined || requests === undefined || rssMb === undefined)
    throw new Error(`${contender} failed at ${size} kB: ${told}`);
  check(readFileSync(out, 'utf8'), contender, size, origin);
  return { perSecond: requests / wallS, perCpuSecond: requests / cpuS, rssMb };
}

function check(written: string, contender: Contender, size: PageSize, origin: string): void {
  const records = written
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string>);
  const urls = new Set(records.map(({ url }) => url));
  if (records.length !== products[size] || urls.size !== products[size])
    throw new Error(`${contender}: ${records.length} records of ${urls.size} pages, expected ${products[size]}`);
  for (const record of records) {
    const id = Number(/(\d+)\.html$/.exec(record['url'] ?? '')?.[1]);
    const { fields } = productPage(id, size);
    const wrong = Object.keys(productFields).find((name) => record[name] !== fields[name as keyof typeof fields]);
    if (record['url'] !== `${origin}${productPath(size, id)}` || wrong !== undefined)
      throw new Error(`${contender}: ${record['url']}: ${wrong}: ${JSON.stringify(record)}`);
  }
}

async function compare(): Promise<void> {
  const server = fork(import.meta.filename, ['--serve'], { execArgv: [] });
  if (isPinned) spawnSync('taskset', ['-cp', '1', String(server.pid)]);
  const [{ port }] = (await once(server, 'message')) as [{ readonly port: number }];
  const folder = mkdtempSync(join(tmpdir(), 'heronry-bench-'));
  const names = Object.keys(contenders) as Contender[];
  const rows: Record<string, string | number>[] = [];
  for (const size of pageSizes) {
    const found: Record<Contender, Run[]> = { bare: [], heronry: [], daemon: [] };
    for (let round = 0; round < rounds; round += 1) {
      for (const name of names)
        found[name].push(await run(name, size, `http://127.0.0.1:${port}`, join(folder, 'records')));
    }
    const of = (name: Contender, key: keyof Run): number => median(found[name].map((each) => each[key]));
    for (const name of names) {
      rows.push({
        page: `${size} kB`,
        contender: name,
        perSecond: Math.round(of(name, 'perSecond')),
        perCpuSecond: Math.round(of(name, 'perCpuSecond')),
        ratio: rounded(of(name, 'perCpuSecond') / of('bare', 'perCpuSecond')),
        rssMb: Math.round(of(name, 'rssMb')),
        rssRatio: rounded(of(name, 'rssMb') / of('bare', 'rssMb')),
      });
    }
  }
  server.disconnect();
  rmSync(folder, { recursive: true });
  if (process.argv.includes('--json')) console.log(JSON.stringify({ bench: 'crawl', rows }));
  else console.table(rows);
}

await (process.argv.includes('--serve') ? serve() : compare());
