import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { VirtualClock } from '../../src/clock.ts';
import { parseSource } from '../../src/definition/load.ts';
import type { FoundDraft } from '../../src/extract/record.ts';
import type { MakeRequest } from '../../src/request/intent.ts';
import { type CollectorScrape, runCollector } from '../../src/scrape/collector.ts';
import type { Visit } from '../../src/scrape/walk.ts';
import type { Close, StepOps } from '../../src/store/ops.ts';
import { draft, request, visitedAs } from './walking.ts';

const visit: Visit = { url: 'https://site.test/p', request };
const second = 1_000;
const counts = { added: 0, changed: 0, confirmed: 0 };
const committed = { outcome: 'committed', counts, lastEvent: 0, targetStatus: 'active' } as const;

interface Ran {
  readonly close: Close | undefined;
  readonly steps: readonly StepOps[];
}

/** Runs a collector whose requests wait for their turns and then take their time, by the clock. */
async function ran(
  limits: string,
  run: (scrape: CollectorScrape, clock: VirtualClock) => Promise<void>,
  { waitMs = 0, tookMs = 0, maxRecords = Infinity } = {},
): Promise<Ran> {
  const clock = new VirtualClock(1_000_000);
  const parsed = parseSource(`id: site\n${limits}\nrecords: { item: { key: id, fields: { id: h1 } } }\n`, 'site.yaml');
  assert.ok(parsed.ok);
  const steps: StepOps[] = [];
  let close: Close | undefined;
  const makeRequest: MakeRequest = async ({ within = (run, signal) => run(signal) }, signal) => {
    clock.advance(waitMs);
    const { result } = visitedAs({}, visit.url);
    const sent = (): Promise<typeof result.outcome> => {
      clock.advance(tookMs);
      return Promise.resolve(result.outcome);
    };
    return { ...result, outcome: await within(sent, signal) };
  };
  const deps = {
    clock,
    random: () => 0.5,
    timeLimitMs: 600 * second,
    maxRecords,
    makeRequest,
    commit: async (_: unknown, ops: StepOps) => {
      steps.push(ops);
      return committed;
    },
    close: async (_: unknown, how: Close) => {
      close = how;
      return committed;
    },
  };
  const begun = { target: 1, address: 'https://site.test/', epoch: 1, scrape: 1, dueAt: 0, nextDueAt: 0, version: 'v' };
  const collector = {
    url: 'plugin:site',
    typed: (found: readonly FoundDraft[]) => ({
      drafts: found.map((_, index) => draft(`${index}`)),
      refused: 0,
      absent: [],
      unparsed: [],
      notes: [],
    }),
    run: async (scrape: CollectorScrape, signal: AbortSignal) => {
      await run(scrape, clock);
      signal.throwIfAborted();
      return undefined;
    },
  };
  await runCollector(begun, parsed.value, collector, deps, new AbortController().signal);
  return { close, steps };
}

describe('the run of a collector', () => {
  test('that takes longer than its limit fails, says so and keeps what it had found', async () => {
    const { close, steps } = await ran('limits: { collect: 1h }', async (scrape, clock) => {
      scrape.began();
      clock.advance(3_599 * second);
      await scrape.collected({ drafts: [], failures: [] });
      clock.advance(2 * second);
    });
    assert.equal(steps.length, 1);
    assert.deepEqual(close, {
      status: 'failed',
      finished: false,
      failure: {
        code: 'time_limit',
        message:
          'the collector took longer than its limit of 3600000 ms, waits for turns left out: see limits.collect of the definition',
      },
    });
  });

  test('that finds more than a scrape may store is cut, with what it had found by then', async () => {
    const batch = { drafts: [{}, {}].map(() => ({ type: 'item', fields: {} })), failures: [] };
    const endless = async (scrape: CollectorScrape): Promise<void> => {
      for (;;) await scrape.collected(batch);
    };
    const { close, steps } = await ran('', endless, { maxRecords: 6 });
    assert.deepEqual([close?.status, close?.reason, close?.failure?.code], ['aborted', 'record_limit', 'record_limit']);
    assert.deepEqual([steps.length, steps.at(-1)?.draftsBefore], [3, 4]);
  });

  test('may take six hours where nothing is said', async () => {
    const at = (hours: number) =>
      ran('', async (scrape, clock) => {
        scrape.began();
        clock.advance(hours * 3_600 * second);
      });
    assert.equal((await at(5.9)).close?.status, 'complete');
    assert.equal((await at(6)).close?.failure?.code, 'time_limit');
  });

  test('counts its requests once they have their turns, and not what they wait for these', async () => {
    const three = async (scrape: CollectorScrape): Promise<void> => {
      scrape.began();
      for (let n = 0; n < 3; n += 1) await scrape.fetch(visit, new AbortController().signal);
    };
    const waits = await ran('limits: { collect: 1h }', three, { waitMs: 3_600 * second, tookMs: 10 * second });
    assert.equal(waits.close?.status, 'complete');
    const takes = await ran('limits: { collect: 20s }', three, { waitMs: second, tookMs: 10 * second });
    assert.equal(takes.close?.failure?.code, 'time_limit');
  });

  test('has all its time from when it has a thread', async () => {
    const { close } = await ran('limits: { collect: 1m }', async (scrape, clock) => {
      clock.advance(3_600 * second);
      scrape.began();
      clock.advance(59 * second);
    });
    assert.equal(close?.status, 'complete');
  });
});
