/**
 * Question: how many records a second does an export write in each format, and does its memory stay flat? A store holds records of a shop
 * with ten fields each; a daemon serves it, and `heronry export` runs in a process of its own, as a person runs it. The memory is the most
 * that the process had at one time: after a tenth of the records, and at the end. The last column tells how late the loop of the daemon
 * answered a ping meanwhile.
 *
 * Goals: 20,000 records a second; no more memory for all records than for a tenth of them, up to a quarter.
 *
 * Run with `node bench/export.bench.ts [--json] [--quick] [--records 10000000]`; ten million take some ten minutes and 20 GB.
 */
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openStore } from '../src/store/store.ts';
import { type BenchDaemon, daemonFolder, startDaemon } from './daemon.ts';
import { load, peakBytes } from './process-figures.ts';
import { isQuick, show } from './show.ts';
import { at, rounded } from './statistics.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean' },
    quick: { type: 'boolean' },
    records: { type: 'string' },
    fill: { type: 'string' },
  },
});
const count = Number(values.records ?? (isQuick ? 100_000 : 1_000_000));
const formats = ['ndjson', 'csv', 'parquet'] as const;
const fields = {
  sku: 'h1',
  title: 'h2',
  maker: { css: '.maker' },
  price: { css: '.price', type: 'money' },
  stock: { css: '.stock', type: 'integer' },
  weight: { css: '.weight', type: 'number' },
  live: { css: '.live', type: 'boolean' },
  since: { css: '.since', type: 'date' },
  at: { css: '.at', type: 'datetime' },
  'tags[]': '.tag',
};

if (values.fill === undefined) await measure();
else await fill(values.fill);

async function measure(): Promise<void> {
  await using folder = await daemonFolder({
    id: 'shop',
    allowPrivate: true,
    records: { product: { key: 'sku', fields } },
  });
  // In a process of its own, whose memory goes with it.
  const filler = fork(import.meta.filename, ['--fill', folder.path, '--records', String(count)], { execArgv: [] });
  const [status] = (await once(filler, 'exit')) as [number | null];
  if (status !== 0) throw new Error(`the store could not be filled: status ${status}`);
  await using daemon = await startDaemon(folder);
  const rows = [];
  for (const format of formats) rows.push(await exported(folder.path, daemon, format));
  show('export', rows);
}

async function exported(folder: string, daemon: BenchDaemon, format: (typeof formats)[number]) {
  const to = join(folder, format);
  const words = ['export', 'records', '--format', format, '--to', to, '--socket', join(folder, 'socket'), '--json'];
  const startedAt = performance.now();
  const child = spawn(process.execPath, [join(import.meta.dirname, '../src/heronry.cjs'), ...words], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const { pid = 0 } = child;
  let [tenth, peak, errors] = [0, 0, ''];
  createInterface({ input: child.stderr }).on('line', (line) => {
    const said = JSON.parse(line) as { readonly progress?: { readonly share: number } };
    if (said.progress === undefined) errors += line;
    if (tenth === 0 && (said.progress?.share ?? 0) >= 0.1) tenth = peakBytes(pid);
  });
  const ended = once(child, 'exit');
  let isOver = false;
  void ended.finally(() => (isOver = true));
  const pings: number[] = [];
  while (!isOver) {
    const askedAt = performance.now();
    await daemon.client.call('daemon.ping', {});
    pings.push(performance.now() - askedAt);
    peak = Math.max(peak, peakBytes(pid) || 0);
    await delay(20);
  }
  const [status] = (await ended) as [number | null];
  if (status !== 0) throw new Error(`the export failed: ${errors}`);
  const seconds = (performance.now() - startedAt) / 1_000;
  await rm(to, { recursive: true });
  return {
    format,
    records: count,
    perSecond: Math.round(count / seconds),
    peakMBAtATenth: tenth === 0 ? 'too short' : Math.round(tenth / 1e6),
    peakMB: Math.round(peak / 1e6),
    daemonMB: Math.round(daemon.anonymousBytes() / 1e6),
    pingP99Ms: rounded(at(0.99, pings), 1),
    load: load(),
  };
}

/** Stores records in large transactions. */
async function fill(folder: string): Promise<void> {
  const scheduling = { first: () => undefined, next: () => undefined } as never;
  const store = await openStore({ path: join(folder, 'data'), now: Date.now, scheduling });
  const now = Date.now();
  const batch = 20_000;
  for (let from = 0; from < count; from += batch) {
    await store.write(() => {
      for (let number = from; number < Math.min(from + batch, count); number += 1) addRecord(number);
    });
  }
  await store.close();

  function addRecord(number: number): void {
    const cell = (value: unknown) => ({ value: value as never, observedAt: now, verifiedAt: now });
    store.records.add({
      source: 'shop',
      type: 'product',
      key: `SKU-${number}`,
      target: 1,
      id: `id-${number}`,
      url: `https://shop.test/products?page=${Math.floor(number / 50)}`,
      firstSeenAt: now,
      updatedAt: now,
      sequence: number + 1,
      lastScrape: 1,
      fields: {
        sku: cell(`SKU-${number}`),
        title: cell(`Solar backpack, model ${number % 977}, with "${number % 31}" pockets`),
        maker: cell(`Maker ${number % 211}`),
        price: cell({ amount: `${number % 1_000}.${String(number % 100).padStart(2, '0')}`, currency: 'EUR' }),
        stock: cell(number % 50),
        weight: cell((number % 997) / 7),
        live: cell(number % 3 === 0),
        since: cell(`2026-0${1 + (number % 9)}-1${number % 10}`),
        at: cell(new Date(now - number).toISOString()),
        tags: cell(['sun', `bag ${number % 5}`]),
      },
    });
  }
}
