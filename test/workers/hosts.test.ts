import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Ref } from '../../src/actor/types.ts';
import type { TurnOutcome } from '../../src/fetch/politeness.ts';
import type { KeyView } from '../../src/fetch/turn-book.ts';
import { type HostsMessage, takeTurn } from '../../workers/hosts.ts';
import { answered, hasty, never, polite, startedAt, startHosts, wish } from '../support/hosts.ts';

function list(ref: Ref<HostsMessage>): Promise<readonly KeyView[]> {
  return ref.ask<readonly KeyView[]>((reply) => ({ type: 'list', reply }));
}

describe('hosts', () => {
  test('at start every host counts as asked just now', async (t) => {
    const { ref, pass } = await startHosts(t);
    const wished = wish(ref, 'a');
    await pass(999);
    assert.equal(wished.turn, undefined);
    await pass(1);
    await wished.ended;
    assert.ok(wished.turn);
  });

  test('two sources on one host never fetch at the same time', async (t) => {
    const { ref, pass } = await startHosts(t);
    const [first, second] = [wish(ref, 'a'), wish(ref, 'a')];
    await pass(1_000);
    await first.ended;
    first.turn?.sent();
    await pass(30_000);
    assert.equal(second.turn, undefined);
    first.turn?.done(answered);
    await pass(0);
    await second.ended;
    assert.ok(second.turn);
  });

  test('the gap counts from when the request was reported sent', async (t) => {
    const { ref, pass } = await startHosts(t);
    const [first, second] = [wish(ref, 'a'), wish(ref, 'a')];
    await pass(1_000);
    await pass(700);
    first.turn?.sent();
    first.turn?.done(answered);
    await pass(999);
    assert.equal(second.turn, undefined);
    await pass(1);
    await second.ended;
    assert.ok(second.turn);
  });

  test('different hosts do not wait for each other', async (t) => {
    const { ref, pass } = await startHosts(t);
    const wished = Array.from({ length: 50 }, (_, at) => wish(ref, `host ${at}`));
    await pass(1_000);
    await Promise.all(wished.map(({ ended }) => ended));
    assert.ok(wished.every(({ turn }) => turn));
  });

  test('those who wait are served in the order in which they are due', async (t) => {
    const { ref, pass } = await startHosts(t);
    const served: number[] = [];
    for (const dueAt of [3, 1, 2]) {
      takeTurn(ref, { key: 'a', policy: polite, dueAt }, never).then((turn) => {
        served.push(dueAt);
        turn.sent();
        turn.done(answered);
      });
    }
    await pass(5_000);
    assert.deepEqual(served, [1, 2, 3]);
  });

  test('an unreported turn blocks its host until it expires, and counts as asked then', async (t) => {
    const { ref, pass } = await startHosts(t);
    const [first, second] = [wish(ref, 'a'), wish(ref, 'a')];
    await pass(61_000);
    assert.ok(first.turn);
    assert.equal(second.turn, undefined);
    await pass(1_000);
    await second.ended;
    assert.ok(second.turn);
  });

  test('no more turns are out than the daemon may have in flight, and who is due first comes first', async (t) => {
    const { ref, pass } = await startHosts(t, { maxInFlight: 2 });
    const wished = [4, 3, 2, 1].map((dueAt) => wish(ref, `host ${dueAt}`, { dueAt, policy: hasty }));
    await pass(10);
    assert.deepEqual(
      wished.map(({ turn }) => turn !== undefined),
      [true, true, false, false],
    );
    wished[0]?.turn?.done(answered);
    await pass(10);
    assert.deepEqual(
      wished.map(({ turn }) => turn !== undefined),
      [true, true, false, true],
    );
  });

  test('without room no turn is given, and with room again it is given at once', async (t) => {
    let hasRoom = false;
    const { ref, pass, clock } = await startHosts(t, { hasRoom: () => hasRoom });
    const wished = wish(ref, 'a');
    await pass(10_000);
    assert.equal(wished.turn, undefined);
    assert.ok((clock.next() ?? Infinity) > clock.monotonic(), 'it does not spin');
    hasRoom = true;
    ref.send({ type: 'room' });
    await wished.ended;
    assert.ok(wished.turn);
  });

  test('a host that answers 429 with Retry-After is left alone so long, and no other is (B51)', async (t) => {
    const { ref, pass } = await startHosts(t);
    const [slow, other] = [wish(ref, 'slow'), wish(ref, 'other')];
    await pass(1_000);
    for (const { turn } of [slow, other]) turn?.sent();
    slow.turn?.done({ kind: 'refused', retryAfterMs: 5_000 });
    other.turn?.done(answered);
    const [slowAgain, otherAgain] = [wish(ref, 'slow'), wish(ref, 'other')];
    await pass(4_999);
    assert.ok(otherAgain.turn);
    assert.equal(slowAgain.turn, undefined);
    await pass(1);
    await slowAgain.ended;
    assert.ok(slowAgain.turn);
  });

  test('tells how its keys stand, by the wall clock', async (t) => {
    const { ref, pass } = await startHosts(t);
    wish(ref, 'a');
    await pass(0);
    const view = { key: 'a', waiting: 1, open: 0, failures: 0, refusedUntil: undefined, nextAt: startedAt + 1_000 };
    assert.deepEqual(await list(ref), [view]);
  });

  test('forgets hosts that nobody asks any more', async (t) => {
    const { ref, pass } = await startHosts(t);
    const wished = wish(ref, 'a');
    await pass(1_000);
    wished.turn?.sent();
    wished.turn?.done(answered);
    await pass(120_000);
    assert.deepEqual(await list(ref), []);
  });
});

describe('what is kept of hosts', () => {
  test('turns that are answered write nothing', async (t) => {
    const { ref, pass, saves } = await startHosts(t);
    for (let turn = 0; turn < 20; turn += 1) {
      const wished = wish(ref, 'a', { policy: hasty });
      await pass(100);
      wished.turn?.sent();
      wished.turn?.done(answered);
    }
    await pass(10_000);
    assert.equal(saves(), 0);
  });

  test('refusals are written at most once a second, and gone when the host answers', async (t) => {
    const { ref, pass, saves, saved } = await startHosts(t);
    const refuse = async (count: number, outcome: TurnOutcome) => {
      for (let turn = 0; turn < count; turn += 1) {
        const wished = wish(ref, `host ${turn}`, { policy: hasty });
        await pass(0);
        wished.turn?.done(outcome);
      }
      await pass(1_000);
    };
    await refuse(100, { kind: 'refused', retryAfterMs: 500 });
    assert.equal(saves(), 1);
    assert.equal(saved.size, 100);
    await refuse(100, answered);
    assert.equal(saves(), 2);
    assert.equal(saved.size, 0);
  });

  test('a Retry-After is known to the next life, which is told it at the stop', async (t) => {
    const { ref, pass, system, again } = await startHosts(t);
    const wished = wish(ref, 'a', { policy: hasty });
    await pass(0);
    wished.turn?.done({ kind: 'refused', retryAfterMs: 60_000 });
    await pass(0);
    system.exit(ref, 'shutdown');
    await system.ended(ref);
    const next = wish(await again(), 'a', { policy: hasty });
    await pass(59_999);
    assert.equal(next.turn, undefined);
    await pass(1);
    await next.ended;
    assert.ok(next.turn);
  });
});

test('ten thousand who wait on a thousand hosts are all served', async (t) => {
  const { ref, pass } = await startHosts(t);
  let served = 0;
  const all = Array.from({ length: 10_000 }, async (_, at) => {
    const turn = await takeTurn(ref, { key: `host ${at % 1_000}`, policy: polite, dueAt: -at }, never);
    turn.sent();
    turn.done(answered);
    served += 1;
  });
  await pass(45_000);
  await Promise.all(all);
  assert.equal(served, 10_000);
});
