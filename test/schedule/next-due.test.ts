import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { OpenHours } from '../../src/schedule/time/open-hours.ts';
import { gridOf } from '../../src/schedule/time/grid.ts';
import { type DueInputs, nextDue } from '../../src/schedule/next-due.ts';
import type { PaceRow } from '../../src/schedule/pace/all.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const interval = (everyMs: number, originAt = 0): PaceRow & { readonly kind: 'interval' } => ({
  kind: 'interval',
  grid: { key: 'https://shop.test', slot: 0, ...gridOf(originAt, everyMs, 0) },
});
const tokens = (...planned: number[]): PaceRow => ({
  kind: 'tokens',
  bucket: { tokens: 0, day: 0 },
  planned,
  planAt: dayMs,
});
const daily: PaceRow = { kind: 'cron', pattern: '0 6 * * *', zone: 'UTC' };
const mornings: OpenHours[] = [{ days: [1, 3, 4], fromMinute: 360, toMinute: 480, zone: 'UTC' }];

/** Runs a target on a virtual clock, each turn as soon as it is due, and tells when. */
function turns(pace: PaceRow, from: number, until: number, given: Partial<DueInputs> = {}): number[] {
  const found: number[] = [];
  let since = from;
  for (let at = from; ;) {
    const { dueAt = Infinity } = nextDue({ at, since, pace, ...given });
    at = Math.max(at, dueAt);
    if (at > until) return found;
    found.push(at);
    since = at;
  }
}

describe('next due', () => {
  test('the first scrape comes after the initial delay, the later ones an interval apart (B6, B7, B8)', () => {
    const pace = interval(10_000, 1_000);
    const first = nextDue({ at: 0, since: 0, pace, firstAt: 1_000 });
    assert.deepEqual(first, { dueAt: 1_000, because: [{ by: 'first', at: 1_000, effect: 'asks', decides: true }] });
    assert.deepEqual(turns(pace, 1_000, 21_000), [11_000, 21_000]);
  });

  test('a changed interval counts from the next arming on (B9)', () => {
    assert.equal(nextDue({ at: 11_500, since: 11_000, pace: interval(10_000, 1_000) }).dueAt, 21_000);
    assert.equal(nextDue({ at: 11_500, since: 11_000, pace: interval(2_000, 1_000) }).dueAt, 13_000);
  });

  test('what a person asks for comes at once and moves nothing (B19, B21)', () => {
    const inputs = { at: 5_000, since: 1_000, pace: interval(10_000, 1_000) };
    assert.equal(nextDue({ ...inputs, manualAt: 5_000 }).dueAt, 5_000);
    assert.equal(nextDue(inputs).dueAt, 11_000);
  });

  test('turns that were missed are one turn, and the next keeps its time (O42, S19)', () => {
    assert.deepEqual(turns(daily, 0, 2 * dayMs), [6 * hourMs, dayMs + 6 * hourMs]);
    for (const pace of [daily, interval(4 * hourMs)]) {
      const back = 10 * dayMs + hourMs;
      const missed = nextDue({ at: back, since: 6 * hourMs, pace });
      assert.ok((missed.dueAt ?? Infinity) < back);
      const next = nextDue({ at: back, since: back, pace });
      assert.equal(next.dueAt, 10 * dayMs + (pace === daily ? 6 : 4) * hourMs);
    }
  });

  test('the turns of a plan come one after the other, and what was missed of them is one', () => {
    const pace = tokens(hourMs, 8 * hourMs, 16 * hourMs);
    assert.deepEqual(turns(pace, 0, dayMs), [hourMs, 8 * hourMs, 16 * hourMs]);
    assert.equal(nextDue({ at: 17 * hourMs, since: 17 * hourMs, pace }).dueAt, undefined);
    assert.deepEqual(nextDue({ at: 17 * hourMs, since: 17 * hourMs, pace }).because, [
      { by: 'tokens', at: dayMs, effect: 'awaits', decides: false },
    ]);
  });

  test('without planned turns, a target awaits the day that will pay for its next scrape, by the clocks of its zone', () => {
    const pace = { kind: 'tokens', bucket: { tokens: 0.2, day: 5 }, planned: [], planAt: 6 * dayMs } as const;
    const given = { kind: 'tokens', start: 1, cap: 4, perDay: 3, zone: 'Europe/Berlin' } as const;
    assert.deepEqual(nextDue({ at: 5 * dayMs, since: 5 * dayMs, pace, given, priority: 0.5 }), {
      because: [{ by: 'tokens', at: 7 * dayMs - hourMs, effect: 'awaits', decides: false }],
    });
  });

  test('a continuous target sleeps from the end of its last scrape (O38)', () => {
    const pace = { kind: 'continuous', endedAt: 5_000, failures: 0, draw: 0 } as const;
    assert.equal(nextDue({ at: 5_000, since: 1_000, pace }).dueAt, 5_000 + hourMs);
  });

  test('an objective alone sets the pace, and draws forward what would come too late', () => {
    const recheck = { lastVerifiedAt: hourMs, objectiveMs: 2 * hourMs, leadMs: hourMs / 2, misses: 0 };
    const dueAt = 2.5 * hourMs;
    assert.equal(nextDue({ at: hourMs, since: hourMs, pace: { kind: 'objective' }, recheck }).dueAt, dueAt);
    const { because } = nextDue({ at: hourMs, since: hourMs, pace: interval(4 * hourMs), recheck });
    assert.deepEqual(because, [
      { by: 'objective', at: dueAt, effect: 'asks', decides: true },
      { by: 'interval', at: 4 * hourMs, effect: 'asks', decides: false },
    ]);
    assert.equal(nextDue({ at: hourMs, since: hourMs, pace: interval(hourMs), recheck }).dueAt, 2 * hourMs);
  });

  test('a re-check stands in for the turn of its interval that follows within half of it, and for no other', () => {
    const recheck = { lastVerifiedAt: 3 * hourMs, objectiveMs: 40 * hourMs, leadMs: hourMs, misses: 0 };
    const after = (drawnAt: number, pace: PaceRow = { ...interval(4 * hourMs), drawnAt }) =>
      nextDue({ at: drawnAt + 60_000, since: drawnAt + 60_000, pace, recheck }).dueAt;
    assert.equal(after(3.6 * hourMs), 8 * hourMs);
    assert.equal(after(2 * hourMs), 8 * hourMs);
    assert.equal(after(2 * hourMs - 1), 4 * hourMs);
    assert.equal(after(5.9 * hourMs, daily), 6 * hourMs);
    assert.equal(after(3.6 * hourMs, tokens(4 * hourMs)), 4 * hourMs);
    const setBack = nextDue({ at: hourMs, since: dayMs, pace: { ...interval(4 * hourMs), drawnAt: dayMs } });
    assert.equal(setBack.dueAt, 4 * hourMs);
  });

  test('a check that failed is repeated, and the age goes on from what was verified (P48)', () => {
    const recheck = { lastVerifiedAt: 0, objectiveMs: 2 * hourMs, leadMs: hourMs, misses: 1 };
    const { dueAt } = nextDue({ at: hourMs, since: hourMs, pace: { kind: 'objective' }, recheck });
    assert.equal(dueAt, hourMs + 60_000);
  });

  test('pauses hold a turn back, the last of them longest, and each that did is told', () => {
    const holds = { crash: 12_000, backoff: 11_500, circuit: 30_000 };
    assert.deepEqual(nextDue({ at: 5_000, since: 1_000, pace: interval(10_000, 1_000), manualAt: 4_000, holds }), {
      dueAt: 30_000,
      because: [
        { by: 'manual', at: 4_000, effect: 'asks', decides: false },
        { by: 'interval', at: 11_000, effect: 'asks', decides: false },
        { by: 'crash', at: 12_000, effect: 'holds', decides: false },
        { by: 'circuit', at: 30_000, effect: 'holds', decides: true },
      ],
    });
  });

  test('no turn of any kind is due outside the hours, also one that is overdue (O43)', () => {
    const monday = Date.parse('2026-11-23T00:00Z');
    const at = monday + 9 * hourMs;
    const due = nextDue({ at, since: monday, pace: interval(hourMs, monday), manualAt: at, hours: mornings });
    assert.equal(due.dueAt, monday + 2 * dayMs + 6 * hourMs);
    assert.deepEqual(due.because.at(-1), { by: 'hours', at: due.dueAt, effect: 'holds', decides: true });
    const open = nextDue({ at: monday + 7 * hourMs, since: monday, pace: interval(hourMs, monday), hours: mornings });
    assert.equal(open.dueAt, monday + hourMs);
  });

  test('a clock that was set back holds nothing up for longer than a turn takes', () => {
    const tomorrow = 2 * dayMs;
    assert.equal(nextDue({ at: dayMs, since: tomorrow, pace: interval(4 * hourMs) }).dueAt, dayMs + 4 * hourMs);
    assert.equal(nextDue({ at: dayMs, since: tomorrow, pace: daily }).dueAt, dayMs + 6 * hourMs);
    const recheck = { lastVerifiedAt: tomorrow, objectiveMs: hourMs, leadMs: 0, misses: 0 };
    assert.equal(nextDue({ at: dayMs, since: tomorrow, pace: { kind: 'objective' }, recheck }).dueAt, dayMs + hourMs);
  });

  test('a clock that was set back a little repeats no turn that goes by it', () => {
    const planned = tokens(5 * hourMs, 20 * hourMs);
    assert.equal(nextDue({ at: 4 * hourMs, since: 6 * hourMs, pace: planned }).dueAt, 20 * hourMs);
    assert.equal(nextDue({ at: 4 * hourMs, since: 6 * hourMs, pace: daily }).dueAt, dayMs + 6 * hourMs);
  });

  test('exactly one reason decides, it says the instant, and no hold lies after it', () => {
    const instant = fc.nat(30 * dayMs);
    const inputs = fc.record(
      {
        at: instant,
        since: instant,
        pace: fc.constantFrom<PaceRow>(
          interval(4 * hourMs),
          daily,
          tokens(dayMs, 5 * dayMs, 20 * dayMs),
          { kind: 'continuous', endedAt: dayMs, failures: 3, draw: 0.4 },
          { kind: 'objective' },
        ),
        firstAt: instant,
        recheck: fc.record({
          lastVerifiedAt: instant,
          objectiveMs: fc.integer({ min: 60_000, max: dayMs }),
          leadMs: fc.nat(60_000),
          misses: fc.nat(5),
        }),
        manualAt: instant,
        holds: fc.record({ crash: instant, backoff: instant, circuit: instant }, { requiredKeys: [] }),
        hours: fc.constantFrom([], mornings),
      },
      { requiredKeys: ['at', 'since', 'pace'] },
    );
    fc.assert(
      fc.property(inputs, (given) => {
        const { dueAt, because } = nextDue(given);
        const deciding = because.filter(({ decides }) => decides);
        if (dueAt === undefined) return assert.ok(because.every(({ effect }) => effect === 'awaits'));
        assert.deepEqual(
          deciding.map(({ at }) => at),
          [dueAt],
        );
        assert.ok(because.every(({ effect, at }) => effect !== 'holds' || at <= dueAt));
        assert.ok(Object.values(given.holds ?? {}).every((hold) => hold <= dueAt));
        assert.deepEqual(nextDue(given), { dueAt, because });
      }),
    );
  });
});
