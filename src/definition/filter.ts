import * as z from 'zod';
import { filterKinds, type FilterStep } from '../extract/filter/all.ts';
import type { FilterKind } from '../extract/filter/kind.ts';
import { got } from '../schema/expected.ts';
import { didYouMean } from '../schema/near-name.ts';
import { strict } from '../schema/strict.ts';
import { expectation } from './problem.ts';

const kinds: Readonly<Record<string, FilterKind<FilterStep>>> = filterKinds;

const names = Object.keys(kinds);

/** Filters that need nothing but their name. */
const plain = names.filter((name) => kinds[name]?.isPlain);

/** The schemas of what follows a filter's name, by name. */
const forms = new Map(
  Object.entries(kinds).flatMap(([type, { options, only }]) => {
    if (options === undefined) return [];
    const shape = options(z);
    const own = only === undefined ? undefined : shape[only];
    const form = own === undefined ? strict(shape) : own.transform((option) => ({ [String(only)]: option }));
    return [[type, form.transform((given) => ({ type, ...(given as object) }) as FilterStep)] as const];
  }),
);

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
  .meta({ anyOf: [{ enum: plain }, { type: 'object', minProperties: 1, maxProperties: 2 }] });
export type Filter = z.infer<typeof Filter>;

interface Fault {
  readonly message: string;
  readonly path?: readonly PropertyKey[];
}

type ReadStep =
  | { readonly ok: true; readonly step: FilterStep }
  | { readonly ok: false; readonly issues: readonly Fault[] };

function byName(name: string): ReadStep {
  // The name of a filter without options is the whole of its step.
  if (plain.includes(name)) return { ok: true, step: { type: name } as FilterStep };
  const message = forms.has(name)
    ? `expected what the filter "${name}" takes, like ${kinds[name]?.example ?? ''}`
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
  const form = forms.get(name);
  if (form === undefined) {
    const isPlain = plain.includes(name);
    const message = isPlain ? `the filter "${name}" takes nothing: write its name alone` : unknownFilter(name);
    return { ok: false, issues: [{ message, path: [name] }] };
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

/** Filters that are called otherwise in other tools and languages. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ['strip', 'trim'],
  ['lowercase', 'lower'],
  ['uppercase', 'upper'],
  ['int', 'number'],
  ['float', 'number'],
  ['parseFloat', 'number'],
  ['re', 'regex'],
  ['match', 'regex'],
  ['sub', 'replace'],
  ['slice', 'cut'],
  ['truncate', 'cut'],
]);

function unknownFilter(name: string): string {
  const own = otherNames.get(name);
  const told =
    own === undefined
      ? didYouMean(name, names, `, expected one of ${names.join(', ')}`)
      : `: it is called "${own}" here`;
  return `unknown filter "${name.slice(0, 80)}"${told}`;
}
