import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { turnMs } from '../../src/actor/run-queue.ts';
import { Mailbox } from '../../src/actor/mailbox.ts';
import { stage } from './support.ts';

describe('mailbox', () => {
  test('messages come out in the order they went in, however often it grew and wrapped', () => {
    const mailbox = new Mailbox<number>();
    const out: number[] = [];
    let next = 0;
    for (let round = 0; round < 200; round += 1) {
      for (let n = 0; n < 7; n += 1) {
        mailbox.push(next);
        next += 1;
      }
      for (let n = 0; n < 5; n += 1) out.push(mailbox.shift() ?? -1);
    }
    for (let message = mailbox.shift(); message !== undefined; message = mailbox.shift()) out.push(message);
    assert.deepEqual(out, [...Array(next).keys()]);
    assert.equal(mailbox.size, 0);
  });

  test('it tells once that it is flooded, and again after it fell to half', () => {
    const mailbox = new Mailbox<number>();
    const flood = () => {
      mailbox.push(0);
      return mailbox.isFlooding(4);
    };
    const ebb = () => mailbox.shift();
    assert.deepEqual([1, 2, 3, 4, 5, 6].map(flood), [false, false, false, false, true, false]);
    [1, 2, 3].forEach(ebb);
    assert.deepEqual([4, 5].map(flood), [false, false]);
    [1, 2, 3].forEach(ebb);
    assert.deepEqual([3, 4, 5, 6].map(flood), [false, false, true, false]);
  });
});

describe('run queue', () => {
  test('a life with a million messages leaves its turn to the others', async () => {
    const { spawn, system } = stage();
    const flooded = await spawn<number>(() => ({ receive() {} }), 'flooded');
    for (let n = 0; n < 1_000_000; n += 1) flooded.send(n);
    const other = await spawn<() => void>(() => ({ receive: (reply) => reply() }), 'other');
    await other.ask<void>((reply) => reply);
    assert.ok((system.inspect()[0]?.mailbox ?? 0) > 900_000);
  });

  test('a life of high priority has its turns before all others, in the order in which its messages came', async () => {
    const { spawn, system } = stage();
    const handled: string[] = [];
    const spawnNoting = (id: string, isHigh: boolean) =>
      spawn<string>((self) => {
        if (isHigh) self.prioritise();
        return { receive: (message) => void handled.push(`${id}${message}`) };
      }, id);
    const usual = [await spawnNoting('a', false), await spawnNoting('b', false)];
    const high = await spawnNoting('h', true);
    for (const ref of [...usual, high, ...usual, high]) ref.send(String(handled.length));
    await system.idle();
    assert.deepEqual(handled, ['h0', 'h0', 'a0', 'a0', 'b0', 'b0']);
  });

  test('lives that never rest leave turns to the event loop', async () => {
    const { spawn, system } = stage();
    const busy = await spawn<string>((self) => ({ receive: (message) => self.send(message) }));
    busy.send('for ever');
    await new Promise((resolve) => setTimeout(resolve, 1));
    await new Promise(setImmediate);
    system.exit(busy, 'kill');
  });

  test('the event loop has its turn after a thousand messages, however quick they are', async (t) => {
    t.mock.method(performance, 'now', () => 0);
    const { spawn } = stage();
    let handled = 0;
    const quick = await spawn<number>(() => ({ receive: () => void (handled += 1) }));
    await new Promise(setImmediate);
    for (let n = 0; n < 20_000; n += 1) quick.send(n);
    await new Promise(setImmediate);
    assert.ok(handled > 0 && handled < 1_100, `${handled}`);
  });

  test('each turn has a thousand messages anew, of which the clock is read once in a while', async (t) => {
    let looks = 0;
    t.mock.method(performance, 'now', () => {
      looks += 1;
      return 0;
    });
    const { spawn } = stage();
    let handled = 0;
    const quick = await spawn<number>(() => ({ receive: () => void (handled += 1) }));
    await new Promise(setImmediate);
    for (let n = 0; n < 20_000; n += 1) quick.send(n);
    looks = 0;
    for (let turn = 0; turn < 30; turn += 1) await new Promise(setImmediate);
    assert.equal(handled, 20_000);
    assert.ok(looks < 10_000, `${looks}`);
  });

  test('a life whose messages are slow leaves its turn after each', async (t) => {
    let now = 0;
    t.mock.method(performance, 'now', () => now);
    const { spawn } = stage();
    let handled = 0;
    const slow = await spawn<number>(() => ({
      receive() {
        now += 0.2;
        handled += 1;
      },
    }));
    await new Promise(setImmediate);
    for (let n = 0; n < 50; n += 1) slow.send(n);
    await new Promise(setImmediate);
    assert.equal(handled, 3);
  });

  test('the event loop has its turn after a millisecond also where quick messages were before slow ones', async (t) => {
    let now = 0;
    t.mock.method(performance, 'now', () => now);
    const { spawn } = stage();
    const quick = await spawn<number>(() => ({ receive() {} }));
    let handled = 0;
    const receive = () => {
      now += 5;
      handled += 1;
    };
    const slow = await Promise.all(Array.from({ length: 40 }, () => spawn<number>(() => ({ receive }))));
    await new Promise(setImmediate);
    for (let n = 0; n < 50; n += 1) quick.send(n);
    for (const life of slow) life.send(0);
    await new Promise(setImmediate);
    assert.equal(handled, 1);
  });

  test('the event loop has its turn after a millisecond, however few messages there were', async () => {
    const { spawn } = stage();
    let handled = 0;
    const slow = await spawn<number>(() => ({
      receive() {
        const until = performance.now() + 0.3;
        while (performance.now() < until);
        handled += 1;
      },
    }));
    await new Promise(setImmediate);
    for (let n = 0; n < 200; n += 1) slow.send(n);
    await new Promise(setImmediate);
    assert.ok(handled > 0 && handled < 50, `${handled}`);
  });

  test('a life leaves its turn to the next one after a hundred messages', async () => {
    const { spawn, system } = stage();
    let handled = 0;
    const busy = await spawn<number>(() => ({ receive: () => void (handled += 1) }));
    let seen: number | undefined;
    const other = await spawn<string>(() => ({ receive: () => void (seen = handled) }));
    await system.idle();
    for (let n = 0; n < 900; n += 1) busy.send(n);
    other.send('now');
    await system.idle();
    assert.ok(seen !== undefined && seen > 0 && seen <= 100, `${seen}`);
    assert.equal(handled, 900);
  });

  test('lives take turns in the order they got work', async () => {
    const { spawn, system } = stage();
    const order: string[] = [];
    const lives = await Promise.all(
      ['a', 'b', 'c'].map((name) => spawn<string>(() => ({ receive: (message) => void order.push(name + message) }))),
    );
    const startedAt = performance.now();
    for (const life of lives.toReversed()) for (const message of ['1', '2']) life.send(message);
    await system.idle();
    const turns = order.filter((each) => each.endsWith('1'));
    assert.deepEqual(turns, ['c1', 'b1', 'a1']);
    // A collection of garbage may end a turn between two messages; in none of the turns that were short does another life come between.
    if (performance.now() - startedAt < turnMs) assert.deepEqual(order, ['c1', 'c2', 'b1', 'b2', 'a1', 'a2']);
    else for (const name of ['a', 'b', 'c']) assert.ok(order.indexOf(`${name}1`) < order.indexOf(`${name}2`));
  });
});
