/** Walks every target of a forecast singly, and lets what falls due wait minute by minute: the slow way to the same figures. */
import fc from 'fast-check';
import type { OpenHours } from '../../src/schedule/time/open-hours.ts';
import type { Forecast, ForecastHost, ForecastTarget } from '../../src/schedule/forecast.ts';
import { forecastTarget, type PlainPace } from './forecast-target.ts';
import { nextDueAt } from '../../src/schedule/next-due.ts';
import type { Bucket } from '../../src/schedule/pace/bucket.ts';
import { dayWindow, planDay } from '../../src/schedule/pace/plan-day.ts';
import type { ScheduleRow } from '../../src/schedule/row.ts';
import { afterScrape } from '../../src/schedule/scheduling.ts';
import { dayNumber } from '../../src/schedule/time/zone.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** A Thursday, some hours after midnight. */
export const at = Date.parse('2026-11-26T05:17:23Z');

type Told = Pick<Forecast, 'requests' | 'bytes' | 'objectives'> & {
  readonly peak: number;
  readonly longestWaitMs: number;
};

interface WalkedSingly {
  readonly turns: readonly number[];
  readonly gapMs: number;
  readonly isDrawn: boolean;
}

/** What the days are, as far as every target is walked singly. */
export function singly(
  hosts: readonly (ForecastHost & { readonly targets: readonly ForecastTarget[] })[],
  days: number,
): Told {
  const requests = Array.from({ length: days }, () => 0);
  const total = new Float64Array(days * 1_440);
  let [bytes, kept, broken, worstByMs, longestWaitMs] = [0, 0, 0, 0, 0];
  for (const { targets, delayMs } of hosts) {
    const due = new Float64Array(days * 1_440);
    const planned = plansOf(targets, days);
    const walks = targets.map((target, place) => walkSingly(target, days, planned[place] ?? []));
    for (const [place, { turns }] of walks.entries())
      for (const turn of turns) {
        const minute = Math.floor((turn - at) / minuteMs);
        const count = targets[place]?.requests ?? 1;
        due[minute] = (due[minute] ?? 0) + count;
        const day = Math.floor(minute / 1_440);
        requests[day] = (requests[day] ?? 0) + count;
        bytes += targets[place]?.bytes ?? 0;
      }
    const perMinute = minuteMs / delayMs;
    const atMost = targets.reduce((sum, target) => sum + (target.requests ?? 1), 0);
    let [waiting, longest] = [0, 0];
    for (const [minute, count] of due.entries()) {
      const made = Math.min(perMinute, waiting + count);
      waiting = Math.min(atMost, waiting + count - made);
      longest = Math.max(longest, waiting);
      total[minute] = (total[minute] ?? 0) + made;
    }
    const waitMs = Math.round((longest / perMinute) * minuteMs);
    longestWaitMs = Math.max(longestWaitMs, waitMs);
    for (const [place, { gapMs, isDrawn }] of walks.entries()) {
      const { objectiveMs, requests: count = 1 } = targets[place] ?? {};
      if (objectiveMs === undefined) continue;
      const lateMs = isDrawn && count <= 1 && gapMs <= objectiveMs ? 0 : gapMs + waitMs - objectiveMs;
      if (lateMs <= 0) kept += 1;
      else broken += 1;
      worstByMs = Math.max(worstByMs, lateMs);
    }
  }
  return {
    requests,
    bytes,
    peak: Math.ceil(Math.max(...total) - 1e-6),
    longestWaitMs,
    objectives: { kept, broken, worstByMs },
  };
}

/** From turn to turn, up to the end of the days: what lies after them makes no gap longer. */
function walkSingly(target: ForecastTarget, days: number, planned: readonly number[]): WalkedSingly {
  const { given, recheckMs, hours = [], verifiedAt = at, tookMs = 0 } = target;
  const until = at + days * dayMs;
  const begun = target.row.pace;
  let row: ScheduleRow = { target: 0, ...target.row, pace: begun.kind === 'tokens' ? { ...begun, planned } : begun };
  let [now, last, gapMs, isDrawn] = [at, verifiedAt, -Infinity, false];
  const turns: number[] = [];
  for (;;) {
    const alone = {
      at: now,
      since: row.since,
      pace: row.pace,
      given,
      hours,
      ...(row.firstAt !== undefined && { firstAt: row.firstAt }),
    };
    const again = recheckMs && { lastVerifiedAt: last, objectiveMs: recheckMs, leadMs: 0, misses: 0 };
    const turn = Math.max(now, nextDueAt({ ...alone, ...(again && { recheck: again }) }) ?? Infinity);
    gapMs = Math.max(gapMs, Math.min(turn, until) - last);
    if (turn >= until) return { turns, gapMs, isDrawn };
    const paced = nextDueAt({ ...alone, hours: [] }) ?? Infinity;
    if (again && row.firstAt === undefined && last + again.objectiveMs < paced) isDrawn = true;
    turns.push(turn);
    const scrape = { reason: 'due', startedAt: turn, status: 'complete' } as const;
    [now, last] = [turn + tookMs, turn];
    row = afterScrape(row, scrape, { pace: given }, { at: now, random: () => 0 });
  }
}

/** The days of one host's targets by tokens, planned together as the planner does. */
function plansOf(targets: readonly ForecastTarget[], days: number): readonly number[][] {
  const planned: number[][] = targets.map(() => []);
  const places = [...targets.keys()].filter((place) => targets[place]?.given.kind === 'tokens');
  for (const group of Map.groupBy(places, (place) => JSON.stringify(targets[place]?.hours ?? [])).values()) {
    const held = new Map<number, { bucket: Bucket; priority: number }>();
    for (const place of group) {
      const { row: { pace } = { pace: undefined }, priority = 1 } = targets[place] ?? {};
      if (pace?.kind === 'tokens') held.set(place, { bucket: pace.bucket, priority });
    }
    const hours = targets[group[0] ?? 0]?.hours ?? [];
    for (let day = dayNumber('UTC', at); day <= dayNumber('UTC', at + days * dayMs - 1); day += 1) {
      const all = [...held].map(([target, own]) => ({ target, ...own }));
      const { turns, buckets } = planDay({ day, window: dayWindow('UTC', day, at), targets: all, hours });
      for (const { target, dueAt } of turns) planned[target]?.push(dueAt);
      for (const { target, bucket } of buckets) held.set(target, { bucket, priority: held.get(target)?.priority ?? 1 });
    }
  }
  return planned;
}

const minutes = (least: number, most: number) => fc.integer({ min: least, max: most }).map((each) => each * minuteMs);
const openHours: fc.Arbitrary<readonly OpenHours[]> = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  fc
    .record({
      days: fc.constantFrom([1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 6, 7], [2, 4, 6]),
      fromMinute: fc.integer({ min: 0, max: 1_439 }),
      length: fc.integer({ min: 30, max: 1_000 }),
      zone: fc.constantFrom('UTC', 'Europe/Berlin'),
    })
    .map(({ length, fromMinute, ...rest }) => [{ ...rest, fromMinute, toMinute: (fromMinute + length) % 1_440 }]),
);

/** What targets of one kind share: pace, hours, objective and lead. */
const kind = fc.record({
  pace: fc.oneof(
    fc.record({ kind: fc.constant('interval' as const), everyMs: minutes(10, 2_000) }),
    fc.record({
      kind: fc.constant('cron' as const),
      pattern: fc.constantFrom('0 * * * *', '17 3,15 * * *', '*/20 8-17 * * *', '0 6 * * 1'),
      zone: fc.constantFrom('UTC', 'Europe/Berlin'),
    }),
    fc.constant({ kind: 'tokens' as const }),
    fc.record({ kind: fc.constant('continuous' as const), sleepMs: minutes(5, 300), tookMs: minutes(0, 20) }),
    fc.constant({ kind: 'objective' as const }),
  ),
  hours: openHours,
  objectiveMs: minutes(30, 4_000),
  leadPart: fc.double({ min: 0.1, max: 0.5, noNaN: true }),
  objective: fc.constantFrom('none', 'drawn', 'told'),
  requests: fc.constantFrom(1, 1, 1, 2),
  bytes: fc.constantFrom(0, 700, 40_000),
});
type Kind = typeof kind extends fc.Arbitrary<infer T> ? T : never;

function targetOf(
  { pace, hours, objectiveMs, leadPart, objective, requests, bytes }: Kind,
  part: number,
  other: number,
): ForecastTarget {
  const isDrawn = objective === 'drawn' || pace.kind === 'objective';
  const afterMs = Math.round(objectiveMs * (1 - leadPart));
  const common = {
    hours,
    requests,
    bytes,
    ...((objective !== 'none' || isDrawn) && { objectiveMs }),
    ...(isDrawn && { recheck: { afterMs, nextAt: at + Math.floor(other * afterMs) } }),
  };
  return forecastTarget({ ...common, pace: standing() }, at, 0);

  function standing(): PlainPace {
    switch (pace.kind) {
      case 'interval':
        return { ...pace, nextAt: at + Math.floor(part * pace.everyMs) };
      case 'continuous':
        return { ...pace, nextAt: at + Math.floor(part * pace.sleepMs) };
      case 'tokens': {
        const bucket = { tokens: Math.round(part * 100) / 100, day: dayNumber('UTC', at) };
        return { kind: 'tokens', bucket, priority: 0.07 + 1.68 * other };
      }
      default:
        return pace;
    }
  }
}

/** Hosts with so many targets in all, of a few kinds, at random phases. */
export function hostsOf(
  count: number,
): fc.Arbitrary<(ForecastHost & { readonly targets: readonly ForecastTarget[] })[]> {
  return fc
    .record({
      kinds: fc.array(kind, { minLength: 1, maxLength: 4 }),
      delaysMs: fc.array(fc.integer({ min: 50, max: 20_000 }), { minLength: 1, maxLength: 3 }),
      seed: fc.integer({ min: 1, max: 2 ** 31 - 2 }),
    })
    .map(({ kinds, delaysMs, seed }) => {
      let state = seed;
      const random = (): number => {
        state = (state * 48_271) % 2_147_483_647;
        return state / 2_147_483_647;
      };
      const targets = Array.from({ length: count }, () => {
        const own = kinds[Math.floor(random() * kinds.length)];
        const [host, part, other] = [random(), random(), random()];
        return own === undefined
          ? []
          : [{ host: Math.floor(host * delaysMs.length), target: targetOf(own, part, other) }];
      }).flat();
      return delaysMs.map((delayMs, place) => ({
        key: `host-${place}`,
        delayMs,
        targets: targets.filter(({ host }) => host === place).map(({ target }) => target),
      }));
    });
}
