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
import { definitionVersion } from '../src/definition/version.ts';

export type DefinitionsMessage =
  | { readonly type: 'reload'; readonly reply: Reply<CatalogueChange> }
  | { readonly type: 'loaded'; readonly loaded: Loaded; readonly reply: Reply<CatalogueChange> };

type Loaded = Awaited<ReturnType<typeof load>>;

export interface DefinitionsDeps {
  readonly registry: Registry<'definitions', DefinitionsMessage>;
  /** The folder of the definition files. */
  readonly folder: string;
  /** Makes a version durable before anything is scraped by it. */
  keep(sources: readonly LoadedSource[]): Promise<void>;
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
    receive(message) {
      switch (message.type) {
        case 'reload':
          return self.task(
            () => load(deps),
            (loaded) => ({ type: 'loaded', loaded, reply: message.reply }),
          );
        case 'loaded':
          return publish(message.loaded).then(message.reply);
        default:
          return message satisfies never;
      }
    },
  };

  async function publish({ sources, problems, broken }: Loaded): Promise<CatalogueChange> {
    const replaced = replaceCatalogue(catalogue, { sources, problems }, broken);
    await deps.keep(sources);
    catalogue = replaced.catalogue;
    deps.published(catalogue, replaced.change);
    return replaced.change;
  }
}

async function load({ folder }: DefinitionsDeps) {
  const { sources, problems } = await loadSources(folder);
  return {
    sources: sources.map((source): LoadedSource => ({ source, version: definitionVersion(source) })),
    problems,
    broken: new Set(problems.map(({ file }) => sourceIdOf(file))),
  };
}

/** A source's id is its file's name. */
function sourceIdOf(file: string): string {
  return file.replace(/^.*[/\\]/, '').replace(/\.ya?ml$/, '');
}
