import { VirtualClock } from '../../src/clock.ts';
import { effectiveSchedules } from '../../src/definition/effective-schedule.ts';
import { createDueTimes } from '../../src/schedule/due-times.ts';
import { createPlanning } from '../../workers/planning.ts';
import { createScheduling } from '../../src/schedule/scheduling.ts';
import { createState } from '../../src/daemon/state.ts';
import type { Catalogue } from '../../src/definition/catalogue.ts';
import { agendaEntry } from '../../src/scrape/agenda.ts';
import { bringForward } from '../../src/store/schedule.ts';
import { recover } from '../../src/store/scrapes.ts';
import { type Store, storeIn } from '../../src/store/store.ts';
import type { Table } from '../../src/store/lmdb/table.ts';
import type { TimerHolder } from '../../src/timer-heap.ts';
import { createNames } from '../../supervisors/names.ts';
import { type DueForTurn, type TargetOffer, targetOffer } from '../../src/request/target-offer.ts';
import { hostPorts } from '../../workers/gate.ts';
import { hosts } from '../../workers/hosts.ts';
import { planner } from '../../workers/planner.ts';
import { project } from '../../workers/project.ts';
import { type Disk, memoryEnvironment } from './memory-environment.ts';
import { type Surroundings, createScrape } from './simulated-scrape.ts';
import { Stage } from './stage.ts';

/** Fires at whole milliseconds, as timers of a machine do. */
class WholeClock extends VirtualClock {
  override sendAt(monotonicMs: number, holder: TimerHolder, message: unknown): number {
    return super.sendAt(Math.ceil(monotonicMs), holder, message);
  }
}

export interface DaemonParts {
  readonly wall: number;
  /** What the one before left; what this one leaves. */
  readonly disk: Disk;
  readonly catalogue: Catalogue;
  readonly random: () => number;
  readonly around: Surroundings;
}

/** One life of a daemon, from its start until it is killed. */
export interface Daemon {
  readonly clock: VirtualClock;
  readonly store: Store;
  readonly stage: Stage;
  /** Begins the actors of all projects. */
  begin(): Promise<void>;
  /** As the reconciler does, up to 30 s after the clock was set. */
  wallJumped(): Promise<void>;
}

const settings = { initialDelayMs: 1_000, everyMs: 14_400_000, timeLimitMs: 600_000, logLevel: 'silent' } as const;

/**
 * The parts of a daemon that decide when whom is asked, over a store in memory: the actors of hosts, planner and projects, what
 * schedules and plans, and the commits of a scrape of one step. What is left out asks, reads and stores pages.
 */
export async function openDaemon({ wall, disk, catalogue, random, around }: DaemonParts): Promise<Daemon> {
  const clock = new WholeClock(wall);
  const stage = new Stage(clock);
  const onPause = (why: string): never => {
    throw new Error(why);
  };
  const state = createState({ clock, configured: settings, resumeEveryMs: 30_000, onPause });
  const store = await storeIn(memoryEnvironment(disk), {
    now: () => clock.now(),
    scheduling: createScheduling(effectiveSchedules(state), random),
  });
  await recover(store, clock.now());
  state.setStore(store);
  state.setCatalogue(catalogue);
  let told = store.events.last();
  store.onEvents((last) => {
    for (const { type, target = 0 } of [...store.events.rows({ after: told, limit: last - told })])
      around.told(type, target);
    told = last;
  });
  const names = createNames();
  const dues = createDueTimes({
    scheduleOf: effectiveSchedules(state),
    now: () => clock.now(),
    store: () => store,
  });
  const ledgers = names.hosts.via('hosts');
  const ports = hostPorts(ledgers);
  const scrape = createScrape({ clock, stage, store, names, hosts: ports, around });
  const deps = {
    clock,
    registry: names.projects,
    agenda,
    scrape,
    offerOf(due: DueForTurn) {
      const source = catalogue.sources.get(due.target.source)?.source;
      if (source === undefined) throw new Error(`${due.target.url} has no source`);
      return targetOffer(source, due, { crawlDelayMs: () => undefined });
    },
    offer: (offer: TargetOffer) => ledgers.send({ type: 'offer', offer }),
    withdraw: ({ id, project }: Pick<TargetOffer, 'id' | 'project'>) => ledgers.send({ type: 'withdraw', id, project }),
    crashed,
    settle: () => onPause('nothing is parked'),
  };
  return { clock, store, stage, begin, wallJumped };

  async function begin(): Promise<void> {
    stage.play('hosts', (self) =>
      hosts(self, {
        clock,
        random,
        registry: names.hosts,
        loadHosts: () => rowsOf(store.hosts),
        saveHosts: (rows) => void saveRows(store.hosts, rows),
        circuits: { load: () => rowsOf(store.circuits), save: (rows) => void saveRows(store.circuits, rows) },
        answered: (key, slowness) => {
          if (state.paces.note(key, slowness, slowness.policy))
            names.planner.whereis('planner')?.send({ type: 'changed', sources: [] });
        },
        hasRoom: () => true,
        granted(offer, lease) {
          const turn = ports.gate.firstTurn(offer, lease, () => false);
          const owner = names.projects.whereis(offer.project);
          owner?.send({ type: 'granted', target: offer.id, turn });
          return owner !== undefined;
        },
        maxInFlight: 256,
      }),
    );
    const planning = createPlanning({ state, projects: names.projects, dues, conditionOf: () => undefined });
    stage.play('planner', (self) =>
      planner(self, {
        ...planning,
        clock,
        registry: names.planner,
        pass: (changed) => stage.busy(() => pass(changed)),
      }),
    );
    await stage.settled();
    for (const { id } of store.projects.rows()) stage.play(id, (self) => project(self, id, deps));

    async function pass(changed: Parameters<typeof planning.pass>[0]) {
      const begins = [...store.schedule.byPlan({ before: clock.now() + 1, limit: 1 })].length > 0;
      const passed = await planning.pass(changed);
      if (begins) around.planned();
      return passed;
    }
  }

  async function wallJumped(): Promise<void> {
    await stage.busy(() => bringForward(store));
    for (const id of names.projects.keys()) names.projects.whereis(id)?.send({ type: 'look' });
    names.planner.whereis('planner')?.send({ type: 'look' });
  }

  function agenda(id: string) {
    const numbers = store.projects.get(id)?.targets ?? [];
    const targets = numbers.flatMap((number) => store.targets.get(number) ?? []);
    return targets.map((target) => agendaEntry(target, dues.inputsOf(target)));
  }

  function crashed(_target: number, error: unknown): never {
    throw error;
  }

  function saveRows<V>(rows: Pick<Table<string, V>, 'put' | 'remove'>, changed: Changed<V>): Promise<void> {
    return store.write(() => {
      for (const [key, row] of changed) {
        if (row === undefined) rows.remove(key);
        else rows.put(key, row);
      }
    });
  }
}

function rowsOf<V>(table: Pick<Table<string, V>, 'entries'>): (readonly [string, V])[] {
  return Array.from(table.entries(), ({ key, row }) => [key, row] as const);
}

type Changed<V> = readonly (readonly [string, V | undefined])[];
