import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { adviceOf, adviceText, noTally, type Tally, together } from '../../src/schedule/waste.ts';

const hourMs = 3_600_000;
const tally = (given: Partial<Tally>): Tally => ({ ...noTally, ...given });
const quiet = tally({
  scrapes: 400,
  unchanged: 388,
  requests: 400,
  bytes: 400 * 2 ** 20,
  unchangedBytes: 388 * 2 ** 20,
});
const texts = (given: Tally, everyMs?: number): string[] => adviceOf(given, everyMs).map(adviceText);

describe('waste', () => {
  test('tallies add up', () => {
    assert.deepEqual(together(together(noTally, quiet), quiet), together(quiet, quiet));
    assert.equal(together(quiet, quiet).unchangedBytes, 776 * 2 ** 20);
  });

  test('a target that is asked far too often could be asked less', () => {
    assert.deepEqual(texts(quiet, 4 * hourMs), [
      '97 % of 400 scrapes found nothing new: every 4h could be 1d',
      'the site sends no validators, so each page came whole: 406.8 MB for nothing new',
    ]);
  });

  test('a target without an interval is told of validators alone', () => {
    assert.deepEqual(
      adviceOf(quiet, undefined).map(({ code }) => code),
      ['no_validators'],
    );
  });

  test('a site that sends validators and never answers with 304 is told of', () => {
    const given = { ...quiet, validated: 400 };
    assert.deepEqual(
      adviceOf(given, undefined).map(({ code }) => code),
      ['validators_ignored'],
    );
    assert.deepEqual(adviceOf({ ...given, notModified: 380 }, undefined), []);
  });

  test('nothing follows from few scrapes, or from those that find something', () => {
    assert.deepEqual(adviceOf(tally({ scrapes: 29, unchanged: 29, requests: 29 }), hourMs), []);
    assert.deepEqual(adviceOf(tally({ scrapes: 400, unchanged: 200, requests: 400 }), hourMs), []);
  });

  test('no interval is proposed that is hardly longer', () => {
    const given = tally({ scrapes: 100, unchanged: 85, requests: 100, validated: 100, notModified: 80 });
    assert.deepEqual(adviceOf(given, 4 * hourMs), []);
  });

  test('where nothing ever changed, no interval is longer than what was seen allows', () => {
    const [advice] = adviceOf(tally({ scrapes: 100, unchanged: 100, requests: 100 }), hourMs);
    assert.deepEqual(advice, { code: 'ask_less', share: 1, scrapes: 100, everyMs: hourMs, betterMs: 12 * hourMs });
  });
});
