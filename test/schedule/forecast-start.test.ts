import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { rowAtStart, usualTookMs, walkedStart } from '../../src/schedule/forecast-start.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const now = Date.parse('2026-11-23T00:00Z');
const given = { kind: 'interval', everyMs: 4 * hourMs } as const;
const target = { given, key: 'https://shop.test', slot: 0 };
const untracked = { initialDelayMs: hourMs, isTracked: false, stored: undefined };
const grid = { originAt: now, everyMs: 4 * hourMs, phaseMs: 0, key: target.key, slot: 0 };
const stored = { target: 1, since: now - hourMs, pace: { kind: 'interval', grid } } as const;

describe('the begin of a forecast', () => {
  test('a target that is not tracked yet has its first scrape a delay after the begin', () => {
    assert.equal(rowAtStart({ from: now, now }, target, untracked)?.firstAt, now + hourMs);
    assert.equal(
      rowAtStart({ from: now + dayMs, now }, target, { ...untracked, initialDelayMs: 2 * dayMs })?.firstAt,
      now + 2 * dayMs,
    );
  });

  test('a tracked target keeps its row, and a first scrape that is not later than its delay', () => {
    const tracked = { ...untracked, isTracked: true, stored };
    assert.deepEqual(rowAtStart({ from: now, now }, target, tracked), { since: stored.since, pace: stored.pace });
    const waiting = { ...tracked, stored: { ...stored, firstAt: now + 2 * hourMs } };
    assert.equal(rowAtStart({ from: now, now }, target, waiting)?.firstAt, now + hourMs);
    const other = { ...target, given: { ...given, everyMs: hourMs } };
    assert.equal(rowAtStart({ from: now, now }, other, tracked)?.since, now - 1);
  });

  test('what was scraped by a later begin has no known row, and is followed from a week before', () => {
    assert.equal(rowAtStart({ from: now + dayMs, now }, target, untracked), undefined);
    const { row, verifiedAt, walkedFrom } = walkedStart({ from: now + dayMs }, target, hourMs);
    assert.equal(walkedFrom, now - 6 * dayMs);
    assert.equal(verifiedAt, row.since);
    assert.ok(row.since <= walkedFrom && row.since > walkedFrom - hourMs);
  });

  test('a scrape that follows on itself takes a turn for each request, the first one during the sleep', () => {
    const host = { delayMs: 1_000, latencyMs: 200 };
    const took = (sleepMs: number, requests: number) =>
      usualTookMs({ kind: 'continuous', sleepMs, longestMs: sleepMs }, requests, host);
    assert.deepEqual([took(5_000, 3), took(0, 3), took(5_000, 1)], [2_200, 3_000, 200]);
    assert.equal(usualTookMs(given, 3, host), undefined);
  });
});
