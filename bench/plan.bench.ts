/**
 * Question: what does it take the planner to plan the day of all that is scraped by tokens, from the rows in the store to the rows
 * in the store? Targets on a thousand hosts, none of which has an actor. `peakMb` is how much larger than before the pass the
 * process was at its largest; `planMs` is the part of the arithmetic alone, which `schedule.bench.ts` looks at.
 *
 * A day is planned while the daemon goes on: `longestMs` is how long the loop was kept from turning at most.
 *
 * Run with `node bench/plan.bench.ts [--json]`.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { VirtualClock } from '../src/clock.ts';
import { parseSource } from '../src/definition/load.ts';
import { effectiveSchedules } from '../src/definition/effective-schedule.ts';
import { createDueTimes } from '../src/schedule/due-times.ts';
import { createPlanning } from '../workers/planning.ts';
import { createScheduling } from '../src/schedule/scheduling.ts';
import { createState } from '../src/daemon/state.ts';
import { dayWindow, planDay } from '../src/schedule/pace/plan-day.ts';
import type { TargetRow } from '../src/store/tables/rows.ts';
import type { ScheduleRow } from '../src/schedule/row.ts';
import { openStore } from '../src/store/store.ts';
import { createNames } from '../supervisors/names.ts';

const sizes = [100_000, 1_000_000];
const hosts = 1_000;
const dayMs = 86_400_000;
const today = 20_000;
const fillBatch = 10_000;

interface Planned {
  readonly passMs: number;
  readonly planMs: number;
  readonly longestMs: number;
  readonly peakMb: number;
}

const [role, targets = '0'] = process.argv.slice(2);
if (role === 'pass') process.send?.(await pass(Number(targets)));
else await measure();

async function measure(): Promise<void> {
  const rows: (Planned & { readonly targets: number })[] = [];
  for (const size of sizes) {
    const child = fork(import.meta.filename, ['pass', String(size)], { execArgv: ['--expose-gc'] });
    const ended = once(child, 'exit');
    const [planned] = (await once(child, 'message')) as [Planned];
    await ended;
    rows.push({ targets: size, ...planned });
  }
  if (process.argv.includes('--json')) console.log(JSON.stringify(rows));
  else console.table(rows);
}

async function pass(count: number): Promise<Planned> {
  const path = await mkdtemp(join(tmpdir(), 'heronry-bench-'));
  const clock = new VirtualClock(today * dayMs);
  const state = createState({
    clock,
    configured: { initialDelayMs: 1_000, everyMs: dayMs, timeLimitMs: 60_000, logLevel: 'silent' },
    resumeEveryMs: 30_000,
    onPause: (why) => console.error(why),
  });
  const store = await openStore({
    path,
    now: () => clock.now(),
    scheduling: createScheduling(effectiveSchedules(state), () => 0.5),
  });
  state.setStore(store);
  const parsed = parseSource(
    'id: shop\ntokens: true\nrecords: { item: { key: id, fields: { id: h1 } } }\n',
    'shop.yaml',
  );
  if (!parsed.ok) throw new Error('the definition is refused');
  const loaded = { source: parsed.value, version: '1' };
  state.setCatalogue({
    sources: new Map([['shop', loaded]]),
    types: new Map(),
    sinks: new Map(),
    pipelines: new Map(),
    problems: [],
  });
  const dues = createDueTimes({
    scheduleOf: effectiveSchedules(state),
    now: () => clock.now(),
    store: () => store,
  });
  const planning = createPlanning({ state, projects: createNames().projects, dues, conditionOf: () => undefined });
  for (let from = 1; from <= count; from += fillBatch) {
    await store.write(() => {
      for (let target = from; target < from + fillBatch; target += 1) {
        store.targets.put(targetOf(target));
        store.schedule.set(rowOf(target));
      }
    });
  }
  for (let each = 0; each < 3; each += 1) globalThis.gc?.();
  const before = process.memoryUsage.rss();
  const largest = { bytes: before };
  const watch = setInterval(() => (largest.bytes = Math.max(largest.bytes, process.memoryUsage.rss())), 20);
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  const startedAt = performance.now();
  await planning.pass([]);
  const passMs = Math.round(performance.now() - startedAt);
  delays.disable();
  clearInterval(watch);
  await store.close();
  await rm(path, { recursive: true });
  return {
    passMs,
    planMs: arithmeticMs(count),
    longestMs: Math.round(delays.max / 1e6),
    peakMb: Math.round((largest.bytes - before) / 1e6),
  };
}

function arithmeticMs(count: number): number {
  const rows = Array.from({ length: count }, (_, index) => rowOf(index + 1));
  const startedAt = performance.now();
  const window = dayWindow('UTC', today, today * dayMs);
  for (let host = 0; host < hosts; host += 1) {
    const own = rows.slice((host * count) / hosts, ((host + 1) * count) / hosts);
    planDay({
      day: today,
      window,
      targets: own.flatMap(({ target, pace }) =>
        pace.kind === 'tokens' ? [{ target, bucket: pace.bucket, priority: 1 }] : [],
      ),
    });
  }
  return Math.round(performance.now() - startedAt);
}

function targetOf(target: number): TargetRow {
  const url = `https://host-${target % hosts}.test/p/${target}`;
  return {
    target,
    watchers: [{ project: `project-${target}` }],
    createdAt: 0,
    source: 'shop',
    url,
    status: 'active',
    epoch: 0,
    settled: 0,
    found: [3, 1, 0, 0, 2, target % 5],
    crashes: { recent: [], inRow: 0, total: 0 },
  };
}

function rowOf(target: number): ScheduleRow {
  const at = today * dayMs;
  const bucket = { tokens: (target % 97) / 97, day: today - 1 };
  return { target, since: at - dayMs, pace: { kind: 'tokens', bucket, planned: [], planAt: at } };
}
