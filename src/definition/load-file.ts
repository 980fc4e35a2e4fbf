import { isUtf8 } from 'node:buffer';
import type * as z from 'zod';
import type { Issue } from '../schema/expected.ts';
import { maxFileBytes, readRegularFile } from './file.ts';
import { expectation, type Problem, problemsOf } from './problem.ts';
import { readYaml } from './yaml.ts';

/** The value of a file, or all problems of it. */
export type Loaded<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Reads a file of up to `limitBytes` as UTF-8, and its text by `read`. */
export async function load<T>(
  file: string,
  read: (text: string) => Loaded<T>,
  limitBytes = maxFileBytes,
): Promise<Loaded<T>> {
  const found = await readRegularFile(file, limitBytes);
  if (!found.ok) return { ok: false, problems: [problemOf(file, found.message)] };
  // What is no UTF-8 would be replaced unseen, in a selector as well.
  if (!isUtf8(found.bytes)) return { ok: false, problems: [problemOf(file, 'expected text in UTF-8')] };
  return read(found.bytes.toString('utf8'));
}

/** How the text of a file is checked beyond its schema. */
export interface ParseOptions<T> {
  /** The value of an empty file. */
  readonly empty?: unknown;
  /** Finds issues that no schema can, also of a value that is not valid. */
  check?(value: unknown): readonly Issue[];
  /** Finds issues of a value that is valid. */
  checkParsed?(value: T): readonly Issue[];
}

/** Parses and checks the text of a YAML file. */
export function parse<T>(
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

/** Makes the problem of a file, or of a folder, as a whole. */
export function problemOf(file: string, message: string): Problem {
  return { file, line: 1, column: 1, path: '', message };
}

/** Finds the lines and columns of issues in a file that was loaded before. */
export async function problemsIn(
  file: string,
  issues: readonly Issue[],
  limitBytes = maxFileBytes,
): Promise<Problem[]> {
  const found = await readRegularFile(file, limitBytes);
  // Where it was changed meanwhile, the next look at it tells.
  return problemsInText(found.ok ? found.bytes.toString('utf8') : '', file, issues);
}

/** Finds the lines and columns of issues in the text of a file. */
export function problemsInText(text: string, file: string, issues: readonly Issue[]): Problem[] {
  const yaml = readYaml(text, file);
  return yaml.ok ? problemsOf(issues, file, yaml.locate) : issues.map(({ message }) => problemOf(file, message));
}
