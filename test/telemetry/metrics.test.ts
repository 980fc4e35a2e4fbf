import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RunStep, StepOutcome } from '../../src/engine/step.ts';
import { createMeters } from '../../src/telemetry/meters.ts';
import { forgetWorkers } from '../../src/telemetry/forget-workers.ts';
import { watchSteps } from '../../src/telemetry/watch-steps.ts';

const limits = { connectMs: 1, headersMs: 1, bodyMs: 1, totalMs: 1, maxBytes: 1 };
const step = { request: { url: 'http://127.0.0.1:9/', limits, allowPrivate: true } };
const exchange = { at: 0, elapsedMs: 20, bytes: 100, status: 503 };

/** Runs steps that end with these outcomes, or that throw, and returns the samples of some metrics. */
async function countedOf(ends: readonly (StepOutcome | Error)[], ...names: readonly string[]): Promise<string[]> {
  const meters = createMeters();
  for (const end of ends) {
    const runStep: RunStep = async () => {
      if (end instanceof Error) throw end;
      return end;
    };
    await watchSteps(meters.steps, runStep)(step, AbortSignal.abort(), () => undefined).catch(() => undefined);
  }
  const lines = (await meters.registry.metrics()).split('\n');
  return lines.filter((line) => names.some((name) => line.startsWith(`heronry_${name}{`)));
}

describe('steps', () => {
  test('count by outcome, one that was cut among them, and do not run any more', async () => {
    const redirect: StepOutcome = { ...exchange, status: 301, kind: 'redirect', location: 'http://127.0.0.1:9/' };
    assert.deepEqual(await countedOf([redirect, redirect, new Error('cut')], 'steps_total', 'worker_steps_running'), [
      'heronry_worker_steps_running{worker="local"} 0',
      'heronry_steps_total{worker="local",kind="plain",outcome="redirect"} 2',
      'heronry_steps_total{worker="local",kind="plain",outcome="cut"} 1',
    ]);
  });

  test('that fail count by their code, and by no name that a plug-in makes up', async () => {
    const failed = (code: string): StepOutcome => ({ ...exchange, kind: 'failed', failure: { code, message: '' } });
    const ends = [failed('status'), failed('status'), failed('toString'), failed('http://site.example/secret')];
    assert.deepEqual(await countedOf(ends, 'step_failures_total', 'responses_total', 'received_bytes_total'), [
      'heronry_step_failures_total{worker="local",code="status"} 2',
      'heronry_step_failures_total{worker="local",code="other"} 2',
      'heronry_responses_total{worker="local",status="5xx"} 4',
      'heronry_received_bytes_total{worker="local"} 400',
    ]);
  });

  test('count for the worker process that ran them, with how long they waited for it and ran, until it is gone', async () => {
    const meters = createMeters();
    const outcomeOf = (worker: string | undefined): StepOutcome => ({
      ...{ ...exchange, status: 301, kind: 'redirect', location: 'http://127.0.0.1:9/' },
      ...(worker !== undefined && { ran: { worker, waitedMs: 2_000, ranMs: 300 } }),
    });
    for (const worker of ['w1', 'w1', 'w2', undefined]) {
      const runStep = watchSteps(
        meters.steps,
        async () => outcomeOf(worker),
        () => false,
      );
      await runStep(step, AbortSignal.abort(), () => undefined);
    }
    const read = async (): Promise<string[]> =>
      (await meters.registry.metrics())
        .split('\n')
        .filter((line) => /^heronry_(?:steps_total|step_(?:wait_)?seconds_(?:sum|count)|worker_)/.test(line));
    const ofW1 = [
      'heronry_step_seconds_sum{worker="w1",kind="plain"} 0.6',
      'heronry_step_seconds_count{worker="w1",kind="plain"} 2',
    ];
    assert.deepEqual(await read(), [
      'heronry_worker_steps_running{worker="local"} 0',
      'heronry_steps_total{worker="w1",kind="plain",outcome="redirect"} 2',
      'heronry_steps_total{worker="w2",kind="plain",outcome="redirect"} 1',
      'heronry_steps_total{worker="none",kind="plain",outcome="redirect"} 1',
      ...ofW1,
      'heronry_step_seconds_sum{worker="w2",kind="plain"} 0.3',
      'heronry_step_seconds_count{worker="w2",kind="plain"} 1',
      'heronry_step_wait_seconds_sum{worker="w1"} 4',
      'heronry_step_wait_seconds_count{worker="w1"} 2',
      'heronry_step_wait_seconds_sum{worker="w2"} 2',
      'heronry_step_wait_seconds_count{worker="w2"} 1',
    ]);
    await forgetWorkers(meters, new Set(['w1']));
    assert.deepEqual(await read(), [
      'heronry_worker_steps_running{worker="local"} 0',
      'heronry_steps_total{worker="w1",kind="plain",outcome="redirect"} 2',
      'heronry_steps_total{worker="none",kind="plain",outcome="redirect"} 1',
      ...ofW1,
      'heronry_step_wait_seconds_sum{worker="w1"} 4',
      'heronry_step_wait_seconds_count{worker="w1"} 2',
    ]);
  });
});
