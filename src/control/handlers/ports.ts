import type { LifeView } from '../../actor/report.ts';
import type { Clock } from '../../clock.ts';
import type { Accepted, AcceptWish } from '../../diagnosis/accept-repair.ts';
import type { Catalogue, CatalogueChange } from '../../definition/catalogue.ts';
import type { ScheduleAt } from '../../definition/effective-schedule.ts';
import type { Problem } from '../../definition/problem.ts';
import type { ReplayView } from '../../view/replay.ts';
import type { SourceMatch } from '../../definition/target-address.ts';
import type { DefinitionSave, SavedDefinition } from '../../definition/save-definition.ts';
import type { Source } from '../../definition/source.ts';
import type { Ordered } from '../../engine/bullmq/dispatcher.ts';
import type { ScaleLimits } from '../../engine/scale.ts';
import type { WorkerScale } from '../methods/worker.ts';
import type { RemoteState } from '../../engine/bullmq/remote-steps.ts';
import type { Order } from '../../engine/bullmq/protocol.ts';
import type { PulseCount } from '../../provider/pulse.ts';
import type { Delivered } from '../../publish/sink.ts';
import type { KnownPace } from '../../schedule/host-pace.ts';
import type { DueInputs } from '../../schedule/next-due.ts';
import type { Tally } from '../../schedule/waste.ts';
import type { ScrapeLine } from '../../scrape/scrape-lines.ts';
import type { PageTrial, TriedStep } from '../../scrape/try.ts';
import type { Metric } from '../../metric/compute.ts';
import type { ProjectRow, TargetRow } from '../../store/tables/rows.ts';
import type { StepIndex } from '../../store/step-index.ts';
import type { Store } from '../../store/store.ts';
import type { VaultLimits } from '../../vault/expire.ts';
import type { KeptPage } from '../../vault/entry.ts';
import type { DrawnPage, DrawQuestion } from '../../view/drawn-page.ts';
import type { Vault } from '../../vault/vault.ts';
import type { LedgersWaiting, LedgerView, OfferPlace } from '../../fetch/ledger/ledger-view.ts';
import type { PauseView } from '../../view/pause.ts';
import type { StoppedView } from '../../view/stopped.ts';
import type { CircuitView, RobotsView } from '../../view/host.ts';
import type { FoundView } from '../methods/page.ts';
import type { DaemonStatus, Settings } from '../methods/daemon.ts';
import type { DefinitionFile, RobotsVerdictView, SourceView } from '../methods/source.ts';

/** The parts of a running daemon that control handlers use, by noun; a handler file picks those that it needs. */
export interface Ports {
  readonly clock: Clock;
  /** Returns the open store. Throws a `ControlError` `not_ready` while it is closed. */
  store(): Store;
  /** Returns the definitions in use, and the problems of those that could not be loaded. */
  catalogue(): Catalogue;
  readonly projects: ProjectsPort;
  readonly definitions: DefinitionsPort;
  readonly sources: SourcesPort;
  readonly hosts: HostsPort;
  readonly scrapes: ScrapesPort;
  readonly schedule: SchedulePort;
  readonly sinks: SinksPort;
  readonly vault: VaultPort;
  readonly daemon: DaemonPort;
}

/** The actors and the metrics of projects. */
export interface ProjectsPort {
  /** Makes the actor of a project, if one runs, read the project's rows again. */
  look(project: string): void;
  /**
   * Compares the running actors with what the store says should run, and starts and stops actors accordingly.
   *
   * @param changed - compares the actors of these projects only.
   */
  reconcile(changed?: readonly string[]): void;
  /** Whether the actor of a project runs. */
  isRunning(project: string): boolean;
  /** Starts the actor of a project again if its supervisor gave it up. Resolves with whether it had been given up. */
  release(project: string): Promise<boolean>;
  /** Computes the metrics of a project as they are now. Also says what keeps some from being computed. */
  metrics(project: ProjectRow): Promise<{ readonly metrics: readonly Metric[]; readonly problems: readonly string[] }>;
}

/** The files of definitions, and what changes them. */
export interface DefinitionsPort {
  /**
   * Reads the definition files again. Sources in use whose file is gone are removed only with `force`, and versions that read no record of kept pages are
   * taken only with it. With `dry`, nothing is taken.
   */
  reload(how: {
    readonly force: boolean;
    readonly dry: boolean;
  }): Promise<CatalogueChange & { readonly problems: readonly Problem[]; readonly replays: readonly ReplayView[] }>;
  /** Renames a source: its file and all that is stored of it. Returns a failure if that cannot be done. */
  rename(rename: {
    readonly from: string;
    readonly to: string;
  }): Promise<
    | { readonly ok: true }
    | { readonly ok: false; readonly code: 'not_found' | 'conflict' | 'failed'; readonly message: string }
  >;
  /** Makes a repair of a definition that is proposed for a ticket, or tells what it would write. */
  repair(wish: AcceptWish): Promise<Accepted>;
  /** Gives the file of a definition another text, or writes a new one, and loads it; or tells what it would write. */
  save(save: DefinitionSave): Promise<SavedDefinition>;
  /** Reads the file of a source's definition; nothing where there is none that can be read. */
  definitionFile(source: string): Promise<DefinitionFile | undefined>;
}

/** The definitions, plug-ins, sessions, robots.txt files and pulses of sources. */
export interface SourcesPort {
  /**
   * Fetches one page of a source, each request in its turn, and stores nothing. Throws a `ControlError` `not_ready` in a daemon that only
   * serves the control methods.
   */
  tryPage(trial: PageTrial, url: string, signal: AbortSignal): Promise<readonly TriedStep[]>;
  /** Asks the plug-ins which sources an address belongs to. */
  resolve(url: string, signal: AbortSignal): Promise<readonly SourceMatch[]>;
  /** Returns why a source's plug-in cannot be used, as far as is known. */
  pluginProblem(source: string): Problem | undefined;
  /** Returns what is known of the robots.txt at an address's origin; sends no request. */
  robotsTxt(source: Source, url: string): RobotsView;
  /** Returns what robots.txt, as far as it is known, says to an address; sends no request. */
  robotsVerdict(source: Source, url: string): RobotsVerdictView;
  /** Returns the state of a source's session; nothing while no actor keeps the session. */
  session(source: string): SourceView['session'];
  /** Lets a source's log-ins be tried again. Resolves with whether there was an actor to do so. */
  resetSession(source: string): Promise<boolean>;
  /** Resolves with the state of a source's pulse; with nothing where the source has none. */
  pulse(source: string): Promise<SourceView['pulse']>;
  /** Begins a round of a source's pulse, unless one is under way. Resolves with whether it did; with nothing while no actor runs the pulse. */
  pulseNow(source: string): Promise<boolean | undefined>;
  /** Reads and draws a kept page on an extraction thread, as a definition says, or drafts one from it. Without `drawn` it took too long. */
  draw(
    source: Source,
    page: KeptPage,
    question: DrawQuestion,
    signal: AbortSignal,
  ): Promise<{ readonly drawn?: DrawnPage; readonly found: FoundView }>;
}

/** The host ledgers, by politeness key, and the circuits of sources; instants are wall time. */
export interface HostsPort {
  /** Resolves with one ledger, or with a slice of all ledgers in the order of their keys. */
  ledgers(
    asked: { readonly key: string } | { readonly after?: string | undefined; readonly limit: number },
  ): Promise<readonly LedgerView[]>;
  /** Resolves with the place of a due target in line; with nothing where it does not wait for a turn. */
  placeOf(target: number): Promise<OfferPlace | undefined>;
  /** Resolves with the circuits that are not closed, by source. */
  circuits(): Promise<ReadonlyMap<string, CircuitView>>;
  /** Resolves with the instants until which hosts are left alone for `Retry-After` or a back-off: of one host, or of all. */
  restingUntil(key?: string): Promise<ReadonlyMap<string, number>>;
  /**
   * Returns the pace at which a host has answered requests. Before it has answered a few times, returns the pace at which
   * an objective was last found infeasible there; nothing if there is no such objective either.
   */
  readonly knownPace: (key: string) => KnownPace | undefined;
  /** What operators have paused, that of everything first. */
  readonly pauses: () => readonly PauseView[];
  /** Has the ledgers look again at what waits as it is paused. */
  readonly pausesChanged: () => void;
}

/** The state of scraping as a whole, and who does it. */
export interface ScrapesPort {
  /** The single steps: those under way, and the newest ended ones. */
  readonly steps: Pick<StepIndex, 'live' | 'rows' | 'get' | 'countEnded' | 'remove' | 'cut'>;
  /** Returns the last lines that a scrape has logged; none where they are no longer remembered. */
  linesOf(scrape: number): readonly ScrapeLine[];
  /** Returns how many scrapes ended since the daemon started. */
  ended(): { readonly complete: number; readonly failed: number; readonly aborted: number; readonly cancelled: number };
  /** True if the daemon was started with `--api-only`: it serves control methods and scrapes nothing. */
  readonly apiOnly: boolean;
  /** Returns why scraping is paused, while it is: as the store is full, or by an operator. */
  paused(): string | undefined;
  /** Returns when scraping is next resumed, if that is possible then; wall time. */
  pausedUntil(): number | undefined;
  /** Has the actor that runs pipelines look at what is to be run. */
  lookAtPipelines(): void;
  /** Resolves with the worker processes that were heard of; with nothing where steps run in the daemon itself. */
  workers(): Promise<RemoteWorkers | undefined>;
  /** Resolves with how many worker processes are wanted; with nothing where nobody asks for any. */
  scale(): Promise<WorkerScale | undefined>;
  /** Sets how many are wanted at least and at most, and keeps that; without limits, those of the configuration hold again. */
  setScale(limits: ScaleLimits | undefined): Promise<WorkerScale | undefined>;
  /** Tells a worker process what to do. Resolves with `untold` where the server of the queues is away. */
  orderWorker(worker: string, order: Order): Promise<Ordered>;
}

/** The worker processes, and whether some are started once turns wait for them. */
export type RemoteWorkers = RemoteState & { readonly startsWorkers: boolean };

/** When targets are due, and what scrapes and pulses cost. */
export interface SchedulePort {
  /** Returns all that decides when a target is due now; nothing for a target that is not scheduled. */
  dueInputsOf(target: TargetRow): DueInputs | undefined;
  /** Returns the schedule of a place, tracked or not, by all levels of those who watch it; nothing while its source is not loaded. */
  readonly scheduleOf: ScheduleAt;
  /** Returns what a target (by number) or a source's batched pulses (by id) cost from an instant on. */
  tally(of: number | string, from: number): Tally;
  /** Starts counting the requests of one round of a source's pulse; nothing for a source without one. */
  pulseOf(source: Source): PulseCount | undefined;
  /** Makes the planner look when it has work next. */
  look(): void;
}

/** The actors that deliver to sinks, by the ids of the sinks. */
export interface SinksPort {
  /** Resolves with what an actor says of itself; with nothing where it does not run. */
  status(sink: string): Promise<{ readonly quietUntil?: number } | undefined>;
  /** Sends a sample message. Resolves with nothing where the actor does not run. */
  test(sink: string): Promise<{ readonly result: Delivered; readonly ms: number } | undefined>;
  /** Delivers all events after one to a sink again. */
  replay(sink: string, after: number): Promise<void>;
  /** Queues the dead letters of a sink for delivery again. Resolves with their number. */
  revive(sink: string): Promise<number>;
  /** Begins the delivery of all records of a type to a sink. */
  sync(sink: string, type: string): Promise<void>;
}

/** The kept pages, and the actor that reads them again. */
export interface VaultPort {
  /** Missing where no pages are kept. */
  readonly limits: VaultLimits | undefined;
  /** Returns the open vault; nothing where no pages are kept. */
  open(): Vault | undefined;
  /** Tells the actor of re-extractions that a job has begun or is to be applied. */
  lookAtJobs(): void;
  /** Resolves when no re-extraction is under way. */
  jobsSettled(): Promise<void>;
}

/** The daemon's process, settings and supervision tree. */
export interface DaemonPort {
  readonly identity: {
    readonly pid: number;
    readonly version: string;
    readonly config?: string;
    readonly data: string;
    readonly socket: string;
    readonly startedAt: number;
  };
  /** The `User-Agent` of sources that set none, and whether only loopback addresses may be asked. */
  readonly bot: { readonly userAgent: string; readonly onlyLoopback: boolean };
  /** Returns the supervisors and actors that run, from the root on. */
  tree(): readonly LifeView[];
  /** Returns the memory of the process's own, without mapped files. */
  memoryBytes(): number;
  /** Returns how late the event loop was of late, as a 99th percentile. */
  loopDelayMs(): number;
  settings(): Settings;
  /** Stores settings and applies them. */
  saveSettings(settings: Settings): Promise<void>;
  /** Returns whether every actor that should run was started, how many are still to start, and which parts of the daemon and sources do not run. */
  progress(): { readonly ready: boolean; readonly remaining: number; readonly stopped: readonly StoppedView[] };
  /** What waits for turns. */
  readonly waiting: LedgersWaiting;
  /** Copies of the data. */
  readonly backups: {
    /** How far the continuous backup has come; `undefined` where none is kept. */
    followed(): DaemonStatus['backup'];
    /** Copies the data to a new folder, and resolves with the bytes of the store and of the kept pages. Rejects with a `ControlError` where it cannot. */
    make(path: string): Promise<number>;
  };
  /** Makes an address that logs a browser in, once. Resolves with nothing where no HTTP is served. */
  inviteLogIn(): Promise<{ readonly url: string; readonly expiresAt: number } | undefined>;
  /** Begins an orderly stop. */
  shutdown(): void;
}
