import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Lease } from '../../src/fetch/ledger/turn-leases.ts';
import type { TargetOffer } from '../../src/request/target-offer.ts';
import { createGate } from '../../workers/gate.ts';
import { answered, hasty, never, startHosts, wish } from '../support/hosts.ts';

describe('who takes a turn', () => {
  test('and leaves while waiting is waited for no more', async (t) => {
    const { ref, pass } = await startHosts(t);
    const leaving = new AbortController();
    const [first, second] = [wish(ref, 'a', { signal: leaving.signal }), wish(ref, 'a', { dueAt: 1 })];
    await pass(10);
    leaving.abort(new Error('left'));
    await first.ended;
    assert.deepEqual(first.error, new Error('left'));
    await pass(990);
    await second.ended;
    assert.ok(second.turn);
  });

  test('and leaves just as it is given gives it back', async (t) => {
    const { ref, pass, system } = await startHosts(t, { maxInFlight: 1 });
    const leaving = new AbortController();
    system.suspend(ref);
    const first = wish(ref, 'a', { policy: hasty, signal: leaving.signal });
    const second = wish(ref, 'a', { policy: hasty });
    leaving.abort(new Error('left'));
    system.resume(ref);
    await first.ended;
    assert.deepEqual(first.error, new Error('left'));
    await pass(0);
    await second.ended;
    assert.ok(second.turn);
  });

  test('hears of the end of the ledgers', async (t) => {
    const { ref, system, pass } = await startHosts(t);
    const wished = wish(ref, 'a');
    await pass(0);
    system.exit(ref, 'shutdown');
    await wished.ended;
    assert.ok(wished.error instanceof Error);
  });

  test('gives it back once, and a second time does nothing', async (t) => {
    const { ref, pass } = await startHosts(t, { maxInFlight: 1 });
    const first = wish(ref, 'a', { policy: hasty });
    await pass(0);
    first.turn?.done(answered);
    const second = wish(ref, 'b', { policy: hasty });
    const third = wish(ref, 'c', { policy: hasty });
    await pass(0);
    await second.ended;
    first.turn?.done(answered);
    await pass(0);
    assert.equal(third.turn, undefined);
  });
});

test('a turn that came late to its target is not used, and its host is free again', async (t) => {
  const offered: [TargetOffer, Lease][] = [];
  const { ref, pass } = await startHosts(t, { granted: (...turn) => offered.push(turn) > 0 });
  const offer = { id: 1, key: 'a', origin: 'a', source: 'shop', project: 'p', policy: hasty, dueAt: 0 };
  ref.send({ type: 'offer', offer });
  await pass(0);
  const [given, lease] = offered[0] ?? assert.fail();
  let isLate = false;
  const turn = createGate(ref).firstTurn(given, lease, () => isLate);
  const next = wish(ref, 'a', { policy: hasty });
  await pass(0);
  assert.equal(next.turn, undefined);
  isLate = true;
  assert.equal(turn.take(), undefined);
  turn.decline();
  await pass(0);
  assert.ok(next.turn);
});

test('a turn whose project ended before it heard of it is taken back with the offer, and its host is free again', async (t) => {
  const offered: [TargetOffer, Lease][] = [];
  const { ref, pass } = await startHosts(t, { granted: (...turn) => offered.push(turn) > 0 });
  const gate = createGate(ref);
  ref.send({
    type: 'offer',
    offer: { id: 1, key: 'a', origin: 'a', source: 'shop', project: 'p', policy: hasty, dueAt: 0 },
  });
  await pass(0);
  const [given, lease] = offered[0] ?? assert.fail();
  const turn = gate.firstTurn(given, lease, () => false);
  const next = wish(ref, 'a', { policy: hasty });
  await pass(0);
  assert.equal(next.turn, undefined);
  gate.withdraw({ id: 1, project: 'p' });
  await pass(0);
  assert.ok(next.turn);
  assert.equal(turn.take(), undefined, 'who hears of it later cannot use it');
});

describe('a request', () => {
  const offer = { key: 'a', policy: hasty, dueAt: 0 };

  test('that the circuit of its source holds back gets its turn when the circuit lets it through', async (t) => {
    const { ref, pass } = await startHosts(t);
    for (let target = 1; target <= 5; target += 1)
      ref.send({ type: 'target-done', source: 'shop', target, verdict: 'bad' });
    let isTaken = false;
    const ended = createGate(ref)
      .take({ ...offer, source: 'shop', target: 1 }, never)
      .then(() => (isTaken = true));
    await pass(59_999);
    assert.equal(isTaken, false);
    await pass(1);
    assert.equal(await ended, true);
  });

  test('that its circuit holds back is waited for no more when its signal fires', async (t) => {
    const { ref, pass } = await startHosts(t);
    for (let target = 1; target <= 5; target += 1)
      ref.send({ type: 'target-done', source: 'shop', target, verdict: 'bad' });
    const leaving = new AbortController();
    const taken = createGate(ref).take({ ...offer, source: 'shop', target: 1 }, leaving.signal);
    await pass(10);
    leaving.abort(new Error('left'));
    await assert.rejects(taken, /left/);
  });

  test('whose turn is refused by its check gives it back', async (t) => {
    const { ref, pass } = await startHosts(t);
    const taken = createGate(ref).take(offer, never, () => 'too late');
    const next = wish(ref, 'a', { policy: hasty });
    await pass(0);
    assert.equal(await taken, 'too late');
    assert.ok(next.turn);
  });

  test('whose check throws rejects with that, and gives its turn back', async (t) => {
    const { ref, pass } = await startHosts(t);
    const taken = createGate(ref).take(offer, never, () => {
      throw new Error('odd');
    });
    const next = wish(ref, 'a', { policy: hasty });
    await Promise.all([assert.rejects(taken, /odd/), pass(0)]);
    await pass(0);
    assert.ok(next.turn);
  });

  test('waits for its preparation once, while others of its host go on', async (t) => {
    const { ref, pass } = await startHosts(t);
    const prepared = Promise.withResolvers<void>();
    let times = 0;
    const prepare = () => ((times += 1), prepared.promise);
    let isTaken = false;
    const taken = createGate(ref)
      .take({ ...offer, source: 'shop', prepare }, never)
      .then(() => (isTaken = true));
    const other = wish(ref, 'a', { dueAt: 1, policy: hasty });
    await pass(10);
    assert.ok(other.turn);
    other.turn.done(answered);
    await pass(10);
    assert.equal(isTaken, false);
    prepared.resolve();
    await pass(0);
    assert.equal(await taken, true);
    assert.equal(times, 1);
  });
});
