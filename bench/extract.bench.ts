/**
 * Question: what does reading a page cost over the bare parsers? Product pages of 5, 50 and 400 kB with eight fields, read one
 * after the other by each contender, and through the extractors' actor by one thread and by two. What counts are ratios within
 * a round: to htmlparser2 with css-select's selectors compiled once (`ratio`), to libxml2 from C (`toLibxml2`), and of two
 * threads to one (`toOneThread`). Without a C compiler or libxml2's headers the second is left out. Contenders on one thread are
 * measured by its CPU, so that other work of the machine counts for none, and all in processes of their own.
 *
 * Goals: inline at least 0.9 of both bare parsers; two threads at least 1.7 × one from 50 kB on.
 *
 * Run with `node bench/extract.bench.ts [--json]`.
 */
import { type ChildProcess, fork as forkProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'cheerio';
import { compile, selectOne } from 'css-select';
import type { AnyNode, Element } from 'domhandler';
import { DomUtils, parseDocument } from 'htmlparser2';
import { Registry } from '../src/actor/registry.ts';
import { createSystem } from '../src/actor/system.ts';
import { systemClock } from '../src/clock.ts';
import { Source } from '../src/definition/source.ts';
import { extract } from '../src/extract/extract.ts';
import { ExtractRoom } from '../src/extract/room.ts';
import { openProvider } from '../src/provider/declared.ts';
import { extractors, type ExtractorsMessage, extractPage } from '../workers/extractors.ts';
import { buildLibxml2, type Libxml2 } from './libxml2/peer.ts';
import { bodyOf, type PageSize, pageSizes, productFields, productPage } from './pages.ts';
import { median, rounded } from './statistics.ts';

const rounds = 7;
const forMs = 250;

const url = 'http://shop.test/p/1';
const contentType = 'text/html; charset=utf-8';
const fields = Object.entries(productFields).map(([name, field]) => ({
  name,
  css: field.css,
  attr: 'attr' in field ? field.attr : undefined,
  matches: compile<AnyNode, Element>(field.css),
}));

function planOf(tree: 'fast' | 'browser') {
  const typed = {
    ...productFields,
    price: { ...productFields.price, type: 'money' },
    rating: { ...productFields.rating, type: 'number' },
  };
  const source = Source.parse({ id: tree, tree, records: { product: { key: 'sku', fields: typed } } });
  return openProvider(source).page.plan;
}
const [fast, browser] = [planOf('fast'), planOf('browser')];
const decoder = new TextDecoder();
let sink = 0;

function bare(body: ArrayBuffer): void {
  const root = parseDocument(decoder.decode(body));
  for (const { matches, attr } of fields) {
    const found = selectOne<AnyNode, Element>(matches, root.children);
    if (found === null) throw new Error('a field was not found');
    sink += (attr === undefined ? DomUtils.textContent(found) : (found.attribs[attr] ?? '')).length;
  }
}

function withCheerio(body: ArrayBuffer, options?: Parameters<typeof load>[1]): void {
  const $ = load(decoder.decode(body), options);
  for (const { css, attr } of fields) {
    const found = $(css).first();
    sink += (attr === undefined ? found.text() : (found.attr(attr) ?? '')).length;
  }
}

async function inline(body: ArrayBuffer, plan: typeof fast): Promise<void> {
  const outcome = await extract({ body, url, contentType, plan });
  if (!outcome.ok) throw new Error(`not read: ${outcome.failure.code}`);
}

async function openPool(threads: number): Promise<(body: ArrayBuffer) => Promise<void>> {
  const system = createSystem({ clock: systemClock() });
  const registry: Registry<'extractors', ExtractorsMessage> = new Registry();
  const spawned = await system.spawn<ExtractorsMessage>((self) =>
    extractors(self, { registry, room: new ExtractRoom(Infinity), threads }),
  );
  if (spawned.ok !== true) throw new Error('the pool did not start');
  const { ref } = spawned;
  const { signal } = new AbortController();
  return async (bytes) => {
    // A copy for each page, since its body goes to the thread for good.
    const body = bytes.slice(0);
    const headers = { 'content-type': contentType };
    const page = { url, status: 200, headers, body, observedAt: 0, elapsedMs: 0, encodedBytes: body.byteLength };
    const outcome = await extractPage(ref, { page, reading: { source: 'bench', plan: fast, limitMs: 30_000 } }, signal);
    if (!outcome.ok) throw new Error(`not read: ${outcome.failure.code}`);
  };
}

interface Contender {
  /** Pages under way at once; those of a pool are measured by the wall's clock. */
  readonly pooled?: number;
  read(body: ArrayBuffer): void | Promise<void>;
}

/** By name; each is measured in a process of its own, as code that several use is compiled for none of them. */
const contenders: Readonly<Record<string, () => Contender | Promise<Contender>>> = {
  'bare htmlparser2 + css-select': () => ({ read: bare }),
  'heronry inline': () => ({ read: (body) => inline(body, fast) }),
  'heronry, one thread': () => pooled(1),
  'heronry, two threads': () => pooled(2),
  'cheerio on htmlparser2': () => ({
    read: (body) => withCheerio(body, { xml: { xmlMode: false, decodeEntities: true } }),
  }),
  'cheerio on parse5': () => ({ read: (body) => withCheerio(body) }),
  "heronry inline, browser's tree": () => ({ read: (body) => inline(body, browser) }),
};
const names = Object.keys(contenders);

async function pooled(threads: number): Promise<Contender> {
  return { pooled: threads * 2, read: await openPool(threads) };
}

/** Pages per second, of CPU where one thread does all. */
async function measure({ pooled: lanes, read }: Contender, body: ArrayBuffer): Promise<number> {
  globalThis.gc?.();
  const startedAt = performance.now();
  const cpu = process.threadCpuUsage();
  let pages = 0;
  const lane = async (): Promise<void> => {
    while (performance.now() - startedAt < forMs) {
      await read(body);
      pages += 1;
    }
  };
  await Promise.all(Array.from({ length: lanes ?? 1 }, lane));
  const { user, system } = process.threadCpuUsage(cpu);
  return (pages / (lanes === undefined ? (user + system) / 1_000 : performance.now() - startedAt)) * 1_000;
}

/** Measures one contender whenever the parent says which page. */
async function serve(name: string): Promise<void> {
  const contender = await contenders[name]?.();
  if (contender === undefined) throw new Error(`no contender "${name}"`);
  process.on('message', (kilobytes: number) => {
    void measure(contender, bodyOf(productPage(1, kilobytes).html)).then((rate) => process.send?.(rate));
  });
  process.on('disconnect', () => process.exit(sink === -1 ? 1 : 0));
}

type Measure = (kilobytes: number) => Promise<number>;

function fork(name: string): { readonly child: ChildProcess; readonly measure: Measure } {
  const child = forkProcess(import.meta.filename, ['--serve', name], { execArgv: ['--expose-gc'] });
  return {
    child,
    async measure(kilobytes) {
      child.send(kilobytes);
      const [rate] = (await once(child, 'message')) as [number];
      return rate;
    },
  };
}

async function compare(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'heronry-bench-'));
  const libxml2 = buildLibxml2(folder);
  const children = names.map(fork);
  const results: Record<string, string | number>[] = [];
  for (const kilobytes of pageSizes)
    results.push(
      ...(await compareAt(
        kilobytes,
        children.map(({ measure: each }) => each),
        libxml2,
      )),
    );
  for (const { child } of children) child.disconnect();
  rmSync(folder, { recursive: true });
  if (process.argv.includes('--json')) console.log(JSON.stringify({ bench: 'extract', results }));
  else {
    if (libxml2 === undefined) console.log('There is no C compiler or no header of libxml2: no figures of it.');
    console.table(results);
  }
}

async function compareAt(
  kilobytes: PageSize,
  measures: readonly Measure[],
  libxml2: Libxml2 | undefined,
): Promise<Record<string, string | number>[]> {
  const { html } = productPage(1, kilobytes);
  const rates = measures.map((): number[] => []);
  const inC: number[] = [];
  // Rounds alternate, so that a slow moment of the machine falls on all; the first two warm up.
  for (let round = -2; round < rounds; round += 1) {
    for (const [index, each] of measures.entries()) {
      const rate = await each(kilobytes);
      if (round >= 0) rates[index]?.push(rate);
    }
    if (libxml2 !== undefined && round >= 0) inC.push(await libxml2.measure(html, forMs));
  }
  const to = (base: readonly number[], of: readonly number[]): number =>
    rounded(median(of.map((rate, round) => rate / (base[round] ?? Number.NaN))));
  const ofBare = rates[0] ?? [];
  const ofOne = rates[names.indexOf('heronry, one thread')] ?? [];
  const page = `${kilobytes} kB`;
  const rows = names.map((contender, index) => {
    const own = rates[index] ?? [];
    return {
      page,
      contender,
      perSecond: Math.round(median(own)),
      ratio: to(ofBare, own),
      ...(libxml2 !== undefined && { toLibxml2: to(inC, own) }),
      ...(contender === 'heronry, two threads' && { toOneThread: to(ofOne, own) }),
    };
  });
  if (libxml2 === undefined) return rows;
  const ofC = { page, contender: 'libxml2 from C', perSecond: Math.round(median(inC)), ratio: to(ofBare, inC) };
  return [...rows, ofC];
}

const asked = process.argv.indexOf('--serve');
await (asked < 0 ? compare() : serve(process.argv[asked + 1] ?? ''));
