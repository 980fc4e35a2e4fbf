import type { Catalogue } from '../../src/definition/catalogue.ts';
import type { ScheduleLevel } from '../../src/schedule/levels.ts';
import { addProject } from '../../src/store/projects.ts';
import type { Store } from '../../src/store/store.ts';
import { openDaemon } from './simulated-daemon.ts';
import type { Answer } from './simulated-scrape.ts';
import type { Disk } from './memory-environment.ts';
import { wallAt, type World } from './simulated-world.ts';

/** One target, as a file of its project would have it. Its number is its place among all, from 1. */
export interface SimTarget {
  readonly target: number;
  /** A number from 0; its source is called the same. */
  readonly host: number;
  readonly schedule: ScheduleLevel;
  /** What sets its pace; `promised` is an interval with a promise besides. */
  readonly kind: 'tokens' | 'interval' | 'promised' | 'cron' | 'continuous' | 'objective';
  /** How much there is to find after a day, on average. */
  readonly perDay: number;
}

/** Sees all of it. Instants are true time. */
export interface Witness {
  /** A daemon has begun, over what the one before left. */
  begun(at: number, store: Store): void;
  began(target: number, at: number): void;
  asked(target: number, at: number): void;
  answered(target: number, at: number): void;
  ended(target: number, at: number, isOk: boolean): void;
  planned(at: number): void;
  told(type: string, target: number): void;
  /** Once on each day on which a daemon runs at that time. */
  day(at: number): void;
}

export interface Simulation {
  readonly world: World;
  readonly targets: readonly SimTarget[];
  readonly catalogue: Catalogue;
  readonly random: () => number;
  readonly witness: Witness;
}

const dayMs = 86_400_000;

const nothing = Promise.resolve();

/** The part of a day after which it is looked at. */
const lookPart = 0.45;

/** Of so many requests, one fails though its host is there. */
const failsOnceIn = 300;

/** Lets the world pass, from one daemon to the next. */
export async function simulate(simulation: Simulation): Promise<void> {
  const { world } = simulation;
  const disk: Disk = new Map();
  let from = world.from;
  for (const down of [...world.down, { from: world.to, to: world.to }]) {
    await live(simulation, { from, to: down.from }, disk);
    from = down.to;
  }
}

/** One life of the daemon, which is killed at its end. */
async function live(
  { world, targets, catalogue, random, witness }: Simulation,
  life: { readonly from: number; readonly to: number },
  disk: Disk,
): Promise<void> {
  const verified = new Map<number, number>();
  const isFirst = disk.size === 0;
  const wall = wallAt(world, life.from);
  const now = (): number => life.from + daemon.clock.monotonic();
  const daemon = await openDaemon({
    wall,
    disk,
    catalogue,
    random,
    around: {
      began: (target) => witness.began(target, now()),
      ask({ target }) {
        witness.asked(target, now());
        return answerOf(target);
      },
      answered: ({ target }) => witness.answered(target, now()),
      ended(target, isOk) {
        if (isOk) verified.set(target, now());
        witness.ended(target, now(), isOk);
      },
      planned: () => witness.planned(now()),
      told: (type, target) => witness.told(type, target),
    },
  });
  const { clock, stage, store } = daemon;
  if (isFirst)
    for (const { target, host, schedule } of targets) {
      const spec = { source: `s${host}`, url: `https://h${host}.test/${target}`, schedule };
      await addProject(store, { id: `p${target}`, name: '', labels: [], multiplier: 1, targets: [spec] });
    }
  witness.begun(life.from, store);
  await daemon.begin();
  await stage.settled();

  const events = [...stepsIn(), ...daysIn(), { at: life.to, run: () => nothing }].toSorted((a, b) => a.at - b.at);
  for (const event of events) {
    for (let next = clock.next(); next !== undefined && life.from + next < event.at; next = clock.next()) {
      clock.advance(next - clock.monotonic());
      await stage.settled();
    }
    clock.advance(event.at - now());
    await event.run();
    await stage.settled();
  }

  function stepsIn() {
    return world.steps
      .filter(({ at }) => at >= life.from && at < life.to)
      .flatMap(({ at }) => [
        {
          at,
          run: () => {
            clock.wall = wallAt(world, at);
            return nothing;
          },
        },
        { at: Math.min(life.to, at + Math.floor(30_000 * random())), run: daemon.wallJumped },
      ]);
  }

  function daysIn() {
    const first = Math.ceil(life.from / dayMs - lookPart);
    return Array.from({ length: Math.max(0, Math.ceil(life.to / dayMs - lookPart) - first) }, (_, k) => {
      const at = Math.floor((first + k + lookPart) * dayMs);
      return {
        at,
        run: () => {
          witness.day(at);
          return nothing;
        },
      };
    });
  }

  function answerOf(target: number): Answer {
    const { host = 0, perDay = 0 } = targets[target - 1] ?? {};
    const at = now();
    if ((world.outages[host] ?? []).some(({ from, to }) => from <= at && at < to))
      return { isOk: false, latencyMs: 5_000, found: 0 };
    const days = (at - (verified.get(target) ?? at - dayMs)) / dayMs;
    const isOk = random() * failsOnceIn >= 1;
    return {
      isOk,
      latencyMs: Math.floor(100 + 1_400 * random() ** 3),
      found: isOk ? Math.floor(2 * days * perDay * random()) : 0,
    };
  }
}
