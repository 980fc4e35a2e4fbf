/**
 * Question: what does it cost the main thread to have a page read elsewhere, and from which size on does that pay? Pages of
 * several sizes through the extractors' actor and through a plain pool of Piscina, whose task is the page with its plan, by one
 * thread; `mainMicros` is the main thread's own CPU per page. Beside them the same page read inline.
 *
 * Goal: at most half of plain Piscina's. The size at which the thread begins to give more pages per second than the main thread
 * is where a second processor pays, which the share of the main thread in `src/engine/inline.ts` leaves to threads;
 * `delayP99Ms` tells what the loop pays on either side.
 *
 * Run with `node bench/handoff.bench.ts [--json]`.
 */
import { Piscina } from 'piscina';
import { Registry } from '../src/actor/registry.ts';
import { createSystem } from '../src/actor/system.ts';
import { systemClock } from '../src/clock.ts';
import { Source } from '../src/definition/source.ts';
import { extract, type ExtractInput } from '../src/extract/extract.ts';
import type { ExtractOutcome } from '../src/extract/draft.ts';
import { ExtractRoom } from '../src/extract/room.ts';
import { openProvider } from '../src/provider/declared.ts';
import { extractors, type ExtractorsMessage, extractPage } from '../workers/extractors.ts';
import { bodyOf, productFields, productPage } from './pages.ts';
import { median, rounded } from './statistics.ts';

/** In kB. */
const sizes = [4, 8, 16, 50, 400];
const rounds = 5;
/** Pages under way at once, so that the thread never waits for the next. */
const atOnce = 2;

const source = Source.parse({
  id: 'handoff',
  records: { product: { key: 'sku', fields: { ...productFields, price: { ...productFields.price, type: 'money' } } } },
});
const { page: reading } = openProvider(source);
const url = 'http://shop.test/p/1';
const headers = { 'content-type': 'text/html; charset=utf-8' };
const { signal } = new AbortController();

const system = createSystem({ clock: systemClock() });
const registry: Registry<'extractors', ExtractorsMessage> = new Registry();
const spawned = await system.spawn<ExtractorsMessage>((self) =>
  extractors(self, { registry, room: new ExtractRoom(Infinity), threads: 1 }),
);
if (spawned.ok !== true) throw new Error('the pool did not start');
const { ref } = spawned;
const plain = new Piscina<ExtractInput, ExtractOutcome>({
  filename: new URL('./plain.thread.ts', import.meta.url).href,
  minThreads: 1,
  maxThreads: 1,
});

type Reader = (body: ArrayBuffer) => Promise<ExtractOutcome>;

const readers: Readonly<Record<'piscina' | 'heronry' | 'inline', Reader>> = {
  piscina: (body) =>
    plain.run({ body, url, contentType: headers['content-type'], plan: reading.plan }, { transferList: [body] }),
  heronry: (body) => {
    const page = { url, status: 200, headers, body, observedAt: 0, elapsedMs: 0, encodedBytes: body.byteLength };
    return extractPage(ref, { page, reading }, signal);
  },
  inline: (body) => extract({ body, url, contentType: headers['content-type'], plan: reading.plan }),
};
type Way = keyof typeof readers;
const ways: readonly Way[] = ['piscina', 'heronry', 'inline'];

interface Figures {
  readonly mainMicros: number;
  readonly perSecond: number;
}

/** Reads a number of pages, each of which is copied before it is measured, as its body goes to the thread for good. */
async function measure(way: Way, body: ArrayBuffer, pages: number): Promise<Figures> {
  const bodies = Array.from({ length: pages }, () => body.slice(0));
  globalThis.gc?.();
  const cpu = process.threadCpuUsage();
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: atOnce }, readOn));
  const { user, system: kernel } = process.threadCpuUsage(cpu);
  return { mainMicros: (user + kernel) / pages, perSecond: (pages / (performance.now() - startedAt)) * 1_000 };

  async function readOn(): Promise<void> {
    for (let next = bodies.pop(); next !== undefined; next = bodies.pop()) {
      const outcome = await readers[way](next);
      if (!outcome.ok) throw new Error(`${way}: not read: ${outcome.failure.code}`);
    }
  }
}

/** The 99th percentile of the loop's delay in milliseconds while pages come at 40 % of what one thread can read. */
async function delay(way: Way, body: ArrayBuffer, inlineMs: number): Promise<number> {
  const everyMs = inlineMs / 0.4;
  const until = performance.now() + 1_500;
  const under = new Set<Promise<unknown>>();
  const delays: number[] = [];
  let last = performance.now();
  const heart = setInterval(() => {
    const now = performance.now();
    delays.push(Math.max(0, now - last - 2));
    last = now;
  }, 2);
  for (let next = performance.now(); next < until; next += everyMs) {
    const wait = next - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    const reading = readers[way](body.slice(0)).finally(() => under.delete(reading));
    under.add(reading);
  }
  clearInterval(heart);
  await Promise.all(under);
  return delays.toSorted((one, other) => one - other)[Math.floor(delays.length * 0.99)] ?? Number.NaN;
}

const rows: Record<string, string | number>[] = [];
for (const kilobytes of sizes) {
  const body = bodyOf(productPage(1, kilobytes).html);
  const pages = Math.max(40, Math.min(600, Math.round(8_000 / kilobytes)));
  for (const way of ways) await measure(way, body, pages);
  const found: Record<Way, Figures[]> = { piscina: [], heronry: [], inline: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const way of ways) found[way].push(await measure(way, body, pages));
  }
  const of = (way: Way, key: keyof Figures): number => median(found[way].map((figures) => figures[key]));
  for (const way of ways) {
    rows.push({
      page: `${kilobytes} kB`,
      way,
      mainMicros: Math.round(of(way, 'mainMicros')),
      toPiscina: rounded(of(way, 'mainMicros') / of('piscina', 'mainMicros')),
      perSecond: Math.round(of(way, 'perSecond')),
      delayP99Ms: rounded(await delay(way, body, of('inline', 'mainMicros') / 1_000)),
    });
  }
}
await plain.destroy();
system.exit(ref, 'shutdown');
await system.ended(ref);

if (process.argv.includes('--json')) console.log(JSON.stringify({ bench: 'handoff', rows }));
else console.table(rows);
