import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RankedQueue } from '../../../src/fetch/ledger/ranked-queue.ts';

interface Waiter {
  readonly dueAt: number;
  readonly number: number;
}

const dueAtOf = ({ dueAt }: Waiter): number => dueAt;

test('whoever joins and leaves a line, the one due first stands in front, and equals in order of arrival', () => {
  const step = fc.record({ dueAt: fc.nat(5), leaves: fc.boolean(), which: fc.nat(50) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const line = new RankedQueue<Waiter>(dueAtOf);
      const model: Waiter[] = [];
      for (const [number, { dueAt, leaves, which }] of steps.entries()) {
        const leaver = model[which];
        if (leaves && leaver) {
          line.delete(leaver);
          model.splice(which, 1);
        } else {
          const waiter = { dueAt, number };
          line.add(waiter);
          model.push(waiter);
        }
        const expected = model.toSorted((a, b) => a.dueAt - b.dueAt || a.number - b.number);
        assert.deepEqual(line.front(100), expected);
        assert.deepEqual(line.front(3), expected.slice(0, 3));
        assert.equal(line.first, expected[0]);
        assert.equal(line.size, expected.length);
      }
    }),
  );
});

test('who is not in a line does not leave it', () => {
  const line = new RankedQueue<Waiter>(dueAtOf);
  line.delete({ dueAt: 1, number: 1 });
  line.add({ dueAt: 1, number: 1 });
  line.delete({ dueAt: 1, number: 1 });
  assert.equal(line.size, 1);
});
