import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, test } from 'node:test';
import { onStopSignals } from '../../src/daemon/stop-signals.ts';

/** What came of signals at certain milliseconds. */
function toldOf(...sent: readonly (readonly ['SIGINT' | 'SIGTERM', number])[]): string[] {
  const signals = new EventEmitter();
  const told: string[] = [];
  let now = 0;
  onStopSignals(signals, { now: () => now, stop: () => told.push('stop'), leave: () => told.push('leave') });
  for (const [name, at] of sent) {
    now = at;
    signals.emit(name);
  }
  return told;
}

describe('a daemon that is asked to stop', () => {
  test('once stops in order', () => assert.deepEqual(toldOf(['SIGTERM', 5]), ['stop']));

  test('by a group and by its member is asked once', () =>
    assert.deepEqual(toldOf(['SIGTERM', 5], ['SIGTERM', 6], ['SIGINT', 1_004]), ['stop']));

  test('again a second later leaves at once, whichever the signal', () => {
    assert.deepEqual(toldOf(['SIGTERM', 5], ['SIGTERM', 1_005]), ['stop', 'leave']);
    assert.deepEqual(toldOf(['SIGINT', 5], ['SIGINT', 6], ['SIGTERM', 2_000]), ['stop', 'leave']);
  });
});
