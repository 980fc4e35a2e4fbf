/**
 * Question: what does `plan` cost, from the rows in the store to its answer? A million targets of three sources, by interval, by cron
 * and by tokens, each tracked by a project of its own, are on 1, 1,000 and 100,000 hosts, and 30 days are forecast; besides, 365 days of
 * `* * * * *`, which need no store.
 *
 * The daemon goes on meanwhile: `longestMs` is how long the loop was kept from turning at most. `peakMb` is how much larger than
 * before the process was at its largest.
 *
 * Run with `node bench/forecast.bench.ts [--json] [--targets N]`; `cpuMs` is of all threads, so that a busy machine changes it little.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { VirtualClock } from '../src/clock.ts';
import { planHandlers } from '../src/control/handlers/plan.ts';
import type { Catalogue } from '../src/definition/catalogue.ts';
import { effectiveSchedules, schedulesAt } from '../src/definition/effective-schedule.ts';
import { parseSource } from '../src/definition/load.ts';
import { forecastSteps } from '../src/schedule/forecast.ts';
import { gridOf } from '../src/schedule/time/grid.ts';
import type { PaceRow } from '../src/schedule/pace/all.ts';
import { createScheduling } from '../src/schedule/scheduling.ts';
import type { ProjectRow, TargetRow } from '../src/store/tables/rows.ts';
import { openStore } from '../src/store/store.ts';
import { tallyOf } from '../src/store/waste.ts';

/** `--targets N` measures with fewer. */
const targets = Number(process.argv[process.argv.indexOf('--targets') + 1]) || 1_000_000;
const hostCounts = [1, 1_000, 100_000].filter((count) => count <= targets);
const dayMs = 86_400_000;
const hourMs = 3_600_000;
const today = 20_000;
const at = today * dayMs;
const fillBatch = 20_000;
const paces = ['tokens: true', 'cron: 0 6 * * *\nzone: Europe/Berlin', 'every: 4h', 'every: 4h', 'every: 4h'];

interface Measured {
  readonly ms: number;
  /** Of all threads together. */
  readonly cpuMs: number;
  readonly longestMs: number;
  readonly peakMb: number;
}

const [role, hosts = '0'] = process.argv.slice(2);
if (role === 'plan') process.send?.(await plan(Number(hosts)));
else if (role === 'cron') process.send?.(await measured(everyMinuteOfAYear));
else await measure();

async function measure(): Promise<void> {
  const rows: (Measured & { readonly what: string })[] = [];
  for (const count of hostCounts)
    rows.push({ what: `${targets} targets on ${count} hosts, 30 days`, ...(await inChild('plan', count)) });
  rows.push({ what: '* * * * *, 365 days', ...(await inChild('cron', 0)) });
  if (process.argv.includes('--json')) console.log(JSON.stringify(rows));
  else console.table(rows);
}

async function inChild(childRole: string, count: number): Promise<Measured> {
  const child = fork(import.meta.filename, [childRole, String(count), '--targets', String(targets)], {
    execArgv: ['--expose-gc'],
  });
  const ended = once(child, 'exit');
  const [found] = (await once(child, 'message')) as [Measured];
  await ended;
  return found;
}

async function measured(work: () => Promise<unknown>): Promise<Measured> {
  for (let each = 0; each < 3; each += 1) globalThis.gc?.();
  const before = process.memoryUsage.rss();
  const largest = { bytes: before };
  const watch = setInterval(() => (largest.bytes = Math.max(largest.bytes, process.memoryUsage.rss())), 50);
  const delays = monitorEventLoopDelay({ resolution: 2 });
  delays.enable();
  const [startedAt, cpu] = [performance.now(), process.cpuUsage()];
  await work();
  const ms = Math.round(performance.now() - startedAt);
  const { user, system } = process.cpuUsage(cpu);
  delays.disable();
  clearInterval(watch);
  return {
    ms,
    cpuMs: Math.round((user + system) / 1_000),
    longestMs: Math.round(delays.max / 1e6),
    peakMb: Math.round((largest.bytes - before) / 1e6),
  };
}

async function everyMinuteOfAYear(): Promise<void> {
  const pace = { kind: 'cron', pattern: '* * * * *', zone: 'Europe/Berlin' } as const;
  const targets = [{ row: { since: at - 1, pace }, given: pace }];
  const steps = forecastSteps([{ key: 'host', delayMs: 100, targets }], { at, days: 365 });
  while (steps.next().done !== true) await setImmediate();
}

async function plan(hostCount: number): Promise<Measured> {
  const path = await mkdtemp(join(tmpdir(), 'heronry-bench-'));
  const clock = new VirtualClock(at);
  const catalogue = catalogueOf();
  const settings = { everyMs: dayMs, initialDelayMs: 1_000 };
  const deps = { clock, catalogue: () => catalogue, settings: () => settings, paces: { of: () => undefined } };
  const store = await openStore({
    path,
    now: () => at,
    scheduling: createScheduling(effectiveSchedules(deps), () => 0.5),
  });
  for (let from = 1; from <= targets; from += fillBatch)
    await store.write(() => {
      for (let target = from; target < from + fillBatch; target += 1) {
        const row = targetOf(target, hostCount);
        const project = projectOf(row);
        store.projects.put(project.id, project);
        store.targets.put(row);
        store.schedule.set({ target, since: at - dayMs, pace: paceOf(row, hostCount), fresh: freshOf(row) });
      }
    });
  const handlers = planHandlers({
    clock,
    store: () => store,
    catalogue: () => catalogue,
    hosts: { knownPace: () => undefined },
    schedule: {
      scheduleOf: schedulesAt(deps),
      pulseOf: () => undefined,
      tally: (of, from) => tallyOf(store, of, from, at),
    },
  });
  const context = { signal: new AbortController().signal, notify: () => true, lag: () => {}, room: async () => {} };
  const found = await measured(async () => handlers['schedule.plan']({ days: 30, prune: false }, context));
  await store.close();
  await rm(path, { recursive: true });
  return found;
}

function catalogueOf(): Catalogue {
  const sources = paces.map((pace, number) => {
    const item = 'records: { item: { key: id, fields: { id: h1 } } }';
    const parsed = parseSource(
      `id: shop-${number}\n${pace}\nobjectives: { errorAfter: 2d }\n${item}\n`,
      `shop-${number}.yaml`,
    );
    if (!parsed.ok) throw new Error('the definition is refused');
    return [`shop-${number}`, { source: parsed.value, version: '1' }] as const;
  });
  return { sources: new Map(sources), types: new Map(), sinks: new Map(), pipelines: new Map(), problems: [] };
}

function targetOf(target: number, hostCount: number): TargetRow {
  return {
    target,
    watchers: [{ project: idOf(target) }],
    createdAt: at - 30 * dayMs,
    source: `shop-${target % paces.length}`,
    url: `https://host-${String(Math.floor((target - 1) / (targets / hostCount))).padStart(6, '0')}.test/p/${target}`,
    status: 'active',
    epoch: 0,
    settled: 0,
    found: [3, 1, 0, 0, 2, target % 7],
    usual: { scrapes: 7, requests: 1, bytes: 40_000 },
    crashes: { recent: [], inRow: 0, total: 0 },
  };
}

function idOf(target: number): string {
  return `project-${String(target).padStart(7, '0')}`;
}

function projectOf({ target }: TargetRow): ProjectRow {
  const id = idOf(target);
  return { id, name: id, labels: [], multiplier: 1, status: 'active', createdAt: at, targets: [target] };
}

function paceOf({ target, url }: TargetRow, hostCount: number): PaceRow {
  const [kind, everyMs] = [target % paces.length, 4 * hourMs];
  // Numbered on each host of its own: the store keeps a row for each slot that is left out.
  const slot = (target - 1) % (targets / hostCount);
  if (kind === 0) {
    const bucket = { tokens: (target % 97) / 97, day: today - 1 };
    return { kind: 'tokens', bucket, planned: [], planAt: at };
  }
  if (kind === 1) return { kind: 'cron', pattern: '0 6 * * *', zone: 'Europe/Berlin' };
  return { kind: 'interval', grid: { ...gridOf(at, everyMs, slot), key: new URL(url).origin, slot } };
}

function freshOf({ target, url, source }: TargetRow) {
  const verifiedAt = at - ((target * 7_919) % dayMs);
  return { key: new URL(url).origin, source, objectiveMs: 2 * dayMs, verifiedAt, misses: 0 };
}
