import assert from 'node:assert/strict';
import { AsyncResource } from 'node:async_hooks';
import { describe, test } from 'node:test';
import { lifeAt } from '../../src/actor/address.ts';
import type { CallError } from '../../src/actor/errors.ts';
import type { Actor, ExitReason, Ref, Reply, Self } from '../../src/actor/types.ts';
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
    await elapse(4_999);
    assert.notEqual(lifeAt(ref)?.watches, undefined);
    await elapse(1);
    await asked;
    assert.equal(lifeAt(ref)?.watches, undefined);
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

  for (const turns of [1, 2]) {
    test(`a life that asks or stops itself later in its ${turns === 1 ? 'first' : 'second'} turn is told so too`, async () => {
      const { spawn, system } = stage();
      const ref = await spawn(puppet);
      for (let turn = 1; turn < turns; turn += 1) await make(ref, () => {});
      const { promise, resolve } = Promise.withResolvers<unknown[]>();
      ref.send({
        type: 'do',
        async run(self) {
          await Promise.resolve();
          resolve(await Promise.allSettled([heard(self.ref), system.stop(self.ref)]));
        },
      });
      for (const refused of (await promise) as { reason: CallError }[])
        assert.equal(refused.reason.code, 'calling_self');
    });
  }

  test('what a turn that went on in promises left behind may ask its life once the turn is over', async () => {
    const { spawn, system } = stage();
    const gate = Promise.withResolvers<void>();
    const ref = await spawn(puppet);
    let asked: Promise<readonly unknown[]> | undefined;
    ref.send({
      type: 'do',
      async run(self) {
        await Promise.resolve();
        asked = gate.promise.then(() => heard(self.ref));
      },
    });
    await system.idle();
    gate.resolve();
    await system.idle();
    assert.deepEqual(await asked, []);
  });

  test('a life that asks itself in its start or its stop is told so', async () => {
    const { spawn, system } = stage();
    const codes: string[] = [];
    const askSelf = ({ ref }: Self<Reply<never>>) =>
      ref
        .ask<never>((reply) => reply)
        .catch(({ code }: CallError) => {
          codes.push(code);
        });
    const ref = await spawn<Reply<never>>(async (self) => {
      await askSelf(self);
      return { receive() {}, stop: () => askSelf(self) };
    });
    await system.stop(ref);
    assert.deepEqual(codes, ['calling_self', 'calling_self']);
  });

  test('what the start or the first turn left behind may ask its life while that is busy', async () => {
    const { spawn, system } = stage();
    const left: ((ref: Ref<string | Reply<number>>) => Promise<number>)[] = [];
    const leave = () => left.push(AsyncResource.bind((ref) => ref.ask<number>((reply) => reply)));
    let gate = Promise.withResolvers<void>();
    const ref = await spawn<string | Reply<number>>(() => {
      leave();
      return {
        receive(message) {
          if (typeof message !== 'string') return message(1);
          leave();
          return message === 'wait' ? gate.promise : undefined;
        },
      };
    });
    for (const message of ['leave', 'wait', 'wait']) {
      gate = Promise.withResolvers<void>();
      ref.send(message);
      await system.idle();
      if (message === 'leave') continue;
      const asked = left.slice(0, 2).map((run) => run(ref));
      gate.resolve();
      assert.deepEqual(new Set(await Promise.all(asked)), new Set([1]));
    }
  });

  test('a task may ask its own life', async () => {
    const { spawn, system } = stage();
    const ref = await spawn(puppet);
    await make(ref, (self) => self.task(() => heard(self.ref), hear));
    await system.idle();
    assert.deepEqual(await heard(ref), [[]]);
  });

  test('a question that cannot be made leaves nothing behind', async () => {
    const { spawn, clock } = stage();
    const ref = await spawn(echo);
    const error = new Error('what was it?');
    const unasked = ref.ask<never>(() => {
      throw error;
    });
    await assert.rejects(unasked, error);
    await assert.rejects(
      ref.ask<string>((reply) => ({ type: 'echo', reply }), NaN),
      RangeError,
    );
    assert.equal(clock.next(), undefined);
    assert.equal(lifeAt(ref)?.watches, undefined);
  });

  for (const where of ['its turn', 'a task']) {
    test(`the end of a life takes back what it asked in ${where}`, async () => {
      const { spawn, system, clock } = stage();
      const [asker, asked] = [await spawn(puppet), await spawn<Echo>(echo)];
      const outcomes: unknown[] = [];
      const ask = () =>
        Promise.allSettled([Infinity, 1_000].map((ms) => asked.ask<string>(() => ({ type: 'silence' }), ms))).then(
          (results) => outcomes.push(...results.map((result) => (result as { reason: CallError }).reason.code)),
        );
      await make(asker, (self) => {
        if (where === 'its turn') void ask();
        else self.task(ask, hear);
      });
      await system.idle();
      assert.notEqual(lifeAt(asked)?.watches, undefined);
      system.exit(asker, 'kill');
      await system.idle();
      assert.equal(lifeAt(asked)?.watches, undefined);
      assert.equal(clock.next(), undefined);
      assert.deepEqual(outcomes, ['asker_ended', 'asker_ended']);
    });
  }

  test('a question that got its reply leaves nothing with who asked', async () => {
    const { spawn } = stage();
    const [asker, asked] = [await spawn(puppet), await spawn(echo)];
    const { promise, resolve } = Promise.withResolvers<string>();
    await make(asker, () => resolve(asked.ask<string>((reply) => ({ type: 'echo', reply }))));
    await promise;
    assert.equal(lifeAt(asker)?.watches, undefined);
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

  test('a delay that is no number ends the life that asked for it, and no other one notices', async () => {
    const { spawn, system, elapse } = stage();
    const [one, other] = [await spawn(puppet), await spawn(puppet)];
    const refused = assert.rejects(
      make(one, (self) => self.after(NaN, hear('never'))),
      { code: 'ended' },
    );
    await make(other, (self) => [20, 0, -5, Infinity].map((ms) => self.after(ms, hear(ms))));
    await refused;
    await elapse(20);
    assert.deepEqual(await heard(other), [-5, 0, 20]);
    assert.ok((await system.ended(one))[1] instanceof RangeError);
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
