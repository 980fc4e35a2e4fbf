import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commitStep } from '../../src/store/commit.ts';
import { otherRecord } from '../../src/store/other-record.ts';
import { begin, hourMs, item, step, temporaryStore, track } from './fixture.ts';

type Shown = readonly [key: string, name: string, place: string];

const lamp: Shown = ['A-1', 'Solar lamp', 'Garden'];
const kettle: Shown = ['B-2', 'Steel kettle', 'Kitchen'];

for (const { what, shown, says } of [
  { what: 'the same record', shown: [lamp, lamp, lamp], says: { item: { expected: 1, missing: 0 } } },
  { what: 'another record in its place', shown: [lamp, lamp, kettle], says: { item: { expected: 1, missing: 1 } } },
  {
    what: 'the next of a series, which has a text in common',
    shown: [lamp, lamp, ['A-2', 'Oil lamp', 'Garden']],
    says: {},
  },
  { what: 'another record each time', shown: [lamp, kettle, ['C-3', 'Oak chair', 'Hall']], says: {} },
] as const)
  test(`a page of one record says whether it shows ${what}`, async (t) => {
    const { store, clock } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    let scrape = 0;
    for (const [key, name, place] of shown) {
      clock.now += hourMs;
      const fence = await begin(store, target);
      ({ scrape } = fence);
      await commitStep(store, fence, step(clock.now, [item(key, { id: key, name, place })], {}));
    }
    assert.deepEqual(otherRecord(store, { target }, scrape), says);
  });
