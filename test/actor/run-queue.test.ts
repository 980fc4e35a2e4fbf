import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
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
    const { spawn } = stage();
    const flooded = await spawn<number>(() => ({ receive() {} }), 'flooded');
    for (let n = 0; n < 1_000_000; n += 1) flooded.send(n);
    const other = await spawn<() => void>(() => ({ receive: (reply) => reply() }), 'other');
    await other.ask<void>((reply) => reply);
    assert.ok(waiting(flooded) > 900_000);
  });

  test('lives that never rest leave turns to the event loop', async () => {
    const { spawn, system } = stage();
    const busy = await spawn<string>((self) => ({ receive: (message) => self.send(message) }));
    busy.send('for ever');
    await new Promise((resolve) => setTimeout(resolve, 1));
    await new Promise(setImmediate);
    system.exit(busy, 'kill');
  });

  test('lives take turns in the order they got work', async () => {
    const { spawn, system } = stage();
    const order: string[] = [];
    const lives = await Promise.all(
      ['a', 'b', 'c'].map((name) => spawn<string>(() => ({ receive: (message) => void order.push(name + message) }))),
    );
    for (const life of lives.toReversed()) for (const message of ['1', '2']) life.send(message);
    await system.idle();
    assert.deepEqual(order, ['c1', 'c2', 'b1', 'b2', 'a1', 'a2']);
  });

  function waiting(ref: object): number {
    return 'mailboxSize' in ref ? Number(ref.mailboxSize) : 0;
  }
});
