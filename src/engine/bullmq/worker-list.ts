import type { Clock } from '../../clock.ts';
import type { Presence } from './protocol.ts';

/** A worker process that was not heard of for so long is away, in ms: three of its reports were lost. */
const awayMs = 15_000;

/** A worker process, as its last report says. */
export interface WorkerProcess extends Presence {
  /** When it last told, wall time. */
  readonly heardAt: number;
  readonly isOnline: boolean;
}

/** The worker processes that were heard of. */
export class WorkerList {
  readonly #clock: Clock;
  readonly #all = new Map<string, { readonly presence: Presence; readonly heardAt: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  has(worker: string): boolean {
    return this.#all.has(worker);
  }

  heard(presence: Presence): void {
    this.#all.set(presence.id, { presence, heardAt: this.#clock.monotonic() });
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

  /** How many steps those that are there and take steps of a version can run at a time. */
  slots(version: string): number {
    return Array.from(this.#all.values(), ({ presence, heardAt }) =>
      this.#isOnline(heardAt) && !presence.isDraining && presence.version === version ? presence.concurrency : 0,
    ).reduce((sum, each) => sum + each, 0);
  }

  /** Those that said that they run a step, or all where none did: it may have begun since. */
  thatMayRun(step: string): readonly string[] {
    const running = [...this.#all].filter(([, { presence }]) => presence.active.includes(step));
    return (running.length > 0 ? running : [...this.#all]).map(([worker]) => worker);
  }

  list(): readonly WorkerProcess[] {
    const ahead = this.#clock.now() - this.#clock.monotonic();
    return Array.from(this.#all.values(), ({ presence, heardAt }) => ({
      ...presence,
      heardAt: heardAt + ahead,
      isOnline: this.#isOnline(heardAt),
    }));
  }

  #isOnline(heardAt: number): boolean {
    return this.#clock.monotonic() - heardAt < awayMs;
  }
}
