import { hostname } from 'node:os';
import * as z from 'zod';
import { describeReason } from '../actor/errors.ts';
import { named } from '../actor/registry.ts';
import { type StartChildResult, startChild, terminateChild } from '../actor/management.ts';
import type { ChildSpec, ExitReason, Self } from '../actor/types.ts';
import type { Handlers } from '../control/methods.ts';
import { targetOffer } from '../request/target-offer.ts';
import { ActiveProjects } from '../store/active-projects.ts';
import { projectIndexOf } from '../store/project-index.ts';
import { settleTarget } from '../store/targets.ts';
import { type ProjectDeps, project } from '../../workers/project.ts';
import type { Kind } from '../../workers/reconciler.ts';
import { source } from '../../workers/source.ts';
import { createPipelines } from './pipelines.ts';
import type { Daemon, DaemonOptions } from './parts.ts';
import { workerGraceMs } from './start-worker.ts';
import { http, type HttpDeps, type HttpMessage } from '../../workers/http.ts';
import { createLogIns } from '../store/log-ins.ts';
import { findToken } from '../store/tokens.ts';
import { tlsFilesOf } from './tls-files.ts';
import { makeFirstToken } from './first-token.ts';
import { control } from '../../workers/control.ts';
import type { Audited } from '../control/audited.ts';
import { AuditLog } from '../store/audit-log.ts';
import { reextractor } from '../../workers/reextractor.ts';
import { diagnoser } from '../../workers/diagnoser.ts';
import { figures } from '../../workers/figures.ts';
import { pipelines } from '../../workers/pipelines.ts';
import { scaler, type ScalerMessage } from '../../workers/scaler.ts';
import { defined } from '../defined.ts';
import { saveWorkerTrouble } from '../store/worker-trouble.ts';
import { alarms, type AlarmsDeps } from '../../workers/alarms.ts';
import { planner } from '../../workers/planner.ts';

/** The handlers of the control socket, and who is told how its start went. */
export interface ChildrenDeps {
  readonly handlers: Handlers;
  /** Called when the control socket is open. */
  listens(): void;
  /** Called when the control socket cannot be opened at the first start, which ends the daemon. */
  fatal(reason: ExitReason): void;
}

/** The actors that the reconciler keeps running. */
export interface Children {
  desired(kind: Kind, among?: ReadonlySet<string>): AsyncIterable<readonly string[]>;
  running(kind: Kind): Iterable<string>;
  isRunning(kind: Kind, id: string): boolean;
  isSettled(kind: Kind): boolean;
  start(kind: Kind, id: string): Promise<StartChildResult>;
  stop(kind: Kind, id: string): Promise<void>;
}

/** Gives the reconciler the actors of a daemon to compare, start and stop. Its `desired` and `isSettled` throw while no store is open. */
export function createChildren(daemon: Daemon, deps: ChildrenDeps): Children {
  const { state, names, clock, options } = daemon;
  const hosts = names.hosts.via('hosts');
  const projectDeps: ProjectDeps = {
    clock,
    registry: names.projects,
    agenda: daemon.agenda,
    offerOf(due) {
      const loaded = state.catalogue().sources.get(due.target.source);
      if (loaded === undefined) throw new Error(`source "${due.target.source}" is due, but it is not loaded`);
      return targetOffer(loaded.source, due, daemon.requests.robots);
    },
    offer: (offer) => hosts.send({ type: 'offer', offer }),
    withdraw: (offer) => daemon.gate.withdraw(offer),
    scrape: daemon.scrape,
    crashed: daemon.crashed,
    async settle(target) {
      await state.unlessFull(() => settleTarget(state.store(), target));
    },
  };
  const edge = edgeChildren(daemon, deps.handlers);
  const { apiOnly = false } = options;
  let listened = false;
  const active = new ActiveProjects();
  const registries = { edge: names.edge, source: names.sources, project: names.projects };

  return {
    async *desired(kind, among) {
      switch (kind) {
        case 'edge':
          yield Object.keys(edge).filter((id) => !apiOnly || edge[id]?.inApiOnly);
          if (!apiOnly) yield [...daemon.sinks.starts().keys()];
          return;
        case 'source':
          if (!apiOnly) yield [...state.catalogue().sources.keys()];
          return;
        case 'project':
          if (!apiOnly) yield* active.ids(state.store(), among);
          return;
        default:
          kind satisfies never;
      }
    },
    running: (kind) => registries[kind].keys(),
    isRunning: (kind, id) => registries[kind].whereis(id) !== undefined,
    isSettled: (kind) => kind === 'project' && active.isStill(state.store(), names.projects.size),
    async start(kind, id) {
      const started = await startChild(names.supervisors.via(kind), specOf(kind, id));
      if (started.ok === true && kind !== 'project') state.started(kind, id);
      if (kind === 'edge' && id === 'control' && !listened) {
        listened = started.ok === true;
        if (listened) deps.listens();
        if (started.ok === false && started.code === 'start_failed') deps.fatal(started.reason);
      } else if (started.ok === false && started.code === 'start_failed')
        options.warn(`${id} could not start, and is tried again later: ${describeReason(started.reason)}`);
      return started;
    },
    async stop(kind, id) {
      const child = registries[kind].whereis(id);
      if (child !== undefined) await terminateChild(names.supervisors.via(kind), child);
    },
  };

  /** The interval of a source's pulse, by default the daemon's; `undefined` for a source without a pulse. */
  function pulseEveryMs(id: string): number | undefined {
    const pulse = state.catalogue().sources.get(id)?.source.pulse;
    return pulse && (pulse.every ?? options.pulseEveryMs);
  }

  function startOf(id: string): ChildSpec['start'] {
    const start = edge[id]?.start ?? daemon.sinks.starts().get(id);
    if (start === undefined) throw new Error(`edge has no child "${id}"`);
    return start;
  }

  function specOf(kind: Kind, id: string): ChildSpec {
    switch (kind) {
      case 'edge':
        return { id, start: named(names.edge, id, startOf(id)), ...defined({ shutdown: edge[id]?.shutdown }) };
      case 'source':
        return {
          id,
          start: (self) =>
            source(self, id, {
              clock,
              registry: names.sources,
              pulseEveryMs,
              pulse: daemon.pulse,
              recheck: daemon.recheck,
              files: daemon.files,
              openSession: (one, signal) => daemon.requests.sessions.open(one, signal),
            }),
        };
      case 'project':
        return { id, restart: 'transient', start: (self) => project(self, id, projectDeps) };
      default:
        return kind satisfies never;
    }
  }
}

/** A child of the supervisor `edge`. */
interface EdgeChild {
  /** How long its end may take, in ms. Default 5 s. */
  readonly shutdown?: number;
  readonly start: ChildSpec['start'];
  /** Whether the child runs also in a daemon that only serves the control methods. */
  readonly inApiOnly: boolean;
}

/** The children of the supervisor `edge`, by id. To add one is to add its actor and an entry here. */
function edgeChildren(daemon: Daemon, handlers: Handlers): Readonly<Record<string, EdgeChild>> {
  const { clock, names, planning, options } = daemon;
  const { http: served } = options;
  const failed = (error: unknown, method: string): void => options.warn(`${method} failed`, error);
  const log = new AuditLog({
    store: () => daemon.state.store(),
    monotonic: () => clock.monotonic(),
    failed: (error) => options.warn('changes and denied calls are not written to the audit log', error),
  });
  const audit = (made: Audited) => log.note(made);
  return {
    control: {
      inApiOnly: true,
      start: (self) =>
        control(self, {
          path: options.socket,
          handlers,
          failed,
          audit: (made) => void audit({ who: 'local', ...made }),
        }),
    },
    ...(served && {
      http: {
        inApiOnly: true,
        start: (self: Self<HttpMessage>) => http(self, httpDeps(daemon, served, { handlers, audit })),
      },
    }),
    ...(options.queues && {
      scaler: scalerChild(daemon, options.queues),
      alarms: alarmsChild(daemon, options.queues.workers.alarms),
    }),
    reextractor: {
      inApiOnly: true,
      start: (self) => reextractor(self, { registry: names.reextractor, run: daemon.reextract }),
    },
    diagnoser: {
      inApiOnly: false,
      start: (self) =>
        diagnoser(self, {
          registry: names.diagnoser,
          store: daemon.state.store(),
          diagnose: daemon.diagnose,
          lacksRepairs: daemon.lacksRepairs,
        }),
    },
    planner: {
      inApiOnly: false,
      start: (self) => planner(self, { clock, registry: names.planner, ...planning }),
    },
    pipelines: {
      inApiOnly: false,
      start: (self) => pipelines(self, createPipelines(daemon, handlers)),
    },
    figures: {
      inApiOnly: false,
      start: (self) => figures(self, { registry: names.figures, store: daemon.state.store(), ...daemon.figures }),
    },
  };
}

/** The key of the settings that keeps how many worker processes are wanted. */
const scaleKey = 'workers';

const KeptScaleRow = z.object({
  wanted: z.int(),
  limits: z.object({ min: z.int(), max: z.int() }).exactOptional(),
});

function scalerChild(
  { clock, names, state, options }: Daemon,
  queues: NonNullable<DaemonOptions['queues']>,
): EdgeChild {
  return {
    inApiOnly: false,
    shutdown: workerGraceMs + 1_000,
    start: (self: Self<ScalerMessage>) =>
      scaler(self, {
        clock,
        registry: names.scaler,
        settings: queues.workers,
        host: hostname(),
        load: () => KeptScaleRow.safeParse(state.store().settings.get(scaleKey)).data,
        keep: (scale, wanted) =>
          state.unlessFull(() => {
            const { write, settings } = state.store();
            return write(
              (change) => {
                settings.put(scaleKey, scale);
                if (wanted !== undefined) change.tell({ type: 'workers.wanted', data: wanted });
              },
              { durable: true },
            );
          }),
        backlog: state.waiting.backlog,
        seen: () => names.engine.via('engine').ask((reply) => ({ type: 'workers', reply }), Infinity),
        start: queues.start,
        log: (level, what, data) => options.log?.(level, what, data),
      }),
  };
}

function alarmsChild({ clock, names, state }: Daemon, limits: AlarmsDeps['limits']): EdgeChild {
  return {
    inApiOnly: false,
    start: (self) =>
      alarms(self, {
        clock,
        limits,
        backlog: state.waiting.backlog,
        seen: () => names.engine.via('engine').ask((reply) => ({ type: 'workers', reply }), Infinity),
        save: (symptoms) =>
          state.unlessFull(() => {
            const store = state.store();
            return store.write((change) => saveWorkerTrouble(store, change, symptoms));
          }),
      }),
  };
}

/** The methods that are served, and what notes their use. */
interface Served {
  readonly handlers: Handlers;
  /** Returns whether it is kept: denied calls beyond some are only counted. */
  audit(made: Audited): boolean;
}

function httpDeps(
  { clock, names, options, state, ownMetrics, extractRoom }: Daemon,
  { tls, ...place }: NonNullable<Daemon['options']['http']>,
  { handlers, audit }: Served,
): HttpDeps {
  if (ownMetrics === undefined) throw new Error('expected metrics where HTTP is served');
  const { signal } = new AbortController();
  let streams = (): number => 0;
  const read = () =>
    ownMetrics.read({
      now: () => clock.now(),
      status: () => handlers['daemon.status']({}, { signal }),
      store: state.store,
      workers: () => handlers['worker.list']({}, { signal }),
      sinks: () => state.catalogue().sinks.values(),
      isOnline: () => names.engine.whereis('engine') !== undefined,
      prefetched: () => extractRoom.pages,
      streams: () => streams(),
    });
  const info = (what: string): void => options.log?.('info', what, {});
  return {
    ...place,
    ...(tls && { tls: tlsFilesOf(tls, { info, warn: options.warn }) }),
    clock,
    handlers,
    registry: names.http,
    version: options.version,
    prepare: () => makeFirstToken(state.store(), options.data),
    metrics: { contentType: ownMetrics.contentType, read },
    served: ownMetrics.served,
    listens(server) {
      ({ streams } = server);
      info(`the HTTP API is at ${server.url}`);
      options.httpListens?.(server.port);
      // Else the first search would wait for it. A search that finds it unread says why it failed.
      projectIndexOf(state.store())
        .all()
        .catch(() => undefined);
    },
    callerOf: (token) => findToken(state.store(), token),
    subjects: {
      labelsOf: (project) => state.store().projects.get(project)?.labels,
      sourcesOf: (ticket) => state.store().tickets.get(ticket)?.sources,
    },
    logIns: createLogIns(() => state.store()),
    audit(made) {
      if (audit(made)) options.log?.('info', 'audit', { audit: made });
    },
    failed: (error, method) => options.warn(`${method} failed`, error),
  };
}
