import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { takeTurn } from '../../workers/take-turn.ts';
import { answered, hasty, polite, startHosts, wish } from '../support/hosts.ts';

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

  test('and had left before asks nobody', async (t) => {
    const { ref } = await startHosts(t);
    await assert.rejects(
      takeTurn(ref, { key: 'a', policy: polite, dueAt: 0 }, AbortSignal.abort(new Error('left'))),
      /left/,
    );
    assert.deepEqual(await ref.ask((reply) => ({ type: 'list', limit: 1_000, reply })), []);
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
