import type {
  DefinitionsPort,
  HostsPort,
  Ports,
  ProjectsPort,
  SinksPort,
  SourcesPort,
} from '../control/handlers/ports.ts';
import { ControlError } from '../control/error.ts';
import type { SourceCircuit } from '../fetch/ledger/circuit.ts';
import type { Reloaded } from '../../workers/definitions.ts';
import type { DelivererStatus, Tested } from '../../workers/deliverer.ts';
import type { SourceStatus } from '../../workers/source.ts';
import type { RemoteState } from '../engine/bullmq/remote-steps.ts';
import type { ScaleStatus } from '../../workers/scaler.ts';
import type { WorkerScale } from '../control/methods/worker.ts';
import type { LogInAddress } from '../../workers/http.ts';
import { backupTo } from './backup.ts';
import type { Daemon } from './parts.ts';
import type { ProcessLoad } from './process-load.ts';
import { drawKept } from './draw-kept.ts';
import { unlessEnded } from './sinks.ts';
import type { LedgerView, OfferPlace } from '../fetch/ledger/ledger-view.ts';
import type { SavedDefinition } from '../definition/save-definition.ts';
import { readDefinition } from '../definition/definition-text.ts';
import { politenessKey } from '../definition/source.ts';
import { schedulesAt } from '../definition/effective-schedule.ts';
import { PulseCount } from '../provider/pulse.ts';
import { sampleMessage } from '../delivery/sample.ts';
import { rememberedPace } from '../store/infeasible.ts';
import { pauseOfAll, pausesIn, whyPaused } from '../store/pauses.ts';
import { replayAfter, reviveDead } from '../store/sinks.ts';
import { tallyOf } from '../store/waste.ts';
import type { CircuitView } from '../view/host.ts';
import type { StoppedView } from '../view/stopped.ts';
import { noServices } from '../plugin/services.ts';
import { robotsTxtView, robotsVerdictView } from '../request/robots-view.ts';
import type { SourceView } from '../control/methods/source.ts';
import { readMetrics } from '../figures/read-metrics.ts';
import { defined } from '../defined.ts';

/** Adapts the parts of the daemon to the ports of the control handlers, which throw a `ControlError` `not_ready` while no store is open. */
export function createPorts(daemon: Daemon, load: ProcessLoad, stop: () => void): Ports {
  const { options, state, names, dues, system } = daemon;
  const { pid, socket, startedAt } = daemon.identity;
  const { version, data, config } = options;
  return {
    clock: state.clock,
    store: state.store,
    catalogue: state.catalogue,
    projects: projectsPort(daemon),
    definitions: definitionsPort(daemon),
    sources: sourcesPort(daemon),
    hosts: hostsPort(daemon),
    scrapes: {
      steps: state.steps,
      linesOf: (scrape) => state.lines.of(scrape),
      ended: state.ended,
      apiOnly: options.apiOnly ?? false,
      paused: () => state.paused() ?? pauseOfAll(state.store())?.text,
      pausedUntil: () => state.pausedUntil() ?? pauseOfAll(state.store())?.until,
      lookAtPipelines: () => names.pipelines.whereis('pipelines')?.send({ type: 'look' }),
      async workers() {
        const asked = names.engine
          .via('engine')
          .ask<RemoteState | undefined>((reply) => ({ type: 'workers', reply }), Infinity);
        const state = await asked;
        return state && { ...state, startsWorkers: (options.queues?.workers.max ?? 0) > 0 };
      },
      scale: () =>
        scaleOf(
          daemon,
          names.scaler.whereis('scaler')?.ask((reply) => ({ type: 'status', reply }), Infinity),
        ),
      setScale: (limits) =>
        scaleOf(
          daemon,
          names.scaler.whereis('scaler')?.ask((reply) => ({ type: 'limit', limits, reply }), Infinity),
        ),
      orderWorker: (worker, order) =>
        names.engine.via('engine').ask((reply) => ({ type: 'order', worker, order, reply }), Infinity),
    },
    schedule: {
      dueInputsOf: (target) => dues.inputsOf(target),
      scheduleOf: schedulesAt(state),
      tally: (of, from) => tallyOf(state.store(), of, from, state.clock.now()),
      pulseOf: (source) => PulseCount.of(source, options.pulseEveryMs),
      look: () => names.planner.whereis('planner')?.send({ type: 'look' }),
    },
    sinks: sinksPort(daemon),
    vault: {
      limits: options.vault === 'off' ? undefined : options.vault,
      open: state.vault,
      lookAtJobs: () => names.reextractor.whereis('reextractor')?.send({ type: 'look' }),
      jobsSettled: () => names.reextractor.via('reextractor').ask<void>((reply) => ({ type: 'wait', reply }), Infinity),
    },
    daemon: {
      identity: { pid, version, data, socket, startedAt, ...defined({ config }) },
      bot: options.bot,
      tree: () => system.inspect(),
      memoryBytes: load.memoryBytes,
      loopDelayMs: load.loopDelayMs,
      settings: state.settings,
      async saveSettings(settings) {
        const { everyMs, initialDelayMs } = state.settings();
        await state.saveSettings(settings);
        options.applied?.(settings);
        if (everyMs !== settings.everyMs || initialDelayMs !== settings.initialDelayMs)
          names.planner.whereis('planner')?.send({ type: 'changed', sources: 'all' });
      },
      progress: () => ({ ...state.progress(), stopped: stoppedOf(daemon) }),
      waiting: state.waiting,
      backups: {
        followed: () => state.backup()?.progress(),
        make: (path) => backupTo(path, data, { store: state.store(), vault: state.vault() }),
      },
      inviteLogIn: () =>
        unlessEnded(names.http.whereis('http')?.ask<LogInAddress>((reply) => ({ type: 'invite', reply }), Infinity)),
      shutdown: stop,
    },
  };
}

/** What does not run, but for what was removed meanwhile. */
function stoppedOf({ state, sinks }: Daemon): readonly StoppedView[] {
  const isKnown = ({ kind, id }: StoppedView): boolean =>
    kind === 'source' ? state.catalogue().sources.has(id) : !id.startsWith('sink:') || sinks.starts().has(id);
  return [...state.stopped()].filter(isKnown);
}

/** How many worker processes are wanted, where there is an actor that says so. */
async function scaleOf({ options }: Daemon, asked: Promise<ScaleStatus> | undefined): Promise<WorkerScale | undefined> {
  const status = await unlessEnded(asked);
  return status && options.queues && { ...status, by: options.queues.workers.by };
}

function projectsPort({ names, metrics }: Daemon): ProjectsPort {
  const reconciler = names.reconciler.via('reconciler');
  return {
    look(project) {
      names.projects.whereis(project)?.send({ type: 'look' });
      names.planner.whereis('planner')?.send({ type: 'changed', sources: [] });
    },
    reconcile(changed) {
      reconciler.send({ type: 'reconcile', ...defined({ projects: changed }) });
      names.planner.whereis('planner')?.send({ type: 'changed', sources: [] });
    },
    isRunning: (project) => names.projects.whereis(project) !== undefined,
    release: (id) => reconciler.ask<boolean>((reply) => ({ type: 'release', kind: 'project', id, reply }), Infinity),
    metrics: (project) => readMetrics(project, metrics),
  };
}

function definitionsPort({ options, names, acceptRepair }: Daemon): DefinitionsPort {
  return {
    reload: (how) =>
      names.definitions.via('definitions').ask<Reloaded>((reply) => ({ type: 'reload', ...how, reply }), Infinity),
    repair: (wish) => acceptRepair(wish),
    rename: (rename) =>
      names.definitions.via('definitions').ask((reply) => ({ type: 'rename', rename, reply }), Infinity),
    save: (save) =>
      names.definitions.via('definitions').ask<SavedDefinition>((reply) => ({ type: 'save', save, reply }), Infinity),
    definitionFile: (id) => readDefinition(options.sources, id),
  };
}

function sourcesPort({ options, names, plugins, requests, tryPage, resolveFetch, state }: Daemon): SourcesPort {
  const { robots, sessions } = requests;
  return {
    tryPage(trial, url, signal) {
      if (options.apiOnly === true)
        throw new ControlError('not_ready', 'the daemon was started with --api-only, and asks no site');
      const { source } = trial;
      const paused = whyPaused(state.store(), { source: source.id, host: politenessKey(source, url) });
      if (paused !== undefined) throw new ControlError('conflict', paused);
      return tryPage(trial, url, signal);
    },
    resolve: (url, signal) =>
      plugins.resolve(url, options.apiOnly === true ? () => noServices.fetch : resolveFetch, signal),
    pluginProblem: (source) => plugins.problemOf(source),
    robotsTxt: (source, url) => robotsTxtView(url, robots.entry(source, url)),
    robotsVerdict: (source, url) => robotsVerdictView(source, url, robots.entry(source, url), state.clock.now()),
    session: (id) => sessions.conditionOf(id),
    async resetSession(id) {
      const actor = names.sources.whereis(id);
      await actor?.ask<void>((reply) => ({ type: 'reset', reply }), Infinity);
      return actor !== undefined;
    },
    async pulse(id) {
      const asked = names.sources.whereis(id)?.ask<SourceStatus>((reply) => ({ type: 'status', reply }), Infinity);
      const status = await unlessEnded(asked);
      return status?.pulse && pulseView(status.pulse);
    },
    pulseNow: (id) =>
      unlessEnded(names.sources.whereis(id)?.ask<boolean>((reply) => ({ type: 'pulse-now', reply }), Infinity)),
    draw: (source, page, question, signal) =>
      drawKept(names.extractors.via('extractors'), source, page, question, signal),
  };
}

function sinksPort({ clock, names, sinks, state }: Daemon): SinksPort {
  const store = () => state.store();
  /** Changes what the store has of a sink, while nobody delivers to it. */
  const changed = async <T>(id: string, change: () => Promise<T>): Promise<T> => {
    await sinks.end(id);
    try {
      return await change();
    } finally {
      names.reconciler.via('reconciler').send({ type: 'reconcile' });
    }
  };
  return {
    status: (id) =>
      unlessEnded(names.sinks.whereis(id)?.ask<DelivererStatus>((reply) => ({ type: 'status', reply }), Infinity)),
    async test(id) {
      const sink = state.catalogue().sinks.get(id);
      if (sink === undefined) return undefined;
      const message = sampleMessage(sink, `${store().generation()}-sample-${store().newId()}`, clock.now());
      const asked = names.sinks.whereis(id)?.ask<Tested>((reply) => ({ type: 'test', message, reply }), Infinity);
      return unlessEnded(asked);
    },
    replay: (id, after) => changed(id, () => replayAfter(store(), id, after)),
    revive: (id) => changed(id, () => reviveDead(store(), id)),
    sync: (id, type) =>
      changed(id, () => {
        const { write, sinks: rows, newId } = store();
        return write(() => rows.syncs.put(id, { id: newId(), type, requestedAt: clock.now() }), { durable: true });
      }),
  };
}

function hostsPort({ names, state }: Daemon): HostsPort {
  const hosts = names.hosts.via('hosts');
  return {
    ledgers: (selection) =>
      hosts.ask<readonly LedgerView[]>((reply) => ({ type: 'list', ...selection, reply }), Infinity),
    circuits: async () =>
      circuitsBySource(await hosts.ask<readonly SourceCircuit[]>((reply) => ({ type: 'circuits', reply }), Infinity)),
    placeOf: (target) => hosts.ask<OfferPlace | undefined>((reply) => ({ type: 'place', target, reply }), Infinity),
    restingUntil: (key) =>
      hosts.ask<ReadonlyMap<string, number>>((reply) => ({ type: 'resting-until', key, reply }), Infinity),
    pauses: () => pausesIn(state.store(), state.clock.now()),
    pausesChanged: () => hosts.send({ type: 'pauses-changed' }),
    knownPace: (key) => state.paces.of(key) ?? rememberedPace(state.store().infeasible.ofKey(key)),
  };
}

/** The view of a source's pulse. */
function pulseView({ everyMs, nextAt, running, last }: NonNullable<SourceStatus['pulse']>): SourceView['pulse'] {
  const lastFailure = last?.failure === undefined ? undefined : { code: 'pulse_failed', message: last.failure };
  return {
    everyMs,
    nextAt: Math.round(nextAt),
    ...defined({ running: running || undefined, lastAt: last?.endedAt, lastFailure }),
  };
}

/** The views of the circuits that are not closed, by source. */
function circuitsBySource(circuits: readonly SourceCircuit[]): ReadonlyMap<string, CircuitView> {
  return new Map(
    circuits.flatMap(({ source, state, nextAt, times }) => {
      if (state === 'closed') return [];
      const view = { state, times, ...(nextAt !== undefined && { nextAt: Math.round(nextAt) }) };
      return [[source, view] as const];
    }),
  );
}
