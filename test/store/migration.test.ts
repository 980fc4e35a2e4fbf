import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openEnvironment } from '../../src/store/environment.ts';
import type { Migration } from '../../src/store/migration.ts';
import { openStore } from '../../src/store/store.ts';
import { table } from '../../src/store/tables/table.ts';
import { hourly, temporaryFolder, temporaryStore, track } from './fixture.ts';

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
    assert.equal(store.meta.schema(), 3);
  });

  test('that is older is migrated step by step, after a copy was made', async (t) => {
    const path = temporaryFolder(t);
    const old = await openStore({ ...options, path });
    await track(old, 'lamp');
    await old.close();

    const migrated = await openStore({ ...options, path, migrations: [labelled('from 1'), labelled('from 2')] });
    assert.equal(migrated.meta.schema(), 3);
    assert.deepEqual(migrated.projects.get('lamp')?.labels, ['from 1', 'from 2']);
    await migrated.close();

    const copy = await openStore({ ...options, path: join(path, 'schema-1') });
    assert.deepEqual([copy.meta.schema(), copy.projects.get('lamp')?.labels], [1, []]);
    await copy.close();
  });

  test('that is older by its number alone is brought only through the steps that it lacks', async (t) => {
    const { store, path } = await temporaryStore(t, { migrations: [labelled('from 1'), labelled('from 2')] });
    await track(store, 'lamp');
    await store.write(() => store.meta.setSchema(2));
    await store.close();
    const migrated = await temporaryStore(t, { path, migrations: [labelled('from 1'), labelled('from 2')] });
    assert.deepEqual(migrated.store.projects.get('lamp')?.labels, ['from 2']);
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
      openStore({ ...options, path, migrations: [labelled('from 1'), broken] }),
      /a row that nobody expected/,
    );
    const again = await openStore({ ...options, path });
    assert.deepEqual([again.meta.schema(), again.projects.get('lamp')?.labels], [1, []]);
    await again.close();
  });

  test('that is newer is refused, and nothing is written', async (t) => {
    const path = temporaryFolder(t);
    const newer = await openStore({ ...options, path, migrations: [() => {}] });
    await newer.close();
    await assert.rejects(openStore({ ...options, path }), {
      name: 'SchemaError',
      code: 'newer',
      message: `${path}: has schema 2: expected at most 1, which this version of Heronry knows; use the version that wrote it, or a newer one`,
    });
    const again = await openStore({ ...options, path, migrations: [() => {}] });
    assert.equal(again.meta.schema(), 2);
    await again.close();
  });

  test('that is older stays as it is when another daemon has the store', async (t) => {
    const path = temporaryFolder(t);
    const old = await openStore({ ...options, path });
    await old.close();
    const claim = () => {
      throw new Error('another daemon has it');
    };
    await assert.rejects(
      openStore({ ...options, path, claim, migrations: [labelled('from 1')] }),
      /another daemon has it/,
    );
    const again = await openStore({ ...options, path });
    assert.equal(again.meta.schema(), 1);
    await again.close();
  });

  test('that is missing where there are commits is refused', async (t) => {
    const path = temporaryFolder(t);
    const environment = openEnvironment({ path });
    const commits = table<number, string>(environment, 'commits');
    await environment.commit(() => commits.put(1, 'of something else'));
    await environment.close();
    await assert.rejects(openStore({ ...options, path }), { name: 'SchemaError', code: 'foreign' });
  });
});

describe('a store of schema 1', () => {
  test('keeps when its targets are due, and their own intervals', async (t) => {
    const { store, path } = await temporaryStore(t, { migrations: [] });
    const [one = 0, other = 0] = await track(store, 'lamp', 'https://shop.test/1', 'https://shop.test/2');
    const grid = { originAt: 5_000, everyMs: 60_000, slot: 0, phaseMs: 0, key: 'https://shop.test' };
    await store.write(() => {
      const target = store.targets.get(one);
      if (target !== undefined) store.targets.put({ ...target, ...{ everyMs: 60_000 } });
      for (const number of [one, other]) store.schedule.remove(number);
      const rows = table<number, unknown>(store.environment, 'schedule');
      const byDue = table<[number, number], 1>(store.environment, 'schedule.by_due');
      rows.put(one, { target: one, dueAt: 65_000, manualAt: 64_000, grid, first: false });
      byDue.put([64_000, one], 1);
      rows.put(other, { target: other, dueAt: 9_000, grid: { ...grid, slot: 1 }, first: true });
      byDue.put([9_000, other], 1);
    });
    await store.close();

    const { store: migrated } = await temporaryStore(t, { path });
    assert.equal(migrated.meta.schema(), 3);
    assert.deepEqual(migrated.targets.get(one)?.schedule, { every: 60_000 });
    assert.deepEqual(
      [...migrated.schedule.byDue()],
      [
        {
          target: other,
          since: 9_000,
          firstAt: 9_000,
          dueAt: 9_000,
          pace: { kind: 'interval', grid: { ...grid, slot: 1 } },
        },
        { target: one, since: 5_000, dueAt: 65_000, manualAt: 64_000, pace: { kind: 'interval', grid } },
      ],
    );
  });
});
