import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { askAgainAt, goneAfter, type GoneRow, isGoneForGood } from '../../src/schedule/gone.ts';

const hour = 3_600_000;
const day = 24 * hour;

/** What is known after answers of one cause at these instants. */
function after(cause: string, ...instants: readonly number[]): GoneRow {
  const gone = instants.reduce<GoneRow | undefined>((before, at) => goneAfter(before, cause, at), undefined);
  assert.ok(gone);
  return gone;
}

describe('a page that is not there', () => {
  test('is asked again after a pause as long as it has been gone, up to 30 days', () => {
    assert.equal(askAgainAt(after('not_found', hour), hour), hour);
    assert.equal(askAgainAt(after('not_found', hour, 2 * hour), 2 * hour), 3 * hour);
    assert.equal(askAgainAt(after('not_found', hour, 2 * hour, 4 * hour), 5 * hour), 7 * hour);
    assert.equal(askAgainAt(after('gone', 3 * day, 4 * day), 0), day, 'after the clock was set back');
    assert.equal(askAgainAt(after('gone', 0, 400 * day), 401 * day), 430 * day);
  });

  for (const [what, gone, expected] of [
    ['one answer of 410', after('gone', 0), false],
    ['two of 410 within a day', after('gone', 0, day - 1), false],
    ['two of 410 over a day', after('gone', 0, day), true],
    ['two of 404 over a month', after('not_found', 0, 30 * day), false],
    ['five of 404 within a week', after('not_found', 0, 1, 2, 3, 7 * day - 1), false],
    ['five of 404 over a week', after('not_found', 0, 1, 2, 3, 7 * day), true],
  ] as const) {
    test(`is ${expected ? '' : 'not '}gone for good after ${what}`, () => assert.equal(isGoneForGood(gone), expected));
  }

  test('is not known to be so by any other failure', () => {
    for (const cause of ['network', 'blocked', 'unexpected', undefined])
      assert.equal(goneAfter(undefined, cause, 0), undefined);
  });

  test('has not been gone since an instant that a clock set back leaves in the future', () => {
    assert.deepEqual(after('gone', 5 * day, day), { cause: 'gone', since: day, at: day, times: 2 });
  });
});
