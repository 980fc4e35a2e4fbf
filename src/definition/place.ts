import * as z from 'zod';
import type { Value } from '../extract/value/value.ts';
import type { FilterPlan } from '../extract/filter/all.ts';
import type { FromPlan } from '../extract/rule/from.ts';
import type { TakeFunction } from '../extract/value/function.ts';
import type { PageFact } from '../extract/rule/plan.ts';
import { embeddedKinds, type EmbeddedPlan } from '../extract/embedded/all.ts';
import type { EmbeddedKind } from '../extract/embedded/kind.ts';
import { defined } from '../defined.ts';
import { faultCheck } from '../schema/checked-text.ts';
import { expected, got, type Issue } from '../schema/expected.ts';
import { Filter } from './filter.ts';
import { JsonPath, Selector, shortFault, type ShortPlace, shortPlace, XPath } from './selector.ts';
import { strict } from '../schema/strict.ts';

/** A place in a page, the value taken from it, and the filters of that value. */
export interface Place extends ShortPlace {
  readonly in?: EmbeddedPlan;
  readonly meta?: string;
  readonly const?: Value;
  readonly page?: PageFact;
  readonly from?: readonly FromPlan[];
  readonly take?: 'text' | 'spaced' | 'lines' | 'html' | 'outer' | 'markdown' | TakeFunction;
  readonly trim?: boolean;
  readonly filters?: readonly FilterPlan[];
}

/** Where JSON stands in a page of HTML: the name of a kind, or a mapping of its name to a text that picks one of several. */
const Embedded = embeddedSchema();

function embeddedSchema(): z.ZodType<EmbeddedPlan> {
  const kinds = Object.entries<EmbeddedKind>(embeddedKinds);
  const alone = kinds.flatMap(([name, { option }]) => (option === undefined ? [name] : []));
  const mappings = kinds.flatMap(([name, { option }]) => (option === undefined ? [] : [strict({ [name]: option(z) })]));
  const schema: z.ZodType = z.union([z.enum(alone), ...mappings]);
  return schema as z.ZodType<EmbeddedPlan>;
}

/** The keys that name a place; a rule has one of them. */
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
  /** The page's address, the status that it came with, or the place of the record among those of its type on it, from 1. */
  page: z.enum(['url', 'status', 'position']).exactOptional(),
};

const ways = ['next', 'previous', 'parent'] as const;

/** A way to the nearest element of all. A text, so that a mapping is not told to be an unknown word. */
const Way = z
  .string()
  .pipe(z.enum(ways))
  .transform((to): FromPlan => ({ to }));

const Heading = z.string().regex(/\S/, expected('the text of a heading')).max(200);

/** A way to the nearest element that fits a selector, or to a cell of the same row. */
const FittingWay = strict(
  {
    next: Selector.exactOptional(),
    previous: Selector.exactOptional(),
    parent: Selector.exactOptional(),
    /** The heading of the cell's column, or several, one above the other. */
    column: z.union([Heading.transform((heading) => [heading]), z.array(Heading).min(1).max(5)]).exactOptional(),
  },
  { row: 'write `css: \'th:contains("…") + td\'` for the cell beside a heading' },
)
  .refine((given) => Object.keys(given).length === 1, {
    ...expected(`one of ${ways.join(', ')}, column`),
    // An unknown key is told by itself.
    when: ({ issues }) => issues.length === 0,
  })
  .transform((given): FromPlan => {
    if (given.column !== undefined) return { to: 'column', headings: given.column };
    const to = ways.find((each) => given[each] !== undefined) ?? 'next';
    return { to, ...defined({ css: given[to] }) };
  });

/** One way, or several that are gone one after the other. */
const Ways = z.union([
  Way.transform((way) => [way]),
  FittingWay.transform((way) => [way]),
  z
    .array(z.union([Way, FittingWay]))
    .min(1)
    .max(10),
]);

const words = z.enum(['text', 'spaced', 'lines', 'html', 'outer', 'markdown']);

/** The schema of a function, which rules of plug-ins may have in place of words. */
function functionOf<F>(): z.ZodType<F> {
  return z
    .unknown()
    .superRefine((input, context) => {
      if (typeof input !== 'function')
        context.addIssue({ code: 'invalid_type', expected: 'function', message: got(input, 'a function'), input });
    })
    .transform((input) => input as F);
}

/** Returns the schemas of the keys of one place. With `forPlugin`, `take` and filters may be functions. */
export function placeShape(forPlugin: boolean) {
  const Take: z.ZodType<Exclude<Place['take'], undefined>> = forPlugin
    ? z.union([words, functionOf<TakeFunction>()])
    : words;
  const EachFilter: z.ZodType<FilterPlan> = forPlugin
    ? z.union([functionOf<Extract<FilterPlan, (...given: never) => unknown>>(), Filter])
    : Filter;
  return {
    ...places,
    /** The JSON within the page that `json` is a path in. */
    in: Embedded.exactOptional(),
    /** The way from the present element to the one that is searched, or taken itself. */
    from: Ways.exactOptional(),
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
  .max(1_000, { abort: true })
  .superRefine(faultCheck(shortFault))
  .transform((text): Place => normalShort(shortPlace(text)));

/** The place of a short form; one that names the present element alone takes its text. */
function normalShort(place: ShortPlace): Place {
  return Object.keys(place).length === 0 ? { take: 'text' } : place;
}

/** Where the records of a page stand. */
export type EachPlace = Pick<Place, 'css' | 'xpath' | 'json' | 'in'>;

const ShortEach = z
  .string()
  .max(1_000)
  .superRefine(faultCheck((text) => shortFault(text) ?? eachFault(shortPlace(text))))
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
  }).superRefine((given, context) => addIssues(placeFaults(given), context)),
]);

/** The keys that name a place; a place has exactly one of them. */
export const placeKeys = ['css', 'xpath', 'json', 'meta', 'const', 'page'] as const;

/** Checks the keys of one place against each other. `others` are further keys that may name a place; with `isSelfEnough` none is needed. */
export function placeFaults(place: Place, others: readonly string[] = [], isSelfEnough = false): readonly Issue[] {
  const given = [...placeKeys, ...others].filter((key) => Object.hasOwn(place, key));
  const [first, second] = given;
  if (first !== undefined && second !== undefined)
    return [{ path: [second], message: `expected one place, got ${given.join(' and ')}` }];
  const isSelf = isSelfEnough || place.from !== undefined || place.attr !== undefined || place.take !== undefined;
  if (first === undefined && !isSelf) {
    const self = others.length > 0 ? ', or take, attr or from for the present element' : '';
    return [{ path: [], message: `missing a place, expected one of ${[...placeKeys, ...others].join(', ')}${self}` }];
  }
  return [...misplaced(place, first)];
}

function* misplaced({ attr, take, in: where, from }: Place, by: string | undefined): Generator<Issue> {
  if (where !== undefined && by !== 'json') yield { path: ['in'], message: got(where, 'a "json" path beside it') };
  if (attr !== undefined && take !== undefined)
    yield { path: ['take'], message: 'expected "attr" or "take", got both' };
  if (from !== undefined && by !== undefined && !['css', 'xpath', 'any'].includes(by))
    yield { path: ['from'], message: `expected a place among elements to go to, got "${by}"` };
  if (attr !== undefined && by !== undefined && !['css', 'xpath', 'any'].includes(by))
    yield { path: ['attr'], message: `expected an element to take it from, got "${by}"` };
}

/** Adds issues that no schema finds to those of a schema. */
export function addIssues(issues: readonly Issue[], context: z.RefinementCtx): void {
  for (const { path, message } of issues) context.addIssue({ code: 'custom', path: [...path], message });
}
