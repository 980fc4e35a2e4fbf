import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { FieldCell } from '../../src/view/record.ts';
import { guardedCell, type GuardedCell } from '../../src/store/guarded-cell.ts';

const policy = fc
  .tuple(fc.integer({ min: 2, max: 4 }), fc.integer({ min: 0, max: 3 }))
  .map(([times, more]) => ({ times, of: times + more }));

test('a value is confirmed by the k-th of the last n sights that shows it, counted since the last change', () => {
  fc.assert(
    fc.property(policy, fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 40 }), (confirm, seen) => {
      let known: GuardedCell & { cell: FieldCell } = { cell: { value: 0, observedAt: 0, verifiedAt: 0 } };
      let changedAt = 0;
      for (const [index, value] of seen.entries()) {
        const at = index + 1;
        const evidence = { target: 1, scrape: at, version: 'v1' };
        const where = { evidence, url: '', at: 1_000, isBelieved: () => false };
        const { cell: before } = known;
        const after = guardedCell(known, { ...where, value, observedAt: at, guard: { confirm } });
        assert.ok(after.cell);
        known = { ...after, cell: after.cell };
        const from = Math.max(changedAt, at - confirm.of);
        const last = seen.slice(from, at);
        const isConfirmed = value !== before.value && last.filter((each) => each === value).length >= confirm.times;
        assert.equal(after.kind, isConfirmed ? 'changed' : value === before.value ? 'verified' : 'candidate');
        if (isConfirmed) {
          const firstSeenAt = from + last.indexOf(value) + 1;
          assert.deepEqual(after.cell, { value, observedAt: firstSeenAt, verifiedAt: at });
          assert.equal(after.firstSeenAt, firstSeenAt);
          changedAt = at;
        } else assert.deepEqual(after.cell, value === before.value ? { ...before, verifiedAt: at } : before);
        const isOpen = !isConfirmed && last.some((each) => each !== before.value);
        assert.equal((known.candidates ?? []).length > 0, isOpen);
        assert.ok((known.candidates?.length ?? 0) <= confirm.of);
      }
    }),
  );
});

test('a value that is held, confirmed or rejected is compared with nothing older than what was seen last', () => {
  const evidence = { target: 1, scrape: 1, version: 'v1' };
  const known: GuardedCell = {
    cell: { value: 1, observedAt: 1, verifiedAt: 1 },
    held: { kind: 'jump', value: 99, observedAt: 5, seenAt: 8, ...evidence, url: '' },
  };
  const seen = {
    value: 1,
    evidence: { ...evidence, scrape: 2 },
    url: '',
    at: 20,
    guard: { jump: { factor: 2 } },
    isBelieved: () => true,
  };
  assert.equal(guardedCell(known, { ...seen, observedAt: 7 }).kind, 'stale');
  assert.equal(guardedCell(known, { ...seen, observedAt: 9 }).kind, 'verified');
  // Seen twice by one scrape is no second look.
  assert.equal(guardedCell(known, { ...seen, value: 99, evidence, observedAt: 9 }).kind, 'held');
  assert.equal(guardedCell(known, { ...seen, value: 99, observedAt: 9 }).kind, 'changed');
});
