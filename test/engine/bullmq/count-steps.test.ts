import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '../../../src/clock.ts';
import { countSteps } from '../../../src/engine/bullmq/count-steps.ts';
import { type StepOutcome, TurnUnused } from '../../../src/engine/step.ts';
import { stepOf } from './played-steps.ts';

const exchange = { at: 0, elapsedMs: 20, bytes: 100 };
const failed = (code: string): StepOutcome => ({ ...exchange, kind: 'failed', failure: { code, message: '' } });
const moved: StepOutcome = {
  ...{ ...exchange, kind: 'redirect', location: 'http://127.0.0.1:9/' },
  ran: { worker: 'w1', waitedMs: 300, ranMs: 20 },
};

test('steps count as broken for faults of worker processes alone, and those that were cut or not sent do not count', async () => {
  const ends: (StepOutcome | Error)[] = [moved, moved, failed('status'), failed('worker_lost'), new Error('bug')];
  ends.push(new TurnUnused('too late'));
  let next = 0;
  const { run, counts } = countSteps(
    async () => {
      const end = ends[next];
      next += 1;
      if (end === undefined || end instanceof Error) throw end;
      return end;
    },
    () => 0,
  );
  const never = new AbortController().signal;
  for (const _ of ends) await run(stepOf('/a'), never, () => undefined).catch(() => undefined);
  await run(stepOf('/a'), AbortSignal.abort(), () => undefined).catch(() => undefined);
  assert.deepEqual(counts(), { steps: 5, broken: 2, waits: 3, waitedMs: 600 });
});

test('steps that no worker process took in time have waited for one; those that one took and gave back, or that were cut, have not', async () => {
  const clock = new VirtualClock();
  const { run, counts } = countSteps(
    async (step, _signal, _onSent, _onCame, onTaken) => {
      clock.advance(14_000);
      if (step.request.url.endsWith('/taken')) onTaken?.('w1');
      throw new TurnUnused('too late');
    },
    () => clock.monotonic(),
  );
  const never = new AbortController().signal;
  for (const [path, signal] of [
    ['/a', never],
    ['/taken', never],
    ['/cut', AbortSignal.abort()],
  ] as const)
    await assert.rejects(run(stepOf(path), signal, () => undefined));
  assert.deepEqual(counts(), { steps: 0, broken: 0, waits: 1, waitedMs: 14_000 });
});
