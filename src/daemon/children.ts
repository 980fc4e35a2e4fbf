import { startChild, type StartChildResult, terminateChild } from '../actor/management.ts';
import type { ChildSpec, ExitReason } from '../actor/types.ts';
import type { Handlers } from '../control/methods.ts';
import { isFinished } from '../store/commit.ts';
import { inSlices } from '../store/slices.ts';
import { recordCrash, releaseTarget, parkTarget } from '../store/targets.ts';
import type { Names } from '../../supervisors/names.ts';
import { control } from '../../workers/control.ts';
import { planner } from '../../workers/planner.ts';
import { project, type ProjectDeps } from '../../workers/project.ts';
import { type Kind, retryDelayMs } from '../../workers/reconciler.ts';
import { source } from '../../workers/source.ts';
import type { Planning } from './planning.ts';
import type { Scraping } from './scraping.ts';
import type { Sessions } from './sessions.ts';
import type { DaemonState } from './state.ts';

export interface ChildrenDeps {
  readonly state: DaemonState;
  readonly names: Names;
  readonly scraping: Scraping;
  readonly sessions: Sessions;
  readonly planning: Planning;
  readonly handlers: Handlers;
  readonly socket: string;
  readonly pulseEveryMs: number;
  /** Nothing runs but what serves the control methods. */
  readonly apiOnly: boolean;
  random(): number;
  /** Told of an error in a control handler. */
  handlerFailed(error: unknown, method: string): void;
  /** Told when the control socket is open. */
  listens(): void;
  /** Told when the control socket cannot be opened the first time: a daemon that nobody can speak to is none. */
  fatal(reason: ExitReason): void;
}

/** What the reconciler keeps running. */
export interface Children {
  desired(kind: Kind): AsyncIterable<readonly string[]>;
  running(kind: Kind): Iterable<string>;
  isSettled(kind: Kind): boolean;
  start(kind: Kind, id: string): Promise<StartChildResult>;
  stop(kind: Kind, id: string): Promise<void>;
}

export function createChildren(deps: ChildrenDeps): Children {
  const { state, names } = deps;
  const { clock } = state;
  const projectDeps: ProjectDeps = {
    clock,
    registry: names.projects,
    agenda: (id) => deps.scraping.agenda(id),
    scrape: (target, signal, progress) => deps.scraping.scrape(target, signal, progress),
    crashed,
    release: (target) => releaseTarget(state.store(), target).then(() => undefined),
  };
  let listened = false;
  /** How far the commit log reached when all projects were last read, and how many of them should run by that. */
  let read = { commit: -1, active: 0 };
  const registries = { source: names.sources, project: names.projects };

  return {
    async *desired(kind) {
      if (deps.apiOnly) {
        if (kind === 'edge') yield ['control'];
        return;
      }
      switch (kind) {
        case 'edge':
          yield ['control', 'planner'];
          return;
        case 'source':
          yield [...state.catalogue().sources.keys()];
          return;
        case 'project':
          yield* activeProjects();
          return;
        default:
          kind satisfies never;
      }
    },
    running: (kind) => (kind === 'edge' ? [...names.edge.keys(), ...names.planner.keys()] : registries[kind].keys()),
    // To read very many projects takes a good part of a second. Actors of projects come and go by commits, or their number tells.
    isSettled: (kind) =>
      kind === 'project' && state.store().commits.last() === read.commit && names.projects.size === read.active,
    async start(kind, id) {
      const started = await startChild(names.supervisors.via(kind), specOf(kind, id));
      if (kind === 'edge' && id === 'control') listened ||= started.ok === true;
      if (listened) deps.listens();
      if (!listened && started.ok === false && started.code === 'start_failed' && id === 'control' && kind === 'edge')
        deps.fatal(started.reason);
      return started;
    },
    async stop(kind, id) {
      const child = kind === 'edge' ? edgeOf(id) : registries[kind].whereis(id);
      if (child !== undefined) await terminateChild(names.supervisors.via(kind), child);
    },
  };

  function edgeOf(id: string) {
    return id === 'planner' ? names.planner.whereis(id) : names.edge.whereis(id);
  }

  /** What the daemon's default is where the source says nothing; nothing without a pulse. */
  function pulseEveryMs(id: string): number | undefined {
    const pulse = state.catalogue().sources.get(id)?.source.pulse;
    return pulse && (pulse.every ?? deps.pulseEveryMs);
  }

  async function crashed(target: number, error: unknown): Promise<boolean> {
    const store = state.store();
    const message = error instanceof Error ? error.message : String(error);
    const crash = await state.unlessFull(() => recordCrash(store, target, message));
    if (crash === undefined || !crash.ok || !crash.parks) return false;
    const times = (crash.target.parked?.times ?? 0) + 1;
    await parkTarget(store, target, message, clock.now() + retryDelayMs('project', times, deps.random()));
    return true;
  }

  async function* activeProjects(): AsyncGenerator<readonly string[]> {
    const store = state.store();
    const commit = store.commits.last();
    let active = 0;
    for await (const rows of inSlices(store.projects.rowsAfter)) {
      const ids = rows.filter((row) => row.status === 'active' && !isFinished(store, row)).map(({ id }) => id);
      active += ids.length;
      yield ids;
    }
    read = { commit, active };
  }

  function specOf(kind: Kind, id: string): ChildSpec {
    switch (kind) {
      case 'edge':
        if (id === 'planner')
          return { id, start: (self) => planner(self, { clock, registry: names.planner, ...deps.planning }) };
        return {
          id,
          start: (self) => {
            self.register(names.edge, id);
            return control(self, { path: deps.socket, handlers: deps.handlers, failed: deps.handlerFailed });
          },
        };
      case 'source':
        return {
          id,
          start: (self) =>
            source(self, id, {
              clock,
              registry: names.sources,
              pulseEveryMs,
              pulse: (one, signal) => deps.scraping.pulse(one, signal),
              openSession: (one, signal) => deps.sessions.open(one, signal),
            }),
        };
      case 'project':
        return { id, restart: 'transient', start: (self) => project(self, id, projectDeps) };
      default:
        return kind satisfies never;
    }
  }
}
