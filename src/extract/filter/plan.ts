import type { Value } from '../draft.ts';
import type { DateOptions } from '../value/rule.ts';

/** One change of a value between its being taken and its being read as a type; a function in plug-ins only. */
export type FilterPlan = FilterStep | FilterFunction;

export type FilterFunction = (value: Value) => Value;

/** Filters as plain data. */
export type FilterStep =
  | { readonly type: 'trim' | 'upper' | 'lower' | 'collapse' | 'url' }
  /** `from` is a pattern of RE2; in `to`, `$1` and `$<name>` are its groups. */
  | { readonly type: 'replace'; readonly from: string; readonly to: string }
  | { readonly type: 'regex'; readonly pattern: string }
  | { readonly type: 'split' | 'join'; readonly by: string }
  | { readonly type: 'number'; readonly decimal?: '.' | ',' }
  | { readonly type: 'money'; readonly currency?: string; readonly decimal?: '.' | ',' }
  | ({ readonly type: 'date' } & DateOptions)
  | { readonly type: 'unit'; readonly to: string; readonly decimal?: '.' | ',' }
  /** Without `else`, what the map does not name is refused. */
  | { readonly type: 'map'; readonly values: Readonly<Record<string, Value>>; readonly else?: Value }
  | { readonly type: 'default'; readonly value: Value }
  /** Reads a text as JSON; with a path, what is there: the first for a path that leads to one place, else a list. */
  | { readonly type: 'json'; readonly path?: string };
