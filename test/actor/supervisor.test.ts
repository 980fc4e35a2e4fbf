import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { countChildren, startChild, terminateChild, whichChildren } from '../../src/actor/management.ts';
import { supervisor, type SupervisorSpec } from '../../src/actor/supervisor.ts';
import {
  type Actor,
  type ChildSpec,
  type ExitReason,
  ignore,
  type Ref,
  type Restart,
  type Self,
} from '../../src/actor/types.ts';
import { family, puppet, type PuppetMessage, stage, trio } from './support.ts';

const crash: ExitReason = ['error', 'boom'];

describe('restart types', () => {
  const reasons: readonly ExitReason[] = ['normal', 'shutdown', ['shutdown', 'done'], 'killed', 'noproc', crash];
  const isNormal = (reason: ExitReason) => reason === 'normal' || reason === 'shutdown' || reason[0] === 'shutdown';
  const lives: Record<Restart, (reason: ExitReason) => number> = {
    permanent: () => 2,
    transient: (reason) => (isNormal(reason) ? 1 : 2),
    temporary: () => 1,
  };
  for (const restart of ['permanent', 'transient', 'temporary'] as const) {
    for (const reason of reasons) {
      const expected = lives[restart](reason);
      test(`a ${restart} child that leaves with ${String(reason)} lives ${expected === 2 ? 'twice' : 'once'}`, async () => {
        const { system, leave, lives: livesOf } = await trio({}, { restart });
        leave('b', reason);
        await system.idle();
        assert.equal(livesOf('b'), expected);
      });
    }
  }

  test('a transient child that left in peace is remembered, a temporary one is not', async () => {
    const scene = stage();
    const kin = family();
    const children = [kin.child('t', { restart: 'transient' }), kin.child('x', { restart: 'temporary' })];
    const sup = await scene.spawn(supervisor({ strategy: 'one_for_one', children }));
    kin.leave('t', 'normal');
    kin.leave('x', 'normal');
    await scene.system.idle();
    assert.deepEqual(await whichChildren(sup), [{ id: 't', type: 'worker', child: 'stopped' }]);
  });
});

describe('strategies', () => {
  const cases = [
    ['one_for_one', ['b stops', 'b starts']],
    ['rest_for_one', ['b stops', 'c stops', 'b starts', 'c starts']],
    ['one_for_all', ['b stops', 'c stops', 'a stops', 'a starts', 'b starts', 'c starts']],
  ] as const;
  for (const [strategy, expected] of cases) {
    test(`${strategy}: what a crash of the second of three does`, async () => {
      const { system, leave, diary } = await trio({ strategy });
      leave('b', crash);
      await system.idle();
      assert.deepEqual(diary, expected);
    });
  }

  test('a child that is not to be restarted leaves its siblings alone', async () => {
    const { system, leave, diary } = await trio({ strategy: 'one_for_all' }, { restart: 'transient' });
    leave('b', 'normal');
    await system.idle();
    assert.deepEqual(diary, ['b stops']);
  });

  test('a group restart also starts children that had no life, but forgets temporary ones', async () => {
    const scene = stage();
    const kin = family();
    const children = [kin.child('a'), kin.child('stopped'), kin.child('x', { restart: 'temporary' })];
    const sup = await scene.spawn(supervisor({ strategy: 'one_for_all', children }));
    await terminateChild(sup, 'stopped');
    kin.diary.length = 0;
    kin.leave('a', crash);
    await scene.system.idle();
    assert.deepEqual(kin.diary, ['a stops', 'x stops', 'a starts', 'stopped starts']);
    assert.equal((await countChildren(sup)).specs, 2);
  });

  test('two siblings that crash together cost one restart of the group', async () => {
    const { system, leave, lives, sup } = await trio({ strategy: 'one_for_all', intensity: 1 });
    system.suspend(sup);
    leave('a', crash);
    leave('c', crash);
    await system.idle();
    system.resume(sup);
    await system.idle();
    assert.deepEqual([lives('a'), lives('b'), lives('c')], [2, 2, 2]);
  });

  test('a start that fails in a group restart leaves the later children until its retry', async () => {
    const { system, leave, failStarts, diary } = await trio({ strategy: 'rest_for_one' });
    failStarts('b', 1);
    leave('a', crash);
    await system.idle();
    assert.deepEqual(diary.slice(3), ['a starts', 'b fails', 'b starts', 'c starts']);
  });
});

describe('restart intensity', () => {
  test('a supervisor allows three restarts in five seconds, and ends with shutdown at the fourth', async () => {
    const { system, leave, lives, diary, sup, reports } = await trio();
    for (let n = 0; n < 4; n += 1) {
      leave('b', crash);
      await system.idle();
    }
    assert.equal(lives('b'), 4);
    assert.equal(await system.ended(sup), 'shutdown');
    assert.deepEqual(diary.slice(-3), ['b stops', 'c stops', 'a stops']);
    const told = reports.flatMap((report) => (report.type === 'supervisor' ? [report.context] : []));
    assert.deepEqual(told.slice(-2), ['child_terminated', 'intensity_reached']);
  });

  test('restarts older than the period, in whole seconds, do not count', async () => {
    const { system, leave, lives, elapse } = await trio({ intensity: 1, periodMs: 1_000 });
    for (let n = 0; n < 5; n += 1) {
      leave('b', crash);
      await system.idle();
      await elapse(2_000);
    }
    assert.equal(lives('b'), 6);
  });

  test('an intensity of zero allows no restart', async () => {
    const { system, leave, sup } = await trio({ intensity: 0 });
    leave('b', crash);
    assert.equal(await system.ended(sup), 'shutdown');
  });

  test('a restart that fails is tried again behind the messages that wait, and each try counts', async () => {
    const { system, leave, failStarts, ids, sup } = await trio({ intensity: 2 });
    failStarts('b', 10);
    system.suspend(sup);
    leave('b', crash);
    await system.idle();
    const between = ids();
    system.resume(sup);
    assert.deepEqual((await between)[1], ['b', 'restarting']);
    assert.equal(await system.ended(sup), 'shutdown');
  });

  test('a supervisor that ends as restarts failed tells why the last of them did', async () => {
    const { system, leave, failStarts, reports, sup } = await trio({ intensity: 1 });
    failStarts('b', 10);
    leave('b', crash);
    await system.ended(sup);
    const told = reports.flatMap((report) =>
      report.type === 'supervisor' ? [[report.context, report.child, report.reason]] : [],
    );
    const failed = ['error', new Error('not today')];
    assert.deepEqual(told, [
      ['child_terminated', 'b', crash],
      ['start_error', 'b', failed],
      ['intensity_reached', 'b', failed],
    ]);
  });

  test('a child is seen as one that starts while its restart takes time', async () => {
    const { system, spawn } = stage();
    const gate = Promise.withResolvers<void>();
    const lives: Ref<PuppetMessage>[] = [];
    const start = async (self: Self<PuppetMessage>) => {
      if (lives.push(self.ref) > 1) await gate.promise;
      return puppet(self);
    };
    await spawn(supervisor({ strategy: 'one_for_one', children: [{ id: 'a', start }] }), 'sup');
    const states = () => system.inspect()[0]?.children.map(({ state }) => state);
    system.exit(lives[0] ?? assert.fail(), crash);
    await system.idle();
    assert.deepEqual(states(), ['starting']);
    gate.resolve();
    await system.idle();
    assert.deepEqual(states(), ['running']);
  });

  test('a supervisor that used up its budget is restarted by its own, as any permanent child is', async () => {
    const scene = stage();
    const kin = family();
    const inner = supervisor({ strategy: 'one_for_one', intensity: 0, children: [kin.child('leaf')] });
    await scene.spawn(
      supervisor({ strategy: 'one_for_one', children: [{ id: 'inner', type: 'supervisor', start: inner }] }),
    );
    kin.leave('leaf', crash);
    await scene.system.idle();
    assert.deepEqual(kin.diary, ['leaf starts', 'leaf stops', 'leaf starts']);
  });
});

describe('start of a supervisor', () => {
  test('by anything but the kernel is an error', async () => {
    const start = supervisor({ strategy: 'one_for_one', children: [] });
    await assert.rejects(async () => start({} as never), {
      name: 'TypeError',
      message: 'this actor can only be started by the kernel',
    });
  });

  test('each child starts when the one before it has started', async () => {
    const { system } = stage();
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    const slow = async () => {
      await gate.promise;
      order.push('slow');
      return { receive() {} };
    };
    const quick = () => {
      order.push('quick');
      return { receive() {} };
    };
    const children = [
      { id: 'slow', start: slow },
      { id: 'quick', start: quick },
    ];
    const spawning = system.spawn(supervisor({ strategy: 'one_for_one', children }));
    await system.idle();
    assert.deepEqual(order, []);
    gate.resolve();
    await spawning;
    assert.deepEqual(order, ['slow', 'quick']);
  });

  test('a tree may be thousands of supervisors deep', async () => {
    const { system, spawn } = stage();
    let leaves = 0;
    const leaf: Actor<never> = () => {
      leaves += 1;
      return { receive() {} };
    };
    let tree: ChildSpec = { id: 'leaf', start: leaf };
    for (let depth = 0; depth < 5_000; depth += 1) {
      tree = { id: 'node', start: supervisor({ strategy: 'one_for_one', children: [tree] }), type: 'supervisor' };
    }
    const root = await spawn(supervisor({ strategy: 'one_for_one', children: [tree] }));
    assert.equal(leaves, 1);
    system.exit(root, 'shutdown');
    assert.equal(await system.ended(root), 'shutdown');
  });

  test('a child that fails to start stops those before it in reverse order and fails the start', async () => {
    const { system, reports } = stage();
    const { child, diary, failStarts } = family();
    failStarts('c', 1);
    const children = ['a', 'b', 'c', 'd'].map((id) => child(id));
    const spawned = await system.spawn(supervisor({ strategy: 'one_for_one', children }));
    assert.deepEqual(diary, ['a starts', 'b starts', 'c fails', 'b stops', 'a stops']);
    const error = ['error', new Error('not today')];
    assert.deepEqual(spawned, { ok: false, reason: ['shutdown', ['failed_to_start_child', 'c', error]] });
    assert.deepEqual(
      reports.filter(({ type }) => type === 'supervisor').map((report) => ({ ...report, id: '' })),
      [{ type: 'supervisor', id: '', context: 'start_error', child: 'c', reason: error }],
    );
  });

  test('a child that has nothing to do is kept, unless it is temporary', async () => {
    const { spawn } = stage();
    const start: Actor<never> = () => ignore;
    const children = [{ id: 'kept', start }, { id: 'dropped', start, restart: 'temporary' } as const];
    const sup = await spawn(supervisor({ strategy: 'one_for_one', children }));
    assert.deepEqual(await whichChildren(sup), [{ id: 'kept', type: 'worker', child: 'stopped' }]);
  });

  const bad: readonly (readonly [string, Partial<SupervisorSpec>, string])[] = [
    ['an unknown strategy', { strategy: 'simple_one_for_one' as never }, 'invalid_strategy'],
    ['an unknown auto-shutdown', { autoShutdown: 'always' as never }, 'invalid_auto_shutdown'],
    ['a negative intensity', { intensity: -1 }, 'invalid_intensity'],
    ['a period of zero', { periodMs: 0 }, 'invalid_period'],
    ['a period of half a second', { periodMs: 500 }, 'invalid_period'],
    ['two children of one id', { children: [family().child('a'), family().child('a')] }, 'duplicate_child_name'],
    [
      'a significant child without auto-shutdown',
      { children: [family().child('a', { significant: true })] },
      'bad_combination',
    ],
    [
      'a significant permanent child',
      { autoShutdown: 'any_significant', children: [family().child('a', { significant: true })] },
      'bad_combination',
    ],
    ['a negative shutdown', { children: [family().child('a', { shutdown: -1 })] }, 'invalid_shutdown'],
  ];
  for (const [what, spec, problem] of bad) {
    test(`${what} is refused, and nothing is started`, async () => {
      const { system, reports } = stage();
      const spawned = await system.spawn(supervisor({ strategy: 'one_for_one', children: [], ...spec }));
      assert.ok(spawned.ok === false);
      assert.match(String(spawned.reason[1]), new RegExp(problem));
      assert.deepEqual(reports, []);
    });
  }
});

describe('auto-shutdown', () => {
  test('the end of any significant child ends the supervisor', async () => {
    const { system, sup, child, leave, diary } = await trio({ autoShutdown: 'any_significant', children: [] });
    for (const id of ['a', 'b']) await startChild(sup, child(id, { restart: 'transient', significant: true }));
    leave('a', 'normal');
    assert.equal(await system.ended(sup), 'shutdown');
    assert.deepEqual(diary.slice(2), ['a stops', 'b stops']);
  });

  test('a significant child that crashes is restarted, and ends nothing', async () => {
    const { system, sup, child, leave, lives } = await trio({ autoShutdown: 'any_significant', children: [] });
    await startChild(sup, child('a', { restart: 'transient', significant: true }));
    leave('a', crash);
    await system.idle();
    assert.deepEqual([lives('a'), (await countChildren(sup)).active], [2, 1]);
  });

  test('only the end of the last significant child ends the supervisor, if all must end', async () => {
    const { system, sup, child, leave } = await trio({ autoShutdown: 'all_significant', children: [] });
    for (const id of ['a', 'b']) await startChild(sup, child(id, { restart: 'temporary', significant: true }));
    leave('a', crash);
    await system.idle();
    assert.equal((await countChildren(sup)).active, 1);
    leave('b', 'normal');
    assert.equal(await system.ended(sup), 'shutdown');
  });
});
