import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Actor, ExitReason, Reply } from '../../src/actor/types.ts';
import { hear, heard, make, puppet, stage } from './support.ts';

type Echo = { readonly type: 'echo'; readonly reply: Reply<string> } | { readonly type: 'silence' };
const echo: Actor<Echo> = () => ({
  receive: (message) => (message.type === 'echo' ? message.reply('hello') : undefined),
});

describe('ask', () => {
  test('a question gets its reply, and only the first', async () => {
    const { spawn } = stage();
    const ref = await spawn<{ reply: Reply<number> }>(() => ({
      receive({ reply }) {
        reply(1);
        reply(2);
      },
    }));
    assert.equal(await ref.ask<number>((reply) => ({ reply })), 1);
  });

  test('a question that is not answered in time rejects, and a late reply is dropped', async () => {
    const { spawn, elapse } = stage();
    const replies: Reply<string>[] = [];
    const ref = await spawn<Reply<string>>(() => ({ receive: (reply) => void replies.push(reply) }));
    const asked = assert.rejects(
      ref.ask<string>((reply) => reply),
      { code: 'timeout' },
    );
    await elapse(5_000);
    await asked;
    replies[0]?.('late');
  });

  test('a question to a life that ends without replying rejects with its reason', async () => {
    const { system, spawn } = stage();
    const ref = await spawn<Reply<string>>((self) => ({ receive: () => self.stop() }));
    const queued = [ref.ask<string>((reply) => reply), ref.ask<string>((reply) => reply, Infinity)];
    for (const asked of queued) await assert.rejects(asked, { code: 'ended', reason: 'normal' });
    await assert.rejects(
      ref.ask<string>((reply) => reply),
      { code: 'noproc' },
    );
    await system.idle();
  });

  test('a life that asks itself is told so at once', async () => {
    const { spawn } = stage();
    const ref = await spawn(puppet);
    const { promise, resolve } = Promise.withResolvers<unknown>();
    await make(ref, (self) => resolve(heard(self.ref)));
    await assert.rejects(promise, { code: 'calling_self' });
  });

  test('a task may ask its own life', async () => {
    const { spawn, system } = stage();
    const ref = await spawn(puppet);
    await make(ref, (self) => self.task(() => heard(self.ref), hear));
    await system.idle();
    assert.deepEqual(await heard(ref), [[]]);
  });

  test('a question leaves no timer behind', async () => {
    const { spawn, clock } = stage();
    const ref = await spawn(echo);
    await ref.ask<string>((reply) => ({ type: 'echo', reply }));
    assert.equal(clock.next(), undefined);
  });
});

describe('timers', () => {
  test('a message comes after its delay, unless it is cancelled', async () => {
    const { spawn, elapse } = stage();
    const ref = await spawn(puppet);
    const cancelled: boolean[] = [];
    await make(ref, (self) => {
      self.after(10, hear('kept'));
      cancelled.push(self.cancel(self.after(5, hear('cancelled'))));
    });
    await elapse(9);
    assert.deepEqual(await heard(ref), []);
    await elapse(1);
    assert.deepEqual(await heard(ref), ['kept']);
    assert.deepEqual(cancelled, [true]);
  });

  test('a timer that fired, or is of another life, cannot be cancelled', async () => {
    const { spawn, elapse } = stage();
    const [one, other] = [await spawn(puppet), await spawn(puppet)];
    const timers: number[] = [];
    const cancelled: boolean[] = [];
    await make(one, (self) => timers.push(self.after(1, hear('due')), self.after(100, hear('later'))));
    await elapse(1);
    await make(one, (self) => cancelled.push(self.cancel(timers[0] ?? -1)));
    await make(other, (self) => cancelled.push(self.cancel(timers[1] ?? -1)));
    assert.deepEqual(cancelled, [false, false]);
  });
});

describe('tasks', () => {
  test('a task runs beside the mailbox, and its outcome comes back as a message', async () => {
    const { spawn, system } = stage();
    const ref = await spawn(puppet);
    const gate = Promise.withResolvers<string>();
    await make(ref, (self) => self.task(() => gate.promise, hear));
    ref.send(hear('meanwhile'));
    assert.deepEqual(await heard(ref), ['meanwhile']);
    gate.resolve('outcome');
    await system.idle();
    assert.deepEqual(await heard(ref), ['meanwhile', 'outcome']);
  });

  test('a task that rejects ends its life, after stop', async () => {
    const { spawn, system } = stage();
    const error = new Error('no route');
    const stopped: ExitReason[] = [];
    const ref = await spawn<string>((self) => {
      self.task(() => Promise.reject(error), String);
      return { receive() {}, stop: (reason) => void stopped.push(reason) };
    });
    assert.deepEqual(await system.ended(ref), ['error', error]);
    assert.deepEqual(stopped, [['error', error]]);
  });

  test('the end of a life aborts its tasks, and their outcomes are dropped', async () => {
    const { spawn, system } = stage();
    const ref = await spawn(puppet);
    let aborted = false;
    await make(ref, (self) =>
      self.task(
        (signal) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => {
              aborted = true;
              reject(new Error('aborted'));
            });
          }),
        () => assert.fail('an outcome of a life that ended'),
      ),
    );
    system.exit(ref, 'shutdown');
    await system.idle();
    assert.equal(aborted, true);
  });
});
