import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openEnvironment } from '../../src/store/lmdb/environment.ts';
import { emptyField, emptyTally, emptyType } from '../../src/health/tally.ts';
import { type Migration, newestSchema, oldestSchema } from '../../src/store/migration.ts';
import { openStore } from '../../src/store/store.ts';
import { table } from '../../src/store/lmdb/table.ts';
import { hourly, temporaryFolder, temporaryStore, track } from './fixture.ts';
import { schema8, writeEnvironment } from './saved-store.ts';

/** Gives every project a label that says which schema it came from. */
const labelled =
  (label: string): Migration =>
  (_environment, { projects }) => {
    const rows = [...projects.rows()];
    for (const project of rows) projects.put(project.id, { ...project, labels: [...project.labels, label] });
  };

const options = { now: () => 1, scheduling: hourly, migrations: [] };

describe('the schema of a store', () => {
  test('is the newest from its first commit on', async (t) => {
    const { store } = await temporaryStore(t);
    assert.equal(store.meta.schema(), newestSchema);
  });

  test('that is older is migrated step by step, after a copy was made', async (t) => {
    const path = temporaryFolder(t);
    const old = await openStore({ ...options, path });
    await track(old, 'lamp');
    await old.close();

    const migrated = await openStore({ ...options, path, migrations: [labelled('first'), labelled('second')] });
    assert.equal(migrated.meta.schema(), oldestSchema + 2);
    assert.deepEqual(migrated.projects.get('lamp')?.labels, ['first', 'second']);
    await migrated.close();

    const copy = await openStore({ ...options, path: join(path, `schema-${oldestSchema}`) });
    assert.deepEqual([copy.meta.schema(), copy.projects.get('lamp')?.labels], [oldestSchema, []]);
    await copy.close();
  });

  test('that is older by its number alone is brought only through the steps that it lacks', async (t) => {
    const { store, path } = await temporaryStore(t, { migrations: [labelled('first'), labelled('second')] });
    await track(store, 'lamp');
    await store.write(() => store.meta.setSchema(oldestSchema + 1));
    await store.close();
    const migrated = await temporaryStore(t, { path, migrations: [labelled('first'), labelled('second')] });
    assert.deepEqual(migrated.store.projects.get('lamp')?.labels, ['second']);
  });

  test('stays what it was when a step throws, with all else', async (t) => {
    const path = temporaryFolder(t);
    const old = await openStore({ ...options, path });
    await track(old, 'lamp');
    await old.close();
    const broken: Migration = () => {
      throw new RangeError('a row that nobody expected');
    };
    await assert.rejects(
      openStore({ ...options, path, migrations: [labelled('first'), broken] }),
      /a row that nobody expected/,
    );
    const again = await openStore({ ...options, path });
    assert.deepEqual([again.meta.schema(), again.projects.get('lamp')?.labels], [oldestSchema, []]);
    await again.close();
  });

  test('that is newer is refused, and nothing is written', async (t) => {
    const path = temporaryFolder(t);
    const newer = await openStore({ ...options, path, migrations: [() => {}] });
    await newer.close();
    await assert.rejects(openStore({ ...options, path }), {
      name: 'SchemaError',
      code: 'newer',
      message: `${path}: has schema ${oldestSchema + 1}: expected at most ${oldestSchema}, which this version of Heronry knows; use the version that wrote it, or a newer one`,
    });
    const again = await openStore({ ...options, path, migrations: [() => {}] });
    assert.equal(again.meta.schema(), oldestSchema + 1);
    await again.close();
  });

  test('of a saved store is migrated with its rows', async (t) => {
    const path = temporaryFolder(t);
    await writeEnvironment(path, schema8);
    const { store } = await temporaryStore(t, { path, migrations: [labelled('from the saved one')] });
    assert.equal(store.meta.schema(), 9);
    assert.deepEqual(store.projects.get('lamp')?.labels, ['from the saved one']);
    const { observed: _, ...record } = schema8.records[0][1];
    const sighting = schema8['records.sightings'][0][1];
    const price = { value: 3, observedAt: 5_000, verifiedAt: 5_000 };
    assert.deepEqual(store.records.get('shop', 'item', 'a'), { record: 1, ...record, ...sighting, fields: { price } });
    assert.deepEqual([...store.targets.numbersOfSource('shop')], [1, 2]);
  });

  test('8 counted the values of a round in another way: rounds and runs under way begin anew', async (t) => {
    const path = temporaryFolder(t);
    const values = { total: 1, counts: { 7: 1 } };
    const fields = { price: { ...emptyField, values } };
    const tally = { ...emptyTally, types: { item: { ...emptyType, fields } } };
    const rows = { 'runs.rounds': [['shop', { startedAt: 1, tally }]], 'runs.tallies': [[1, { tally }]] } as const;
    await writeEnvironment(path, { ...schema8, ...rows });
    const { store } = await temporaryStore(t, { path });
    assert.equal(store.meta.schema(), newestSchema);
    assert.deepEqual([store.runs.rounds.count(), store.runs.tallies.count()], [0, 0]);
    assert.equal(store.records.get('shop', 'item', 'a')?.record, 1);
  });

  test('that is older than any migration is refused by name, and nothing is written', async (t) => {
    const path = temporaryFolder(t);
    await writeEnvironment(path, { ...schema8, meta: [['schema', 7]] });
    await assert.rejects(openStore({ ...options, path }), {
      name: 'SchemaError',
      code: 'older',
      message: `${path}: has schema 7: this version of Heronry needs 8 or later; use the version that wrote it, or start with an empty folder (--data) and add the projects again`,
    });
    const environment = openEnvironment({ path });
    t.after(() => environment.close());
    assert.equal(table<string, number>(environment, 'meta').get('schema'), 7);
  });

  test('that is older stays as it is when another daemon has the store', async (t) => {
    const path = temporaryFolder(t);
    const old = await openStore({ ...options, path });
    await old.close();
    const claim = () => {
      throw new Error('another daemon has it');
    };
    await assert.rejects(
      openStore({ ...options, path, claim, migrations: [labelled('first')] }),
      /another daemon has it/,
    );
    const again = await openStore({ ...options, path });
    assert.equal(again.meta.schema(), oldestSchema);
    await again.close();
  });

  test('that is missing where there are events is refused', async (t) => {
    const path = temporaryFolder(t);
    const environment = openEnvironment({ path });
    const events = table<number, string>(environment, 'events');
    await environment.commit(() => events.put(1, 'of something else'));
    await environment.close();
    await assert.rejects(openStore({ ...options, path }), { name: 'SchemaError', code: 'foreign' });
  });
});
