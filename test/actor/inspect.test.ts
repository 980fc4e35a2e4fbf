import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { VirtualClock } from '../../src/clock.ts';
import { terminateChild } from '../../src/actor/management.ts';
import type { Report } from '../../src/actor/report.ts';
import { supervisor } from '../../src/actor/supervisor.ts';
import { createSystem } from '../../src/actor/system.ts';
import type { Actor, ExitReason } from '../../src/actor/types.ts';
import { family, hear, make, puppet, stage, trio } from './support.ts';

const crash: ExitReason = ['error', 'boom'];

describe('the tree as it is inspected', () => {
  test('it shows each child with its state, restarts, age and last exit', async () => {
    const { system, elapse, leave, sup } = await trio();
    await elapse(500);
    leave('a', crash);
    await terminateChild(sup, 'b');
    await elapse(1_000);
    const [root] = system.inspect();
    assert.deepEqual([root?.kind, root?.state, root?.ageMs], ['supervisor', 'running', 1_500]);
    assert.deepEqual(
      root?.children.map(({ name, state, restarts, ageMs, lastExit }) => [name, state, restarts, ageMs, lastExit]),
      [
        ['a', 'running', 1, 1_000, crash],
        ['b', 'stopped', 0, 0, 'shutdown'],
        ['c', 'running', 0, 1_500, undefined],
      ],
    );
  });

  test('a child is seen while it starts and while it stops', async () => {
    const { system, spawn } = stage();
    const { child } = family();
    const gate = Promise.withResolvers<void>();
    const slow: Actor<never> = async (self) => {
      self.trapExit();
      await gate.promise;
      return { receive() {}, stop: () => new Promise(() => {}) };
    };
    const children = [child('quick'), { id: 'slow', start: slow }];
    const states = () => system.inspect()[0]?.children.map(({ state }) => state);
    const spawning = spawn(supervisor({ strategy: 'one_for_one', children }));
    await system.idle();
    assert.deepEqual(states(), ['running', 'starting']);
    gate.resolve();
    const sup = await spawning;
    assert.deepEqual(states(), ['running', 'running']);
    system.exit(sup, 'shutdown');
    await system.idle();
    assert.deepEqual(states(), ['running', 'stopping']);
  });

  test('memory counts what the kernel keeps for a life, and the messages that wait', async () => {
    const { system, spawn } = stage();
    const one = await spawn(puppet, 'one');
    const other = await spawn(puppet, 'other');
    const bytes = () => system.inspect()[0]?.memoryBytes ?? 0;
    const sizes = [bytes()];
    await make(one, (self) => self.after(1_000, hear('later')));
    sizes.push(bytes());
    await make(one, (self) => self.monitor(other, hear));
    sizes.push(bytes());
    for (let n = 0; n < 1_000; n += 1) one.send(hear(n));
    sizes.push(bytes());
    assert.deepEqual(
      sizes,
      [...sizes].sort((a, b) => a - b),
    );
    assert.ok(sizes[0] !== undefined && sizes[0] > 100 && sizes[0] < 1_000);
    assert.ok((sizes[3] ?? 0) > 10_000);
  });
});

describe('a mailbox that grows past the threshold', () => {
  function flooded(mailboxThreshold?: number) {
    const clock = new VirtualClock();
    const reports: Report[] = [];
    const report = (each: Report): void => void (each.type === 'mailbox' && reports.push(each));
    const system = createSystem({ clock, report, ...(mailboxThreshold !== undefined && { mailboxThreshold }) });
    return { system, reports };
  }

  test('is told once, and once more when it had fallen to half', async () => {
    const { system, reports } = flooded(10);
    const sent = await system.spawn<number>(() => ({ receive() {} }), { id: 'slow' });
    assert.ok(sent.ok === true);
    for (let n = 0; n < 30; n += 1) sent.ref.send(n);
    assert.deepEqual(reports, [{ type: 'mailbox', id: sent.ref.id, length: 11 }]);
    await system.idle();
    for (let n = 0; n < 11; n += 1) sent.ref.send(n);
    assert.equal(reports.length, 2);
  });

  test('is one of more than 10,000 messages unless told otherwise', async () => {
    const { system, reports } = flooded();
    const sent = await system.spawn<number>(() => ({ receive() {} }));
    assert.ok(sent.ok === true);
    for (let n = 0; n < 10_000; n += 1) sent.ref.send(n);
    assert.deepEqual(reports, []);
    sent.ref.send(10_000);
    assert.equal(reports.length, 1);
  });
});
