import { load } from 'cheerio/slim';
import type { Document, ParentNode } from 'domhandler';
import { parseDocument } from 'htmlparser2';
import { baseUrlOf } from '../extract/document/html.ts';
import type { Unparsed } from '../view/scrape.ts';
import type { Value } from '../extract/value/value.ts';
import type { Query, Reader, ReadPage, Rules } from '../provider/define.ts';
import { expectation, unfolded } from '../definition/problem.ts';
import { ruleSchemas } from '../definition/rule.ts';
import type { FieldPlan } from '../extract/rule/plan.ts';
import { type EvaluatedRules, type EvaluateOptions, evaluateRules } from '../extract/rule/rules.ts';
import { fieldPlans } from '../provider/plans.ts';

/** A Cheerio instance for all pages, as making one costs as much as parsing a page. */
const shared = load('');

/** The largest number of unparsed values that are kept of one page. */
const maxUnparsed = 1_000;

/** The reader that `read` gets, and the values that its rules could not read. */
export interface OpenReader {
  readonly reader: Reader<unknown>;
  readonly unparsed: readonly Omit<Unparsed, 'record'>[];
}

/**
 * Opens the reader of a page. The tree is built when it is first used.
 *
 * @param tell - called with each value that rules could not read.
 */
export function openReader(
  page: Pick<ReadPage, 'url' | 'text'>,
  options: unknown,
  tell?: (unread: OpenReader['unparsed'][number]) => void,
): OpenReader {
  const unparsed: Omit<Unparsed, 'record'>[] = [];
  let tree: Document | undefined;
  const root = (): Document => (tree ??= parseDocument(page.text));

  const $: Query = Object.assign(
    (selector: Parameters<typeof shared>[0], context?: Parameters<typeof shared>[1]) =>
      shared(selector, context ?? root(), root()),
    { root: () => shared(root()) },
  ) as Query;
  const rules = (...args: readonly [Rules] | readonly [ParentNode | Value, Rules]): Record<string, Value> => {
    const [from, given] = args.length === 1 ? [root(), args[0]] : args;
    // Few pages have a base; looking for one in the text is cheaper than in the tree.
    const base = /<base\s/i.test(page.text) ? baseUrlOf(root(), page.url) : page.url;
    const found = readRules(from, given, { base, url: page.url });
    unparsed.push(...found.unparsed.slice(0, maxUnparsed - unparsed.length));
    if (tell !== undefined) found.unparsed.forEach(tell);
    return { ...found.fields };
  };
  return { reader: Object.freeze({ options, $, rules }), unparsed };
}

const { Fields } = ruleSchemas(true);

/** Rules as plug-ins write them are kept read by their object, as they are the same for every page. */
const knownRules = new WeakMap<object, readonly FieldPlan[]>();

/**
 * Evaluates rules that a plug-in gives in the forms of a definition, where functions may stand for `take` and for filters. Throws
 * a `TypeError` that names the place of what is wrong in the rules.
 */
export function readRules(root: ParentNode | Value, rules: object, options: EvaluateOptions = {}): EvaluatedRules {
  const plans = knownRules.get(rules) ?? plansOf(rules);
  knownRules.set(rules, plans);
  return evaluateRules(root, plans, options);
}

function plansOf(rules: object): readonly FieldPlan[] {
  const parsed = Fields.safeParse(rules, { error: expectation });
  if (parsed.success) return fieldPlans(parsed.data);
  const [first] = parsed.error.issues.flatMap(unfolded);
  throw new TypeError(`rules: ${first?.path.join('.') ?? ''}: ${first?.message ?? 'not valid'}`);
}
