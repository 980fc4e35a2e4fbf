import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tokenHandlers } from '../../src/control/handlers/token.ts';
import { projectChangesOf } from '../../src/store/project-changes.ts';
import { createLogIns } from '../../src/store/log-ins.ts';
import { createToken } from '../../src/store/tokens.ts';
import { forgetOldViewings, isUnviewed, noteViewed } from '../../src/store/viewers.ts';
import { commitStep } from '../../src/store/commit.ts';
import { systemClock } from '../../src/clock.ts';
import { begin, item, step, temporaryStore, track } from './fixture.ts';

describe('what a viewer has saved and viewed', () => {
  test('is removed with its token, and that of others stays', async (t) => {
    const { store } = await temporaryStore(t);
    const { row } = await createToken(store, { label: 'ann', role: 'read' });
    for (const viewer of [row.id, 'bob']) {
      const projects = Array.from({ length: 600 }, (_, number) => `p${number}`);
      await noteViewed(store, viewer, [...projects, 'ölfarbe-\u{1F3A8}'], 5);
      await store.write(() => store.viewers.putView(viewer, { name: '\u{1F3A8}', query: 'lamp' }));
    }
    const handlers = tokenHandlers({ store: () => store, clock: systemClock() });
    await handlers['token.revoke']({ id: row.id }, { signal: new AbortController().signal });
    assert.deepEqual([...store.viewers.views(row.id), ...store.viewers.viewings(row.id, undefined, 10)], []);
    assert.equal([...store.viewers.views('bob')].length, 1);
    assert.equal([...store.viewers.viewings('bob', undefined, 1_000)].length, 601);
  });

  test('is that of the token by which a browser was logged in', async (t) => {
    const { store } = await temporaryStore(t);
    const { row, text } = await createToken(store, { label: 'ann', role: 'read' });
    const logIns = createLogIns(() => store);
    assert.equal(logIns.find((await logIns.begin({ token: text })) ?? '')?.token, row.id);
    const byCode = logIns.find((await logIns.begin('code')) ?? '');
    assert.deepEqual([byCode?.role, byCode?.token], ['admin', undefined]);
  });

  test('is forgotten where the event log says nothing any more of that time', async (t) => {
    const { store } = await temporaryStore(t);
    await noteViewed(store, 'ann', ['old'], 3);
    await noteViewed(store, 'ann', ['new'], 9);
    await noteViewed(store, 'ann', ['new'], 8);
    await forgetOldViewings(store, 'ann', 5);
    assert.deepEqual([...store.viewers.viewings('ann', undefined, 10)], [{ project: 'new', upTo: 9 }]);
  });
});

describe('the newest change of a project', () => {
  test('is read from the event log, once, and then as the log grows', async (t) => {
    const { store } = await temporaryStore(t);
    const [lamp = 0] = await track(store, 'lamp');
    await track(store, 'desk');
    const changes = projectChangesOf(store);
    assert.deepEqual([...(changes.peek() ?? [])], []);
    await commitStep(store, await begin(store, lamp), step(1, [item('a', { price: 1 })], {}));
    const first = changes.peek()?.get('lamp') ?? 0;
    assert.equal(store.events.get(first)?.type, 'record.added');
    await commitStep(store, await begin(store, lamp), step(2, [item('a', { price: 1 })], {}));
    assert.equal((await changes.all()).get('lamp'), first);
    await commitStep(store, await begin(store, lamp), step(3, [item('a', { price: 2 })], {}));
    const newest = (await changes.all()).get('lamp') ?? 0;
    assert.equal(store.events.get(newest)?.type, 'record.changed');
    assert.deepEqual([...(await changes.all()).keys()], ['lamp']);
  });

  test('counts as viewed once the event log keeps it no more', async (t) => {
    const { store } = await temporaryStore(t);
    const of = { project: 'lamp', changed: 7 };
    assert.equal(isUnviewed(store, 'ann', { ...of, first: 7 }), true);
    assert.equal(isUnviewed(store, 'ann', { ...of, first: 8 }), false);
    await noteViewed(store, 'ann', ['lamp'], 7);
    assert.equal(isUnviewed(store, 'ann', { ...of, first: 1 }), false);
  });

  test('is not waited for where much is to be read, which goes on beside', async (t) => {
    const { store } = await temporaryStore(t);
    await store.write((change) => {
      for (let event = 0; event < 2_500; event += 1)
        change.tell({
          type: 'record.missing',
          projects: ['lamp'],
          source: 'shop',
          target: 1,
          scrape: 1,
          data: { type: 'item', key: 'a' },
        });
    });
    const changes = projectChangesOf(store);
    assert.equal(changes.peek(), undefined);
    assert.deepEqual([...(await changes.all())], [['lamp', 2_500]]);
    assert.deepEqual([...(changes.peek() ?? [])], [['lamp', 2_500]]);
  });
});
