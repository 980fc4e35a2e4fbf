import * as z from 'zod';
import type { Value } from '../extract/draft.ts';
import type { FilterPlan } from '../extract/filter/plan.ts';
import type { EmbeddedPlan, TakeFunction } from '../extract/plan.ts';
import { expected, got } from './expected.ts';
import { Filter } from './filter.ts';
import type { Issue } from './reference.ts';
import { JsonPath, Selector, shortFault, type ShortPlace, shortPlace, XPath } from './selector.ts';
import { strict } from './strict.ts';

/** One place, what of it is taken, and what is done to that. */
export interface Place extends ShortPlace {
  readonly in?: EmbeddedPlan;
  readonly meta?: string;
  readonly const?: Value;
  readonly take?: 'text' | 'spaced' | 'html' | 'outer' | TakeFunction;
  readonly trim?: boolean;
  readonly filters?: readonly FilterPlan[];
}

/** Where JSON stands in a page of HTML. */
const Embedded = z.union([
  z.enum(['ld+json', 'microdata']),
  strict({ script: Selector }),
  strict({
    variable: z
      .string()
      .regex(/^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*$/, expected('the name of a variable'))
      .max(200),
  }),
]);

/** What may say where a place is; one of them does. */
const places = {
  css: Selector.exactOptional(),
  xpath: XPath.exactOptional(),
  json: JsonPath.exactOptional(),
  /** The name or property of a `<meta>`, such as `og:title`. */
  meta: z.string().min(1).max(200).exactOptional(),
  /** This value, whatever the page says. */
  const: z
    .unknown()
    .transform((value) => value as Value)
    .exactOptional(),
};

const words = z.enum(['text', 'spaced', 'html', 'outer']);

/** In plug-ins a function may stand where a definition has words. */
function functionOf<F>(): z.ZodType<F> {
  return z
    .unknown()
    .superRefine((input, context) => {
      if (typeof input !== 'function')
        context.addIssue({ code: 'invalid_type', expected: 'function', message: got(input, 'a function'), input });
    })
    .transform((input) => input as F);
}

/** The keys of one place. `forPlugin` lets functions stand for `take` and filters. */
export function placeShape(forPlugin: boolean) {
  const Take: z.ZodType<Exclude<Place['take'], undefined>> = forPlugin
    ? z.union([words, functionOf<TakeFunction>()])
    : words;
  const EachFilter: z.ZodType<FilterPlan> = forPlugin
    ? z.union([functionOf<Extract<FilterPlan, (...given: never) => unknown>>(), Filter])
    : Filter;
  return {
    ...places,
    /** Where the JSON stands that `json` looks into. */
    in: Embedded.exactOptional(),
    attr: z
      .string()
      .regex(/^[^\s"'<>/=]{1,100}$/, expected('the name of an attribute'))
      .exactOptional(),
    take: Take.exactOptional(),
    /** Whether white space around text is taken off. Default: it is. */
    trim: z.boolean().exactOptional(),
    /** Run from left to right between taking and typing. */
    filters: z.array(EachFilter).min(1).max(50).exactOptional(),
  };
}

/** A place in its short form. */
export const ShortText = z
  .string()
  .max(1_000)
  .superRefine((text, context) => {
    const message = shortFault(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message, input: text });
  })
  .transform((text): Place => normalShort(shortPlace(text)));

/** The present element by itself gives its text. */
function normalShort(place: ShortPlace): Place {
  return Object.keys(place).length === 0 ? { take: 'text' } : place;
}

/** Where each record of a page stands. */
export interface EachPlace {
  readonly css?: string;
  readonly xpath?: string;
  readonly json?: string;
  readonly in?: EmbeddedPlan;
}

const ShortEach = z
  .string()
  .max(1_000)
  .superRefine((text, context) => {
    const message = shortFault(text) ?? eachFault(shortPlace(text));
    if (message !== undefined) context.addIssue({ code: 'custom', message, input: text });
  })
  .transform((text): EachPlace => shortPlace(text));

function eachFault({ attr, ...place }: ShortPlace): string | undefined {
  return attr === undefined && Object.keys(place).length > 0
    ? undefined
    : 'expected places that hold fields, got an attribute or "."';
}

/** A selector, XPath or JSON path, short or long. */
export const EachPlace: z.ZodType<EachPlace> = z.union([
  ShortEach,
  strict({
    css: Selector.exactOptional(),
    xpath: XPath.exactOptional(),
    json: JsonPath.exactOptional(),
    in: Embedded.exactOptional(),
  }).superRefine((given, context) => {
    for (const { path, message } of placeFaults(given)) context.addIssue({ code: 'custom', path: [...path], message });
  }),
]);

/** Keys of which a place has one. */
export const placeKeys = ['css', 'xpath', 'json', 'meta', 'const'] as const;

/** What the keys of one place get wrong of each other; `others` are keys that may stand for a place as well. */
export function placeFaults(place: Place, others: readonly string[] = [], isSelfEnough = false): readonly Issue[] {
  const given = [...placeKeys, ...others].filter((key) => Object.hasOwn(place, key));
  const [first, second] = given;
  if (first !== undefined && second !== undefined)
    return [{ path: [second], message: `expected one place, got ${given.join(' and ')}` }];
  const isSelf = isSelfEnough || place.attr !== undefined || place.take !== undefined;
  if (first === undefined && !isSelf)
    return [{ path: [], message: `missing a place, expected one of ${[...placeKeys, ...others].join(', ')}` }];
  return [...misplaced(place, first)];
}

function* misplaced({ attr, take, in: where }: Place, by: string | undefined): Generator<Issue> {
  if (where !== undefined && by !== 'json') yield { path: ['in'], message: got(where, 'a "json" path beside it') };
  if (attr !== undefined && take !== undefined)
    yield { path: ['take'], message: 'expected "attr" or "take", got both' };
  if (attr !== undefined && by !== undefined && !['css', 'xpath', 'any'].includes(by))
    yield { path: ['attr'], message: `expected an element to take it from, got "${by}"` };
}
