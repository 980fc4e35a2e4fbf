import type { TestContext } from 'node:test';
import { VirtualClock } from '../../src/clock.ts';
import type { Asked } from '../../src/control/methods.ts';
import type { RunStep } from '../../src/daemon/open.ts';
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
  /** Resolves when a plan that was begun is written, which takes more than one write. */
  planned(): Promise<void>;
  /** Adds a project and resolves when its actor is there. */
  track(id: string, ...targets: Target[]): Promise<void>;
  /** Resolves when so many projects have their actors. */
  tracked(projects: number): Promise<void>;
  /** When scrapes of a project began. */
  starts(project: string): number[];
}

type Target = Asked<'project.add'>['targets'][number];

/** Wall time at the start of every timed daemon. */
export const startAt = Date.UTC(2026, 0, 1);

export async function startTimed(test: TestContext, options: TimedOptions): Promise<TimedDaemon> {
  const clock = options.clock ?? new VirtualClock(startAt);
  const sent: { url: string; at: number }[] = [];
  const underWay = new Set<Promise<unknown>>();
  const intercept = (runStep: RunStep): RunStep => {
    const counted: RunStep = (step, signal, onSent) => {
      const note = () => {
        sent.push({ url: step.request.url, at: clock.now() });
        onSent();
      };
      const running = runStep(step, signal, note);
      underWay.add(running);
      const over = () => void underWay.delete(running);
      running.then(over, over);
      return running;
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
    settle,
    pass,
    async until(at, from = 1) {
      clock.advance(Math.max(0, at - from - clock.now()));
      await settle();
      await pass(Math.max(0, at - clock.now()));
      await settle();
    },
    async planned() {
      for (const _ of [1, 2, 3, 4]) await settle();
    },
    async track(id, ...targets) {
      const before = await actors();
      await daemon.client.call('project.add', { id, targets });
      await tracked(before + 1);
    },
    tracked,
    starts: (project) =>
      daemon.events.filter((event) => event.type === 'scrape.started' && event.project === project).map(({ at }) => at),
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

  async function settle(): Promise<void> {
    const { client } = daemon;
    let seen: number;
    let told: number;
    // Twice: what lives are started anew for, and plans, begin a turn later than what they follow.
    let quiet = 0;
    do {
      seen = sent.length;
      told = (await client.call('daemon.status', {})).lastEvent;
      await Promise.allSettled(underWay);
      await daemon.daemon.system.idle();
      // A durable change stands behind every write that was asked for before.
      await client.call('settings.set', {});
      await daemon.daemon.system.idle();
      const isQuiet =
        seen === sent.length &&
        underWay.size === 0 &&
        told === (await client.call('daemon.status', {})).lastEvent &&
        (daemon.events.at(-1)?.id ?? 0) === told;
      quiet = isQuiet ? quiet + 1 : 0;
    } while (quiet < 2);
  }
}

/** Settings that a test names, over those that mean nothing to it. */
export function settingsOf(named: Partial<TimedSettings>): TimedSettings {
  return { initialDelayMs: 1_000, everyMs: 14_400_000, timeLimitMs: 600_000, logLevel: 'silent', ...named };
}
type TimedSettings = NonNullable<TestDaemonOptions['settings']>;
