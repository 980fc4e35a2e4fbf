import { isTag } from 'domhandler';
import { FilterError } from '../filter/kind.ts';
import { isLacking, isList, maxElements, type Value } from '../value/value.ts';
import type { CompiledBranch, CompiledObject, CompiledRule, CompiledValue, NamedFilter } from './compile.ts';
import { baseOf, JsonSpot, type PageContext, type Spot } from './spot.ts';
import { quoted } from '../value/plain-text.ts';
import { absolute } from '../tree/attribute.ts';
import { joinsDigits } from '../tree/text.ts';
import { isOfNumbers } from '../value/all.ts';
import { taken } from './take.ts';
import { spend } from '../../work-budget.ts';
import { keepsNull, lose, loseList, type Lost, type Precise, typed } from './typed.ts';

/** The result of a rule. It has no value if no place matches, unless it is a list, which is empty then, or if what was found could not be read. */
export interface Evaluated {
  readonly isFound: boolean;
  readonly value?: Value;
  readonly lost: readonly Lost[];
  /** Missing where every text says as much as its type does. Objects within the value do not tell. */
  readonly precise?: readonly Precise[];
}

/** How a rule came to its value, for people. */
export interface Trace {
  /** Which of the rule's places counted. */
  branch?: number;
  matches?: number;
  readonly steps: { readonly filter: string; readonly before: Value }[];
}

/** The work of a rule, of a match and of a filter, without that of the texts in it. */
const [ruleSteps, matchSteps, filterSteps] = [50, 20, 20];

const notFound: Evaluated = { isFound: false, lost: [] };

/**
 * Finds the value of a rule in an element or value. Pure, except for functions that plug-ins put into rules. Throws what a `take`
 * throws, and `TooManyParts` if the JSON within the page is too large.
 */
export function evaluate(rule: CompiledRule, from: Spot, page: PageContext, trace?: Trace): Evaluated {
  spend(ruleSteps);
  const { whenFound } = rule.plan;
  let chosen: Chosen | undefined;
  /** Whether a place that may have many matches has none. */
  let isSearched = false;
  for (const branch of rule.branches) {
    const matches = searched(branch, from, page, rule.most);
    if (matches instanceof FilterError) {
      if (trace !== undefined) trace.branch = rule.branches.indexOf(branch);
      return { isFound: true, lost: [{ path: '', text: matches.text, expected: matches.expected }] };
    }
    if (matches === undefined || matches.length === 0) {
      isSearched ||= matches !== undefined && !branch.isSingular;
      continue;
    }
    if (whenFound !== undefined) {
      if (trace !== undefined) trace.branch = rule.branches.indexOf(branch);
      return { isFound: true, value: whenFound, lost: [] };
    }
    const next = choose(rule, branch, matches, page, trace);
    if (!next.isSilent || chosen === undefined) chosen = next;
    if (!next.isSilent) break;
  }
  if (whenFound !== undefined) return { isFound: true, value: !whenFound, lost: [] };
  if (chosen !== undefined) return finish(rule, chosen, page, trace);
  return isSearched && rule.value.type === 'array' ? withoutMatch(rule.value, page) : notFound;
}

function searched(
  branch: CompiledBranch,
  from: Spot,
  page: PageContext,
  most: number,
): readonly Spot[] | undefined | FilterError {
  try {
    return branch.find(from, page, most);
  } catch (error) {
    if (error instanceof FilterError) return error;
    throw error;
  }
}

function withoutMatch(list: CompiledValue, { base, observedAt }: PageContext): Evaluated {
  const lost: Lost[] = [];
  const value = typed([], list, { base, observedAt, isGiven: false, lost, precise: [] });
  return { isFound: false, ...(value !== undefined && { value }), lost };
}

/** The result of one branch. */
interface Chosen {
  readonly branch: CompiledBranch;
  readonly matches: number;
  /** The base of relative addresses in the first match. */
  readonly base: string;
  /** Missing if it is lost. */
  readonly value: Value | undefined;
  readonly lost: Lost[];
  /** The steps of its filters; only for a trace. */
  readonly steps: Trace['steps'] | undefined;
  /** Whether the value is empty: null, blank, or a list of such values only. */
  readonly isSilent: boolean;
}

function choose(
  rule: CompiledRule,
  branch: CompiledBranch,
  matches: readonly Spot[],
  page: PageContext,
  trace: Trace | undefined,
): Chosen {
  const lost: Lost[] = [];
  const steps = trace === undefined ? undefined : [];
  const raw = rawValue(rule, branch, matches, page, lost);
  const base = baseOf(matches[0], page);
  const value = raw === undefined ? undefined : filtered(raw, branch.filters, base, page, lost, steps);
  const isSilent = value !== undefined && saysNothing(value);
  return { branch, matches: matches.length, base, value, lost, steps, isSilent };
}

function saysNothing(value: Value): boolean {
  if (isList(value)) return value.every(saysNothing);
  return value === null || (typeof value === 'string' && value.trim() === '');
}

function finish(rule: CompiledRule, chosen: Chosen, page: PageContext, trace: Trace | undefined): Evaluated {
  const { base, lost, steps } = chosen;
  const changed =
    chosen.value === undefined ? undefined : filtered(chosen.value, rule.filters, base, page, lost, steps);
  const precise: Precise[] = [];
  const { observedAt } = page;
  const typing = { base, observedAt, isGiven: false, lost, precise };
  const value = changed === undefined ? undefined : typed(changed, rule.value, typing);
  if (trace !== undefined) {
    trace.branch = rule.branches.indexOf(chosen.branch);
    trace.matches = chosen.matches;
    trace.steps.push(...(steps ?? []));
  }
  if (value === undefined) return { isFound: true, lost };
  return precise.length === 0 ? { isFound: true, value, lost } : { isFound: true, value, lost, precise };
}

/** Takes the matches of a branch as one value, a list for a rule of a list; undefined if it is lost. */
function rawValue(
  rule: CompiledRule,
  branch: CompiledBranch,
  matches: readonly Spot[],
  page: PageContext,
  lost: Lost[],
): Value | undefined {
  const [first] = matches;
  if (first === undefined) return null;
  // Where a place is of one value, that is the list itself; what is none is refused where types are read.
  if (rule.gathers && (matches.length > 1 || !(first instanceof JsonSpot))) return eachHeld(matches, rule.value);
  if (rule.value.type !== 'array' || (branch.isSingular && first instanceof JsonSpot)) return held(first, rule.value);
  return eachHeld(matches, rule.value.of);

  function eachHeld(all: readonly Spot[], of: CompiledValue): Value | undefined {
    if (all.length > maxElements) return loseList(lost, all.length);
    const values: Value[] = [];
    for (const match of all) {
      const value = held(match, of);
      if (value === undefined) return undefined;
      // An element that lacks the attribute gives nothing to a list.
      if (value !== null || keepsNull(of)) values.push(withOwnBase(value, match, of, page));
    }
    return values;
  }

  function held(match: Spot, as: CompiledValue): Value | undefined {
    const inside = match instanceof JsonSpot ? match.value : undefined;
    if (as.type === 'object' && inside !== null) return objectOf(as, match, page, lost);
    if (as.type === 'array' && inside !== undefined && isList(inside))
      return eachHeld(
        inside.map((each) => new JsonSpot(each)),
        as.of,
      );
    spend(matchSteps);
    const value = taken(match, branch.plan, page);
    if (typeof value === 'string') page.roomUnits -= value.length;
    if (page.roomUnits < 0) return lose(lost, '', 'no more than 64 Mi characters of all fields together');
    if (!(match instanceof JsonSpot) && isTag(match) && readsNumber(rule, branch, as) && joinsDigits(match))
      return lose(lost, quoted(value), oneNumber);
    return page.brokenCharset !== undefined && hasReplacement(value)
      ? lose(lost, quoted(value), `text whose bytes are of the charset ${page.brokenCharset}`)
      : value;
  }
}

const oneNumber =
  'one number, and not digits of several elements side by side; an XPath such as "concat(b, \'.\', sup)" joins them as they are meant';

/** Whether a number is read of the whole text of a match, by the first filter or else by the type. Other filters may leave a part of the text. */
function readsNumber(rule: CompiledRule, branch: CompiledBranch, as: CompiledValue): boolean {
  const { attr, take } = branch.plan;
  if (attr !== undefined || (take !== 'text' && take !== 'spaced' && take !== 'lines')) return false;
  const [first] = [...branch.filters, ...rule.filters];
  return first === undefined ? as.type === 'scalar' && isOfNumbers(as.rule) : /^(?:number|money)$/.test(first.name);
}

/** Whether a value has the character that stands for bytes which are none of the page's charset. */
function hasReplacement(value: Value): boolean {
  return (typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : '').includes(
    '\u{fffd}',
  );
}

/** The addresses of a list may have different bases, while the list is read with that of its first element. */
function withOwnBase(value: Value, match: Spot, of: CompiledValue, page: PageContext): Value {
  const isAddress =
    page.bases !== undefined && of.type === 'scalar' && (of.rule.type === 'url' || of.rule.type === 'file');
  return isAddress && typeof value === 'string' ? absolute(value, baseOf(match, page)) : value;
}

function filtered(
  raw: Value,
  filters: readonly NamedFilter[],
  base: string,
  { observedAt }: PageContext,
  lost: Lost[],
  steps: Chosen['steps'],
): Value | undefined {
  let value = raw;
  for (const { name, run } of filters) {
    steps?.push({ filter: name, before: value });
    spend(textSteps(value));
    try {
      value = run(value, base, observedAt);
    } catch (error) {
      if (!(error instanceof FilterError)) throw error;
      return lose(lost, error.text, error.expected);
    }
  }
  return value;
}

/** The work of a filter that goes through a text, or through the texts of a list. */
function textSteps(value: Value): number {
  if (typeof value === 'string') return filterSteps + value.length * 2;
  return isList(value) ? value.reduce<number>((sum, each) => sum + textSteps(each), filterSteps) : filterSteps;
}

/** An object of what its rules find in a match; null where it lacks a required one. */
function objectOf({ fields, result }: CompiledObject, from: Spot, page: PageContext, lost: Lost[]): Value {
  const found: Record<string, Value> = {};
  for (const field of fields) {
    const { value, lost: inner } = evaluate(field, from, page);
    for (const each of inner) lost.push({ ...each, path: `.${field.plan.name}${each.path}` });
    if (value !== undefined) found[field.plan.name] = value;
    if (field.plan.required && isLacking(value)) return null;
  }
  return shaped(found, result);
}

function shaped(found: Readonly<Record<string, Value>>, result: CompiledObject['result']): Value {
  if (result === undefined) return found;
  if (typeof result === 'string') return found[result] ?? null;
  return Object.fromEntries(result.map((name) => [name, found[name] ?? null]));
}
