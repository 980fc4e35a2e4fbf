import type { WorkersSettings } from '../definition/engine.ts';
import type { HistorySettings } from '../definition/history.ts';
import { hasClosed } from '../store/pages.ts';
import type { Report } from '../actor/report.ts';
import { type System, createSystem } from '../actor/system.ts';
import type { Clock } from '../clock.ts';
import type { Settings } from '../control/methods/daemon.ts';
import type { Queues } from '../engine/bullmq/open-on-server.ts';
import { type RunStep, runsInDaemon } from '../engine/step.ts';
import { ExtractRoom } from '../extract/room.ts';
import { BodyBudget } from '../fetch/body-budget.ts';
import type { Log } from '../log.ts';
import type { PluginLimits } from '../plugin/services.ts';
import { type SourcePlugins, createSourcePlugins } from '../plugin/source-plugins.ts';
import { type Requests, createRequests } from '../request/requests.ts';
import type { DefinitionRepair, RepairedDefinition } from '../definition/repair-definition.ts';
import { effectiveSchedules } from '../definition/effective-schedule.ts';
import type { HttpSettings } from '../definition/http.ts';
import type { Source } from '../definition/source.ts';
import { ownerOf } from '../schedule/watchers.ts';
import { type DueTimes, createDueTimes } from '../schedule/due-times.ts';
import { type Agenda, createAgenda } from '../scrape/agenda.ts';
import { type RunPulse, createPulse } from '../scrape/pulse.ts';
import { type RunRechecks, createRechecks } from '../scrape/recheck.ts';
import { createFetchFiles, type FetchFiles } from '../scrape/fetch-files.ts';
import { RecheckLines } from '../scrape/recheck-lines.ts';
import { type Accepted, acceptRepair, type AcceptWish, repairAlone } from '../diagnosis/accept-repair.ts';
import { diagnoseTicket, isCauseUnknown } from '../diagnosis/diagnose-ticket.ts';
import { proposeRepairs, repairableSource } from '../diagnosis/propose-repairs.ts';
import type { Page } from '../fetch/page.ts';
import type { Reading } from '../provider/provider.ts';
import { replayAll } from '../reextraction/replay.ts';
import { type ReextractionDeps, runJob } from '../reextraction/run.ts';
import { recordCrashOrPark } from '../store/targets.ts';
import { type ScrapeTarget, createScrapeTarget } from '../scrape/scrape-target.ts';
import { createResolveFetch } from '../scrape/resolve-fetch.ts';
import { type TryPage, createTryPage } from '../scrape/try.ts';
import { createSecrets, type FindSecrets, type Secrets } from '../session/secret-store.ts';
import { type Names, createNames } from '../../supervisors/names.ts';
import { runOn } from '../../workers/engine.ts';
import { type HostsGate, hostPorts } from '../../workers/gate.ts';
import type { DefinitionsDeps } from '../../workers/definitions.ts';
import { extractPage } from '../../workers/extractors.ts';
import { callPlugin } from '../../workers/plugins.ts';
import { passEveryMs } from '../../workers/reconciler.ts';
import type { ScalerDeps } from '../../workers/scaler.ts';
import { retryDelayMs } from '../../workers/retry-delay.ts';
import { keptSessions } from '../../workers/source.ts';
import { type Planning, createPlanning } from '../../workers/planning.ts';
import type { VaultLimits } from '../vault/expire.ts';
import type { TicketView } from '../view/ticket.ts';
import { type Identity, ownIdentity } from './claim.ts';
import type { ContinuousBackupOptions } from './continuous-backup.ts';
import { createKeptFigures, type KeptFigures } from '../figures/keep-figures.ts';
import { createRates, type RatesFrom } from '../figures/rates.ts';
import type { MetricDeps } from '../figures/read-metrics.ts';
import type { ScrapeObserver } from '../scrape/observer.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { createSinks, type SinkActors } from './sinks.ts';
import { type DaemonState, createState } from './state.ts';

/** The names by which sites know the daemon. */
export interface Bot {
  /** The name that robots.txt is read for. */
  readonly name: string;
  /** Sent with every request of a source that has no user agent of its own. */
  readonly userAgent: string;
  /** Whether nothing but loopback may be asked, as no contact is configured. */
  readonly onlyLoopback: boolean;
}

/** The configuration of a daemon, and its means from outside: clock, randomness, secrets and log. */
export interface DaemonOptions {
  readonly clock: Clock;
  /** In `[0, 1)`. */
  random(): number;
  /** The configuration file, for people. Default: there is none. */
  readonly config?: string;
  /** The data folder: the store, keys and everything else that the daemon keeps. */
  readonly data: string;
  /** The folder of definition files. */
  readonly sources: string;
  /** Sources without a file, which come with the program. Default: none. */
  readonly builtIn?: readonly Source[];
  /** The folder of the plug-ins that definitions name. */
  readonly plugins: string;
  /** Limits of a call of a plug-in that differ from the defaults. */
  readonly pluginLimits?: Partial<PluginLimits>;
  readonly socket: string;
  readonly version: string;
  /** The settings in force until a person sets others at run time. */
  readonly settings: Settings;
  readonly pulseEveryMs: number;
  /** Serves HTTP, by default on the loopback address; at port 0, at any. Default: no HTTP. */
  readonly http?: Pick<HttpSettings, 'port' | 'readOnly'> & Partial<HttpSettings>;
  /** Called with the port at which HTTP is served, each time that begins. */
  httpListens?(port: number): void;
  /** Serves the control methods alone: nothing is scraped or planned, and no pulse asked. Default: no. */
  readonly apiOnly?: boolean;
  readonly bot: Bot;
  readonly findSecrets: FindSecrets;
  /** Requests under way at a time, over all hosts. Default: 256. With `queues`, worker processes say how many. */
  readonly maxInFlight?: number;
  /** Where worker processes take steps from, and what is done about them. Default: steps run in the daemon. */
  readonly queues?: Queues & Pick<ScalerDeps, 'start'> & { readonly workers: WorkersSettings };
  /** How much of the history of records is kept, where their source does not say otherwise. Default: as `heronry.yaml` has it. */
  readonly history?: HistorySettings;
  /** The number of ended steps that are kept. Default: 100,000. */
  readonly keptSteps?: number;
  readonly threads: number;
  report(report: Report): void;
  /** Called with a sentence on what went wrong but ended no life. */
  warn(what: string, error?: unknown): void;
  /** Writes the lines of scrapes and of plug-ins into the log. Default: the lines are dropped. */
  readonly log?: Log;
  /** Called after every change of settings. */
  applied?(settings: Settings): void;
  /** How long pages are kept as evidence, and how many bytes of them; `off` keeps none. Default: `off`. */
  readonly vault?: VaultLimits | 'off';
  /** Where the data are copied to while the daemon runs. Default: nowhere. */
  readonly backup?: ContinuousBackupOptions;
  /** Where rates of currencies come from. Default: there are none. */
  readonly rates?: RatesFrom;
  /** How large the store may become, in bytes. Default: the disk is the limit. */
  readonly storeLimitBytes?: number;
  /** Writes a line to the standard output for sinks of the kind `stdout`, and resolves when it is written. Default: that of the process. */
  print?(line: string): Promise<void>;
  /** Told of each scrape, besides the daemon's own metrics. Default: nobody is. */
  readonly observers?: readonly ScrapeObserver[];
  /** Wraps the engine, so that a test can make failures that no site can make. */
  intercept?(runStep: RunStep): RunStep;
}

/** The parts of one daemon. Each is built once, and knows only those that stand before it. */
export interface Daemon {
  readonly options: DaemonOptions;
  readonly clock: Clock;
  readonly system: System;
  /** The addresses of the actors. */
  readonly names: Names;
  readonly identity: Identity;
  readonly state: DaemonState;
  /** Limits the bytes of pages in flight. */
  readonly bodies: BodyBudget;
  /** Limits the pages that wait for a thread. */
  readonly extractRoom: ExtractRoom;
  readonly plugins: SourcePlugins;
  readonly gate: HostsGate;
  readonly requests: Requests;
  readonly dues: DueTimes;
  readonly agenda: Agenda;
  readonly scrape: ScrapeTarget;
  /**
   * Stores that a scrape of the target crashed, and parks the target if it crashed too often. Resolves with whether it did; with
   * `false` when the store is full.
   */
  crashed(target: number, error: unknown, mostInRow?: number): Promise<boolean>;
  readonly pulse: RunPulse;
  readonly recheck: RunRechecks;
  readonly files: FetchFiles;
  readonly tryPage: TryPage;
  /** Goes on with the job that reads kept pages again; resolves with whether the store is full. */
  reextract(signal: AbortSignal): Promise<boolean>;
  /** Finds the cause of a ticket, where kept pages show it, and proposes repairs or makes one. */
  diagnose(ticket: number, signal: AbortSignal, isAgain: boolean): Promise<void>;
  /** Whether repairs of the present definition are still to be searched for a ticket. */
  lacksRepairs(ticket: TicketView): boolean;
  /** Reads kept pages by versions of definitions that are not in use. */
  readonly replay: DefinitionsDeps['replay'];
  /** Makes a repair that was proposed for a ticket. */
  acceptRepair(wish: AcceptWish): Promise<Accepted>;
  readonly resolveFetch: ReturnType<typeof createResolveFetch>;
  readonly planning: Planning;
  readonly figures: KeptFigures;
  readonly metrics: MetricDeps;
  /** The metrics of the daemon itself; missing where no HTTP is served, so that nobody can read them. */
  readonly ownMetrics: Metrics | undefined;
  /** Looks up the secrets that definitions and sinks name. */
  readonly secrets: Secrets;
  readonly sinks: SinkActors;
}

/** The largest number of pages that wait for each thread; beyond it no turns are given. */
const pagesPerThread = 8;

/** Builds the parts of a daemon; nothing runs yet. */
export function createDaemon(options: DaemonOptions, ownMetrics?: Metrics): Daemon {
  const { clock, bot, warn } = options;
  const random = (): number => options.random();
  const names = createNames();
  const system = createSystem({ clock, report: options.report });
  const room = (): void => names.hosts.via('hosts').send({ type: 'room' });
  const state = createState({
    clock,
    configured: options.settings,
    resumeEveryMs: passEveryMs,
    onPause: (why) => warn(`scraping pauses: ${why}`),
    keptSteps: options.keptSteps,
    hasWorkers: options.queues !== undefined,
    onUnkept: (error) => warn('ended steps are not kept', error),
  });
  const { store, catalogue, settings, unlessFull } = state;
  const log = state.lines.noting((level, message, data) => options.log?.(level, message, data));

  const bodies = new BodyBudget({ onRoom: room });
  const extractRoom = new ExtractRoom(options.threads * pagesPerThread, room);

  const secrets = createSecrets(options.findSecrets, clock);
  const plugins = createSourcePlugins({
    catalogue,
    findSecrets: secrets.remembered,
    log,
    call: (question) => callPlugin(names.plugins.via('plugins'), question),
  });

  const hosts = hostPorts(names.hosts.via('hosts'));
  const ownRunStep = runOn(names.engine.via('engine'));
  const runStep = options.intercept?.(ownRunStep) ?? ownRunStep;
  const acknowledge = (receipt: string): void => names.engine.whereis('engine')?.send({ type: 'acknowledge', receipt });
  const requests = createRequests({
    clock,
    random,
    hosts,
    sources: {
      ...keptSessions(names.sources),
      loaded: (source) => catalogue().sources.get(source),
      loginByPlugin: (loaded, fetch, signal) => plugins.authenticate(loaded, fetch, signal),
    },
    secrets,
    rows: {
      robots: {
        load: (origin, name) => store().robots.get([origin, name]),
        save(origin, name, entry) {
          const { write, robots } = store();
          void unlessFull(() => write(() => robots.put([origin, name], entry)));
        },
      },
      sessions: {
        load: (source) => store().sessions.get(source),
        async save(source, sealed) {
          const { write, sessions } = store();
          await unlessFull(() => write(() => sessions.put(source, sealed), { durable: true }));
        },
      },
      hasClosed: (target, url) => hasClosed(store(), target, url),
    },
    runStep: ownMetrics?.watchSteps(runStep, options.queues && runsInDaemon) ?? runStep,
    steps: state.steps,
    acknowledge,
    daemon: { data: options.data, bot, warn },
  });

  const dues = createDueTimes({ scheduleOf: effectiveSchedules(state), now: () => clock.now(), store });
  const freshnessChanged = (): void => names.planner.whereis('planner')?.send({ type: 'look' });
  const recordsSeen = (source: string, work: 'recheck' | 'files'): void =>
    names.sources.whereis(source)?.send({ type: 'seen', work });
  const crashed = async (target: number, error: unknown, mostInRow?: number): Promise<boolean> => {
    const message = error instanceof Error ? error.message : String(error);
    const retryAt = (times: number): number => clock.now() + retryDelayMs('target', times, random());
    return (await unlessFull(() => recordCrashOrPark(store(), target, message, retryAt, mostInRow))) ?? false;
  };
  const working = {
    clock,
    random,
    store,
    vault: state.vault,
    unlessFull,
    catalogue,
    settings,
    circuits: hosts.circuits,
    makeRequest: requests.make,
    plugins,
    dues,
    log,
  };

  const readKept: ReextractionDeps['extract'] = async (page, reading, signal) => {
    const read =
      reading.plugin === undefined
        ? await extractPage(names.extractors.via('extractors'), { page, reading }, signal)
        : await plugins.read(page, reading, signal);
    return read.ok ? read.extraction.drafts : undefined;
  };
  /** At the start nothing is in use to compare with. */
  const replay: DefinitionsDeps['replay'] = async (inUse, loaded, signal) => {
    const vault = state.vault();
    if (vault === undefined || inUse.sources.size === 0) return [];
    const deps = { store: store(), vault, extract: readKept, monotonic: () => clock.monotonic() };
    try {
      return await replayAll(deps, inUse, loaded, signal);
    } catch (error) {
      // A reload must not wait for the threads that read pages, as these may restart just then.
      if (signal.aborted) throw error;
      log(
        'warn',
        `changed definitions were not tried on kept pages: ${error instanceof Error ? error.message : String(error)}`,
        {},
      );
      return [];
    }
  };
  const reextract = async (signal: AbortSignal): Promise<boolean> => {
    const ran = await unlessFull(() =>
      runJob(
        {
          store,
          vault: state.vault,
          catalogue,
          openPlugged: async (loaded, limited) => (await plugins.open(loaded, limited)).provider,
          extract: readKept,
        },
        signal,
      ).then(() => true),
    );
    return ran === undefined;
  };
  const accepting = {
    store,
    vault: state.vault,
    catalogue,
    repair: (repair: DefinitionRepair) =>
      names.definitions
        .via('definitions')
        .ask<RepairedDefinition>((reply) => ({ type: 'repair', repair, reply }), Infinity),
    lookAtJobs: () => names.reextractor.whereis('reextractor')?.send({ type: 'look' }),
    lookAtTargets(targets: readonly number[]) {
      const rows = targets.flatMap((target) => store().targets.get(target) ?? []);
      for (const id of new Set(rows.flatMap((row) => ownerOf(row) ?? [])))
        names.projects.whereis(id)?.send({ type: 'look' });
      names.planner.whereis('planner')?.send({ type: 'changed', sources: [] });
    },
  };
  const diagnose = async (ticket: number, signal: AbortSignal, isAgain: boolean): Promise<void> => {
    await unlessFull(async () => {
      const evidence = { store, vault: state.vault, catalogue };
      if (!isAgain || isCauseUnknown(store().tickets.get(ticket)))
        await diagnoseTicket({ ...evidence, compare }, ticket, signal);
      const proposed = await proposeRepairs({ ...evidence, search }, ticket, signal);
      const made = proposed && (await repairAlone(accepting, ticket, proposed));
      if (made?.ok === false) warn(`ticket ${ticket} is not repaired without a person: ${made.message}`);
    });
  };
  const search = async (page: Page, reading: Reading, signal: AbortSignal) =>
    (await extractPage(names.extractors.via('extractors'), { page, reading }, signal)).repairs ?? [];
  const compare = async (page: Page, reading: Reading, signal: AbortSignal) =>
    (await extractPage(names.extractors.via('extractors'), { page, reading }, signal)).cause;
  const observers = [...(ownMetrics === undefined ? [] : [ownMetrics.scrapes]), ...(options.observers ?? [])];
  const metrics: MetricDeps = { store, catalogue, ...createRates(options.rates, store) };

  return {
    options,
    clock,
    system,
    names,
    identity: ownIdentity(options.socket, clock.now()),
    state,
    bodies,
    extractRoom,
    plugins,
    gate: hosts.gate,
    requests,
    dues,
    agenda: createAgenda({ store, catalogue, paused: state.paused, dues }),
    scrape: createScrapeTarget({ ...working, freshnessChanged, recordsSeen, crashed, acknowledge, observers }),
    crashed,
    diagnose,
    lacksRepairs: (ticket) => repairableSource(catalogue(), ticket) !== undefined,
    replay,
    acceptRepair: (wish) => acceptRepair(accepting, wish),
    recheck: createRechecks({
      ...working,
      paused: state.paused,
      lines: new RecheckLines({ clock, store, dues }),
      freshnessChanged,
    }),
    files: createFetchFiles({
      ...working,
      paused: state.paused,
      retryDelayMs: (times) => retryDelayMs('target', times, random()),
    }),
    pulse: createPulse({ ...working, look: (id) => names.projects.whereis(id)?.send({ type: 'look' }) }),
    reextract,
    tryPage: createTryPage(working),
    resolveFetch: createResolveFetch(working),
    metrics,
    ownMetrics,
    figures: createKeptFigures({ ...metrics, unlessFull }),
    planning: createPlanning({
      state,
      projects: names.projects,
      dues,
      conditionOf: (id) => requests.sessions.conditionOf(id),
    }),
    secrets,
    sinks: createSinks({ options, clock, names, state, bodies, secrets }),
  };
}
