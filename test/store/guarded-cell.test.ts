import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { guardedCell, type GuardedCell } from '../../src/store/guarded-cell.ts';

const policy = fc
  .tuple(fc.integer({ min: 2, max: 4 }), fc.integer({ min: 0, max: 3 }))
  .map(([times, more]) => ({ times, of: times + more }));

test('a value that must be confirmed is current once it was seen k times among the last n, never before, or is the first', () => {
  fc.assert(
    fc.property(policy, fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 40 }), (confirm, seen) => {
      let known: GuardedCell = { cell: { value: 0, observedAt: 0, verifiedAt: 0 } };
      for (const [index, value] of seen.entries()) {
        const at = index + 1;
        const where = { target: 1, scrape: at, url: '', at: 1_000, isBelieved: () => false };
        const before = known.cell;
        const after = guardedCell(known, { ...where, value, observedAt: at, guard: { confirm } });
        known = after;
        const last = seen.slice(Math.max(0, at - confirm.of), at);
        if (after.kind === 'changed') {
          assert.ok(last.filter((each) => each === value).length >= confirm.times);
          assert.equal(seen[(after.firstSeenAt ?? 0) - 1], value);
          assert.equal(after.cell.observedAt, after.firstSeenAt);
        } else {
          assert.equal(after.cell.value, before.value);
          assert.equal(after.cell.verifiedAt, value === before.value ? at : before.verifiedAt);
        }
        const inRow = seen.slice(Math.max(0, at - confirm.times), at);
        if (inRow.length === confirm.times && inRow.every((each) => each === value))
          assert.equal(known.cell.value, value);
        assert.ok((known.candidates?.length ?? 0) <= confirm.of);
        if (value === known.cell.value) assert.deepEqual(known.candidates ?? [], []);
      }
    }),
  );
});

test('a value that is held, confirmed or rejected is compared with nothing older than what was seen last', () => {
  const known: GuardedCell = {
    cell: { value: 1, observedAt: 1, verifiedAt: 1 },
    held: { kind: 'jump', value: 99, observedAt: 5, seenAt: 8, target: 1, scrape: 1, url: '' },
  };
  const seen = {
    value: 1,
    target: 1,
    scrape: 2,
    url: '',
    at: 20,
    guard: { jump: { factor: 2 } },
    isBelieved: () => true,
  };
  assert.equal(guardedCell(known, { ...seen, observedAt: 7 }).kind, 'stale');
  assert.equal(guardedCell(known, { ...seen, observedAt: 9 }).kind, 'verified');
  // Seen twice by one scrape is no second look.
  assert.equal(guardedCell(known, { ...seen, value: 99, scrape: 1, observedAt: 9 }).kind, 'held');
  assert.equal(guardedCell(known, { ...seen, value: 99, observedAt: 9 }).kind, 'changed');
});
