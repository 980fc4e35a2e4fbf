import { named } from '../src/actor/registry.ts';
import { supervisor, type SupervisorMessage } from '../src/actor/supervisor.ts';
import { dynamicSupervisor, type DynamicSupervisorMessage } from '../src/actor/dynamic-supervisor.ts';
import type { Actor, ExitReason } from '../src/actor/types.ts';
import { definitions, type DefinitionsDeps } from '../workers/definitions.ts';
import { engine, type EngineDeps } from '../workers/engine.ts';
import { extractors, type ExtractorsDeps } from '../workers/extractors.ts';
import { hosts, type HostsDeps } from '../workers/hosts.ts';
import { plugins, type PluginsDeps } from '../workers/plugins.ts';
import { type Kind, reconciler, type ReconcilerDeps } from '../workers/reconciler.ts';
import { store, type StoreDeps } from '../workers/store.ts';
import type { Names } from './names.ts';

/** The dependencies of each child of the root. */
export interface RootDeps {
  readonly names: Names;
  readonly store: StoreDeps;
  readonly definitions: DefinitionsDeps;
  readonly hosts: HostsDeps;
  readonly extractors: ExtractorsDeps;
  readonly plugins: PluginsDeps;
  readonly engine: EngineDeps;
  /** Called when a child that the reconciler started exceeds its restart intensity and is given up. */
  gaveUp(kind: Kind, id: string, reason: ExitReason): void;
  readonly reconciler: ReconcilerDeps;
}

/** The whole daemon. A child may rely on every child above it, so a crash also restarts what stands below. */
export function root(deps: RootDeps): Actor<SupervisorMessage> {
  const { names } = deps;
  return supervisor({
    strategy: 'rest_for_one',
    intensity: 5,
    periodMs: 30_000,
    children: [
      { id: 'store', start: (self) => store(self, deps.store), shutdown: 10_000 },
      { id: 'definitions', start: (self) => definitions(self, deps.definitions) },
      { id: 'hosts', start: (self) => hosts(self, deps.hosts) },
      { id: 'extractors', start: (self) => extractors(self, deps.extractors) },
      { id: 'plugins', start: (self) => plugins(self, deps.plugins) },
      { id: 'engine', start: (self) => engine(self, deps.engine), shutdown: 15_000 },
      {
        id: 'sources',
        start: named(names.supervisors, 'source', adopting('source')),
        type: 'supervisor',
      },
      {
        id: 'projects',
        start: named(names.supervisors, 'project', adopting('project')),
        type: 'supervisor',
        shutdown: 30_000,
      },
      { id: 'edge', start: named(names.supervisors, 'edge', adopting('edge')), type: 'supervisor' },
      { id: 'reconciler', start: (self) => reconciler(self, deps.reconciler) },
    ],
  });

  /** Supervises the children of one kind that the reconciler starts. Each child may restart 3 times in 5 s; with one more it is given up. */
  function adopting(kind: Kind): Actor<DynamicSupervisorMessage> {
    return dynamicSupervisor({
      budget: 'per_child',
      intensity: 3,
      periodMs: 5_000,
      gaveUp: (spec, reason) => deps.gaveUp(kind, spec.id, reason),
    });
  }
}
