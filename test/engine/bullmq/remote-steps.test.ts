import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '../../../src/clock.ts';
import { openRemoteSteps } from '../../../src/engine/bullmq/remote-steps.ts';
import { stepOf } from './played-steps.ts';

test('a step that waits for the server of the queues is cancelled at once, and what opens them ends though the server never answers', async () => {
  const queues = {
    address: () => new Promise<never>(() => undefined),
    ...{ cluster: 'c', key: new Uint8Array(32) },
  };
  const steps = openRemoteSteps(
    queues,
    {
      ...{ clock: new VirtualClock(0), holder: 'daemon', version: '1', forgetAfterMs: 60_000 },
      credited: () => undefined,
      info: (what) => assert.fail(what),
      warn: (problem, error) => assert.fail(`${problem}: ${String(error)}`),
    },
    new AbortController().signal,
  );
  const cancelled = new AbortController();
  const running = steps.run(stepOf('/a'), cancelled.signal, () => assert.fail('sent'));
  cancelled.abort(new Error('cancelled'));
  await assert.rejects(running, /cancelled/);
  await steps.close();
});
