import { describeReason } from '../actor/errors.ts';
import { named } from '../actor/registry.ts';
import { type StartChildResult, startChild, terminateChild } from '../actor/management.ts';
import type { ChildSpec, ExitReason, Self } from '../actor/types.ts';
import type { Handlers } from '../control/methods.ts';
import { targetOffer } from '../request/target-offer.ts';
import { ActiveProjects } from '../store/active-projects.ts';
import { settleTarget } from '../store/targets.ts';
import { type ProjectDeps, project } from '../../workers/project.ts';
import type { Kind } from '../../workers/reconciler.ts';
import { source } from '../../workers/source.ts';
import type { Daemon } from './parts.ts';
import { http, type HttpDeps, type HttpMessage } from '../../workers/http.ts';
import { findToken } from '../store/tokens.ts';
import { makeFirstToken } from './first-token.ts';
import { control } from '../../workers/control.ts';
import { reextractor } from '../../workers/reextractor.ts';
import { diagnoser } from '../../workers/diagnoser.ts';
import { figures } from '../../workers/figures.ts';
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
        return { id, start: named(names.edge, id, startOf(id)) };
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
  readonly start: ChildSpec['start'];
  /** Whether the child runs also in a daemon that only serves the control methods. */
  readonly inApiOnly: boolean;
}

/** The children of the supervisor `edge`, by id. To add one is to add its actor and an entry here. */
function edgeChildren(daemon: Daemon, handlers: Handlers): Readonly<Record<string, EdgeChild>> {
  const { clock, names, planning, options } = daemon;
  const { http: served } = options;
  const failed = (error: unknown, method: string): void => options.warn(`${method} failed`, error);
  return {
    control: {
      inApiOnly: true,
      start: (self) => control(self, { path: options.socket, handlers, failed }),
    },
    ...(served && {
      http: { inApiOnly: true, start: (self: Self<HttpMessage>) => http(self, httpDeps(daemon, served, handlers)) },
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
    figures: {
      inApiOnly: false,
      start: (self) => figures(self, { registry: names.figures, store: daemon.state.store(), ...daemon.figures }),
    },
  };
}

function httpDeps(
  { clock, options, state }: Daemon,
  { port, readOnly }: NonNullable<Daemon['options']['http']>,
  handlers: Handlers,
): HttpDeps {
  return {
    port,
    readOnly,
    clock,
    handlers,
    version: options.version,
    prepare: () => makeFirstToken(state.store(), options.data),
    listens(at) {
      options.log?.('info', `the HTTP API is at http://127.0.0.1:${at}/`, {});
      options.httpListens?.(at);
    },
    callerOf: (token) => findToken(state.store(), token),
    audit: (line) => options.log?.('info', 'audit', { audit: line }),
    failed: (error, method) => options.warn(`${method} failed`, error),
  };
}
