import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ExitError } from '../../src/actor/errors.ts';
import { terminateChild } from '../../src/actor/management.ts';
import { supervisor } from '../../src/actor/supervisor.ts';
import type { Actor, ChildSpec, ExitReason, Self } from '../../src/actor/types.ts';
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

/** An actor that does nothing, and what reaches it from outside once it has started. */
function reached() {
  let child: Self<never> | undefined;
  const start: Actor<never> = (self) => {
    child = self;
    return { receive() {} };
  };
  return { start, child: () => child ?? assert.fail('not started') };
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

  test('a child with a shutdown of 0 is killed without waiting for time to pass', async () => {
    const never = new Promise<void>(() => {});
    const { sup, end, clock } = await only({ id: 'a', start: slow(never), shutdown: 0 });
    await terminateChild(sup, 'a');
    assert.deepEqual([end(), clock.next()], ['killed', undefined]);
  });

  test('a child that ended in time leaves no timer behind', async () => {
    const gate = Promise.withResolvers<void>();
    const { sup, system, clock } = await only({ id: 'a', start: slow(gate.promise) });
    const terminated = terminateChild(sup, 'a');
    await system.idle();
    assert.equal(clock.next(), 5_000);
    gate.resolve();
    await terminated;
    assert.equal(clock.next(), undefined);
  });

  test('of a child that had unlinked itself and ended, its supervisor knows nothing but that it is gone', async () => {
    const scene = stage();
    const { start, child } = reached();
    const sup = await scene.spawn(
      supervisor({ strategy: 'one_for_one', children: [{ id: 'a', start, restart: 'temporary' }] }),
    );
    child().unlink(sup);
    child().stop();
    await scene.system.idle();
    await terminateChild(sup, 'a');
    const told = scene.reports.filter(({ type }) => type === 'supervisor');
    assert.deepEqual(told, [
      { type: 'supervisor', id: sup.id, context: 'shutdown_error', child: 'a', reason: 'noproc' },
    ]);
  });

  test('what a child unlinks after its end changes nothing of what its supervisor knows', async () => {
    const scene = stage();
    const { start, child } = reached();
    const sup = await scene.spawn(supervisor({ strategy: 'one_for_one', children: [{ id: 'a', start }] }));
    scene.system.suspend(sup);
    child().stop('shutdown');
    await scene.system.idle();
    child().unlink(sup);
    scene.system.exit(sup, 'shutdown');
    assert.equal(await scene.system.ended(sup), 'shutdown');
    assert.deepEqual(
      scene.reports.filter(({ type }) => type === 'supervisor'),
      [],
    );
  });

  const normalStop: Actor<never> = (self) => {
    self.trapExit();
    return {
      receive() {},
      stop() {
        throw new ExitError('normal');
      },
    };
  };
  for (const [restart, said] of [
    ['permanent', ['shutdown_error']],
    ['transient', []],
  ] as const) {
    test(`a ${restart} child that ends with normal when it is shut down is ${said.length === 0 ? 'not ' : ''}reported`, async () => {
      const { sup, end, complaints } = await only({ id: 'a', start: normalStop, restart });
      await terminateChild(sup, 'a');
      assert.deepEqual([end(), complaints()], ['normal', said]);
    });
  }

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

  test('a child that unlinked itself outlives its killed supervisor', async () => {
    const scene = stage();
    const { start, child } = reached();
    const sup = await scene.spawn(supervisor({ strategy: 'one_for_one', children: [{ id: 'a', start }] }));
    child().unlink(sup);
    scene.system.exit(sup, 'kill');
    await scene.system.idle();
    assert.equal(child().signal.aborted, false);
  });

  test('a child that is a supervisor is given all the time that its own children take', async () => {
    const gate = Promise.withResolvers<void>();
    const leaf = { id: 'leaf', start: slow(gate.promise), shutdown: 'infinity' } as const;
    const inner = supervisor({ strategy: 'one_for_one', children: [leaf] });
    const { sup, system, elapse, end } = await only({ id: 'inner', type: 'supervisor', start: inner });
    system.exit(sup, 'shutdown');
    await elapse(1e6);
    assert.equal(end(), undefined);
    gate.resolve();
    assert.equal(await system.ended(sup), 'shutdown');
  });

  test('a supervisor that is killed while it shuts down ends no further child by its rule', async () => {
    const scene = stage();
    const gate = Promise.withResolvers<void>();
    const never = new Promise<void>(() => {});
    const reasons: ExitReason[] = [];
    const children = [
      { id: 'a', start: slow(never, reasons), shutdown: 100 },
      { id: 'b', start: slow(gate.promise, reasons) },
    ];
    const sup = await scene.spawn(supervisor({ strategy: 'one_for_one', children }));
    scene.system.exit(sup, 'shutdown');
    await scene.system.idle();
    scene.system.exit(sup, 'kill');
    gate.resolve();
    await scene.elapse(10_000);
    assert.deepEqual(reasons, ['shutdown', 'killed']);
    const ended = scene.reports.flatMap((report) => (report.type === 'ended' ? [report.id.split('#')[0]] : []));
    assert.deepEqual(ended, ['actor', 'b']);
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
