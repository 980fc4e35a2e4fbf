import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { commitStep } from '../../src/store/commit.ts';
import { statusOf } from '../../src/store/tables/project-status.ts';
import { addProject, archiveProject, deleteIn, restoreProject, updateProject } from '../../src/store/projects.ts';
import { removeTargets } from '../../src/store/remove-targets.ts';
import { beginScrape, cancelScrape, requestScrape } from '../../src/store/scrapes.ts';
import { ownerOf, type Watcher } from '../../src/schedule/watchers.ts';
import type { Store } from '../../src/store/store.ts';
import { parkTarget, releaseTarget } from '../../src/store/targets.ts';
import { step, temporaryStore, track } from './fixture.ts';

const sources = ['shop', 'news'];

/** The counts as a walk over all rows finds them. */
function walked(store: Store) {
  const projects = { active: 0, finished: 0, archived: 0 };
  const targets = { active: 0, finished: 0, disabled: 0, parked: 0 };
  const active: Record<string, number> = Object.fromEntries(sources.map((source) => [source, 0]));
  let waiting = 0;
  for (const project of store.projects.rows()) {
    const rows = project.targets.flatMap((number) => store.targets.get(number) ?? []);
    projects[statusOf(project, rows)] += 1;
  }
  for (const row of store.targets.rows()) {
    const { status, source } = row;
    if (row.waiting !== undefined) waiting += 1;
    if (status !== 'disabled' && ownerOf(row) === undefined) continue;
    targets[status] += 1;
    if (status === 'active') active[source] = (active[source] ?? 0) + 1;
  }
  return { all: { projects, targets, waiting }, active, running: [...store.scrapes.running()].length };
}

function counted({ counts, scrapes }: Store) {
  const { moves: _, ...all } = counts.all();
  return {
    all,
    active: Object.fromEntries(sources.map((source) => [source, counts.activeOf(source)])),
    running: scrapes.countRunning(),
  };
}

/** What a walk over the rows finds amiss between projects, targets and schedules; nothing, whatever was done to them. */
function amiss(store: Store): string[] {
  const places = new Set<string>();
  return [...store.targets.rows()].flatMap((row) => {
    const { target, status, watchers, running, waiting } = row;
    const place = `${row.source} ${row.url}`;
    const isTwice = places.has(place);
    places.add(place);
    const owned = ownerOf(row) !== undefined;
    const schedule = store.schedule.get(target);
    const isScheduled = schedule !== undefined && schedule.rest === undefined;
    const awayOf = (project: string) => store.projects.get(project)?.status === 'archived';
    const isNamed = ({ project }: Watcher) => store.projects.get(project)?.targets.includes(target);
    return Object.entries({
      'is twice': isTwice,
      'is watched by a stranger': !watchers.every(isNamed),
      'is watched by one that is away': watchers.some(({ project, isAway = false }) => isAway !== awayOf(project)),
      'is disabled and watched, or neither': (status === 'disabled') !== (watchers.length === 0),
      'is scheduled and not to be scraped, or neither': isScheduled !== (status === 'active' && owned),
      'is scraped though nobody asks': !owned && (running ?? waiting) !== undefined,
    }).flatMap(([what, is]) => (is ? [`${target} ${what}`] : []));
  });
}

const id = fc.constantFrom('a', 'b', 'c');
const places = fc.uniqueArray(fc.record({ source: fc.constantFrom(...sources), url: fc.constantFrom('x', 'y') }), {
  minLength: 1,
  selector: ({ source, url }) => source + url,
});
const target = fc.integer({ min: 1, max: 6 });
const projectDefaults = { labels: [], multiplier: 1 };

const change = fc.oneof(
  fc.record({ kind: fc.constantFrom('add', 'update', 'undone-update'), id, targets: places }),
  fc.record({ kind: fc.constantFrom('archive', 'restore', 'delete'), id }),
  fc.record({
    kind: fc.constantFrom('begin', 'request', 'finish', 'park', 'release', 'cancel', 'undone-park'),
    target,
  }),
);
type RandomChange = typeof change extends fc.Arbitrary<infer T> ? T : never;

/** Makes a change through the functions of the store; one that is undone writes rows of its own and throws. */
async function make(store: Store, each: RandomChange): Promise<unknown> {
  if ('targets' in each) {
    const { kind, id: project, targets } = each;
    if (kind === 'add') return addProject(store, { ...projectDefaults, id: project, name: project, targets });
    if (kind === 'update') return updateProject(store, project, { targets });
    return undone(store, () => {
      const row = store.projects.get(project);
      if (row !== undefined) store.projects.put(project, { ...row, status: 'archived', targets: [] });
    });
  }
  if ('id' in each) {
    if (each.kind === 'archive') return archiveProject(store, each.id);
    if (each.kind === 'restore') return restoreProject(store, each.id);
    await store.write((change) => deleteIn(store, change, each.id, true));
    return removeTargets(store);
  }
  const row = store.targets.get(each.target);
  switch (each.kind) {
    case 'begin':
      return beginScrape(store, each.target, 'v1');
    case 'request':
      return requestScrape(store, each.target);
    case 'park':
      return parkTarget(store, each.target, 'test', 2_000_000);
    case 'release':
      return releaseTarget(store, each.target);
    case 'cancel':
      return cancelScrape(store, row?.running ?? row?.waiting ?? 0, 'test');
    case 'finish': {
      const begun = await beginScrape(store, each.target, 'v1');
      return begun.ok && commitStep(store, { ...begun.fence, step: 1 }, step(50, [], { finished: true }));
    }
    default:
      return undone(store, () => {
        if (row !== undefined) store.targets.put({ ...row, status: 'parked', waiting: 99 });
      });
  }
}

function undone(store: Store, run: () => void): Promise<void> {
  return store.write(() => {
    run();
    throw new Error('undone');
  });
}

describe('the counts of a store', () => {
  test('are what a walk over its rows finds, whatever was changed together and whatever of it undone', async (t) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(change, { minLength: 1, maxLength: 5 }), { maxLength: 12 }),
        async (batches) => {
          const { store, path } = await temporaryStore(t);
          for (const batch of batches) {
            await Promise.allSettled(batch.map((each) => make(store, each)));
            assert.deepEqual(counted(store), walked(store));
            assert.deepEqual(amiss(store), []);
          }
          const before = counted(store);
          await store.close();
          const { store: opened } = await temporaryStore(t, { path });
          assert.deepEqual(counted(opened), before);
        },
      ),
      { numRuns: 25 },
    );
  });

  test('of a source leave out the targets of archived projects', async (t) => {
    const { store } = await temporaryStore(t);
    await track(store, 'lamp', 'https://shop.test/1', 'https://shop.test/2');
    await track(store, 'desk');
    assert.equal(store.counts.activeOf('shop'), 3);
    await archiveProject(store, 'lamp');
    assert.equal(store.counts.activeOf('shop'), 1);
  });
});
