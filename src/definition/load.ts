import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import type { LoadedSource } from './catalogue.ts';
import { type ReadPlugin, readPlugin } from './plugin-file.ts';
import { programOf } from './collect.ts';
import { DaemonConfig } from './daemon.ts';
import { pageId } from './page.ts';
import { Pipeline } from './pipeline.ts';
import { pipelinesName, type Problem, sinksName, typesName } from './problem.ts';
import { load, type Loaded, parse, problemOf, problemsIn } from './load-file.ts';
import { hasPlugin, hasProgram } from './plugin.ts';
import { referenceIssues } from './reference.ts';
import type { Issue } from '../schema/expected.ts';
import { scheduleOf } from '../schedule/levels.ts';
import { isMapping } from '../schema/mapping.ts';
import { confirmIssues } from './confirm-issues.ts';
import { definitionIn, unreadable } from './file.ts';
import { type KnownTypes, SharedType, typeIssues } from './shared-type.ts';
import { Sink } from './sink.ts';
import { definitionVersion, Source, SourceWithPlugin } from './source.ts';

/** The valid sources of a folder, in the order of their files' names, and the problems of the other files. */
export interface LoadedSources {
  readonly sources: readonly Source[];
  readonly problems: readonly Problem[];
}

/** Loads every `.yaml` and `.yml` file of a folder, one source each. */
export async function loadSources(folder: string): Promise<LoadedSources> {
  const { found, problems } = await loadEach(folder, 'source', loadSource);
  return { sources: [...found.values()], problems };
}

/** The types of a folder, and the problems of its files. */
export interface LoadedTypes extends KnownTypes {
  readonly problems: readonly Problem[];
}

/** Loads the types from the folder beside that of the definitions; there need be none. */
export async function loadTypes(sourcesFolder: string): Promise<LoadedTypes> {
  const { found, problems } = await loadBeside(sourcesFolder, typesName, 'type', loadType);
  return { types: found, broken: new Set(problems.map(({ file }) => idOf(file))), problems };
}

/** The sinks of a folder, and the problems of its files. */
export interface LoadedSinks {
  readonly sinks: ReadonlyMap<string, Sink>;
  /** The sinks whose files have problems. */
  readonly broken: ReadonlySet<string>;
  readonly problems: readonly Problem[];
}

/** Loads the sinks from the folder beside that of the definitions; there need be none. */
export async function loadSinks(sourcesFolder: string): Promise<LoadedSinks> {
  const { found, problems } = await loadBeside(sourcesFolder, sinksName, 'sink', loadSink);
  return { sinks: found, broken: new Set(problems.map(({ file }) => idOf(file))), problems };
}

/** The pipelines of a folder, and the problems of its files. */
export interface LoadedPipelines {
  readonly pipelines: ReadonlyMap<string, Pipeline>;
  /** The pipelines whose files have problems. */
  readonly broken: ReadonlySet<string>;
  readonly problems: readonly Problem[];
}

/** Loads the pipelines from the folder beside that of the definitions; there need be none. */
export async function loadPipelines(sourcesFolder: string): Promise<LoadedPipelines> {
  const { found, problems } = await loadBeside(sourcesFolder, pipelinesName, 'pipeline', loadPipeline);
  return { pipelines: found, broken: new Set(problems.map(({ file }) => idOf(file))), problems };
}

/** Loads each file of a folder beside that of the definitions. */
async function loadBeside<T extends { readonly id: string }>(
  sourcesFolder: string,
  name: string,
  what: string,
  loadOne: (file: string) => Promise<Loaded<T>>,
): ReturnType<typeof loadEach<T>> {
  const folder = join(dirname(sourcesFolder), name);
  if (folder === sourcesFolder) {
    const message = `expected another name for the folder of definitions, as "${name}" is that of ${what}s`;
    return { found: new Map(), problems: [problemOf(folder, message)] };
  }
  if (!existsSync(folder)) return { found: new Map(), problems: [] };
  return loadEach(folder, what, loadOne);
}

async function loadEach<T extends { readonly id: string }>(
  folder: string,
  what: string,
  loadOne: (file: string) => Promise<Loaded<T>>,
): Promise<{ readonly found: ReadonlyMap<string, T>; readonly problems: readonly Problem[] }> {
  const listed = await filesOf(folder);
  if (!listed.ok) return { found: new Map(), problems: listed.problems };
  const found = new Map<string, T>();
  const problems: Problem[] = [];
  // One after the other, so that no number of files is too many to be open at once.
  for (const name of listed.value) {
    const file = join(folder, name);
    const loaded = await loadOne(file);
    if (!loaded.ok) problems.push(...loaded.problems);
    else if (found.has(loaded.value.id))
      problems.push(problemOf(file, `expected one file for ${what} "${loaded.value.id}", got another`));
    else found.set(loaded.value.id, loaded.value);
  }
  return { found, problems };
}

/** Loads one source; its id must be the name of its file. */
export function loadSource(file: string): Promise<Loaded<Source>> {
  return load(file, (text) => parseSource(text, file));
}

/** Loads one type; its id must be the name of its file. */
export function loadType(file: string): Promise<Loaded<SharedType>> {
  return load(file, (text) => parseType(text, file));
}

/** Loads one sink; its id must be the name of its file. */
export function loadSink(file: string): Promise<Loaded<Sink>> {
  return load(file, (text) => parse(text, file, () => Sink, { check: (value) => idIssues(value, idOf(file)) }));
}

/** Loads one pipeline; its id must be the name of its file. */
export function loadPipeline(file: string): Promise<Loaded<Pipeline>> {
  return load(file, (text) => parse(text, file, () => Pipeline, { check: (value) => idIssues(value, idOf(file)) }));
}

/** Reads the text of a type's file; `file` gives the name that its id must have. */
export function parseType(text: string, file: string): Loaded<SharedType> {
  return parse(text, file, () => SharedType, { check: (value) => idIssues(value, idOf(file)) });
}

/**
 * Leaves out the sources with records that are not of the types that they say they are, and adds why to the problems.
 *
 * @param issuesOf - finds what else makes a source unfit. Default: nothing.
 */
export async function fitting(
  { sources, problems }: LoadedSources,
  types: KnownTypes,
  folder: string,
  issuesOf: (source: Source) => readonly Issue[] = () => [],
): Promise<LoadedSources> {
  const fit: Source[] = [];
  const found: Problem[] = [...problems];
  for (const source of sources) {
    const issues = [...typeIssues(source, types), ...issuesOf(source)];
    if (issues.length === 0) fit.push(source);
    else found.push(...(await problemsIn(definitionIn(folder, source.id), issues)));
  }
  return { sources: fit, problems: found };
}

/** Loads the daemon's configuration. */
export function loadDaemon(file: string): Promise<Loaded<DaemonConfig>> {
  // An empty file, or one of comments alone, asks for the defaults.
  return load(file, (text) => parse(text, file, () => DaemonConfig, { empty: {} }));
}

/** Reads the text of a source's file; `file` gives the name that its id must have. */
export function parseSource(text: string, file: string): Loaded<Source> {
  return parse(text, file, (value) => (hasPlugin(value) || hasProgram(value) ? SourceWithPlugin : Source), {
    check: (value) => [...sourceIdIssues(value, idOf(file)), ...referenceIssues(value)],
    checkParsed: (source) => [...confirmIssues(source, scheduleOf([source], Date.now()))],
  });
}

/** Returns the id that a file's name stands for. */
function idOf(file: string): string {
  return basename(file, extname(file));
}

function sourceIdIssues(value: unknown, expected: string): Issue[] {
  if (!isMapping(value) || value['id'] !== pageId) return idIssues(value, expected);
  return [{ path: ['id'], message: `expected another name than "${pageId}", which is that of the built-in source` }];
}

function idIssues(value: unknown, expected: string): Issue[] {
  const id = isMapping(value) ? value['id'] : undefined;
  return typeof id !== 'string' || id === expected
    ? []
    : [{ path: ['id'], message: `expected the name of its file, "${expected}", got "${id}"` }];
}

async function filesOf(folder: string): Promise<Loaded<string[]>> {
  try {
    const names = await readdir(folder);
    return { ok: true, value: names.filter((name) => /^[^.].*\.ya?ml$/s.test(name)).sort() };
  } catch (error) {
    return { ok: false, problems: [problemOf(folder, unreadable(error))] };
  }
}

/** The folders of definitions and plug-ins. */
export interface PluginFolders {
  /** The folder of definition files. */
  readonly folder: string;
  readonly plugins: string;
}

/** Reads the plug-ins and programs that sources name, each once; a source without its file is a problem of its definition. */
export async function withPlugins(
  { sources, problems }: LoadedSources,
  { folder, plugins }: PluginFolders,
): Promise<{ readonly sources: readonly LoadedSource[]; readonly problems: readonly Problem[] }> {
  const read = new Map<string, ReadPlugin>();
  const loaded: LoadedSource[] = [];
  const found: Problem[] = [...problems];
  for (const source of sources) {
    const program = programOf(source);
    const name = source.plugin ?? program?.file;
    if (name === undefined) {
      loaded.push({ source, version: definitionVersion(source) });
      continue;
    }
    const file = read.get(name) ?? (await readPlugin(plugins, name));
    read.set(name, file);
    if (file.ok) {
      const version = definitionVersion(source, file.plugin.version);
      loaded.push({ source, version, [program === undefined ? 'plugin' : 'program']: file.plugin });
    } else {
      const message = `${join(plugins, name)}: ${file.message}`;
      const path = program === undefined ? ['plugin'] : ['collect', 'command'];
      found.push(...(await problemsIn(definitionIn(folder, source.id), [{ path, message }])));
    }
  }
  return { sources: loaded, problems: found };
}
