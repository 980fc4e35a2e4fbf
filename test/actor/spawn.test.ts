import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { lifeAt } from '../../src/actor/address.ts';
import { dynamicSupervisor } from '../../src/actor/dynamic-supervisor.ts';
import { startChild } from '../../src/actor/management.ts';
import { spawnLink } from '../../src/actor/spawn.ts';
import type { Self } from '../../src/actor/types.ts';
import { puppet, stage } from './support.ts';

describe('a start', () => {
  test('by a parent that has ended is none', async () => {
    const { system, spawn } = stage();
    const ref = await spawn(puppet);
    const parent = lifeAt(ref) ?? assert.fail();
    system.exit(ref, 'kill');
    const started = await spawnLink(parent, { start: () => assert.fail('started') }, 'child');
    assert.deepEqual(started, { ok: false, reason: 'noproc' });
  });

  test('that kills its own life fails, and does not revive it by what it returns', async () => {
    const { system, reports } = stage();
    const spawned = await system.spawn((self) => {
      system.exit(self.ref, 'kill');
      return { receive: () => assert.fail('ran') };
    });
    assert.deepEqual(spawned, { ok: false, reason: 'killed' });
    assert.deepEqual([reports, system.inspect()], [[], []]);
  });

  test('that kills its parent ends with it, as it is linked from the begin', async () => {
    const { system, spawn } = stage();
    const sup = await spawn(dynamicSupervisor());
    let child: Self<never> | undefined;
    const started = startChild(sup, {
      id: 'child',
      start(self) {
        child = self;
        system.exit(sup, 'kill');
        return { receive() {} };
      },
    });
    await assert.rejects(started, { code: 'ended', reason: 'killed' });
    assert.equal(child?.signal.aborted, true);
  });
});
