import fc from 'fast-check';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HostLine } from '../../../src/fetch/ledger/host-line.ts';

interface Waiter {
  readonly name: string;
  readonly dueAt: number;
  readonly askedAt?: number;
  readonly deadlineAt?: number;
  readonly isManual?: boolean;
  readonly source?: string;
}

function recheck(name: string, dueAt: number, deadlineAt: number): Waiter {
  return { name, dueAt, deadlineAt };
}

function other(name: string, dueAt: number): Waiter {
  return { name, dueAt };
}

function lineOf(share: number, ...wishes: readonly Waiter[]): HostLine<Waiter> {
  const line = new HostLine<Waiter>(share);
  for (const wish of wishes) line.add(wish);
  return line;
}

function served(line: HostLine<Waiter>, count = line.size): string {
  return Array.from({ length: count }, () => line.serve()?.name ?? '–').join(' ');
}

describe('who waits for one host', () => {
  test('comes by its deadline where it has one, whenever it was due, and else by when it was due (P45)', () => {
    const rechecks = [recheck('late', 1, 30), recheck('soon', 3, 10), recheck('next', 2, 20)];
    assert.equal(served(lineOf(0.5, ...rechecks)), 'soon next late');
    assert.equal(served(lineOf(0.5, other('c', 3), other('a', 1), other('b', 2))), 'a b c');
  });

  test('has every other turn while both kinds wait, and each turn once one of them is through', () => {
    const rechecks = [1, 2, 3, 4].map((place) => recheck(`r${place}`, 0, place));
    const others = [1, 2].map((place) => other(`o${place}`, place));
    assert.equal(served(lineOf(0.5, ...others, ...rechecks)), 'r1 o1 r2 o2 r3 r4');
    const few = [1, 2].map((place) => recheck(`r${place}`, 0, place));
    const many = [1, 2, 3, 4].map((place) => other(`o${place}`, place));
    assert.equal(served(lineOf(0.5, ...many, ...few)), 'r1 o1 r2 o2 o3 o4');
  });

  test('owes nothing for turns that nobody else waited for', () => {
    const line = lineOf(0.5, ...[1, 2, 3, 4, 5].map((place) => recheck(`r${place}`, 0, place)));
    assert.equal(served(line, 3), 'r1 r2 r3');
    line.add(other('o1', 1));
    line.add(other('o2', 2));
    assert.equal(served(line), 'r4 o1 r5 o2');
  });

  test('comes first where a person asked for it, though not for two turns in a row while others wait', () => {
    const manual = [1, 2, 3].map((place) => ({ ...other(`m${place}`, 100 + place), isManual: true }));
    const others = [other('o1', 1), other('o2', 2)];
    assert.equal(served(lineOf(0.5, ...others, recheck('r1', 0, 9), ...manual)), 'm1 r1 m2 o1 m3 o2');
    assert.equal(served(lineOf(0.5, ...manual)), 'm1 m2 m3');
  });

  test('waits while the line of its source is shut, and holds up nobody of another source', () => {
    const shut = new Set(['a']);
    const line = new HostLine<Waiter>(0.5, (name) => shut.has(name));
    for (const [name, dueAt] of Object.entries({ a1: 1, b1: 2, a2: 0 }))
      line.add({ ...other(name, dueAt), source: name.slice(0, 1) });
    assert.deepEqual([line.first?.name, line.size], ['b1', 3]);
    assert.equal(line.serve()?.name, 'b1');
    assert.equal(line.first, undefined);
    shut.delete('a');
    assert.equal(served(line), 'a2 a1');
  });

  test('gets the share that is set, within a turn, over every stretch in which both kinds wait', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 60 }), (tenths, turns) => {
        const line = new HostLine<Waiter>(tenths / 10);
        for (let place = 0; place < turns; place += 1) {
          line.add(recheck('r', 0, place));
          line.add(other('o', place));
        }
        const rechecks = served(line, turns).replace(/[^r]/g, '').length;
        assert.ok(Math.abs(rechecks - (turns * tenths) / 10) <= 1, `${rechecks} of ${turns}`);
      }),
    );
  });

  test('is shown in the order in which it will be served, whoever has left', () => {
    const wish = fc.record({
      dueAt: fc.nat(9),
      deadlineAt: fc.option(fc.nat(9), { nil: undefined }),
      leaves: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(wish, { maxLength: 40 }), fc.nat(10), (wishes, first) => {
        const line = new HostLine<Waiter>(0.5);
        for (const [place, { dueAt, deadlineAt, leaves }] of wishes.entries()) {
          const waiter = { name: `${place}`, dueAt, ...(deadlineAt !== undefined && { deadlineAt }) };
          line.add(waiter);
          if (leaves) line.delete(waiter);
        }
        served(line, Math.min(first, line.size));
        const shown = line.front(50).map(({ name }) => name);
        assert.deepEqual(
          line.front(3).map(({ name }) => name),
          shown.slice(0, 3),
        );
        assert.equal(line.first?.name, shown[0]);
        assert.equal(served(line), shown.join(' '));
      }),
    );
  });

  test('has waited since it was due, or since it was asked for where its due time is a rank alone', () => {
    const line = lineOf(0.5, { name: 'robots', dueAt: 0, askedAt: 70 }, { ...other('page', 50), source: 'a' });
    assert.deepEqual(
      Array.from(line.lines(), ({ oldestAt }) => oldestAt),
      [70, 50],
    );
  });
});
