import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commitStep } from '../../src/store/commit.ts';
import { commitPulse } from '../../src/store/commit-pulse.ts';
import { updateProject } from '../../src/store/projects.ts';
import { closeOpenScrapes, requestScrape } from '../../src/store/scrapes.ts';
import { begin, historyOf, item, step, temporaryStore, told, track } from './fixture.ts';

describe('a record that two targets see', () => {
  test('is listed for both', async (t) => {
    const { store } = await temporaryStore(t);
    const targets = [...(await track(store, 'one')), ...(await track(store, 'other'))];
    for (const [at, target] of targets.entries())
      await commitStep(store, await begin(store, target), step(at + 1, [item('shared', { price: at })]));
    for (const target of targets)
      assert.deepEqual(
        [...store.records.ofTarget(target)].map(({ key, fields }) => [key, fields['price']?.value]),
        [['shared', 1]],
      );
  });
});

describe('a committed step', () => {
  test('stores records, history, run log and events', async (t) => {
    const { store, clock } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const fence = await begin(store, target);
    const before = store.events.last();
    const result = await commitStep(store, fence, step(50, [item('a', { price: 1 }), item('b', { price: 2 })]));

    assert.deepEqual(result, {
      outcome: 'committed',
      counts: { added: 2, changed: 0, confirmed: 0 },
      lastEvent: before + 2,
      targetStatus: 'active',
      records: [1, 2],
    });
    assert.deepEqual(store.records.get('shop', 'item', 'a')?.fields, {
      price: { value: 1, observedAt: 50, verifiedAt: 50 },
    });
    assert.deepEqual(
      [...store.records.ofTarget(target)].map(({ key }) => key),
      ['a', 'b'],
    );
    assert.deepEqual(
      historyOf(store, target).map(({ serial, key, kind, scrape }) => ({ serial, key, kind, scrape })),
      [
        { serial: 4, key: 'b', kind: 'added', scrape: fence.scrape },
        { serial: 3, key: 'a', kind: 'added', scrape: fence.scrape },
      ],
    );
    assert.deepEqual(
      [...store.steps.ofScrape(fence.scrape)].map(({ step, counts }) => ({ step, counts })),
      [{ step: 1, counts: { added: 2, changed: 0, confirmed: 0 } }],
    );
    assert.deepEqual([...store.events.rows({ after: before, limit: 10 })][0], {
      id: before + 1,
      version: 1,
      at: clock.now,
      type: 'record.added',
      projects: ['lamp'],
      source: 'shop',
      target,
      scrape: fence.scrape,
      data: { type: 'item', key: 'a', fields: { price: { new: 1 } } },
    });
  });

  test('tells a change with the old and the new value per field, and a confirmation not at all', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const fence = await begin(store, target);
    await commitStep(store, fence, step(50, [item('a', { price: 1, name: 'Lamp' })]));
    const before = store.events.last();
    await commitStep(store, { ...fence, step: 2 }, step(60, [item('a', { price: 2, name: 'Lamp' })]));
    await commitStep(store, { ...fence, step: 3 }, step(70, [item('a', { price: 2, name: 'Lamp' })]));

    assert.deepEqual(
      [...store.events.rows({ after: before, limit: 10 })].map(({ type, data }) => ({ type, data })),
      [{ type: 'record.changed', data: { type: 'item', key: 'a', fields: { price: { old: 1, new: 2 } } } }],
    );
    assert.equal(store.history.count(), 2);
    assert.equal(store.records.get('shop', 'item', 'a')?.fields['name']?.verifiedAt, 70);
    assert.deepEqual(store.scrapes.get(fence.scrape)?.counts, { added: 1, changed: 1, confirmed: 1 });
  });

  test('writes nothing of an observation older than the last (B45)', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const fence = await begin(store, target);
    await commitPulse(store, {
      source: 'shop',
      version: 'v1',
      target,
      url: 'https://shop.test/',
      observedAt: 60,
      drafts: [item('a', { price: 2 })],
    });
    const late = await commitStep(store, fence, step(50, [item('a', { price: 1 })]));
    assert.deepEqual(late.outcome === 'committed' && late.counts, { added: 0, changed: 0, confirmed: 0 });
    assert.equal(store.records.get('shop', 'item', 'a')?.fields['price']?.value, 2);
    const newer = await commitStep(store, { ...fence, step: 2 }, step(70, [item('a', { price: 3 })]));
    assert.equal(newer.outcome === 'committed' && newer.counts.changed, 1);
  });

  test('keeps things apart whose long names differ at the end only', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const fence = await begin(store, target);
    const names = [`${'x'.repeat(5_000)}1`, `${'x'.repeat(5_000)}2`, 'bad \ud800', 'bad \udfff', ''];
    await commitStep(
      store,
      fence,
      step(
        50,
        names.map((name) => item(name, { name })),
      ),
    );
    for (const name of names) assert.equal(store.records.get('shop', 'item', name)?.fields['name']?.value, name);
    assert.equal([...store.records.ofTarget(target)].length, names.length);
    assert.deepEqual(
      Array.from(historyOf(store, target), ({ key }) => key),
      names.toReversed(),
    );
  });

  test('forgets the crashes in a row, and not how many there were', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    await store.write(() => {
      const row = store.targets.get(target);
      if (row !== undefined) store.targets.put({ ...row, crashes: { recent: [1], inRow: 3, total: 7, last: 'boom' } });
    });
    const fence = await begin(store, target);
    await commitStep(store, fence, step(50, []));
    assert.deepEqual(store.targets.get(target)?.crashes, { recent: [1], inRow: 0, total: 7, last: 'boom' });
  });
});

describe('a closing step', () => {
  test('that counts as a crash leaves the crashes in a row and the parking before as they are', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const crashes = { recent: [1], inRow: 3, total: 7, last: 'boom' };
    const parked = { at: 1, reason: 'boom', retryAt: 2, times: 1 };
    await store.write(() => {
      const row = store.targets.get(target);
      if (row !== undefined) store.targets.put({ ...row, crashes, parked });
    });
    const fence = await begin(store, target);
    const failure = { code: 'plugin_threw', message: 'boom' };
    const close = { status: 'failed', finished: false, failure, parksAfter: 4 } as const;
    await commitStep(store, fence, { ...step(50, []), close });
    const after = store.targets.get(target);
    assert.deepEqual([after?.crashes, after?.parked], [crashes, parked]);
  });

  test('that completes settles the target, ends the scrape and plans the next', async (t) => {
    const { store, clock } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const fence = await begin(store, target);
    await commitStep(store, fence, step(50, [item('a', { price: 1 })]));
    clock.now += 5_000;
    const before = store.events.last();
    await commitStep(store, { ...fence, step: 2 }, step(60, [item('b', { price: 1 })], {}));

    const row = store.targets.get(target);
    assert.deepEqual([row?.settled, row?.running, row?.epoch], [fence.scrape, undefined, fence.epoch + 1]);
    const scrape = store.scrapes.get(fence.scrape);
    assert.deepEqual(
      [scrape?.status, scrape?.endedAt, scrape?.steps, scrape?.bytes, scrape?.counts.added],
      ['complete', clock.now, 2, 200, 2],
    );
    assert.equal(store.schedule.get(target)?.dueAt, 3_600_000);
    const completed = [...store.events.rows({ after: before, limit: 10 })].at(-1);
    assert.equal(completed?.type, 'scrape.completed');
    assert.deepEqual(completed.data, { reason: 'due', steps: 2, counts: { added: 2, changed: 0, confirmed: 0 } });
  });

  test('of a walk that several scrapes made has seen all of it no later than the first of them began', async (t) => {
    for (const kept of [true, false]) {
      const { store, clock } = await temporaryStore(t);
      const [target = 0] = await track(store, 'lamp');
      clock.now += 1_000;
      const first = await begin(store, target);
      const startedAt = clock.now;
      await commitStep(store, first, step(clock.now, [item('a', { price: 1 })]));
      await closeOpenScrapes(store);
      clock.now += 3_600_000;
      const last = await begin(store, target);
      if (!kept) await store.write(() => store.scrapes.trim(1, 10, Infinity));
      const ops = {
        ...step(clock.now, [item('b', { price: 1 })], {}),
        since: first.scrape,
        draftsBefore: 1,
        resume: 'none' as const,
      };
      await commitStep(store, last, ops);
      const { verifiedAt, createdAt } = store.targets.get(target) ?? {};
      assert.equal(verifiedAt, kept ? startedAt : createdAt);
    }
  });

  test('that fails says why, settles nothing and plans the next', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const fence = await begin(store, target);
    const failure = { code: 'timeout', message: 'no answer within 30 s' };
    await commitStep(store, fence, step(50, [], { status: 'failed', failure }));
    assert.equal(store.targets.get(target)?.settled, 0);
    assert.deepEqual(store.scrapes.get(fence.scrape)?.failure, failure);
    const told = [...store.events.rows({ after: 0, limit: 100 })].findLast((event) => event.type === 'scrape.failed');
    assert.deepEqual(told?.data.failure, failure);
    assert.equal(store.schedule.get(target)?.firstAt, undefined);
  });

  test('that says so finishes the target: nothing of it is due, and nothing waits (B24, B26)', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp', 'https://shop.test/1', 'https://shop.test/2');
    const fence = await begin(store, target);
    const waiting = await requestScrape(store, target);
    const result = await commitStep(store, fence, step(50, [], { finished: true }));
    assert.equal(result.outcome === 'committed' && result.targetStatus, 'finished');
    assert.equal(store.targets.get(target)?.status, 'finished');
    assert.equal(store.schedule.get(target), undefined);
    assert.equal(waiting.ok && store.scrapes.get(waiting.scrape)?.status, 'cancelled');
    assert.equal(told(store).includes('project.finished'), false);
  });

  test('that finishes the last target finishes the project, once', async (t) => {
    const { store } = await temporaryStore(t);
    const targets = await track(store, 'lamp', 'https://shop.test/1', 'https://shop.test/2', 'https://shop.test/3');
    await updateProject(store, 'lamp', {
      targets: [1, 2].map((place) => ({ source: 'shop', url: `https://shop.test/${place}` })),
    });
    for (const target of targets.slice(0, 2)) {
      await commitStep(store, await begin(store, target), step(50, [], { finished: true }));
    }
    assert.equal(told(store).filter((type) => type === 'project.finished').length, 1);
    assert.equal(told(store).at(-1), 'project.finished');
  });
});
