import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { VirtualClock } from '../../../src/clock.ts';
import { Cluster } from '../../../src/engine/bullmq/cluster.ts';
import type { Presence } from '../../../src/engine/bullmq/protocol.ts';
import { WorkerList } from '../../../src/engine/bullmq/worker-list.ts';

const second = 1_000;

function presenceOf(more: Partial<Presence> = {}): Presence {
  return {
    ...{ type: 'present', id: 'w1', host: 'crow', pid: 1, version: '2', startedAt: 0, isDraining: false },
    ...{ concurrency: 4, active: [], processed: 0, failed: 0 },
    ...more,
  };
}

function openList() {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const list = new WorkerList(clock, new Cluster({ name: 'herons', version: '2', key: new Uint8Array(32) }));
  return { clock, list, rate: () => list.list()[0]?.perMinute };
}

describe('the list of worker processes', () => {
  test('tells the queues of each, and takes steps to those alone that are there, of its version, and not draining', () => {
    const { clock, list } = openList();
    list.heard(presenceOf({ id: 'away' }));
    clock.advance(15 * second);
    list.heard(presenceOf());
    list.heard(presenceOf({ id: 'older', version: '1' }));
    list.heard(presenceOf({ id: 'draining', isDraining: true }));
    assert.deepEqual(
      list.list().map(({ id, takesSteps, queues }) => [id, takesSteps, queues]),
      [
        ['away', false, ['herons.steps.2']],
        ['w1', true, ['herons.steps.2']],
        ['older', false, ['herons.steps.1']],
        ['draining', false, ['herons.steps.2']],
      ],
    );
    assert.equal(list.slots(), 4);
  });

  test('tells how many steps each ended in a minute of the last five, and how many of them failed', () => {
    const { clock, list, rate } = openList();
    list.heard(presenceOf({ processed: 900 }));
    assert.equal(rate(), undefined);
    clock.advance(second);
    list.heard(presenceOf({ processed: 901 }));
    assert.equal(rate(), undefined);
    clock.advance(59 * second);
    list.heard(presenceOf({ processed: 960, failed: 6 }));
    assert.deepEqual(rate(), { processed: 60, failed: 6 });
    for (let minute = 1; minute <= 5; minute += 1) {
      clock.advance(60 * second);
      list.heard(presenceOf({ processed: 960 + minute * 10, failed: 6 }));
    }
    assert.deepEqual(rate(), { processed: 10, failed: 0 });
  });

  test('tells no rate below zero of one that counts from the beginning, as its taker of steps was started anew', () => {
    const { clock, list, rate } = openList();
    list.heard(presenceOf({ processed: 900, failed: 9 }));
    clock.advance(10 * second);
    list.heard(presenceOf({ processed: 0 }));
    assert.equal(rate(), undefined);
    clock.advance(30 * second);
    list.heard(presenceOf({ processed: 5 }));
    assert.deepEqual(rate(), { processed: 10, failed: 0 });
  });

  test('tells no rate of one that is away', () => {
    const { clock, list, rate } = openList();
    list.heard(presenceOf());
    clock.advance(5 * second);
    list.heard(presenceOf({ processed: 1 }));
    assert.deepEqual(rate(), { processed: 12, failed: 0 });
    clock.advance(15 * second);
    assert.equal(rate(), undefined);
  });
});
