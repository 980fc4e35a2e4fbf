import type { Clock } from '../clock.ts';
import { StoreFullError } from './lmdb/environment.ts';
import type { Store } from './store.ts';

/** The pause of all scraping while the store is full. */
export interface StorePause {
  /** Why scraping is paused, as a sentence; `undefined` while it is not. */
  paused(): string | undefined;
  /** When `resume` is called next, wall time; `undefined` while scraping is not paused. */
  pausedUntil(): number | undefined;
  /** Runs a write to the store. Pauses scraping and resolves with `undefined` when the store is full; rejects with any other error of `write`. */
  unlessFull<T>(write: () => Promise<T>): Promise<T | undefined>;
  /** Ends a pause if the store has room again. Resolves with whether it ended one; rejects when the store is not open. */
  resume(): Promise<boolean>;
}

/** The dependencies of the pause. */
export interface StorePauseDeps {
  readonly clock: Clock;
  /** Throws while no store is open. */
  store(): Store;
  /** How often `resume` is called, in milliseconds. */
  readonly resumeEveryMs: number;
  /** Called with the reason when scraping pauses. */
  onPause(why: string): void;
}

/** What is written to see whether there is room: as much as a large page of records, as a small row fits into what a full disk has left. */
const trial = 'x'.repeat(256 * 1_024);

/** Creates the pause of a daemon that scrapes. */
export function createPause({ clock, store, resumeEveryMs, onPause }: StorePauseDeps): StorePause {
  let paused: string | undefined;
  let triedAt = clock.now();

  return {
    paused: () => paused,
    pausedUntil: () => (paused === undefined ? undefined : Math.max(clock.now(), triedAt + resumeEveryMs)),
    async unlessFull(write) {
      try {
        return await write();
      } catch (error) {
        if (!(error instanceof StoreFullError)) throw error;
        if (paused === undefined) onPause(error.message);
        paused = error.message;
        return undefined;
      }
    },
    async resume() {
      triedAt = clock.now();
      if (paused === undefined) return false;
      try {
        const { write, settings } = store();
        await write(() => settings.put('room', trial), { durable: true });
        await write(() => settings.remove('room'), { evenWhenFull: true });
      } catch (error) {
        if (error instanceof StoreFullError) return false;
        throw error;
      }
      paused = undefined;
      return true;
    },
  };
}
