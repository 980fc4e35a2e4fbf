import type { ASTNode, ParseError } from '@marcbachmann/cel-js';
import { newEnvironment, whole } from './environment.ts';
import { changesOf, type Moment, momentsOf } from './moments.ts';
import { closeTree, ExpressionFault, nodesOf } from './tree.ts';
import { type FieldKind, typeOf, valueOf } from './values.ts';

/** A record's values by the names of its fields. */
export type Values = Readonly<Record<string, unknown>>;

/** The names that an expression may use, and how it reads them. */
export interface ExpressionScope {
  /** The types of the fields by name. */
  readonly fields: Readonly<Record<string, FieldKind>>;
  /** Fields that an expression may not read, each with what is expected instead. */
  readonly refused?: Readonly<Record<string, string>>;
  /** The zone by whose clocks a date begins and ends. */
  readonly zone: string;
}

/** A condition on a record and the present, compiled. */
export interface Condition {
  /** Whether it compares anything with the present, and may change while the record does not. */
  readonly dependsOnNow: boolean;
  /** Whether it holds at an instant; `undefined` where a value that it needs is not known. Never throws. */
  holds(values: Values, at: number): boolean | undefined;
  /** The first instant from `at` on at which it holds, if the values stay as they are; `undefined` if it never will. */
  holdsFrom(values: Values, at: number): number | undefined;
  /**
   * The first instant after `at` at which it holds and did not at `at`, or does not and did, if the values stay as they are; `undefined` if it never will, and
   * where it is not known whether it holds.
   */
  turnsAfter(values: Values, at: number): number | undefined;
}

/** A compiled condition, or what is wrong with its text. */
export type CompiledCondition =
  | { readonly ok: true; readonly condition: Condition }
  | { readonly ok: false; readonly message: string };

/** The length of an expression's text, at most, in bytes. */
export const maxBytes = 4_096;

/**
 * Compiles a condition. It can read its fields and the present, and nothing else. Compiling and evaluating take a time
 * that is bounded by the length of the text and of the values.
 */
export function compileCondition(text: string, scope: ExpressionScope): CompiledCondition {
  try {
    return { ok: true, condition: conditionOf(text, scope) };
  } catch (error) {
    return { ok: false, message: faultText(error) };
  }
}

function conditionOf(text: string, { fields, refused = {}, zone }: ExpressionScope): Condition {
  if (Buffer.byteLength(text) > maxBytes) throw new ExpressionFault(`expected at most ${maxBytes} bytes`);
  const environment = newEnvironment();
  const program = environment.parse(text);
  const fieldIn = (name: string): ASTNode => environment.parse(`${whole}.${name}`).ast;
  const used = closeTree(program.ast, { fields: Object.keys(fields), zone, fieldIn });
  for (const [name, at] of used) {
    if (Object.hasOwn(refused, name)) throw new ExpressionFault(`${refused[name]}`, at);
    const type = typeOf(fields[name] ?? '');
    if (type === undefined) throw new ExpressionFault(`expected a field of another type than that of "${name}"`, at);
    environment.registerVariable(name, type);
  }
  const moments = momentsOf(program.ast);
  const { valid, type = '', error } = program.check();
  if (!valid) throw error ?? new ExpressionFault('expected a condition');
  for (const node of nodesOf(program.ast)) refuseJoined(node);
  if (type !== 'bool') throw new ExpressionFault(`expected a condition, got ${named(type)}`);

  const read = (values: Values): Values =>
    Object.fromEntries(
      [...used.keys()].flatMap((name) => {
        const kind = fields[name];
        const given = Object.hasOwn(values, name) && kind !== undefined ? valueOf(values[name], kind, zone) : undefined;
        return given === undefined ? [] : [[name, given]];
      }),
    );
  const holds = (known: Values, at: number): boolean | undefined => {
    try {
      const result: unknown = program({ ...known, [whole]: known, now: new Date(at) });
      return typeof result === 'boolean' ? result : undefined;
    } catch {
      // The library throws where a field has no value, and operators where there is no result.
      return undefined;
    }
  };
  return {
    dependsOnNow: moments.length > 0,
    holds: (values, at) => holds(read(values), at),
    holdsFrom(values, at) {
      const known = read(values);
      return [at, ...laterChanges(moments, known, at)].find((each) => holds(known, each) === true);
    },
    turnsAfter(values, at) {
      const known = read(values);
      const now = holds(known, at);
      return now === undefined
        ? undefined
        : laterChanges(moments, known, at).find((each) => holds(known, each) === !now);
    },
  };
}

/** The instants after `at` at which a condition may change, in order. */
function laterChanges(moments: readonly Moment[], known: Values, at: number): number[] {
  return moments
    .flatMap((moment) => changesOf(moment, known))
    .flatMap((each) => [each, each + 1])
    .filter((each) => each > at)
    .sort((one, other) => one - other);
}

/** Refuses texts and lists that are joined, which could grow long. */
function refuseJoined(node: ASTNode & { readonly checkedType?: { readonly name: string } }): void {
  if (node.op === '+' && /^(?:string|list)/.test(node.checkedType?.name ?? ''))
    throw new ExpressionFault('expected no text or list joined to another', node.start);
}

/** What an error of compiling says to the writer of the text. */
export function faultText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // The parser calls itself for each level, some of which it does not count.
  if (error instanceof RangeError) return 'nested too deep';
  const { message, at } = error instanceof ExpressionFault ? error : libraryFault(error);
  return at === undefined ? message : `${message}, at character ${at + 1}`;
}

function libraryFault(error: Error): { readonly message: string; readonly at: number | undefined } {
  const { summary = error.message, range } = error as Partial<ParseError>;
  const message = summary
    .replace(/^Exceeded maxDepth \((\d+)\)$/, 'nested more than $1 levels deep')
    .replace(/^Exceeded \w+ \((\d+)\)$/, 'more than $1 parts');
  return { message: named(message.charAt(0).toLowerCase() + message.slice(1)), at: range?.start };
}

/** A text of the library with the names of types as definitions have them. */
function named(text: string): string {
  return text
    .replaceAll('google.protobuf.Timestamp', 'datetime')
    .replaceAll('google.protobuf.Duration', 'duration')
    .replaceAll(/\bstring\b/g, 'text')
    .replaceAll(/\bbool\b/g, 'boolean')
    .replace(/^no such overload: .*\b(?:money|quantity)\b.*$/, '$&; the number of such a field is its "amount"');
}
