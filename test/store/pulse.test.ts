import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commitStep } from '../../src/store/commit.ts';
import { commitPulse } from '../../src/store/commit-pulse.ts';
import { archiveProject } from '../../src/store/projects.ts';
import { begin, historyOf, item, step, temporaryStore, track } from './fixture.ts';

const url = 'https://shop.test/lamp';

describe('a pulse', () => {
  test('is stored as a step of no scrape', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const result = await commitPulse(store, {
      source: 'shop',
      version: 'v1',
      target,
      url,
      observedAt: 50,
      drafts: [item('a', { price: 1 })],
    });
    assert.equal(result.outcome, 'committed');
    assert.equal(historyOf(store, target)[0]?.scrape, 0);
    const event = [...store.events.rows({ after: 0, limit: 100 })].at(-1);
    assert.deepEqual([event?.type, event !== undefined && 'scrape' in event], ['record.added', false]);
  });

  test('writes nothing of a target that is archived, finished, of another source or unknown', async (t) => {
    const { store } = await temporaryStore(t);
    const [archived = 0] = await track(store, 'archived');
    await archiveProject(store, 'archived');
    const [finished = 0] = await track(store, 'finished');
    await commitStep(store, await begin(store, finished), step(50, [], { finished: true }));
    const [active = 0] = await track(store, 'active');

    const drafts = [item('a', { price: 1 })];
    for (const [source, target] of [
      ['shop', archived],
      ['shop', finished],
      ['shop', 99],
      ['other', active],
    ] as const) {
      assert.deepEqual(await commitPulse(store, { source, version: 'v1', target, url, observedAt: 50, drafts }), {
        outcome: 'superseded',
      });
    }
    assert.equal(store.records.count(), 0);
  });
});
