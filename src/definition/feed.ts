import * as z from 'zod';
import { expected } from '../schema/expected.ts';
import { Rule } from './rule.ts';
import { Interval } from '../schema/duration.ts';
import { strict } from '../schema/strict.ts';
import { UrlPattern } from './url-pattern.ts';

const Param = z.string().min(1).max(100);

/** How many items a page holds: more at the first visit, which has everything to see. */
const PageSize = strict({
  param: Param,
  first: z.int().min(1).max(10_000),
  later: z.int().min(1).max(10_000),
});

/** A list whose newest items come first, page by page. */
export const Feed = strict({
  /** How pages are told apart: by number, by how many items came before, by a cursor, or by a link. */
  by: z.enum(['page', 'offset', 'cursor', 'link']),
  /** The address of the pages behind the first, with a placeholder called as `by` is, and those of the source's `url`. */
  url: UrlPattern.exactOptional(),
  /** The parameter that names the page. Default: the value of `by`. */
  param: Param.exactOptional(),
  /** Where the parameter stands: in the address, or in the request's form or JSON body. */
  in: z.enum(['query', 'form', 'json']).default('query'),
  /** The number or offset of the first page. Default: page 1, offset 0. */
  start: z.int().min(0).exactOptional(),
  /** The rule for what leads to the next page; the list ends where it finds nothing. Default, for links: `rel=next` of the `Link` header, then of the page. */
  next: Rule.exactOptional(),
  size: PageSize.exactOptional(),
  /** Pages of a visit that meets nothing known, at most. The first visit goes to the end. */
  maxPages: z.int().min(1).max(10_000).default(5),
  /** How often a visit goes on past known items, as older ones may have changed or gone: to the end, or for so many pages. */
  revisit: strict({ every: Interval, pages: z.int().min(2).max(10_000).exactOptional() }).exactOptional(),
  /** Whether a list without any item is no failure. */
  mayBeEmpty: z.boolean().default(false),
}).refine(({ by, next }) => by !== 'cursor' || next !== undefined, {
  ...expected('"next", the rule that finds the cursor'),
  path: ['next'],
});
export type Feed = z.infer<typeof Feed>;
