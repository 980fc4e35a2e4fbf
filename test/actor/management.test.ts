import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dynamicSupervisor } from '../../src/actor/dynamic-supervisor.ts';
import {
  type ManagementMessage,
  countChildren,
  deleteChild,
  getChildSpec,
  restartChild,
  startChild,
  terminateChild,
  whichChildren,
} from '../../src/actor/management.ts';
import { supervisor } from '../../src/actor/supervisor.ts';
import { type Actor, ignore, type ChildSpec, type ExitReason } from '../../src/actor/types.ts';
import { family, stage, trio } from './support.ts';

const crash: ExitReason = ['error', 'boom'];

describe('management', () => {
  test('a started child comes last, and first in the list of children', async () => {
    const { sup, child, ids } = await trio();
    assert.equal((await startChild(sup, child('d'))).ok, true);
    assert.deepEqual(
      (await ids()).map(([id]) => id),
      ['d', 'c', 'b', 'a'],
    );
  });

  test('a known id is not started again', async () => {
    const { sup, child, at } = await trio();
    assert.deepEqual(await startChild(sup, child('a')), { ok: false, code: 'already_started', ref: at('a') });
    await terminateChild(sup, 'a');
    assert.deepEqual(await startChild(sup, child('a')), { ok: false, code: 'already_present' });
  });

  for (const [problem, value] of [
    ['invalid_child_spec', null],
    ['invalid_child_spec', 'a'],
    ['missing_id', {}],
    ['invalid_id', { id: Symbol('a'), start: () => ({ receive() {} }) }],
    ['invalid_mfa', { id: 'a', start: 'a' }],
    ['invalid_restart_type', { id: 'a', start: () => ({ receive() {} }), restart: {} }],
  ] as const) {
    test(`what is no spec is refused with ${problem}, by both kinds of supervisor`, async () => {
      const { spawn } = stage();
      const spec = value as unknown as ChildSpec;
      const fixed = supervisor({ strategy: 'one_for_one', children: [] });
      for (const sup of [await spawn(fixed), await spawn(dynamicSupervisor())]) {
        const refused = await startChild(sup, spec);
        assert.ok(refused.ok === false && refused.code === 'bad_spec');
        assert.equal(refused.problem[0], problem);
        assert.equal((await countChildren(sup)).specs, 0);
      }
    });
  }

  test('the end, or the failed restart, of a child that lives is not believed', async () => {
    const { system, spawn, sup, at, lives, child } = await trio();
    const pool = await spawn(dynamicSupervisor());
    await startChild(pool, child('d'));
    sup.send({ type: 'exited', exit: { from: at('a'), reason: crash } });
    pool.send({ type: 'exited', exit: { from: at('d'), reason: crash } });
    sup.send({ type: 'retry', child: 'a' });
    pool.send({ type: 'retry', child: at('d') });
    await system.idle();
    assert.deepEqual(['a', 'd'].map(lives), [1, 1]);
  });

  test('what is no message of a supervisor is reported and dropped', async () => {
    const { spawn, reports } = stage();
    const fixed = supervisor({ strategy: 'one_for_one', children: [] });
    const odd = [null, undefined, 'hello', 1, {}, { type: 'hello' }];
    for (const sup of [await spawn(fixed), await spawn(dynamicSupervisor())]) {
      for (const message of odd) sup.send(message as unknown as ManagementMessage);
      assert.equal((await countChildren(sup)).specs, 0);
      const told = reports.flatMap((report) =>
        report.type === 'unexpected' && report.id === sup.id ? [report.message] : [],
      );
      assert.deepEqual(told, odd);
    }
  });

  test('a spec that is changed after its start has no effect, in both kinds of supervisor', async () => {
    const { system, spawn, reports } = stage();
    const kin = family();
    const specs = ['listed', 'added', 'pooled'].map((id) => ({ ...kin.child(id) }));
    const [listed, added, pooled] = specs as [ChildSpec, ChildSpec, ChildSpec];
    const children = [listed];
    const actor = supervisor({ strategy: 'one_for_one', children });
    children.push(kin.child('late'));
    const fixed = await spawn(actor);
    await startChild(fixed, added);
    const pool = await spawn(dynamicSupervisor());
    await startChild(pool, pooled);
    for (const spec of specs) {
      Object.assign(spec, { restart: 'temporary', id: 'other', start: () => assert.fail('a start that came later') });
    }
    for (const id of ['listed', 'added', 'pooled']) kin.leave(id, crash);
    await system.idle();
    assert.deepEqual(['listed', 'added', 'pooled', 'late'].map(kin.lives), [2, 2, 2, 0]);
    const told = reports.flatMap((report) => (report.type === 'supervisor' ? [report.child] : []));
    assert.deepEqual(told.sort(), ['added', 'listed', 'pooled']);
    const full = await getChildSpec(fixed, 'listed');
    assert.ok(full.ok && full.spec.id === 'listed' && full.spec.restart === 'permanent');
  });

  test('the start of a spec may be a method of a class', async () => {
    const { spawn } = stage();
    class Spec implements ChildSpec {
      readonly id = 'a';
      start() {
        assert.equal(this.id, 'a');
        return { receive() {} };
      }
    }
    for (const sup of [
      await spawn(supervisor({ strategy: 'one_for_one', children: [] })),
      await spawn(dynamicSupervisor()),
    ]) {
      assert.equal((await startChild(sup, new Spec())).ok, true);
    }
  });

  test('a child that fails to start is not kept', async () => {
    const { sup, child, failStarts } = await trio();
    failStarts('d', 1);
    assert.equal((await startChild(sup, child('d'))).ok, false);
    assert.equal((await countChildren(sup)).specs, 3);
  });

  test('a temporary child that has nothing to do is not kept, and another one is', async () => {
    const { sup } = await trio();
    const start: Actor<never> = () => ignore;
    assert.deepEqual(await startChild(sup, { id: 'd', start, restart: 'temporary' }), { ok: 'ignore' });
    assert.equal((await countChildren(sup)).specs, 3);
    await startChild(sup, { id: 'e', start });
    assert.equal((await countChildren(sup)).specs, 4);
  });

  test('a terminated child is not restarted until it is asked for', async () => {
    const { sup, ids, lives } = await trio();
    assert.deepEqual(await terminateChild(sup, 'b'), { ok: true });
    assert.deepEqual((await ids())[1], ['b', 'stopped']);
    assert.equal((await restartChild(sup, 'b')).ok, true);
    assert.equal(lives('b'), 2);
    assert.deepEqual(await terminateChild(sup, 'nobody'), { ok: false, code: 'not_found' });
  });

  test('a child must be stopped to be deleted or restarted', async () => {
    const { sup } = await trio();
    assert.deepEqual(await deleteChild(sup, 'b'), { ok: false, code: 'running' });
    assert.deepEqual(await restartChild(sup, 'b'), { ok: false, code: 'running' });
    await terminateChild(sup, 'b');
    assert.deepEqual(await deleteChild(sup, 'b'), { ok: true });
    assert.deepEqual(await restartChild(sup, 'b'), { ok: false, code: 'not_found' });
  });

  test('a child that is not there is not deleted', async () => {
    const { sup, ids } = await trio();
    assert.deepEqual(await deleteChild(sup, 'nobody'), { ok: false, code: 'not_found' });
    assert.equal((await ids()).length, 3);
  });

  test('a temporary child that is terminated is forgotten, and its id is free', async () => {
    const { sup, child } = await trio({}, { restart: 'temporary' });
    assert.deepEqual(await terminateChild(sup, 'b'), { ok: true });
    assert.deepEqual(await deleteChild(sup, 'b'), { ok: false, code: 'not_found' });
    assert.equal((await startChild(sup, child('b'))).ok, true);
  });

  test('children are counted by type, and by whether they live right now', async () => {
    const { system, sup, at } = await trio();
    system.suspend(sup);
    const counting = countChildren(sup);
    system.exit(at('b'), 'kill');
    system.resume(sup);
    assert.deepEqual(await counting, { specs: 3, active: 2, supervisors: 0, workers: 3 });
  });

  test('management of a supervisor that ended rejects', async () => {
    const { system, sup } = await trio();
    system.exit(sup, 'shutdown');
    await system.ended(sup);
    await assert.rejects(whichChildren(sup), { code: 'noproc' });
  });
});

describe('the tree', () => {
  test('it shows state, restarts, age and last exit of each child', async () => {
    const { system, leave, elapse } = await trio();
    leave('b', crash);
    await elapse(1_000);
    const [root] = system.inspect();
    assert.deepEqual([root?.name, root?.kind, root?.state, root?.ageMs], ['sup', 'supervisor', 'running', 1_000]);
    const b = root?.children[1];
    assert.deepEqual([b?.name, b?.kind, b?.state, b?.restarts, b?.lastExit], ['b', 'actor', 'running', 1, crash]);
  });
});
