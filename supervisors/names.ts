import type { DynamicSupervisorMessage } from '../src/actor/dynamic-supervisor.ts';
import { Registry } from '../src/actor/registry.ts';
import type { ControlMessage } from '../workers/control.ts';
import type { DefinitionsMessage } from '../workers/definitions.ts';
import type { EngineMessage } from '../workers/engine.ts';
import type { ExtractorsMessage } from '../workers/extractors.ts';
import type { HostsMessage } from '../workers/hosts.ts';
import type { PlannerMessage } from '../workers/planner.ts';
import type { PluginsMessage } from '../workers/plugins.ts';
import type { ProjectMessage } from '../workers/project.ts';
import type { Kind, ReconcilerMessage } from '../workers/reconciler.ts';
import type { SourceMessage } from '../workers/source.ts';

/** Who can be addressed, and by what: actors are looked up at each use, so that nobody keeps one past its life. */
export function createNames() {
  return {
    definitions: new Registry<'definitions', DefinitionsMessage>(),
    hosts: new Registry<'hosts', HostsMessage>(),
    extractors: new Registry<'extractors', ExtractorsMessage>(),
    plugins: new Registry<'plugins', PluginsMessage>(),
    engine: new Registry<'engine', EngineMessage>(),
    reconciler: new Registry<'reconciler', ReconcilerMessage>(),
    edge: new Registry<string, ControlMessage>(),
    planner: new Registry<'planner', PlannerMessage>(),
    /** The dynamic supervisors, by what they take in. */
    supervisors: new Registry<Kind, DynamicSupervisorMessage>(),
    /** By the source's id. */
    sources: new Registry<string, SourceMessage>(),
    /** By the project's id. */
    projects: new Registry<string, ProjectMessage>(),
  };
}
export type Names = ReturnType<typeof createNames>;
