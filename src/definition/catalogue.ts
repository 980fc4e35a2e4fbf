import type { Pipeline } from './pipeline.ts';
import type { PluginSource } from './plugin-file.ts';
import type { Problem } from './problem.ts';
import type { Link, SharedType } from './shared-type.ts';
import type { Sink } from './sink.ts';
import type { Source } from './source.ts';

/** One source in use. */
export interface LoadedSource {
  readonly source: Source;
  readonly version: string;
  /** The file of its plug-in, where it has one. */
  readonly plugin?: PluginSource;
  /** The file of the program that collects it, where one does. */
  readonly program?: PluginSource;
}

/** A source that a program collects. */
export type ProgramSource = LoadedSource & { readonly program: PluginSource };

/** Whether a program collects a source. */
export function hasCollector(loaded: LoadedSource): loaded is ProgramSource {
  return loaded.program !== undefined;
}

/** A source with a plug-in. */
export type PluggedSource = LoadedSource & { readonly plugin: PluginSource };

/** Whether a source has a plug-in. */
export function isPlugged(loaded: LoadedSource): loaded is PluggedSource {
  return loaded.plugin !== undefined;
}

/** A version of a source as the store keeps it: the definition with the text of its plug-in or program. */
export type NormalForm = Source & { readonly pluginText?: string };

/** The version of a source as the store keeps it. */
export function normalForm({ source, plugin, program }: LoadedSource): NormalForm {
  const file = plugin ?? program;
  return file === undefined ? source : { ...source, pluginText: file.source };
}

/** The sources in use between two reloads. Never changed; a reload makes a new catalogue. */
export interface Catalogue {
  readonly sources: ReadonlyMap<string, LoadedSource>;
  /** The types that records of sources say they are, by id. */
  readonly types: ReadonlyMap<string, SharedType>;
  /** The sinks by id. */
  readonly sinks: ReadonlyMap<string, Sink>;
  /** The pipelines by id. */
  readonly pipelines: ReadonlyMap<string, Pipeline>;
  /** Problems of the files; a source with problems keeps its last valid version. */
  readonly problems: readonly Problem[];
}

/** The shared type of each record type of a source, by the name of the record type, with the link rules of the type. */
export function typeRules(
  { types }: Pick<Catalogue, 'types'>,
  { source }: LoadedSource,
): ReadonlyMap<string, { readonly type: string; readonly link: Link }> {
  const named = Object.entries(source.records).flatMap(([name, { is }]) =>
    is === undefined ? [] : [[name, is] as const],
  );
  return new Map(named.map(([name, type]) => [name, { type, link: types.get(type)?.link ?? [] }]));
}

/** The catalogue before anything was loaded. */
export const emptyCatalogue: Catalogue = {
  sources: new Map(),
  types: new Map(),
  sinks: new Map(),
  pipelines: new Map(),
  problems: [],
};

/** Which sources differ between two catalogues, by id. */
export interface CatalogueChange {
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** Makes the catalogue of what was just loaded; a source whose file has problems stays as it was. */
export function replaceCatalogue(
  before: Catalogue,
  loaded: Omit<Catalogue, 'sources'> & { readonly sources: readonly LoadedSource[] },
  broken: ReadonlySet<string>,
): { readonly catalogue: Catalogue; readonly change: CatalogueChange } {
  const kept = [...before.sources].filter(([id]) => broken.has(id));
  const sources = new Map([...kept, ...loaded.sources.map((each) => [each.source.id, each] as const)]);
  return {
    catalogue: { ...loaded, sources },
    change: {
      changed: [...sources]
        .filter(([id, { version }]) => before.sources.get(id)?.version !== version)
        .map(([id]) => id),
      removed: [...before.sources.keys()].filter((id) => !sources.has(id)),
    },
  };
}
