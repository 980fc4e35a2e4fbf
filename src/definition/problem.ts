import type * as z from 'zod';
import { got, type Issue } from '../schema/expected.ts';
import { didYouMean } from '../schema/near-name.ts';

/** Something wrong in a file that a person wrote, and where; `line` and `column` count from 1, `path` is like `records.card.key`. */
export interface Problem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly path: string;
  readonly message: string;
}

/** Formats a problem as `file:line:column: path: message`. */
export function problemText({ file, line, column, path, message }: Problem): string {
  return `${file}:${line}:${column}: ${path === '' ? '' : `${path}: `}${message}`;
}

/** The folder of types, which is beside that of the definitions. */
export const typesName = 'types';
/** The folder of sinks, which is beside that of the definitions. */
export const sinksName = 'sinks';
/** The folder of pipelines, which is beside that of the definitions. */
export const pipelinesName = 'pipelines';

/** The folders beside that of the definitions. */
const besides: ReadonlySet<string | undefined> = new Set([typesName, sinksName, pipelinesName]);

/** Returns the id of the source that a definition file is of, which is the file's name; `undefined` for a path of no such file. */
export function sourceIdOf({ file }: Pick<Problem, 'file'>): string | undefined {
  const { folder, id } = partsOf(file);
  return besides.has(folder) ? undefined : id;
}

/** Returns the id of the type, the sink or the pipeline that a file defines; `undefined` for a path of no such file. */
export function idIn(
  name: typeof typesName | typeof sinksName | typeof pipelinesName,
  { file }: Pick<Problem, 'file'>,
): string | undefined {
  const { folder, id } = partsOf(file);
  return folder === name ? id : undefined;
}

function partsOf(file: string): { readonly folder: string | undefined; readonly id: string | undefined } {
  const [, folder, id] = /(?:^|([^/\\]+)[/\\])([^/\\]+)\.ya?ml$/.exec(file) ?? [];
  return { folder, id };
}

/** A position in a file; both numbers count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/**
 * Returns the position of a value in a file, or of its key. If the file does not have the value, it is the position of the nearest
 * key above it.
 */
export type Locate = (path: readonly PropertyKey[], part: 'key' | 'value') => Position;

/** Returns the message of an issue for which its schema has none; undefined for issues that keep that of zod. */
export function expectation(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return wasMissing(issue)
        ? `missing, expected ${typeName(issue.expected)}`
        : got(issue.input, typeName(issue.expected));
    case 'invalid_value':
      return oneOf(issue, issue.values);
    case 'invalid_union':
      return issue.discriminator === undefined
        ? unionExpectation(issue)
        : oneOf({ input: typeOf(issue.input) }, discriminators(issue));
    case 'invalid_format':
      return got(issue.input, `text of the form ${issue.pattern ?? issue.format}`);
    case 'too_small':
      return got(
        issue.input,
        issue.inclusive === false
          ? `more than ${issue.minimum}`
          : `at least ${issue.minimum}${unit(issue.origin, issue.minimum)}`,
      );
    case 'unrecognized_keys':
      return issue.keys.map((key) => `unknown key "${key.replaceAll('\n', ' ')}"`).join('\n');
    case 'too_big':
      return got(issue.input, `at most ${issue.maximum}${unit(issue.origin, issue.maximum)}`);
    default:
      return undefined;
  }
}

/** Makes problems of a file from a schema's issues: one for each unknown key, at that key. */
export function problemsOf(issues: readonly (z.core.$ZodIssue | Issue)[], file: string, locate: Locate): Problem[] {
  return faultsOf(issues).map(({ path, message, part }) => ({
    file,
    ...locate(path, part),
    path: pathText(path),
    message,
  }));
}

/** One thing that is wrong: a key, or the value at it. */
interface Fault extends Issue {
  readonly part: 'key' | 'value';
}

/** Splits a schema's issues into faults: one for each unknown key, each fault once. */
export function faultsOf(issues: readonly (z.core.$ZodIssue | Issue)[]): Fault[] {
  const faults = issues.flatMap((issue) => unfolded(issue)).flatMap((issue) => faultsAt(issue));
  const seen = new Map(faults.map((fault) => [`${pathText(fault.path)}: ${fault.message}`, fault] as const));
  return [...seen.values()];
}

function faultsAt(issue: z.core.$ZodIssue | Issue): Fault[] {
  if ('code' in issue && issue.code === 'unrecognized_keys') {
    const messages = issue.message.split('\n');
    return issue.keys.map((key, index) => ({
      path: [...issue.path, key],
      message: messages[index] ?? '',
      part: 'key',
    }));
  }
  if ('code' in issue && issue.code === 'invalid_key')
    return [{ path: issue.path, message: issue.issues[0]?.message ?? issue.message, part: 'key' }];
  return [{ path: issue.path, message: issue.message, part: 'value' }];
}

/** Returns the issues of the form of a union that a value was meant to have, each with its own path; the issue itself if that is not clear. */
export function unfolded(issue: z.core.$ZodIssue | Issue): readonly (z.core.$ZodIssue | Issue)[] {
  if (!('code' in issue) || issue.code !== 'invalid_union') return [issue];
  const forms = issue.errors.filter(([first]) => first !== undefined && !isOtherForm(first));
  // A value that is no word of a list of words was meant as the form beside it, if that takes the value's type.
  const longForms = forms.filter(([first]) => first?.code !== 'invalid_value' || first.path.length > 0);
  const meant = longForms.length === 0 ? forms : longForms;
  const [only] = meant;
  if (only === undefined || meant.length > 1) return [issue];
  return only.flatMap((each) => unfolded({ ...each, path: [...issue.path, ...each.path] }));
}

/** Whether an issue refuses the other form of a union: where `true` stands for all defaults, other values were not meant as that switch. */
function isOtherForm(first: z.core.$ZodIssue): boolean {
  if (first.path.length > 0) return false;
  if (first.code === 'invalid_value') return first.values.every((value) => typeof value === 'boolean');
  return first.code === 'invalid_type';
}

/** Writes a path as `records.card.fields.price`, with the indexes of lists as in `[2].targets[0].url`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index > 0 ? '.' : ''}${String(part)}`))
    .join('');
}

function wasMissing(issue: { readonly input?: unknown }): boolean {
  return issue.input === undefined;
}

function oneOf(issue: { readonly input?: unknown }, values: readonly unknown[]): string {
  const known = values.filter((value) => value !== undefined).map(String);
  const expected = known.length === 1 ? `"${known[0]}"` : `one of ${known.join(', ')}`;
  if (wasMissing(issue)) return `missing, expected ${expected}`;
  return `${got(issue.input, expected)}${typeof issue.input === 'string' ? didYouMean(issue.input, known) : ''}`;
}

function discriminators(issue: object): readonly unknown[] {
  return 'options' in issue && Array.isArray(issue.options) ? issue.options : [];
}

function typeOf(input: unknown): unknown {
  return typeof input === 'object' && input !== null && 'type' in input ? input.type : undefined;
}

function unionExpectation(issue: z.core.$ZodRawIssue & { readonly code: 'invalid_union' }): string {
  const expected = issue.errors.flatMap(([first]) =>
    first?.code === 'invalid_type' ? [typeName(first.expected)] : [],
  );
  const what = [...new Set(expected)].join(' or ') || 'something else';
  return wasMissing(issue) ? `missing, expected ${what}` : got(issue.input, what);
}

/** Names that a person who writes YAML uses. */
function typeName(expected: string): string {
  return typeNames[expected] ?? expected;
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a mapping',
  record: 'a mapping',
  array: 'a list',
};

function unit(origin: string, count: number | bigint): string {
  const plural = Number(count) === 1 ? '' : 's';
  if (origin === 'string') return ` character${plural}`;
  return origin === 'array' ? ` element${plural}` : '';
}
