import { readdir } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import type * as z from 'zod';
import { Daemon } from './daemon.ts';
import { expectation, type Problem, problemsOf } from './problem.ts';
import { hasPlugin } from './plugin-record.ts';
import { Projects } from './project.ts';
import { type Issue, referenceIssues } from './reference.ts';
import { maxFileBytes, readRegularFile, unreadable } from './regular-file.ts';
import { PluginSource, Source } from './source.ts';
import { readYaml } from './yaml.ts';

/** What a file says, or everything that is wrong with it. */
export type Loaded<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** The sources of a folder, in the order of their files' names; a file with problems hides no other. */
export interface LoadedSources {
  readonly sources: readonly Source[];
  readonly problems: readonly Problem[];
}

/** Loads every `.yaml` and `.yml` file of a folder, one source each. */
export async function loadSources(folder: string): Promise<LoadedSources> {
  const listed = await filesOf(folder);
  if (!listed.ok) return { sources: [], problems: listed.problems };
  const sources = new Map<string, Source>();
  const problems: Problem[] = [];
  // One after the other, so that no number of files is too many to be open at once.
  for (const name of listed.value) {
    const file = join(folder, name);
    const loaded = await loadSource(file);
    if (!loaded.ok) problems.push(...loaded.problems);
    else if (sources.has(loaded.value.id))
      problems.push(problemOf(file, `expected one file for source "${loaded.value.id}", got another`));
    else sources.set(loaded.value.id, loaded.value);
  }
  return { sources: [...sources.values()], problems };
}

/** Loads one source; its id must be the name of its file. */
export function loadSource(file: string): Promise<Loaded<Source>> {
  return load(file, (text) => parseSource(text, file));
}

/** Loads a project file; with any problem there is no list, so that nobody applies half of it. */
export function loadProjects(file: string): Promise<Loaded<Projects>> {
  return load(file, (text) => parse(text, file, () => Projects));
}

/** Whether a file holds a list, as project files do and no other. */
export async function isList(file: string): Promise<boolean> {
  const loaded = await load(file, (text) => readYaml(text, file));
  return loaded.ok && Array.isArray(loaded.value);
}

/** Loads the daemon's configuration. */
export function loadDaemon(file: string): Promise<Loaded<Daemon>> {
  // An empty file, or one of comments alone, asks for the defaults.
  return load(file, (text) => parse(text, file, () => Daemon, { empty: {} }));
}

/** Reads the text of a source's file; `file` gives the name that its id must have. */
export function parseSource(text: string, file: string): Loaded<Source> {
  const id = basename(file, extname(file));
  return parse(text, file, (value) => (hasPlugin(value) ? PluginSource : Source), {
    check: (value) => [...idIssues(value, id), ...referenceIssues(value)],
  });
}

function idIssues(value: unknown, expected: string): Issue[] {
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined;
  return typeof id !== 'string' || id === expected
    ? []
    : [{ path: ['id'], message: `expected the name of its file, "${expected}", got "${id}"` }];
}

interface ParseOptions {
  /** Stands for a file that says nothing. */
  readonly empty?: unknown;
  /** Finds what no schema can. */
  check?(value: unknown): readonly Issue[];
}

function parse<T>(
  text: string,
  file: string,
  schemaOf: (value: unknown) => z.ZodType<T>,
  options: ParseOptions = {},
): Loaded<T> {
  const yaml = readYaml(text, file);
  if (!yaml.ok) return yaml;
  const value = yaml.value ?? options.empty;
  const parsed = schemaOf(value).safeParse(value, { error: expectation });
  const issues = [...(parsed.error?.issues ?? []), ...(options.check?.(value) ?? [])];
  if (parsed.success && issues.length === 0) return { ok: true, value: parsed.data };
  return {
    ok: false,
    problems: problemsOf(issues, file, yaml.locate).sort((a, b) => a.line - b.line || a.column - b.column),
  };
}

async function load<T>(file: string, read: (text: string) => Loaded<T>): Promise<Loaded<T>> {
  const found = await readRegularFile(file, maxFileBytes);
  return found.ok ? read(found.bytes.toString('utf8')) : { ok: false, problems: [problemOf(file, found.message)] };
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
