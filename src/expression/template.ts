import { newEnvironment, whole } from './environment.ts';
import { faultText, maxBytes, type Values } from './compile.ts';
import { Exact } from './exact.ts';
import { closeTree, ExpressionFault, nodesOf } from './tree.ts';
import { Day, Money, Quantity } from './values.ts';

/** A text with `{expressions}`, compiled. */
export interface Template {
  /** The names of the values that its expressions use. */
  readonly names: ReadonlySet<string>;
  /** Fills in the values; an expression without a result gives nothing. Never throws. */
  text(values: Values, at: number, escape?: Escape): string;
  /** Fills in the values as `text` does; a template that is one expression alone gives its value as JSON, null for none. */
  json(values: Values, at: number, escape?: Escape): unknown;
}

/** Writes a text so that its reader takes no part of it for markup. */
export type Escape = (text: string) => string;

const asItIs: Escape = (text) => text;

/** A compiled template, or what is wrong with its text. */
export type CompiledTemplate =
  | { readonly ok: true; readonly template: Template }
  | { readonly ok: false; readonly message: string };

/** The longest text that a filled-in value may be; what is longer is cut. */
const maxValueLength = 16_384;

interface Expression {
  readonly names: ReadonlySet<string>;
  result(values: Values, at: number): unknown;
}

type Part = string | Expression;

/**
 * Compiles a text in which `{…}` stands for the result of an expression, and `{{` and `}}` for braces. Expressions are those of
 * conditions, with any name for a value: what is given under the name has its type then.
 */
export function compileTemplate(text: string): CompiledTemplate {
  try {
    if (Buffer.byteLength(text) > maxBytes) throw new ExpressionFault(`expected at most ${maxBytes} bytes`);
    const parts = [...partsOf(text)];
    const [only] = parts;
    const filled: Template['text'] = (values, at, escape = asItIs) =>
      parts.map((part) => (typeof part === 'string' ? part : escape(textOf(part.result(values, at))))).join('');
    const json: Template['json'] =
      parts.length === 1 && typeof only === 'object'
        ? (values, at, escape) => jsonOf(only.result(values, at), escape)
        : filled;
    const names = new Set(parts.flatMap((part) => (typeof part === 'string' ? [] : [...part.names])));
    return { ok: true, template: { names, text: filled, json } };
  } catch (error) {
    return { ok: false, message: faultText(error) };
  }
}

function* partsOf(text: string): Generator<Part> {
  let plain = '';
  for (let index = 0; index < text.length; index += 1) {
    const [char = '', next] = [text[index], text[index + 1]];
    if ((char === '{' || char === '}') && next === char) {
      plain += char;
      index += 1;
    } else if (char === '}') {
      throw new ExpressionFault('expected "}}" for a brace that ends no expression', index);
    } else if (char === '{') {
      if (plain !== '') yield plain;
      plain = '';
      const end = endOf(text, index + 1);
      yield compileValue(text.slice(index + 1, end), index + 1);
      index = end;
    } else {
      plain += char;
    }
  }
  if (plain !== '') yield plain;
}

/** The place of the brace that ends an expression: the first that stands in no text of the expression. */
function endOf(text: string, from: number): number {
  let quote: string | undefined;
  for (let index = from; index < text.length; index += 1) {
    const char = text[index];
    if (quote !== undefined && char === '\\') index += 1;
    else if (quote !== undefined) quote = char === quote ? undefined : quote;
    else if (char === '"' || char === "'") quote = char;
    else if (char === '}') return index;
  }
  throw new ExpressionFault('expected "}" at the end of the expression', from - 1);
}

/** Compiles one expression; `from` is its place in the template. */
function compileValue(text: string, from: number): Expression {
  const environment = newEnvironment();
  try {
    const program = environment.parse(text);
    const names = new Set<string>();
    for (const node of nodesOf(program.ast)) if (node.op === 'id' && node.args !== 'now') names.add(node.args);
    closeTree(program.ast, {
      fields: [...names],
      zone: 'UTC',
      fieldIn: (name) => environment.parse(`${whole}.${name}`).ast,
    });
    for (const name of names) environment.registerVariable(name, 'dyn');
    const { valid, error } = program.check();
    if (!valid) throw error ?? new ExpressionFault('expected an expression');
    const result = (values: Values, at: number): unknown => {
      const known = Object.fromEntries(
        [...names].flatMap((name) => {
          const value = Object.hasOwn(values, name) ? operandOf(values[name]) : undefined;
          return value === undefined ? [] : [[name, value]];
        }),
      );
      try {
        return program({ ...known, [whole]: known, now: new Date(at) });
      } catch {
        // The library throws where a name has no value, and operators where there is no result.
        return undefined;
      }
    };
    return { names, result };
  } catch (error) {
    throw new ExpressionFault(`{${text}}: ${faultText(error)}`, from - 1);
  }
}

/** How the numbers of values were written, as `12.50`. */
const written = new WeakMap<Exact, string>();

function exactOf(given: string | number): Exact | undefined {
  const exact = Exact.of(String(given));
  if (exact !== undefined && typeof given === 'string') written.set(exact, given);
  return exact;
}

function numberText(exact: Exact): string {
  return written.get(exact) ?? exact.text();
}

/** A value as expressions know it, by its form; `undefined` for null. */
function operandOf(value: unknown): unknown {
  if (typeof value === 'number') return exactOf(value);
  if (value === null || typeof value !== 'object') return value ?? undefined;
  if (Array.isArray(value)) return value.map(operandOf).filter((item) => item !== undefined);
  const { amount, currency, unit, count = 1 } = value as Readonly<Record<string, unknown>>;
  const exact = typeof amount === 'string' || typeof amount === 'number' ? exactOf(amount) : undefined;
  if (exact !== undefined && typeof currency === 'string') return new Money(exact, currency);
  const times = Exact.of(String(count));
  if (exact !== undefined && typeof unit === 'string' && times !== undefined) return new Quantity(exact, unit, times);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => {
      const operand = operandOf(each);
      return operand === undefined ? [] : [[name, operand]];
    }),
  );
}

function textOf(value: unknown): string {
  const json = jsonOf(value);
  if (json === null) return '';
  const text = writtenOf(value, json);
  return text.length > maxValueLength ? `${text.slice(0, maxValueLength - 1)}…` : text;
}

function writtenOf(value: unknown, json: unknown): string {
  if (value instanceof Money) return `${numberText(value.amount)} ${value.currency}`;
  if (value instanceof Quantity) return `${numberText(value.amount)} ${value.unit}`;
  if (value instanceof Exact) return numberText(value);
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof json === 'string' ? json : JSON.stringify(json);
}

/** A result as JSON, with its texts escaped; null for none. */
function jsonOf(value: unknown, escape = asItIs): unknown {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return escape(value);
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  if (value instanceof Exact) return Number(value.text());
  if (value instanceof Money) return { amount: numberText(value.amount), currency: value.currency };
  if (value instanceof Quantity) return { amount: Number(value.amount.text()), unit: value.unit };
  if (value instanceof Day) return new Date(value.number * 86_400_000).toISOString().slice(0, 10);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((each) => jsonOf(each, escape));
  if (typeof value !== 'object') return null;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, jsonOf(each, escape)]));
}
