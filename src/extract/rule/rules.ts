import { type ParentNode, isDocument } from 'domhandler';
import type { Unparsed, Value } from '../draft.ts';
import type { FieldPlan } from '../plan.ts';
import { compileField, type CompiledField } from './compile.ts';
import { evaluate } from './evaluate.ts';
import { JsonSpot, pageContext, type Spot } from './spot.ts';

/** What rules gave. A field whose place is missing is not named. */
export interface EvaluatedRules {
  readonly fields: Readonly<Record<string, Value>>;
  /** What was found and could not be read. */
  readonly unparsed: readonly Omit<Unparsed, 'record'>[];
}

export interface EvaluateOptions {
  /** What relative addresses are relative to; without it they stay as they are written. */
  readonly base?: string;
  readonly document?: 'html' | 'xml';
}

/** A function of a rule that threw. Its page has no record; the message names page and field. */
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
const compiled = new WeakMap<readonly FieldPlan[], Map<boolean, readonly CompiledField[]>>();

/**
 * Evaluates rules in a tree, or in a value, for plug-ins: `take` and filters may be functions there. Throws a `RuleError` where a
 * `take` throws; what a filter throws is told as evidence.
 */
export function evaluateRules(
  root: ParentNode | Value,
  rules: readonly FieldPlan[],
  { base = '', document = 'html' }: EvaluateOptions = {},
): EvaluatedRules {
  const spot: Spot = isNode(root) ? root : new JsonSpot(root);
  const page = pageContext(isNode(root) && isDocument(root) ? root : undefined, base);
  const fields: Record<string, Value> = {};
  const unparsed: Omit<Unparsed, 'record'>[] = [];
  for (const rule of compiledOf(rules, document === 'xml')) {
    const { name } = rule.plan;
    const { value, lost } = evaluated();
    if (value !== undefined) fields[name] = value;
    for (const { path, text, expected } of lost) unparsed.push({ field: `${name}${path}`, text, expected });

    function evaluated(): ReturnType<typeof evaluate> {
      try {
        return evaluate(rule, spot, page);
      } catch (error) {
        throw new RuleError(base, name, error);
      }
    }
  }
  return { fields, unparsed };
}

function compiledOf(rules: readonly FieldPlan[], isXml: boolean): readonly CompiledField[] {
  const known = compiled.get(rules) ?? new Map<boolean, readonly CompiledField[]>();
  compiled.set(rules, known);
  const found = known.get(isXml) ?? rules.map((rule) => compileField(rule, { isXml, isScoped: true }));
  known.set(isXml, found);
  return found;
}

function isNode(root: ParentNode | Value): root is ParentNode {
  return typeof root === 'object' && root !== null && 'nodeType' in root && 'children' in root;
}
