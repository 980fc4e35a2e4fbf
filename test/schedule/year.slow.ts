import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CronTimes, cronTimes } from '../../src/schedule/cron.ts';
import { defaultContinuous } from '../../src/schedule/continuous.ts';
import { gridOf } from '../../src/schedule/grid.ts';
import { type Episode, freshEpisode, withAge } from '../../src/schedule/episode.ts';
import { FreshnessCensus } from '../../src/schedule/freshness.ts';
import { leadOf, type Objective } from '../../src/schedule/objective.ts';
import { simulate, type SimTarget, type SimTurn, type World } from './simulated-year.ts';

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
const days = 365;
const from = Date.parse('2026-01-01T00:00Z');
const hosts = 40;
const perHost = 125;
const objective: Required<Objective> = { warnAfterMs: dayMs, errorAfterMs: 1.5 * dayMs };
const zones = ['UTC', 'Europe/Berlin', 'America/New_York'] as const;

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

/** Fifty restarts of some minutes, four of days, and clocks that are set, by more than a day once. */
function daemonOf(random: () => number): Pick<World, 'down' | 'steps'> {
  const slots = Array.from({ length: 54 }, (_, k) => from + (6 * k + 1 + random()) * dayMs);
  const down = slots.map((at, k) => ({
    from: at,
    to: at + (k % 13 === 12 ? (1 + 2 * random()) * dayMs : (1 + 19 * random()) * minuteMs),
  }));
  const byMs = [2 * hourMs, -hourMs, -26 * hourMs, 25 * hourMs, -5 * minuteMs, 5 * minuteMs];
  return { down, steps: byMs.map((each, k) => ({ at: from + (40 + 50 * k + 0.37) * dayMs, byMs: each })) };
}

function targetsOf(host: number, delayMs: number, random: () => number): SimTarget[] {
  const objectives = Math.ceil(perHost / 10);
  return Array.from({ length: perHost }, (_, k): SimTarget => {
    const common = { number: k, perDay: 3 * random() ** 3 };
    if (k < 50) return { ...common, pace: { kind: 'tokens' } };
    if (k < 88) {
      const everyMs = [4, 6, 12, 24][k % 4] ?? 24;
      return { ...common, pace: { kind: 'interval', grid: gridOf(from + host * 1_000, everyMs * hourMs, k) } };
    }
    if (k < 107) return { ...common, pace: { kind: 'cron', pattern: `${host} 6 * * *`, zone: zones[k % 3] ?? 'UTC' } };
    if (k < perHost - objectives) {
      const last = { endedAt: from, failures: 0 };
      return {
        ...common,
        pace: { kind: 'continuous', options: { ...defaultContinuous, sleepMs: 12 * hourMs }, last, draw: 0 },
      };
    }
    const leadMs = leadOf({ targets: objectives, objectiveMs: objective.warnAfterMs }, { delayMs, concurrency: 1 });
    return { ...common, pace: { kind: 'objective' }, objective, leadMs };
  });
}

/** The days, by the wall clock, with nothing out of the ordinary on them or on the two before. */
function calmDays({ down, steps, outages }: World): Set<number> {
  const offsetAt = (real: number): number => steps.reduce((sum, { at, byMs }) => sum + (at <= real ? byMs : 0), 0);
  const troubled = new Set<number>();
  const spans = [...down, ...outages, ...steps.map(({ at }) => ({ from: at - 1, to: at + 1 }))];
  for (const span of spans) {
    const [first, last] = [span.from + offsetAt(span.from), span.to + offsetAt(span.to)].sort((a, b) => a - b);
    for (let day = Math.floor((first ?? 0) / dayMs) - 1; day <= Math.floor((last ?? 0) / dayMs) + 2; day += 1)
      troubled.add(day);
  }
  const all = Array.from({ length: days - 4 }, (_, k) => from / dayMs + 2 + k);
  return new Set(all.filter((day) => !troubled.has(day)));
}

interface Found {
  readonly turns: number;
  readonly calm: number;
}

/** One host's year, with all that must hold on each day of it. */
function year(host: number, daemon: Pick<World, 'down' | 'steps'>): Found {
  const random = randomOf(1_000 + host);
  const delayMs = [2_000, 5_000, 30_000, 60_000][host % 4] ?? 1_000;
  const outages = Array.from({ length: 6 }, (_, k) => from + (60 * k + 20 + 20 * random()) * dayMs).map((at) => ({
    from: at,
    to: at + (1 + 47 * random()) * hourMs,
  }));
  const world: World = { from, to: from + days * dayMs, outages, ...daemon };
  const calm = calmDays(world);
  const targets = targetsOf(host, delayMs, random);
  const turnsOf = new Map<number, SimTurn[]>(targets.map(({ number }) => [number, []]));
  const [granted, paid, back] = [
    new Float64Array(perHost).fill(1),
    new Float64Array(perHost),
    new Float64Array(perHost),
  ];
  const paidOn = new Map<number, number>();
  /** Around it days are had twice, as the clock is set back by more than one. */
  const lostDay = Math.floor((daemon.steps.find(({ byMs }) => byMs < -dayMs)?.at ?? 0) / dayMs);
  const episodes = new Map<number, Episode>();
  const told = new Map<number, string>();
  const verified = new Map(targets.map(({ number }) => [number, from]));
  let [turns, lastRealAt] = [0, -Infinity];

  const left = simulate(targets, { delayMs }, world, random, {
    turn(turn) {
      const { number } = turn.target;
      turns += 1;
      assert.ok(turn.realAt - lastRealAt >= delayMs, 'the host is asked no sooner than it allows');
      assert.ok(turn.dueAt <= turn.at, 'no turn comes before it is due');
      lastRealAt = turn.realAt;
      turnsOf.get(number)?.push(turn);
      if (turn.target.objective !== undefined) look(number, turn);
      if (turn.ok) verified.set(number, turn.at);
    },
    planned({ turns: planned, buckets }, before, at) {
      checkPlan(
        planned.map(({ dueAt }) => dueAt),
        at,
      );
      const scrapes = new Map<number, number>();
      for (const { target } of planned) scrapes.set(target, (scrapes.get(target) ?? 0) + 1);
      for (const { target, bucket } of buckets) {
        const { bucket: old, priority } = before.get(target) ?? assert.fail();
        const spent = scrapes.get(target) ?? 0;
        const grant = Math.min(4, old.tokens + Math.max(0, bucket.day - old.day) * priority) - old.tokens;
        assert.ok(spent <= 3 && bucket.tokens >= 0 && bucket.tokens <= 4);
        assert.ok(Math.abs(old.tokens + grant - spent - bucket.tokens) < 1e-6, 'what a day grants is spent or kept');
        granted[target] = (granted[target] ?? 0) + grant;
        paid[target] = (paid[target] ?? 0) + spent;
        const key = bucket.day * perHost + target;
        paidOn.set(key, (paidOn.get(key) ?? 0) + spent);
        const isTwice = Math.abs(bucket.day - lostDay) <= 2;
        assert.ok(
          isTwice || (paidOn.get(key) ?? 0) <= 3,
          'no day pays for more than three, however often it is planned',
        );
      }
      checkFreshness(at);
    },
    refunded: (target, scrapes) => (back[target] = (back[target] ?? 0) + scrapes),
    booted: () => undefined,
  });

  for (const target of targets) checkTarget(target);
  return { turns, calm: calm.size };

  function look(number: number, { at, ok, lastVerifiedAt }: SimTurn): void {
    for (const seenAt of ok ? [lastVerifiedAt, at] : [lastVerifiedAt]) {
      const { episode, event } = withAge(episodes.get(number) ?? freshEpisode, seenAt, objective, at);
      episodes.set(number, episode);
      if (event !== undefined) told.set(number, (told.get(number) ?? '') + (event.kind[0] ?? ''));
    }
  }

  function checkPlan(instants: readonly number[], at: number): void {
    const gaps = instants.slice(1).map((instant, k) => instant - (instants[k] ?? 0));
    if (gaps.length > 0) assert.ok(Math.max(...gaps) - Math.min(...gaps) <= 1, 'a plan is evenly spread');
    assert.ok(instants.every((instant) => instant > at));
  }

  function checkFreshness(at: number): void {
    if (!calm.has(Math.floor(at / dayMs))) return;
    const census = new FreshnessCensus(at);
    for (const target of targets) {
      if (target.objective !== undefined) census.add(verified.get(target.number) ?? 0, objective.warnAfterMs);
    }
    assert.equal(census.report().shareWithin, 1, 'on a calm day every objective is kept');
  }

  function checkTarget({ number, pace }: SimTarget): void {
    const taken = turnsOf.get(number) ?? [];
    if (pace.kind === 'tokens') {
      const { bucket, planned } = left.get(number) ?? assert.fail();
      assert.equal(
        taken.length,
        (paid[number] ?? 0) - (back[number] ?? 0) - planned.length,
        'each paid turn is taken once',
      );
      const kept = (granted[number] ?? 0) - taken.length - planned.length;
      assert.ok(bucket.tokens <= kept + 1e-6, 'no token is made out of nothing');
    }
    assert.match(told.get(number) ?? '', /^(?:(?:w|e|we)r)*(?:w|e|we)?$/, 'an episode tells each thing once');
    const perDay = new Map<number, number>();
    for (const { at, dueAt, lastVerifiedAt } of taken) {
      const day = Math.floor(at / dayMs);
      perDay.set(day, (perDay.get(day) ?? 0) + 1);
      if (!calm.has(day)) continue;
      assert.ok(at - dueAt <= 45 * minuteMs, 'on a calm day nobody waits long');
      if (pace.kind === 'objective') assert.ok(at - lastVerifiedAt <= objective.warnAfterMs);
    }
    for (const day of calm) checkDay(pace, perDay.get(day) ?? 0);
    if (pace.kind === 'cron') {
      const named = namedOf(pace);
      assert.ok(
        taken.length <= named + 1,
        'no period of a cron pattern is run twice, but where the clock went back a day',
      );
    }
  }
}

const named = new Map<string, number>();

/** How many instants of the year a pattern names. */
function namedOf(pattern: CronTimes): number {
  const key = `${pattern.zone} ${pattern.pattern}`;
  const count = named.get(key) ?? [...cronTimes(pattern, from, from + days * dayMs)].length;
  named.set(key, count);
  return count;
}

function checkDay(pace: SimTarget['pace'], turns: number): void {
  if (pace.kind === 'cron') assert.equal(turns, 1, 'on a calm day a daily pattern has one turn');
  if (pace.kind === 'tokens') assert.ok(turns <= 3, 'on a calm day no target has more than three');
  if (pace.kind !== 'interval') return;
  assert.ok(Math.abs(turns - dayMs / pace.grid.everyMs) <= 1, 'on a calm day an interval has its turns');
}

test('a year of 5,000 targets on 40 hosts keeps tokens, spacing, objectives and host limits on every day, through outages, restarts and clocks that are set (J16, J23, J24, J26, J27, J30, J34, O42, P46, S19)', () => {
  const daemon = daemonOf(randomOf(7));
  const startedAt = performance.now();
  const found = Array.from({ length: hosts }, (_, host) => year(host, daemon));
  const turns = found.reduce((sum, each) => sum + each.turns, 0);
  assert.ok(turns > 2_000_000, `${turns} turns`);
  assert.ok(
    found.every(({ calm }) => calm > 40),
    'there are calm days to look at',
  );
  assert.ok(performance.now() - startedAt < 60_000, 'within a minute');
});
