import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type GivenPace, paceKinds, paceOf, type PaceRow } from '../../../src/schedule/pace/all.ts';
import { scheduleOf } from '../../../src/schedule/levels.ts';

const hour = 3_600_000;
const now = Date.parse('2026-11-21T13:51:12Z');
const grid = { key: 'https://shop.test', slot: 1, originAt: now - 4 * hour, everyMs: 4 * hour, phaseMs: hour / 5 };
const planned = [now + hour / 5];

interface Shown {
  readonly row: PaceRow;
  readonly given: GivenPace | undefined;
  readonly found?: readonly number[];
  readonly reason: string;
  readonly sentence: string;
}

const shown: Readonly<Record<string, Shown>> = {
  'an interval': {
    row: { kind: 'interval', grid },
    given: { kind: 'interval', everyMs: 4 * hour },
    reason: 'every 4h on its grid',
    sentence: 'every 4h, on a grid 12m behind 09:51:12',
  },
  'an interval whose grid begins with it': {
    row: { kind: 'interval', grid: { ...grid, phaseMs: 0 } },
    given: { kind: 'interval', everyMs: 4 * hour },
    reason: 'every 4h on its grid',
    sentence: 'every 4h, on a grid from 09:51:12',
  },
  'a cron pattern': {
    row: { kind: 'cron', pattern: '0 6 * * 1', zone: 'Europe/Berlin' },
    given: { kind: 'cron', pattern: '0 6 * * 1', zone: 'Europe/Berlin' },
    reason: 'cron "0 6 * * 1" in Europe/Berlin',
    sentence: 'cron "0 6 * * 1", by the clocks of Europe/Berlin',
  },
  tokens: {
    row: { kind: 'tokens', bucket: { tokens: 0.456, day: 0 }, planned, planAt: now + hour },
    given: { kind: 'tokens', start: 1, cap: 5, perDay: 2, zone: 'UTC' },
    found: [1, 3],
    reason: "the day's plan, paid for with a token",
    sentence: 'tokens: 0.46 of 5, priority 1.75 a day by the last 2 scrapes, at most 2 a day; planned 14:03:12',
  },
  'tokens of a source that is not loaded': {
    row: { kind: 'tokens', bucket: { tokens: 1, day: 0 }, planned: [], planAt: now + hour },
    given: undefined,
    reason: "the day's plan, paid for with a token",
    sentence: 'tokens: 1 of 4, priority 1.75 a day by nothing known yet, at most 3 a day',
  },
  'a continuous one': {
    row: { kind: 'continuous', endedAt: now, failures: 0, draw: 0 },
    given: { kind: 'continuous', sleepMs: 0, longestMs: hour },
    reason: '0ms after the scrape before',
    sentence: 'continuous, 0ms after each end',
  },
  'a continuous one that fails, of a source that is not loaded': {
    row: { kind: 'continuous', endedAt: now, failures: 2, draw: 0 },
    given: undefined,
    reason: '1h after the scrape before',
    sentence: 'continuous, 1h after each end; 2 failures in a row, so up to 6h',
  },
  'an objective': {
    row: { kind: 'objective' },
    given: { kind: 'objective', warnAfterMs: hour, errorAfterMs: 2 * hour },
    reason: 'its objective, to be verified again in time',
    sentence: 'as often as its objective needs: warns after 1h, is broken after 2h',
  },
};

describe('the paces', () => {
  for (const [name, { row, given, found = [], ...expected }] of Object.entries(shown))
    test(`say what they are and why they ask: ${name}`, () => {
      const kind = paceOf(row);
      const view = kind.show(row, { at: now, since: now, given, priority: 1.75, found });
      assert.deepEqual(kind.view.parse(JSON.parse(JSON.stringify(view))), view);
      assert.deepEqual({ reason: kind.reason(row, given), sentence: kind.sentence(view, now) }, expected);
    });

  test('each is chosen by a key of its own, and named by its kind', () => {
    const keys = paceKinds.map((kind) => paceOf({ kind }).key);
    assert.equal(new Set(keys).size, paceKinds.length);
    const given = scheduleOf([{ objective: { warnAfter: hour } }], 0).pace;
    assert.equal(given?.kind, 'objective');
  });
});
