import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExchangeTimer } from '../../../src/fetch/wire/exchange-timer.ts';

/** Keeps the process busy for so many milliseconds. */
function stall(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

for (const [stageMs, totalMs, first] of [
  [5, 20, 'headers'],
  [20, 5, 'total'],
] as const)
  test(`of two limits that passed while the process was busy, the one that ended first is told (${first})`, async () => {
    const { promise, resolve } = Promise.withResolvers<readonly [string, number]>();
    const timer = new ExchangeTimer(performance.now(), totalMs, (stage, afterMs) => resolve([stage, afterMs]));
    timer.enter('headers', stageMs);
    stall(40);
    assert.deepEqual(await promise, [first, 5]);
  });
