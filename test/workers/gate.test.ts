import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { createGate } from '../../workers/gate.ts';
import { answered, hasty, never, startHosts, takeTurn, wish } from '../support/hosts.ts';

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

describe('an offer', () => {
  const offer = { key: 'a', policy: hasty, dueAt: 0 };

  /** An offer of a target that the open circuit of its source holds back, and the `take` that waits for it. */
  async function heldBack(t: TestContext) {
    const { ref, pass, clock } = await startHosts(t);
    for (let target = 1; target <= 5; target += 1)
      ref.send({ type: 'target-done', source: 'shop', target, verdict: 'bad' });
    const gate = createGate(ref, clock);
    const id = gate.offer({ ...offer, source: 'shop', target: 1 });
    const ended = gate.take(id, never).then(
      () => 'taken',
      ({ message }: Error) => message,
    );
    await pass(10);
    return { gate, id, ended, pass };
  }

  test('that is withdrawn while its circuit holds it back rejects at once', async (t) => {
    const { gate, id, ended } = await heldBack(t);
    gate.withdraw(id);
    assert.equal(await ended, 'the offer of a request to a was withdrawn');
  });

  test('that its circuit holds back is taken when the circuit lets it through', async (t) => {
    const { ended, pass } = await heldBack(t);
    await pass(60_000);
    assert.equal(await ended, 'taken');
  });

  test('that is withdrawn while it waits for its turn rejects, and its host is free', async (t) => {
    const { ref, pass, clock } = await startHosts(t);
    const gate = createGate(ref, clock);
    const held = await takeTurn(ref, offer, never);
    const id = gate.offer(offer);
    const taken = gate.take(id, never);
    gate.withdraw(id);
    await assert.rejects(taken, /the offer of a request to a was withdrawn/);
    const next = wish(ref, 'a', { policy: hasty });
    held.done(answered);
    await pass(0);
    assert.ok(next.turn);
  });

  test('is taken once: further calls reject, also while the first waits', async (t) => {
    const { ref, pass, clock } = await startHosts(t);
    const gate = createGate(ref, clock);
    const id = gate.offer(offer);
    const first = gate.take(id, never);
    await assert.rejects(gate.take(id, never), /taken or withdrawn/);
    await pass(0);
    gate.done(await first, answered);
    await assert.rejects(gate.take(id, never), /taken or withdrawn/);
  });

  test('whose turn is refused by its check gives it back, and is over', async (t) => {
    const { ref, pass, clock } = await startHosts(t);
    const gate = createGate(ref, clock);
    const id = gate.offer(offer);
    const taken = gate.take(id, never, () => 'too late');
    const next = wish(ref, 'a', { policy: hasty });
    await pass(0);
    assert.equal(await taken, 'too late');
    assert.ok(next.turn);
    await assert.rejects(gate.take(id, never), /taken or withdrawn/);
  });

  test('whose check throws rejects with that, and gives its turn back', async (t) => {
    const { ref, pass, clock } = await startHosts(t);
    const gate = createGate(ref, clock);
    const taken = gate.take(gate.offer(offer), never, () => {
      throw new Error('odd');
    });
    const next = wish(ref, 'a', { policy: hasty });
    await Promise.all([assert.rejects(taken, /odd/), pass(0)]);
    await pass(0);
    assert.ok(next.turn);
  });
});
