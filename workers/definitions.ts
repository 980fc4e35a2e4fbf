import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Registry } from '../src/actor/registry.ts';
import type { Behaviour, Reply, Self } from '../src/actor/types.ts';
import {
  type Catalogue,
  type CatalogueChange,
  emptyCatalogue,
  type LoadedSource,
  replaceCatalogue,
} from '../src/definition/catalogue.ts';
import { definitionIn } from '../src/definition/file.ts';
import { copyDefinition, hasDefinition, removeDefinition } from '../src/definition/rename.ts';
import { losesAll } from '../src/reextraction/replay.ts';
import {
  type DefinitionRepair,
  repairDefinition,
  type RepairedDefinition,
} from '../src/definition/repair-definition.ts';
import type { SourceRename } from '../src/store/rename-source.ts';
import {
  guardedIssues,
  type DefinitionSave,
  saveDefinition,
  type SavedDefinition,
} from '../src/definition/save-definition.ts';
import { typeIssues } from '../src/definition/shared-type.ts';
import { fitting, loadPipelines, loadSinks, loadSources, loadTypes, withPlugins } from '../src/definition/load.ts';
import { type Problem, sourceIdOf } from '../src/definition/problem.ts';
import { definitionVersion, type Source } from '../src/definition/source.ts';
import type { Issue } from '../src/schema/expected.ts';
import type { ReplayView } from '../src/view/replay.ts';

/** The messages of the definitions. */
export type DefinitionsMessage =
  /** Asks to read the definition files again. The reply says which sources changed. */
  | {
      readonly type: 'reload';
      /** Removes also sources that are in use, and takes versions that read nothing from kept pages. */
      readonly force: boolean;
      /** Whether nothing is taken: the reply says what would be. */
      readonly dry: boolean;
      readonly reply: Reply<Reloaded>;
    }
  /** Asks to change rules in the file of a definition, and to load it. */
  | { readonly type: 'repair'; readonly repair: DefinitionRepair; readonly reply: Reply<RepairedDefinition> }
  /** Asks to give the file of a definition another text, or to write a new one, and to load it. */
  | { readonly type: 'save'; readonly save: DefinitionSave; readonly reply: Reply<SavedDefinition> }
  /** Asks to give a source another id, with its file and all that is stored of it. */
  | { readonly type: 'rename'; readonly rename: SourceRename; readonly reply: Reply<Renamed> };

/** The result of a reload: which sources changed, the problems of the files, and how versions that changed read kept pages. */
export interface Reloaded extends CatalogueChange {
  readonly problems: readonly Problem[];
  readonly replays: readonly ReplayView[];
}

/** The result of a rename: `not_found` and `conflict` speak of the sources, `failed` of their files. */
export type Renamed =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: 'not_found' | 'conflict' | 'failed'; readonly message: string };

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
  /** What makes another definition of a source unfit for what is tracked on it. */
  unfitIssues(source: Source): readonly Issue[];
  /** Reads kept pages by the versions in use and by other ones; empty where that cannot be done. */
  replay(inUse: Catalogue, loaded: readonly LoadedSource[], signal: AbortSignal): Promise<readonly ReplayView[]>;
  /**
   * Stores the versions and types of a catalogue durably before any scrape uses them, drops those of removed sources, and tells how the
   * versions that changed read kept pages.
   */
  keep(catalogue: Catalogue, removed: readonly string[], replays: readonly ReplayView[]): Promise<void>;
  /** The rename that was noted and is not over, as after the end of a daemon that was killed. */
  notedRename(): SourceRename | undefined;
  /** Notes on disk that a rename is about to begin, or (`undefined`) that nothing came of it. */
  noteRename(rename: SourceRename | undefined): Promise<unknown>;
  /** Gives all that is stored of a source another id, durably, which ends the noted rename. */
  renameSource(rename: SourceRename): Promise<void>;
  /** Whether anything is stored of a source. */
  isStored(source: string): boolean;
  /** Called with each new catalogue and with what it changed. */
  published(catalogue: Catalogue, change: CatalogueChange): void;
}

/**
 * Owns the loaded definitions. A source whose file has problems, or is gone while targets use it, keeps its last good version, as does a
 * type, sink or pipeline whose file has problems; other files are loaded all the same. Its start fails where `keep` rejects.
 */
export async function definitions(
  self: Self<DefinitionsMessage>,
  deps: DefinitionsDeps,
): Promise<Behaviour<DefinitionsMessage>> {
  self.register(deps.registry, 'definitions');
  let catalogue = emptyCatalogue;
  await endNotedRename();
  await reload({ force: false, dry: false });

  return {
    // One message at a time, so that the files that were read last are in force.
    async receive(message) {
      switch (message.type) {
        case 'reload':
          return message.reply(await reload(message));
        case 'repair':
          return message.reply(await repair(message.repair));
        case 'save':
          return message.reply(await save(message.save));
        case 'rename':
          return message.reply(await rename(message.rename));
        default:
          return message satisfies never;
      }
    },
  };

  async function repair(wanted: DefinitionRepair): Promise<RepairedDefinition> {
    const result = await repairDefinition(deps.folder, wanted);
    if (!result.ok || wanted.dryRun) return result;
    const problem = await loadWritten(wanted.source);
    if (problem === undefined && catalogue.sources.get(wanted.source)?.version !== wanted.version) return result;
    await result.undo();
    await loadWritten(wanted.source);
    return { ok: false, message: `${result.file}: ${problem?.message ?? 'no rule would change'}` };
  }

  async function save(wanted: DefinitionSave): Promise<SavedDefinition> {
    const types = { types: catalogue.types, broken: new Set<string>() };
    const result = await saveDefinition(deps.folder, wanted, (source) => [
      ...typeIssues(source, types),
      ...guardedIssues(source, catalogue.sources.get(source.id)?.source),
      ...(catalogue.sources.has(source.id) ? deps.unfitIssues(source) : []),
    ]);
    if (!result.ok || wanted.dryRun) return result;
    const problem = await loadWritten(wanted.source);
    if (problem === undefined) return result;
    await result.undo();
    await loadWritten(wanted.source);
    return { ok: false, code: 'invalid', problems: [problem] };
  }

  /** Loads the file of one source. Returns its first problem, for which what was in use stays. */
  async function loadWritten(source: string): Promise<Problem | undefined> {
    await reload({ force: false, dry: false, only: source });
    return catalogue.problems.find((each) => sourceIdOf(each) === source);
  }

  async function rename(wanted: SourceRename): Promise<Renamed> {
    const { folder } = deps;
    const { from, to } = wanted;
    const refusal = refusalOf(wanted);
    if (refusal !== undefined) return refusal;
    await deps.noteRename(wanted);
    const written = await copyDefinition(folder, from, to);
    const removed = written.ok ? await removeDefinition(folder, from) : written;
    if (!removed.ok) {
      if (written.ok) await removeDefinition(folder, to);
      await deps.noteRename(undefined);
      return { ok: false, code: 'failed', message: removed.message };
    }
    await deps.renameSource(wanted);
    await reload({ force: false, dry: false });
    return { ok: true };
  }

  function refusalOf({ from, to }: SourceRename): Extract<Renamed, { readonly ok: false }> | undefined {
    const { folder } = deps;
    if (!catalogue.sources.has(from) || deps.builtIn.some(({ id }) => id === from) || !hasDefinition(folder, from))
      return { ok: false, code: 'not_found', message: `no source "${from}" with a file of its own is loaded` };
    if (catalogue.sources.has(to) || hasDefinition(folder, to))
      return { ok: false, code: 'conflict', message: `source "${to}" exists already` };
    if (deps.isStored(to))
      return { ok: false, code: 'conflict', message: `source "${to}" has no definition, but targets or records` };
    return undefined;
  }

  /** Ends a rename that a killed daemon had begun: once the new file is there, it is made whole; before that, nothing has come of it. */
  async function endNotedRename(): Promise<void> {
    const noted = deps.notedRename();
    if (noted === undefined) return;
    if (!hasDefinition(deps.folder, noted.to)) {
      await deps.noteRename(undefined);
      return;
    }
    await removeDefinition(deps.folder, noted.from);
    await deps.renameSource(noted);
  }

  /** Reads the files again. With `only`, what was loaded of all but that source stays. */
  async function reload({
    force,
    dry,
    only,
  }: {
    readonly force: boolean;
    readonly dry: boolean;
    readonly only?: string;
  }): Promise<Reloaded> {
    const read = await load(deps, catalogue);
    const { sources, problems, broken, ...others } = only === undefined ? read : onlyOf(only, catalogue, read);
    const replays = await deps.replay(catalogue, sources, self.signal);
    const kept = force ? [] : [...lostProblems(sources, broken), ...emptyProblems(replays)];
    const stays = new Set([...broken, ...kept.flatMap((problem) => sourceIdOf(problem) ?? [])]);
    const files = { ...others, sources: sources.filter(({ source }) => !stays.has(source.id)) };
    const replaced = replaceCatalogue(catalogue, { ...files, problems: [...problems, ...kept] }, stays);
    const changed = changedIn(catalogue, replaced.catalogue);
    const found = { ...replaced.change, changed, problems: replaced.catalogue.problems, replays };
    if (dry) return found;
    const taken = replays.filter(({ source }) => replaced.change.changed.includes(source));
    await deps.keep(replaced.catalogue, replaced.change.removed, taken);
    catalogue = replaced.catalogue;
    deps.published(catalogue, replaced.change);
    return found;
  }

  /** The problems of versions that would lose all records of the pages that are kept, or all of a type on its lists or on the pages of its items. */
  function emptyProblems(replays: readonly ReplayView[]): Problem[] {
    return replays.flatMap((replay) => {
      const { source, before, pages, emptied: [first] = [] } = replay;
      if (!losesAll(replay) && first === undefined) return [];
      const what =
        losesAll(replay) || first === undefined
          ? `a record of the kept pages: the one in use reads ${before} on ${pages} of them`
          : `a record "${first.type}" of the kept pages${first.ofItems ? ' of its items' : ''}: the one in use reads ${first.before} there`;
      const message = `expected a version that reads ${what}, and stays, unless the reload is forced`;
      return { file: definitionIn(deps.folder, source), line: 1, column: 1, path: '', message };
    });
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

/** The sources that are defined otherwise than before, also where that does not change what is read, as with another `expect`. */
function changedIn(before: Catalogue, { sources }: Catalogue): string[] {
  return [...sources].flatMap(([id, { source, version }]) => {
    const known = before.sources.get(id);
    return known?.version === version && isDeepStrictEqual(known.source, source) ? [] : [id];
  });
}

type Loaded = Awaited<ReturnType<typeof load>>;

/** What is loaded where the file of one source alone is read again. */
function onlyOf(id: string, { sources, types, sinks, pipelines, problems }: Catalogue, read: Loaded): Loaded {
  const isOwn = (problem: Problem): boolean => sourceIdOf(problem) === id;
  const own = read.sources.filter(({ source }) => source.id === id);
  return {
    sources: [...[...sources.values()].filter(({ source }) => source.id !== id), ...own],
    types: new Map(types),
    sinks: new Map(sinks),
    pipelines: new Map(pipelines),
    problems: [...problems.filter((problem) => !isOwn(problem)), ...read.problems.filter(isOwn)],
    broken: new Set(read.broken.has(id) ? [id] : []),
  };
}

async function load({ folder, plugins, builtIn, unfitIssues }: DefinitionsDeps, before: Catalogue) {
  const read = await loadTypes(folder);
  const kept = [...before.types].filter(([id]) => read.broken.has(id));
  const types = new Map([...read.types, ...kept]);
  const sinks = await loadSinks(folder);
  const keptSinks = [...before.sinks].filter(([id]) => sinks.broken.has(id));
  const pipelines = await loadPipelines(folder);
  const keptPipelines = [...before.pipelines].filter(([id]) => pipelines.broken.has(id));
  // There is none to keep in place of a first one.
  const isOther = (source: Source): boolean => {
    const known = before.sources.get(source.id)?.source;
    return known !== undefined && !isDeepStrictEqual(known, source);
  };
  const fit = await fitting(await loadSources(folder), { types, broken: read.broken }, folder, (source) =>
    isOther(source) ? unfitIssues(source) : [],
  );
  const { sources, problems } = await withPlugins(fit, { folder, plugins });
  return {
    sources: [...builtIn.map((source) => ({ source, version: definitionVersion(source) })), ...sources],
    types,
    sinks: new Map([...sinks.sinks, ...keptSinks]),
    pipelines: new Map([...pipelines.pipelines, ...keptPipelines]),
    problems: [...read.problems, ...sinks.problems, ...pipelines.problems, ...problems],
    broken: new Set(problems.flatMap((problem) => sourceIdOf(problem) ?? [])),
  };
}
