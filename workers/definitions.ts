import { join } from 'node:path';
import type { Registry } from '../src/actor/registry.ts';
import type { Behaviour, Reply, Self } from '../src/actor/types.ts';
import {
  type Catalogue,
  type CatalogueChange,
  emptyCatalogue,
  type LoadedSource,
  replaceCatalogue,
} from '../src/definition/catalogue.ts';
import { fitting, loadSources, loadTypes, withPlugins } from '../src/definition/load.ts';
import { type Problem, sourceIdOf } from '../src/definition/problem.ts';
import { definitionVersion, type Source } from '../src/definition/source.ts';

/** Asks to read the definition files again. The reply says which sources changed. */
export interface DefinitionsMessage {
  readonly type: 'reload';
  /** Removes also sources that are in use. */
  readonly force: boolean;
  readonly reply: Reply<CatalogueChange>;
}

type Loaded = Awaited<ReturnType<typeof load>>;

/** Where definitions are, and who is told of them. */
export interface DefinitionsDeps {
  readonly registry: Registry<'definitions', DefinitionsMessage>;
  /** The folder of the definition files. */
  readonly folder: string;
  /** The folder of the plug-ins that definitions name. */
  readonly plugins: string;
  /** Sources without a file, which come with the program. */
  readonly builtIn: readonly Source[];
  /** What uses a source, as part of a sentence; `undefined` where nothing does. */
  usersOf(source: string): string | undefined;
  /** Stores new versions durably before any scrape uses them, and drops those of removed sources. */
  keep(sources: readonly LoadedSource[], removed: readonly string[]): Promise<void>;
  /** Called with each new catalogue and with what it changed. */
  published(catalogue: Catalogue, change: CatalogueChange): void;
}

/**
 * Owns the loaded definitions. A source whose file has problems, or is gone while targets use it, keeps its last good version, as does a
 * type whose file has problems; other files are loaded all the same. Its start fails where `keep` rejects.
 */
export async function definitions(
  self: Self<DefinitionsMessage>,
  deps: DefinitionsDeps,
): Promise<Behaviour<DefinitionsMessage>> {
  self.register(deps.registry, 'definitions');
  let catalogue = emptyCatalogue;
  await publish(await load(deps, catalogue), false);

  return {
    // One reload at a time, so that the files that were read last are in force.
    receive: async ({ force, reply }) => reply(await publish(await load(deps, catalogue), force)),
  };

  async function publish({ sources, types, problems, broken }: Loaded, force: boolean): Promise<CatalogueChange> {
    const lost = force ? [] : lostProblems(sources, broken);
    const stays = new Set([...broken, ...lost.flatMap((problem) => sourceIdOf(problem) ?? [])]);
    const replaced = replaceCatalogue(catalogue, { sources, types, problems: [...problems, ...lost] }, stays);
    await deps.keep(sources, replaced.change.removed);
    catalogue = replaced.catalogue;
    deps.published(catalogue, replaced.change);
    return replaced.change;
  }

  /** The problems of sources whose file is gone while targets use them. */
  function lostProblems(sources: readonly LoadedSource[], broken: ReadonlySet<string>): Problem[] {
    const there = new Set([...broken, ...sources.map(({ source }) => source.id)]);
    return [...catalogue.sources.keys()].flatMap((id) => {
      const users = there.has(id) ? undefined : deps.usersOf(id);
      if (users === undefined) return [];
      const message = `the file is gone, but ${users}: it stays as it was loaded, unless the reload is forced`;
      return [{ file: join(deps.folder, `${id}.yaml`), line: 1, column: 1, path: '', message }];
    });
  }
}

async function load({ folder, plugins, builtIn }: DefinitionsDeps, before: Catalogue) {
  const read = await loadTypes(folder);
  const kept = [...before.types].filter(([id]) => read.broken.has(id));
  const types = new Map([...read.types, ...kept]);
  const fit = await fitting(await loadSources(folder), { types, broken: read.broken }, folder);
  const { sources, problems } = await withPlugins(fit, { folder, plugins });
  return {
    sources: [...builtIn.map((source) => ({ source, version: definitionVersion(source) })), ...sources],
    types,
    problems: [...read.problems, ...problems],
    broken: new Set(problems.flatMap((problem) => sourceIdOf(problem) ?? [])),
  };
}
