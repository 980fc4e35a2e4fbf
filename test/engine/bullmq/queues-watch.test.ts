import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { VirtualClock } from '../../../src/clock.ts';
import { QueuesWatch } from '../../../src/engine/bullmq/queues-watch.ts';

const seconds = 1_000;
const start = Date.UTC(2026, 0, 1);
const other = { holder: 'crow 3f', life: '4711 abc' };

function open() {
  const clock = new VirtualClock(start);
  const reached: number[] = [];
  return { clock, reached, watch: new QueuesWatch(clock, (awayMs) => void reached.push(awayMs)) };
}

describe('the condition of the queues', () => {
  test('is not known until something has failed, or the server was silent for 8 s', () => {
    const { clock, watch } = open();
    clock.advance(8 * seconds);
    assert.deepEqual(watch.condition, { kind: 'opening' });
    clock.advance(1);
    assert.deepEqual(watch.condition, { kind: 'unreached', since: start, why: 'the server does not answer' });
  });

  test('is that they are not reached from the first failure on, with why the last try failed, until the lease is held', () => {
    const { clock, watch, reached } = open();
    clock.advance(seconds);
    watch.failed(new Error('the secret QUEUES is missing'));
    clock.advance(20 * seconds);
    watch.failed(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }));
    assert.deepEqual(watch.condition, { kind: 'unreached', since: start + seconds, why: 'ECONNREFUSED' });
    watch.renewed();
    assert.deepEqual(watch.condition, { kind: 'open', unattendedSince: start + 21 * seconds });
    assert.deepEqual(reached, [20 * seconds]);
  });

  test('is that worker processes are there also where these were heard of before the lease was first renewed', () => {
    const { clock, watch } = open();
    watch.credited(4);
    clock.advance(5 * seconds);
    watch.renewed();
    assert.deepEqual(watch.condition, { kind: 'open' });
    watch.credited(0);
    assert.deepEqual(watch.condition, { kind: 'open', unattendedSince: start + 5 * seconds });
  });

  test('is that another daemon has the lease, since the first time that it had it, with its machine and pid', () => {
    const { clock, watch, reached } = open();
    watch.waits(other);
    clock.advance(60 * seconds);
    watch.waits(other);
    assert.deepEqual(watch.condition, { kind: 'leased', since: start, holder: 'crow pid 4711' });
    watch.waits({ holder: 'crow 3f', life: 'abc' });
    assert.deepEqual(watch.condition, { kind: 'leased', since: start, holder: 'crow' });
    assert.deepEqual(reached, []);
  });

  test('is that they are not reached while the lease is not renewed, and is told to be over once it is', () => {
    const { clock, watch, reached } = open();
    watch.renewed();
    watch.credited(4);
    clock.advance(8 * seconds);
    assert.deepEqual(watch.condition, { kind: 'open' });
    clock.advance(4 * seconds);
    assert.deepEqual(watch.condition, { kind: 'unreached', since: start, why: 'the server does not answer' });
    watch.failed(new Error('connection lost'));
    assert.deepEqual(watch.condition, { kind: 'unreached', since: start, why: 'connection lost' });
    watch.renewed();
    assert.deepEqual([watch.condition, reached], [{ kind: 'open' }, [12 * seconds]]);
  });

  test('says since when no worker process takes steps', () => {
    const { clock, watch } = open();
    watch.renewed();
    clock.advance(seconds);
    watch.renewed();
    assert.deepEqual(watch.condition, { kind: 'open', unattendedSince: start });
    watch.credited(4);
    assert.deepEqual(watch.condition, { kind: 'open' });
    watch.credited(0);
    clock.advance(seconds);
    assert.deepEqual(watch.condition, { kind: 'open', unattendedSince: start + seconds });
  });

  test('is not known again once another daemon has taken over', () => {
    const { watch } = open();
    watch.renewed();
    watch.begin();
    assert.deepEqual(watch.condition, { kind: 'opening' });
  });
});
