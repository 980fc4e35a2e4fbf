import type { Clock } from '../../clock.ts';
import type { Cluster } from './cluster.ts';
import type { Presence } from './protocol.ts';

/** A worker process that was not heard of for so long is away, in ms: three of its reports were lost. */
const awayMs = 15_000;

/** The span that rates are of, in ms, and the shortest one that tells a rate: that between two reports. */
const [rateOverMs, shortestRateMs] = [5 * 60_000, 4_000];

/** A worker process, as its last report says. */
export interface WorkerProcess extends Presence {
  /** When it last told, wall time. */
  readonly heardAt: number;
  readonly isOnline: boolean;
  /** Whether it takes the daemon's steps: it is there, of the daemon's version, and not told to take none. */
  readonly takesSteps: boolean;
  /** The names of the queues from which it takes steps. */
  readonly queues: readonly string[];
  /** The steps that it has ended in a minute, in the mean of the last 5 min. Missing where it is away, or has been heard of for a few seconds only. */
  readonly perMinute?: WorkerRate;
}

/** Steps that end in a minute, and those of them that fail. */
export interface WorkerRate {
  readonly processed: number;
  readonly failed: number;
}

/** What a worker process has counted by an instant. */
interface Counted extends WorkerRate {
  readonly at: number;
}

/** What is known of a worker process. */
interface Heard {
  readonly presence: Presence;
  readonly heardAt: number;
  /** What it told in the span of a rate, the oldest first. */
  readonly counted: readonly Counted[];
}

/** The worker processes that were heard of. */
export class WorkerList {
  readonly #clock: Clock;
  readonly #cluster: Pick<Cluster, 'version' | 'stepsOf'>;
  readonly #all = new Map<string, Heard>();

  constructor(clock: Clock, cluster: Pick<Cluster, 'version' | 'stepsOf'>) {
    this.#clock = clock;
    this.#cluster = cluster;
  }

  has(worker: string): boolean {
    return this.#all.has(worker);
  }

  heard(presence: Presence): void {
    const { id, processed, failed } = presence;
    const heardAt = this.#clock.monotonic();
    const before = this.#all.get(id)?.counted ?? [];
    // Its count begins anew where it takes steps anew.
    const goesOn = before.filter((each) => each.at >= heardAt - rateOverMs && each.processed <= processed);
    const counted = [...goesOn, { at: heardAt, processed, failed }];
    this.#all.set(id, { presence, heardAt, counted });
  }

  left(worker: string): void {
    this.#all.delete(worker);
  }

  /** Forgets those that have been away for longer than `afterMs`. Returns them. */
  forget(afterMs: number): readonly string[] {
    const now = this.#clock.monotonic();
    const gone = [...this.#all].filter(([, { heardAt }]) => now - heardAt > afterMs).map(([worker]) => worker);
    for (const worker of gone) this.#all.delete(worker);
    return gone;
  }

  /** How many steps those that take the daemon's steps can run at a time. */
  slots(): number {
    const taking = [...this.#all.values()].filter((each) => this.#takesSteps(each));
    return taking.reduce((sum, { presence }) => sum + presence.concurrency, 0);
  }

  /** The ids of the worker processes that said that they run a step, or of all where none did: it may have begun since. */
  thatMayRun(step: string): readonly string[] {
    const running = [...this.#all].filter(([, { presence }]) => presence.active.includes(step));
    return (running.length > 0 ? running : [...this.#all]).map(([worker]) => worker);
  }

  /** Whether one that is there said last that it runs a step. */
  runs(step: string): boolean {
    return [...this.#all.values()].some((each) => this.#isOnline(each) && each.presence.active.includes(step));
  }

  list(): readonly WorkerProcess[] {
    const ahead = this.#clock.now() - this.#clock.monotonic();
    return Array.from(this.#all.values(), (each) => {
      const { presence, heardAt, counted } = each;
      const isOnline = this.#isOnline(each);
      const perMinute = isOnline ? rateOf(counted) : undefined;
      return {
        ...presence,
        ...{ heardAt: heardAt + ahead, isOnline, takesSteps: this.#takesSteps(each) },
        queues: [this.#cluster.stepsOf(presence.version)],
        ...(perMinute !== undefined && { perMinute }),
      };
    });
  }

  #takesSteps(each: Heard): boolean {
    const { isDraining, isWaiting, version } = each.presence;
    return this.#isOnline(each) && !isDraining && isWaiting === undefined && version === this.#cluster.version;
  }

  #isOnline({ heardAt }: Heard): boolean {
    return this.#clock.monotonic() - heardAt < awayMs;
  }
}

function rateOf(counted: readonly Counted[]): WorkerRate | undefined {
  const [first, last] = [counted[0], counted.at(-1)];
  if (first === undefined || last === undefined || last.at - first.at < shortestRateMs) return undefined;
  const perMinute = (name: keyof WorkerRate): number => ((last[name] - first[name]) * 60_000) / (last.at - first.at);
  return { processed: perMinute('processed'), failed: perMinute('failed') };
}
