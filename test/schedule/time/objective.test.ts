import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, test } from 'node:test';
import { type Episode, type EpisodeEvent, freshEpisode, nextCrossing, withAge } from '../../../src/schedule/episode.ts';
import { FreshnessCensus } from '../../../src/schedule/freshness-census.ts';
import { TurnBook } from '../../../src/fetch/ledger/turn-book.ts';
import type { LedgerOffer } from '../../../src/fetch/ledger/host-line.ts';
import { opennessOf } from '../../../src/schedule/time/open-hours.ts';
import { feasibility, leadOf, recheckShare } from '../../../src/schedule/feasibility.ts';
import { deadlineOf, recheckAt } from '../../../src/schedule/time/objective.ts';

const dayMs = 86_400_000;
const host = { delayMs: 2_000 };

describe('objective', () => {
  test('a target falls due before its deadline, by what its host takes for all of them', () => {
    assert.equal(leadOf({ targets: 1, objectiveMs: dayMs }, host), dayMs / 10);
    assert.equal(leadOf({ targets: 10_000, objectiveMs: dayMs }, host), 40_005_000);
  });

  test('what cannot be kept is asked for once in each objective and no more often, whatever stands against it (P47)', () => {
    const minute = 60_000;
    assert.equal(leadOf({ targets: 60_000, objectiveMs: dayMs }, host), 0.1 * dayMs);
    const hours = opennessOf([{ days: [1, 2, 3, 4, 5, 6, 7], fromMinute: 5, toMinute: 25, zone: 'UTC' }]);
    assert.equal(leadOf({ targets: 1, objectiveMs: minute, hours }, { delayMs: 200 }), 6_000);
    // A scrape that takes longer than that begins as much sooner, up to nine tenths of the objective.
    assert.equal(leadOf({ targets: 1, objectiveMs: minute, hours }, { delayMs: 200, latencyMs: 20_000 }), 20_000);
    assert.equal(leadOf({ targets: 1, objectiveMs: 5_000 }, { delayMs: 200, latencyMs: 8_000 }), 4_500);
    assert.equal(leadOf({ targets: 1, objectiveMs: 1_000 }, { delayMs: 50, latencyMs: 20 }), 100);
  });

  test('targets that are all due at once are all checked by their deadline while others want every turn, where nine tenths of the share suffice (P45)', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 100_000, max: 10_000_000 }),
        (targets, objectiveMs) => {
          const demand = { targets, objectiveMs };
          // The turn under way and the last scrape take time as well, which counts where an objective is short.
          fc.pre(feasibility(demand, host).isFeasible);
          const deadlineAt = deadlineOf(0, objectiveMs);
          const from = deadlineAt - leadOf(demand, host);
          const book = bookAt(from);
          const checked = { rechecks: 0, others: 0 };
          for (let target = 0; target < targets; target += 1) ask(book, { dueAt: from, deadlineAt });
          for (ask(book, { dueAt: 0 }); book.wakeAt <= deadlineAt;) {
            const { wish } = take(book);
            if (wish.deadlineAt === undefined) ask(book, { dueAt: 0 });
            checked[wish.deadlineAt === undefined ? 'others' : 'rechecks'] += 1;
          }
          assert.equal(checked.rechecks, targets);
          assert.ok(checked.others >= targets - 1, 'others were not starved');
        },
      ),
      { numRuns: 30 },
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

/** The ledger of a host that is asked every 2 s. */
function bookAt(startedAt: number): TurnBook<LedgerOffer> {
  const limits = { maxInFlight: 256, unsentMs: 60_000, sentMs: 60_000 };
  return new TurnBook<LedgerOffer>({ random: () => 0.5, recheckShare, startedAt, ...limits });
}

function ask(book: TurnBook<LedgerOffer>, wish: Pick<LedgerOffer, 'dueAt' | 'deadlineAt'>): void {
  const policy = { concurrency: 4, delayMs: host.delayMs, minDelayMs: 0 };
  book.offer({ key: 'host', policy, id: Symbol('wish'), ...wish });
}

/** The next turn as soon as there is one, which is answered at once. */
function take(book: TurnBook<LedgerOffer>): { readonly wish: LedgerOffer; readonly at: number } {
  const at = book.wakeAt;
  book.advance(at);
  const { offer: wish, lease } = book.give(at) ?? assert.fail('nobody has a turn');
  book.sent(lease, at);
  book.done(lease, { kind: 'answered', status: 200, latencyMs: 100 }, at);
  return { wish, at };
}

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
    assert.deepEqual(events[5], { kind: 'recovered', at: 1_000, ageMs: 50, sinceAt: 100, limitMs: 100 });
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
