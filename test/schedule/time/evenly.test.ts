import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { planDay } from '../../../src/schedule/pace/plan-day.ts';
import { evenly, evenlyWithin, orderApart } from '../../../src/schedule/time/evenly.ts';
import { nearness } from './nearness.ts';

const day = { from: 30_000, to: 86_400_000 };

function clock(ms: number): string {
  return new Date(ms).toISOString().slice(11, 23);
}

/** The pages of counts, numbered from 0. */
function pages(counts: readonly number[]): { id: number; times: number }[] {
  return counts.map((times, id) => ({ id, times }));
}

function* partitions(sum: number, most = sum): Generator<number[]> {
  if (sum === 0) yield [];
  for (let first = Math.min(sum, most); first >= 1; first -= 1)
    for (const rest of partitions(sum - first, first)) yield [first, ...rest];
}

/** The least nearness that any order of the counts has. */
function leastNearness(counts: readonly number[]): number {
  const left = [...counts];
  const last = counts.map(() => -1);
  const size = counts.reduce((a, b) => a + b, 0);
  let least = Infinity;
  place(0, 0);
  return least;

  function place(at: number, sum: number): void {
    if (sum >= least - 1e-12) return;
    if (at === size) {
      least = sum;
      return;
    }
    for (const [id, before] of [...last.entries()]) {
      if (left[id] === 0) continue;
      left[id] = (left[id] ?? 0) - 1;
      last[id] = at;
      place(at + 1, sum + (before < 0 ? 0 : 1 / (at - before)));
      left[id] = (left[id] ?? 0) + 1;
      last[id] = before;
    }
  }
}

describe('spread', () => {
  const sixOfDay = ['03:26:08.571', '06:51:47.143', '10:17:25.714', '13:43:04.286', '17:08:42.857', '20:34:21.429'];
  const worked: readonly (readonly [string, number, readonly string[]])[] = [
    ['1 scrape (J32)', 1, ['12:00:15.000']],
    ['2 scrapes', 2, ['08:00:20.000', '16:00:10.000']],
    ['3 scrapes', 3, ['06:00:22.500', '12:00:15.000', '18:00:07.500']],
    ['6 scrapes (J31)', 6, sixOfDay],
  ];
  for (const [what, n, instants] of worked)
    test(`${what} of a day are evenly apart`, () => assert.deepEqual(Array.from(evenly(n, day), clock), instants));

  test('many scrapes of a day are evenly apart too', () => {
    assert.deepEqual(
      [evenly(7, day)[0], evenly(7, day)[6]].map((ms) => clock(ms ?? 0)),
      ['03:00:26.250', '21:00:03.750'],
    );
    assert.deepEqual(
      [evenly(24, day)[0], evenly(24, day)[23]].map((ms) => clock(ms ?? 0)),
      ['00:58:04.800', '23:02:25.200'],
    );
    assert.deepEqual(
      [evenly(100, day)[0], evenly(100, day)[99]].map((ms) => clock(ms ?? 0)),
      ['00:14:45.149', '23:45:44.851'],
    );
  });

  test('three scrapes in 3 s are at 750, 1500 and 2250 ms (J30)', () => {
    assert.deepEqual([...evenly(3, { from: 0, to: 3_000 })], [750, 1_500, 2_250]);
  });

  test('two politeness keys with as many scrapes have the same instants (J33)', () => {
    const planOf = (first: number) =>
      planDay({
        day: 0,
        window: day,
        targets: [0, 1, 2].map((each) => ({ target: first + each, bucket: { tokens: 1, day: -1 }, priority: 1 })),
      }).turns;
    const [one, other] = [planOf(1), planOf(700)];
    for (const turns of [one, other])
      assert.deepEqual(
        turns.map(({ dueAt }) => clock(dueAt)),
        sixOfDay,
      );
    assert.ok(one.every(({ target }) => target < 700) && other.every(({ target }) => target >= 700));
  });

  test('what is spread over several spans is within them, in order, and evenly apart but for what lies between', () => {
    assert.deepEqual(
      [
        ...evenlyWithin(3, [
          { from: 0, to: 200 },
          { from: 1_000, to: 1_200 },
        ]),
      ],
      [100, 1_000, 1_100],
    );
    const span = fc.tuple(fc.integer({ min: 1, max: 1_000 }), fc.integer({ min: 10, max: 1_000 }));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.array(span, { minLength: 1, maxLength: 5 }), (n, lengths) => {
        let at = 0;
        const spans = lengths.map(([pause, length]) => {
          const from = at + pause;
          at = from + length;
          return { from, to: at };
        });
        const instants = [...evenlyWithin(n, spans)];
        assert.ok(instants.every((each) => spans.some(({ from, to }) => from <= each && each <= to)));
        assert.deepEqual(
          instants,
          instants.toSorted((a, b) => a - b),
        );
      }),
    );
  });
});

describe('order', () => {
  const worked: readonly (readonly [counts: readonly number[], order: string, least: number])[] = [
    [[3, 2], 'ABABA', 1.5],
    [[2, 2, 2], 'ABCABC', 1],
    [[3], 'AAA', 2],
    [[3, 1], 'AABA', 1.5],
    [[2, 1, 1], 'ABCA', 1 / 3],
    [[3, 2, 1], 'ABACBA', 7 / 6],
  ];
  for (const [counts, order, least] of worked) {
    test(`pages that come ${counts.join(', ')} times are as far apart as in ${order} (J35, J36)`, () => {
      const found = orderApart(pages(counts));
      assert.ok(Math.abs(nearness(found) - least) < 1e-9);
      assert.ok(Math.abs(nearness(Array.from(order, (letter) => letter.charCodeAt(0))) - least) < 1e-9);
    });
  }

  test('1,1,1,2,2 becomes 1,2,1,2,1, and A,A,B,B,C,C becomes A,B,C,A,B,C (J35, J36)', () => {
    assert.deepEqual(
      [
        ...orderApart([
          { id: 1, times: 3 },
          { id: 2, times: 2 },
        ]),
      ],
      [1, 2, 1, 2, 1],
    );
    assert.deepEqual([...orderApart(pages([2, 2, 2]))], [0, 1, 2, 0, 1, 2]);
  });

  test('every multiset of up to 8 entries is as far apart as an order can be (J37)', () => {
    const multisets = Array.from({ length: 8 }, (_, index) => [...partitions(index + 1)]).flat();
    assert.equal(multisets.length, 66);
    for (const counts of multisets) {
      const found = nearness(orderApart(pages(counts)));
      assert.ok(found <= leastNearness(counts) + 1e-9, `${counts.join()} has ${found}`);
    }
  });

  test('each page is there as often as it is to be, and the order in which they are given does not matter (J38)', () => {
    const times = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(times, fc.infiniteStream(fc.nat()), (counts, draws) => {
        const given = pages(counts);
        const order = [...orderApart(given)];
        for (const { id, times: count } of given) assert.equal(order.filter((each) => each === id).length, count);
        const shuffled = given
          .map((page) => [draws.next().value, page] as const)
          .sort(([a], [b]) => Number(a) - Number(b));
        assert.deepEqual([...orderApart(shuffled.map(([, page]) => page))], order);
      }),
      { numRuns: 50 },
    );
  });

  test('no swap of two betters an order of up to 64 entries', () => {
    const times = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 2, maxLength: 14 });
    fc.assert(
      fc.property(times, (counts) => {
        const order = [...orderApart(pages(counts))];
        const least = nearness(order);
        for (let i = 0; i < order.length; i += 1)
          for (let j = i + 1; j < order.length; j += 1) {
            const swapped = order.with(i, order[j] ?? 0).with(j, order[i] ?? 0);
            assert.ok(nearness(swapped) >= least - 1e-8);
          }
      }),
      { numRuns: 20 },
    );
  });
});
