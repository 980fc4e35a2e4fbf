import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { scrapeLists } from '../../src/store/tables/scrape-lists.ts';
import { temporaryStore } from './fixture.ts';

test('the scrapes of a target are listed from any number down, also where one is written after a later one, or is gone', async (t) => {
  const { store } = await temporaryStore(t);
  const lists = scrapeLists(store.environment);
  let target = 0;
  const places = fc.array(fc.nat(3), { minLength: 1, maxLength: 150 });
  await fc.assert(
    fc.asyncProperty(places, fc.array(fc.nat(200)), fc.nat(200), async (delays, removed, before) => {
      target += 1;
      // Each number comes up to three places late.
      const numbers = delays
        .map((late, index) => ({ number: index + 1, at: index + late }))
        .sort((one, other) => one.at - other.at)
        .map(({ number }) => number);
      await store.write(() => {
        for (const number of numbers) lists.add(target, number);
        lists.add(target + 1, 7);
        for (const number of removed) lists.remove(target, number);
      });
      const left = numbers.filter((number) => !removed.includes(number)).toSorted((one, other) => other - one);
      assert.deepEqual([...lists.before(target, Infinity)], left);
      assert.deepEqual(
        [...lists.before(target, before)],
        left.filter((number) => number < before),
      );
      await store.write(() => {
        for (const number of [...left, 7]) lists.remove(number === 7 ? target + 1 : target, number);
        for (const number of left) lists.remove(target, number);
      });
      assert.deepEqual([...lists.before(target, Infinity)], []);
    }),
    { numRuns: 50 },
  );
});
