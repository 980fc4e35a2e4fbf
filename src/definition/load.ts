import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import type * as z from 'zod';
import { Daemon } from './daemon.ts';
import { expectation, type Problem, problemsOf } from './problem.ts';
import { Projects } from './project.ts';
import { type Issue, referenceIssues } from './reference.ts';
import { Source } from './source.ts';
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

/** No file that a person writes is larger. */
const maxFileBytes = 1024 * 1024;

/** Loads every `.yaml` and `.yml` file of a folder, one source each. */
export async function loadSources(folder: string): Promise<LoadedSources> {
  const listed = await filesOf(folder);
  if (!listed.ok) return { sources: [], problems: listed.problems };
  const loaded = await Promise.all(listed.value.map((name) => loadSource(join(folder, name))));
  const sources = new Map<string, Source>();
  const problems: Problem[] = [];
  for (const [index, file] of loaded.entries()) {
    const name = join(folder, listed.value[index] ?? '');
    if (!file.ok) problems.push(...file.problems);
    else if (sources.has(file.value.id))
      problems.push(problemOf(name, `expected one file for source "${file.value.id}", got another`));
    else sources.set(file.value.id, file.value);
  }
  return { sources: [...sources.values()], problems };
}

/** Loads one source; its id must be the name of its file. */
export function loadSource(file: string): Promise<Loaded<Source>> {
  return load(file, (text) => parseSource(text, file));
}

/** Loads a project file; with any problem there is no list, so that nobody applies half of it. */
export function loadProjects(file: string): Promise<Loaded<Projects>> {
  return load(file, (text) => parse(text, file, Projects));
}

/** Loads the daemon's configuration. */
export function loadDaemon(file: string): Promise<Loaded<Daemon>> {
  // An empty file, or one of comments alone, asks for the defaults.
  return load(file, (text) => parse(text, file, Daemon, { empty: {} }));
}

/** Reads the text of a source's file; `file` gives the name that its id must have. */
export function parseSource(text: string, file: string): Loaded<Source> {
  const id = basename(file, extname(file));
  return parse(text, file, Source, { check: (value) => [...idIssues(value, id), ...referenceIssues(value)] });
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

function parse<T>(text: string, file: string, schema: z.ZodType<T>, options: ParseOptions = {}): Loaded<T> {
  const yaml = readYaml(text, file);
  if (!yaml.ok) return yaml;
  const value = yaml.value ?? options.empty;
  const parsed = schema.safeParse(value, { error: expectation });
  const issues = [...(parsed.error?.issues ?? []), ...(options.check?.(value) ?? [])];
  if (parsed.success && issues.length === 0) return { ok: true, value: parsed.data };
  return {
    ok: false,
    problems: problemsOf(issues, file, yaml.locate).sort((a, b) => a.line - b.line || a.column - b.column),
  };
}

async function load<T>(file: string, read: (text: string) => Loaded<T>): Promise<Loaded<T>> {
  try {
    const { size } = await stat(file);
    if (size > maxFileBytes)
      return { ok: false, problems: [problemOf(file, `expected at most ${maxFileBytes} bytes, got ${size}`)] };
    return read(await readFile(file, 'utf8'));
  } catch (error) {
    return { ok: false, problems: [unreadable(file, error)] };
  }
}

async function filesOf(folder: string): Promise<Loaded<string[]>> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const files = entries.filter((entry) => !entry.isDirectory() && /^[^.].*\.ya?ml$/.test(entry.name));
    return { ok: true, value: files.map((entry) => entry.name).sort() };
  } catch (error) {
    return { ok: false, problems: [unreadable(folder, error)] };
  }
}

/** What the file system says is a problem of the file; anything else is an error of ours. */
function unreadable(file: string, error: unknown): Problem {
  if (!(error instanceof Error && 'syscall' in error)) throw error;
  return problemOf(file, `could not be read: ${error.message}`);
}

function problemOf(file: string, message: string): Problem {
  return { file, line: 1, column: 1, path: '', message };
}
