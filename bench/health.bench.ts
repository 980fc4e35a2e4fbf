/**
 * Question: what does judging cost a scrape, in processor time? 10,000 sources have a target each, a list of 20 records with 6 fields, which is scraped in one
 * step day after day; some prices change each day. The last scrapes are timed with what judges them, and without: in a store of its own, they say nothing of
 * what was read, so that nothing is tallied, judged or held. Beside that, tallying and judging alone, and what baselines and last readings take.
 *
 * Goals: tallying and judging under 0.2 ms a scrape, 2,000 bytes a source, 60 bytes a metric.
 *
 * Run with `node bench/health.bench.ts [--json] [--quick]`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RecordDraft } from '../src/extract/draft.ts';
import type { Guards } from '../src/health/guard.ts';
import { packBaseline } from '../src/health/packed-baseline.ts';
import { emptyTally } from '../src/health/tally.ts';
import type { Scheduling } from '../src/schedule/scheduling.ts';
import { commitStep } from '../src/store/commit.ts';
import { judgeEnd } from '../src/store/judge-run.ts';
import { KnownRecords } from '../src/store/known-records.ts';
import type { StepOps } from '../src/store/ops.ts';
import { addProject } from '../src/store/projects.ts';
import { beginScrape } from '../src/store/scrapes.ts';
import { openStore, type Store } from '../src/store/store.ts';
import { tallyDrafts } from '../src/store/tally-drafts.ts';
import { isQuick, show } from './show.ts';
import { rounded } from './statistics.ts';

const sources = isQuick ? 500 : 10_000;
/** Healthy runs before those that are timed: as many as a baseline has values of most measures. */
const before = isQuick ? 8 : 18;
const timedRuns = 2;
const records = 20;
const together = 100;
const dayMs = 86_400_000;

const guards: Guards = { missing: true, empty: true, fields: {} };
const read = { absent: [], unparsed: [], items: records, refused: 0 };

const scheduling: Scheduling = {
  first: ({ target }, { at }) => rowOf(target, at + 1_000),
  next: ({ target }, { dueAt = 0 }) => rowOf(target, dueAt + dayMs),
  verified: (_target, row) => ({ row, events: [] }),
  isKept: () => false,
  endsAt: () => undefined,
};

function rowOf(target: number, dueAt: number): ReturnType<Scheduling['first']> {
  const grid = { originAt: 0, everyMs: dayMs, slot: target, phaseMs: target, key: 'https://shop.test' };
  return { target, dueAt, since: dueAt - dayMs, pace: { kind: 'interval', grid } };
}

/** What a page shows on a day: one price in ten is another one than the day before. */
function draftsOf(day: number): RecordDraft[] {
  return Array.from({ length: records }, (_, at) => ({
    type: 'product',
    key: `${at}`,
    fields: {
      sku: `A-${at}`,
      title: `Product number ${at} of the shop`,
      price: { amount: `${10 + at + Math.floor((day + at) / 10)}.90`, currency: 'EUR' },
      stock: 5 + ((at * 7 + day) % 9),
      rating: (at % 50) / 10,
      link: `https://shop.test/products/${at}`,
    },
  }));
}

function opsOf(at: number, day: number, isJudged: boolean): StepOps {
  const url = 'https://shop.test/list';
  const log = { url, at, elapsedMs: 300 + (day % 7), bytes: 40_000 + day, status: 200, absent: [], unparsed: [] };
  const drafts = draftsOf(day);
  const seen = { seen: records, total: records };
  const fill = Object.fromEntries(Object.keys(drafts[0]?.fields ?? {}).map((name) => [`product.${name}`, seen]));
  const close = { status: 'complete', finished: false, ...(isJudged && { reading: { fill, isWhole: true } }) } as const;
  return { observedAt: at, drafts, log, close, guards, ...(isJudged && { places: { items: records, refused: 0 } }) };
}

let at = Date.UTC(2026, 0, 1);

/** The processor time that this thread has taken, in ms: what else the machine does is not in it. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

async function runAll(store: Store, targets: readonly number[], day: number, isJudged: boolean): Promise<number> {
  const from = cpuMs();
  for (let first = 0; first < targets.length; first += together) {
    const some = targets.slice(first, first + together);
    await Promise.all(
      some.map(async (target) => {
        const begun = await beginScrape(store, target, 'v1', { inMemory: true });
        if (!begun.ok) throw new Error('expected a scrape to begin');
        const { outcome } = await commitStep(store, { ...begun.fence, step: 1 }, opsOf(at, day, isJudged));
        if (outcome !== 'committed') throw new Error(`expected a commit, got ${outcome}`);
      }),
    );
  }
  return (cpuMs() - from) / targets.length;
}

interface Side {
  readonly store: Store;
  readonly targets: readonly number[];
  readonly isJudged: boolean;
  /** The milliseconds of a scrape on the timed days together. */
  ms: number;
}

async function openSide(path: string, isJudged: boolean): Promise<Side> {
  const store = await openStore({ path, now: () => at, scheduling });
  const targets: number[] = [];
  for (let number = 0; number < sources; number += 1) {
    const place = { source: `shop-${number}`, url: 'https://shop.test/list' };
    const added = await addProject(store, { id: `p${number}`, name: 'p', labels: [], multiplier: 1, targets: [place] });
    if (added.ok) targets.push(...added.project.targets);
  }
  return { store, targets, isJudged, ms: 0 };
}

const path = mkdtempSync(join(tmpdir(), 'health-'));
try {
  const [bare, judging] = [await openSide(join(path, 'bare'), false), await openSide(join(path, 'judged'), true)];
  for (let day = 0; day < before + timedRuns; day += 1) {
    at += dayMs;
    // One after the other on each day, so that what else the machine does slows both.
    for (const side of [bare, judging]) {
      const each = await runAll(side.store, side.targets, day, side.isJudged);
      if (day >= before) side.ms += each / timedRuns;
    }
  }
  await bare.store.close();
  const { store } = judging;
  if ([...store.tickets.rows()].length > 0) throw new Error('expected no ticket of healthy runs');

  let [bytes, metrics, readings] = [0, 0, 0];
  const keys = [...store.runs.baselines.keys()];
  for (const key of keys) {
    const row = store.runs.baselines.get(key);
    if (row === undefined) continue;
    bytes += packBaseline(row.baseline).length;
    metrics += row.baseline.series.size;
    readings += JSON.stringify(store.runs.readings.get(key[1]) ?? '').length;
  }
  const days = before + timedRuns;
  let [tallyMs, judgeMs] = [0, 0];
  for (let first = 0; first < keys.length; first += together) {
    const pages = keys.slice(first, first + together).map(([, number]) => {
      const target = store.targets.get(number);
      const scrape = [...store.scrapes.ofTarget(number, { limit: 1 })][0];
      const { close, drafts } = opsOf(at, days, true);
      if (target === undefined || scrape === undefined || close === undefined) throw new Error('expected a scrape');
      const known = new KnownRecords(store, target.source);
      for (const draft of drafts) known.read(draft);
      return { target, scrape, close, drafts, known };
    });
    // Many together, as some systems count the time of a thread in steps of some milliseconds.
    const from = cpuMs();
    const tallies = pages.map(({ target, drafts, known }) =>
      tallyDrafts(store, known, { target, by: { version: 'v1' }, isItemPage: false, read }, drafts),
    );
    const tallied = cpuMs();
    const judged = pages.map(({ target, scrape, close }, page) =>
      judgeEnd(store, { target, scrape, close, tally: tallies[page] ?? emptyTally, startedAt: at }, at + dayMs),
    );
    judgeMs += cpuMs() - tallied;
    tallyMs += tallied - from;
    if (judged.some((each) => each?.own === undefined)) throw new Error('expected a judgement');
  }
  show('health', [
    {
      ...{ sources: keys.length, metrics: Math.round(metrics / keys.length) },
      ...{ bareMs: rounded(bare.ms, 3), judgedMs: rounded(judging.ms, 3) },
      ...{ ratio: rounded(judging.ms / bare.ms), tallyMs: rounded(tallyMs / keys.length, 3) },
      ...{ judgeMs: rounded(judgeMs / keys.length, 3), goalMs: 0.2 },
      ...{ bytesASource: Math.round((bytes + readings) / keys.length), goalBytes: 2_000 },
      ...{ bytesAMetric: rounded(bytes / metrics, 1), goalBytesAMetric: 60 },
    },
  ]);
  await store.close();
} finally {
  rmSync(path, { recursive: true, force: true });
}
