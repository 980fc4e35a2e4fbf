import type { ASTNode } from '@marcbachmann/cel-js';
import type { FieldFigures, RunFigures } from '../health/expectation.ts';
import { didYouMean } from '../schema/near-name.ts';
import { faultText, maxBytes } from './compile.ts';
import { newEnvironment, whole } from './environment.ts';
import { Exact } from './exact.ts';
import { closeTree, ExpressionFault, nodesOf } from './tree.ts';
import { type FieldKind, typeOf } from './values.ts';

/** What a condition says of a run. */
export interface Checked {
  /** `undefined` where a figure that it needs is not known. */
  readonly holds: boolean | undefined;
  /** The figure that the text names first; 0 where it is not known. */
  readonly observed: number;
  /** The known figures that the text names, by name, such as `price.fill`; 1 and 0 for whether values are unique. */
  readonly figures: Readonly<Record<string, number>>;
}

/** A condition on the figures of a run, compiled. */
export interface RunCheck {
  /** The fields of which it asks whether their values are unique. */
  readonly unique: readonly string[];
  /** Never throws. */
  check(figures: RunFigures): Checked;
}

/** A compiled condition on a run, or what is wrong with its text. */
export type CompiledRunCheck =
  | { readonly ok: true; readonly check: RunCheck }
  | { readonly ok: false; readonly message: string };

const counts = ['records', 'new', 'changed', 'missing'] as const;

/** The library's names of the types of a field's figures. */
const fieldTypes = { fill: 'number', lost: 'number', empty: 'number', min: 'number', max: 'number', unique: 'bool' };

type FigureName = keyof typeof fieldTypes;

const figureNames = Object.keys(fieldTypes);

function isFigure(name: string): name is FigureName {
  return Object.hasOwn(fieldTypes, name);
}

/** The figures of a field as an expression sees them. */
class Figures {
  readonly fill: Exact | undefined;
  readonly lost: Exact | undefined;
  readonly empty: Exact | undefined;
  readonly min: Exact | undefined;
  readonly max: Exact | undefined;
  readonly unique: boolean | undefined;

  constructor({ fill, lost, empty, min, max, unique }: FieldFigures) {
    this.fill = exact(fill);
    this.lost = exact(lost);
    this.empty = exact(empty);
    this.min = exact(min);
    this.max = exact(max);
    this.unique = unique;
  }
}

/** Compiles a condition such as `records > 100 && price.fill >= 0.95`, which reads figures of a run and nothing else. */
export function compileRunCheck(text: string, kinds: Readonly<Record<string, FieldKind>>): CompiledRunCheck {
  try {
    return { ok: true, check: runCheckOf(text, kinds) };
  } catch (error) {
    return { ok: false, message: faultText(error) };
  }
}

function runCheckOf(text: string, kinds: Readonly<Record<string, FieldKind>>): RunCheck {
  const fields = Object.keys(kinds);
  if (Buffer.byteLength(text) > maxBytes) throw new ExpressionFault(`expected at most ${maxBytes} bytes`);
  const environment = newEnvironment().registerType('figures', { ctor: Figures, fields: fieldTypes });
  const program = environment.parse(text);
  const nodes = [...nodesOf(program.ast)];
  for (const { op, args, start } of nodes)
    if (op === 'id' && args === 'now') throw new ExpressionFault('expected no "now": it is of one run', start);
  const figures = nodes.flatMap((node) => figureAt(node, fields));
  for (const node of nodes) refuseIdle(node, fields);
  for (const { field, figure, at } of figures) {
    const kind = field === undefined ? undefined : kinds[field];
    if ((figure === 'min' || figure === 'max') && kind !== undefined && isNeverNumber(kind))
      throw new ExpressionFault(`expected numbers or amounts in ${field}, as ${figure} is of these alone`, at);
  }
  const names = [...counts, ...fields.filter((field) => !isCount(field))];
  const fieldIn = (name: string): ASTNode => environment.parse(`${whole}.${name}`).ast;
  const used = closeTree(program.ast, { fields: names, zone: 'UTC', fieldIn });
  for (const [name, at] of used) {
    if (!isCount(name) && !figures.some(({ field }) => field === name))
      throw new ExpressionFault(`expected ${name}.fill, or another of ${figureNames.join(', ')}`, at);
    environment.registerVariable(name, isCount(name) ? 'number' : 'figures');
  }
  const { valid, type = '', error } = program.check();
  if (!valid) throw error ?? new ExpressionFault('expected a condition');
  if (type !== 'bool') throw new ExpressionFault(`expected a condition, got ${type}`);
  const [first] = figures;
  return {
    unique: figures.filter(({ figure }) => figure === 'unique').flatMap(({ field }) => field ?? []),
    check(run) {
      const values = [...used.keys()].map((name) => [name, valueOf(run, name)] as const);
      const known = Object.fromEntries(values.filter(([, value]) => value !== undefined));
      return {
        holds: resultOf(() => program({ ...known, [whole]: known })),
        observed: (first && figureOf(run, first)) ?? 0,
        figures: Object.fromEntries(
          figures.flatMap((named) => {
            const value = figureOf(run, named);
            return value === undefined ? [] : [[nameOf(named), value]];
          }),
        ),
      };
    },
  };
}

/** A figure that a text names: a count, or one of a field. */
type NamedFigure = (
  | { readonly field?: undefined; readonly figure: (typeof counts)[number] }
  | { readonly field: string; readonly figure: FigureName }
) & {
  /** The offset in the text. */
  readonly at: number;
};

/** The figures of a field that are shares, from 0 to 1. */
const shares = ['fill', 'lost', 'empty'];

const comparisons = ['<', '<=', '>', '>=', '==', '!='];

/** Throws an `ExpressionFault` for a comparison of a share with a number that no share is, and for a division by zero: either says the same of all runs. */
function refuseIdle(node: ASTNode, fields: readonly string[]): void {
  const { op, args, start } = node;
  if (!Array.isArray(args) || args.length !== 2) return;
  const [left, right] = args as readonly unknown[];
  if (!isNode(left) || !isNode(right)) return;
  if (op === '/' && numberOf(right) === 0) throw new ExpressionFault('expected no division by 0', start);
  if (!comparisons.includes(op)) return;
  for (const [one, other] of [
    [left, right],
    [right, left],
  ] as const) {
    const [named] = figureAt(one, fields);
    const number = numberOf(other);
    if (named?.field === undefined || number === undefined || !shares.includes(named.figure)) continue;
    if (number < 0 || number > 1)
      throw new ExpressionFault(`expected a number from 0 to 1, as ${nameOf(named)} is a share, got ${number}`, start);
  }
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value;
}

/** The number that a node writes down; `undefined` for any other node. */
function numberOf({ op, args }: ASTNode): number | undefined {
  if (op === '-_') {
    const number = numberOf(args);
    return number === undefined ? undefined : -number;
  }
  return op === 'value' && (typeof args === 'number' || typeof args === 'bigint') ? Number(args) : undefined;
}

/** Whether the values of a field are of a type that has no numbers. */
function isNeverNumber(kind: FieldKind): boolean {
  const type = typeOf(kind);
  return typeof kind !== 'string' || ['string', 'bool', 'date', 'google.protobuf.Timestamp'].includes(type ?? '');
}

function nameOf({ field, figure }: NamedFigure): string {
  return field === undefined ? figure : `${field}.${figure}`;
}

/** The figure that a node of the tree names, if it names one. */
function figureAt(node: ASTNode, fields: readonly string[]): NamedFigure[] {
  if (node.op === 'id' && isCount(node.args)) return [{ figure: node.args, at: node.start }];
  if (node.op !== '.') return [];
  const [of, figure] = node.args;
  if (of.op !== 'id' || !fields.includes(of.args)) return [];
  if (!isFigure(figure))
    throw new ExpressionFault(
      `expected one of ${figureNames.join(', ')} of ${of.args}, got "${figure}"${didYouMean(figure, figureNames)}`,
      node.start,
    );
  return [{ field: of.args, figure, at: node.start }];
}

function isCount(name: string): name is (typeof counts)[number] {
  return counts.some((each) => each === name);
}

function valueOf(run: RunFigures, name: string): Exact | Figures | undefined {
  if (isCount(name)) return exact(run[name]);
  const of = Object.hasOwn(run.fields, name) ? run.fields[name] : undefined;
  return of && new Figures(of);
}

function resultOf(run: () => unknown): boolean | undefined {
  try {
    const result = run();
    return typeof result === 'boolean' ? result : undefined;
  } catch {
    // The library throws where a figure is not known, and operators where there is no result.
    return undefined;
  }
}

function figureOf(run: RunFigures, { field, figure }: NamedFigure): number | undefined {
  if (field === undefined) return run[figure];
  const value = Object.hasOwn(run.fields, field) ? run.fields[field]?.[figure] : undefined;
  return value === undefined ? undefined : Number(value);
}

function exact(value: number | undefined): Exact | undefined {
  return value === undefined ? undefined : Exact.of(String(value));
}
