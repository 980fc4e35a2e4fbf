import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { Registry } from '../../src/actor/registry.ts';
import { createSystem } from '../../src/actor/system.ts';
import { VirtualClock } from '../../src/clock.ts';
import { type Changed, planner, type PlannerDeps, type PlannerMessage } from '../../workers/planner.ts';

interface Planned {
  readonly clock: VirtualClock;
  /** What each pass was told to schedule anew, and when it was. */
  readonly passes: { readonly changed: Changed; readonly at: number }[];
  readonly send: (message: PlannerMessage) => void;
  readonly idle: () => Promise<void>;
}

async function startPlanner(t: TestContext, given: Partial<PlannerDeps> = {}): Promise<Planned> {
  const clock = new VirtualClock(0);
  const system = createSystem({ clock });
  const passes: Planned['passes'] = [];
  const deps: PlannerDeps = {
    clock,
    registry: new Registry<'planner', PlannerMessage>(),
    stale: () => [],
    nextAt: () => undefined,
    pass: () => Promise.resolve({ left: [], isFull: false }),
    ...given,
  };
  const pass: PlannerDeps['pass'] = (changed) => {
    passes.push({ changed, at: clock.now() });
    return deps.pass(changed);
  };
  const spawned = await system.spawn<PlannerMessage>((self) => planner(self, { ...deps, pass }), { id: 'planner' });
  if (spawned.ok !== true) assert.fail('the planner did not start');
  t.after(() => system.exit(spawned.ref, 'shutdown'));
  const { ref } = spawned;
  await system.idle();
  return { clock, passes, send: (message) => ref.send(message), idle: () => system.idle() };
}

describe('the planner', () => {
  test('passes when a day begins or an age changes something, and not before', async (t) => {
    let next: number | undefined = 60_000;
    const { clock, passes, idle } = await startPlanner(t, {
      nextAt: () => next,
      async pass() {
        next = undefined;
        return { left: [], isFull: false };
      },
    });
    clock.advance(59_999);
    await idle();
    assert.deepEqual(passes, []);
    clock.advance(1);
    await idle();
    assert.deepEqual(passes, [{ changed: [], at: 60_000 }]);
    clock.advance(3_600_000);
    await idle();
    assert.equal(passes.length, 1);
  });

  test('schedules anew what had changed before its life, and what changes during it', async (t) => {
    const { passes, send, idle } = await startPlanner(t, { stale: () => 'all' });
    send({ type: 'changed', sources: ['a'] });
    await idle();
    assert.deepEqual(
      passes.map(({ changed }) => changed),
      ['all', ['a']],
    );
  });

  test('tries a pass again that the store had no room for, with all that it was to do (J29)', async (t) => {
    let room = false;
    const { clock, passes, idle } = await startPlanner(t, {
      stale: () => ['a'],
      pass: async (changed) => ({ left: room ? [] : changed, isFull: !room }),
    });
    for (const _ of [1, 2]) {
      clock.advance(60_000);
      await idle();
    }
    room = true;
    clock.advance(60_000);
    await idle();
    clock.advance(3_600_000);
    await idle();
    assert.deepEqual(
      passes.map(({ changed, at }) => [changed, at]),
      [0, 60_000, 120_000, 180_000].map((at) => [['a'], at]),
    );
  });

  test('never makes two passes at once, and one more for what came meanwhile', async (t) => {
    const held: PromiseWithResolvers<void>[] = [];
    const { passes, send, idle } = await startPlanner(t, {
      stale: () => ['a'],
      async pass() {
        const hold = Promise.withResolvers<void>();
        held.push(hold);
        await hold.promise;
        return { left: [], isFull: false };
      },
    });
    send({ type: 'changed', sources: ['b'] });
    send({ type: 'changed', sources: ['c', 'b'] });
    await idle();
    assert.equal(passes.length, 1);
    held[0]?.resolve();
    await held[0]?.promise;
    await new Promise(setImmediate);
    held[1]?.resolve();
    await idle();
    assert.deepEqual(
      passes.map(({ changed }) => changed),
      [['a'], ['b', 'c']],
    );
  });
});
