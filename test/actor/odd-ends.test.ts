import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { VirtualClock } from '../../src/clock.ts';
import { describeReason } from '../../src/actor/errors.ts';
import { createSystem } from '../../src/actor/system.ts';
import type { Actor, Behaviour, ExitReason, Reply } from '../../src/actor/types.ts';
import { stage } from './support.ts';

const circle: { self?: unknown } = {};
circle.self = circle;
/** What cannot be made JSON of, or not even be looked at. */
const oddities: readonly (readonly [string, unknown])[] = [
  ['a circle', circle],
  ['a BigInt', { n: 10n }],
  ['a symbol', Symbol('odd')],
  ['nothing', undefined],
  ['an object that throws when it is looked at', new Proxy({}, { get: () => assert.fail('looked at') })],
  ['a revoked proxy', revokedProxy()],
  ['an error whose message is no text', Object.defineProperty(new Error('x'), 'message', { value: Symbol('odd') })],
];

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

describe('an odd throw', () => {
  for (const [what, thrown] of oddities) {
    test(`${what}: those who wait are told, and so are those of the next end`, async () => {
      const { system, spawn } = stage();
      const thrower = () => ({
        receive() {
          throw thrown;
        },
      });
      const [one, other] = [await spawn<Reply<never>>(thrower), await spawn<string>(thrower)];
      const asked = assert.rejects(
        one.ask<never>((reply) => reply),
        { code: 'ended' },
      );
      const stopped = assert.rejects(system.stop(one), { code: 'ended' });
      await Promise.all([asked, stopped]);
      other.send('go');
      const reason = await system.ended(other);
      assert.ok(reason[0] === 'error' && reason[1] === thrown);
    });
  }

  for (const when of ['at once', 'later']) {
    test(`a revoked proxy that a start throws or returns ${when} fails the start`, async () => {
      const { system } = stage();
      const odd = revokedProxy();
      const wait = when === 'at once' ? undefined : Promise.resolve();
      const starts: readonly Actor<never>[] = [
        () => {
          if (wait === undefined) throw odd;
          return wait.then(() => {
            throw odd;
          });
        },
        () => {
          const returned = { receive: odd } as unknown as Behaviour<never>;
          return wait === undefined ? returned : wait.then(() => returned);
        },
      ];
      for (const start of starts) assert.equal((await system.spawn(start)).ok, false);
      assert.deepEqual(system.inspect(), []);
    });
  }

  test('a revoked proxy thrown in a task, or in stop, ends the life', async () => {
    const { system, spawn } = stage();
    const odd = revokedProxy();
    const reject = () => {
      throw odd;
    };
    const one = await spawn<string>((self) => {
      self.task(async () => reject(), String);
      return { receive() {} };
    });
    const other = await spawn<string>(() => ({ receive: () => reject(), stop: reject }));
    other.send('go');
    for (const ref of [one, other]) {
      const reason = await system.ended(ref);
      assert.ok(reason[0] === 'error' && reason[1] === odd);
    }
  });

  test('what is no reason is shown all the same', () => {
    const none: unknown = null;
    assert.equal(describeReason(none as ExitReason), 'null');
  });

  test('an error within a reason shows its message', () => {
    const nested: ExitReason = ['shutdown', ['failed_to_start_child', 'store', ['error', new Error('disk full')]]];
    assert.equal(describeReason(nested), 'shutdown: ["failed_to_start_child","store",["error","disk full"]]');
  });
});

describe('a report that throws', () => {
  test('is an error of nobody, and those linked to the end are told all the same', async (t) => {
    const uncaught = catchUncaught(t);
    const system = createSystem({
      clock: new VirtualClock(),
      report: ({ type }) => {
        if (type === 'ended') throw new Error('log full');
      },
    });
    const blamed: boolean[] = [];
    uncaught((error) => blamed.push(system.blame(error)));
    const spawned = await system.spawn<string>(() => ({
      receive() {
        throw new Error('boom');
      },
    }));
    assert.ok(spawned.ok === true);
    spawned.ref.send('go');
    assert.deepEqual(await system.ended(spawned.ref), ['error', new Error('boom')]);
    await system.idle();
    assert.deepEqual(blamed, [false]);
  });
});

/** Has this test, and not its runner, see what nobody caught. */
function catchUncaught(t: TestContext): (listener: (error: Error) => void) => void {
  const restore = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  t.after(() => {
    process.removeAllListeners('uncaughtException');
    for (const listener of restore) process.on('uncaughtException', listener);
  });
  return (listener) => process.on('uncaughtException', listener);
}
