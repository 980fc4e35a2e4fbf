import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { Registry } from '../../src/actor/registry.ts';
import { createSystem } from '../../src/actor/system.ts';
import { VirtualClock } from '../../src/clock.ts';
import type { TargetRow } from '../../src/store/tables/rows.ts';
import type { FirstTurn } from '../../src/request/gate.ts';
import { project, type ProjectMessage } from '../../workers/project.ts';
import { hasty } from '../support/hosts.ts';
import type { ScrapeProgress } from '../../src/scrape/scrape-target.ts';

const startAt = Date.UTC(2026, 0, 1);

function target(number: number, host: string): TargetRow {
  return {
    target: number,
    watchers: [{ project: 'p' }],
    source: 'shop',
    url: `https://${host}/${number}`,
    status: 'active',
    epoch: 0,
    settled: 0,
    createdAt: startAt,
    crashes: { recent: [], inRow: 0, total: 0 },
  };
}

/** The turns of a host that is always free. */
const turn: FirstTurn = {
  key: '',
  dueAt: 0,
  isLate: () => false,
  take: () => undefined,
  giveBack: () => undefined,
  decline: () => undefined,
};

interface Running {
  readonly progress: ScrapeProgress;
  end(): void;
}

/** A project whose targets are all due at once, one per host named; a scrape runs until the test ends it. */
async function startProject(
  t: TestContext,
  hosts: readonly string[],
  { lateTurns = 0, grants = true }: { readonly lateTurns?: number; readonly grants?: boolean } = {},
) {
  const clock = new VirtualClock(startAt);
  const system = createSystem({ clock });
  const due = new Set(hosts.keys());
  const running = new Map<number, Running>();
  const offered = new Set<number>();
  const parked = new Set<number>();
  let looks = 0;
  let isArchived = false;
  let [late, declined] = [lateTurns, 0];
  const registry = new Registry<string, ProjectMessage>();
  const spawned = await system.spawn<ProjectMessage>(
    (self) =>
      project(self, 'p', {
        clock,
        registry,
        agenda() {
          looks += 1;
          if (isArchived) return [];
          return Array.from(hosts, (host, number) => ({
            target: parked.has(number) ? { ...target(number, host), status: 'parked' as const } : target(number, host),
            dueAt: due.has(number) ? startAt : startAt + 3_600_000,
          }));
        },
        offerOf: ({ target: { target: id, source, url }, project: of, dueAt, isManual }) => {
          const { origin } = new URL(url);
          return { id, project: of, source, origin, key: origin, policy: hasty, dueAt, isManual };
        },
        offer({ id }) {
          offered.add(id);
          if (!grants) return;
          // Each offer gets its turn at once.
          offered.delete(id);
          late -= 1;
          const isLate = late >= 0;
          const own = { ...turn, isLate: () => isLate, decline: () => void (declined += 1) };
          registry.whereis('p')?.send({ type: 'granted', target: id, turn: own });
        },
        withdraw: ({ id }) => void offered.delete(id),
        async scrape({ target: number }, _turn, _signal, progress) {
          const { promise, resolve } = Promise.withResolvers<void>();
          running.set(number, { progress, end: resolve });
          await promise;
          running.delete(number);
          due.delete(number);
        },
        crashed: () => assert.fail('nothing crashed'),
        settle: () => assert.fail('nothing is parked'),
      }),
    { id: 'p' },
  );
  if (spawned.ok !== true) assert.fail('the project did not start');
  t.after(() => {
    for (const { end } of running.values()) end();
    system.exit(spawned.ref, 'shutdown');
  });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  await settle();
  return {
    running: () => [...running.keys()],
    looks: () => looks,
    declined: () => declined,
    /** The targets whose offers stand; they get no turns by themselves where the project was started without `grants`. */
    offered: () => [...offered],
    async grant(number: number) {
      offered.delete(number);
      const own = { ...turn, decline: () => void (declined += 1) };
      registry.whereis('p')?.send({ type: 'granted', target: number, turn: own });
      await settle();
    },
    /** Puts the due time of a target off, and tells nobody. */
    putOff: (number: number) => void due.delete(number),
    /** Parks a target until later, and tells nobody. */
    park(number: number) {
      parked.add(number);
      due.delete(number);
    },
    async look() {
      registry.whereis('p')?.send({ type: 'look' });
      await settle();
    },
    /** Archives the project, and tells nobody. */
    archive: () => void (isArchived = true),
    waits(number: number, isWaiting: boolean) {
      running.get(number)?.progress.waits(isWaiting);
    },
    async endScrape(number: number) {
      running.get(number)?.end();
      await settle();
    },
    async pass(ms: number) {
      clock.advance(ms);
      await settle();
    },
  };
}

describe('a project', () => {
  test('scrapes two of its targets at once while neither waits', async (t) => {
    const { running, pass, endScrape } = await startProject(t, ['a', 'b', 'c']);
    await pass(60_000);
    assert.deepEqual(running(), [0, 1]);
    await endScrape(0);
    assert.deepEqual(running(), [1, 2]);
  });

  test('gives a turn back that came late, and offers its target again', async (t) => {
    const { running, declined } = await startProject(t, ['a'], { lateTurns: 2 });
    assert.deepEqual([running(), declined()], [[0], 2]);
  });

  test('takes the offer of a target back that is no longer due, and leaves the others in line', async (t) => {
    const { offered, putOff, park, pass, look } = await startProject(t, ['a', 'b', 'c'], { grants: false });
    await pass(1_000);
    assert.deepEqual(offered(), [0, 1, 2]);
    putOff(0);
    await look();
    assert.deepEqual(offered(), [1, 2]);
    park(1);
    await look();
    assert.deepEqual(offered(), [2]);
  });

  test('takes its offers back when it is archived', async (t) => {
    const { offered, archive, look } = await startProject(t, ['a', 'b'], { grants: false });
    assert.deepEqual(offered(), [0, 1]);
    archive();
    await look();
    assert.deepEqual(offered(), []);
  });

  test('gives the turn of a target back that was put off or parked before the turn came', async (t) => {
    const { running, declined, grant, putOff, park } = await startProject(t, ['a', 'b'], { grants: false });
    putOff(0);
    await grant(0);
    park(1);
    await grant(1);
    assert.deepEqual([running(), declined()], [[], 2]);
  });

  test('begins others while those that it scrapes wait for a host that rests', async (t) => {
    const { running, waits, pass } = await startProject(t, ['resting', 'resting', 'b', 'c', 'd']);
    assert.deepEqual(running(), [0, 1]);
    waits(0, true);
    waits(1, true);
    await pass(1_000);
    assert.deepEqual(running(), [0, 1, 2, 3]);
    await pass(60_000);
    assert.deepEqual(running(), [0, 1, 2, 3]);
    waits(2, true);
    await pass(1_000);
    assert.deepEqual(running(), [0, 1, 2, 3, 4]);
  });

  test('begins nothing for a wait that is soon over', async (t) => {
    const { running, waits, pass } = await startProject(t, ['a', 'b', 'c']);
    waits(0, true);
    await pass(500);
    waits(0, false);
    await pass(60_000);
    assert.deepEqual(running(), [0, 1]);
  });

  test('has no more than two wait for one site', async (t) => {
    const { running, waits, pass } = await startProject(t, ['resting', 'resting', 'resting', 'b']);
    waits(0, true);
    waits(1, true);
    await pass(1_000);
    assert.deepEqual(running(), [0, 1, 3]);
  });

  test('has no more than 64 under way, however many wait', async (t) => {
    const { running, waits, pass } = await startProject(
      t,
      Array.from({ length: 80 }, (_, index) => `h${index}`),
    );
    for (let round = 0; round < 80; round += 1) {
      for (const number of running()) waits(number, true);
      await pass(1_000);
    }
    assert.equal(running().length, 64);
  });

  test('does not look again for a wait where nothing else is due', async (t) => {
    const { waits, pass, looks } = await startProject(t, ['a', 'a', 'a']);
    const before = looks();
    for (let step = 0; step < 100; step += 1) {
      waits(0, true);
      waits(0, false);
      await pass(2_000);
    }
    assert.equal(looks(), before);
  });
});
