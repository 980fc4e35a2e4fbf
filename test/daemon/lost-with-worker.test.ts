import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunStep } from '../../src/engine/step.ts';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { startTimed } from './passing.ts';
import { lastScrape } from './polite/support.ts';

const second = 1_000;

test('a page that was lost with its worker process is asked for again, as often and as soon as the source’s retry says, and says nothing of the source (S20)', async (t) => {
  const site = await openSite(t, { '/a': productPage('Lamp', '12') });
  const tries: number[] = [];
  const intercept =
    (runStep: RunStep): RunStep =>
    (step, signal, onSent, onCame) => {
      tries.push(timed.clock.now());
      if (tries.length > 3) return runStep(step, signal, onSent, onCame);
      onSent();
      const failure = { code: 'worker_lost', message: 'the worker process that ran it was lost: it ended' };
      return Promise.resolve({ kind: 'failed', failure, at: timed.clock.now(), elapsedMs: 0, bytes: 0 });
    };
  const retry = 'retry: { times: 3, first: 1s, longest: 60s }';
  const sources = { shop: productSource('shop').replace('retry: { times: 0 }', retry) };
  const timed = await startTimed(t, { sources, intercept });
  await timed.track('a', { source: 'shop', url: site.url('/a') });
  await timed.pass(60 * second);
  const { scrape, steps } = await lastScrape('a', timed.client);
  assert.equal(scrape.status, 'complete');
  assert.deepEqual(
    steps.map(({ failure }) => failure?.code),
    ['worker_lost', 'worker_lost', 'worker_lost', undefined],
  );
  const pauses = tries.slice(1).map((at, index) => (at - (tries[index] ?? 0)) / second);
  for (const [index, pause] of pauses.entries()) {
    const base = 2 ** index;
    assert.ok(pause >= base * 0.9 && pause <= base * 1.1 + 0.1, `${pauses.join()} s`);
  }
  assert.equal(site.asked.length, 1);
});
