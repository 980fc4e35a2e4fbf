import { isUtf8 } from 'node:buffer';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import * as z from 'zod';
import type { LoadedSource } from './catalogue.ts';
import { type ReadPlugin, readPlugin } from './plugin-file.ts';
import { programOf } from './collect.ts';
import { DaemonConfig } from './daemon.ts';
import { pageId } from './page.ts';
import { expectation, type Problem, problemsOf, sinksName, typesName } from './problem.ts';
import { hasPlugin, hasProgram } from './plugin.ts';
import {
  isSitemap,
  maxProjects,
  type Project,
  type Projects,
  type SitemapTargets,
  WrittenProjects,
} from './project.ts';
import { referenceIssues } from './reference.ts';
import type { Issue } from '../schema/expected.ts';
import { scheduleOf } from '../schedule/levels.ts';
import { isMapping } from '../schema/mapping.ts';
import { confirmIssues } from './confirm-issues.ts';
import { maxFileBytes, maxProjectFileBytes, readRegularFile, unreadable } from './file.ts';
import { type KnownTypes, SharedType, typeIssues } from './shared-type.ts';
import { Sink } from './sink.ts';
import { definitionVersion, Source, SourceWithPlugin } from './source.ts';
import { type ListedAddress, readTargets, sitemapProjects } from './target-file.ts';
import { readYaml } from './yaml.ts';

/** The value of a file, or all problems of it. */
export type Loaded<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly Problem[] };

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

/** Reads the addresses of a sitemap that are targets. */
export type ReadSitemap = (given: SitemapTargets) => Promise<readonly ListedAddress[]>;

/**
 * Loads a project file, with the files in which targets of its projects stand. With any problem there is no list, so that no half of it is
 * applied. Rejects as `readSitemap` does; without that, no sitemap is read, and what it lists is one project that is `unread`.
 */
export async function loadProjects(file: string, readSitemap?: ReadSitemap): Promise<Loaded<Projects>> {
  const written = await load(file, (text) => parse(text, file, () => WrittenProjects), maxProjectFileBytes);
  if (!written.ok) return written;
  const projects: Project[] = [];
  const problems: Problem[] = [];
  const issues: Issue[] = [];
  for (const [entry, { targets: given, ...project }] of written.value.entries()) {
    if (Array.isArray(given)) {
      projects.push({ ...project, targets: given, entry });
      continue;
    }
    if (isSitemap(given)) {
      const { from, source } = given;
      if (readSitemap === undefined) {
        projects.push({ ...project, targets: [{ source, url: from }], entry, unread: from });
        continue;
      }
      // Nobody is asked for a list that is refused anyway.
      if (problems.length + issues.length > 0) continue;
      const read = sitemapProjects(await readSitemap(given), given, { ...project, entry });
      if (read.ok) for (const each of read.value) projects.push(each);
      else issues.push(...read.faults.map((message) => ({ path: [entry, 'targets', 'from'], message })));
      continue;
    }
    const path = resolve(dirname(file), given.from);
    const read = await load(path, (text) => readTargets(text, path, given, { ...project, entry }), maxProjectFileBytes);
    if (read.ok) for (const each of read.value) projects.push(each);
    else problems.push(...read.problems);
  }
  if (problems.length + issues.length === 0) issues.push(...repeatedIssues(projects));
  if (issues.length > 0) problems.push(...(await problemsIn(file, issues, maxProjectFileBytes)));
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: projects };
}

/** Yields issues of projects that rows of tables make: ids that others have, and too many of them. */
function* repeatedIssues(projects: Projects): Generator<Issue> {
  const seen = new Map<string, number>();
  for (const { id, entry } of projects) {
    const first = seen.get(id) ?? entry;
    if (first !== entry) yield { path: [entry, 'id'], message: `expected each id once, got "${id}" as in [${first}]` };
    seen.set(id, first);
  }
  if (projects.length > maxProjects)
    yield { path: [], message: `expected at most ${maxProjects} projects, got ${projects.length}` };
}

/** Whether a file holds a YAML list, as project files do and no others. */
export async function holdsList(file: string): Promise<boolean> {
  const loaded = await load(file, (text) => readYaml(text, file), maxProjectFileBytes);
  return loaded.ok && Array.isArray(loaded.value);
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

interface ParseOptions<T> {
  /** Stands for a file that says nothing. */
  readonly empty?: unknown;
  /** Finds what no schema can. */
  check?(value: unknown): readonly Issue[];
  /** Finds what can be told of a valid value alone. */
  checkParsed?(value: T): readonly Issue[];
}

function parse<T>(
  text: string,
  file: string,
  schemaOf: (value: unknown) => z.ZodType<T>,
  options: ParseOptions<T> = {},
): Loaded<T> {
  const yaml = readYaml(text, file);
  if (!yaml.ok) return yaml;
  const value = yaml.value ?? options.empty;
  const parsed = schemaOf(value).safeParse(value, { error: expectation });
  const issues = [
    ...(parsed.error?.issues ?? []),
    ...(options.check?.(value) ?? []),
    ...(parsed.success ? (options.checkParsed?.(parsed.data) ?? []) : []),
  ];
  if (parsed.success && issues.length === 0) return { ok: true, value: parsed.data };
  return {
    ok: false,
    problems: problemsOf(issues, file, yaml.locate).sort((a, b) => a.line - b.line || a.column - b.column),
  };
}

async function load<T>(file: string, read: (text: string) => Loaded<T>, limitBytes = maxFileBytes): Promise<Loaded<T>> {
  const found = await readRegularFile(file, limitBytes);
  if (!found.ok) return { ok: false, problems: [problemOf(file, found.message)] };
  // What is no UTF-8 would be replaced unseen, in a selector as well.
  if (!isUtf8(found.bytes)) return { ok: false, problems: [problemOf(file, 'expected text in UTF-8')] };
  return read(found.bytes.toString('utf8'));
}

async function filesOf(folder: string): Promise<Loaded<string[]>> {
  try {
    const names = await readdir(folder);
    return { ok: true, value: names.filter((name) => /^[^.].*\.ya?ml$/s.test(name)).sort() };
  } catch (error) {
    return { ok: false, problems: [problemOf(folder, unreadable(error))] };
  }
}

function problemOf(file: string, message: string): Problem {
  return { file, line: 1, column: 1, path: '', message };
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

/** Finds the lines and columns of issues in a file that was loaded before. */
export async function problemsIn(
  file: string,
  issues: readonly Issue[],
  limitBytes = maxFileBytes,
): Promise<Problem[]> {
  const found = await readRegularFile(file, limitBytes);
  const yaml = found.ok ? readYaml(found.bytes.toString('utf8'), file) : undefined;
  if (yaml?.ok === true) return problemsOf(issues, file, yaml.locate);
  // It was changed meanwhile, which the next look at it tells.
  return issues.map(({ message }) => ({ file, line: 1, column: 1, path: '', message }));
}

/** Returns the path of the file that a source was loaded from: `.yml` if there is one, else `.yaml`. */
export function definitionIn(folder: string, id: string): string {
  const other = join(folder, `${id}.yml`);
  return existsSync(other) ? other : join(folder, `${id}.yaml`);
}

const schemas = {
  source: Source,
  type: SharedType,
  sink: Sink,
  projects: WrittenProjects,
  daemon: DaemonConfig,
} as const;

/** Returns the JSON Schema (2020-12) of one kind of file, for editors. */
export function jsonSchema(kind: keyof typeof schemas): z.core.JSONSchema.JSONSchema {
  return z.toJSONSchema(schemas[kind], { io: 'input', override: ({ jsonSchema: schema }) => typeless(schema) });
}

/** Makes `type` optional for objects, since `fields` tells them. */
function typeless(schema: z.core.JSONSchema.BaseSchema): void {
  const type = schema.properties?.['type'];
  const isObject = typeof type === 'object' && type.const === 'object' && schema.properties?.['fields'] !== undefined;
  if (isObject && schema.required !== undefined) schema.required = schema.required.filter((name) => name !== 'type');
}
