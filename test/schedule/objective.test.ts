import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type Episode, type EpisodeEvent, freshEpisode, nextCrossing, withAge } from '../../src/schedule/episode.ts';
import { FreshnessCensus } from '../../src/schedule/freshness.ts';
import { deadlineOf, feasibility, leadOf, recheckAt, recheckTurns } from '../../src/schedule/objective.ts';

const dayMs = 86_400_000;
const host = { delayMs: 2_000, concurrency: 1 };

describe('objective', () => {
  test('60,000 targets at 2 s each cannot be kept within a day, 10,000 can (P47)', () => {
    const much = feasibility({ targets: 60_000, objectiveMs: dayMs }, host);
    assert.equal(much.isFeasible, false);
    assert.deepEqual([much.neededMs, much.allowed, much.nearestMs], [120_000_000, 43_200, 120_000_000]);
    const little = feasibility({ targets: 10_000, objectiveMs: dayMs }, host);
    assert.ok(little.isFeasible && little.fitsShare);
    assert.ok(Math.abs(little.load - 0.2315) < 1e-4);
  });

  test('the nearest objective is feasible, also beside what was promised to others', () => {
    fc.assert(
      fc.property(
        fc.record({ targets: fc.integer({ min: 1, max: 1e6 }), objectiveMs: fc.integer({ min: 1_000, max: 3e9 }) }),
        fc.record({ delayMs: fc.integer({ min: 1, max: 60_000 }), concurrency: fc.integer({ min: 1, max: 8 }) }),
        fc.double({ min: 0, max: 0.99, noNaN: true }),
        (demand, pace, promised) => {
          const { isFeasible, nearestMs, load } = feasibility(demand, pace, promised);
          assert.equal(isFeasible, load <= 1 - promised);
          assert.ok(feasibility({ ...demand, objectiveMs: nearestMs }, pace, promised).load <= 1 - promised + 1e-9);
          assert.ok(isFeasible || nearestMs > demand.objectiveMs);
        },
      ),
    );
  });

  test('a target falls due before its deadline, by what its host takes for all of them', () => {
    assert.equal(leadOf({ targets: 1, objectiveMs: dayMs }, host), dayMs / 10);
    assert.equal(leadOf({ targets: 10_000, objectiveMs: dayMs }, host), 40_000_000);
    assert.equal(leadOf({ targets: 60_000, objectiveMs: dayMs }, host), 0.9 * dayMs);
  });

  test('what is nearest to its deadline is checked first, within the share of the host (P45)', () => {
    const deadlines = [30_000, 5_000, 20_000, 5_000].map((deadlineAt, target) => ({ target, deadlineAt }));
    assert.deepEqual(
      recheckTurns(deadlines, host, { from: 1_000 }).map(({ target, at, slackMs }) => [target, at, slackMs]),
      [
        [1, 1_000, 4_000],
        [3, 5_000, 0],
        [2, 9_000, 11_000],
        [0, 13_000, 17_000],
      ],
    );
  });

  test('targets that are all due at once are all checked by their deadline where nine tenths of the share suffice', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 100_000, max: 10_000_000 }),
        (targets, objectiveMs) => {
          const demand = { targets, objectiveMs };
          fc.pre(feasibility(demand, host).load <= 0.45);
          const deadlineAt = deadlineOf(0, objectiveMs);
          const all = Array.from({ length: targets }, (_, target) => ({ target, deadlineAt }));
          const turns = recheckTurns(all, host, { from: deadlineAt - leadOf(demand, host) });
          assert.ok(turns.every(({ slackMs }) => slackMs >= 0));
        },
      ),
    );
  });

  test('a check that failed does not move the deadline, and is repeated after a growing pause (P48)', () => {
    const recheck = { lastVerifiedAt: 0, objectiveMs: 3_600_000, leadMs: 360_000, misses: 0 };
    assert.equal(recheckAt(recheck, 0), 3_240_000);
    assert.deepEqual(
      [1, 2, 3, 4, 5, 6].map((misses) => recheckAt({ ...recheck, misses }, 3_240_000) - 3_240_000),
      [60_000, 120_000, 240_000, 480_000, 900_000, 900_000],
    );
  });
});

describe('episode', () => {
  const objective = { warnAfterMs: 100, errorAfterMs: 200 };

  /** What is told while things are looked at, each time at an instant with what was verified last by then. */
  function told(
    looks: readonly (readonly [at: number, lastVerifiedAt: number])[],
    of = objective,
  ): (EpisodeEvent | undefined)[] {
    let episode: Episode = freshEpisode;
    return looks.map(([at, lastVerifiedAt]) => {
      const found = withAge(episode, lastVerifiedAt, of, at);
      episode = found.episode;
      return found.event;
    });
  }

  test('warns once, breaks once, and recovers once (P46)', () => {
    const events = told([
      [50, 0],
      [101, 0],
      [150, 0],
      [201, 0],
      [900, 0],
      [1_000, 950],
      [1_001, 950],
    ]);
    assert.deepEqual(
      events.map((event) => event?.kind),
      [undefined, 'warn', undefined, 'error', undefined, 'recovered', undefined],
    );
    assert.deepEqual(events[5], { kind: 'recovered', at: 1_000, ageMs: 50, sinceAt: 100 });
  });

  test('what is found broken before anybody warned is told as broken alone', () => {
    assert.deepEqual(
      told([
        [900, 0],
        [950, 900],
      ]).map((event) => event?.kind),
      ['error', 'recovered'],
    );
  });

  test('an age that only goes back to a warning is no recovery', () => {
    assert.deepEqual(
      told([
        [300, 0],
        [301, 150],
        [302, 250],
      ]).map((event) => event?.kind),
      ['error', undefined, 'recovered'],
    );
  });

  test('an age that equals the objective keeps it, and the next instant to look is the one after', () => {
    assert.equal(withAge(freshEpisode, 0, objective, 100).event, undefined);
    assert.equal(nextCrossing(freshEpisode, 0, objective), 101);
    assert.equal(withAge(freshEpisode, 0, objective, 101).event?.kind, 'warn');
    assert.equal(nextCrossing({ level: 'warn', sinceAt: 100 }, 0, objective), 201);
    assert.equal(nextCrossing({ level: 'error', sinceAt: 100 }, 0, objective), undefined);
  });

  test('each episode has each event once at most and ends with its recovery, whenever it is looked at', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(120), fc.boolean()), { maxLength: 60 }), (steps) => {
        let [at, verified] = [0, 0];
        const events = told(
          steps.map(([pause, verifies]) => {
            at += pause;
            if (verifies) verified = at;
            return [at, verified] as const;
          }),
        );
        const kinds = events.flatMap((event) => (event === undefined ? [] : [event.kind[0]])).join('');
        assert.match(kinds, /^(?:(?:w|e|we)r)*(?:w|e|we)?$/);
      }),
    );
  });
});

describe('freshness', () => {
  test('tells ages, breaches and the next deadline (P46)', () => {
    const census = new FreshnessCensus(1_000_000);
    for (let age = 1; age <= 100; age += 1) census.add(1_000_000 - age * 1_000, 90_000);
    const report = census.report();
    assert.deepEqual([report.count, report.maxMs, report.breaches, report.shareWithin], [100, 100_000, 10, 0.9]);
    assert.equal(report.nextDeadlineAt, 1_000_000);
    for (const [found, exact] of [
      [report.p50Ms, 50_000],
      [report.p95Ms, 95_000],
      [report.p99Ms, 99_000],
    ] as const)
      assert.ok(Math.abs(found / exact - 1) < 0.0101, `${found} for ${exact}`);
  });

  test('nothing at all is fresh', () => {
    assert.deepEqual(new FreshnessCensus(0).report(), {
      count: 0,
      maxMs: 0,
      p50Ms: 0,
      p95Ms: 0,
      p99Ms: 0,
      shareWithin: 1,
      breaches: 0,
    });
  });

  test('quantiles are right within 1 %, and in order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 100, max: 1e11 }), { minLength: 1, maxLength: 500 }), (ages) => {
        const census = new FreshnessCensus(2e11);
        for (const age of ages) census.add(2e11 - age, 1e10);
        const sorted = ages.toSorted((a, b) => a - b);
        const { p50Ms, p95Ms, p99Ms, maxMs } = census.report();
        for (const [part, found] of [
          [0.5, p50Ms],
          [0.95, p95Ms],
          [0.99, p99Ms],
        ] as const) {
          const exact = sorted[Math.ceil(part * sorted.length) - 1] ?? 0;
          assert.ok(Math.abs(found - exact) <= 0.0101 * exact + 1);
        }
        assert.ok(p50Ms <= p95Ms && p95Ms <= p99Ms && p99Ms <= maxMs);
      }),
    );
  });
});
