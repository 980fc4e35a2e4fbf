import type { ParentNode } from 'domhandler';
import { expected } from '../../schema/expected.ts';
import { type PartsRoom, takeRoom } from '../tree/parts.ts';
import type { Value } from '../value/value.ts';
import { elementsIn, textContent } from '../tree/nodes.ts';
import { jsonDepth, jsonOf } from '../value/json-text.ts';
import type { EmbeddedKind, EmbeddingPage } from './kind.ts';

/** The JSON that a script of a page assigns to a variable. */
export const variable: EmbeddedKind = {
  option: (z) =>
    z
      .string()
      .regex(/^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*$/, expected('the name of a variable'))
      .max(200),
  compile: (name) => (root, page) => firstAssigned(root, name, page),
};

function firstAssigned(root: ParentNode, name: string, page: EmbeddingPage): Value | undefined {
  for (const element of elementsIn(root)) {
    const value = element.name === 'script' ? assignedJson(textContent(element), name, page) : undefined;
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Occurrences of one name in a script that are looked at. */
const maxTried = 10_000;

/**
 * The JSON that a script assigns to a variable as `window.NAME = {…}`, `var NAME = […]` or `NAME = JSON.parse("…")`; nothing is
 * run. Takes room for its parts, and throws `TooManyParts` if there is not enough.
 */
function assignedJson(script: string, variable: string, room: PartsRoom): Value | undefined {
  let from = 0;
  for (let tried = 0; tried < maxTried; tried += 1) {
    const at = script.indexOf(variable, from);
    if (at < 0) return undefined;
    from = at + variable.length;
    if (/[\w$]/.test(script[at - 1] ?? '')) continue;
    const value = valueAfter(script, from, room);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Characters between a name and its value, such as a quote and a bracket, spaces, a colon of a type. */
const gapLength = 200;

function valueAfter(script: string, from: number, room: PartsRoom): Value | undefined {
  const [gap] = /^(?:["']\s*\])?\s*=(?!=)\s*(?:JSON\.parse\(\s*)?/.exec(script.slice(from, from + gapLength)) ?? [];
  if (gap === undefined) return undefined;
  const start = from + gap.length;
  const end = endOfValue(script, start);
  if (end === undefined) return undefined;
  const value = parsed(script.slice(start, end));
  return gap.includes('JSON.parse') && typeof value === 'string' ? parsed(value) : value;

  function parsed(text: string): Value | undefined {
    takeRoom(room, text);
    return jsonOf(text);
  }
}

/** The end of the value that begins at `start`: behind the bracket that closes its first one, its closing quote, or its last letter. */
function endOfValue(script: string, start: number): number | undefined {
  const first = script[start];
  if (first !== '{' && first !== '[' && first !== '"') {
    const [word] = /^[-+.\w]+/.exec(script.slice(start, start + 100)) ?? [];
    return word === undefined ? undefined : start + word.length;
  }
  let depth = 0;
  let isString = false;
  for (let at = start; at < script.length; at += 1) {
    const char = script[at];
    if (isString) {
      if (char === '\\') at += 1;
      else if (char === '"') isString = false;
    } else if (char === '"') isString = true;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    if (depth === 0 && !isString) return at + 1;
    if (depth > jsonDepth) return undefined;
  }
  return undefined;
}
