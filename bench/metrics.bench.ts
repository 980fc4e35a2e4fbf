/**
 * Question: what does a change of one record cost where a project has very many? A project has 100,000 records of one target; its metrics are their sum in
 * one currency, their mean, the least of them and their number. One record changes at a time, and the metrics are computed: from all records anew, and
 * from what is kept of the last time with the events since. Both give the same.
 *
 * Goal: 0.01 of the time of all records.
 *
 * Run with `node --expose-gc bench/metrics.bench.ts [--json] [--quick]`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parseSource } from '../src/definition/load.ts';
import type { RecordDraft } from '../src/extract/draft.ts';
import { KeptTotals } from '../src/figures/kept-totals.ts';
import { readMetrics } from '../src/figures/read-metrics.ts';
import { RateTable } from '../src/metric/rates.ts';
import type { Scheduling } from '../src/schedule/scheduling.ts';
import { commitStep } from '../src/store/commit.ts';
import { commitPulse } from '../src/store/commit-pulse.ts';
import { addProject } from '../src/store/projects.ts';
import { beginScrape } from '../src/store/scrapes.ts';
import { openStore } from '../src/store/store.ts';
import { isQuick, show } from './show.ts';
import { median, rounded } from './statistics.ts';

const count = isQuick ? 10_000 : 100_000;
const rounds = isQuick ? 3 : 9;
const url = 'https://shop.test/list';

const scheduling: Scheduling = {
  first: ({ target }, { at }) => rowOf(target, at + 1_000),
  next: ({ target }, { dueAt = 0 }) => rowOf(target, dueAt + 3_600_000),
  verified: (_target, row) => ({ row, events: [] }),
  isKept: () => false,
  endsAt: () => undefined,
};

function rowOf(target: number, dueAt: number): ReturnType<Scheduling['first']> {
  const grid = { originAt: 0, everyMs: 3_600_000, slot: target, phaseMs: target, key: 'https://shop.test' };
  return { target, dueAt, since: dueAt - 3_600_000, pace: { kind: 'interval', grid } };
}

function draftOf(number: number, price: number): RecordDraft {
  const fields = { sku: `product-${number}`, price: { amount: `${price}.90`, currency: 'EUR' } };
  return { type: 'product', key: `product-${number}`, fields };
}

const fields = 'sku: { css: b }, price: { css: i, type: money }';
const parsed = parseSource(`id: shop\nrecords: { product: { key: sku, fields: { ${fields} } } }\n`, 'shop.yaml');
if (!parsed.ok) throw new Error('expected a definition');
const catalogue = {
  sources: new Map([['shop', { source: parsed.value, version: 'v1' }]]),
  ...{ types: new Map(), sinks: new Map(), pipelines: new Map(), problems: [] },
};

const path = mkdtempSync(join(tmpdir(), 'metrics-'));
let at = 1_700_000_000_000;
const store = await openStore({ path, now: () => (at += 1), scheduling });
try {
  const price = { of: 'product', field: 'price', currency: 'EUR' } as const;
  const metrics = {
    total: { ...price, take: 'sum', min: 0 },
    mean: { ...price, take: 'mean' },
    least: { ...price, take: 'min' },
    products: { of: 'product', take: 'count' },
  } as const;
  const spec = { id: 'solar', name: 'solar', labels: [], multiplier: 1, metrics };
  await addProject(store, { ...spec, targets: [{ source: 'shop', url }] });
  const [target = 0] = store.projects.get('solar')?.targets ?? [];
  const begun = await beginScrape(store, target, 'v1');
  if (!begun.ok) throw new Error('expected a scrape to begin');
  const log = { url, at, elapsedMs: 10, bytes: 100, status: 200, absent: [], unparsed: [] };
  const drafts = Array.from({ length: count }, (_, number) => draftOf(number, number % 100));
  const close = { status: 'complete', finished: false } as const;
  await commitStep(store, { ...begun.fence, step: 1 }, { observedAt: at, drafts, log, close });

  const deps = {
    store: () => store,
    catalogue: () => catalogue,
    rates: () => Promise.resolve({ table: new RateTable([]) }),
    maxRateAge: 7,
  };
  const kept = new KeptTotals(deps);
  const project = () =>
    store.projects.get('solar') ?? { ...spec, status: 'active' as const, targets: [], createdAt: 0 };
  const heapBefore = heapBytes();
  await kept.compute(project());
  const heapEach = (heapBytes() - heapBefore) / (count * Object.keys(metrics).length);
  const [anew, incremental]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    const before = store.events.last();
    const changed = draftOf((round * 7_919) % count, 1_000 + round);
    await commitPulse(store, { source: 'shop', version: 'v1', target, url, observedAt: (at += 1), drafts: [changed] });
    const full = await timed(anew, () => readMetrics(project(), deps));
    const quick = await timed(incremental, () => {
      for (const event of store.events.rows({ after: before })) kept.note(event);
      return kept.compute(project());
    });
    if (!isDeepStrictEqual(full, quick)) throw new Error('expected the same metrics both ways');
  }
  show('metrics', [
    {
      ...{ records: count, metrics: Object.keys(metrics).length },
      ...{ allMs: rounded(median(anew)), changeMs: rounded(median(incremental), 3) },
      ...{ ratio: rounded(median(incremental) / median(anew), 5), goal: 0.01, heapBytesEach: Math.round(heapEach) },
    },
  ]);
} finally {
  await store.close();
  rmSync(path, { recursive: true, force: true });
}

async function timed<T>(times: number[], run: () => Promise<T>): Promise<T> {
  const from = performance.now();
  const result = await run();
  times.push(performance.now() - from);
  return result;
}

function heapBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
