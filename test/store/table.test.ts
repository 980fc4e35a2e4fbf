import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { type Environment, openEnvironment } from '../../src/store/lmdb/environment.ts';
import { type Range, numberedTable, table } from '../../src/store/lmdb/table.ts';
import { temporaryFolder } from './fixture.ts';

function temporaryEnvironment(t: TestContext): Environment {
  const environment = openEnvironment({ path: temporaryFolder(t) });
  t.after(() => environment.close());
  return environment;
}

describe('a table', () => {
  const ranges: readonly (readonly [string, Range<number>, readonly number[]])[] = [
    ['all of it', {}, [1, 2, 3, 5]],
    ['from a key on', { from: 2 }, [2, 3, 5]],
    ['after a key', { after: 2 }, [3, 5]],
    ['after a key that is not there', { after: 4 }, [5]],
    ['before a key', { before: 3 }, [1, 2]],
    ['after one and before another', { after: 1, before: 5 }, [2, 3]],
    ['a number of rows', { after: 1, limit: 2 }, [2, 3]],
    ['all of it, backwards', { newestFirst: true }, [5, 3, 2, 1]],
    ['before a key, backwards', { before: 3, newestFirst: true }, [2, 1]],
    ['before a key that is not there, backwards', { before: 4, newestFirst: true }, [3, 2, 1]],
    ['before the end of all numbers, backwards', { before: Infinity, newestFirst: true }, [5, 3, 2, 1]],
    ['after one and before another, backwards', { after: 1, before: 5, newestFirst: true }, [3, 2]],
    ['from one and before another, backwards', { from: 1, before: 3, newestFirst: true }, [2, 1]],
    ['a number of rows, backwards', { limit: 1, newestFirst: true }, [5]],
    ['none', { limit: 0 }, []],
  ];
  for (const [name, range, expected] of ranges) {
    test(`gives ${name}`, async (t) => {
      const environment = temporaryEnvironment(t);
      const rows = table<number, string>(environment, 'rows');
      await environment.commit(() => [1, 2, 3, 5].forEach((key) => rows.put(key, `row ${key}`)));
      assert.deepEqual([...rows.keys(range)], expected);
      assert.deepEqual(
        [...rows.entries(range)],
        expected.map((key) => ({ key, row: `row ${key}` })),
      );
    });
  }

  test('gives the rows of one first part of its key, and no others', async (t) => {
    const environment = temporaryEnvironment(t);
    const rows = table<[string, number], 1>(environment, 'rows');
    const keys: readonly [string, number][] = [
      ['a', 9],
      ['b', 1],
      ['b', 2],
      ['b\u0000', 1],
      ['ba', 1],
    ];
    await environment.commit(() => keys.forEach((key) => rows.put(key, 1)));
    assert.deepEqual(
      [...rows.keys({ after: ['b', 0], before: ['b', Infinity] })],
      [
        ['b', 1],
        ['b', 2],
      ],
    );
    assert.deepEqual(
      [...rows.keys({ after: ['b', 0], before: ['b', Infinity], newestFirst: true })],
      [
        ['b', 2],
        ['b', 1],
      ],
    );
  });

  test('knows nothing under a key that is too long or empty', (t) => {
    const rows = table<string, 1>(temporaryEnvironment(t), 'rows');
    assert.equal(rows.get('x'.repeat(10_000)), undefined);
    assert.equal(rows.has('x'.repeat(1_000_000)), false);
    assert.equal(rows.get(''), undefined);
    assert.deepEqual([...rows.keys({ after: 'x'.repeat(10_000) })], []);
  });

  test('is not written outside a transaction', (t) => {
    const rows = table<number, 1>(temporaryEnvironment(t), 'rows');
    assert.throws(() => rows.put(1, 1), /rows: expected to be written within a transaction/);
    assert.throws(() => rows.remove(1), /within a transaction/);
  });

  test('keeps a row when another one is put as a new one', async (t) => {
    const environment = temporaryEnvironment(t);
    const rows = table<[string, number], string>(environment, 'rows');
    const put = (row: string) => environment.commit(() => rows.putNew(['a', 1], row));
    assert.deepEqual([await put('first'), await put('second'), rows.get(['a', 1])], [true, false, 'first']);
  });

  test('counts its rows', async (t) => {
    const environment = temporaryEnvironment(t);
    const rows = table<number, 1>(environment, 'rows');
    await environment.commit(() => [1, 2, 3].forEach((key) => rows.put(key, 1)));
    await environment.commit(() => rows.remove(2));
    assert.equal(rows.count(), 2);
  });
});

describe('a change', () => {
  test('that throws is undone whole, and its neighbours are not', async (t) => {
    const environment = temporaryEnvironment(t);
    const rows = table<number, string>(environment, 'rows');
    const outcomes = await Promise.allSettled([
      environment.commit(() => rows.put(1, 'before')),
      environment.commit(() => {
        rows.put(1, 'spoilt');
        rows.put(2, 'spoilt');
        throw new RangeError('stop');
      }),
      environment.commit(() => rows.put(3, 'after')),
    ]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(
      [...rows.entries()],
      [
        { key: 1, row: 'before' },
        { key: 3, row: 'after' },
      ],
    );
  });

  test('that throws gives its numbers back', async (t) => {
    const environment = temporaryEnvironment(t);
    const rows = numberedTable<{ readonly number: number; readonly by: string }>(environment, 'rows');
    const add = (by: string): void => void rows.add((number) => ({ number, by }));
    await Promise.allSettled([
      environment.commit(() => add('first')),
      environment.commit(() => {
        add('undone');
        add('undone');
        throw new Error('stop');
      }),
      environment.commit(() => add('second')),
    ]);
    assert.deepEqual(
      [...rows.rows()],
      [
        { number: 1, by: 'first' },
        { number: 2, by: 'second' },
      ],
    );
  });

  test('keeps its place among the others, however many there are and whichever of them throws', async (t) => {
    const environment = temporaryEnvironment(t);
    const rows = numberedTable<number>(environment, 'rows');
    const throwing = new Set([0, 63, 64, 100, 199]);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 200 }, (_, place) =>
        environment.commit(() => {
          rows.add(() => place);
          if (throwing.has(place)) throw new RangeError(`${place}`);
          return place;
        }),
      ),
    );
    const kept = outcomes.map((_, place) => place).filter((place) => !throwing.has(place));
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : String(outcome.reason))),
      outcomes.map((_, place) => (throwing.has(place) ? `RangeError: ${place}` : place)),
    );
    assert.deepEqual([...rows.rows()], kept);
    assert.deepEqual(
      [...rows.keys()],
      kept.map((_, place) => place + 1),
    );
  });

  test('that is not committed yet is not read', async (t) => {
    const environment = temporaryEnvironment(t);
    const rows = numberedTable<number>(environment, 'rows');
    await environment.commit(() => rows.add((number) => number));
    const later = environment.commit(() => {
      rows.add((number) => number);
      return rows.last();
    });
    assert.equal(rows.last(), 1);
    assert.equal(await later, 2);
    assert.equal(rows.last(), 2);
  });
});

describe('a numbered table', () => {
  test('counts on from where it was when it is opened again', async (t) => {
    const path = temporaryFolder(t);
    for (const expected of [1, 2]) {
      const environment = openEnvironment({ path });
      const rows = numberedTable<number>(environment, 'rows');
      assert.equal(await environment.commit(() => rows.add((number) => number)), expected);
      await environment.close();
    }
  });

  test('refuses a number that is not beyond the last', async (t) => {
    const environment = temporaryEnvironment(t);
    const rows = numberedTable<number>(environment, 'rows');
    await environment.commit(() => rows.add((number) => number));
    await assert.rejects(
      environment.commit(() => rows.append(1, 1)),
      /rows: expected a key beyond the last one, got 1/,
    );
  });

  test('that is trimmed to nothing keeps its newest row, so that no number is given twice', async (t) => {
    const environment = temporaryEnvironment(t);
    const rows = numberedTable<number>(environment, 'rows');
    await environment.commit(() => [1, 2, 3].forEach(() => rows.add((number) => number)));
    assert.equal(await environment.commit(() => rows.trim(0, 10)), 2);
    assert.deepEqual([...rows.rows()], [3]);
    assert.equal(await environment.commit(() => rows.add((number) => number)), 4);
  });
});
