import type { PluginSource } from './plugin-file.ts';
import type { Problem } from './problem.ts';
import type { Source } from './source.ts';

/** One source in use. */
export interface LoadedSource {
  readonly source: Source;
  readonly version: string;
  /** The file of its plug-in, where it has one. */
  readonly plugin?: PluginSource;
}

/** What was loaded, as it stands between two reloads. Never changed; a reload makes a new one. */
export interface Catalogue {
  readonly sources: ReadonlyMap<string, LoadedSource>;
  /** What is wrong in the files; a source with problems keeps its last valid version. */
  readonly problems: readonly Problem[];
}

export const emptyCatalogue: Catalogue = { sources: new Map(), problems: [] };

/** Which sources differ between two catalogues, by id. */
export interface CatalogueChange {
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** Puts what was just loaded in place of what was there; a source whose file has problems stays as it was. */
export function replaceCatalogue(
  before: Catalogue,
  loaded: { readonly sources: readonly LoadedSource[]; readonly problems: readonly Problem[] },
  broken: ReadonlySet<string>,
): { readonly catalogue: Catalogue; readonly change: CatalogueChange } {
  const kept = [...before.sources].filter(([id]) => broken.has(id));
  const sources = new Map([...kept, ...loaded.sources.map((each) => [each.source.id, each] as const)]);
  return {
    catalogue: { sources, problems: loaded.problems },
    change: {
      changed: [...sources]
        .filter(([id, { version }]) => before.sources.get(id)?.version !== version)
        .map(([id]) => id),
      removed: [...before.sources.keys()].filter((id) => !sources.has(id)),
    },
  };
}
