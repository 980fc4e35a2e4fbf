import { faultText, maxBytes } from './compile.ts';
import { newEnvironment, whole } from './environment.ts';
import { DivisionByZero, Exact } from './exact.ts';
import { closeTree, ExpressionFault, nodesOf } from './tree.ts';
import { Day, Money, NegativeDivisor } from './values.ts';

/** The types that figures have. */
export type FigureKind = 'number' | 'money' | 'date' | 'datetime';

/** A value of a figure: exact, so that a calculation of several steps loses nothing. */
export type Figure = Exact | Money | Day | Date;

/** The result of a calculation, or why there is none. */
export type Calculated =
  | { readonly ok: true; readonly value: Figure }
  | { readonly ok: false; readonly code: 'division_by_zero' | 'refused' | 'no_result'; readonly message: string };

/** A calculation with figures, compiled. */
export interface Calculation {
  readonly kind: FigureKind;
  /** The names that it uses, in the order of the text. */
  readonly uses: readonly string[];
  /** Calculates with values of all the names that it uses. Never throws. */
  of(values: ReadonlyMap<string, Figure>): Calculated;
}

/** A compiled calculation, or what is wrong with its text. */
export type CompiledCalculation =
  | { readonly ok: true; readonly calculation: Calculation }
  | { readonly ok: false; readonly message: string };

/** The library's names of the types. */
const names: Readonly<Record<FigureKind, string>> = {
  number: 'number',
  money: 'money',
  date: 'date',
  datetime: 'google.protobuf.Timestamp',
};

/**
 * Compiles a calculation with figures of these names, such as `income / adSpend`. It reads nothing else, not even the present.
 *
 * @param below - the names of metrics that it cannot use, as they stand no higher than it
 */
export function compileCalculation(
  text: string,
  kinds: Readonly<Record<string, FigureKind>>,
  below: readonly string[] = [],
): CompiledCalculation {
  try {
    return { ok: true, calculation: calculationOf(text, kinds, below) };
  } catch (error) {
    return { ok: false, message: faultText(error) };
  }
}

function calculationOf(
  text: string,
  kinds: Readonly<Record<string, FigureKind>>,
  below: readonly string[],
): Calculation {
  if (Buffer.byteLength(text) > maxBytes) throw new ExpressionFault(`expected at most ${maxBytes} bytes`);
  const environment = newEnvironment();
  const program = environment.parse(text);
  const fieldIn = (name: string) => environment.parse(`${whole}.${name}`).ast;
  for (const { op, args, start } of nodesOf(program.ast)) {
    if (op !== 'id') continue;
    if (args === 'now') throw new ExpressionFault('expected no "now": a metric follows from what was read', start);
    if (below.includes(args))
      throw new ExpressionFault(`expected a metric that stands above this one, got "${args}"`, start);
  }
  const used = closeTree(program.ast, { fields: Object.keys(kinds), what: 'metric', zone: 'UTC', fieldIn });
  for (const name of used.keys()) environment.registerVariable(name, names[kinds[name] ?? 'number']);
  const { valid, type = '', error } = program.check();
  if (!valid) throw error ?? new ExpressionFault('expected a calculation');
  const kind = (Object.keys(names) as FigureKind[]).find((each) => names[each] === type);
  if (kind === undefined)
    throw new ExpressionFault(
      `expected a number, money, a date or a datetime, got ${type === 'bool' ? 'a condition' : type}`,
    );
  const uses = [...used.keys()];
  return {
    kind,
    uses,
    of(values) {
      try {
        const result: unknown = program(Object.fromEntries(values));
        if (isFigure(result)) return { ok: true, value: result };
        return { ok: false, code: 'no_result', message: 'expected a result, got none' };
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        return { ok: false, code: codeOf(error), message };
      }
    },
  };
}

function codeOf(error: unknown): (Calculated & { readonly ok: false })['code'] {
  if (error instanceof DivisionByZero) return 'division_by_zero';
  return error instanceof NegativeDivisor ? 'refused' : 'no_result';
}

function isFigure(value: unknown): value is Figure {
  return value instanceof Exact || value instanceof Money || value instanceof Day || value instanceof Date;
}
