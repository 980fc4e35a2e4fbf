import type { Registry } from '../src/actor/registry.ts';
import type { Behaviour, Reply, Self } from '../src/actor/types.ts';
import {
  type Catalogue,
  type CatalogueChange,
  emptyCatalogue,
  type LoadedSource,
  replaceCatalogue,
} from '../src/definition/catalogue.ts';
import { loadSources } from '../src/definition/load.ts';
import { withPlugins } from '../src/definition/load-plugins.ts';

export interface DefinitionsMessage {
  readonly type: 'reload';
  readonly reply: Reply<CatalogueChange>;
}

type Loaded = Awaited<ReturnType<typeof load>>;

export interface DefinitionsDeps {
  readonly registry: Registry<'definitions', DefinitionsMessage>;
  /** The folder of the definition files. */
  readonly folder: string;
  /** The folder of the plug-ins that they name. */
  readonly plugins: string;
  /** Makes versions durable before anything is scraped by them, and that sources have none any more. */
  keep(sources: readonly LoadedSource[], removed: readonly string[]): Promise<void>;
  /** Told of each new catalogue; readers see it from then on. */
  published(catalogue: Catalogue, change: CatalogueChange): void;
}

/** Owns what was loaded from the definition files. A file with problems hides no other, and keeps the version it had. */
export async function definitions(
  self: Self<DefinitionsMessage>,
  deps: DefinitionsDeps,
): Promise<Behaviour<DefinitionsMessage>> {
  self.register(deps.registry, 'definitions');
  let catalogue = emptyCatalogue;
  await publish(await load(deps));

  return {
    // One reload at a time, so that what was read last is what counts.
    receive: async ({ reply }) => reply(await publish(await load(deps))),
  };

  async function publish({ sources, problems, broken }: Loaded): Promise<CatalogueChange> {
    const replaced = replaceCatalogue(catalogue, { sources, problems }, broken);
    await deps.keep(sources, replaced.change.removed);
    catalogue = replaced.catalogue;
    deps.published(catalogue, replaced.change);
    return replaced.change;
  }
}

async function load({ folder, plugins }: DefinitionsDeps) {
  const { sources, problems } = await withPlugins(await loadSources(folder), { folder, plugins });
  return {
    sources,
    problems,
    broken: new Set(problems.map(({ file }) => sourceIdOf(file))),
  };
}

/** A source's id is its file's name. */
function sourceIdOf(file: string): string {
  return file.replace(/^.*[/\\]/, '').replace(/\.ya?ml$/, '');
}
