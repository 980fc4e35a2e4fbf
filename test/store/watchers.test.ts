import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { effectiveSchedules } from '../../src/definition/effective-schedule.ts';
import { parseSource } from '../../src/definition/load.ts';
import { createScheduling, type Scheduling } from '../../src/schedule/scheduling.ts';
import { ownerOf } from '../../src/schedule/watchers.ts';
import { commitStep } from '../../src/store/commit.ts';
import { addIn, archiveProject, restoreProject, updateProject } from '../../src/store/projects.ts';
import { requestScrape } from '../../src/store/scrapes.ts';
import type { Store } from '../../src/store/store.ts';
import { statusFor, statusOf } from '../../src/store/tables/project-status.ts';
import {
  begin,
  beginInMemory,
  historyOf,
  hourMs,
  item,
  step,
  temporaryStore,
  told,
  track,
  type TestStore,
} from './fixture.ts';

const url = 'https://shop.test/lamp';

/** The schedules of the daemon for a source that says nothing of its own. */
function scheduling(): Scheduling {
  const parsed = parseSource('id: shop\nrecords: { item: { key: id, fields: { id: h1 } } }\n', 'shop.yaml');
  if (!parsed.ok) assert.fail('the definition is refused');
  const catalogue = {
    sources: new Map([['shop', { source: parsed.value, version: '1' }]]),
    types: new Map(),
    sinks: new Map(),
    pipelines: new Map(),
    problems: [],
  };
  const settings = { everyMs: 4 * hourMs, initialDelayMs: 1_000 };
  const deps = {
    clock: { now: () => 0 },
    catalogue: () => catalogue,
    settings: () => settings,
    paces: { of: () => undefined },
  };
  return createScheduling(effectiveSchedules(deps), () => 0.5);
}

/** A store with one place that these projects watch, and the number of its target. */
async function shared(t: TestContext, ...ids: readonly string[]): Promise<TestStore & { readonly target: number }> {
  const opened = await temporaryStore(t, { scheduling: scheduling() });
  const { store } = opened;
  const spec = { labels: [], multiplier: 1, targets: [{ source: 'shop', url }] };
  await store.write((change) => ids.forEach((id) => addIn(store, change, { id, name: id, ...spec })));
  return { ...opened, target: opened.store.targets.at({ source: 'shop', url })?.target ?? 0 };
}

function watchersIn(store: Store): (readonly string[])[] {
  return [...store.targets.rows()].map(({ watchers }) =>
    watchers.map(({ project, isAway }) => `${project}${isAway === true ? ' away' : ''}`),
  );
}

describe('a place that two projects watch', () => {
  test('is one target, whatever the spelling of its address', async (t) => {
    const { store, target } = await shared(t, 'one', 'two');
    await track(store, 'three', 'HTTPS://Shop.test:443/lamp');
    assert.deepEqual(watchersIn(store), [['one', 'two', 'three']]);
    assert.deepEqual(
      ['one', 'two', 'three'].map((id) => store.projects.get(id)?.targets),
      [[target], [target], [target]],
    );
    assert.equal(store.schedule.count(), 1);
    assert.equal(store.counts.all().targets.active, 1);
  });

  test('has each change once in its history, and in one event of both', async (t) => {
    const { store, target } = await shared(t, 'one', 'two');
    const before = store.events.last();
    await commitStep(store, await begin(store, target), step(50, [item('a', { price: 1 })], {}));
    const events = [...store.events.rows({ after: before, limit: 10 })];
    assert.deepEqual(
      events.map(({ type, projects }) => [type, projects]),
      ['scrape.started', 'record.added', 'scrape.completed'].map((type) => [type, ['one', 'two']]),
    );
    assert.equal(historyOf(store, target).length, 1);
  });

  test('goes on when the first is archived: what runs is cut and due at once for the other', async (t) => {
    const { store, clock, target } = await shared(t, 'one', 'two');
    clock.now += 1_000;
    const fence = await beginInMemory(store, target);
    const before = store.events.last();
    await archiveProject(store, 'one');
    const [started, cancelled] = [...store.events.rows({ after: before, limit: 10 })];
    assert.deepEqual(
      [started?.type, cancelled?.type, cancelled?.projects],
      ['scrape.started', 'scrape.cancelled', ['one', 'two']],
    );
    assert.equal((await commitStep(store, fence, step(50, [item('a', { price: 1 })], {}))).outcome, 'superseded');
    const row = store.targets.get(target);
    assert.deepEqual([row?.status, row && ownerOf(row), row?.running], ['active', 'two', undefined]);
    assert.ok((store.schedule.get(target)?.dueAt ?? Infinity) <= clock.now);
    await commitStep(store, await begin(store, target), step(60, [item('a', { price: 2 })], {}));
    assert.deepEqual([...store.events.rows({ newestFirst: true, limit: 1 })][0]?.projects, ['two']);
  });

  test('keeps what a person asked for: waiting or under way, it waits for the other', async (t) => {
    const { store, target } = await shared(t, 'one', 'two');
    const waiting = await requestScrape(store, target, { full: true });
    await archiveProject(store, 'one');
    assert.equal(waiting.ok && store.targets.get(target)?.waiting, waiting.ok && waiting.scrape);
    await begin(store, target);
    await track(store, 'three', url);
    await archiveProject(store, 'two');
    const again = store.targets.get(target)?.waiting ?? 0;
    assert.ok(waiting.ok && again > waiting.scrape);
    assert.deepEqual(store.scrapes.get(again)?.wish, { full: true });
    assert.notEqual(store.schedule.get(target)?.manualAt, undefined);
  });

  test('goes on undisturbed when the second is archived, or names it no longer', async (t) => {
    const { store, target } = await shared(t, 'one', 'two', 'three');
    const fence = await begin(store, target);
    await archiveProject(store, 'two');
    await updateProject(store, 'three', { targets: [{ source: 'shop', url: 'https://shop.test/other' }] });
    assert.deepEqual(watchersIn(store)[0], ['one', 'two away']);
    const row = store.targets.get(target);
    assert.deepEqual(row && [statusFor('one', row), statusFor('three', row)], ['active', 'disabled']);
    assert.equal((await commitStep(store, fence, step(50, [], {}))).outcome, 'committed');
  });

  test('ends with the last of them, and begins again with the first that comes back', async (t) => {
    const { store, target } = await shared(t, 'one', 'two');
    await archiveProject(store, 'one');
    await archiveProject(store, 'two');
    assert.equal(store.schedule.count(), 0);
    assert.deepEqual(await requestScrape(store, target), { ok: false, why: 'archived' });
    assert.deepEqual(store.counts.all().targets, { active: 0, finished: 0, disabled: 0, parked: 0 });
    await restoreProject(store, 'two');
    await restoreProject(store, 'one');
    assert.deepEqual(watchersIn(store), [['two', 'one']]);
    assert.notEqual(store.schedule.get(target)?.dueAt, undefined);
    const elsewhere = [{ source: 'shop', url: 'https://shop.test/other' }];
    await updateProject(store, 'one', { targets: elsewhere });
    await updateProject(store, 'two', { targets: elsewhere });
    assert.equal(store.targets.get(target)?.status, 'disabled');
    assert.equal(store.schedule.get(target), undefined);
  });

  test('changes hands to nobody while a scrape of it runs: a project that is restored comes last', async (t) => {
    const { store, target } = await shared(t, 'one', 'two');
    await archiveProject(store, 'one');
    const fence = await begin(store, target);
    await restoreProject(store, 'one');
    assert.deepEqual(watchersIn(store), [['two', 'one']]);
    assert.equal((await commitStep(store, fence, step(50, [], {}))).outcome, 'committed');
  });

  test('finishes both, and is asked again for a third that comes later', async (t) => {
    const { store, target } = await shared(t, 'one', 'two');
    const before = store.events.last();
    await commitStep(store, await begin(store, target), step(50, [], { finished: true }));
    assert.deepEqual(told(store, before).slice(-2), ['project.finished', 'project.finished']);
    assert.deepEqual(store.counts.all().projects, { active: 0, finished: 2, archived: 0 });
    await track(store, 'three', url);
    assert.deepEqual(store.counts.all().projects, { active: 3, finished: 0, archived: 0 });
    assert.notEqual(store.schedule.get(target)?.dueAt, undefined);
    await commitStep(store, await begin(store, target), step(60, [], { finished: true }));
    assert.equal(store.counts.all().projects.finished, 3);
    // Who was there when it finished knows how it ended.
    await archiveProject(store, 'three');
    await restoreProject(store, 'three');
    const [project, row] = [store.projects.get('three'), store.targets.get(target)];
    assert.equal(project && row && statusOf(project, [row]), 'finished');
  });

  test('is due as it was where the pace of those who stay is slower', async (t) => {
    const { store, clock, target } = await shared(t, 'one', 'two');
    await updateProject(store, 'two', { schedule: { every: 24 * hourMs } });
    clock.now += 1_000;
    await commitStep(store, await begin(store, target), step(clock.now, [], {}));
    const dueAt = store.schedule.get(target)?.dueAt ?? 0;
    assert.ok(dueAt < clock.now + 5 * hourMs);
    clock.now = dueAt;
    await updateProject(store, 'one', { targets: [{ source: 'shop', url: 'https://shop.test/other' }] });
    assert.equal(store.schedule.get(target)?.dueAt, dueAt);
    await commitStep(store, await begin(store, target), step(clock.now, [], {}));
    assert.ok((store.schedule.get(target)?.dueAt ?? 0) > clock.now + 12 * hourMs);
  });

  test('keeps a long list of them as it is, after a restart and after what was undone', async (t) => {
    const ids = Array.from({ length: 30 }, (_, index) => `p${index}`);
    const { store, path, target } = await shared(t, ...ids);
    const spec = { name: 'late', labels: [], multiplier: 1, targets: [{ source: 'shop', url }] };
    const undone = store.write((change) => {
      addIn(store, change, { id: 'late', ...spec });
      throw new Error('undone');
    });
    await assert.rejects(undone, /undone/);
    assert.deepEqual(watchersIn(store), [ids]);
    await archiveProject(store, 'p3');
    const left = [...ids.slice(0, 3), 'p3 away', ...ids.slice(4)];
    assert.deepEqual(watchersIn(store), [left]);
    await store.close();
    const { store: opened } = await temporaryStore(t, { path, scheduling: scheduling() });
    assert.deepEqual(watchersIn(opened), [left]);
    await commitStep(opened, await begin(opened, target), step(50, [], {}));
    for (const id of ids.slice(5)) await archiveProject(opened, id);
    assert.equal(watchersIn(opened)[0]?.filter((id) => !id.endsWith('away')).length, 4);
  });

  test('costs no look at its projects, however many watch it', async (t) => {
    const { store, target } = await shared(t, ...Array.from({ length: 1_000 }, (_, index) => `p${index}`));
    let looks = 0;
    const projects = {
      ...store.projects,
      get(id: string) {
        looks += 1;
        return store.projects.get(id);
      },
    };
    const watched = { ...store, projects };
    await requestScrape(watched, target);
    await commitStep(watched, await begin(watched, target), step(50, [item('a', { price: 1 })], {}));
    const [last] = [...store.events.rows({ newestFirst: true, limit: 1 })];
    assert.deepEqual([looks, last?.projects?.length], [0, 1_000]);
  });
});
