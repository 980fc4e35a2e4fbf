import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { onSignals } from '../../src/daemon/exit-process.ts';
import { temporaryFolder } from '../store/fixture.ts';

const program = fileURLToPath(new URL('./exit-program.ts', import.meta.url));

describe('a process that has to end', () => {
  for (const state of ['closing', 'busy'])
    test(`ends with its status while its store is ${state}`, { timeout: 30_000 }, async (t) => {
      // Whether it would hang is a matter of chance: within a transaction nearly always, else once in a hundred times on a busy machine.
      const children = Array.from({ length: 5 }, () =>
        spawn(process.execPath, [program, temporaryFolder(t), state], { stdio: 'inherit' }),
      );
      t.after(() => children.forEach((child) => child.kill('SIGKILL')));
      const ends = await Promise.all(children.map((child) => once(child, 'exit')));
      assert.deepEqual(
        ends,
        children.map(() => [7, null]),
      );
    });
});

type Sent = readonly ['SIGINT' | 'SIGTERM' | 'SIGHUP', number];

/** What came of signals at certain milliseconds. */
function toldOf(...sent: readonly Sent[]): string[] {
  return toldBy(false, sent);
}

function toldBy(hasTerminal: boolean, sent: readonly Sent[]): string[] {
  const signals = new EventEmitter();
  const told: string[] = [];
  let now = 0;
  onSignals(signals, {
    hasTerminal,
    now: () => now,
    stop: () => told.push('stop'),
    exit: () => told.push('exit'),
    reload: () => told.push('reload'),
  });
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

  test('again a second later ends at once, whichever the signal', () => {
    assert.deepEqual(toldOf(['SIGTERM', 5], ['SIGTERM', 1_005]), ['stop', 'exit']);
    assert.deepEqual(toldOf(['SIGINT', 5], ['SIGINT', 6], ['SIGTERM', 2_000]), ['stop', 'exit']);
  });

  test('by the end of its terminal stops in order', () => {
    assert.deepEqual(
      toldBy(true, [
        ['SIGHUP', 5],
        ['SIGHUP', 6],
        ['SIGTERM', 7],
      ]),
      ['stop'],
    );
  });

  test('by SIGHUP without a terminal reads its definitions again, as often as it is asked to', () => {
    assert.deepEqual(toldOf(['SIGHUP', 5], ['SIGHUP', 2_000], ['SIGTERM', 2_001]), ['reload', 'reload', 'stop']);
  });
});
