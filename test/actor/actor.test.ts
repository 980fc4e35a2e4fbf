import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { lifeAt } from '../../src/actor/address.ts';
import { ExitError } from '../../src/actor/errors.ts';
import { type Behaviour, ignore, type ExitReason, type Ref, type Self } from '../../src/actor/types.ts';
import { hear, heard, make, puppet, stage } from './support.ts';

describe('start', () => {
  test('an asynchronous start is awaited, and messages wait for it', async () => {
    const { system } = stage();
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    const spawning = system.spawn<string>(async (self) => {
      self.send('sent in the start');
      await gate.promise;
      order.push('started');
      return { receive: (message) => void order.push(message) };
    });
    await system.idle();
    assert.deepEqual(order, []);
    gate.resolve();
    assert.equal((await spawning).ok, true);
    await system.idle();
    assert.deepEqual(order, ['started', 'sent in the start']);
  });

  test('a start that throws is answered with its error, and no life begins', async () => {
    const { system, reports } = stage();
    const error = new Error('no');
    const spawned = await system.spawn(() => {
      throw error;
    });
    assert.deepEqual(spawned, { ok: false, reason: ['error', error] });
    assert.deepEqual(reports, []);
    assert.deepEqual(system.inspect(), []);
  });

  test('a start that throws an ExitError fails with its reason', async () => {
    const { system } = stage();
    const spawned = await system.spawn(async () => {
      throw new ExitError(['shutdown', 'not needed']);
    });
    assert.deepEqual(spawned, { ok: false, reason: ['shutdown', 'not needed'] });
  });

  test('a life that fails in its start by an error that nobody caught is reported by who started it alone', async () => {
    const { system, reports } = stage();
    let own: Self<never> | undefined;
    const spawned = system.spawn(async (self) => {
      own = self;
      await new Promise(() => {});
      return { receive() {} };
    });
    const life = lifeAt(own?.ref) ?? assert.fail();
    life.fail(new Error('astray'));
    assert.deepEqual(await spawned, { ok: false, reason: ['error', new Error('astray')] });
    assert.deepEqual([reports, system.inspect()], [[], []]);
  });

  test('an actor that has nothing to do is no failure', async () => {
    const { system, reports } = stage();
    assert.deepEqual(await system.spawn(() => ignore), { ok: 'ignore' });
    assert.deepEqual([reports, system.inspect()], [[], []]);
  });

  for (const [what, returned] of [
    ['nothing', undefined],
    ['an object without receive', {}],
    ['an object whose receive is no function', { receive: 'what?' }],
  ] as const) {
    test(`a start that returns ${what} fails, at once or later`, async () => {
      const { system } = stage();
      const bad = returned as unknown as Behaviour<never>;
      const refused = { ok: false, reason: ['bad_return_value', returned] };
      assert.deepEqual(await system.spawn(() => bad), refused);
      assert.deepEqual(await system.spawn(async () => bad), refused);
      assert.deepEqual(system.inspect(), []);
    });
  }

  test('a promise of another realm is awaited too, in start, receive and stop', async () => {
    const { system } = stage();
    const Foreign = runInNewContext('Promise') as PromiseConstructor;
    assert.ok(!(Foreign.resolve() instanceof Promise));
    const error = new Error('boom');
    const stopped: ExitReason[] = [];
    const spawned = await system.spawn<string>(() =>
      Foreign.resolve({
        receive: () => Foreign.reject<void>(error),
        stop: (reason) => Foreign.resolve().then(() => void stopped.push(reason)),
      }),
    );
    assert.ok(spawned.ok === true);
    spawned.ref.send('go');
    assert.deepEqual(await system.ended(spawned.ref), ['error', error]);
    assert.deepEqual(stopped, [['error', error]]);
  });

  test('a life killed in its start fails to start, and what the start returns later goes nowhere', async () => {
    const { system } = stage();
    const gate = Promise.withResolvers<void>();
    let signal: AbortSignal | undefined;
    const spawning = system.spawn(async (self) => {
      signal = self.signal;
      queueMicrotask(() => system.exit(self.ref, 'kill'));
      await gate.promise;
      return { receive: () => assert.fail('ran') };
    });
    assert.deepEqual(await spawning, { ok: false, reason: 'killed' });
    assert.equal(signal?.aborted, true);
    gate.resolve();
    await system.idle();
    assert.deepEqual(system.inspect(), []);
  });
});

describe('messages', () => {
  test('messages are handled one at a time, in the order they came, also when handling is asynchronous', async () => {
    const { system, spawn } = stage();
    const order: string[] = [];
    const ref = await spawn<string>(() => ({
      async receive(message) {
        order.push(`${message} begins`);
        await Promise.resolve();
        order.push(`${message} ends`);
      },
    }));
    ref.send('a');
    ref.send('b');
    await system.idle();
    assert.deepEqual(order, ['a begins', 'a ends', 'b begins', 'b ends']);
  });

  test('a continued message goes before those that wait', async () => {
    const { spawn } = stage();
    const ref = await spawn(puppet);
    const asked = make(ref, (self) => {
      self.send(hear('sent'));
      self.continue(hear('continued'));
    });
    ref.send(hear('waiting'));
    await asked;
    assert.deepEqual(await heard(ref), ['continued', 'waiting', 'sent']);
  });

  test('a life that rests, or has not started yet, can be given a message to go on with', async () => {
    const { system, spawn } = stage();
    const done: string[] = [];
    const gate = Promise.withResolvers<void>();
    await spawn<string>((self) => {
      self.continue('begun');
      void gate.promise.then(() => self.continue('later'));
      return { receive: (message) => void done.push(message) };
    });
    await system.idle();
    assert.deepEqual(done, ['begun']);
    gate.resolve();
    await system.idle();
    assert.deepEqual(done, ['begun', 'later']);
  });

  test('a life that is suspended before its turn handles nothing until it is resumed', async () => {
    const { system, spawn } = stage();
    const done: string[] = [];
    const ref = await spawn<string>(() => ({ receive: (message) => void done.push(message) }));
    await system.idle();
    ref.send('a');
    system.suspend(ref);
    await system.idle();
    assert.deepEqual(done, []);
    system.resume(ref);
    await system.idle();
    assert.deepEqual(done, ['a']);
  });

  test('what an earlier message left behind may ask its life while more messages wait than one turn handles', async () => {
    const { system, spawn } = stage();
    const done: string[] = [];
    type Message = 'begin' | 'other' | { readonly reply: () => void };
    const ref: Ref<Message> = await spawn<Message>((self) => ({
      receive(message) {
        if (typeof message === 'object') message.reply();
        if (message !== 'begin') return;
        const asking = Promise.resolve().then(() => self.ref.ask<void>((reply) => ({ reply })));
        void asking.then(
          () => done.push('replied'),
          (error: unknown) => done.push(String(error)),
        );
      },
    }));
    await system.idle();
    ref.send('begin');
    for (let n = 0; n < 3_000; n += 1) ref.send('other');
    await system.idle();
    assert.deepEqual(done, ['replied']);
  });

  test('continued messages are handled in the order in which they were', async () => {
    const { spawn } = stage();
    const ref = await spawn(puppet);
    await make(ref, (self) => {
      for (const what of ['a', 'b', 'c']) self.continue(hear(what));
    });
    assert.deepEqual(await heard(ref), ['a', 'b', 'c']);
  });

  test('messages that wait as their life ends are dropped with it', async () => {
    const { system, spawn } = stage();
    const ref = await spawn<string>(() => ({ receive: () => assert.fail('handled') }));
    ref.send('a');
    system.exit(ref, 'kill');
    assert.equal(lifeAt(ref)?.mailboxSize, 0);
    await system.idle();
  });

  test('what is sent to a life that ended is dropped', async () => {
    const { system, spawn } = stage();
    const ref = await spawn(puppet);
    system.exit(ref, 'shutdown');
    ref.send(hear('too late'));
    assert.equal(lifeAt(ref)?.mailboxSize, 0);
    await system.idle();
    assert.deepEqual(system.inspect(), []);
  });

  for (const asynchronous of [false, true]) {
    test(`a life whose ${asynchronous ? 'asynchronous ' : ''}receive throws runs stop and ends with the error`, async () => {
      const { system, spawn } = stage();
      const error = new Error('boom');
      const stopped: ExitReason[] = [];
      const ref = await spawn<string>(() => ({
        receive: asynchronous
          ? () => Promise.reject(error)
          : () => {
              throw error;
            },
        stop: (reason) => void stopped.push(reason),
      }));
      ref.send('go');
      assert.deepEqual(await system.ended(ref), ['error', error]);
      assert.deepEqual(stopped, [['error', error]]);
    });
  }

  test('messages that are sent while nothing moves are counted as waiting', async () => {
    const { system, spawn } = stage();
    const ref = await spawn(puppet);
    system.suspend(ref);
    ref.send(hear('a'));
    ref.send(hear('b'));
    await system.idle();
    assert.equal(system.inspect()[0]?.mailbox, 2);
    assert.equal(system.inspect()[0]?.state, 'suspended');
    system.resume(ref);
    assert.deepEqual(await heard(ref), ['a', 'b']);
  });
});

describe('stop', () => {
  test('a life that stops itself ends after the present message, before those that wait', async () => {
    const { system, spawn } = stage();
    const done: string[] = [];
    const ref = await spawn<string>((self) => ({
      receive(message) {
        self.stop();
        done.push(message);
      },
    }));
    ref.send('first');
    ref.send('second');
    assert.equal(await system.ended(ref), 'normal');
    assert.deepEqual(done, ['first']);
  });

  test('the first reason to stop counts', async () => {
    const { system, spawn } = stage();
    const ref = await spawn<string>((self) => ({
      receive() {
        self.stop('shutdown');
        self.stop(['error', 'too late']);
      },
    }));
    ref.send('go');
    assert.equal(await system.ended(ref), 'shutdown');
  });

  for (const when of ['at once', 'later']) {
    test(`an error that stop throws ${when} becomes the reason`, async () => {
      const { system, spawn } = stage();
      const error = new Error('cannot close');
      const ref = await spawn<string>((self) => ({
        receive: () => self.stop('shutdown'),
        stop() {
          if (when === 'later') return Promise.reject(error);
          throw error;
        },
      }));
      ref.send('go');
      assert.deepEqual(await system.ended(ref), ['error', error]);
    });
  }

  test('an error that nobody caught becomes the reason of a life that stops already', async () => {
    const { system, spawn } = stage();
    const gate = Promise.withResolvers<void>();
    const ref = await spawn(() => ({ receive() {}, stop: () => gate.promise }));
    const stopping = assert.rejects(system.stop(ref, 'shutdown'), { code: 'ended', reason: ['error', 'astray'] });
    await system.idle();
    lifeAt(ref)?.fail(new ExitError(['error', 'astray']));
    gate.resolve();
    await stopping;
  });

  test('a message that fails after an error that nobody caught stops its life no second time', async () => {
    const { system, spawn } = stage();
    const work = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const stops: ExitReason[] = [];
    const ref = await spawn<string>(() => ({
      receive: () => work.promise,
      stop(reason) {
        stops.push(reason);
        return gate.promise;
      },
    }));
    ref.send('go');
    await system.idle();
    lifeAt(ref)?.fail(new ExitError('shutdown'));
    work.reject(new ExitError(['error', 'too late']));
    await system.idle();
    gate.resolve();
    assert.equal(await system.ended(ref), 'shutdown');
    assert.deepEqual(stops, ['shutdown']);
  });

  test('a life that starts, stops or has ended is not resumed', async () => {
    const { system, spawn } = stage();
    const [start, stop] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let own: Self<string> | undefined;
    const done: string[] = [];
    const spawning = spawn<string>(async (self) => {
      own = self;
      self.send('waits');
      await start.promise;
      return { receive: (message) => void done.push(message), stop: () => stop.promise };
    });
    const ref = own?.ref ?? assert.fail();
    const states = () => [system.inspect()[0]?.state, ...done];
    system.resume(ref);
    await system.idle();
    assert.deepEqual(states(), ['starting']);
    start.resolve();
    await spawning;
    const stopped = system.stop(ref);
    await system.idle();
    system.resume(ref);
    ref.send('late');
    await system.idle();
    assert.deepEqual(states(), ['stopping', 'waits']);
    stop.resolve();
    await stopped;
    system.resume(ref);
    await system.idle();
    await assert.rejects(system.stop(ref), { code: 'noproc' });
    assert.deepEqual(states(), [undefined, 'waits']);
  });

  test('a life that stops or has ended is not suspended', async () => {
    const { system, spawn } = stage();
    const gate = Promise.withResolvers<void>();
    const ref = await spawn(() => ({ receive() {}, stop: () => gate.promise }));
    const stopped = system.stop(ref);
    await system.idle();
    system.suspend(ref);
    assert.equal(system.inspect()[0]?.state, 'stopping');
    gate.resolve();
    await stopped;
    system.suspend(ref);
    await assert.rejects(system.stop(ref), { code: 'noproc' });
  });

  test('stop from outside waits its turn in the mailbox and for the end', async () => {
    const { system, spawn, clock } = stage();
    const done: string[] = [];
    const ref = await spawn<string>(() => ({ receive: (message) => void done.push(message) }));
    ref.send('first');
    await system.stop(ref, 'shutdown', 1_000);
    assert.deepEqual(done, ['first']);
    assert.equal(clock.next(), undefined);
    await assert.rejects(system.stop(ref), { name: 'CallError', code: 'noproc' });
  });

  test('stop from outside rejects when the life ends otherwise or takes too long', async () => {
    const { system, spawn, elapse } = stage();
    const gate = Promise.withResolvers<void>();
    const ref = await spawn(() => ({ receive() {}, stop: () => gate.promise }));
    const patient = assert.rejects(system.stop(ref), { code: 'ended', reason: 'killed' });
    const impatient = assert.rejects(system.stop(ref, 'normal', 100), { code: 'timeout' });
    await elapse(100);
    await impatient;
    system.exit(ref, 'kill');
    await patient;
  });

  test('the handles of a killed life do nothing', async () => {
    const { system, spawn, clock } = stage();
    const ref = await spawn(puppet);
    let keep: Parameters<typeof puppet>[0] | undefined;
    await make(ref, (self) => {
      keep = self;
      self.after(10, hear('due'));
    });
    system.exit(ref, 'kill');
    keep?.send(hear('late'));
    keep?.continue(hear('late'));
    keep?.stop();
    let ran = false;
    keep?.task(async () => void (ran = true), hear);
    assert.equal(ran, false);
    assert.equal(lifeAt(ref)?.mailboxSize, 0);
    assert.equal(keep?.after(10, hear('late')), -1);
    assert.equal(clock.next(), undefined);
    assert.equal(keep?.signal.aborted, true);
  });
});
