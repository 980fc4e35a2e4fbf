import * as z from 'zod';
import { jsonPathFault } from '../extract/document/json-path.ts';
import { patternFault } from '../extract/filter/pattern.ts';
import type { FilterStep } from '../extract/filter/plan.ts';
import { unitNames } from '../extract/filter/unit.ts';
import { got } from './expected.ts';
import { nearName } from './near-name.ts';
import { expectation } from './problem.ts';
import { strict } from './strict.ts';
import { Currency, dateOptions, decimal } from './value-option.ts';

/** A regular expression of RE2, which takes as long as the text is long. */
const Pattern = checked('a regular expression of RE2', patternFault);

/** A path of RFC 9535. */
const JsonPath = checked('a JSON path of RFC 9535', jsonPathFault);

const text = z.string().max(1_000);
const separator = z.string().min(1).max(100);
const units = z.enum(unitNames as [string, ...string[]]);

/** What follows a filter's name, by name. */
const forms = {
  replace: strict({ from: Pattern, to: text }).transform(({ from, to }): FilterStep => ({ type: 'replace', from, to })),
  regex: Pattern.transform((pattern): FilterStep => ({ type: 'regex', pattern })),
  split: separator.transform((by): FilterStep => ({ type: 'split', by })),
  join: text.transform((by): FilterStep => ({ type: 'join', by })),
  number: strict({ decimal }).transform((options): FilterStep => ({ type: 'number', ...options })),
  money: strict({ currency: Currency.exactOptional(), decimal }).transform((options): FilterStep => ({
    type: 'money',
    ...options,
  })),
  date: strict(dateOptions).transform((options): FilterStep => ({ type: 'date', ...options })),
  unit: strict({ to: units, decimal }).transform((options): FilterStep => ({ type: 'unit', ...options })),
  map: z.record(z.string().max(1_000), z.json()).transform((values): FilterStep => ({ type: 'map', values })),
  default: z.json().transform((value): FilterStep => ({ type: 'default', value })),
  json: JsonPath.transform((path): FilterStep => ({ type: 'json', path })),
} as const;

/** Filters that need nothing but their name. */
const plain = ['trim', 'upper', 'lower', 'collapse', 'url', 'number', 'money', 'date', 'json'] as const;

const names = [...new Set([...plain, ...Object.keys(forms)])];

/**
 * One step between taking a text and reading it as a type: a name, or a mapping of a name to what the filter takes, such as
 * `{ regex: "(\\d+)" }`. A map may have an `else` beside it.
 */
export const Filter = z
  .unknown()
  .transform((input, context): FilterStep => {
    const read = typeof input === 'string' ? byName(input) : byKey(input);
    if (read.ok) return read.step;
    for (const { message, path = [] } of read.issues)
      context.issues.push({ code: 'custom', message, path: [...path], input });
    return z.NEVER;
  })
  .meta({ anyOf: [{ enum: [...plain] }, { type: 'object', minProperties: 1, maxProperties: 2 }] });
export type Filter = z.infer<typeof Filter>;

interface Fault {
  readonly message: string;
  readonly path?: readonly PropertyKey[];
}

type ReadStep =
  | { readonly ok: true; readonly step: FilterStep }
  | { readonly ok: false; readonly issues: readonly Fault[] };

function byName(name: string): ReadStep {
  const found = plain.find((each) => each === name);
  if (found !== undefined) return { ok: true, step: { type: found } };
  const message = Object.hasOwn(forms, name)
    ? `expected what the filter "${name}" takes, like ${examples[name] ?? `{${name}: …}`}`
    : unknownFilter(name);
  return { ok: false, issues: [{ message }] };
}

function byKey(input: unknown): ReadStep {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return {
      ok: false,
      issues: [{ message: got(input, 'the name of a filter, or a mapping of one to what it takes') }],
    };
  const given = new Map<string, unknown>(Object.entries(input));
  const [name = '', ...others] = [...given.keys()].filter((key) => key !== 'else' || !given.has('map'));
  if (others.length > 0 || name === '')
    return {
      ok: false,
      issues: [{ message: `expected one filter in each mapping, got ${given.size}: ${[...given.keys()].join(', ')}` }],
    };
  const form = Object.entries(forms).find(([each]) => each === name)?.[1];
  if (form === undefined) {
    const isPlain = plain.some((each) => each === name);
    return {
      ok: false,
      issues: [
        {
          message: isPlain ? `the filter "${name}" takes nothing: write its name alone` : unknownFilter(name),
          path: [name],
        },
      ],
    };
  }
  const read = form.safeParse(given.get(name), { error: expectation });
  if (!read.success)
    return { ok: false, issues: read.error.issues.map(({ message, path }) => ({ message, path: [name, ...path] })) };
  return given.has('else') ? withElse(read.data, given.get('else')) : { ok: true, step: read.data };
}

function withElse(step: FilterStep, otherwise: unknown): ReadStep {
  const read = z.json().safeParse(otherwise, { error: expectation });
  if (!read.success)
    return { ok: false, issues: read.error.issues.map(({ message }) => ({ message, path: ['else'] })) };
  return { ok: true, step: step.type === 'map' ? { ...step, else: read.data } : step };
}

function unknownFilter(name: string): string {
  const near = nearName(name, names);
  const hint = near === undefined ? `, expected one of ${names.join(', ')}` : `; did you mean "${near}"?`;
  return `unknown filter "${name.slice(0, 80)}"${hint}`;
}

const examples: Readonly<Record<string, string>> = {
  replace: '{replace: {from: "a+", to: "b"}}',
  regex: String.raw`{regex: "(\\d+)"}`,
  split: '{split: ","}',
  join: '{join: " "}',
  unit: '{unit: {to: g}}',
  map: '{map: {Ja: true, Nein: false}}',
  default: '{default: 0}',
};

function checked(what: string, faultOf: (text: string) => string | undefined): z.ZodString {
  return z
    .string()
    .min(1)
    .max(1_000)
    .superRefine((input, context) => {
      const fault = faultOf(input);
      if (fault !== undefined)
        context.addIssue({ code: 'custom', message: `expected ${what}, got "${input}": ${fault}`, input });
    });
}
