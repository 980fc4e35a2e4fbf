/**
 * Question: what does reading a page cost over the bare parser? Pages of 5, 50 and 400 kB with eight fields, read one after the
 * other by each contender and by all threads of the pool together. What counts is the ratio to the bare parser of the same
 * run: htmlparser2 with css-select's selectors compiled once.
 *
 * Run with `node bench/extract.bench.ts [--json]`.
 */
import { availableParallelism } from 'node:os';
import { load } from 'cheerio';
import { compile, selectOne } from 'css-select';
import type { AnyNode, Element } from 'domhandler';
import { DomUtils, parseDocument } from 'htmlparser2';
import { Registry } from '../src/actor/registry.ts';
import { createSystem } from '../src/actor/system.ts';
import { systemClock } from '../src/clock.ts';
import { extract } from '../src/extract/extract.ts';
import type { ExtractPlan } from '../src/extract/plan.ts';
import { ExtractRoom } from '../src/extract/room.ts';
import { extractors, type ExtractorsMessage, extractPage } from '../workers/extractors.ts';

const fields = {
  sku: '.sku',
  title: 'h1.title',
  price: '.offer .price',
  old: '.offer .old',
  stock: '.stock',
  brand: 'a.brand',
  rating: '.rating > b',
  shipping: '#shipping',
} as const;

/** A shop's product page padded with other offers, of about the given size; the fields are spread from its top to its end. */
function pageOf(kilobytes: number): ArrayBuffer {
  const card = (index: number): string =>
    `<li class="card c${index % 7}"><a href="/p/${index}"><img src="/i/${index}.jpg" alt="">Offer &amp; number ${index}</a>` +
    `<p class="blurb">Some text about it, <b>bold</b> in places, and ${index * 37} more words.</p><span>${index}.99</span></li>\n`;
  const head =
    '<!doctype html><html><head><meta charset=utf-8><title>Shop</title></head><body><h1 class=title>Solar  Backpack</h1><p class=sku>SB-1042</p>' +
    '<div class=offer><span class=price>$1,234.50</span><span class=old>$1,500.00</span></div><p class=stock>17</p><ul>\n';
  const foot =
    '</ul><a class=brand href=/b>Helios</a><p class=rating><b>4.5</b></p><p id=shipping>free</p></body></html>';
  const cards: string[] = [];
  for (let size = head.length + foot.length; size < kilobytes * 1_000; size += cards.at(-1)?.length ?? 0)
    cards.push(card(cards.length));
  return new Uint8Array(Buffer.from(head + cards.join('') + foot)).buffer;
}

const rules = { price: 'money', old: 'money', stock: 'integer', rating: 'number' } as const;

function planOf(tree: ExtractPlan['tree']): ExtractPlan {
  return {
    id: `bench/${tree}`,
    tree,
    records: [
      {
        type: 'product',
        key: 'sku',
        fields: Object.entries(fields).map(([name, css]) => ({
          name,
          css,
          required: true,
          rule: { type: name in rules ? rules[name as keyof typeof rules] : 'text' },
        })),
      },
    ],
  };
}

const url = 'http://shop.test/p/1';
const contentType = 'text/html; charset=utf-8';
const compiled = Object.values(fields).map((css) => compile<AnyNode, Element>(css));
const decoder = new TextDecoder();
let sink = 0;

function bare(body: ArrayBuffer): void {
  const root = parseDocument(decoder.decode(body));
  for (const matches of compiled) {
    const found = selectOne(matches, root.children);
    sink += found === null ? 0 : DomUtils.textContent(found).length;
  }
}

function withCheerio(body: ArrayBuffer, xml: boolean): void {
  const text = decoder.decode(body);
  const $ = xml ? load(text, { xml: { xmlMode: false, decodeEntities: true } }) : load(text);
  for (const css of Object.values(fields)) sink += $(css).first().text().length;
}

async function inline(body: ArrayBuffer, plan: ExtractPlan): Promise<void> {
  const outcome = await extract({ body, url, contentType, plan });
  if (!outcome.ok) throw new Error(`not read: ${outcome.failure.code}`);
}

const threads = Math.max(1, availableParallelism() - 1);
const system = createSystem({ clock: systemClock() });
const registry: Registry<'extractors', ExtractorsMessage> = new Registry();
const pool = await system.spawn<ExtractorsMessage>((self) =>
  extractors(self, { registry, room: new ExtractRoom(Infinity), threads }),
);
if (pool.ok !== true) throw new Error('the pool did not start');
const { ref } = pool;
const fast = planOf('fast');
const browser = planOf('browser');
const never = new AbortController().signal;

/** A copy for each page, since its body goes to the thread for good. */
async function pooled(body: ArrayBuffer): Promise<void> {
  const page = {
    url,
    status: 200,
    headers: { 'content-type': contentType },
    body: body.slice(0),
    observedAt: 0,
    elapsedMs: 0,
    encodedBytes: body.byteLength,
  };
  const outcome = await extractPage(ref, { page, reading: { plan: fast, limitMs: 30_000 } }, never);
  if (!outcome.ok) throw new Error(`not read: ${outcome.failure.code}`);
}

interface Contender {
  readonly name: string;
  /** Pages under way at once. */
  readonly lanes: number;
  read(body: ArrayBuffer): void | Promise<void>;
}

const contenders: readonly Contender[] = [
  { name: 'bare htmlparser2 + css-select', lanes: 1, read: bare },
  { name: 'heronry inline', lanes: 1, read: (body) => inline(body, fast) },
  { name: 'heronry pool, one page at a time', lanes: 1, read: pooled },
  { name: `heronry pool, full (${threads} thread${threads === 1 ? '' : 's'})`, lanes: threads * 2, read: pooled },
  { name: 'cheerio on htmlparser2', lanes: 1, read: (body) => withCheerio(body, true) },
  { name: 'cheerio on parse5', lanes: 1, read: (body) => withCheerio(body, false) },
  { name: "heronry inline, browser's tree", lanes: 1, read: (body) => inline(body, browser) },
];

/** Pages per second over about `forMs`. */
async function measure(contender: Contender, body: ArrayBuffer, forMs: number): Promise<number> {
  const start = performance.now();
  let pages = 0;
  const lane = async (): Promise<void> => {
    while (performance.now() - start < forMs) {
      await contender.read(body);
      pages += 1;
    }
  };
  await Promise.all(Array.from({ length: contender.lanes }, lane));
  return (pages / (performance.now() - start)) * 1_000;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const results = [];
for (const kilobytes of [5, 50, 400]) {
  const body = pageOf(kilobytes);
  for (const contender of contenders) await measure(contender, body, 300);
  // Rounds alternate, so that a slow moment of the machine falls on all.
  const rates = contenders.map((): number[] => []);
  for (let round = 0; round < 5; round += 1) {
    for (const [index, contender] of contenders.entries()) rates[index]?.push(await measure(contender, body, 400));
  }
  const base = median(rates[0] ?? []);
  for (const [index, { name }] of contenders.entries()) {
    const perSecond = median(rates[index] ?? []);
    results.push({
      page: `${kilobytes} kB`,
      contender: name,
      pagesPerSecond: Math.round(perSecond),
      ratio: Math.round((perSecond / base) * 100) / 100,
    });
  }
}
system.exit(ref, 'shutdown');
await system.ended(ref);

if (process.argv.includes('--json')) console.log(JSON.stringify({ bench: 'extract', threads, results }));
else console.table(results);
if (sink === 0) throw new Error('the bare parsers found nothing');
