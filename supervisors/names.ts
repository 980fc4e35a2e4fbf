import type { DynamicSupervisorMessage } from '../src/actor/dynamic-supervisor.ts';
import { Registry } from '../src/actor/registry.ts';
import type { DefinitionsMessage } from '../workers/definitions.ts';
import type { DelivererMessage } from '../workers/deliverer.ts';
import type { DiagnoserMessage } from '../workers/diagnoser.ts';
import type { EngineMessage } from '../workers/engine.ts';
import type { ExtractorsMessage } from '../workers/extractors.ts';
import type { FiguresMessage } from '../workers/figures.ts';
import type { HttpMessage } from '../workers/http.ts';
import type { HostsMessage } from '../workers/hosts.ts';
import type { PlannerMessage } from '../workers/planner.ts';
import type { PipelinesMessage } from '../workers/pipelines.ts';
import type { PluginsMessage } from '../workers/plugins.ts';
import type { ProjectMessage } from '../workers/project.ts';
import type { Kind, ReconcilerMessage } from '../workers/reconciler.ts';
import type { ReextractorMessage } from '../workers/reextractor.ts';
import type { ScalerMessage } from '../workers/scaler.ts';
import type { SourceMessage } from '../workers/source.ts';

/** The actors that can be addressed, by name. An actor is looked up at each use, so that no reference outlives the actor. */
export function createNames() {
  return {
    definitions: new Registry<'definitions', DefinitionsMessage>(),
    hosts: new Registry<'hosts', HostsMessage>(),
    extractors: new Registry<'extractors', ExtractorsMessage>(),
    plugins: new Registry<'plugins', PluginsMessage>(),
    engine: new Registry<'engine', EngineMessage>(),
    reconciler: new Registry<'reconciler', ReconcilerMessage>(),
    /** The children of `edge`, by id; they are addressed through registries of their own, as `planner` is. */
    edge: new Registry<string, never>(),
    planner: new Registry<'planner', PlannerMessage>(),
    diagnoser: new Registry<'diagnoser', DiagnoserMessage>(),
    reextractor: new Registry<'reextractor', ReextractorMessage>(),
    pipelines: new Registry<'pipelines', PipelinesMessage>(),
    scaler: new Registry<'scaler', ScalerMessage>(),
    http: new Registry<'http', HttpMessage>(),
    figures: new Registry<'figures', FiguresMessage>(),
    /** The deliverers, by the id of their sink. */
    sinks: new Registry<string, DelivererMessage>(),
    /** The dynamic supervisors, by the kind of their children. */
    supervisors: new Registry<Kind, DynamicSupervisorMessage>(),
    /** The actors of sources, by the id of the source. */
    sources: new Registry<string, SourceMessage>(),
    /** The actors of projects, by the id of the project. */
    projects: new Registry<string, ProjectMessage>(),
  };
}
/** The registries of a daemon. */
export type Names = ReturnType<typeof createNames>;
