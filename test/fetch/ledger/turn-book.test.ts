import fc from 'fast-check';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LedgerOffer } from '../../../src/fetch/ledger/host-line.ts';
import type { LedgerRow } from '../../../src/fetch/ledger/ledger-row.ts';
import type { LedgerView } from '../../../src/fetch/ledger/ledger-view.ts';
import { gapMs, type Policy } from '../../../src/fetch/ledger/policy.ts';
import { TurnBook } from '../../../src/fetch/ledger/turn-book.ts';
import { type Lease, turnLimitMs } from '../../../src/fetch/ledger/turn-leases.ts';
import type { TurnOutcome } from '../../../src/fetch/ledger/turn-outcome.ts';
import { defaultThrottle } from '../../support/politeness.ts';

const keys = ['a', 'b', 'c'];

const arrival = fc.record({
  at: fc.nat(5_000),
  key: fc.constantFrom(...keys),
  dueAt: fc.nat(50),
  /** Of a re-check. */
  deadlineAt: fc.option(fc.nat(50), { nil: undefined }),
  /** Which of the two sources that share each key. */
  source: fc.nat(1),
  /** From turn to sent and from sent to done; `undefined`: never heard of again. */
  sentAfter: fc.option(fc.nat(300), { nil: undefined, freq: 8 }),
  doneAfter: fc.option(fc.nat(2_000), { nil: undefined, freq: 8 }),
  outcome: fc.constantFrom<TurnOutcome>(
    { kind: 'answered', status: 200 },
    { kind: 'answered', status: 404 },
    { kind: 'failed' },
    { kind: 'refused', retryAfterMs: 700 },
  ),
  /** When who waits gives up, unless served before. */
  leavesAfter: fc.option(fc.nat(3_000), { nil: undefined, freq: 2 }),
  /** Whether it reports to the next life what it was given by the last. */
  survives: fc.boolean(),
  sentMs: fc.option(fc.integer({ min: 2_100, max: 9_000 }), { nil: undefined }),
});

const anyPolicy = fc.record({
  concurrency: fc.integer({ min: 1, max: 3 }),
  delayMs: fc.nat(800),
  minDelayMs: fc.nat(400),
  crawlDelayMs: fc.option(fc.nat(1_500), { nil: undefined }),
  autoThrottle: fc.option(fc.constant({ ...defaultThrottle, startMs: 1_000, maxMs: 3_000 }), { nil: undefined }),
});

type Arrival = NonNullable<typeof arrival extends fc.Arbitrary<infer A> ? A : never>;

interface Ask extends LedgerOffer {
  readonly arrival: Arrival;
}

interface Given {
  readonly ask: Ask;
  readonly number: number;
  readonly life: unknown;
  readonly at: number;
  sentAt: number | undefined;
  /** Until when it counts as out; by then it counts as asked if it was not reported sent. */
  endsAt: number;
  /** When the book heard what came of it. */
  toldAt: number | undefined;
  /** Who waited for the same key when it was given, itself among them. */
  readonly rivals: readonly Ask[];
}

const unsentMs = 1_000;
const sentMs = 5_000;
const maxInFlight = 4;

describe('turns', () => {
  test('whatever is asked, sent, done, withdrawn, lost or restarted: no gap is shorter than the policy, no host is over its concurrency, who has a deadline comes by it and who has none by when it was due, Retry-After is obeyed, and nobody is forgotten', () => {
    const policies = fc.tuple(anyPolicy, anyPolicy);
    const restarts = fc.array(fc.nat(8_000), { maxLength: 3 });
    fc.assert(
      fc.property(policies, fc.array(arrival, { maxLength: 40 }), restarts, fc.nat(), (both, arrivals, at, seed) => {
        const { given, left } = run(both, arrivals, at, seed);
        assert.equal(given.length + left.length, arrivals.length, 'everybody gets a turn or leaves');
        for (const key of keys) hold(given.filter(({ ask }) => ask.key === key));
      }),
      { numRuns: 1_000 },
    );
  });

  test('that are out for ten seconds outlive a restart, and shorter ones write nothing', () => {
    const policy = { concurrency: 1, delayMs: 0, minDelayMs: 0 };
    const book = newBook(0, () => 0.5);
    for (const key of ['slow', 'quick']) book.offer({ ...plainWish(key, policy), sentMs: 60_000 });
    book.advance(0);
    const leases = [book.give(0), book.give(0)].map((given) => given?.lease);
    const [slow, quick] = leases;
    assert.ok(slow && quick);
    for (const lease of [slow, quick]) book.sent(lease, 100);
    book.done(quick, { kind: 'answered' }, 9_900);
    assert.equal(book.hasChanges, false);
    book.advance(book.wakeAt);
    const rows = book.takeRows(10_100, 0);
    assert.deepEqual(
      rows.map(([key, row]) => [key, row?.open?.map(({ number, endsAt }) => [number, endsAt])]),
      [['slow', [[slow.number, 60_100]]]],
    );

    const next = newBook(12_000, () => 0.5);
    for (const [key, row] of rows) if (row) next.restore(key, row, 12_000, 0);
    next.offer(plainWish('slow', policy));
    next.advance(12_000);
    assert.equal(next.give(12_000), undefined, 'its turn is still out');
    next.done(slow, { kind: 'answered' }, 12_500);
    next.advance(12_500);
    assert.ok(next.give(12_500));
    assert.deepEqual(next.takeRows(12_500, 0), [['slow', undefined]]);
  });

  test('of an earlier life whose request is still under way keep their host until they are done, and its gap begins anew', () => {
    const policy = { concurrency: 1, delayMs: 1_000, minDelayMs: 1_000 };
    const book = new TurnBook({ random: () => 0.5, maxInFlight: 10, unsentMs, sentMs, startedAt: 0 });
    const adopted = { key: 'a', number: 7, policy, sentMs: 60_000 };
    book.adopt(adopted, 0);
    book.adopt(adopted, 0);
    book.offer({ id: 1, key: 'a', policy, dueAt: 0 });
    book.advance(5_000);
    assert.equal(book.give(5_000), undefined);
    book.done(adopted, { kind: 'answered', status: 200 }, 5_000);
    book.advance(5_000);
    assert.equal(book.give(5_000)?.lease.key, 'a');
  });

  test('expire as their request allows, and by default as the book does', () => {
    const policy = { concurrency: 1, delayMs: 0, minDelayMs: 0 };
    for (const [given, endsAt] of [
      [undefined, sentMs],
      [turnLimitMs(20_000), 80_000],
    ] as const) {
      const book = newBook(0, () => 0.5);
      book.offer({ ...plainWish('a', policy), sentMs: given });
      book.advance(0);
      const lease = book.give(0)?.lease;
      assert.ok(lease);
      book.sent(lease, 0);
      book.advance(endsAt - 1);
      assert.equal(book.inFlight, 1);
      book.advance(endsAt);
      assert.equal(book.inFlight, 0);
    }
  });

  test('of an earlier life are none of the next one', () => {
    const policy = { concurrency: 1, delayMs: 0, minDelayMs: 0 };
    const stale: Lease = { key: 'a', number: 1 };
    const book = newBook(0, () => 0.5, 1_000);
    book.offer(plainWish('a', policy));
    book.advance(0);
    assert.equal(book.give(0)?.lease.number, 1_001);
    book.done(stale, { kind: 'answered' }, 10);
    assert.equal(book.inFlight, 1);
  });
});

describe('what is known of a key', () => {
  const policy: Policy = { concurrency: 1, delayMs: 1_000, minDelayMs: 500 };

  test('is who waits for it, and what for', () => {
    const book = newBook(0, () => 0.5);
    for (const dueAt of [3, 1, 2]) book.offer({ ...plainWish('a', policy), dueAt, source: `source ${dueAt}` });
    assert.deepEqual(book.view('a', 0), {
      key: 'a',
      waiting: 3,
      next: [1, 2, 3].map((dueAt) => ({ dueAt, source: `source ${dueAt}` })),
      open: 0,
      nextAt: 1_000,
      hold: { kind: 'gap', delayMs: 1_000 },
      failures: 0,
      backoffStep: 0,
      rest: undefined,
      delayMs: 1_000,
      latencyMs: undefined,
      source: 'source 2',
      sources: ['source 3', 'source 1', 'source 2'],
    });
  });

  const table: readonly (readonly [string, Policy, TurnOutcome, LedgerView['hold']])[] = [
    ['its gap', policy, { kind: 'answered' }, { kind: 'gap', delayMs: 1_000 }],
    [
      "its robots.txt's crawl-delay",
      { ...policy, crawlDelayMs: 9_000 },
      { kind: 'answered' },
      { kind: 'crawl-delay', delayMs: 9_000 },
    ],
    [
      'its throttle',
      { ...policy, autoThrottle: defaultThrottle },
      { kind: 'answered', status: 200, latencyMs: 1_000 },
      { kind: 'throttle', delayMs: 3_000 },
    ],
    ['a Retry-After', policy, { kind: 'refused', retryAfterMs: 9_000 }, { kind: 'retry-after', isCapped: false }],
    [
      'a Retry-After over the limit',
      policy,
      { kind: 'refused', retryAfterMs: 1e9 },
      { kind: 'retry-after', isCapped: true },
    ],
    ['a back-off', policy, { kind: 'failed' }, { kind: 'back-off', step: 1 }],
  ];
  for (const [name, of, outcome, expected] of table) {
    test(`is that it waits for ${name}`, () => {
      const book = newBook(-10_000, () => 0.5);
      const lease = taken(book, of);
      book.sent(lease, 0);
      book.done(lease, outcome, 100);
      assert.deepEqual(book.view('a', 100)?.hold, expected);
    });
  }

  test('is that a turn must come back first, or be reported sent', () => {
    const book = newBook(-10_000, () => 0.5);
    const lease = taken(book, policy);
    assert.deepEqual(book.view('a', 0)?.hold, { kind: 'unsent' });
    book.sent(lease, 0);
    assert.deepEqual(book.view('a', 0)?.hold, { kind: 'concurrency', open: 1 });
    assert.equal(book.view('a', 0)?.nextAt, undefined);
  });

  test('is told when a Retry-After is over the limit', () => {
    const told: [string, number][] = [];
    const book = newBook(
      -10_000,
      () => 0.5,
      0,
      (key, askedMs) => told.push([key, askedMs]),
    );
    const lease = taken(book, policy);
    book.done(lease, { kind: 'refused', retryAfterMs: 90_000_000 }, 0);
    assert.deepEqual(told, [['a', 90_000_000]]);
  });
});

function newBook(
  startedAt: number,
  random: () => number,
  firstNumber = 0,
  onRetryAfterCapped: (key: string, askedMs: number) => void = () => undefined,
): TurnBook<LedgerOffer> {
  return new TurnBook<LedgerOffer>({
    random,
    maxInFlight,
    unsentMs,
    sentMs,
    startedAt,
    firstNumber,
    onRetryAfterCapped,
  });
}

function plainWish(key: string, policy: Policy): LedgerOffer {
  return { key, policy, dueAt: 0, id: Symbol(key) };
}

function taken(book: TurnBook<LedgerOffer>, policy: Policy): Lease {
  book.offer(plainWish('a', policy));
  book.advance(0);
  const given = book.give(0);
  assert.ok(given);
  return given.lease;
}

/** Plays all arrivals against one book after another, from event to event. */
function run(
  policies: readonly Policy[],
  arrivals: readonly Arrival[],
  restarts: readonly number[],
  seed: number,
): { readonly given: Given[]; readonly left: Ask[] } {
  let draws = seed % 2 ** 31;
  const random = () => (draws = (draws * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
  let book = bookAt(0);
  const rows = new Map<string, LedgerRow>();
  const waiting = new Set<Ask>();
  const given: Given[] = [];
  const left: Ask[] = [];
  const events = [
    ...arrivals.map((each) => ({ at: each.at, run: () => ask(each) })),
    ...restarts.map((at) => ({ at, run: restart })),
  ];
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
    holdBacklog();
    assert.ok(book.wakeAt > now, 'nothing is left that time alone has brought');
    book.forget(now);
  }
  assert.equal(book.inFlight, 0);
  return { given, left };

  /** A backlog has the hosts that may be asked, each since an instant at which it could be, and is empty while turns are to be had. */
  function holdBacklog(): void {
    const askable = keys.filter((key) => {
      const { waiting: offers = 0, nextAt = Infinity } = book.view(key, now) ?? {};
      return offers > 0 && nextAt <= now;
    });
    const { turns, oldestAt } = book.backlog;
    assert.equal(turns, askable.length);
    assert.equal(oldestAt === undefined, turns === 0);
    assert.ok(book.inFlight === maxInFlight || turns === 0, 'a free slot leaves nobody waiting');
    const nextAts = askable.map((key) => book.view(key, now)?.nextAt ?? Infinity);
    assert.ok(oldestAt === undefined || (oldestAt >= Math.min(...nextAts) && oldestAt <= now));
  }

  function bookAt(startedAt: number): TurnBook<Ask> {
    const firstNumber = startedAt * 1_000;
    return new TurnBook<Ask>({ random, maxInFlight, unsentMs, sentMs, longMs: 500, startedAt, firstNumber });
  }

  function ask(each: Arrival): void {
    const { key, dueAt, deadlineAt, source, leavesAfter } = each;
    const policy = policies[source] ?? assert.fail();
    const wish: Ask = { key, dueAt, deadlineAt, policy, sentMs: each.sentMs, id: Symbol(key), arrival: each };
    waiting.add(wish);
    book.offer(wish);
    if (leavesAfter !== undefined) events.push({ at: now + leavesAfter, run: () => leave(wish) });
  }

  function leave(wish: Ask): void {
    const withdrawn = book.withdraw(wish.id);
    assert.equal(withdrawn, waiting.has(wish) ? wish : undefined, 'who waits can leave');
    if (waiting.delete(wish)) left.push(wish);
  }

  function take({ offer: wish, lease }: { readonly offer: Ask; readonly lease: Lease }): void {
    const { sentAfter, doneAfter, outcome } = wish.arrival;
    const rivals = Array.from(waiting).filter(({ key }) => key === wish.key);
    assert.ok(waiting.delete(wish), 'nobody is served twice');
    const life = book;
    const unheard = { sentAt: undefined, endsAt: now + unsentMs, toldAt: undefined };
    const turn: Given = { ask: wish, number: lease.number, life, at: now, rivals, ...unheard };
    given.push(turn);
    const tell = (at: number, report: () => void) =>
      events.push({ at, run: () => (life === book || wish.arrival.survives ? report() : undefined) });
    if (sentAfter === undefined) return;
    tell(now + sentAfter, () => {
      book.sent(lease, now);
      turn.sentAt = now;
      if (turn.endsAt > now) turn.endsAt = now + (life === book ? (wish.sentMs ?? sentMs) : sentMs);
    });
    if (doneAfter === undefined) return;
    tell(now + sentAfter + doneAfter, () => {
      book.done(lease, outcome, now);
      turn.toldAt = now;
      turn.endsAt = Math.min(turn.endsAt, now);
    });
  }

  /** What was out is cut, unless its row outlives the daemon; those who wait ask again. */
  function restart(): void {
    for (const [key, row] of book.takeRows(now, 0)) {
      if (row) rows.set(key, row);
      else rows.delete(key);
    }
    book = bookAt(now);
    for (const [key, row] of rows) book.restore(key, row, now, 0);
    const out = new Set(Array.from(rows.values(), ({ open = [] }) => open.map(({ number }) => number)).flat());
    for (const turn of given) if (turn.endsAt > now && !out.has(turn.number)) turn.endsAt = now;
    for (const wish of waiting) book.offer(wish);
  }
}

/** What must be true of all turns of one key. */
function hold(given: readonly Given[]): void {
  for (const [place, turn] of given.entries()) {
    const before = given.slice(0, place);
    const out = before.filter(({ endsAt }) => endsAt > turn.at);
    const concurrency = Math.min(...[turn, ...out].map(({ ask }) => ask.policy.concurrency));
    assert.ok(out.length < concurrency, 'over its concurrency');
    for (const each of before) {
      const askedAt = each.sentAt ?? each.endsAt;
      // Over a restart only the policy of who asks is known.
      const least = Math.max(each.life === turn.life ? leastGapMs(each.ask.policy) : 0, leastGapMs(turn.ask.policy));
      const isKnown = each.life === turn.life ? askedAt <= turn.at : askedAt < turn.at;
      if (isKnown) assert.ok(turn.at - askedAt >= least - 1e-6, `asked after ${turn.at - askedAt} ms`);
      const { outcome } = each.ask.arrival;
      if (outcome.kind !== 'refused' || each.toldAt === undefined || each.toldAt > turn.at) continue;
      assert.ok(turn.at >= each.toldAt + (outcome.retryAfterMs ?? 0) - 1e-6, 'before Retry-After was over');
    }
    assert.ok(
      turn.rivals.every(
        ({ dueAt, deadlineAt }) =>
          (deadlineAt === undefined) !== (turn.ask.deadlineAt === undefined) ||
          (deadlineAt ?? dueAt) >= (turn.ask.deadlineAt ?? turn.ask.dueAt),
      ),
      'out of order',
    );
  }
}

/** The throttle never undercuts the policy's delay. */
function leastGapMs(policy: Policy): number {
  return gapMs({ ...policy, autoThrottle: undefined }, 0);
}
