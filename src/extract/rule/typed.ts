import { isBlank, readValue } from '../value/all.ts';
import { quoted } from '../value/plain-text.ts';
import { isLacking, isList, maxElements, type Value } from '../value/value.ts';
import { lengthFault } from '../value/check.ts';
import type { CompiledList, CompiledObject, CompiledValue } from './compile.ts';

/** Something that was found and is not of its type. `path` leads to it from its rule's value, as `.price`; it is empty for the value itself. */
export interface Lost {
  readonly path: string;
  readonly text: string;
  readonly expected: string;
}

/** What the text of a value says at least of it: `month` for the first day of one. `path` is that of `Lost`. */
export interface Precise {
  readonly path: string;
  readonly precision: string;
}

/** How a value is read as its type. */
export interface Typing {
  /** The address that relative addresses are resolved against; empty if they stay as written. */
  readonly base: string;
  /** When the page came, which dates may count from; undefined if it is not known. */
  readonly observedAt: number | undefined;
  /**
   * Whether a plug-in gave the value. Its objects are still to be read and its lists keep their nulls. Rules read an object when
   * they find it, and their lists have no nulls and at most `maxElements` elements.
   */
  readonly isGiven: boolean;
  /** Gets every value that is lost. */
  readonly lost: Lost[];
  /** Gets the precision of every value whose text says less than its type does. */
  readonly precise: Precise[];
}

/**
 * Reads a value as its type; undefined if it is lost. One unreadable element loses its whole list, as leaving it out would look
 * like a removal by the page. Also undefined, but not added to `lost`, are an object that lacks a required field and an empty text
 * where another type than text is expected: it says nothing, and what is stored stays.
 *
 * @param path - the way to the value from its rule.
 */
export function typed(value: Value, as: CompiledValue, typing: Typing, path = ''): Value | undefined {
  switch (as.type) {
    case 'scalar': {
      if (as.isOpen && typeof value !== 'string') return value;
      if (isBlank(value) && as.rule.type !== 'text') return undefined;
      const read = readValue(value, as.rule, typing.base, typing.observedAt);
      if (read.ok && read.precision !== undefined) typing.precise.push({ path, precision: read.precision });
      return read.ok ? read.value : lose(typing.lost, read.text, read.expected, path);
    }
    case 'object':
      return typing.isGiven ? typedObject(value, as, typing, path) : value;
    case 'array':
      return typedList(value, as, typing, path);
    default:
      return as satisfies never;
  }
}

function typedList(value: Value, { of, length }: CompiledList, typing: Typing, path: string): Value | undefined {
  const { isGiven, lost } = typing;
  if (value === null) return null;
  if (!isList(value)) return lose(lost, quoted(value), 'a list', path);
  if (!isGiven && value.length > maxElements) return loseList(lost, value.length);
  const elements: Value[] = [];
  let isLost = false;
  for (const [index, each] of value.entries()) {
    const element = isBlank(each) ? null : typed(each, of, typing, isGiven ? `${path}[${index}]` : path);
    if (element === undefined) {
      // The author of a plug-in is told of every element.
      if (!isGiven) return undefined;
      isLost = true;
    } else if (element !== null || isGiven || keepsNull(of)) elements.push(element);
  }
  const fault = length === undefined ? undefined : lengthFault(elements.length, length);
  if (fault !== undefined) return lose(lost, `${elements.length} elements`, fault, path);
  return isLost ? undefined : elements;
}

function typedObject(value: Value, { fields }: CompiledObject, typing: Typing, path: string): Value | undefined {
  if (value === null) return null;
  if (typeof value !== 'object' || isList(value)) return lose(typing.lost, quoted(value), 'an object', path);
  const read: Record<string, Value> = {};
  for (const { plan, value: as } of fields) {
    const given = value[plan.name];
    const field = given === undefined ? undefined : typed(given, as, typing, `${path}.${plan.name}`);
    if (field !== undefined) read[plan.name] = field;
    if (plan.required && isLacking(field)) return undefined;
  }
  return read;
}

/** Whether a list keeps elements that are null: lists of objects with a `result` do, all others leave them out. */
export function keepsNull(of: CompiledValue): boolean {
  return of.type === 'object' && of.result !== undefined;
}

/** Adds a value to those that are lost. Returns undefined, which stands for it. */
export function lose(lost: Lost[], text: string, expected: string, path = ''): undefined {
  lost.push({ path, text, expected });
  return undefined;
}

/** Adds a list with too many elements to what is lost. Returns undefined, which stands for it. */
export function loseList(lost: Lost[], elements: number): undefined {
  return lose(lost, `${elements} elements`, `at most ${maxElements} elements`);
}
