import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { terminateChild } from '../../src/actor/management.ts';
import { supervisor } from '../../src/actor/supervisor.ts';
import type { Actor, ChildSpec, ExitReason } from '../../src/actor/types.ts';
import { family, stage } from './support.ts';

/** A child whose `stop` does not end before `done`. */
function slow(done: Promise<void>, stopped: ExitReason[] = []): Actor<never> {
  return (self) => {
    self.trapExit();
    return {
      receive() {},
      stop(reason) {
        stopped.push(reason);
        return done;
      },
    };
  };
}

async function only(spec: ChildSpec) {
  const scene = stage();
  const sup = await scene.spawn(supervisor({ strategy: 'one_for_one', children: [spec] }));
  const end = () => scene.reports.flatMap((report) => (report.type === 'ended' ? [report.reason] : [])).at(-1);
  const complaints = () => scene.reports.filter((report) => report.type === 'supervisor').map(({ context }) => context);
  return { ...scene, sup, end, complaints };
}

describe('shutdown of a child', () => {
  test('a child that does not trap exits ends at once, without its stop', async () => {
    const stopped: ExitReason[] = [];
    const start: Actor<never> = () => ({ receive() {}, stop: (reason) => void stopped.push(reason) });
    const { sup, end, complaints } = await only({ id: 'a', start });
    await terminateChild(sup, 'a');
    assert.deepEqual([end(), stopped, complaints()], ['shutdown', [], []]);
  });

  test('a child that traps exits runs its stop, and is waited for', async () => {
    const stopped: ExitReason[] = [];
    const gate = Promise.withResolvers<void>();
    const { sup, end, elapse } = await only({ id: 'a', start: slow(gate.promise, stopped) });
    const terminated = terminateChild(sup, 'a');
    await elapse(4_999);
    assert.deepEqual([end(), stopped], [undefined, ['shutdown']]);
    gate.resolve();
    await terminated;
    assert.equal(end(), 'shutdown');
  });

  test('a child that takes longer than its shutdown is killed, and that is reported', async () => {
    const never = new Promise<void>(() => {});
    const { sup, end, elapse, complaints } = await only({ id: 'a', start: slow(never), shutdown: 100 });
    const terminated = terminateChild(sup, 'a');
    await elapse(100);
    await terminated;
    assert.deepEqual([end(), complaints()], ['killed', ['shutdown_error']]);
  });

  test('a child with shutdown infinity is waited for without end', async () => {
    const gate = Promise.withResolvers<void>();
    const { sup, end, elapse } = await only({ id: 'a', start: slow(gate.promise), shutdown: 'infinity' });
    const terminated = terminateChild(sup, 'a');
    await elapse(1e9);
    assert.equal(end(), undefined);
    gate.resolve();
    await terminated;
    assert.equal(end(), 'shutdown');
  });

  test('a child with brutal_kill is killed at once, and its stop does not run', async () => {
    const stopped: ExitReason[] = [];
    const never = new Promise<void>(() => {});
    const { sup, end, complaints } = await only({ id: 'a', start: slow(never, stopped), shutdown: 'brutal_kill' });
    await terminateChild(sup, 'a');
    assert.deepEqual([end(), stopped, complaints()], ['killed', [], []]);
  });

  test('a killed life in the middle of a message is gone at once, and what it still does goes nowhere', async () => {
    const gate = Promise.withResolvers<void>();
    const after: string[] = [];
    const start: Actor<string> = (self) => ({
      async receive(message) {
        await gate.promise;
        self.send('again');
        after.push(message);
      },
    });
    const { system, spawn } = stage();
    const ref = await spawn(start);
    ref.send('first');
    await system.idle();
    system.exit(ref, 'kill');
    assert.equal(await system.ended(ref), 'killed');
    gate.resolve();
    await system.idle();
    assert.deepEqual(after, ['first']);
  });
});

describe('shutdown of a supervisor', () => {
  test('children stop in reverse order, a subtree as a whole', async () => {
    const scene = stage();
    const { child, diary } = family();
    const inner = supervisor({ strategy: 'one_for_one', children: [child('b1'), child('b2')] });
    const children = [child('a'), { id: 'b', type: 'supervisor', start: inner } as const, child('c')];
    const sup = await scene.spawn(supervisor({ strategy: 'one_for_one', children }));
    diary.length = 0;
    scene.system.exit(sup, 'shutdown');
    assert.equal(await scene.system.ended(sup), 'shutdown');
    assert.deepEqual(diary, ['c stops', 'b2 stops', 'b1 stops', 'a stops']);
  });

  test('a supervisor ends with the reason of its parent, and ignores exit signals of others', async () => {
    const scene = stage();
    const { child, at } = family();
    const sup = await scene.spawn(supervisor({ strategy: 'one_for_one', children: [child('a')] }));
    scene.system.exit(sup, 'shutdown', at('a'));
    await scene.system.idle();
    assert.equal(scene.system.inspect().length, 1);
    scene.system.exit(sup, ['shutdown', 'update']);
    assert.deepEqual(await scene.system.ended(sup), ['shutdown', 'update']);
  });

  test('the children of a killed supervisor end too', async () => {
    const scene = stage();
    const { child, diary } = family();
    const inner = supervisor({ strategy: 'one_for_one', children: [child('leaf')] });
    const spec = { id: 'inner', type: 'supervisor', start: inner } as const;
    const sup = await scene.spawn(supervisor({ strategy: 'one_for_one', children: [spec] }));
    scene.system.exit(sup, 'kill');
    await scene.system.idle();
    assert.deepEqual(diary, ['leaf starts', 'leaf stops']);
    assert.deepEqual(scene.reports.filter(({ type }) => type === 'ended').length, 3);
  });

  test('a supervisor that is killed while it starts a child starts no further one', async () => {
    const { system } = stage();
    const gate = Promise.withResolvers<void>();
    const waits = async () => {
      await gate.promise;
      return { receive() {} };
    };
    const children = [
      { id: 'waits', start: waits },
      { id: 'next', start: () => assert.fail('started') },
    ];
    let victim: Parameters<Actor<never>>[0] | undefined;
    const sup = supervisor({ strategy: 'one_for_one', children });
    const spawning = system.spawn((self) => {
      victim = self;
      return sup(self);
    });
    await system.idle();
    if (victim !== undefined) system.exit(victim.ref, 'kill');
    assert.deepEqual(await spawning, { ok: false, reason: 'killed' });
    gate.resolve();
    await system.idle();
  });
});
