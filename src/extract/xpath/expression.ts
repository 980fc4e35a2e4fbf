/** A parsed expression of XPath 1.0. */
export type Expression =
  | { readonly kind: 'literal'; readonly value: string | number }
  | { readonly kind: 'negate'; readonly of: Expression }
  | { readonly kind: 'binary'; readonly operator: Operator; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] }
  | Path;

/** An operator between two expressions. */
export type Operator = 'or' | 'and' | Comparison | '+' | '-' | '*' | 'div' | 'mod' | '|';

/** An operator that compares, whose result is a boolean. */
export type Comparison = '=' | '!=' | '<' | '<=' | '>' | '>=';

/** Steps from the root, from the context, or from what an expression found. */
export interface Path {
  readonly kind: 'path';
  readonly from: 'root' | 'context' | Filtered;
  readonly steps: readonly LocationStep[];
}

/** The nodes of an expression, filtered: `(//a)[1]`. */
export interface Filtered {
  readonly of: Expression;
  readonly predicates: readonly Expression[];
}

/** One step of a path: `child::a[1]`. */
export interface LocationStep {
  readonly axis: Axis;
  readonly test: NodeTest;
  readonly predicates: readonly Expression[];
}

/** The axes of XPath 1.0, but for `namespace`. */
export const axes = [
  'child',
  'descendant',
  'descendant-or-self',
  'self',
  'parent',
  'ancestor',
  'ancestor-or-self',
  'following-sibling',
  'preceding-sibling',
  'following',
  'preceding',
  'attribute',
] as const;
/** The direction in which a step goes. */
export type Axis = (typeof axes)[number];

/** Which nodes of an axis a step takes. A name is as it is written, with its prefix; `*` is any, `media:*` any with that prefix. */
export type NodeTest =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'node' | 'text' | 'comment' | 'processing-instruction' };
