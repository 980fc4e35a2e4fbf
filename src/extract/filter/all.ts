import { checkedText } from '../../schema/checked-text.ts';
import type { FilterFunction } from '../value/function.ts';
import { isBlank, readValue, type ScalarRule } from '../value/all.ts';
import { type DateOptions, dateOptions } from '../value/date-format.ts';
import { type DecimalOption, decimalOption } from '../value/decimal.ts';
import { compileJsonPath, isSingularPath, jsonPathFault } from '../value/json-path.ts';
import { type MoneyOptions, moneyOptions } from '../value/money.ts';
import { longLength } from '../value/plain-text.ts';
import { isList, maxElements, type Value } from '../value/value.ts';
import { readAmount } from './amount.ts';
import { bounded, type CompiledFilter, eachOf, type FilterKind, onTexts, refuse, textFor } from './kind.ts';
import { lines } from './lines.ts';
import { capture, patternOption, replaceAll } from './pattern.ts';

export interface PlainStep {
  readonly type: 'trim' | 'upper' | 'lower' | 'collapse';
}

const number: FilterKind<{ readonly type: 'number' } & DecimalOption> = {
  options: (z) => ({ decimal: decimalOption(z) }),
  isPlain: true,
  compile: ({ decimal }) =>
    onTexts((text) => (isBlank(text) ? text : (readAmount(text, decimal) ?? refuse(text, 'one number')))),
};

const money: FilterKind<{ readonly type: 'money' } & MoneyOptions> = {
  options: moneyOptions,
  isPlain: true,
  compile: readAs,
};

const url: FilterKind<{ readonly type: 'url' }> = { isPlain: true, compile: readAs };

const date: FilterKind<{ readonly type: 'date' } & DateOptions> = {
  options: dateOptions,
  isPlain: true,
  compile: readAs,
};

/** Reads a text as JSON; with a path, gives what is there: the first for a path that leads to one place, else a list. */
const json: FilterKind<{ readonly type: 'json'; readonly path?: string }> = {
  options: (z) => ({ path: checkedText(z, 'a JSON path of RFC 9535', jsonPathFault) }),
  only: 'path',
  isPlain: true,
  isSlow: true,
  compile: ({ path }) => readJson(path),
};

/** Replaces all matches; in `to`, `$1` and `$<name>` are groups of the pattern. */
const replace: FilterKind<{ readonly type: 'replace'; readonly from: string; readonly to: string }> = {
  options: (z) => ({ from: patternOption(z), to: z.string().max(1_000) }),
  isSlow: true,
  example: '{replace: {from: "a+", to: "b"}}',
  compile: ({ from, to }) => onTexts(replaceAll(from, to)),
};

const regex: FilterKind<{ readonly type: 'regex'; readonly pattern: string }> = {
  options: (z) => ({ pattern: patternOption(z) }),
  only: 'pattern',
  isSlow: true,
  example: String.raw`{regex: "(\\d+)"}`,
  compile: (step) => onTexts(capture(step.pattern)),
};

const split: FilterKind<{ readonly type: 'split'; readonly by: string }> = {
  options: (z) => ({ by: z.string().min(1).max(100) }),
  only: 'by',
  example: '{split: ","}',
  compile:
    ({ by }) =>
    (value) =>
      value === null ? null : partsOf(value, by),
};

/** Keeps the beginning of a text. */
const cut: FilterKind<{ readonly type: 'cut'; readonly characters: number }> = {
  options: (z) => ({ characters: z.int().min(1).max(longLength) }),
  only: 'characters',
  example: '{cut: 1000}',
  // Half of a character that takes two code units would be none.
  compile: ({ characters }) => onTexts((text) => text.slice(0, characters).replace(/[\ud800-\udbff]$/, '')),
};

const join: FilterKind<{ readonly type: 'join'; readonly by: string }> = {
  options: (z) => ({ by: z.string().max(1_000) }),
  only: 'by',
  example: '{join: " "}',
  compile:
    ({ by }) =>
    (value) =>
      isList(value) ? joined(value, by) : value,
};

/** Replaces texts by the values that the map has for them. Without `else`, a text that the map does not name is refused. */
const map: FilterKind<{
  readonly type: 'map';
  readonly values: Readonly<Record<string, Value>>;
  readonly else?: Value;
}> = {
  options: (z) => ({ values: z.record(z.string().max(1_000), z.json()) }),
  only: 'values',
  example: '{map: {Ja: true, Nein: false}}',
  compile({ values, else: otherwise }) {
    const names = Object.keys(values).slice(0, 20).join(', ');
    return onTexts((text) => {
      if (Object.hasOwn(values, text)) return values[text] ?? null;
      return otherwise === undefined ? refuse(text, `one of ${names}`) : otherwise;
    });
  },
};

const byDefault: FilterKind<{ readonly type: 'default'; readonly value: Value }> = {
  options: (z) => ({ value: z.json() }),
  only: 'value',
  example: '{default: 0}',
  compile: (step) => (value) => (value === null || isBlank(value) ? step.value : value),
};

/**
 * The kinds of filters, in the order in which they are listed for people. On a list a filter works on each element, but for
 * `split`, `join` and `default`, which take the whole. `null` passes through all but `default`.
 */
export const filterKinds = {
  trim: plain((text) => text.trim()),
  upper: plain((text) => bounded(text.toUpperCase())),
  lower: plain((text) => bounded(text.toLowerCase())),
  collapse: plain((text) => text.replaceAll(/\s+/g, ' ').trim()),
  url,
  number,
  money,
  date,
  json,
  replace,
  regex,
  lines,
  cut,
  split,
  join,
  map,
  default: byDefault,
} as const;

/** A filter with its options, as plain data. */
export type FilterStep = Parameters<(typeof filterKinds)[keyof typeof filterKinds]['compile']>[0];

/** A change of a value after it is taken and before it is read as its type. */
export type FilterPlan = FilterStep | FilterFunction;

/** Returns the kind of a filter. */
export function filterKind({ type }: FilterStep): FilterKind<FilterStep> {
  return filterKinds[type];
}

/** Compiles a filter. Throws if a pattern or a path of it is not valid. */
export function compileFilter(plan: FilterPlan): CompiledFilter {
  if (typeof plan !== 'function') return filterKind(plan).compile(plan);
  return (value) => (isList(value) ? value.map((each) => changedBy(plan, each)) : changedBy(plan, value));
}

/**
 * Returns what a plug-in's function makes of a value: `null` if it returns nothing, the value unchanged if it returns an empty text. If it
 * throws, the value is refused with the message of the error.
 */
function changedBy(change: FilterFunction, value: Value): Value {
  try {
    const changed: Value | undefined = change(value);
    return changed === '' ? value : (changed ?? null);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return refuse(value, `a value; filter "${filterName(change)}" had an error: ${message}`);
  }
}

/** Returns the name of a filter for people; that of a function is its own. */
export function filterName(plan: FilterPlan): string {
  return typeof plan === 'function' ? plan.name || 'function' : plan.type;
}

/** A filter of texts that needs nothing but its name. */
function plain(change: (text: string) => Value): FilterKind<PlainStep> {
  return { isPlain: true, compile: () => onTexts(change) };
}

function readAs(rule: ScalarRule): CompiledFilter {
  return (value, base, observedAt) =>
    eachOf(value, (each) => {
      // What an empty text means is for the type of the field to say.
      if (isBlank(each)) return each;
      const read = readValue(each, rule, base, observedAt);
      return read.ok ? read.value : refuse(each, read.expected);
    });
}

/** Parts are trimmed, and empty ones left out: nobody tracks the space behind a comma. */
function partsOf(value: Value, by: string): Value {
  const texts = isList(value) ? value.filter((each) => each !== null).map(textFor) : [textFor(value)];
  const parts: string[] = [];
  for (const text of texts) {
    const cut = text.split(by, maxElements + 1);
    parts.push(...cut.map((part) => part.trim()).filter((part) => part !== ''));
    if (cut.length > maxElements || parts.length > maxElements) refuse(value, `at most ${maxElements} parts`);
  }
  return parts;
}

function joined(values: readonly Value[], by: string): Value {
  return bounded(
    values
      .filter((each) => each !== null)
      .map(textFor)
      .join(by),
  );
}

function readJson(path: string | undefined): CompiledFilter {
  const found = path === undefined ? undefined : compileJsonPath(path);
  const isSingular = path !== undefined && isSingularPath(path);
  return (value, base) => {
    if (isBlank(value)) return value;
    // What is JSON already, such as a list, is looked into as a whole.
    const read = typeof value === 'string' ? readValue(value, { type: 'json' }, base) : { ok: true as const, value };
    if (!read.ok) return refuse(value, read.expected);
    if (found === undefined || read.value === null) return read.value;
    const values = found(read.value);
    return isSingular ? (values[0] ?? null) : [...values];
  };
}
