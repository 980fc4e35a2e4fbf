import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { systemClock, VirtualClock } from '../src/clock.ts';

describe('virtual clock', () => {
  test('timers fire in the order of their instants, each at its own', () => {
    const clock = new VirtualClock(1_000_000);
    const fired: string[] = [];
    for (const at of [30, 10, 20]) clock.at(at, () => fired.push(`${at} at ${clock.monotonic()}`));
    clock.advance(25);
    assert.deepEqual(fired, ['10 at 10', '20 at 20']);
    assert.equal(clock.next(), 30);
    assert.equal(clock.now(), 1_000_025);
  });

  test('timers of one instant fire in the order they were armed', () => {
    const clock = new VirtualClock();
    const fired: number[] = [];
    for (let n = 0; n < 50; n += 1) clock.at(5, () => fired.push(n));
    clock.advance(5);
    assert.deepEqual(fired, [...Array(50).keys()]);
  });

  test('a timer armed by another one fires in the same advance when it is due within it', () => {
    const clock = new VirtualClock();
    const fired: number[] = [];
    clock.at(10, () => clock.at(15, () => fired.push(clock.monotonic())));
    clock.advance(20);
    assert.deepEqual(fired, [15]);
  });

  test('the last timer, put where a cancelled one was, still fires before those that are due later', () => {
    const clock = new VirtualClock();
    const fired: number[] = [];
    const timers = [1, 100, 2, 200, 300, 101, 102, 103, 104, 5].map((at) => clock.at(at, () => fired.push(at)));
    clock.cancel(timers[5] ?? -1);
    clock.advance(300);
    assert.deepEqual(fired, [1, 2, 5, 100, 102, 103, 104, 200, 300]);
  });

  test('a timer can be cancelled once, and not after it fired', () => {
    const clock = new VirtualClock();
    const cancelled = clock.at(10, () => assert.fail('was cancelled'));
    const fired = clock.at(10, () => {});
    assert.equal(clock.cancel(cancelled), true);
    assert.equal(clock.cancel(cancelled), false);
    clock.advance(10);
    assert.equal(clock.cancel(fired), false);
  });

  test('the number of a timer that fired does not cancel the one that took its place', () => {
    const clock = new VirtualClock();
    const old = clock.at(1, () => {});
    clock.advance(1);
    clock.at(2, () => {});
    assert.equal(clock.cancel(old), false);
    assert.equal(clock.next(), 2);
  });

  test('the timers of one holder are cancelled together, those of another stay', () => {
    const clock = new VirtualClock();
    const fired: unknown[] = [];
    const [one, other] = [0, 1].map(() => ({ lastTimer: -1, send: (message: unknown) => fired.push(message) }));
    assert.ok(one !== undefined && other !== undefined);
    const timers = [1, 2, 3].map((at) => clock.sendAt(at, one, at));
    clock.sendAt(2, other, 'other');
    assert.equal(clock.cancel(timers[1] ?? -1, other), false);
    assert.equal(clock.cancel(timers[1] ?? -1, one), true);
    clock.advance(1);
    assert.deepEqual([clock.countFor(one), clock.countFor(other)], [1, 1]);
    clock.cancelAll(one);
    clock.advance(10);
    assert.deepEqual(fired, [1, 'other']);
    assert.deepEqual([clock.countFor(one), clock.countFor(other)], [0, 0]);
  });

  test('a timer that is due at no number is refused, and the others fire', () => {
    const clock = new VirtualClock();
    const fired: number[] = [];
    assert.throws(() => clock.at(NaN, () => fired.push(NaN)), RangeError);
    for (const at of [Infinity, 1, -1, -Infinity]) clock.at(at, () => fired.push(at));
    assert.equal(clock.next(), 0);
    clock.advance(1_000_000);
    assert.deepEqual(fired, [-Infinity, -1, 1]);
    assert.equal(clock.monotonic(), 1_000_000);
  });

  test('time passes only forwards, also when a timer lets more of it pass', () => {
    const clock = new VirtualClock();
    for (const ms of [-5, NaN, Infinity]) assert.throws(() => clock.advance(ms), RangeError);
    clock.at(20, () => clock.advance(100));
    clock.advance(50);
    assert.equal(clock.monotonic(), 120);
  });

  test('a jump of the wall clock moves no timer', () => {
    const clock = new VirtualClock(0);
    clock.at(10, () => {});
    clock.wall = 5_000_000;
    assert.equal(clock.now(), 5_000_000);
    assert.equal(clock.next(), 10);
  });

  test('whatever is armed, cancelled and fired, each holder keeps just its own timers', () => {
    const step = fc.record({
      holder: fc.nat(2),
      at: fc.nat(30),
      act: fc.constantFrom('arm', 'cancel', 'all', 'pass'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const clock = new VirtualClock();
        const armed = [0, 1, 2].map(() => new Map<number, number>());
        const holders = armed.map((own) => ({ lastTimer: -1, send: (n: unknown) => void own.delete(Number(n)) }));
        for (const [n, { holder: at, at: delay, act }] of steps.entries()) {
          const [own, holder] = [armed[at], holders[at]];
          if (own === undefined || holder === undefined) continue;
          const [oldest] = own;
          if (act === 'arm') own.set(n, clock.sendAt(clock.monotonic() + delay, holder, n));
          else if (act === 'all') {
            clock.cancelAll(holder);
            own.clear();
          } else if (act === 'pass') clock.advance(delay / 4);
          else if (oldest !== undefined) {
            assert.equal(clock.cancel(oldest[1]), true);
            own.delete(oldest[0]);
          }
          assert.deepEqual(
            holders.map((each) => clock.countFor(each)),
            armed.map(({ size }) => size),
          );
        }
        clock.advance(100);
        assert.ok(armed.every(({ size }) => size === 0));
      }),
    );
  });

  test('whatever is armed and cancelled, what remains fires in order', () => {
    const script = fc.array(fc.oneof(fc.record({ at: fc.nat(50) }), fc.record({ cancel: fc.nat(60) })), {
      maxLength: 80,
    });
    fc.assert(
      fc.property(script, (steps) => {
        const clock = new VirtualClock();
        const armed: { at: number; timer: number; order: number }[] = [];
        const fired: number[] = [];
        for (const [order, step] of steps.entries()) {
          if ('at' in step) armed.push({ at: step.at, order, timer: clock.at(step.at, () => fired.push(order)) });
          else for (const { timer } of armed.splice(step.cancel, 1)) assert.equal(clock.cancel(timer), true);
        }
        clock.advance(50);
        const expected = armed.sort((a, b) => a.at - b.at || a.order - b.order).map(({ order }) => order);
        assert.deepEqual(fired, expected);
      }),
    );
  });
});

describe('system clock', () => {
  test('timers fire in order and not before they are due', async () => {
    const clock = systemClock();
    const start = clock.monotonic();
    const fired: number[] = [];
    await new Promise<void>((resolve) => {
      clock.at(start + 6, resolve);
      clock.at(start + 3, () => fired.push(clock.monotonic() - start));
    });
    assert.ok(fired.length === 1 && (fired[0] ?? 0) >= 3);
    assert.ok(clock.monotonic() - start >= 6);
  });

  test('a delay beyond what setTimeout can do does not fire at once', async () => {
    const clock = systemClock();
    const far = clock.at(clock.monotonic() + 2 ** 40, () => assert.fail('fired'));
    await new Promise<void>((resolve) => clock.at(clock.monotonic() + 2, resolve));
    assert.equal(clock.cancel(far), true);
  });

  test('a timer that throws does not keep the next one from firing', (t) => {
    const clock = systemClock();
    const { promise, resolve } = Promise.withResolvers<void>();
    const restore = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    t.after(() => {
      for (const listener of restore) process.on('uncaughtException', listener);
    });
    process.once('uncaughtException', (error) => assert.equal(error.message, 'of the first timer'));
    clock.at(clock.monotonic(), () => {
      throw new Error('of the first timer');
    });
    clock.at(clock.monotonic() + 1, resolve);
    return promise;
  });
});
