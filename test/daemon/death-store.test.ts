import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deathStore } from '../../src/daemon/death-store.ts';
import type { Store } from '../../src/store/store.ts';

const deathsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ key: `${index}`, ids: ['a'], at: 0 }));

/** A store whose writes wait until they are let go, and which may have no room. */
function playedStore() {
  const puts: unknown[] = [];
  const waiting: (() => void)[] = [];
  let isFull = false;
  const played = {
    settings: { get: () => undefined, put: (_key: string, rows: unknown) => void puts.push(rows) },
    write: (work: () => unknown) => new Promise<unknown>((resolve) => waiting.push(() => resolve(work()))),
  };
  const store = deathStore({
    store: () => played as unknown as Store,
    unlessFull: async (work) => (isFull ? undefined : await work()),
  });
  return {
    store,
    puts,
    commit: () => waiting.splice(0).forEach((each) => each()),
    setFull: (full: boolean) => (isFull = full),
  };
}

describe('the deaths of worker processes', () => {
  test('that are noted while they are about to be written are written together', () => {
    const { store, puts, commit } = playedStore();
    for (let count = 1; count <= 50; count += 1) store.keep(deathsOf(count));
    commit();
    assert.equal(puts.length, 1);
    assert.deepEqual(puts, [deathsOf(50)]);
    store.keep(deathsOf(1));
    commit();
    assert.deepEqual(puts.at(-1), deathsOf(1));
  });

  test('that the store had no room for are written with the next ones', async () => {
    const { store, puts, commit, setFull } = playedStore();
    setFull(true);
    store.keep(deathsOf(1));
    await new Promise(setImmediate);
    setFull(false);
    store.keep(deathsOf(2));
    commit();
    assert.deepEqual(puts, [deathsOf(2)]);
  });
});
