/** A parsed expression of XPath 1.0. */
export type Expression =
  | { readonly kind: 'literal'; readonly value: string | number }
  | { readonly kind: 'negate'; readonly of: Expression }
  | { readonly kind: 'binary'; readonly operator: Operator; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] }
  | Path;

export type Operator = 'or' | 'and' | Comparison | '+' | '-' | '*' | 'div' | 'mod' | '|';

export type Comparison = '=' | '!=' | '<' | '<=' | '>' | '>=';

/** Steps from the root, from the context, or from what an expression found. */
export interface Path {
  readonly kind: 'path';
  readonly from: 'root' | 'context' | Filtered;
  readonly steps: readonly Step[];
}

export interface Filtered {
  readonly of: Expression;
  readonly predicates: readonly Expression[];
}

export interface Step {
  readonly axis: Axis;
  readonly test: NodeTest;
  readonly predicates: readonly Expression[];
}

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
export type Axis = (typeof axes)[number];

/** A name is as it is written, prefix and all; `*` is any, `media:*` any with that prefix. */
export type NodeTest =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'node' | 'text' | 'comment' | 'processing-instruction' };

/** What a function takes and gives: `nodes` arguments must be paths. */
interface Signature {
  readonly least: number;
  readonly most: number;
  readonly gives: 'nodes' | 'boolean' | 'number' | 'text';
  readonly takesNodes?: true;
}

export const signatures: ReadonlyMap<string, Signature> = new Map([
  ['last', { least: 0, most: 0, gives: 'number' }],
  ['position', { least: 0, most: 0, gives: 'number' }],
  ['count', { least: 1, most: 1, gives: 'number', takesNodes: true }],
  ['sum', { least: 1, most: 1, gives: 'number', takesNodes: true }],
  ['id', { least: 1, most: 1, gives: 'nodes' }],
  ['local-name', { least: 0, most: 1, gives: 'text', takesNodes: true }],
  ['name', { least: 0, most: 1, gives: 'text', takesNodes: true }],
  ['string', { least: 0, most: 1, gives: 'text' }],
  ['concat', { least: 2, most: 50, gives: 'text' }],
  ['starts-with', { least: 2, most: 2, gives: 'boolean' }],
  ['contains', { least: 2, most: 2, gives: 'boolean' }],
  ['substring-before', { least: 2, most: 2, gives: 'text' }],
  ['substring-after', { least: 2, most: 2, gives: 'text' }],
  ['substring', { least: 2, most: 3, gives: 'text' }],
  ['string-length', { least: 0, most: 1, gives: 'number' }],
  ['normalize-space', { least: 0, most: 1, gives: 'text' }],
  ['translate', { least: 3, most: 3, gives: 'text' }],
  ['boolean', { least: 1, most: 1, gives: 'boolean' }],
  ['not', { least: 1, most: 1, gives: 'boolean' }],
  ['true', { least: 0, most: 0, gives: 'boolean' }],
  ['false', { least: 0, most: 0, gives: 'boolean' }],
  ['number', { least: 0, most: 1, gives: 'number' }],
  ['floor', { least: 1, most: 1, gives: 'number' }],
  ['ceiling', { least: 1, most: 1, gives: 'number' }],
  ['round', { least: 1, most: 1, gives: 'number' }],
]);

/** What an expression's value is; XPath 1.0 settles it before anything runs. */
export function typeOf(expression: Expression): Signature['gives'] {
  switch (expression.kind) {
    case 'literal':
      return typeof expression.value === 'number' ? 'number' : 'text';
    case 'negate':
      return 'number';
    case 'call':
      return signatures.get(expression.name)?.gives ?? 'text';
    case 'path':
      return 'nodes';
    case 'binary':
      if (expression.operator === '|') return 'nodes';
      return /^(?:[-+*]|div|mod)$/.test(expression.operator) ? 'number' : 'boolean';
    default:
      return expression satisfies never;
  }
}
