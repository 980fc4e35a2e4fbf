import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TurnBook } from '../../src/fetch/ledger/turn-book.ts';
import type { LedgerOffer } from '../../src/fetch/ledger/host-line.ts';
import { KnownPaces, hostPace, roundEveryMs } from '../../src/schedule/host-pace.ts';
import { feasibility } from '../../src/schedule/feasibility.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const declared = { delayMs: 2_000, minDelayMs: 500, concurrency: 1 };
const eager = { ...declared, delayMs: 500 };

/** Turns that the ledger gives in an hour to a host that answers within `latencyMs` and is asked by as many as may be. */
function turnsInAnHour(
  policy: { delayMs: number; minDelayMs: number; concurrency: number },
  latencyMs: number,
): number {
  const limits = { maxInFlight: 256, unsentMs: 60_000, sentMs: 60_000 };
  const book = new TurnBook<LedgerOffer>({ random: () => 0.5, startedAt: 0, ...limits });
  const ends: { at: number; done(): void }[] = [];
  let turns = 0;
  for (let place = 0; place < 64; place += 1) wish(book);
  for (;;) {
    const at = Math.min(book.wakeAt, ends[0]?.at ?? Infinity);
    if (at > hourMs) return turns;
    if (ends[0]?.at === at) ends.shift()?.done();
    book.advance(at);
    const given = book.give(at);
    if (given === undefined) continue;
    turns += 1;
    wish(book);
    book.sent(given.lease, at);
    const end = at + latencyMs;
    ends.push({ at: end, done: () => void book.done(given.lease, { kind: 'answered', status: 200, latencyMs }, end) });
  }

  function wish(of: TurnBook<LedgerOffer>): void {
    of.offer({ key: 'host', policy, dueAt: 0, id: Symbol('wish') });
  }
}

describe('how often a host can be asked', () => {
  for (const [what, policy, latencyMs] of [
    ['with a pause, however many may be under way', { ...declared, concurrency: 4 }, 100],
    ['with a pause that is never less', { ...declared, delayMs: 500, minDelayMs: 4_000 }, 100],
    ['one at a time, when it answers more slowly than the pause', declared, 5_000],
    [
      'some at a time, when it answers more slowly than the pause',
      { ...declared, delayMs: 500, concurrency: 4 },
      8_000,
    ],
    ['some at a time, when there is next to no pause', { delayMs: 1, minDelayMs: 1, concurrency: 4 }, 400],
  ] as const) {
    test(`${what}, is what its ledger comes to`, () => {
      const { delayMs } = hostPace(policy, { gapMs: 0, latencyMs });
      const turns = turnsInAnHour(policy, latencyMs);
      assert.ok(Math.abs((turns * delayMs) / hourMs - 1) < 0.02, `${turns} turns, ${delayMs} ms`);
    });
  }

  test('counts the pause that the site asks for, where that is longer', () => {
    assert.equal(hostPace(declared, { gapMs: 10_000, latencyMs: 100 }).delayMs, 10_000);
    assert.equal(hostPace(declared, { gapMs: 1_000, latencyMs: 100 }).delayMs, 2_000);
  });

  test('makes 100,000 targets in a day with a pause of 2 s infeasible, also four at a time (P47)', () => {
    const pace = hostPace({ ...declared, concurrency: 4 });
    assert.equal(feasibility({ targets: 100_000, objectiveMs: dayMs }, pace).isFeasible, false);
    assert.equal(feasibility({ targets: 60_000, objectiveMs: dayMs }, pace).isFeasible, false);
    assert.equal(feasibility({ targets: 10_000, objectiveMs: dayMs }, pace).isFeasible, true);
  });
});

describe('what a host has shown', () => {
  test('is known from its eighth answer on, and again when it is off by a quarter', () => {
    const paces = new KnownPaces();
    const note = (gapMs: number, times: number) =>
      Array.from({ length: times }, () => paces.note('a', { gapMs, latencyMs: 100 }, eager)).filter(Boolean).length;
    assert.equal(note(5_000, 7), 0);
    assert.equal(paces.of('a'), undefined);
    assert.equal(note(1_000, 1), 1);
    assert.equal(paces.of('a')?.gapMs, 1_000);
    assert.deepEqual(paces.news, ['a']);
    paces.heard(['a']);
    assert.equal(note(1_200, 50), 0);
    assert.equal(paces.of('a')?.gapMs, 1_000);
    assert.ok(note(4_000, 50) >= 1);
    assert.ok((paces.of('a')?.gapMs ?? 0) > 3_000);
    assert.deepEqual(paces.news, ['a']);
    paces.heard(['a']);
    assert.deepEqual(paces.news, []);
  });

  test('is no news any more of a host that is forgotten, of very many', () => {
    const paces = new KnownPaces();
    for (let host = 0; host <= 100_000; host += 1)
      for (let answers = 0; answers < 8; answers += 1) paces.note(`h${host}`, { gapMs: 0, latencyMs: 100 }, declared);
    assert.equal(paces.of('h0'), undefined);
    const { news } = paces;
    assert.equal(news.length, 100_000);
    assert.ok(!news.includes('h0'));
  });

  test('is no news while its latency alone changes, and is less than its pause', () => {
    for (const [gapMs, asked] of [
      [1_000, eager],
      [0, { ...eager, delayMs: 1_000 }],
    ] as const) {
      const paces = new KnownPaces();
      const notes = Array.from({ length: 40 }, (_, k) => paces.note('a', { gapMs, latencyMs: 10 + 20 * k }, asked));
      assert.equal(notes.filter(Boolean).length, 1);
    }
  });

  test('is no news after one answer that took very long, be it one of the first', () => {
    const paces = new KnownPaces();
    const note = (latencyMs: number) => paces.note('a', { gapMs: 0, latencyMs }, declared);
    const first = [200, 200, 200, 200, 200, 200, 200, 30_000].map(note);
    assert.deepEqual([first.indexOf(true), paces.of('a')?.latencyMs], [7, 200]);
    const later = [...Array.from({ length: 100 }, () => 200), 60_000, 200, 200].map(note);
    assert.equal(later.includes(true), false);
  });

  test('is news when it answers more slowly than its pause, also where others may be asked meanwhile', () => {
    for (const concurrency of [1, 4]) {
      const paces = new KnownPaces();
      const note = (latencyMs: number) => paces.note('a', { gapMs: 0, latencyMs }, { ...declared, concurrency });
      for (let answers = 0; answers < 8; answers += 1) note(100);
      assert.equal(Array.from({ length: 40 }, () => note(6_000)).includes(true), true, `${concurrency} at a time`);
      assert.ok((paces.of('a')?.latencyMs ?? 0) > 4_000);
    }
  });
});

const minuteMs = 60_000;

describe('the rounds of a pulse', () => {
  test('begin at each of its times', () => {
    assert.equal(roundEveryMs({ requests: 3, everyMs: 5 * minuteMs }, { delayMs: 1_000 }), 5 * minuteMs);
  });

  test('leave out times where one takes longer than to the next, as there are never two at once', () => {
    const load = { requests: 400, everyMs: 5 * minuteMs };
    assert.equal(roundEveryMs(load, { delayMs: 1_000 }), 10 * minuteMs);
  });
});
