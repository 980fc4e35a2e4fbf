import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Event } from '../../src/event/catalogue.ts';
import { ProjectIndex } from '../../src/store/project-index.ts';
import type { Store } from '../../src/store/store.ts';
import type { ProjectRow } from '../../src/store/tables/rows.ts';

type EventListener = Parameters<Store['onEvents']>[0];

function row(id: string, labels: readonly string[] = []): ProjectRow {
  return { id, name: id, labels, multiplier: 1, status: 'active', createdAt: 0, targets: [] };
}

/** A store of some projects without targets, with a listener that is told of events by hand. */
function storeOf(ids: readonly string[]) {
  const projects = new Map(ids.map((id) => [id, row(id)]));
  const listeners: EventListener[] = [];
  let failure: Error | undefined;
  return {
    projects: {
      get: (id: string) => projects.get(id),
      rowsAfter(last: ProjectRow | undefined, limit: number) {
        if (failure !== undefined) throw failure;
        const all = [...projects.values()];
        const from = last === undefined ? 0 : all.findIndex(({ id }) => id === last.id) + 1;
        return all.slice(from, from + limit);
      },
    },
    targets: { get: () => undefined },
    onEvents(listener: EventListener) {
      listeners.push(listener);
      return () => undefined;
    },
    fail(error: Error | undefined): void {
      failure = error;
    },
    label(id: string, label: string): void {
      projects.set(id, row(id, [label]));
      tell({ id: 1, version: 1, at: 0, type: 'project.finished', projects: [id], data: {} });
    },
    rename: () => tell({ id: 2, version: 1, at: 0, type: 'source.renamed', source: 'b', data: { from: 'a' } }),
  };

  function tell(event: Event): void {
    for (const listener of listeners) listener(event.id, [event]);
  }
}

/** More projects than are read in one go. */
const many = Array.from({ length: 101 }, (_, place) => `p${String(place).padStart(3, '0')}`);

function labelsOf(all: Awaited<ReturnType<ProjectIndex['all']>>, wanted: string): readonly string[] | undefined {
  return all.find(({ id }) => id === wanted)?.labels;
}

describe('the index of projects', () => {
  test('is read again after a read that failed', async () => {
    const store = storeOf(['a']);
    const index = new ProjectIndex(store);
    store.fail(new Error('closed'));
    await assert.rejects(index.all(), /closed/);
    store.fail(undefined);
    assert.deepEqual(
      (await index.all()).map(({ id }) => id),
      ['a'],
    );
  });

  test('has a change that comes about while it is read', async () => {
    const store = storeOf(many);
    const index = new ProjectIndex(store);
    const read = index.all();
    store.label('p000', 'new');
    assert.deepEqual(labelsOf(await read, 'p000'), ['new']);
  });

  test('has, after the renaming of a source, also a change that comes about while it is read again', async () => {
    const store = storeOf(many);
    const index = new ProjectIndex(store);
    const first = index.all();
    store.rename();
    const second = index.all();
    store.label('p000', 'new');
    for (const read of [first, second, index.all()]) assert.deepEqual(labelsOf(await read, 'p000'), ['new']);
  });
});
