import type { Value } from '../draft.ts';
import { FilterError } from '../filter/error.ts';
import { quoted } from '../value/quoted.ts';
import { readValue } from '../value/read.ts';
import type { CompiledBranch, CompiledObject, CompiledRule, CompiledValue, NamedFilter } from './compile.ts';
import { maxElements } from './compile.ts';
import { JsonSpot, type PageContext, type Spot } from './spot.ts';
import { taken } from './take.ts';

/** Something that was found and could not be read; `path` leads to it from the rule, as `.price`, and is empty for the rule itself. */
export interface Lost {
  readonly path: string;
  readonly text: string;
  readonly expected: string;
}

/** What a rule gave: no value where its place is missing, or where what stands there is lost. */
export interface Evaluated {
  readonly isFound: boolean;
  readonly value?: Value;
  readonly lost: readonly Lost[];
}

/** How a rule came to its value, for people. */
export interface Trace {
  /** Which of the rule's places counted. */
  branch?: number;
  matches?: number;
  readonly steps: { readonly filter: string; readonly before: Value }[];
}

const notFound: Evaluated = { isFound: false, lost: [] };

/** A value on its way, or what kept it from being one. */
type Read = { readonly ok: true; readonly value: Value } | ({ readonly ok: false } & Omit<Lost, 'path'>);

/** Finds a rule's value in what it is asked of. Pure, but for functions that plug-ins put into rules. */
export function evaluate(rule: CompiledRule, from: Spot, page: PageContext, trace?: Trace): Evaluated {
  const { whenFound } = rule.plan;
  const lost: Lost[] = [];
  let fallback: Chosen | undefined;
  for (const [index, branch] of rule.branches.entries()) {
    const matches = branch.find(from, page, rule.most);
    if (matches.length === 0) continue;
    if (whenFound !== undefined) {
      if (trace !== undefined) trace.branch = index;
      return { isFound: true, value: whenFound, lost };
    }
    const chosen = choose(rule, branch, index, matches, page);
    fallback ??= chosen;
    if (!chosen.isSilent) {
      fallback = chosen;
      break;
    }
  }
  if (whenFound !== undefined) return { isFound: true, value: !whenFound, lost };
  return fallback === undefined ? notFound : finish(rule, fallback, page, trace);
}

/** What one branch gave. */
interface Chosen {
  readonly index: number;
  readonly matches: number;
  readonly read: Read;
  readonly lost: readonly Lost[];
  readonly steps: Trace['steps'];
  /** Whether it says nothing: null, blank, or a list of nothing else. */
  readonly isSilent: boolean;
}

function choose(
  rule: CompiledRule,
  branch: CompiledBranch,
  index: number,
  matches: readonly Spot[],
  page: PageContext,
): Chosen {
  const lost: Lost[] = [];
  const steps: Trace['steps'] = [];
  const raw = rawValue(rule, branch, matches, page, lost);
  const read = raw.ok ? filtered(raw.value, branch.filters, page, steps) : raw;
  return { index, matches: matches.length, read, lost, steps, isSilent: read.ok && saysNothing(read.value) };
}

function saysNothing(value: Value): boolean {
  if (Array.isArray(value)) return value.every(saysNothing);
  return value === null || (typeof value === 'string' && value.trim() === '');
}

function finish(rule: CompiledRule, chosen: Chosen, page: PageContext, trace: Trace | undefined): Evaluated {
  const lost = [...chosen.lost];
  const steps = chosen.steps;
  const changed = chosen.read.ok ? filtered(chosen.read.value, rule.filters, page, steps) : chosen.read;
  const read = changed.ok ? typed(changed.value, rule.value, page) : changed;
  if (trace !== undefined) {
    trace.branch = chosen.index;
    trace.matches = chosen.matches;
    trace.steps.push(...steps);
  }
  if (read.ok) return { isFound: true, value: read.value, lost };
  return { isFound: true, lost: [...lost, { path: '', text: read.text, expected: read.expected }] };
}

/** What the matches of a branch hold, as one value: a list for a rule of a list. */
function rawValue(
  rule: CompiledRule,
  branch: CompiledBranch,
  matches: readonly Spot[],
  page: PageContext,
  lost: Lost[],
): Read {
  const [first] = matches;
  if (first === undefined) return { ok: true, value: null };
  // Where a place is of one value, that is the list itself; what is none is refused where types are read.
  if (rule.value.type !== 'array' || (branch.isSingular && first instanceof JsonSpot)) return held(first, rule.value);
  if (matches.length > maxElements) return tooMany(matches.length);
  return eachHeld(matches, rule.value.of);

  function eachHeld(all: readonly Spot[], of: CompiledValue): Read {
    const values: Value[] = [];
    for (const match of all) {
      const read = held(match, of);
      if (!read.ok) return read;
      // An element that lacks the attribute gives nothing to a list.
      if (read.value !== null || keepsNull(of)) values.push(read.value);
    }
    return { ok: true, value: values };
  }

  function held(match: Spot, value: CompiledValue): Read {
    const inside = match instanceof JsonSpot ? match.value : undefined;
    if (value.type === 'object' && inside !== null) return objectOf(value, match, page, lost);
    if (value.type === 'array' && inside !== undefined && isList(inside))
      return inside.length > maxElements
        ? tooMany(inside.length)
        : eachHeld(
            inside.map((each) => new JsonSpot(each)),
            value.of,
          );
    const found = taken(match, branch.plan, page);
    if (typeof found === 'string') page.roomUnits -= found.length;
    return page.roomUnits < 0 ? noRoom : { ok: true, value: found };
  }
}

const noRoom: Read = { ok: false, text: '', expected: 'no more than 64 Mi characters of all fields together' };

function tooMany(elements: number): Read {
  return { ok: false, text: `${elements} elements`, expected: `at most ${maxElements} elements` };
}

function keepsNull(value: CompiledValue): boolean {
  return value.type === 'object' && value.result !== undefined;
}

function filtered(raw: Value, filters: readonly NamedFilter[], page: PageContext, steps: Trace['steps']): Read {
  let value = raw;
  for (const { name, run } of filters) {
    steps.push({ filter: name, before: value });
    try {
      value = run(value, page.base);
    } catch (error) {
      if (!(error instanceof FilterError)) throw error;
      return { ok: false, text: error.text, expected: error.expected };
    }
  }
  return { ok: true, value };
}

/** Reads a value as its type. Objects have been read when their match was found. */
function typed(value: Value, as: CompiledValue, page: PageContext): Read {
  switch (as.type) {
    case 'scalar':
      return as.isOpen && typeof value !== 'string' ? { ok: true, value } : readValue(value, as.rule, page.base);
    case 'object':
      return { ok: true, value };
    case 'array':
      return listOf(value, as.of, page);
    default:
      return as satisfies never;
  }
}

/** One element that cannot be read loses the list: without it, it would look as if the page had taken it away. */
function listOf(value: Value, of: CompiledValue, page: PageContext): Read {
  if (value === null) return { ok: true, value };
  if (!isList(value)) return { ok: false, text: quoted(value), expected: 'a list' };
  if (value.length > maxElements) return tooMany(value.length);
  const elements: Value[] = [];
  for (const each of value) {
    const read = typed(each, of, page);
    if (!read.ok) return read;
    if (read.value !== null || keepsNull(of)) elements.push(read.value);
  }
  return { ok: true, value: elements };
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

/** An object of what its rules find in a match; null where it lacks a required one. */
function objectOf({ fields, result }: CompiledObject, from: Spot, page: PageContext, lost: Lost[]): Read {
  const found: Record<string, Value> = {};
  for (const field of fields) {
    const { value, lost: inner } = evaluate(field, from, page);
    for (const each of inner) lost.push({ ...each, path: `.${field.plan.name}${each.path}` });
    if (value !== undefined) found[field.plan.name] = value;
    if (field.plan.required && (value ?? null) === null) return { ok: true, value: null };
  }
  return { ok: true, value: shaped(found, result) };
}

function shaped(found: Readonly<Record<string, Value>>, result: CompiledObject['result']): Value {
  if (result === undefined) return found;
  if (typeof result === 'string') return found[result] ?? null;
  return Object.fromEntries(result.map((name) => [name, found[name] ?? null]));
}
