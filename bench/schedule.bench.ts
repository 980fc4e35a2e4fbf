/**
 * Question: what does it cost to know when to ask? The plan of a day for a million targets on many and on few politeness keys,
 * when one target is next due, what a month will be, how fresh a million things are, and what a cron pattern costs. What
 * counts is the ratio to the least that would do: the same loop over numbers without the order, the history or the reasons.
 *
 * Run with `node --expose-gc bench/schedule.bench.ts [--json]`; without `--expose-gc` memory is not measured.
 */
import { Cron } from 'croner';
import { nextCron } from '../src/schedule/pace/cron-times.ts';
import { FreshnessCensus } from '../src/schedule/freshness-census.ts';
import { gridOf, nextOnGrid } from '../src/schedule/time/grid.ts';
import { type DueInputs, nextDue } from '../src/schedule/next-due.ts';
import { dayWindow, planDay, type PlanTarget } from '../src/schedule/pace/plan-day.ts';
import { orderApart } from '../src/schedule/time/evenly.ts';

const million = 1_000_000;
const dayMs = 86_400_000;
const hourMs = 3_600_000;
const today = 20_000;
const at = today * dayMs;

interface Row {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** To the bare loop; above 1 is dearer. */
  readonly ratio: number | string;
}

const rows: Row[] = [];

function note(what: string, value: number, unit: string, ratio: number | string = ''): void {
  rows.push({ what, value: Math.round(value * 1_000) / 1_000, unit, ratio });
}

/** The least time of a few runs, in milliseconds. */
function timed(run: () => unknown, times = 3): number {
  let least = Infinity;
  for (let each = 0; each < times; each += 1) {
    globalThis.gc?.();
    const startedAt = performance.now();
    made.push(run());
    least = Math.min(least, performance.now() - startedAt);
    made.length = 0;
  }
  return least;
}

/** What a run made is kept to its end, so that it is not optimised away. */
const made: unknown[] = [];

function heapMb(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

function targetsOf(count: number, first: number): PlanTarget[] {
  return Array.from({ length: count }, (_, index) => ({
    target: first + index,
    bucket: { tokens: ((first + index) % 97) / 97, day: today - 1 },
    priority: 0.07 + (((first + index) * 31) % 169) / 100,
  }));
}

function measurePlan(keys: number): void {
  const perKey = million / keys;
  const byKey = Array.from({ length: keys }, (_, key) => targetsOf(perKey, key * perKey));
  const window = dayWindow('UTC', today, at);
  const [tokens, priorities] = [new Float64Array(million), new Float64Array(million)];
  for (const { target, bucket, priority } of byKey.flat())
    [tokens[target], priorities[target]] = [bucket.tokens, priority];
  const bareMs = timed(() => {
    const turns: { target: number; dueAt: number }[] = [];
    const buckets: { target: number; tokens: number }[] = [];
    for (let target = 0; target < million; target += 1) {
      const granted = Math.min(4, (tokens[target] ?? 0) + (priorities[target] ?? 0));
      const scrapes = Math.floor(granted);
      buckets.push({ target, tokens: granted - scrapes });
      for (let k = 0; k < scrapes; k += 1) turns.push({ target, dueAt: window.from + target + k });
    }
    return [turns, buckets];
  });
  let turns = 0;
  // Each key's plan is written and let go of before the next is made.
  const planMs = timed(() => {
    turns = 0;
    for (const targets of byKey) turns += planDay({ day: today, window, targets }).turns.length;
  });
  note(`a day for 1M targets on ${keys} keys, ${turns} turns`, planMs, 'ms', ratio(planMs, bareMs));
  if (globalThis.gc) {
    const before = heapMb();
    const plans = byKey.map((targets) => planDay({ day: today, window, targets }));
    note('  memory of all plans, if they were kept', heapMb() - before, 'MB');
    made.push(plans);
    made.length = 0;
  }
}

function ratio(value: number, bare: number): number {
  return Math.round((value / bare) * 100) / 100;
}

function measureDue(): void {
  const grid = { key: 'https://shop.test', slot: 5, ...gridOf(at, 4 * hourMs, 5) };
  const times = million;
  const bareMs = timed(() => {
    let sum = 0;
    for (let k = 0; k < times; k += 1) sum += nextOnGrid(grid, at + k * 1_000);
    return sum;
  });
  note('bare: the next instant of a grid', (bareMs / times) * 1e6, 'ns', 1);
  const recheck = { lastVerifiedAt: at, objectiveMs: dayMs, leadMs: hourMs, misses: 0 };
  const hours = [{ days: [1, 2, 3, 4, 5], fromMinute: 360, toMinute: 1_200, zone: 'Europe/Berlin' }];
  const planned = [at + hourMs, at + 9 * hourMs, at + 17 * hourMs];
  const cases: readonly (readonly [string, Omit<DueInputs, 'at' | 'since'>])[] = [
    ['interval', { pace: { kind: 'interval', grid } }],
    ['tokens', { pace: { kind: 'tokens', planned, bucket: { tokens: 0, day: 0 }, planAt: at + dayMs } }],
    ['cron of one pattern', { pace: { kind: 'cron', pattern: '0 6 * * 1', zone: 'Europe/Berlin' } }],
    [
      'interval, objective, person, pauses',
      { pace: { kind: 'interval', grid }, recheck, manualAt: at, holds: { crash: at + 1, circuit: at + 2 } },
    ],
    ['interval within hours of a zone', { pace: { kind: 'interval', grid }, hours }],
  ];
  for (const [what, given] of cases) {
    const ms = timed(() => {
      let sum = 0;
      for (let k = 0; k < times; k += 1) sum += nextDue({ ...given, at: at + k, since: at + k }).dueAt ?? 0;
      return sum;
    });
    note(`next due: ${what}`, (ms / times) * 1e6, 'ns', ratio(ms, bareMs));
  }
}

function measureFreshness(): void {
  const ages = Float64Array.from({ length: million }, (_, k) => (k * 7_919_317) % (9 * dayMs));
  const bareMs = timed(() => ages.toSorted()[950_000]);
  const ms = timed(() => {
    const census = new FreshnessCensus(at);
    for (const age of ages) census.add(at - age, dayMs);
    return census.report();
  });
  note('freshness of 1M things; bare: sorted', ms, 'ms', ratio(ms, bareMs));
}

function measureOrder(): void {
  const pages = Array.from({ length: 32 }, (_, id) => ({ id, times: 1 + (id % 3) }));
  const entries = pages.reduce((sum, { times }) => sum + times, 0);
  const bareMs = timed(() =>
    Array.from({ length: 1_000 }, () => pages.flatMap(({ id, times }) => Array.from({ length: times }, () => id))),
  );
  const ms = timed(() => Array.from({ length: 1_000 }, () => orderApart(pages)));
  note(`repeats of ${entries} entries put apart; bare: listed`, ms, 'us', ratio(ms, bareMs));
}

function measureCron(): void {
  const times = 2_000;
  const options = { timezone: 'Europe/Berlin', mode: '5-part', paused: true } as const;
  const before = heapMb();
  const jobs = Array.from({ length: 500 }, (_, k) => new Cron(`${k % 60} ${k % 24} * * *`, options));
  if (globalThis.gc) note('croner: memory of a compiled pattern', ((heapMb() - before) / jobs.length) * 1_024, 'kB');
  note(
    'croner: to compile a pattern',
    timed(() => Array.from({ length: 200 }, () => new Cron('0 6 * * 1', options))) * 5,
    'us',
  );
  const [job] = jobs;
  const bareMs = timed(() => {
    let next: Date | null = new Date(at);
    for (let k = 0; k < times; k += 1) next = job?.nextRun(next) ?? null;
    return next;
  });
  note('bare: croner alone, instants in a row', (bareMs / times) * 1e3, 'us', 1);
  const pattern = { pattern: '0 0 * * *', zone: 'Europe/Berlin' };
  const rowMs = timed(() => {
    let next: number | undefined = at;
    for (let k = 0; k < times; k += 1) next = nextCron(pattern, next ?? 0);
    return next;
  });
  note('instants in a row', (rowMs / times) * 1e3, 'us', ratio(rowMs, bareMs));
  const sameMs = timed(() => {
    let sum = 0;
    for (let k = 0; k < times; k += 1) sum += nextCron(pattern, at + k * 1_000) ?? 0;
    return sum;
  });
  note('targets of one pattern, one after the other', (sameMs / times) * 1e3, 'us', ratio(sameMs, bareMs));
}

for (const keys of [40_000, 1_000, 1]) measurePlan(keys);
measureDue();
measureFreshness();
measureOrder();
measureCron();
if (process.argv.includes('--json')) console.log(JSON.stringify(rows));
else console.table(rows);
