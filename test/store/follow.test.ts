import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { follow, type LogSlice } from '../../src/store/follow.ts';
import { trim } from '../../src/store/retention.ts';
import type { Store } from '../../src/store/store.ts';
import { temporaryStore, track } from './fixture.ts';

function tellMany(store: Store, count: number): Promise<void> {
  return store.write((change) => {
    for (let index = 0; index < count; index += 1)
      change.tell({ type: 'project.finished', projects: ['lamp'], data: {} });
  });
}

/** Takes slices until one reaches an event. */
async function sliceUpTo(slices: AsyncGenerator<LogSlice, void, void>, id: number): Promise<LogSlice[]> {
  const taken: LogSlice[] = [];
  for (;;) {
    const { value } = await slices.next();
    if (value === undefined) return taken;
    taken.push(value);
    if (value.upTo === id) return taken;
  }
}

describe('following the event log', () => {
  test('yields what is stored in small slices that say how much is left, then what is committed', async (t) => {
    const { store } = await temporaryStore(t);
    await tellMany(store, 250);
    const end = new AbortController();
    const slices = follow(store, 20, {}, end.signal);
    const stored = await sliceUpTo(slices, 250);
    assert.deepEqual(
      stored.map(({ events, upTo, behind }) => [events.length, upTo, behind]),
      [
        [100, 120, 130],
        [100, 220, 30],
        [30, 250, 0],
      ],
    );
    assert.deepEqual(
      stored.flatMap(({ events }) => events.map(({ id }) => id)),
      Array.from({ length: 230 }, (_, index) => index + 21),
    );
    const next = slices.next();
    await track(store, 'new');
    const { value } = await next;
    assert.deepEqual(
      value?.events.map(({ id, type }) => [id, type]),
      [[251, 'project.added']],
    );
    end.abort();
    assert.deepEqual(await slices.next(), { done: true, value: undefined });
  });

  test('ends when the store is closed between two slices', async (t) => {
    const { store } = await temporaryStore(t);
    await tellMany(store, 250);
    const slices = follow(store, 0, {}, new AbortController().signal);
    assert.equal((await slices.next()).value?.upTo, 100);
    await store.close();
    assert.deepEqual(await slices.next(), { done: true, value: undefined });
  });

  test('ends while it waits when its signal fires, and listens no more', async (t) => {
    const { store } = await temporaryStore(t);
    const end = new AbortController();
    let listeners = 0;
    const counted: Pick<Store, 'events' | 'onEvents' | 'isClosed'> = {
      events: store.events,
      isClosed: store.isClosed,
      onEvents(listener) {
        listeners += 1;
        const stop = store.onEvents(listener);
        return () => {
          listeners -= 1;
          stop();
        };
      },
    };
    const waiting = follow(counted, 0, {}, end.signal).next();
    await track(store, 'one');
    assert.equal((await waiting).value?.upTo, 1);
    const slices = follow(counted, 1, {}, end.signal);
    const next = slices.next();
    end.abort();
    assert.deepEqual([(await next).done, listeners], [true, 1]);
  });

  test('yields what is committed once to all who follow at the end, without reading it again', async (t) => {
    const { store } = await temporaryStore(t);
    await tellMany(store, 3);
    const { signal } = new AbortController();
    const [one, other] = [follow(store, 3, {}, signal), follow(store, 3, {}, signal)];
    const taken = [sliceUpTo(one, 6), sliceUpTo(other, 6)];
    await tellMany(store, 2);
    await tellMany(store, 1);
    const [ofOne = [], ofOther = []] = (await Promise.all(taken)).map((slices) =>
      slices.flatMap(({ events }) => events),
    );
    assert.deepEqual(
      ofOne.map(({ id }) => id),
      [4, 5, 6],
    );
    assert.ok(ofOne.every((event, place) => event === ofOther[place]));
    assert.deepEqual(ofOne, [...store.events.rows({ after: 3 })]);
  });

  test('yields each event once where more are committed at once than a slice holds', async (t) => {
    const { store } = await temporaryStore(t);
    const slices = follow(store, 0, {}, new AbortController().signal);
    const taken = sliceUpTo(slices, 260);
    await tellMany(store, 1);
    await Promise.all([tellMany(store, 90), tellMany(store, 150), tellMany(store, 19)]);
    assert.deepEqual(
      (await taken).flatMap(({ events }) => events.map(({ id }) => id)),
      Array.from({ length: 260 }, (_, index) => index + 1),
    );
  });

  test('yields wanted events alone, and moves on over the others', async (t) => {
    const { store } = await temporaryStore(t);
    await tellMany(store, 150);
    await track(store, 'one');
    await track(store, 'two');
    const { signal } = new AbortController();
    const all = await sliceUpTo(follow(store, 0, { types: ['project.a*'] }, signal), 152);
    assert.deepEqual(
      all.map(({ events, upTo }) => [events.map(({ projects }) => projects?.[0]), upTo]),
      [
        [[], 100],
        [['one', 'two'], 152],
      ],
    );
    const [first] = await sliceUpTo(follow(store, 150, { types: ['project.added'], project: 'two' }, signal), 152);
    assert.deepEqual(
      first?.events.map(({ id }) => id),
      [152],
    );
  });

  test('says up to which event it missed those that are no longer kept', async (t) => {
    const { store } = await temporaryStore(t);
    await tellMany(store, 10);
    await trim(store, { events: 4, scrapes: 1, steps: 1 });
    const { signal } = new AbortController();
    const [cut] = await sliceUpTo(follow(store, 3, {}, signal), 10);
    assert.deepEqual([cut?.trimmedTo, cut?.events[0]?.id, cut?.behind], [6, 7, 0]);
    const [whole] = await sliceUpTo(follow(store, 6, {}, signal), 10);
    assert.deepEqual([whole?.trimmedTo, whole?.events.length], [undefined, 4]);
  });
});
