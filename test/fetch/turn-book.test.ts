import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type Policy, type TurnOutcome } from '../../src/fetch/politeness.ts';
import { TurnBook, type Wish } from '../../src/fetch/turn-book.ts';

const arrival = fc.record({
  at: fc.nat(5_000),
  key: fc.constantFrom('a', 'b', 'c'),
  dueAt: fc.nat(50),
  /** From turn to sent and from sent to done; `undefined`: never heard of again. */
  sentAfter: fc.option(fc.nat(300), { nil: undefined, freq: 8 }),
  doneAfter: fc.option(fc.nat(2_000), { nil: undefined, freq: 8 }),
  outcome: fc.constantFrom<TurnOutcome>(
    { kind: 'answered' },
    { kind: 'failed' },
    { kind: 'refused', retryAfterMs: 700 },
  ),
});
const anyPolicy = fc.record({
  concurrency: fc.integer({ min: 1, max: 3 }),
  delayMs: fc.nat(800),
  minDelayMs: fc.nat(400),
});

interface Ask extends Wish {
  readonly at: number;
  readonly sentAfter: number | undefined;
  readonly doneAfter: number | undefined;
  readonly outcome: TurnOutcome;
}

const unsentMs = 1_000;
const sentMs = 5_000;
const maxInFlight = 4;

describe('turns', () => {
  test('for any policy and arrivals, no host is asked sooner than its gap, over its concurrency or out of order', () => {
    fc.assert(
      fc.property(anyPolicy, fc.array(arrival, { maxLength: 40 }), fc.integer(), (policy, arrivals, seed) => {
        const given = run(policy, arrivals, seed);
        assert.equal(given.length, arrivals.length, 'everybody gets a turn');
        for (const key of ['a', 'b', 'c'])
          hold(
            policy,
            given.filter(({ ask }) => ask.key === key),
          );
      }),
      { numRuns: 300 },
    );
  });
});

interface Given {
  readonly ask: Ask;
  readonly at: number;
  readonly sentAt: number | undefined;
  readonly endsAt: number;
  /** Who waited for the same key when it was given, `ask` among them. */
  readonly rivals: readonly Ask[];
}

/** Plays all arrivals against one book, from event to event. */
function run(policy: Policy, arrivals: readonly Omit<Ask, 'id' | 'policy'>[], seed: number): Given[] {
  let draws = Math.abs(seed);
  const random = () => (draws = (draws * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
  const book = new TurnBook<Ask>({ random, maxInFlight, unsentMs, sentMs, startedAt: 0 });
  const events = arrivals.map((each) => ({ at: each.at, run: () => ask({ ...each, policy, id: Symbol(each.key) }) }));
  const waiting = new Set<Ask>();
  const given: Given[] = [];
  let now = 0;

  while (events.length > 0 || book.wakeAt < Infinity) {
    events.sort((a, b) => a.at - b.at);
    const next = events[0];
    now = Math.max(now, Math.min(next?.at ?? Infinity, book.wakeAt));
    if (next && next.at <= now) {
      events.shift();
      next.run();
    }
    book.advance(now);
    for (let turn = book.give(now); turn; turn = book.give(now)) take(turn);
    assert.ok(book.inFlight <= maxInFlight);
    assert.ok(book.wakeAt > now, 'nothing is left that time alone has brought');
  }
  return given;

  function ask(wish: Ask): void {
    waiting.add(wish);
    book.ask(wish);
  }

  function take({ wish, lease }: NonNullable<ReturnType<typeof book.give>>): void {
    const { sentAfter, doneAfter, outcome } = wish;
    const rivals = Array.from(waiting).filter(({ key }) => key === wish.key);
    waiting.delete(wish);
    const sentAt = sentAfter === undefined ? undefined : now + sentAfter;
    if (sentAt === undefined) return void given.push({ ask: wish, at: now, sentAt, endsAt: now + unsentMs, rivals });
    events.push({ at: sentAt, run: () => book.sent(lease, now) });
    if (doneAfter !== undefined) events.push({ at: sentAt + doneAfter, run: () => book.done(lease, outcome, now) });
    given.push({ ask: wish, at: now, sentAt, endsAt: sentAt + (doneAfter ?? sentMs), rivals });
  }
}

/** What must be true of all turns of one key. */
function hold(policy: Policy, given: readonly Given[]): void {
  for (const [place, turn] of given.entries()) {
    const before = given.slice(0, place);
    const out = before.filter(({ endsAt }) => endsAt > turn.at);
    assert.ok(out.length < policy.concurrency, 'over its concurrency');
    const lastAskedAt = Math.max(0, ...before.map(({ sentAt, endsAt }) => sentAt ?? endsAt));
    const least = Math.max(policy.minDelayMs, policy.delayMs / 2);
    assert.ok(turn.at - lastAskedAt >= least - 1e-6, `asked ${turn.at - lastAskedAt} ms after the last time`);
    assert.ok(
      turn.rivals.every(({ dueAt }) => dueAt >= turn.ask.dueAt),
      'out of order',
    );
    for (const { ask, endsAt } of before) {
      const isHeeded = ask.outcome.kind !== 'refused' || ask.doneAfter === undefined || ask.sentAfter === undefined;
      assert.ok(isHeeded || endsAt > turn.at || turn.at >= endsAt + 700 - 1e-6, 'before Retry-After was over');
    }
  }
}
