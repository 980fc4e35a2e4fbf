import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { VirtualClock } from '../../src/clock.ts';
import { effectiveSchedules } from '../../src/definition/effective-schedule.ts';
import { nextDueAt } from '../../src/schedule/next-due.ts';
import { createDueTimes, type DueTimes } from '../../src/schedule/due-times.ts';
import { hold } from '../../src/actor/registry.ts';
import type { Ref } from '../../src/actor/types.ts';
import { createPlanning, type Planning } from '../../workers/planning.ts';
import { createScheduling } from '../../src/schedule/scheduling.ts';
import { createState, type DaemonState } from '../../src/daemon/state.ts';
import { emptyCatalogue } from '../../src/definition/catalogue.ts';
import { parseSource } from '../../src/definition/load.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { parkTarget } from '../../src/store/targets.ts';
import { createNames } from '../../supervisors/names.ts';
import { temporaryFolder, track } from '../store/fixture.ts';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { settingsOf, startAt, startTimed } from '../daemon/passing.ts';
import type { ProjectMessage } from '../../workers/project.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const key = 'https://shop.test';
const declared = { delayMs: 1_000, minDelayMs: 500, concurrency: 1 };

interface Life extends Planning {
  readonly store: Store;
  readonly state: DaemonState;
  readonly dues: DueTimes;
  /** Projects whose actors were sent a `look`. */
  readonly looks: string[];
  /** So many answers of the host, with a crawl-delay of as long; whether any was news. */
  answer(times: number, gapMs: number): boolean;
  /** Adds so many projects of a target each. */
  add(count: number): Promise<void>;
  told(type: string): number;
}

/** What a planner does over a store, one life of the daemon after the other; the targets have no actors of their own. */
function planningIn(t: TestContext, warnAfter: string) {
  const path = temporaryFolder(t);
  const clock = new VirtualClock(startAt);
  let projects = 0;
  return { clock, live };

  async function live(): Promise<Life> {
    const configured = settingsOf({});
    const state = createState({ clock, configured, resumeEveryMs: 30_000, onPause: (why) => assert.fail(why) });
    const scheduling = createScheduling(effectiveSchedules(state), () => 0.5);
    const store = await openStore({ path, now: () => clock.now(), scheduling });
    t.after(() => store.close());
    state.setStore(store);
    const yaml = `id: shop\nobjective: { warnAfter: ${warnAfter} }\nrecords: { item: { key: id, fields: { id: h1 } } }\n`;
    const parsed = parseSource(yaml, 'shop.yaml');
    if (!parsed.ok) assert.fail('the definition is refused');
    state.setCatalogue({
      sources: new Map([['shop', { source: parsed.value, version: '1' }]]),
      types: new Map(),
      sinks: new Map(),
      pipelines: new Map(),
      problems: [],
    });
    const { paces } = state;
    const dues = createDueTimes({
      scheduleOf: effectiveSchedules(state),
      now: () => clock.now(),
      store: () => store,
    });
    const names = createNames();
    const looks: string[] = [];
    return {
      ...createPlanning({ state, projects: names.projects, dues, conditionOf: () => undefined }),
      store,
      state,
      dues,
      looks,
      answer(times, gapMs) {
        const news = Array.from({ length: times }, () => paces.note(key, { gapMs, latencyMs: 100 }, declared));
        return news.includes(true);
      },
      async add(count) {
        for (let left = count; left > 0; left -= 1) {
          projects += 1;
          const id = `p${projects}`;
          await track(store, id);
          const fake: Ref<ProjectMessage> = {
            id,
            send: () => void looks.push(id),
            ask: () => Promise.reject(new Error(`${id} is asked nothing`)),
          };
          hold(names.projects, id, fake);
        }
      },
      told: (type) =>
        [...store.events.rows({ after: 0, limit: 100_000 })].filter((event) => event.type === type).length,
    };
  }
}

describe('an objective that a host does not allow as slow as it has shown to be', () => {
  const infeasible = { key, source: 'shop', objectiveMs: 10 * minute };

  test('is told once, however often the daemon starts and however much is added (P47)', async (t) => {
    const { live } = planningIn(t, '10m');
    let life = await live();
    await life.add(50);
    await life.pass('all');
    assert.equal(life.told('objective.infeasible'), 0);
    life.answer(8, 10 * second);
    await life.pass([]);
    assert.equal(life.told('objective.infeasible'), 1);
    for (const _ of [1, 2, 3]) {
      await life.store.close();
      life = await live();
      await life.add(1);
      await life.pass([]);
      assert.ok(life.store.infeasible.has(infeasible), 'the host is taken to be as it was');
      life.answer(8, 10 * second);
      await life.pass([]);
    }
    assert.equal(life.told('objective.infeasible'), 1);
    assert.equal(life.store.infeasible.ofSource('shop', 10)[0]?.targets, 53);
  });

  test('is told once while the pace swings, and again when it was allowed for a day (P47)', async (t) => {
    const { clock, live } = planningIn(t, '10m');
    const life = await live();
    await life.add(50);
    await life.pass('all');
    for (let days = 0; days < 10; days += 1) {
      for (const [gapMs, isAllowed] of [
        [7 * second, false],
        [4 * second, true],
      ] as const) {
        for (let answers = 0; answers < 40; answers += 1) if (life.answer(1, gapMs)) await life.pass([]);
        assert.equal(life.store.infeasible.has(infeasible), !isAllowed);
        assert.equal(life.store.infeasible.ofSource('shop', 10).length, isAllowed ? 0 : 1);
        clock.advance(12 * hour);
      }
    }
    assert.equal(life.told('objective.infeasible'), 1);
    clock.advance(12 * hour);
    life.answer(40, 7 * second);
    await life.pass([]);
    assert.equal(life.told('objective.infeasible'), 2);
  });
});

test('news of a slower host has its targets due sooner, and their actors look, once for all news of two minutes', async (t) => {
  const { clock, live } = planningIn(t, '1h');
  const life = await live();
  await life.add(100);
  await life.pass('all');
  await life.store.write(({ at }) => {
    for (let number = 1; number <= 100; number += 1) {
      const { firstAt: _, ...row } = life.store.schedule.get(number) ?? assert.fail(`${number} is not scheduled`);
      life.store.schedule.set({ ...row, since: at });
    }
  });
  await life.pass('all');
  clock.advance(2 * minute);
  await life.pass([]);
  clock.advance(2 * minute);
  const before = life.store.schedule.get(100)?.dueAt ?? 0;
  life.looks.length = 0;

  life.answer(8, 10 * second);
  await life.pass([]);
  const row = life.store.schedule.get(100)?.dueAt ?? Infinity;
  const target = life.store.targets.get(100) ?? assert.fail('there is no hundredth target');
  assert.ok(row < before - 20 * minute, `${row - before}`);
  const inputs = life.dues.inputsOf(target);
  assert.equal(row, inputs && nextDueAt(inputs));
  assert.equal(life.looks.length, 100);

  life.answer(40, 14 * second);
  await life.pass([]);
  assert.equal(life.looks.length, 100);
  assert.equal(life.nextAt(), clock.now() + 2 * minute);
  clock.advance(2 * minute);
  await life.pass([]);
  assert.equal(life.looks.length, 200);
  assert.ok((life.store.schedule.get(100)?.dueAt ?? Infinity) < row);
});

describe('a definition that is removed', () => {
  test('and is back when the daemon starts again has the ages of its targets told', async (t) => {
    const { clock, live } = planningIn(t, '1h');
    const first = await live();
    await first.add(1);
    await parkTarget(first.store, 1, 'crashed', clock.now() + 6 * hour);
    await first.pass(first.stale());
    first.state.setCatalogue(emptyCatalogue);
    await first.pass(['shop']);
    clock.advance(2 * hour);
    await first.pass([]);
    assert.equal(first.told('objective.warn'), 0);
    await first.store.close();
    const second = await live();
    await second.pass(second.stale());
    assert.equal(second.told('objective.warn'), 1);
  });

  test('leaves its part of a host to the objectives of others (P47)', async (t) => {
    const site = await openSite(t);
    const slow = (id: string, objective: string) =>
      productSource(id, `objective: { errorAfter: ${objective} }`).replace(
        'delay: 1ms, minDelay: 1ms',
        'delay: 2s, minDelay: 2s',
      );
    const sources = { ads: slow('ads', '3m'), shop: slow('shop', '4m') };
    const timed = await startTimed(t, { sources, settings: settingsOf({}) });
    const projectsOn = (source: string, count: number) =>
      Array.from({ length: count }, (_, number) => {
        const path = `/${source}-${number}`;
        site.answer(path, productPage(path, '1'));
        return { id: path.slice(1), targets: [{ source, url: site.url(path) }] };
      });
    await timed.client.call('project.apply', { projects: [...projectsOn('ads', 20), ...projectsOn('shop', 30)] });
    await timed.pass(second);
    await timed.settle();
    const isInfeasible = async () =>
      (await timed.client.call('project.get', { id: 'shop-1' })).targets[0]?.conditions.includes(
        'objective_infeasible',
      );
    assert.equal(await isInfeasible(), true);
    await rm(join(timed.folder, 'sources', 'ads.yaml'));
    await timed.client.call('source.reload', { force: true });
    await timed.pass(second);
    await timed.settle();
    assert.equal(await isInfeasible(), false);
  });
});
