import assert from 'node:assert/strict';
import { parseSource } from '../../src/definition/load.ts';
import type { LoadedSource } from '../../src/definition/catalogue.ts';
import { type ClockStep, type Span, type World } from './simulated-world.ts';
import { Year } from './simulated-witness.ts';
import { simulate, type SimTarget } from './simulated-year.ts';

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
const from = Date.parse('2026-01-01T00:00Z');
const perHost = 125;
const zones = ['UTC', 'Europe/Berlin', 'America/New_York'] as const;
const delays = [2_000, 5_000, 30_000, 60_000];

/** Numbers in [0, 1) that are the same in each run (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** When the wall clock is set, by what it shows then: some minutes around midnight, in the morning, and by more than a day. */
function stepsOf(days: number): ClockStep[] {
  const wished = [
    { day: 20, at: 4 * minuteMs, byMs: -10 * minuteMs },
    { day: 45, at: dayMs - 4 * minuteMs, byMs: 10 * minuteMs },
    { day: 70, at: 20 * minuteMs, byMs: -hourMs },
    { day: 95, at: dayMs - 30 * minuteMs, byMs: hourMs },
    { day: 120, at: 9 * hourMs, byMs: 2 * hourMs },
    { day: 145, at: 9 * hourMs, byMs: -hourMs },
    { day: 170, at: 5 * minuteMs, byMs: -30 * hourMs },
    { day: 195, at: 9 * hourMs, byMs: -26 * hourMs },
    { day: 220, at: dayMs - 5 * minuteMs, byMs: 25 * hourMs },
    { day: 245, at: 9 * hourMs, byMs: 26 * hourMs },
    { day: 270, at: 20_000, byMs: -5 * minuteMs },
    { day: 295, at: dayMs - 20_000, byMs: -5 * minuteMs },
    { day: 320, at: 20 * hourMs, byMs: 5 * minuteMs },
  ];
  let offset = 0;
  return wished
    .filter(({ day }) => day < days)
    .map(({ day, at, byMs }) => {
      const step = { at: from + day * dayMs + at - offset, byMs };
      offset += byMs;
      return step;
    });
}

/** Every twelfth day a restart within minutes, some of them over midnight, one in seven of days; and some while a clock is set. */
function downOf(days: number, steps: readonly ClockStep[], random: () => number): Span[] {
  const plain = Array.from({ length: Math.floor(days / 12) }, (_, k) => {
    const begin = (12 * k + 5) * dayMs + (k % 3 === 0 ? dayMs - 5 * minuteMs : random() * 0.9 * dayMs);
    return spanOf(begin, k % 7 === 6 ? (1 + 2 * random()) * dayMs : (1 + 19 * random()) * minuteMs);
  });
  const over = steps.filter((_, k) => k % 6 === 5).map(({ at }) => spanOf(at - from - 2 * minuteMs, 5 * minuteMs));
  return [...plain, ...over].toSorted((a, b) => a.from - b.from);
}

/** In whole milliseconds. */
function spanOf(after: number, lengthMs: number): Span {
  const begin = from + Math.floor(after);
  return { from: begin, to: begin + Math.floor(lengthMs) };
}

/** What happens in so many days to a daemon and its hosts. Every tenth host is down for a day and more, all of them for hours. */
function worldOf(days: number, hosts: number, random: () => number): World {
  const steps = stepsOf(days);
  const outages = Array.from({ length: hosts }, (_host, host) =>
    Array.from({ length: Math.floor(days / 60) + 1 }, (_, k) => {
      const hours = k === 1 && host % 10 === 0 ? 30 : 0.3 + 4 * random();
      return spanOf((60 * k + 10 + 40 * random()) * dayMs, hours * hourMs);
    }),
  );
  return { from, to: from + days * dayMs, steps, down: downOf(days, steps, random), outages };
}

function targetsOf(hosts: number, random: () => number): SimTarget[] {
  return Array.from({ length: hosts * perHost }, (_, index): SimTarget => {
    const [host, k] = [index % hosts, Math.floor(index / hosts)];
    const of = { target: index + 1, host, perDay: k < 2 ? 50 : random() ** 3 };
    if (k < 50) return { ...of, kind: 'tokens', schedule: { tokens: { start: 1, cap: 4, perDay: 3, zone: 'UTC' } } };
    if (k < 84) return { ...of, kind: 'interval', schedule: { every: ([1, 4, 7, 7][k % 4] ?? 0) * dayMs } };
    if (k < 103) return { ...of, kind: 'cron', schedule: { cron: `${host} 6 * * 1,4`, zone: zones[k % 3] ?? 'UTC' } };
    if (k < 109)
      return { ...of, kind: 'continuous', schedule: { continuous: { sleep: 3 * dayMs, longest: 4 * dayMs } } };
    if (k < 121)
      return { ...of, kind: 'objective', schedule: { objective: { warnAfter: 2 * dayMs, errorAfter: 2.2 * dayMs } } };
    const objectives = { warnAfter: 40 * hourMs, errorAfter: 44 * hourMs };
    return { ...of, kind: 'promised', schedule: { every: 2 * dayMs, objectives } };
  });
}

function sourceOf(host: number, delayMs: number): LoadedSource {
  const delay = `${delayMs / 1_000}s`;
  const yaml = `id: s${host}
politeness: { delay: ${delay}, minDelay: ${delay}, autoThrottle: false }
records: { item: { key: id, fields: { id: h1 } } }
`;
  const parsed = parseSource(yaml, `s${host}.yaml`);
  if (!parsed.ok) assert.fail('the definition is refused');
  return { source: parsed.value, version: '1' };
}

/** Lets so many days pass for a daemon of so many hosts, and hands back how much was looked at; throws where something does not hold. */
export async function passDays({
  days,
  hosts,
  seed,
  onDay,
}: {
  readonly days: number;
  readonly hosts: number;
  readonly seed: number;
  onDay(): void;
}): Promise<Year['counts']> {
  const delaysMs = Array.from({ length: hosts }, (_, host) => delays[host % delays.length] ?? 0);
  const world = worldOf(days, hosts, randomOf(seed));
  const targets = targetsOf(hosts, randomOf(seed + 1));
  const year = new Year({ world, targets, delaysMs, onDay });
  const sources = new Map(delaysMs.map((delayMs, host) => [`s${host}`, sourceOf(host, delayMs)]));
  const random = randomOf(seed + 2);
  await simulate({
    world,
    targets,
    catalogue: { sources, types: new Map(), sinks: new Map(), pipelines: new Map(), problems: [] },
    random,
    witness: year,
  });
  return year.counts;
}
