import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  type Bucket,
  defaultTokens,
  isGranted,
  newBucket,
  nextPaidDay,
  refunded,
  spendDay,
} from '../../../src/schedule/pace/bucket.ts';
import { tokens as pace } from '../../../src/schedule/pace/tokens.ts';

/** The scrapes and what is left of each of the days after day 0. */
function days(start: number, priority: number, count: number): { scrapes: number[]; left: number[]; bucket: Bucket } {
  let bucket: Bucket = { tokens: start, day: 0 };
  const [scrapes, left]: [number[], number[]] = [[], []];
  for (let day = 1; day <= count; day += 1) {
    const spent = spendDay(bucket, { day, priority });
    bucket = spent.bucket;
    scrapes.push(spent.scrapes);
    left.push(bucket.tokens);
  }
  return { scrapes, left, bucket };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

describe('tokens', () => {
  const worked = [
    { what: 'T1, J22', priority: 1.75, start: 0, scrapes: [1, 2, 2, 2, 1, 2, 2, 2], left: [0.75, 0.5, 0.25, 0] },
    { what: 'T2, J20', priority: 0.5, start: 0, scrapes: [0, 1, 0, 1, 0, 1], left: [0.5, 0, 0.5, 0] },
    { what: 'T4', priority: 1, start: 1.2, scrapes: [2, 1, 1], left: [0.2, 0.2, 0.2] },
    { what: 'T5', priority: 1, start: 1, scrapes: [2, 1, 1], left: [0, 0, 0] },
  ];
  for (const { what, priority, start, scrapes, left } of worked) {
    test(`a target of priority ${priority} that has ${start} is scraped ${scrapes.join(', ')} times (${what})`, () => {
      const found = days(start, priority, scrapes.length);
      assert.deepEqual(found.scrapes, scrapes);
      assert.deepEqual(found.left.slice(0, left.length), left);
    });
  }

  test('at the lowest priority the first scrape comes on the 15th day and the next on the 29th (T3, J21)', () => {
    const { scrapes, left } = days(0, 0.07, 29);
    assert.deepEqual(
      scrapes.flatMap((count, index) => (count > 0 ? [index + 1] : [])),
      [15, 29],
    );
    assert.deepEqual([left[14], left[28]], [0.05, 0.03]);
  });

  for (const [priority, scrapes] of [
    [1.75, 1750],
    [0.5, 500],
    [0.07, 70],
  ] as const)
    test(`a thousand days at priority ${priority} bring ${scrapes} scrapes`, () =>
      assert.equal(sum(days(0, priority, 1_000).scrapes), scrapes));

  test('a day grants exactly the priority, and what is spent is subtracted (J16, J17, J18)', () => {
    assert.deepEqual(spendDay({ tokens: 0.2, day: 0 }, { day: 1, priority: 0.3 }), {
      bucket: { tokens: 0.5, day: 1 },
      scrapes: 0,
    });
    assert.deepEqual(spendDay({ tokens: 1.5, day: 0 }, { day: 1, priority: 1 }), {
      bucket: { tokens: 0.5, day: 1 },
      scrapes: 2,
    });
  });

  test('A, B and C of the article are scraped twice each (J19)', () => {
    const after = [
      [1, 2],
      [1, 2.2],
      [0.5, 2.5],
    ] as const;
    const spent = after.map(([priority, tokens]) =>
      spendDay({ tokens: tokens - priority, day: 0 }, { day: 1, priority }),
    );
    assert.deepEqual(
      spent.map(({ scrapes }) => scrapes),
      [2, 2, 2],
    );
    assert.deepEqual(
      spent.map(({ bucket }) => bucket.tokens),
      [0, 0.2, 0.5],
    );
  });

  test('a new target is scraped on the day that it is added (J25)', () => {
    for (const priority of [0.07, 1, 1.75]) assert.ok(spendDay(newBucket(9), { day: 9, priority }).scrapes >= 1);
  });

  test('a restart on the same day grants nothing twice and repeats nothing (J26)', () => {
    const { bucket } = spendDay({ tokens: 1.5, day: 4 }, { day: 5, priority: 1 });
    assert.deepEqual(spendDay(bucket, { day: 5, priority: 1 }), { bucket, scrapes: 0 });
    assert.deepEqual(spendDay(bucket, { day: 4, priority: 1 }), { bucket, scrapes: 0 });
    const full = spendDay({ tokens: 3.5, day: 4 }, { day: 5, priority: 1 });
    assert.deepEqual(full, { bucket: { tokens: 1, day: 5 }, scrapes: 3 });
    assert.equal(spendDay(full.bucket, { day: 5, priority: 1 }).scrapes, 0);
  });

  test('the day of a first scrape is granted once, also to a target that begins again (J26)', () => {
    const dayMs = 86_400_000;
    const day = 20_000;
    const at = (day + 0.5) * dayMs;
    const given = { kind: 'tokens', zone: 'UTC', ...defaultTokens } as const;
    const places = { freeSlot: () => 0, originOf: () => undefined };
    const begun = pace.begin(given, { key: 'k', at, firstAt: at, places, random: () => 0 });
    assert.deepEqual(begun, { kind: 'tokens', bucket: { tokens: 0, day }, planned: [], planAt: (day + 1) * dayMs });
    assert.equal(spendDay(begun.bucket, { day, priority: 3 }).scrapes, 0);
    // One that was planned and not made is given back, and the scrape that it begins with is paid.
    const planned = [at - 1, at + 1];
    const before = { kind: 'tokens', bucket: { tokens: 1.5, day: day - 9 }, planned, planAt: at } as const;
    assert.deepEqual(pace.beginAgain(begun, before, { since: at, given }).bucket, { tokens: 1.5, day });
  });

  test('days that were missed grant the cap at most, and no day has more than 3 scrapes (J23, J24, J27)', () => {
    const spent = spendDay({ tokens: 0.5, day: 0 }, { day: 4, priority: 1.75 });
    assert.deepEqual(spent, { bucket: { tokens: 1, day: 4 }, scrapes: 3 });
  });

  test('a tick that was late, or tried again, still has the scrapes of the day (J29)', () => {
    const before = { tokens: 0.25, day: 7 };
    assert.equal(spendDay(before, { day: 8, priority: 1.75 }).scrapes, 2);
    assert.deepEqual(spendDay(before, { day: 8, priority: 1.75 }), spendDay(before, { day: 8, priority: 1.75 }));
  });

  test('a day counts as granted when it was, and when it is the one before, to which the clock was set back', () => {
    const { bucket } = spendDay({ tokens: 1.5, day: 4 }, { day: 5, priority: 1 });
    assert.deepEqual(
      [3, 4, 5, 6].map((day) => isGranted(bucket, day)),
      [false, true, true, false],
    );
    assert.equal(isGranted(newBucket(9), 9), false);
  });

  test('a clock that was set back by more than a day holds up the tokens for no longer than a day', () => {
    const { bucket } = spendDay({ tokens: 0.5, day: 400 }, { day: 35, priority: 1 });
    assert.deepEqual(bucket, { tokens: 0.5, day: 35 });
    assert.equal(spendDay(bucket, { day: 36, priority: 1 }).scrapes, 1);
  });

  test('a disabled target gets no tokens and no scrapes, nor those of the days before it was enabled (J28)', () => {
    let bucket: Bucket = { tokens: 0.5, day: 0 };
    for (let day = 1; day <= 10; day += 1) {
      const spent = spendDay(bucket, { day, priority: 1, state: 'disabled' });
      assert.equal(spent.scrapes, 0);
      bucket = spent.bucket;
    }
    assert.deepEqual(spendDay(bucket, { day: 11, priority: 1 }), { bucket: { tokens: 0.5, day: 11 }, scrapes: 1 });
  });

  test('a target that waits for credentials loses no token (J58)', () => {
    const waited = spendDay({ tokens: 1.5, day: 0 }, { day: 1, priority: 1, state: 'waiting' });
    assert.deepEqual(waited, { bucket: { tokens: 2.5, day: 1 }, scrapes: 0 });
  });

  test('what was paid for and not done is given back, to the cap at most', () => {
    assert.equal(refunded({ tokens: 0.5, day: 1 }, 2).tokens, 2.5);
    assert.equal(refunded({ tokens: 3.5, day: 1 }, 2).tokens, 4);
  });

  test('the day that pays for the next scrape is known before', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 99 }), fc.integer({ min: 7, max: 175 }), (tokens, priority) => {
        let bucket: Bucket = { tokens: tokens / 100, day: 0 };
        const paid = nextPaidDay(bucket, priority / 100);
        for (let day = 1; day < paid; day += 1) {
          const spent = spendDay(bucket, { day, priority: priority / 100 });
          assert.equal(spent.scrapes, 0);
          bucket = spent.bucket;
        }
        assert.ok(spendDay(bucket, { day: paid, priority: priority / 100 }).scrapes > 0);
      }),
    );
  });

  test('the day that pays for the next scrape counts from the day that was granted last, and is never that day', () => {
    const cases = [
      [{ tokens: 0.3, day: 20_000 }, 0.5, 20_002],
      [{ tokens: 0, day: 20_000 }, 0.07, 20_015],
      [{ tokens: 0.9, day: 7 }, 0.1, 8],
      [{ tokens: 0.2, day: 7 }, 0.1, 15],
      // (1 - 0.7) / 0.1 is a little more than 3.
      [{ tokens: 0.7, day: 7 }, 0.1, 10],
      [{ tokens: 2.5, day: 7 }, 1, 8],
      [{ tokens: 1, day: 7 }, 1.75, 8],
    ] as const;
    for (const [bucket, priority, day] of cases) assert.equal(nextPaidDay(bucket, priority), day);
  });

  test('a day is granted once, also to a bucket that saves', () => {
    const { bucket } = spendDay({ tokens: 0.1, day: 4 }, { day: 5, priority: 0.5 });
    assert.deepEqual(bucket, { tokens: 0.6, day: 5 });
    for (const state of ['active', 'waiting', 'disabled'] as const)
      assert.deepEqual(spendDay(bucket, { day: 5, priority: 0.5, state }), { bucket, scrapes: 0 });
    assert.deepEqual(spendDay(bucket, { day: 6, priority: 0.5 }), { bucket: { tokens: 0.1, day: 6 }, scrapes: 1 });
  });

  test('tokens are neither made nor lost: what was granted is spent, kept or above the cap', () => {
    const day = fc.record({
      skipped: fc.nat(5),
      priority: fc.integer({ min: 7, max: 175 }).map((hundredths) => hundredths / 100),
      state: fc.constantFrom('active', 'active', 'active', 'waiting', 'disabled'),
    });
    fc.assert(
      fc.property(fc.array(day, { maxLength: 60 }), (given) => {
        let bucket = newBucket(0);
        let [today, granted, spentInAll] = [0, defaultTokens.start, 0];
        for (const { skipped, priority, state } of given) {
          today += skipped;
          const before = bucket;
          const spent = spendDay(before, { day: today, priority, state });
          bucket = spent.bucket;
          const grant = state === 'disabled' ? 0 : Math.max(0, today - before.day) * priority;
          granted += Math.min(grant, defaultTokens.cap - before.tokens);
          spentInAll += spent.scrapes;
          assert.ok(bucket.tokens >= 0 && bucket.tokens <= 4 && spent.scrapes <= 3);
          assert.ok(Math.abs(granted - spentInAll - bucket.tokens) < 1e-6);
        }
      }),
    );
  });
});
