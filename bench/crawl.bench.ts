/**
 * Question: what does a whole crawl cost over the least that one takes? A shop of product pages of 5, 50 and 400 kB, 64 pages at
 * once, robots.txt left aside, records to a file. Ours is the daemon as a person starts it, with default settings: actors, turns,
 * vetted addresses, threads, records with history, frontier and events in the store. The least is bare undici, htmlparser2 and
 * selectors compiled once. Each is a process of its own, on one core where `taskset` is there, with the server on another; each
 * must give every page's fields exactly once. Rounds alternate; medians.
 *
 * `ratio` is of pages per second of processor time to bare, on two cores of pages per second to the daemon on one; `memoryRatio`
 * is of the most memory, with mapped files, to bare.
 * Goals, at 5, 50 and 400 kB: 0.45, 0.75 and 0.85 of bare; stretch 0.60, 0.85 and 0.90. Memory: at most 1.5, 1.05 and 0.95 of it;
 * stretch 1.3, 1.0 and 0.9. Two cores: 1.5 of one at 50 and 400 kB; stretch 1.8.
 *
 * `BENCH_PAGES` names a module that makes the pages in the place of ours (`shop.ts`). `BENCH_PEERS` names a file of other crawlers
 * to run beside, a list of `{ "id", "role": "peer", "cmd", "env", "allowDuplicates" }`, which are told their work as `crawl-bare.ts` is.
 *
 * Run with `node bench/crawl.bench.ts [--json] [--quick]`.
 */
import { execFile, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pinned } from './daemon.ts';
import { type PageSize, pageSizes, productFields } from './pages.ts';
import { load, peakBytes } from './process-figures.ts';
import { isQuick, show } from './show.ts';
import { openShop, type Shop } from './shop.ts';
import { median, rounded } from './statistics.ts';

const rounds = isQuick ? 1 : 3;
const share = isQuick ? 0.5 : 1;

interface Contender {
  readonly id: string;
  readonly command: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cores: string;
  readonly allowDuplicates?: boolean;
}

const ofOurs = (id: string, file: string, cores: string): Contender => ({
  id,
  command: [process.execPath, join(import.meta.dirname, file)],
  cores,
});
const bare = ofOurs('bare', 'crawl-bare.ts', '0');
const daemon = ofOurs('heronry', 'crawl-daemon.ts', '0');
const onTwo = ofOurs('heronry, two cores', 'crawl-daemon.ts', '0,1');
/** Pages are kept by default, each of these, as each gives a new record. */
const unkept = { ...ofOurs('heronry, no pages kept', 'crawl-daemon.ts', '0'), env: { VAULT: 'off' } };
const paced = { ...ofOurs('heronry, a request each ms', 'crawl-daemon.ts', '0'), env: { DELAY: '1ms' } };

interface Goals {
  readonly ratio: readonly [number, number];
  readonly memory: readonly [number, number];
}
const goals: Readonly<Record<PageSize, Goals>> = {
  5: { ratio: [0.45, 0.6], memory: [1.5, 1.3] },
  50: { ratio: [0.75, 0.85], memory: [1.05, 1] },
  400: { ratio: [0.85, 0.9], memory: [0.95, 0.9] },
};

interface Run {
  readonly perSecond: number;
  readonly perCpuSecond: number;
  readonly peakMb: number;
}

await (process.argv[2] === '--serve' ? serve(Number(process.argv[3]) as PageSize) : compare());

/** Answers each request from memory, as cheaply as Node can. */
async function serve(size: PageSize): Promise<void> {
  const { products, lists } = await openShop(size, share);
  const responses = new Map<string, Buffer>();
  for (const [path, html] of [...lists, ...[...products].map(([of, page]) => [of, page.html] as const)]) {
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

async function run(contender: Contender, shop: Shop, origin: string, out: string): Promise<Run> {
  const { id, command, cwd, cores, env } = contender;
  const [file, ...args] = pinned(command, cores);
  const urls = shop.starts.map((path) => `${origin}${path}`);
  const child = execFile(file, args, {
    ...(cwd !== undefined && { cwd }),
    env: { ...process.env, ...env, START_URLS: urls.join(','), OUT: out, CONC: '64' },
  });
  let written = '';
  child.stdout?.on('data', (text: string) => (written += text));
  child.stderr?.pipe(process.stderr);
  let peak = 0;
  // For who does not tell it: what is seen last is the most, but for the end.
  const look = setInterval(() => {
    if (child.exitCode === null) peak = Math.max(peak, peakBytes(child.pid ?? 0));
  }, 20);
  await once(child, 'close');
  clearInterval(look);
  const told = /^@@(.*)$/m.exec(written)?.[1] ?? '{}';
  const { wallS, cpuS, requests, errors, rssMb } = JSON.parse(told) as Record<string, number | undefined>;
  if ((errors ?? 0) > 0 || wallS === undefined || cpuS === undefined || requests === undefined)
    throw new Error(`${id} failed: ${told}`);
  check(readFileSync(out, 'utf8'), contender, shop, origin);
  return { perSecond: requests / wallS, perCpuSecond: requests / cpuS, peakMb: rssMb ?? peak / 1_048_576 };
}

function check(written: string, { id, allowDuplicates }: Contender, { products }: Shop, origin: string): void {
  const records = written
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string>);
  const urls = new Set(records.map(({ url }) => url));
  const isOnce = allowDuplicates === true || records.length === urls.size;
  if (urls.size !== products.size || !isOnce)
    throw new Error(`${id}: ${records.length} records of ${urls.size} pages, expected ${products.size}`);
  for (const record of records) {
    const page = products.get(record['url']?.slice(origin.length) ?? '');
    const wrong = Object.keys(productFields).find(
      (name) => record[name] !== page?.fields[name as keyof typeof productFields],
    );
    if (wrong !== undefined) throw new Error(`${id}: ${record['url']}: ${wrong}: ${JSON.stringify(record)}`);
  }
}

/** Other crawlers, where a file names some. */
function peers(): Contender[] {
  const path = process.env['BENCH_PEERS'];
  if (path === undefined) return [];
  const listed = JSON.parse(readFileSync(path, 'utf8')) as readonly {
    readonly id: string;
    readonly role: string;
    readonly cmd: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    readonly allowDuplicates?: boolean;
  }[];
  return listed
    .filter(({ role }) => role === 'peer')
    .map(({ cmd, ...peer }) => ({
      ...peer,
      command: cmd.map((word) => (word === '$NODE' ? process.execPath : word)),
      cwd: dirname(resolve(path)),
      cores: '0',
    }));
}

async function compareAt(size: PageSize, folder: string): Promise<Record<string, string | number>[]> {
  const shop = await openShop(size, share);
  const server = fork(import.meta.filename, ['--serve', String(size), ...(isQuick ? ['--quick'] : [])], {
    execArgv: [],
  });
  spawnSync('taskset', ['-acp', '1', String(server.pid)]);
  const [{ port }] = (await once(server, 'message')) as [{ readonly port: number }];
  const contenders = [bare, daemon, unkept, size === 5 ? paced : onTwo, ...peers()];
  const found = new Map(contenders.map((contender) => [contender, [] as Run[]]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [contender, runs] of found) {
      try {
        runs.push(await run(contender, shop, `http://127.0.0.1:${port}`, join(folder, 'records')));
      } catch (error) {
        // A peer that is not installed here is left out.
        if (contender.cwd === undefined) throw error;
        console.error(error);
        found.delete(contender);
      }
    }
  }
  server.disconnect();
  const of = (contender: Contender, key: keyof Run): number =>
    median((found.get(contender) ?? []).map((each) => each[key]));
  const { ratio: ratioGoals, memory: memoryGoals } = goals[size];
  return Array.from(found.keys(), (contender) => {
    const isOnTwo = contender === onTwo;
    const ratio = isOnTwo
      ? of(contender, 'perSecond') / of(daemon, 'perSecond')
      : of(contender, 'perCpuSecond') / of(bare, 'perCpuSecond');
    const [goal, stretch] = isOnTwo ? [1.5, 1.8] : contender === daemon ? ratioGoals : ['', ''];
    const [memoryGoal, memoryStretch] = contender === daemon ? memoryGoals : ['', ''];
    return {
      page: `${size} kB, ${shop.of}`,
      contender: contender.id,
      perSecond: Math.round(of(contender, 'perSecond')),
      perCpuSecond: Math.round(of(contender, 'perCpuSecond')),
      ratio: rounded(ratio),
      goal,
      stretch,
      peakMb: Math.round(of(contender, 'peakMb')),
      memoryRatio: rounded(of(contender, 'peakMb') / of(bare, 'peakMb')),
      memoryGoal,
      memoryStretch,
      load: load(),
    };
  });
}

async function compare(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'heronry-bench-'));
  const rows: Record<string, string | number>[] = [];
  for (const size of pageSizes) rows.push(...(await compareAt(size, folder)));
  rmSync(folder, { recursive: true });
  show('crawl', rows);
}
