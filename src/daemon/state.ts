import type { Clock } from '../clock.ts';
import { ControlError } from '../control/error.ts';
import { Settings } from '../control/methods/daemon.ts';
import { defined } from '../defined.ts';
import { type Catalogue, emptyCatalogue } from '../definition/catalogue.ts';
import { type LedgersWaiting, noBacklog } from '../fetch/ledger/ledger-view.ts';
import { KnownPaces } from '../schedule/host-pace.ts';
import { type StorePause, type StorePauseDeps, createPause } from '../store/pause.ts';
import { type EndedCounts, countEnded } from '../store/scrapes.ts';
import { ScrapeLines } from '../scrape/scrape-lines.ts';
import { StepIndex } from '../store/step-index.ts';
import type { Store } from '../store/store.ts';
import type { Vault } from '../vault/vault.ts';
import type { StoppedView } from '../view/stopped.ts';
import type { ContinuousBackup } from './continuous-backup.ts';
import type { Progress } from '../../workers/reconciler.ts';

/** The state that the parts of one daemon share. Each value has one owner that sets it; its users look it up at each use. */
export interface DaemonState extends StorePause {
  /** The open store; throws a `ControlError` `not_ready` while there is none. */
  store(): Store;
  setStore(store: Store | undefined): void;
  /** The open vault; `undefined` where no pages are kept, and while no store is open. */
  vault(): Vault | undefined;
  setVault(vault: Vault | undefined): void;
  /** The continuous backup; `undefined` where none is kept, and while no store is open. */
  backup(): ContinuousBackup | undefined;
  setBackup(backup: ContinuousBackup | undefined): void;
  catalogue(): Catalogue;
  setCatalogue(catalogue: Catalogue): void;
  /** The settings in force: those that were set at run time, else the configured ones. */
  settings(): Settings;
  /** Stores settings and puts them in force. Rejects with a `ControlError` while no store is open, and with `StoreFullError`. */
  saveSettings(settings: Settings): Promise<void>;
  /** How far the actors are started that should run. */
  progress(): Progress;
  setProgress(progress: Progress): void;
  /** The parts of the daemon and the sources that their supervisors gave up, and that have not started again. */
  stopped(): Iterable<StoppedView>;
  gaveUp(stopped: Omit<StoppedView, 'since'> & { readonly at: number }): void;
  /** Called when an actor has started. */
  started(kind: StoppedView['kind'], id: string): void;
  /** The targets and requests that were offered to the ledgers. */
  readonly waiting: LedgersWaiting;
  setWaiting(waiting: LedgersWaiting): void;
  /** Scrapes that ended since the daemon started. */
  ended(): Readonly<EndedCounts>;
  /** The steps of all kinds, those under way and the newest ended ones. */
  readonly steps: StepIndex;
  /** What the last scrapes have logged. */
  readonly lines: ScrapeLines;
  readonly clock: Clock;
  /** How often each host answers, as learned since the start. */
  readonly paces: KnownPaces;
}

/** The dependencies of the state, and the settings of the configuration. */
export interface DaemonStateOptions extends Omit<StorePauseDeps, 'store'> {
  readonly configured: Settings;
  /** The number of ended steps that are kept. Default: 100,000. */
  readonly keptSteps?: number | undefined;
  /** Whether steps run on worker processes. Default: in the daemon. */
  readonly hasWorkers?: boolean;
  /** Called when ended steps begin to be lost. Default: nobody is told. */
  onUnkept?(error: unknown): void;
}

const settingsKey = 'settings';

/** Creates the state of a daemon that has no store yet. */
export function createState({
  clock,
  configured,
  resumeEveryMs,
  onPause,
  keptSteps = 100_000,
  hasWorkers = false,
  onUnkept = () => undefined,
}: DaemonStateOptions): DaemonState {
  let store: Store | undefined;
  let vault: Vault | undefined;
  let backup: ContinuousBackup | undefined;
  let catalogue = emptyCatalogue;
  let settings = configured;
  let progress: Progress = { ready: false, remaining: 0 };
  const stopped = new Map<string, StoppedView>();
  let waiting: LedgersWaiting = { waits: () => [], backlog: () => noBacklog };
  const ended = { complete: 0, failed: 0, aborted: 0, cancelled: 0 };
  let stopCounting = (): void => {};

  return {
    ...createPause({ clock, store: opened, resumeEveryMs, onPause }),
    steps: new StepIndex({ clock, store: opened, keep: keptSteps, hasWorkers, failed: onUnkept }),
    lines: new ScrapeLines(clock),
    clock,
    paces: new KnownPaces(),
    store: opened,
    setStore(next) {
      store = next;
      stopCounting();
      if (next !== undefined) stopCounting = countEnded(next, ended);
      // Stored settings that another version wrote may not fit the schema; then the configured ones are in force.
      const stored = Settings.partial().safeParse(next?.settings.get(settingsKey) ?? {});
      settings = { ...configured, ...defined(stored.data ?? {}) };
    },
    vault: () => vault,
    setVault(next) {
      vault = next;
    },
    backup: () => backup,
    setBackup(next) {
      backup = next;
    },
    catalogue: () => catalogue,
    setCatalogue(next) {
      catalogue = next;
    },
    settings: () => settings,
    async saveSettings(next) {
      const { write, settings: rows } = opened();
      await write(() => rows.put(settingsKey, changedSettings(configured, next)), { durable: true });
      settings = next;
    },
    progress: () => progress,
    setProgress(next) {
      progress = next;
    },
    stopped: () => stopped.values(),
    gaveUp({ at, ...given }) {
      const key = `${given.kind} ${given.id}`;
      stopped.set(key, { ...given, since: stopped.get(key)?.since ?? at });
    },
    started: (kind, id) => void stopped.delete(`${kind} ${id}`),
    waiting: { waits: () => waiting.waits(), backlog: () => waiting.backlog() },
    setWaiting(next) {
      waiting = next;
    },
    ended: () => ended,
  };

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
