import type { Clock } from '../clock.ts';
import { ControlError } from '../control/error.ts';
import { Settings } from '../control/methods/settings.ts';
import { type Catalogue, emptyCatalogue } from '../definition/catalogue.ts';
import { KnownPaces } from '../schedule/host-pace.ts';
import { StoreFullError } from '../store/full.ts';
import type { Store } from '../store/store.ts';

/** What the parts of one daemon share: each has one owner that sets it, and is looked up at each use. */
export interface DaemonState {
  /** The open store; throws a `ControlError` `not_ready` while there is none. */
  store(): Store;
  setStore(store: Store | undefined): void;
  catalogue(): Catalogue;
  setCatalogue(catalogue: Catalogue): void;
  /** Those in force: the configured ones, over which go those that were set at run time. */
  settings(): Settings;
  saveSettings(settings: Settings): Promise<void>;
  /** Scrapes that ended since the daemon started. */
  ended(): { readonly complete: number; readonly failed: number; readonly cancelled: number };
  /** Why scraping is paused, while it is. */
  paused(): string | undefined;
  /** When it is next tried whether there is room again, wall time; while scraping is paused. */
  pausedUntil(): number | undefined;
  /** Runs what writes to the store. When that is full, scraping pauses and `undefined` is the answer; other errors are thrown. */
  unlessFull<T>(write: () => Promise<T>): Promise<T | undefined>;
  /** Tries whether there is room again; whether a pause is over by that. */
  resume(): Promise<boolean>;
  readonly clock: Clock;
  /** How often hosts can be asked as they have shown since the start. */
  readonly paces: KnownPaces;
}

export interface DaemonStateOptions {
  readonly clock: Clock;
  readonly configured: Settings;
  /** How often `resume` is called, in milliseconds. */
  readonly resumeEveryMs: number;
  /** Told when scraping pauses. */
  onPause(why: string): void;
}

const settingsKey = 'settings';

export function createState({ clock, configured, resumeEveryMs, onPause }: DaemonStateOptions): DaemonState {
  let store: Store | undefined;
  let catalogue = emptyCatalogue;
  let settings = configured;
  let paused: string | undefined;
  let triedAt = clock.now();
  let ended = { complete: 0, failed: 0, cancelled: 0 };
  let counted = 0;

  return {
    clock,
    paces: new KnownPaces(),
    store: opened,
    setStore(next) {
      store = next;
      counted = next?.events.last() ?? 0;
      next?.onEvents(countEnded);
      // What is stored was checked when it was set; a setting of another version counts as not set.
      const stored = Settings.partial().safeParse(next?.settings.get(settingsKey) ?? {});
      settings = { ...configured, ...(stored.success ? definedOf(stored.data) : {}) };
    },
    catalogue: () => catalogue,
    setCatalogue(next) {
      catalogue = next;
    },
    settings: () => settings,
    async saveSettings(next) {
      await opened().write(() => opened().settings.put(settingsKey, changedSettings(configured, next)), {
        durable: true,
      });
      settings = next;
    },
    ended: () => ended,
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
        await opened().write(() => opened().settings.put('room', 0), { durable: true });
      } catch (error) {
        if (error instanceof StoreFullError) return false;
        throw error;
      }
      paused = undefined;
      return true;
    },
  };

  function countEnded(last: number): void {
    for (const { serial, type } of store?.readEvents(counted, last - counted) ?? []) {
      counted = serial;
      if (type === 'scrape.completed') ended = { ...ended, complete: ended.complete + 1 };
      if (type === 'scrape.failed') ended = { ...ended, failed: ended.failed + 1 };
      if (type === 'scrape.cancelled') ended = { ...ended, cancelled: ended.cancelled + 1 };
    }
  }

  function opened(): Store {
    if (store === undefined) throw new ControlError('not_ready', 'the store is not open');
    return store;
  }
}

function changedSettings(configured: Settings, next: Settings): Partial<Settings> {
  return Object.fromEntries(
    Object.entries(next).filter(([name, value]) => configured[name as keyof Settings] !== value),
  );
}

function definedOf(settings: { readonly [N in keyof Settings]?: Settings[N] | undefined }): Partial<Settings> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}
