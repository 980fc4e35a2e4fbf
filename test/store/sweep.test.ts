import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type RobotsEntry, isSpentEntry } from '../../src/fetch/robots/verdict.ts';
import { beginScrape } from '../../src/store/scrapes.ts';
import { Sweep } from '../../src/store/retention.ts';
import { commitStep } from '../../src/store/commit.ts';
import { begin, step, temporaryStore, track } from './fixture.ts';

const dayMs = 24 * 3_600_000;

/** Nobody knows what is in it; asked at the beginning of time. */
const failed: RobotsEntry = { askedAt: 0, askAt: 60_000, failure: { cause: 'no such host', times: 1 } };

function answered(at: number): RobotsEntry {
  return {
    askedAt: at,
    askAt: at + dayMs,
    answer: { at, status: 200, rules: { productToken: 'heronry', rules: [], limitsMet: [] } },
  };
}

/** The sweep of a store that is this old. */
function sweepAt(now: number): Sweep {
  return new Sweep((entry) => isSpentEntry(entry, now));
}

describe('the sweep', () => {
  test('removes what is known of robots.txt once it is worth nothing, however much there is', async (t) => {
    const { store } = await temporaryStore(t);
    const now = 40 * dayMs;
    await store.write(() => {
      for (let at = 0; at < 450; at += 1) {
        const entry = at % 3 === 0 ? failed : answered(at % 3 === 1 ? 0 : 35 * dayMs);
        store.robots.put([`https://h${String(at).padStart(3, '0')}.test`, 'asker'], entry);
      }
    });
    const sweep = sweepAt(now);
    let removed = 0;
    for (let round = 0; round < 5; round += 1) removed += await sweep.step(store);
    assert.equal(removed, 300);
    assert.deepEqual(new Set([...store.robots.rows()].map(({ askedAt }) => askedAt)), new Set([35 * dayMs]));
    assert.equal(await sweep.step(store), 0);
  });

  test('removes definitions that were replaced and that nothing names', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    await store.write(() => {
      for (const version of ['never-read', 'read', 'current']) store.definitions.adopt('shop', version, { version });
      store.definitions.adopt('gone', 'dropped', {});
      store.definitions.drop('gone');
    });
    const begun = await beginScrape(store, target, 'read');
    assert.ok(begun.ok);
    await commitStep(store, { ...begun.fence, step: 1 }, step(1, [], {}));
    assert.equal(await sweepAt(0).step(store), 2);
    assert.deepEqual([...store.definitions.versions()].sort(), ['current', 'read']);
    assert.equal(store.definitions.current('shop'), 'current');
  });

  test('goes on with its look where scrapes begin between two steps', async (t) => {
    const { store } = await temporaryStore(t);
    const [lamp = 0] = await track(store, 'lamp');
    await store.write(() => {
      for (const version of ['old', 'new']) store.definitions.adopt('shop', version, {});
    });
    for (let at = 0; at < 1_100; at += 1) await commitStep(store, await begin(store, lamp), step(at, [], {}));
    const sweep = sweepAt(0);
    assert.equal(await sweep.step(store), 0);
    // The next step sees all that there is, but one begins before its write.
    const write = sweep.step({
      ...store,
      write: async (change, options) => {
        await commitStep(store, await begin(store, lamp), step(2_000, [], {}));
        return store.write(change, options);
      },
    });
    assert.equal(await write, 0);
    assert.equal(await sweep.step(store), 1);
    assert.deepEqual([...store.definitions.versions()], ['new']);
  });

  test('keeps a definition that is taken up again while it looks', async (t) => {
    const { store } = await temporaryStore(t);
    const [lamp = 0, chair = 0] = [...(await track(store, 'lamp')), ...(await track(store, 'chair'))];
    await store.write(() => {
      for (const version of ['old', 'new']) store.definitions.adopt('shop', version, {});
    });
    for (let at = 0; at < 1_100; at += 1) await commitStep(store, await begin(store, lamp), step(at, [], {}));
    const sweep = sweepAt(0);
    assert.equal(await sweep.step(store), 0);
    await store.write(() => store.definitions.adopt('shop', 'old', {}));
    assert.ok((await beginScrape(store, chair, 'old')).ok);
    await store.write(() => store.definitions.adopt('shop', 'new', {}));
    for (let round = 0; round < 5; round += 1) assert.equal(await sweep.step(store), 0);
    assert.deepEqual([...store.definitions.versions()].sort(), ['new', 'old']);
  });
});
