import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { VirtualClock } from '../../../src/clock.ts';
import { KeptResults } from '../../../src/engine/bullmq/kept-results.ts';
import type { StepResult } from '../../../src/engine/bullmq/protocol.ts';

const result: StepResult = { kind: 'unused', worker: 'w1', key: 'of /a', wasSent: false };
const minutes = 60_000;

describe('a result of an earlier life', () => {
  test('waits for an hour for who asks for the same, as the line of its host may be long', () => {
    const clock = new VirtualClock();
    const kept = new KeptResults(clock);
    kept.adopt({ id: '1-a', result });
    clock.advance(59 * minutes);
    assert.equal(kept.claim('of /a')?.id, '1-a');
    assert.equal(kept.claim('of /a'), undefined);
  });

  test('is no longer there after that, and its queue need not keep it', async () => {
    const clock = new VirtualClock();
    const kept = new KeptResults(clock);
    const gone = kept.park({ id: '1-a', result });
    clock.advance(60 * minutes);
    await gone;
    assert.equal(kept.claim('of /a'), undefined);
  });
});
