import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Reading } from '../../src/health/doubt.ts';
import { commitStep } from '../../src/store/commit.ts';
import type { Close } from '../../src/store/ops.ts';
import { begin, step, temporaryStore, track } from './fixture.ts';

const whole = (seen: number, total: number): Reading => ({ fill: { 'item.price': { seen, total } }, isWhole: true });
const without = (cause?: 'blocked' | 'unexpected'): Partial<Close> => ({
  status: 'failed',
  failure: { code: 'no_record', message: 'no record', ...(cause && { cause }) },
});

describe('the doubt of a target', () => {
  test('is told, and accepted once three complete scrapes gave the same, by what they gave since', async (t) => {
    const { store, clock } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const ends = async (close: Partial<Close>) => {
      clock.now += 1_000;
      const before = [...store.events.rows({ limit: 1_000 })].length;
      await commitStep(store, await begin(store, target), step(clock.now, [], close));
      const rows = [...store.events.rows({ limit: 1_000 })].slice(before);
      return rows.flatMap(({ type, data }) =>
        type === 'target.doubtful' || type === 'target.recovered' ? [type, 'accepted' in data && data.accepted] : [],
      );
    };
    assert.deepEqual(await ends({ reading: whole(20, 20) }), []);
    // A measure that follows: half of 12 is more than 5, half of 20 is not less than that.
    assert.deepEqual(await ends({ reading: whole(12, 12) }), []);
    assert.deepEqual(await ends({ reading: whole(6, 6) }), []);
    assert.deepEqual(await ends({ reading: whole(0, 6) }), ['target.doubtful', false]);
    assert.deepEqual(await ends({ status: 'aborted', reading: whole(0, 6) }), []);
    assert.deepEqual(await ends({ reading: whole(0, 6) }), []);
    assert.deepEqual(await ends({ reading: whole(0, 6) }), ['target.recovered', true]);
    assert.equal(store.doubts.get(['shop', target]), undefined);
    // What stood in the page's place says nothing of what it holds.
    assert.deepEqual(await ends(without('blocked')), []);
    assert.deepEqual(await ends(without()), ['target.doubtful', false]);
    assert.equal(store.doubts.get(['shop', target])?.times, 0);
    assert.deepEqual(await ends({ reading: whole(0, 6) }), ['target.recovered', false]);
  });
});
