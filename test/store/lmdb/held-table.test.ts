import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { type Environment, openEnvironment } from '../../../src/store/lmdb/environment.ts';
import { heldTable } from '../../../src/store/lmdb/held-table.ts';
import { type Table, numberedTable, table } from '../../../src/store/lmdb/table.ts';
import { temporaryFolder } from '../fixture.ts';

function temporaryEnvironment(t: TestContext): Environment {
  const environment = openEnvironment({ path: temporaryFolder(t) });
  t.after(() => environment.close());
  return environment;
}

/** All that a table says of its rows 1 to 6. */
function contents(rows: Table<number, string>) {
  return {
    one: [1, 2, 3, 4, 5, 6].map((key) => [rows.has(key), rows.get(key)]),
    rows: [...rows.rows()],
    keys: [...rows.keys({ newestFirst: true, limit: 3 })],
    entries: [...rows.entries({ after: 2 })],
    last: rows.lastKey(),
    count: rows.count(),
  };
}

const changes: readonly (readonly [string, (rows: Table<number, string>) => unknown])[] = [
  ['puts a row', (rows) => rows.put(3, 'put')],
  ['puts a row twice', (rows) => (rows.put(3, 'put'), rows.put(3, 'again'))],
  ['puts a row that it has read', (rows) => rows.put(1, `${rows.get(1)} again`)],
  ['appends a row', (rows) => rows.append(6, 'appended')],
  ['appends a row and puts it', (rows) => (rows.append(6, 'appended'), rows.put(6, 'again'))],
  ['appends a row behind one that it has put', (rows) => (rows.put(5, 'put'), rows.append(6, 'appended'))],
  ['puts a row if it is new', (rows) => [rows.putNew(1, 'no'), rows.putNew(3, 'put'), rows.putNew(3, 'no')]],
  ['removes a row', (rows) => [rows.remove(1), rows.remove(1), rows.remove(5)]],
  ['removes a row that it has put', (rows) => (rows.put(5, 'put'), [rows.remove(5), rows.get(5)])],
  ['puts a row that it has removed', (rows) => (rows.remove(2), rows.put(2, 'again'))],
  ['removes a range with a row that it has put', (rows) => (rows.put(3, 'put'), rows.removeRange({ after: 1 }))],
  ['reads a row that is not there, then puts it', (rows) => [rows.get(5), rows.put(5, 'put'), rows.get(5)]],
];

describe('a table that holds its rows', () => {
  for (const [name, change] of changes)
    test(`is as any other to a change that ${name}, to later ones and to readers`, async (t) => {
      const environment = temporaryEnvironment(t);
      const both = [heldTable<number, string>(environment, 'held'), table<number, string>(environment, 'plain')];
      for (const rows of both) await environment.commit(() => [1, 2, 4].forEach((key) => rows.put(key, `row ${key}`)));
      const told = await Promise.all(
        both.map(async (rows) => {
          const within = environment.commit(() => [change(rows), contents(rows)]);
          const beside = environment.commit(() => contents(rows));
          return [await within, await beside, contents(rows)];
        }),
      );
      assert.deepEqual(told[0], told[1]);
    });

  test('reads and writes a row once for all changes of a transaction', async (t) => {
    const environment = temporaryEnvironment(t);
    let writes = 0;
    const rows = heldTable<number, { readonly pages: number }>(
      {
        ...environment,
        database(name) {
          const database = environment.database<never>(name);
          const { putSync } = database;
          return Object.assign(database, {
            putSync: (...given: unknown[]) => ((writes += 1), Reflect.apply(putSync, database, given) as unknown),
          });
        },
      },
      'rows',
    );
    await environment.commit(() => rows.put(1, { pages: 0 }));
    writes = 0;
    const count = (): void => rows.put(1, { pages: (rows.get(1)?.pages ?? 0) + 1 });
    await Promise.all(Array.from({ length: 10 }, () => environment.commit(count)));
    assert.deepEqual(rows.get(1), { pages: 10 });
    const { transactions } = environment.commitCounts();
    assert.equal(writes, transactions - 1);
    assert.ok(writes < 10);
  });

  test('forgets what a change that throws has put', async (t) => {
    const environment = temporaryEnvironment(t);
    const rows = heldTable<number, string>(environment, 'rows');
    await environment.commit(() => rows.put(1, 'before'));
    const outcomes = await Promise.allSettled([
      environment.commit(() => rows.put(2, 'one')),
      environment.commit(() => {
        rows.put(1, 'spoilt');
        rows.remove(2);
        rows.put(3, 'spoilt');
        throw new RangeError('stop');
      }),
      environment.commit(() => [rows.get(1), rows.get(2), rows.get(3)]),
    ]);
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : String(outcome.reason))),
      [undefined, 'RangeError: stop', ['before', 'one', undefined]],
    );
    assert.deepEqual([...rows.rows()], ['before', 'one']);
  });

  test('shows readers what is committed, and not what it holds', async (t) => {
    const environment = temporaryEnvironment(t);
    const rows = heldTable<number, string>(environment, 'rows');
    const later = environment.commit(() => (rows.put(1, 'put'), rows.get(1)));
    assert.deepEqual([rows.get(1), rows.has(1), rows.count()], [undefined, false, 0]);
    assert.equal(await later, 'put');
    assert.deepEqual([rows.get(1), rows.has(1), rows.count()], ['put', true, 1]);
  });

  test('is not written outside a transaction', (t) => {
    const rows = heldTable<number, string>(temporaryEnvironment(t), 'rows');
    for (const write of [() => rows.put(1, 'x'), () => rows.remove(1), () => rows.append(1, 'x')])
      assert.throws(write, /^Error: rows: expected to be written within a transaction$/);
  });

  test('counts its rows up as one that does not', async (t) => {
    const environment = temporaryEnvironment(t);
    const rows = numberedTable<string>(environment, 'rows', heldTable);
    const added = (name: string) => environment.commit(() => rows.add((number) => `${name} ${number}`));
    assert.deepEqual(await Promise.all([added('a'), added('b')]), ['a 1', 'b 2']);
    await environment.commit(() => rows.put(2, 'changed'));
    assert.deepEqual([rows.last(), [...rows.rows()]], [2, ['a 1', 'changed']]);
    assert.equal(await environment.commit(() => (rows.put(1, 'later'), rows.trim(1, 10))), 1);
    assert.deepEqual([...rows.rows()], ['changed']);
  });
});
