import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { TurnBook } from '../../src/fetch/ledger/turn-book.ts';
import type { LedgerOffer, OfferId } from '../../src/fetch/ledger/host-line.ts';
import {
  type Demand,
  feasibility,
  leadAmong,
  leadOf,
  recordSpacing,
  takenOn,
  recheckShare,
} from '../../src/schedule/feasibility.ts';

const dayMs = 86_400_000;
const host = { delayMs: 2_000 };

describe('whether an objective can be kept', () => {
  test('60,000 targets at 2 s each cannot be kept within a day, 10,000 can (P47)', () => {
    const much = feasibility({ targets: 60_000, objectiveMs: dayMs }, host);
    assert.equal(much.isFeasible, false);
    assert.deepEqual([much.neededMs, much.nearestMs], [120_000_000, 75 * 3_600_000]);
    const little = feasibility({ targets: 10_000, objectiveMs: dayMs }, host);
    assert.ok(little.isFeasible);
    assert.ok(Math.abs(little.load - 0.2315) < 1e-4);
  });

  test('the nearest objective is feasible, also beside what others take and within hours', () => {
    fc.assert(
      fc.property(
        fc.record({
          targets: fc.integer({ min: 1, max: 1e6 }),
          objectiveMs: fc.integer({ min: 1_000, max: 3e9 }),
          hours: fc.option(
            fc.record({
              closedMs: fc.integer({ min: 1, max: 1e8 }),
              openPart: fc.double({ min: 0.01, max: 1, noNaN: true }),
            }),
            { nil: undefined },
          ),
        }),
        fc.record({ delayMs: fc.integer({ min: 1, max: 60_000 }), latencyMs: fc.integer({ min: 1, max: 20_000 }) }),
        fc.double({ min: 0, max: 0.49, noNaN: true }),
        (demand, pace, taken) => {
          const { isFeasible, nearestMs, load } = feasibility(demand, pace, taken);
          assert.ok(!isFeasible || load <= recheckShare - taken);
          const nearest = feasibility({ ...demand, objectiveMs: nearestMs }, pace, taken);
          assert.deepEqual([nearest.isFeasible, nearest.nearestMs], [true, nearestMs]);
          assert.equal(isFeasible, nearestMs === demand.objectiveMs);
          assert.ok(nearestMs >= demand.objectiveMs && nearestMs % 1_000 === (isFeasible ? nearestMs % 1_000 : 0));
        },
      ),
    );
  });

  test('what takes all turns that re-checks are sure of cannot be kept, and the nearest leaves a tenth of it as slack (P47)', () => {
    const demand = { targets: 30, objectiveMs: 60_000 };
    const { isFeasible, neededMs, nearestMs } = feasibility(demand, host);
    // Once round takes 120 s in half of the turns, what was before 4 s, and a scrape a second.
    assert.deepEqual([isFeasible, neededMs, nearestMs], [false, 60_000, 139_000]);
    assert.equal(leadOf({ ...demand, objectiveMs: nearestMs }, host), 125_000);
    assert.equal(feasibility({ targets: 30, objectiveMs: 138_000 }, host).isFeasible, false);
    assert.equal(feasibility(demand, host, 0.5).nearestMs, Infinity);
  });

  test('one that is about as long as a scrape cannot be kept, however quick the host is (P47)', () => {
    const quick = { delayMs: 50, latencyMs: 20 };
    const { isFeasible, scrapeMs, nearestMs } = feasibility({ targets: 1, objectiveMs: 1_000 }, quick);
    assert.deepEqual([isFeasible, scrapeMs, nearestMs], [false, 1_000, 2_000]);
    const slow = feasibility({ targets: 1, objectiveMs: 5_000 }, { delayMs: 50, latencyMs: 8_000 });
    assert.deepEqual([slow.isFeasible, slow.scrapeMs, slow.nearestMs], [false, 8_000, 10_000]);
  });

  test('hours have to be closed for a shorter time, and are long enough for once round (P47)', () => {
    const hour = 3_600_000;
    const hours = { closedMs: 23 * hour, openPart: 1 / 24 };
    const of = (targets: number, objectiveMs: number) => feasibility({ targets, objectiveMs, hours }, host);
    const { isFeasible, nearestMs, load } = of(1, 300_000);
    assert.deepEqual([isFeasible, nearestMs, load], [false, 24 * hour, Infinity]);
    assert.ok(of(1, 24 * hour).isFeasible);
    assert.equal(of(1, 23 * hour).isFeasible, false);
    // Two thousand take 67 min with half of the turns, so that a day's hour does not do.
    assert.ok(of(2_000, 24 * hour).nearestMs > 48 * hour);
    // What is last verified before they close is not too old when they open again.
    const lead = leadOf({ targets: 1, objectiveMs: 24 * hour, hours }, host);
    assert.equal(lead, 23 * hour + 360_000);
    // As they are too long for it, it is kept within them alone.
    assert.equal(leadOf({ targets: 1, objectiveMs: 300_000, hours }, host), 30_000);
  });

  test('what shorter objectives take, as far as they can be kept, draws the re-checks of longer ones forward (P47)', () => {
    const hour = 3_600_000;
    const longer = { targets: 900, objectiveMs: 3 * hour };
    const shorter = { targets: 400, objectiveMs: hour };
    const taken = takenOn(host, [shorter]);
    assert.equal(taken, 800 / 3_600);
    assert.equal(leadOf(longer, host), 901 * 2_000 * 2 + 1_000);
    assert.equal(leadOf(longer, host, taken), Math.round((901 * 2_000) / (0.5 - taken) + 1_000));
    assert.equal(takenOn(host, [{ ...shorter, targets: 4_000 }, longer]), 1_800 / 10_800);
  });

  test('a target shares the lead of all demands of its shortest objective, beside those of shorter ones alone', () => {
    const [shorter, longer] = [
      { targets: 5, objectiveMs: 600_000 },
      { targets: 1_000_000, objectiveMs: 86_400_000 },
    ];
    const sharing = { targets: 30, objectiveMs: 3_600_000 };
    const target = { shortestMs: 3_600_000, objectiveMs: 1_800_000 };
    assert.equal(
      leadAmong(target, host, [shorter, sharing, sharing, longer]),
      leadOf({ targets: 60, objectiveMs: 1_800_000 }, host, takenOn(host, [shorter])),
    );
    assert.equal(leadAmong(target, host, [longer]), leadOf({ targets: 1, objectiveMs: 1_800_000 }, host));
  });

  test('re-checks of records have what turns are left for them, and are over by a tenth of the objective before its end', () => {
    const hour = 3_600_000;
    const records = { shortestMs: hour, objectiveMs: hour, records: 100, pages: 50 };
    // Half of the turns, so that 50 pages take 200 s.
    const { gapMs, slackMs } = recordSpacing(records, host, []);
    assert.deepEqual([gapMs, Math.round(slackMs)], [2_000, 360_000]);
    const shorter = { targets: 200, objectiveMs: 1_800_000 };
    assert.equal(takenOn(host, [shorter]), 400 / 1_800);
    assert.equal(Math.round(recordSpacing(records, host, [shorter]).gapMs), Math.round(1_000 / (0.5 - 400 / 1_800)));
    assert.equal(recordSpacing(records, host, [{ targets: 80, objectiveMs: hour }]).gapMs, 3_200);
    const long = { ...records, shortestMs: 33 * hour, objectiveMs: 33 * hour };
    const closed = recordSpacing({ ...long, hours: { closedMs: 23 * hour, openPart: 0.25 } }, host, []);
    assert.deepEqual([closed.gapMs, Math.round(closed.slackMs)], [8_000, 24 * hour]);
  });

  test('records that a host does not allow to be kept are each due at the earliest as a single target is', () => {
    const hour = 3_600_000;
    const records = { shortestMs: hour, objectiveMs: hour, records: 1_000, pages: 1_000 };
    const { gapMs, leadMs } = recordSpacing(records, host, []);
    assert.deepEqual([gapMs, leadMs], [0, leadOf({ targets: 1_000, objectiveMs: hour }, host)]);
    const taken = [{ targets: 400, objectiveMs: hour / 2 }];
    assert.equal(recordSpacing({ ...records, pages: 200 }, host, []).leadMs, 0.9 * hour);
    assert.equal(recordSpacing({ ...records, pages: 200 }, host, taken).leadMs, 0.1 * hour);
  });

  test('what a host allows is kept while others want every turn, also at its nearest (P47)', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.double({ min: 1, max: 3, noNaN: true }),
        fc.integer(),
        (targets, slack, seed) => {
          const { nearestMs } = feasibility({ targets, objectiveMs: 1_000 }, host);
          assert.deepEqual(lateOn({ targets, objectiveMs: Math.round(nearestMs * slack) }, seed), []);
        },
      ),
      { numRuns: 40 },
    );
  });
});

/** Ages that went beyond an objective while a host was asked for all its targets, and for something else whenever it could be. */
function lateOn(demand: Demand, seed: number): readonly number[] {
  let drawn = seed >>> 0;
  const random = () => (drawn = (drawn * 1_664_525 + 1_013_904_223) >>> 0) / 2 ** 32;
  const limits = { maxInFlight: 256, unsentMs: 60_000, sentMs: 60_000 };
  const book = new TurnBook<LedgerOffer>({ random, recheckShare, startedAt: 0, ...limits });
  const policy = { concurrency: 1, delayMs: host.delayMs, minDelayMs: 500 };
  const afterMs = demand.objectiveMs - leadOf(demand, host);
  // Each was seen first as the host allowed it.
  const targets = Array.from({ length: demand.targets }, (_, place) => {
    const verifiedAt = place * host.delayMs;
    return { verifiedAt, dueAt: verifiedAt + afterMs };
  });
  const waiting = new Map<OfferId, (typeof targets)[number]>();
  const late: number[] = [];
  const until = 6 * demand.objectiveMs;
  book.offer({ key: 'host', policy, id: Symbol('other'), dueAt: 0 });
  for (let at = 0; at < until;) {
    at = Math.max(at, Math.min(book.wakeAt, ...targets.map(({ dueAt }) => dueAt)));
    for (const target of targets) {
      if (target.dueAt > at) continue;
      const id = Symbol('recheck');
      waiting.set(id, target);
      book.offer({ key: 'host', policy, id, dueAt: target.dueAt, deadlineAt: target.verifiedAt + demand.objectiveMs });
      target.dueAt = Infinity;
    }
    book.advance(at);
    const given = book.give(at);
    if (given === undefined) continue;
    book.sent(given.lease, at);
    book.done(given.lease, { kind: 'answered', status: 200, latencyMs: 100 }, at + 100);
    const target = waiting.get(given.offer.id);
    if (target === undefined) book.offer({ key: 'host', policy, id: Symbol('other'), dueAt: at });
    else {
      const ageMs = at + 100 - target.verifiedAt;
      if (ageMs > demand.objectiveMs) late.push(ageMs);
      target.verifiedAt = at + 100;
      target.dueAt = target.verifiedAt + afterMs;
    }
  }
  return late;
}
