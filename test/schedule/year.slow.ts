import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { Year } from './simulated-witness.ts';

/** Lets the days of a daemon pass on a thread of its own, away from what a test runner hangs on each promise; tells how slow its core was. */
async function daysOf(options: { readonly days: number; readonly hosts: number; readonly seed: number }) {
  const thread = new Worker(new URL('simulated-year.thread.ts', import.meta.url), {
    workerData: options,
    // What a simulated instant makes is soon forgotten: with more room for the young, less of it is copied.
    resourceLimits: { maxYoungGenerationSizeMb: 128 },
  });
  const [year] = (await once(thread, 'message')) as [{ readonly counts: Year['counts']; readonly slower: number }];
  return year;
}

test('a year of 5,000 targets on 40 hosts, of two daemons with a store in memory, keeps tokens, spacing, objectives and host limits on every day, through outages, restarts and clocks that are set (J16, J22, J23, J24, J26, J27, J30, J34, O42, P46, S19)', async (t) => {
  const began = process.cpuUsage();
  const startedAt = performance.now();
  const found = await Promise.all([7, 17].map((seed) => daysOf({ days: 365, hosts: 20, seed })));
  for (const { turns, days, plans, breaches } of found.map(({ counts }) => counts)) {
    assert.ok(turns > 200_000, `${turns} turns`);
    // All but those within which no daemon runs when the day is looked at.
    assert.ok(days > 345, `${days} days were looked at`);
    assert.ok(plans > 6_000, `${plans} plans of a host's day`);
    assert.ok(breaches > 100, `${breaches} breaches were told`);
  }
  const elapsedMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(began);
  // Each thread timed a piece of work on each of its days: a neighbour may come and go while a year passes.
  const slower = found.reduce((sum, each) => sum + each.slower, 0) / found.length;
  const cpu = `${Math.round((user + system) / 1_000_000)} s of CPU on two threads`;
  t.diagnostic(
    `${Math.round(elapsedMs / 1_000)} s, ${cpu}, by a core ${slower.toFixed(2)} times slower than the reference`,
  );
  // By CPU time, as others on the machine make a year take longer and cost little more. It takes a minute where nobody else is.
  assert.ok((user + system) / 1_000 < 2 * 75_000 * slower, 'within 75 s on each of two cores');
});
