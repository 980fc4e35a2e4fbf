import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { VirtualClock } from '../../src/clock.ts';
import { parseSource } from '../../src/definition/load.ts';
import { openProvider } from '../../src/provider/declared.ts';
import { pageWalk } from '../../src/scrape/open-walk.ts';
import { visitPage } from '../../src/scrape/visit.ts';
import type { Visit } from '../../src/scrape/walk.ts';
import { type PageAnswer, reading, request, visitedAs } from './walking.ts';

const url = 'https://site.test/p';

/** Asks for a page that answers as it is told, try by try; hands back how it went after which tries, by the clock. */
async function tries(
  visit: Visit,
  { nextDueAt, retry, answers }: { nextDueAt: number; retry: string; answers: readonly PageAnswer[] },
): Promise<{ readonly kind: string; readonly at: readonly number[] }> {
  const clock = new VirtualClock(1_000_000);
  const parsed = parseSource(
    `id: site\nretry: ${retry}\nrecords: { item: { key: id, fields: { id: h1 } } }\n`,
    'site.yaml',
  );
  assert.ok(parsed.ok);
  const at: number[] = [];
  const context = {
    clock,
    random: () => 0.5,
    source: parsed.value,
    target: 1,
    address: url,
    dueAt: clock.now(),
    nextDueAt: clock.now() + nextDueAt,
    timeLimitMs: 60_000,
    commit: async () => {
      // What comes next is the pause before another try.
      setImmediate(() => clock.advance(10_000));
    },
    makeRequest: async () => {
      at.push(clock.now() - 1_000_000);
      return visitedAs(answers[at.length - 1] ?? 'unmodified', url).result;
    },
  };
  const { result } = await visitPage(visit, context, new AbortController().signal);
  return { kind: result.outcome.kind, at };
}

const page: Visit = { url, reading, request, page: 7 };
const down: PageAnswer = { cause: 'origin_down' };

describe('a page that fails', () => {
  test('is tried again as long as its definition says, even though its target is due by then, where it is one of many', async () => {
    const retry = '{ times: 3, first: 10s, longest: 10s, within: 1m }';
    const { kind, at } = await tries(page, { nextDueAt: -60_000, retry, answers: [down, down, { keys: ['a'] }] });
    assert.deepEqual([kind, at], ['read', [0, 10_000, 20_000]]);
    const short = '{ times: 3, first: 10s, longest: 10s, within: 15s }';
    const given = await tries(page, { nextDueAt: -60_000, retry: short, answers: [down, down, down, down] });
    assert.deepEqual([given.kind, given.at.length], ['failed', 3]);
  });

  test('is not tried again once its target is due, where it is all that there is', async () => {
    const retry = '{ times: 3, first: 10s, longest: 10s, within: 1m }';
    const parsed = parseSource('id: site\nrecords: { item: { key: id, fields: { id: h1 } } }\n', 'site.yaml');
    assert.ok(parsed.ok);
    const only = pageWalk(url, openProvider(parsed.value), undefined).next();
    assert.ok(only !== undefined);
    const { kind, at } = await tries(only, { nextDueAt: 15_000, retry, answers: [down, down, { keys: ['a'] }] });
    assert.deepEqual([kind, at], ['failed', [0, 10_000]]);
  });
});
