import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { VirtualClock } from '../../src/clock.ts';
import { ControlError } from '../../src/control/error.ts';
import { createDayPlanning } from '../../src/store/plan-days.ts';
import { effectiveSchedules } from '../../src/definition/effective-schedule.ts';
import { createDueTimes } from '../../src/schedule/due-times.ts';
import { createPlanning, type Planning } from '../../workers/planning.ts';
import { createScheduling } from '../../src/schedule/scheduling.ts';
import { createState } from '../../src/daemon/state.ts';
import { parseSource } from '../../src/definition/load.ts';
import type { ScheduleRow } from '../../src/schedule/row.ts';
import type { Store } from '../../src/store/store.ts';
import { createNames } from '../../supervisors/names.ts';
import { temporaryStore, track } from './fixture.ts';
import { openSite } from '../support/site.ts';
import { settingsOf, startAt, startTimed, type TimedDaemon } from '../daemon/passing.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

interface Planner extends Planning {
  readonly store: Store;
  readonly clock: VirtualClock;
  /** Plans once; how many targets were found whose day had begun. */
  readonly planDays: () => Promise<number>;
}

/** Plans over a store alone, whose targets are scraped by tokens and have no actors. */
async function startPlanning(t: TestContext): Promise<Planner> {
  const clock = new VirtualClock(startAt);
  const state = createState({
    clock,
    configured: settingsOf({}),
    resumeEveryMs: 30_000,
    onPause: (why) => assert.fail(why),
  });
  const scheduling = createScheduling(effectiveSchedules(state), () => 0.5);
  const { store } = await temporaryStore(t, { now: () => clock.now(), scheduling });
  state.setStore(store);
  const yaml = 'id: shop\ntokens: { start: 3 }\nrecords: { item: { key: id, fields: { id: h1 } } }\n';
  const parsed = parseSource(yaml, 'shop.yaml');
  if (!parsed.ok) assert.fail('the definition is refused');
  state.setCatalogue({
    sources: new Map([['shop', { source: parsed.value, version: '1' }]]),
    types: new Map(),
    sinks: new Map(),
    pipelines: new Map(),
    problems: [],
  });
  const dues = createDueTimes({
    scheduleOf: effectiveSchedules(state),
    now: () => clock.now(),
    store: () => store,
  });
  const deps = { state, projects: createNames().projects, dues, conditionOf: () => undefined };
  const planDays = createDayPlanning({ ...deps, ...state, look: () => undefined });
  return { ...createPlanning(deps), store, clock, planDays };
}

/** Puts a target in the state after its first scrape. */
function scraped({ store, clock }: Planner, target: number): void {
  const row = store.schedule.get(target);
  if (row === undefined) assert.fail(`target ${target} is not scheduled`);
  const { firstAt: _, ...rest } = row;
  store.schedule.set({ ...rest, since: clock.now() + second });
}

function planOf({ store }: Planner, target: number): Extract<ScheduleRow['pace'], { readonly kind: 'tokens' }> {
  const pace = store.schedule.get(target)?.pace;
  if (pace?.kind !== 'tokens') assert.fail(`target ${target} is not scraped by tokens`);
  return pace;
}

describe('the plan of a day', () => {
  test('has the turns of a host evenly apart, whichever projects they are of and however many hosts there are', async (t) => {
    const planner = await startPlanning(t);
    const { store, clock, planDays } = planner;
    for (const project of ['a', 'b', 'c'])
      await track(store, project, ...Array.from({ length: 200 }, (_, k) => `https://h${k % 100}.test/${project}/${k}`));
    const targets = Array.from({ length: 600 }, (_, index) => index + 1);
    await store.write(() => targets.forEach((target) => scraped(planner, target)));
    clock.advance(day);
    assert.equal(await planDays(), 600);
    assert.equal(await planDays(), 0);
    const turns = Map.groupBy(
      targets.flatMap((target) => planOf(planner, target).planned.map((at) => ({ at, target }))),
      ({ target }) => new URL(store.targets.get(target)?.url ?? '').host,
    );
    assert.equal(turns.size, 100);
    for (const each of turns.values()) {
      const instants = each.map(({ at }) => at - startAt - day).toSorted((one, other) => one - other);
      // Six targets that have three tokens after the first day, each of which pays for a turn.
      const gap = (day - 30 * second) / 19;
      assert.deepEqual(
        instants,
        Array.from({ length: 18 }, (_, k) => Math.round(30 * second + (k + 1) * gap)),
      );
    }
  });

  test('is written for all others where rows are left whose targets are gone, and these go', async (t) => {
    const planner = await startPlanning(t);
    const { store, clock, planDays } = planner;
    const [target = 0] = await track(store, 'a');
    await store.write(() => {
      scraped(planner, target);
      const row = store.schedule.get(target);
      if (row === undefined) assert.fail('the target is not scheduled');
      // Earlier in the order, and more than are looked at in one go.
      for (let gone = 1_000; gone < 2_000; gone += 1)
        store.schedule.set({ ...row, target: gone, pace: { ...planOf(planner, target), planAt: startAt } });
    });
    clock.advance(day);
    assert.equal(await planDays(), 1);
    assert.equal(store.schedule.count(), 1);
    assert.equal(planOf(planner, target).planned.length, 3);
    assert.equal(planner.nextAt(), startAt + 2 * day);
  });

  test('is neither granted nor planned a second time where a row asks for its day again (J26)', async (t) => {
    const planner = await startPlanning(t);
    const { store, clock, planDays } = planner;
    const [target = 0] = await track(store, 'a');
    await store.write(() => scraped(planner, target));
    clock.advance(day);
    assert.equal(await planDays(), 1);
    const first = planOf(planner, target);
    assert.equal(first.planned.length, 3);
    const row = store.schedule.get(target);
    if (row === undefined) assert.fail('the target is not scheduled');
    // As after a change of the zone, or a clock that was set back.
    await store.write(() => store.schedule.set({ ...row, pace: { ...first, planAt: clock.now() } }));
    clock.advance(hour);
    assert.equal(await planDays(), 1);
    assert.deepEqual(planOf(planner, target), first);
    assert.equal(await planDays(), 0);
  });

  test('leaves alone what had a turn meanwhile, and has it in the next round', async (t) => {
    const planner = await startPlanning(t);
    const { store, clock, planDays } = planner;
    const [one = 0, other = 0] = await track(store, 'a', 'https://a.test/', 'https://b.test/');
    await store.write(() => [one, other].forEach((target) => scraped(planner, target)));
    clock.advance(day);
    const planning = planDays();
    await store.write(() => {
      const row = store.schedule.get(one);
      if (row !== undefined) store.schedule.set({ ...row, since: clock.now() });
    });
    await planning;
    assert.deepEqual([planOf(planner, one).planned.length, planOf(planner, other).planned.length], [0, 3]);
    await planner.pass([]);
    assert.deepEqual([planOf(planner, one).planned.length, planOf(planner, other).planned.length], [3, 3]);
  });
});

const tokens = `id: shop
provider: html
allowPrivate: true
robots: ignore
retry: { times: 0 }
politeness: { autoThrottle: false, delay: 1ms, minDelay: 1ms }
tokens: { start: 4 }
records:
  item: { key: sku, each: { css: li }, fields: { sku: { css: b }, about: { css: i } } }
`;

async function paceOf({ client }: TimedDaemon, id: string) {
  const { targets } = await client.call('project.why', { id });
  const pace = targets[0]?.pace;
  if (pace?.kind !== 'tokens') assert.fail('expected a target with tokens');
  return pace;
}

/** Starts of scrapes on a day, from 0 for that of the start, in hours and parts of one. */
function startsOn(timed: TimedDaemon, number: number): number[] {
  const from = startAt + number * day;
  return timed
    .starts('a')
    .filter((at) => at >= from && at < from + day)
    .map((at) => (at - from) / hour);
}

describe('a day of tokens', () => {
  for (const [what, back] of [
    ['over the midnight that began it', hour],
    ['by more than a day', day + hour],
  ] as const)
    test(`has its scrapes once when the clock is set back ${what}`, async (t) => {
      const site = await openSite(t, { '/a': '<ul><li><b>1</b></li></ul>' });
      const timed = await startTimed(t, { sources: { shop: tokens } });
      await timed.track('a', { source: 'shop', url: site.url('/a') });
      await timed.pass(10 * second);
      await timed.until(startAt + 2 * day);
      await timed.settle();
      await timed.until(startAt + 2 * day + 20 * minute);
      const planned = await paceOf(timed, 'a');
      assert.equal(planned.planned.length, 3);
      timed.clock.wall = timed.clock.now() - back;
      for (const _ of [1, 2]) {
        await timed.pass(31 * second);
        await timed.settle();
      }
      for (let midnight = back > day ? 1 : 2; midnight <= 2; midnight += 1) {
        await timed.until(startAt + midnight * day + minute);
        await timed.settle();
        assert.deepEqual(await paceOf(timed, 'a'), planned);
      }
      for (const at of planned.planned) {
        await timed.until(at);
        await timed.pass(second);
      }
      assert.deepEqual(
        startsOn(timed, 2),
        planned.planned.map((at) => (at - startAt - 2 * day) / hour),
      );
    });

  test('has its scrapes although the store was full at midnight, once there is room again (J29)', async (t) => {
    const site = await openSite(t);
    let visits = 0;
    site.answer('/a', (_request, response) => {
      visits += 1;
      response.setHeader('content-type', 'text/html');
      response.end(`<ul><li><b>1</b><i>${visits} ${'x'.repeat(20_000)}</i></li></ul>`);
    });
    const { promise: paused, resolve: pause } = Promise.withResolvers<string>();
    let isFull = false;
    const timed = await startTimed(t, {
      sources: { shop: tokens },
      storeLimitBytes: 1_000_000,
      warn(why) {
        isFull = true;
        pause(why);
      },
    });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.pass(10 * second);
    const before = await paceOf(timed, 'a');
    timed.clock.advance(startAt + day - 10 * minute - timed.clock.now());
    while (!isFull) {
      try {
        await timed.client.call('project.rescrape', { id: 'a' });
        await timed.daemon.system.idle();
        await timed.pass(second);
      } catch (error) {
        // What a person is told whose request cannot be kept.
        assert.ok(error instanceof ControlError && error.code === 'not_ready', String(error));
        isFull = true;
      }
    }
    timed.clock.advance(startAt + day + hour - timed.clock.now());
    // At the latest, midnight meets the limit.
    assert.match(await paused, /bytes are in use/);
    await timed.daemon.system.idle();
    const still = await paceOf(timed, 'a');
    assert.deepEqual([still.tokens, still.planned], [before.tokens, before.planned]);

    await promisify(execFile)(process.execPath, [
      join(import.meta.dirname, '..', 'daemon', 'trimming.ts'),
      join(timed.folder, 'data'),
    ]);
    for (const _ of [1, 2]) {
      await timed.pass(minute);
      await timed.settle();
    }
    const { planned } = await paceOf(timed, 'a');
    assert.equal(planned.length, 3);
    assert.ok(planned.every((at) => at > startAt + day + hour && at < startAt + 2 * day));
    for (const at of planned) {
      await timed.until(at);
      await timed.pass(second);
    }
    assert.equal(startsOn(timed, 1).length, 3);
  });
});
