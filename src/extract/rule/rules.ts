import { type ParentNode, isDocument } from 'domhandler';
import type { Value } from '../value/value.ts';
import type { FieldPlan } from './plan.ts';
import { type CompiledField, compileRule } from './compile.ts';
import { evaluate } from './evaluate.ts';
import { JsonSpot, pageContext, type Spot } from './spot.ts';

/** The values of rules by their names; a rule that found nothing has none. */
export interface EvaluatedRules {
  readonly fields: Readonly<Record<string, Value>>;
  /** Texts that are not of the type of their field. */
  readonly unparsed: readonly { readonly field: string; readonly text: string; readonly expected: string }[];
}

/** How rules of a plug-in are evaluated. */
export interface EvaluateOptions {
  /** The address that relative addresses are resolved against. Default: they stay as written. */
  readonly base?: string;
  /** The page's own address, which errors name. Default: `base`. */
  readonly url?: string;
}

/** Thrown if a function of a rule throws; the message names page and field. */
export class RuleError extends Error {
  override readonly name = 'RuleError';
  readonly url: string;
  readonly field: string;

  constructor(url: string, field: string, cause: unknown) {
    super(
      `${url === '' ? '' : `${url}: `}the function of "${field}" threw: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
    this.url = url;
    this.field = field;
  }
}

/** Rules that are evaluated again and again are compiled once; they are never changed. */
const compiled = new WeakMap<readonly FieldPlan[], readonly CompiledField[]>();

/**
 * Evaluates rules in a tree of HTML, or in a value, for plug-ins: `take` and filters may be functions there. Throws a `RuleError` where a
 * `take` throws; what a filter throws is told as evidence.
 */
export function evaluateRules(
  root: ParentNode | Value,
  rules: readonly FieldPlan[],
  { base = '', url = base }: EvaluateOptions = {},
): EvaluatedRules {
  const spot: Spot = isNode(root) ? root : new JsonSpot(root);
  const page = pageContext(isNode(root) && isDocument(root) ? root : undefined, base);
  const fields: Record<string, Value> = {};
  const unparsed: EvaluatedRules['unparsed'][number][] = [];
  for (const rule of compiledOf(rules)) {
    const { name } = rule.plan;
    const { value, lost } = evaluated();
    if (value !== undefined) fields[name] = value;
    for (const { path, text, expected } of lost) unparsed.push({ field: `${name}${path}`, text, expected });

    function evaluated(): ReturnType<typeof evaluate> {
      try {
        return evaluate(rule, spot, page);
      } catch (error) {
        throw new RuleError(url, name, error);
      }
    }
  }
  return { fields, unparsed };
}

function compiledOf(rules: readonly FieldPlan[]): readonly CompiledField[] {
  const known = compiled.get(rules) ?? rules.map((rule) => compileRule(rule, { isXml: false, isScoped: true }));
  compiled.set(rules, known);
  return known;
}

function isNode(root: ParentNode | Value): root is ParentNode {
  return typeof root === 'object' && root !== null && 'nodeType' in root && 'children' in root;
}
