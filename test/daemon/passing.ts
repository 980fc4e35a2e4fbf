import type { TestContext } from 'node:test';
import { lifeAt } from '../../src/actor/address.ts';
import { VirtualClock } from '../../src/clock.ts';
import type { MethodInput } from '../../src/control/methods.ts';
import type { RunStep } from '../../src/engine/step.ts';
import { type Environment, isWriteUnderWay } from '../../src/store/lmdb/environment.ts';
import { startDaemon, startDaemonIn, type TestDaemon, type TestDaemonOptions } from '../support/daemon.ts';

export interface TimedOptions extends Omit<TestDaemonOptions, 'clock'> {
  readonly clock?: VirtualClock;
  /** A folder that is there already, as after a restart. */
  readonly folder?: string;
}

/** A daemon whose time passes only when the test lets it; its requests and its writes take their own. */
export interface TimedDaemon extends TestDaemon {
  readonly clock: VirtualClock;
  /** Requests so far, in order, with the instant by the daemon's clock at which each was sent. */
  readonly sent: readonly { readonly url: string; readonly at: number }[];
  /** Resolves when nothing is left to do at this instant. */
  settle(): Promise<void>;
  /** Lets time pass from one timer to the next, all that each brings about done before the next. */
  pass(ms: number): Promise<void>;
  /** Lets time pass in one go to a while before an instant, and from there as `pass` does, up to it. */
  until(at: number, from?: number): Promise<void>;
  /** Lets time pass until a promise is settled, and resolves or rejects with it. */
  during<T>(running: Promise<T>): Promise<T>;
  /** Adds a project and resolves when its actor is there. */
  track(id: string, ...targets: Target[]): Promise<void>;
  /** Resolves when so many projects have their actors. */
  tracked(projects: number): Promise<void>;
  /** When scrapes of a project began. */
  starts(project: string): number[];
}

type Target = MethodInput<'project.add'>['targets'][number];

/** Wall time at the start of every timed daemon. */
export const startAt = Date.UTC(2026, 0, 1);

export async function startTimed(test: TestContext, options: TimedOptions): Promise<TimedDaemon> {
  const clock = options.clock ?? new VirtualClock(startAt);
  const sent: { url: string; at: number }[] = [];
  /** Steps and writes that were begun and are not over. */
  const underWay = new Set<Promise<unknown>>();
  /** Steps and writes that were begun so far. */
  let begun = 0;
  const track = <T>(running: Promise<T>): Promise<T> => {
    begun += 1;
    underWay.add(running);
    const over = () => void underWay.delete(running);
    running.then(over, over);
    return running;
  };
  const counted = new WeakSet<Environment>();
  const intercept = (runStep: RunStep): RunStep => {
    const counted: RunStep = (step, signal, onSent, onCame) => {
      const note = () => {
        sent.push({ url: step.request.url, at: clock.now() });
        onSent();
      };
      return track(runStep(step, signal, note, onCame));
    };
    return options.intercept?.(counted) ?? counted;
  };
  const all = { ...options, clock, intercept };
  const daemon =
    options.folder === undefined ? await startDaemon(test, all) : await startDaemonIn(test, options.folder, all);

  return {
    ...daemon,
    clock,
    sent,
    settle: () => settle(),
    pass,
    async until(at, from = 1) {
      clock.advance(Math.max(0, at - from - clock.now()));
      await settle();
      await pass(Math.max(0, at - clock.now()));
      await settle();
    },
    async during(running) {
      let isOver = false;
      const over = () => void (isOver = true);
      running.then(over, over);
      while (!isOver) await pass(100);
      return running;
    },
    async track(id, ...targets) {
      const before = await actors();
      await daemon.client.call('project.add', { id, targets });
      await tracked(before + 1);
    },
    tracked,
    starts: (project) =>
      daemon.events
        .filter((event) => event.type === 'scrape.started' && event.projects?.[0] === project)
        .map(({ at }) => at),
  };

  async function pass(ms: number): Promise<void> {
    const until = clock.monotonic() + ms;
    await settle();
    for (let next = clock.next(); next !== undefined && next <= until; next = clock.next()) {
      clock.advance(Math.max(0, next - clock.monotonic()));
      await settle();
    }
    clock.advance(until - clock.monotonic());
  }

  async function tracked(projects: number): Promise<void> {
    while ((await actors()) < projects) await settle();
  }

  async function actors(): Promise<number> {
    const { children = [] } = await daemon.client.call('tree.get', {});
    return children.find(({ id }) => id === 'projects')?.children?.length ?? 0;
  }

  /** Resolves when two looks in a row, with turns of the event loop between them, find nothing under way and nothing begun. */
  async function settle(): Promise<void> {
    settling += 1;
    try {
      for (let quiet = 0; quiet < 2;) quiet = (await wasQuiet()) ? quiet + 1 : 0;
    } finally {
      settling -= 1;
    }
  }

  /** Waits for what is under way. Resolves with whether nothing else was begun meanwhile, and every event has come. */
  async function wasQuiet(): Promise<boolean> {
    const { system, parts } = daemon.daemon;
    const { environment, events } = parts.state.store();
    countWrites(environment);
    const before = begun;
    const told = events.last();
    await Promise.allSettled(underWay);
    await parts.state.vault()?.resume();
    await system.idle();
    const isKeeping = (parts.state.vault()?.counts().waiting ?? 0) > 0;
    const isOver = underWay.size === 0 && !isKeeping && !isWriteUnderWay() && !worksInSlices() && !isSourceStarting();
    return isOver && before === begun && told === events.last() && (daemon.events.at(-1)?.id ?? 0) === told;
  }

  /** Whether the actor of a source is at its start, where it reads files. */
  function isSourceStarting(): boolean {
    const ref = daemon.daemon.parts.names.supervisors.whereis('source');
    const children = ref === undefined ? undefined : lifeAt(ref)?.children;
    return [...(children ?? [])].some(({ phase }) => phase === 'starting');
  }

  function countWrites(environment: Environment): void {
    if (counted.has(environment)) return;
    counted.add(environment);
    const { commit } = environment;
    Object.assign(environment, {
      commit: <T>(...change: Parameters<typeof commit<T>>) => track(commit(...change)),
    } satisfies Partial<Environment>);
  }
}

/** The calls of `settle` that wait at present: daemons may pass their time side by side. */
let settling = 0;

/**
 * Whether code has put off its next part to the next turn of the event loop, as what works in slices does. Each other call of
 * `settle` has put off a part as well.
 */
function worksInSlices(): boolean {
  const putOff = process.getActiveResourcesInfo().filter((name) => name === 'Immediate').length;
  return putOff > settling - 1;
}

/** Settings that a test names, over those that mean nothing to it. */
export function settingsOf(named: Partial<TimedSettings>): TimedSettings {
  return { initialDelayMs: 1_000, everyMs: 14_400_000, timeLimitMs: 600_000, logLevel: 'silent', ...named };
}
type TimedSettings = NonNullable<TestDaemonOptions['settings']>;
