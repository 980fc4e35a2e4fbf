import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { VirtualClock } from '../../../src/clock.ts';
import { type Death, Deaths } from '../../../src/engine/bullmq/deaths.ts';
import { lostFailure, nobody } from '../../../src/engine/bullmq/lost-steps.ts';
import type { StepResult } from '../../../src/engine/bullmq/protocol.ts';
import type { StepFailure } from '../../../src/engine/step.ts';

const exchange = { at: 0, elapsedMs: 0, bytes: 0 };

function failed(failure: StepFailure, worker = 'w1'): StepResult {
  return { kind: 'ended', worker, key: 'a', wasSent: true, outcome: { ...exchange, kind: 'failed', failure } };
}

const lost = failed(lostFailure('it ended'), nobody);

function openDeaths() {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  let kept: readonly Death[] = [];
  let writes = 0;
  const store = {
    load: () => kept,
    keep(all: readonly Death[]) {
      kept = all;
      writes += 1;
    },
  };
  return { clock, open: () => new Deaths(clock, store), kept: () => kept, writes: () => writes };
}

describe('the deaths of worker processes', () => {
  test('make a step suspicious that was in hand at two of them, also where the daemon ended in between; one that is told twice counts once (S9)', () => {
    const { open } = openDeaths();
    const first = open();
    first.note('1-x', lost);
    first.note('1-x', lost);
    assert.equal(first.isSuspicious('a'), false);
    const second = open();
    second.note('1-x', lost);
    assert.equal(second.isSuspicious('a'), false);
    second.note('2-x', lost);
    assert.equal(second.isSuspicious('a'), true);
    assert.equal(open().isSuspicious('a'), true);
    assert.equal(open().isSuspicious('b'), false);
  });

  test('are no longer held against a step that came to its end, but against one that stalled, or was cut as its worker process was to end', () => {
    const { open, writes } = openDeaths();
    const deaths = open();
    for (const id of ['1-x', '1-y']) deaths.note(id, lost);
    deaths.note('1-z', failed({ code: 'stalled', message: '' }));
    deaths.note('1-z', failed(lostFailure('it had not ended')));
    assert.equal(deaths.isSuspicious('a'), true);
    assert.equal(writes(), 2);
    deaths.note('1-z', failed({ code: 'status', message: '' }));
    assert.equal(deaths.isSuspicious('a'), false);
    assert.equal(open().isSuspicious('a'), false);
    // Most steps end, and none of these is written.
    deaths.note('1-z', failed({ code: 'status', message: '' }));
    assert.equal(writes(), 3);
  });

  test('are forgotten after a day, and of the last 1,000 steps only are any remembered', () => {
    const { clock, open, kept } = openDeaths();
    const deaths = open();
    deaths.count('old', '1-x');
    clock.advance(24 * 3_600_000);
    for (let step = 0; step < 1_001; step += 1) deaths.count(`k${step}`, '1-x');
    assert.deepEqual([kept()[0]?.key, kept().length], ['k1', 1_000]);
  });
});
