import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dynamicSupervisor, type DynamicSupervisorOptions } from '../../src/actor/dynamic-supervisor.ts';
import { describeReason, ExitError } from '../../src/actor/errors.ts';
import { countChildren, startChild, terminateChild, whichChildren } from '../../src/actor/management.ts';
import type { Report } from '../../src/actor/report.ts';
import { createSystem } from '../../src/actor/system.ts';
import { type ExitReason, ignore, type Ref, type Self } from '../../src/actor/types.ts';
import { VirtualClock } from '../../src/clock.ts';
import { family, stage } from './support.ts';

const crash: ExitReason = ['error', 'boom'];

function contexts(reports: readonly Report[]): string[] {
  return reports.flatMap((report) => (report.type === 'supervisor' ? [report.context] : []));
}

async function pool(options: DynamicSupervisorOptions = {}) {
  const scene = stage();
  const kin = family();
  const sup = await scene.spawn(dynamicSupervisor(options), 'pool');
  return { ...scene, ...kin, sup };
}

describe('dynamic supervisor', () => {
  test('children have no order and may share an id', async () => {
    const { sup, child } = await pool();
    await startChild(sup, child('x'));
    await startChild(sup, child('x'));
    assert.deepEqual(await countChildren(sup), { specs: 2, active: 2, supervisors: 0, workers: 2 });
  });

  test('no more children than maxChildren, but a restart is never refused by it', async () => {
    const { system, sup, child, leave, lives } = await pool({ maxChildren: 1 });
    await startChild(sup, child('a'));
    assert.deepEqual(await startChild(sup, child('b')), { ok: false, code: 'max_children' });
    leave('a', crash);
    await system.idle();
    assert.equal(lives('a'), 2);
  });

  test('the stop of many children leaves turns to the event loop, and may be cut short by a kill', async () => {
    for (const isCut of [false, true]) {
      const { system, sup } = await pool();
      let stopped = 0;
      const start = (self: Self<never>) => {
        self.trapExit();
        return { receive() {}, stop: () => void (stopped += 1) };
      };
      for (let n = 0; n < 20_000; n += 1) await startChild(sup, { id: 'one', start });
      system.exit(sup, 'shutdown');
      while (stopped === 0) await new Promise(setImmediate);
      assert.ok(stopped < 20_000);
      if (isCut) system.exit(sup, 'kill');
      assert.equal(await system.ended(sup), isCut ? 'killed' : 'shutdown');
      await system.idle();
      assert.equal(system.inspect().length, 0);
      if (!isCut) assert.equal(stopped, 20_000);
    }
  });

  test('a supervisor that is killed while it signals its children ends no further one by its rule', async () => {
    const { system, sup, elapse, reports } = await pool();
    let stopped = 0;
    const start = (self: Self<never>) => {
      self.trapExit();
      return { receive() {}, stop: () => void (stopped += 1) };
    };
    const slow = (self: Self<never>) => {
      self.trapExit();
      return { receive() {}, stop: () => new Promise<void>(() => {}) };
    };
    for (let n = 0; n < 20_000; n += 1) await startChild(sup, { id: 'quick', start });
    await startChild(sup, { id: 'slow', start: slow, shutdown: 100 });
    system.exit(sup, 'shutdown');
    while (stopped === 0) await new Promise(setImmediate);
    assert.ok(stopped < 20_000);
    system.exit(sup, 'kill');
    await elapse(1_000);
    assert.equal(stopped, 20_000);
    assert.ok(!reports.some((report) => report.type === 'ended' && report.id.startsWith('slow#')));
  });

  test('a child of another supervisor is not found', async () => {
    const { sup, spawn, child, at } = await pool();
    const other = await spawn(dynamicSupervisor());
    await startChild(other, child('a'));
    assert.deepEqual(await terminateChild(sup, at('a')), { ok: false, code: 'not_found' });
    assert.equal((await countChildren(other)).active, 1);
  });

  test('a child that fails to start, or has nothing to do, is not kept', async () => {
    const { sup, child, failStarts } = await pool();
    failStarts('a', 1);
    assert.equal((await startChild(sup, child('a'))).ok, false);
    assert.deepEqual(await startChild(sup, { id: 'b', start: () => ignore }), { ok: 'ignore' });
    assert.equal((await countChildren(sup)).specs, 0);
  });

  for (const [what, options, problem] of [
    ['a negative intensity', { intensity: -1 }, 'invalid_intensity'],
    ['a period of half a second', { periodMs: 500 }, 'invalid_period'],
    ['a negative number of children', { maxChildren: -1 }, 'invalid_max_children'],
    ['a number of children that is none', { maxChildren: Number.NaN }, 'invalid_max_children'],
  ] as const)
    test(`${what} is refused`, async () => {
      const { system } = stage();
      const spawned = await system.spawn(dynamicSupervisor(options));
      assert.ok(spawned.ok === false);
      assert.match(String(spawned.reason[1]), new RegExp(problem));
    });

  test('a bad spec is refused', async () => {
    const { sup, child } = await pool();
    const refused = await startChild(sup, child('a', { shutdown: -1 }));
    assert.deepEqual(refused, { ok: false, code: 'bad_spec', problem: ['invalid_shutdown', -1] });
  });

  test('a child that is not restarted is forgotten', async () => {
    const { system, sup, child, leave } = await pool();
    await startChild(sup, child('a', { restart: 'transient' }));
    leave('a', 'normal');
    await system.idle();
    assert.deepEqual(await whichChildren(sup), []);
  });

  test('a child that is killed as its start ends is known until its end is handled', async () => {
    let brief: Ref<never> | undefined;
    const report = ({ type }: Report): void => {
      if (type === 'started' && brief !== undefined) system.exit(brief, 'kill');
    };
    const system = createSystem({ clock: new VirtualClock(), report });
    const spawned = await system.spawn(dynamicSupervisor());
    assert.ok(spawned.ok === true);
    const idle = { receive() {} };
    const start = (self: Self<never>) => {
      brief = self.ref;
      return idle;
    };
    const starting = startChild(spawned.ref, { id: 'brief', start, restart: 'temporary' });
    const known = await whichChildren(spawned.ref);
    assert.deepEqual(await starting, { ok: true, ref: brief });
    assert.deepEqual(known, [{ id: 'brief', type: 'worker', child: brief }]);
    assert.deepEqual(await whichChildren(spawned.ref), []);
  });

  test('a terminated child is forgotten, and an address of an earlier life is not found', async () => {
    const { system, sup, child, at, leave } = await pool();
    await startChild(sup, child('a'));
    const first = at('a');
    leave('a', crash);
    await system.idle();
    assert.deepEqual(await terminateChild(sup, first), { ok: false, code: 'not_found' });
    assert.deepEqual(await terminateChild(sup, at('a')), { ok: true });
    assert.deepEqual(await whichChildren(sup), []);
  });

  test('a child between two tries of its restart is known by its last address', async () => {
    const { system, sup, child, at, leave, failStarts, diary, reports } = await pool();
    await startChild(sup, child('a'));
    failStarts('a', 1);
    system.suspend(sup);
    leave('a', crash);
    await system.idle();
    const terminated = terminateChild(sup, at('a'));
    system.resume(sup);
    assert.deepEqual(await terminated, { ok: true });
    await system.idle();
    assert.deepEqual(diary, ['a starts', 'a stops', 'a fails']);
    assert.deepEqual(contexts(reports), ['child_terminated', 'start_error']);
  });

  test('a child whose start takes time is restarted as well', async () => {
    const { system, sup, child, at, leave, lives } = await pool();
    const { start } = child('a');
    await startChild(sup, { id: 'a', start: async (self) => start(self) });
    const first = at('a');
    leave('a', crash);
    await system.idle();
    assert.equal(lives('a'), 2);
    assert.notEqual(at('a'), first);
    assert.deepEqual(await countChildren(sup), { specs: 1, active: 1, supervisors: 0, workers: 1 });
    assert.deepEqual(await terminateChild(sup, at('a')), { ok: true });
  });

  test('children are counted by their types', async () => {
    const { sup, child } = await pool();
    await startChild(sup, child('a'));
    await startChild(sup, { id: 'b', type: 'supervisor', start: dynamicSupervisor() });
    assert.deepEqual(await countChildren(sup), { specs: 2, active: 2, supervisors: 1, workers: 1 });
  });

  test('a second end of a child between two tries of its restart is not believed', async () => {
    const { system, sup, child, at, leave, failStarts, reports } = await pool();
    await startChild(sup, child('a'));
    failStarts('a', 1);
    system.suspend(sup);
    leave('a', crash);
    await system.idle();
    sup.send({ type: 'exited', exit: { from: at('a'), reason: crash } });
    system.resume(sup);
    await system.idle();
    const told = reports.flatMap((report) => (report.type === 'supervisor' ? [report.context] : []));
    assert.deepEqual(told, ['child_terminated', 'start_error']);
    assert.equal((await countChildren(sup)).specs, 1);
  });

  test('all children share one budget, and the supervisor ends when it is used up', async () => {
    const { system, sup, child, leave } = await pool({ intensity: 2 });
    for (const id of ['a', 'b', 'c']) await startChild(sup, child(id));
    for (const id of ['a', 'b', 'c']) leave(id, crash);
    assert.equal(await system.ended(sup), 'shutdown');
  });

  test('children stop at the same time, each within its own shutdown', async () => {
    const { system, sup, clock, elapse } = await pool();
    const start = (self: { trapExit(): void }) => {
      self.trapExit();
      return { receive() {}, stop: () => new Promise<void>(() => {}) };
    };
    for (const shutdown of [300, 100, 200]) await startChild(sup, { id: 'slow', start, shutdown });
    system.exit(sup, 'shutdown');
    let endedAt: number | undefined;
    const ended = system.ended(sup).then((reason) => {
      endedAt = clock.monotonic();
      return reason;
    });
    await elapse(1_000);
    assert.equal(await ended, 'shutdown');
    assert.equal(endedAt, 300);
  });

  test('the stop tells of a child that had crashed before it, and of none that was killed by its rule', async () => {
    const { system, sup, child, at, reports } = await pool();
    await startChild(sup, child('a'));
    await startChild(sup, child('b', { shutdown: 'brutal_kill' }));
    system.suspend(sup);
    system.exit(at('a'), 'kill');
    system.exit(sup, 'shutdown');
    await system.ended(sup);
    assert.deepEqual(
      reports.flatMap((report) =>
        report.type === 'supervisor' ? [[report.context, report.child, report.reason]] : [],
      ),
      [['shutdown_error', 'a', 'killed']],
    );
  });
});

describe('the end of a child', () => {
  const cases: readonly (readonly [
    restart: 'permanent' | 'transient',
    shutdown: 'brutal_kill' | 5_000,
    own: ExitReason | undefined,
    reported: boolean,
  ])[] = [
    ['permanent', 'brutal_kill', undefined, false],
    ['permanent', 5_000, undefined, false],
    ['permanent', 5_000, ['shutdown', 'why'], false],
    ['permanent', 5_000, 'normal', true],
    ['transient', 5_000, 'normal', false],
    ['transient', 5_000, crash, true],
  ];
  for (const [restart, shutdown, own, reported] of cases) {
    const how = own === undefined ? `by ${shutdown}` : `with ${String(own)} when it is shut down`;
    test(`of a ${restart} child ${how} is ${reported ? '' : 'not '}reported`, async () => {
      const { sup, reports } = await pool();
      const start = (self: Self<never>) => {
        self.trapExit();
        return {
          receive() {},
          stop() {
            if (own !== undefined) throw new ExitError(own);
          },
        };
      };
      const started = await startChild(sup, { id: 'a', start, restart, shutdown });
      assert.ok(started.ok === true);
      await terminateChild(sup, started.ref);
      const told = reports.flatMap((report) => (report.type === 'supervisor' ? [report.context] : []));
      assert.deepEqual(told, reported ? ['shutdown_error'] : []);
    });
  }
});

describe('a dynamic supervisor that has ended', () => {
  const never = () => new Promise<void>(() => {});

  test('reports no restart that fails later', async () => {
    const { system, sup, child, leave, reports } = await pool();
    const gate = Promise.withResolvers<never>();
    const starts = [child('a').start, () => gate.promise];
    await startChild(sup, { id: 'a', start: (self) => (starts.shift() ?? assert.fail('started'))(self) });
    leave('a', crash);
    await system.idle();
    system.exit(sup, 'kill');
    const told = reports.length;
    gate.reject(new Error('too late'));
    await system.idle();
    assert.deepEqual(reports.slice(told), []);
    assert.deepEqual(system.inspect(), []);
  });

  test('reports no child that ends badly later', async () => {
    const { system, sup, reports } = await pool();
    const gate = Promise.withResolvers<never>();
    const start = (self: Self<never>) => {
      self.trapExit();
      return { receive() {}, stop: () => gate.promise };
    };
    for (const id of ['a', 'b']) await startChild(sup, { id, start });
    const [first] = await whichChildren(sup);
    assert.ok(first !== undefined && typeof first.child !== 'string');
    const terminated = assert.rejects(terminateChild(sup, first.child), { code: 'ended', reason: 'killed' });
    await system.idle();
    system.exit(sup, 'kill');
    await terminated;
    gate.reject(new Error('cannot close'));
    await system.idle();
    assert.deepEqual(
      reports.filter(({ type }) => type === 'supervisor'),
      [],
    );
  });

  test('keeps no child whose start ends later', async () => {
    const { system, sup } = await pool();
    const gate = Promise.withResolvers<void>();
    let aborted = false;
    const start = async (self: Self<never>) => {
      self.signal.addEventListener('abort', () => (aborted = true));
      await gate.promise;
      return { receive() {}, stop: never };
    };
    const started = assert.rejects(startChild(sup, { id: 'slow', start }), { code: 'ended' });
    await system.idle();
    system.exit(sup, 'kill');
    await started;
    gate.resolve();
    await system.idle();
    assert.equal(aborted, true);
    assert.deepEqual(system.inspect(), []);
  });
});

describe('a budget per child', () => {
  for (const way of ['throws', 'rejects']) {
    test(`a gaveUp that ${way} is reported and leaves the supervisor alone`, async () => {
      const error = new Error('nobody to tell');
      const gaveUp = (): void => {
        if (way === 'rejects') return Promise.reject(error) as unknown as undefined;
        throw error;
      };
      const { system, sup, child, leave, reports } = await pool({ budget: 'per_child', intensity: 0, gaveUp });
      await startChild(sup, child('bad'));
      await startChild(sup, child('good'));
      leave('bad', crash);
      await system.idle();
      assert.deepEqual(
        (await whichChildren(sup)).map(({ id }) => id),
        ['good'],
      );
      const strays = reports.filter(({ type }) => type === 'stray');
      assert.deepEqual(strays, [{ type: 'stray', id: sup.id, reason: ['error', error] }]);
    });
  }

  test('a child that used up its own budget is given up and announced, and the supervisor lives on', async () => {
    const gone: unknown[] = [];
    const options = {
      budget: 'per_child',
      gaveUp: ({ id }: { id: string }, reason: ExitReason) => gone.push([id, reason]),
    } as const;
    const { system, sup, child, leave, lives, reports } = await pool(options);
    await startChild(sup, child('bad'));
    await startChild(sup, child('good'));
    for (let n = 0; n < 4; n += 1) {
      leave('bad', crash);
      await system.idle();
    }
    assert.deepEqual(gone, [['bad', crash]]);
    assert.deepEqual([lives('bad'), lives('good')], [4, 1]);
    assert.deepEqual(
      (await whichChildren(sup)).map(({ id }) => id),
      ['good'],
    );
    assert.ok(reports.some((report) => report.type === 'supervisor' && report.context === 'gave_up'));
  });

  test('a child that is given up after a failed restart is told with the reason of that', async () => {
    const gone: ExitReason[] = [];
    const { system, sup, child, leave, failStarts } = await pool({
      budget: 'per_child',
      intensity: 1,
      gaveUp: (_spec, reason) => gone.push(reason),
    });
    await startChild(sup, child('a'));
    failStarts('a', 2);
    leave('a', crash);
    await system.idle();
    assert.match(describeReason(gone[0] ?? 'normal'), /not today/);
  });

  test('a restart that fails again and again uses up the budget of that child only', async () => {
    const { system, sup, child, leave, failStarts } = await pool({ budget: 'per_child' });
    await startChild(sup, child('bad'));
    await startChild(sup, child('good'));
    failStarts('bad', 100);
    leave('bad', crash);
    await system.idle();
    assert.deepEqual(
      (await whichChildren(sup)).map(({ id }) => id),
      ['good'],
    );
  });

  test('crashes further apart than the period are restarted without end', async () => {
    const { system, sup, child, leave, lives, elapse } = await pool({
      budget: 'per_child',
      intensity: 1,
      periodMs: 1_000,
    });
    await startChild(sup, child('a'));
    for (let n = 0; n < 10; n += 1) {
      leave('a', crash);
      await system.idle();
      await elapse(2_000);
    }
    assert.equal(lives('a'), 11);
  });
});
