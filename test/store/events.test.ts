import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commitStep } from '../../src/store/commit.ts';
import { begin, item, step, temporaryStore, track } from './fixture.ts';

describe('events', () => {
  test('are told to those who listen when they are committed, until they stop', async (t) => {
    const { store } = await temporaryStore(t);
    const heard: number[] = [];
    const stop = store.onEvents((lastSerial) => {
      assert.equal([...store.events.rows({ after: 0, limit: 100 })].at(-1)?.id, lastSerial);
      heard.push(lastSerial);
    });
    await track(store, 'one');
    await store.write(() => {});
    await track(store, 'two');
    stop();
    await track(store, 'three');
    assert.deepEqual(heard, [1, 2]);
  });

  test('of a change that is undone are not told', async (t) => {
    const { store } = await temporaryStore(t);
    const heard: number[] = [];
    store.onEvents((lastSerial) => heard.push(lastSerial));
    const undone = store.write((change) => {
      change.tell({ type: 'project.finished', projects: ['undone'], data: {} });
      throw new Error('stop');
    });
    await assert.rejects(undone, /stop/);
    assert.deepEqual([heard, store.events.last()], [[], 0]);
  });

  test('of the neighbours of a change that is undone are told once', async (t) => {
    const { store } = await temporaryStore(t);
    const heard: number[] = [];
    store.onEvents((lastSerial) => heard.push(lastSerial));
    const tell = (project: string): Promise<void> =>
      store.write((change) => {
        change.tell({ type: 'project.finished', projects: [project], data: {} });
        if (project === 'undone') throw new Error('stop');
      });
    await Promise.allSettled([tell('first'), tell('undone'), tell('second')]);
    assert.deepEqual(
      [heard, [...store.events.rows({ after: 0, limit: 10 })].map(({ projects }) => projects?.[0])],
      [
        [1, 2],
        ['first', 'second'],
      ],
    );
  });

  test('are read after a serial, the oldest first, so many at a time', async (t) => {
    const { store } = await temporaryStore(t);
    for (const id of ['one', 'two', 'three']) await track(store, id);
    assert.deepEqual(
      [...store.events.rows({ after: 1, limit: 1 })].map(({ id, projects }) => [id, projects?.[0]]),
      [[2, 'two']],
    );
  });

  test('are known by their nouns and projects before they are read', async (t) => {
    const { store, clock } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const found = step(clock.now, [item('1', { name: 'Lamp' })], {});
    await commitStep(store, await begin(store, target), found);
    const briefs = [...store.events.briefs({ newestFirst: true })];
    assert.ok(['project', 'record', 'scrape'].every((noun) => briefs.some((brief) => brief.noun === noun)));
    const events = [...store.events.rows({ newestFirst: true })];
    assert.deepEqual(
      briefs.map(({ id, noun, projects, read }) => ({ id, noun, projects, event: read() })),
      events.map((event) => {
        const { id, type, projects = [] } = event;
        return { id, noun: type.replace(/\..*/, ''), projects, event };
      }),
    );
  });
});
