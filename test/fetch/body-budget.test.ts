import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { BodyBudget } from '../../src/fetch/body-budget.ts';

describe('a budget of bodies', () => {
  test('grants at once what fits', async () => {
    const budget = new BodyBudget({ limitBytes: 100, reserveBytes: 10 });
    assert.equal(await budget.open().raise(90), true);
    assert.equal(budget.usedBytes, 90);
    assert.equal(budget.hasRoom(), false);
  });

  test('lets the oldest that waits use the reserve, and the others wait until it is released', async () => {
    const budget = new BodyBudget({ limitBytes: 100, reserveBytes: 20 });
    const [first, second] = [budget.open(), budget.open()];
    await first.raise(40);
    await second.raise(40);
    const told: string[] = [];
    const growing = [first.raise(55).then(() => told.push('first')), second.raise(55).then(() => told.push('second'))];
    await growing[0];
    assert.deepEqual(told, ['first']);
    assert.equal(budget.usedBytes, 95);
    first.release();
    await growing[1];
    assert.deepEqual(told, ['first', 'second']);
    assert.equal(budget.usedBytes, 55);
  });

  test('tells a waiter that is released that it got nothing', async () => {
    const budget = new BodyBudget({ limitBytes: 10, reserveBytes: 0 });
    const [first, second] = [budget.open(), budget.open()];
    await first.raise(10);
    const waiting = second.raise(5);
    second.release();
    assert.equal(await waiting, false);
    assert.equal(await second.raise(1), false);
    assert.equal(budget.usedBytes, 10);
  });

  test('says when there is room again, and only then', async () => {
    let rooms = 0;
    const budget = new BodyBudget({ limitBytes: 100, reserveBytes: 0, onRoom: () => (rooms += 1) });
    const [first, second] = [budget.open(), budget.open()];
    await first.raise(60);
    await second.raise(40);
    assert.equal(rooms, 0);
    second.lower(30);
    first.release();
    assert.equal(rooms, 1);
  });

  test('whatever bodies do, is never exceeded and never stuck', async () => {
    const sizes = fc.array(fc.array(fc.integer({ min: 1, max: 10 }), { minLength: 1, maxLength: 4 }), {
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(sizes, async (bodies) => {
        const budget = new BodyBudget({ limitBytes: 100, reserveBytes: 40 });
        await Promise.all(
          bodies.map(async (chunks) => {
            const hold = budget.open();
            for (const chunk of chunks) {
              assert.equal(await hold.raise(hold.bytes + chunk), true);
              assert.ok(budget.usedBytes <= 100);
            }
            hold.release();
          }),
        );
        assert.equal(budget.usedBytes, 0);
        assert.equal(budget.hasRoom(), true);
      }),
    );
  });
});
