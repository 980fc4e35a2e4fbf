import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Ref } from '../../src/actor/types.ts';
import type { TurnOutcome } from '../../src/fetch/ledger/turn-outcome.ts';
import type { Circuit, SourceCircuit } from '../../src/fetch/ledger/circuit.ts';
import { turnLimitMs } from '../../src/fetch/ledger/turn-leases.ts';
import type { LedgersWaiting, LedgerView } from '../../src/fetch/ledger/ledger-view.ts';
import type { Policy } from '../../src/fetch/ledger/policy.ts';
import type { HostsMessage } from '../../workers/hosts.ts';
import { answered, hasty, never, polite, startedAt, startHosts, takeTurn, wish } from '../support/hosts.ts';
import { defaultThrottle } from '../support/politeness.ts';

function list(ref: Ref<HostsMessage>): Promise<readonly LedgerView[]> {
  return ref.ask<readonly LedgerView[]>((reply) => ({ type: 'list', limit: 1_000, reply }));
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

  test('the backlog is the hosts that could be asked but for the turns in flight, since when they could be, whatever waits behind', async (t) => {
    let waiting: LedgersWaiting | undefined;
    const { ref, pass } = await startHosts(t, { maxInFlight: 1, started: (told) => (waiting = told) });
    const wished = ['a', 'b', 'b', 'c'].map((key) => wish(ref, key));
    assert.deepEqual(waiting?.backlog(), { turns: 0, oldestAt: undefined });
    // Each host counts as asked at the start, and may be asked a second later.
    await pass(3_000);
    assert.deepEqual(waiting?.backlog(), { turns: 2, oldestAt: startedAt + 1_000 });
    wish(ref, 'd');
    await pass(2_000);
    assert.deepEqual(waiting?.backlog(), { turns: 3, oldestAt: startedAt + 1_000 });
    // The second offer for `b` has to wait for the first.
    for (const expected of [
      { turns: 2, oldestAt: startedAt + 1_000 },
      { turns: 2, oldestAt: startedAt + 3_000 },
    ]) {
      for (const { turn } of wished) turn?.done(answered);
      await pass(1_000);
      assert.deepEqual(waiting?.backlog(), expected);
    }
  });

  test('what more turns would not help is no backlog', async (t) => {
    let hasRoom = true;
    let waiting: LedgersWaiting | undefined;
    const { ref, pass } = await startHosts(t, {
      maxInFlight: 1,
      hasRoom: () => hasRoom,
      started: (told) => (waiting = told),
    });
    for (const key of ['a', 'b']) wish(ref, key);
    await pass(1_000);
    assert.equal(waiting?.backlog().turns, 1);
    hasRoom = false;
    assert.equal(waiting?.backlog().turns, 0);
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

  test('a throttled host is asked after five seconds, then after what its latency has taught (O48)', async (t) => {
    const { ref, pass, clock } = await startHosts(t);
    const sentAt: number[] = [];
    for (let asked = 0; asked < 5; asked += 1) {
      const wished = wish(ref, 'a', { policy: { ...polite, autoThrottle: defaultThrottle } });
      while (!wished.turn) await pass(62.5);
      sentAt.push(clock.monotonic());
      wished.turn.sent();
      await pass(500);
      wished.turn.done({ kind: 'answered', status: 200 });
    }
    assert.deepEqual(
      sentAt.slice(1).map((at, place) => at - (sentAt[place] ?? 0)),
      [2_750, 1_625, 1_062.5, 1_000],
    );
    assert.equal(sentAt[0], 5_000);
  });

  test('a host over whose Retry-After the limit stands is told of', async (t) => {
    const told: unknown[] = [];
    const { ref, pass } = await startHosts(t, { onRetryAfterCapped: (key, askedMs) => told.push([key, askedMs]) });
    const wished = wish(ref, 'a', { policy: hasty });
    await pass(0);
    wished.turn?.done({ kind: 'refused', retryAfterMs: 90_000_000 });
    const views = await list(ref);
    assert.deepEqual(told, [['a', 90_000_000]]);
    assert.deepEqual(views[0]?.rest, { until: startedAt + 86_400_000, isCapped: true });
    assert.deepEqual(views[0]?.hold, { kind: 'retry-after', isCapped: true });
  });

  test('a turn may stay out as long as its request may take', async (t) => {
    const { ref, pass } = await startHosts(t);
    const turn = takeTurn(ref, { key: 'a', policy: hasty, dueAt: 0, sentMs: turnLimitMs(5_000) }, never);
    await pass(0);
    (await turn).sent();
    const next = wish(ref, 'a', { policy: hasty });
    await pass(64_999);
    assert.equal(next.turn, undefined);
    await pass(1);
    await next.ended;
    assert.ok(next.turn);
  });

  test('tells how its keys stand, by the wall clock', async (t) => {
    const { ref, pass } = await startHosts(t);
    takeTurn(ref, { key: 'a', policy: polite, dueAt: startedAt, source: 'shop' }, never).catch(() => undefined);
    await pass(0);
    assert.deepEqual(await list(ref), [
      {
        key: 'a',
        waiting: 1,
        next: [{ dueAt: startedAt, source: 'shop' }],
        open: 0,
        nextAt: startedAt + 1_000,
        hold: { kind: 'gap', delayMs: 1_000 },
        failures: 0,
        backoffStep: 0,
        rest: undefined,
        delayMs: 1_000,
        latencyMs: undefined,
        source: 'shop',
        sources: ['shop'],
      },
    ]);
  });

  test('tells what all offers wait for, and looks seldom where very many hosts have some', async (t) => {
    let waiting: LedgersWaiting | undefined;
    const { ref, pass } = await startHosts(t, { hasRoom: () => false, started: (told) => (waiting = told) });
    const offer = (index: number): void => {
      const turn = { key: `host ${index}`, policy: polite, dueAt: startedAt, source: 'shop' };
      takeTurn(ref, turn, never).catch(() => undefined);
    };
    const many = 12_000;
    for (let index = 0; index < many; index += 1) offer(index);
    await pass(0);
    const counted = (): number => (waiting?.waits() ?? []).reduce((sum, { offers }) => sum + offers, 0);
    assert.equal(counted(), many);
    offer(many);
    await pass(0);
    assert.equal(counted(), many);
    await pass(600_000);
    assert.equal(counted(), many + 1);
  });

  test('forgets hosts that nobody asks any more', async (t) => {
    const { ref, pass } = await startHosts(t);
    const wished = wish(ref, 'a');
    await pass(1_000);
    wished.turn?.sent();
    wished.turn?.done(answered);
    await pass(540_000);
    assert.equal((await list(ref)).length, 1);
    await pass(120_000);
    assert.deepEqual(await list(ref), []);
  });
});

describe('the circuit of a source', () => {
  /** Asks for a target, at a host of its own; says whether its turn was granted, or when the next one may be. */
  const ask = async (ref: Ref<HostsMessage>, target: number) => {
    const leaving = new AbortController();
    const offer = { key: `host ${target}`, policy: hasty, dueAt: 0, source: 'shop', target };
    const taken = takeTurn(ref, offer, leaving.signal).then(
      (turn) => (turn.done(answered), 'granted'),
      () => 'held back',
    );
    const circuit = await ref.ask<SourceCircuit | undefined>((reply) => ({ type: 'circuit', source: 'shop', reply }));
    leaving.abort();
    return (await taken) === 'granted' ? { mayAsk: true } : { mayAsk: false, nextAt: circuit?.nextAt };
  };
  const fail = (ref: Ref<HostsMessage>, targets: number) => {
    for (let target = 1; target <= targets; target += 1)
      ref.send({ type: 'target-done', source: 'shop', target, verdict: 'bad' });
  };

  test('opens when most of its targets fail, lets one probe through, and resumes', async (t) => {
    const { ref, pass } = await startHosts(t);
    fail(ref, 4);
    assert.deepEqual(await ask(ref, 1), { mayAsk: true });
    fail(ref, 5);
    assert.deepEqual(await ask(ref, 1), { mayAsk: false, nextAt: startedAt + 60_000 });
    await pass(60_000);
    assert.deepEqual(await ask(ref, 1), { mayAsk: true });
    assert.equal((await ask(ref, 2)).mayAsk, false);
    ref.send({ type: 'target-done', source: 'shop', target: 1, verdict: 'good' });
    assert.deepEqual(await ask(ref, 2), { mayAsk: true });
    assert.deepEqual(await ask(ref, 3), { mayAsk: false, nextAt: startedAt + 90_000 });
  });

  test('lets a target that it let through ask on while it resumes, in no further place, past those that it holds back', async (t) => {
    const { ref, pass } = await startHosts(t);
    fail(ref, 5);
    await pass(60_000);
    await ask(ref, 1);
    ref.send({ type: 'target-done', source: 'shop', target: 1, verdict: 'good' });
    assert.deepEqual(await ask(ref, 2), { mayAsk: true });
    const held = takeTurn(ref, { key: 'host 2', policy: hasty, dueAt: 0, source: 'shop', target: 3 }, never);
    assert.deepEqual(await ask(ref, 2), { mayAsk: true });
    await pass(30_000);
    (await held).done(answered);
    ref.send({ type: 'target-done', source: 'shop', target: 2, verdict: 'good' });
    assert.equal((await ask(ref, 2)).mayAsk, false);
  });

  test('says nothing of other sources', async (t) => {
    const { ref } = await startHosts(t);
    fail(ref, 5);
    const circuitOf = (source: string) => ref.ask((reply) => ({ type: 'circuit', source, reply }));
    const open = { source: 'shop', state: 'open', nextAt: startedAt + 60_000, times: 1 };
    assert.deepEqual([await circuitOf('other'), await circuitOf('shop')], [undefined, open]);
    assert.deepEqual(await ref.ask((reply) => ({ type: 'circuits', reply })), [open]);
  });

  test('outlives the daemon while it is open, and is gone when it has closed', async (t) => {
    const saved = new Map<string, Circuit>();
    const circuits = {
      load: () => saved,
      save(rows: readonly (readonly [string, Circuit | undefined])[]) {
        for (const [source, row] of rows) {
          if (row) saved.set(source, row);
          else saved.delete(source);
        }
      },
    };
    const { ref, pass, system, again } = await startHosts(t, { circuits });
    fail(ref, 5);
    await pass(30_000);
    system.exit(ref, 'shutdown');
    await system.ended(ref);
    const next = await again();
    assert.deepEqual(await ask(next, 1), { mayAsk: false, nextAt: startedAt + 60_000 });
    await pass(30_000);
    assert.deepEqual(await ask(next, 1), { mayAsk: true });
    next.send({ type: 'target-done', source: 'shop', target: 1, verdict: 'good' });
    await pass(600_000);
    assert.equal(saved.size, 0);
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

  test('refusals are written at most once a second, and gone when the host has answered three times', async (t) => {
    // A host with a policy without gaps is not paused for them.
    const { ref, pass, saves, saved } = await startHosts(t);
    const refuse = async (count: number, outcome: TurnOutcome) => {
      for (let turn = 0; turn < count; turn += 1) {
        const wished = wish(ref, `host ${turn}`, { policy: hasty });
        await pass(0);
        wished.turn?.done(outcome);
      }
      await pass(1_000);
    };
    await refuse(100, { kind: 'refused' });
    assert.equal(saves(), 1);
    assert.equal(saved.size, 100);
    for (let answer = 1; answer <= 3; answer += 1) await refuse(100, answered);
    assert.equal(saves(), 4);
    assert.equal(saved.size, 0);
  });

  test('a refusal that reaches further than the next save is written at once, and once for a burst', async (t) => {
    const { ref, pass, saves, saved } = await startHosts(t);
    const policy = { ...hasty, concurrency: 8 };
    const wished = Array.from({ length: 8 }, () => wish(ref, 'a', { policy }));
    for (const each of wished) {
      await pass(0);
      each.turn?.sent();
    }
    await pass(0);
    for (const { turn } of wished) turn?.done({ kind: 'refused', retryAfterMs: 3_600_000 });
    await pass(0);
    assert.equal(saved.get('a')?.rest?.until, startedAt + 3_600_000);
    assert.equal(saves(), 1);
    await pass(1_000);
    assert.deepEqual([saves(), saved.get('a')?.failures], [2, 8]);
    await pass(10_000);
    assert.equal(saves(), 2);
  });

  test('a Retry-After that is longer than the pause after a start is written at once, however short', async (t) => {
    const { ref, pass, saved, clock } = await startHosts(t);
    const wished = wish(ref, 'a', { policy: hasty });
    await pass(10);
    wished.turn?.sent();
    wished.turn?.done({ kind: 'refused', retryAfterMs: 1_000 });
    await pass(0);
    assert.equal(saved.get('a')?.rest?.until, clock.now() + 1_000);
  });

  test('the longer gap of two sources with one host outlives the daemon', async (t) => {
    const { ref, pass, system, again } = await startHosts(t);
    const slow: Policy = { concurrency: 1, delayMs: 30_000, minDelayMs: 30_000 };
    const quick: Policy = { concurrency: 1, delayMs: 200, minDelayMs: 200 };
    for (const policy of [slow, quick]) {
      const wished = wish(ref, 'a', { policy });
      await pass(30_000);
      wished.turn?.sent();
      wished.turn?.done(answered);
    }
    await pass(1_000);
    system.exit(ref, 'killed');
    await system.ended(ref);
    const next = wish(await again(), 'a', { policy: quick });
    await pass(29_999);
    assert.equal(next.turn, undefined);
    await pass(1);
    await next.ended;
    assert.ok(next.turn);
  });

  test('a back-off that has grown long is written at once', async (t) => {
    const { ref, pass, saved, clock } = await startHosts(t);
    for (let failure = 1; failure <= 5; failure += 1) {
      const wished = wish(ref, 'a');
      while (!wished.turn) await pass(500);
      wished.turn.sent();
      wished.turn.done({ kind: 'failed' });
      await pass(0);
    }
    assert.equal(saved.get('a')?.backoff?.until, clock.now() + 16_000);
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

describe('what is kept of a throttled host', () => {
  test('is written when its delay has about halved or doubled, not at each turn', async (t) => {
    const { ref, pass, saves, saved } = await startHosts(t);
    for (let asked = 0; asked < 30; asked += 1) {
      const wished = wish(ref, 'a', { policy: { ...polite, autoThrottle: defaultThrottle } });
      while (!wished.turn) await pass(50);
      wished.turn.sent();
      await pass(500);
      wished.turn.done({ kind: 'answered', status: 200 });
    }
    await pass(1_000);
    assert.ok(saves() <= 4, `${saves()} times`);
    assert.deepEqual(saved.get('a'), { failures: 0, throttleMs: 1_024 });
  });

  test('is right when the wall clock was set, as soon as anything happens', async (t) => {
    const { ref, pass, saved, clock } = await startHosts(t);
    const wished = wish(ref, 'a', { policy: hasty });
    await pass(0);
    wished.turn?.done({ kind: 'refused', retryAfterMs: 3_600_000 });
    await pass(1_000);
    assert.equal(saved.get('a')?.rest?.until, startedAt + 3_600_000);
    clock.wall = startedAt + 10 * 86_400_000;
    await pass(61_000);
    assert.equal(saved.get('a')?.rest?.until, startedAt + 10 * 86_400_000 + 3_599_000);
  });
});

test('ten thousand who wait on a thousand hosts are all served', async (t) => {
  const { ref, pass } = await startHosts(t);
  let served = 0;
  const before = process.cpuUsage();
  const all = Array.from({ length: 10_000 }, async (_, at) => {
    const turn = await takeTurn(ref, { key: `host ${at % 1_000}`, policy: polite, dueAt: -at }, never);
    turn.sent();
    turn.done(answered);
    served += 1;
  });
  await pass(45_000);
  await Promise.all(all);
  assert.equal(served, 10_000);
  const { user, system } = process.cpuUsage(before);
  const eachMs = (user + system) / 1_000 / 10_000;
  assert.ok(eachMs < 0.5, `${eachMs} ms of CPU each`);
});
