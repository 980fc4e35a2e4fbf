import type { Value } from './value.ts';

/** A document's value, or what is wrong with the document. */
export type ParsedJson =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly message: string };

/** Parses a JSON text. Returns undefined if the text is no JSON, or is nested deeper than 64. */
export function jsonOf(text: string): Value | undefined {
  if (isTextTooDeep(text)) return undefined;
  try {
    const value: Value = JSON.parse(text);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Parses a whole document, or tells what is wrong with it and where. A document that is nested deeper than 64 is refused. */
export function parseJson(text: string): ParsedJson {
  if (isTextTooDeep(text)) return { ok: false, message: `nested deeper than ${jsonDepth}` };
  const bare = text.startsWith('\ufeff') ? text.slice(1) : text;
  try {
    const value: Value = JSON.parse(bare);
    return { ok: true, value };
  } catch (error) {
    if (error instanceof SyntaxError) return { ok: false, message: messageOf(error, bare) };
    throw error;
  }
}

/** The parser's words without its quotation, which may be of a whole page; where it stopped says enough. */
function messageOf({ message }: SyntaxError, text: string): string {
  const { line, column } = positionOf(text, jsonFaultAt(text));
  const what = message.replace(/, *(?:\.\.\.)?".*$| (?:in JSON )?at position .*$/s, '').slice(0, 100);
  return `${what} at line ${line} column ${column}`;
}

/** The line and the column of an index; both count from 1. */
function positionOf(text: string, at: number): { readonly line: number; readonly column: number } {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', start)) {
    line += 1;
    start = end + 1;
  }
  return { line, column: at - start + 1 };
}

/** Writes a value as JSON in one form alone: names in order, and no space. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, inNameOrder);
}

function inNameOrder(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** How deep JSON may be nested, since code that goes through values is recursive. */
export const jsonDepth = 64;

/** Whether the text of a JSON value is nested deeper than `jsonDepth`; brackets within strings do not count. */
function isTextTooDeep(text: string): boolean {
  let depth = 0;
  let isString = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (isString) {
      if (char === '\\') at += 1;
      else if (char === '"') isString = false;
    } else if (char === '"') isString = true;
    else if (char === '{' || char === '[') {
      depth += 1;
      if (depth > jsonDepth) return true;
    } else if (char === '}' || char === ']') depth -= 1;
  }
  return false;
}

/** Whether a value is nested deeper than `jsonDepth`. Not recursive. */
export function isValueTooDeep(value: Value): boolean {
  let level: readonly Value[] = [value];
  for (let depth = 0; depth <= jsonDepth; depth += 1) {
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
    if (level.length === 0) return false;
  }
  return true;
}

const token =
  /[ \t\r\n]*(?:(")|(-?(?:0|[1-9]\d{0,1000})(?:\.\d{1,1000})?(?:[eE][-+]?\d{1,1000})?|true|false|null)|([[\]{}:,]))/uy;
const escape = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/** The token that may follow: a value, a value or the end of a list, a name, a name or the end of an object, a colon, or what comes behind a value. */
type Awaited = 'value' | 'first' | 'name' | 'first name' | 'colon' | 'next';

/** Finds the index at which a text stops being JSON; its length if only the rest is missing. Node's parser tells it for some faults only. */
export function jsonFaultAt(text: string): number {
  const open: string[] = [];
  let awaited: Awaited = 'value';
  let at = 0;
  while (at < text.length) {
    token.lastIndex = at;
    const found = token.exec(text);
    const end = found?.[1] === undefined ? token.lastIndex : endOfString(text, token.lastIndex);
    const next: Awaited | undefined = found === null || end === undefined ? undefined : following(awaited, found, open);
    if (next === undefined || end === undefined) break;
    awaited = next;
    at = end;
  }
  return at + (/^[ \t\r\n]*/.exec(text.slice(at, at + 1_000))?.[0].length ?? 0);
}

/** The index behind a string's closing quote; a pattern for the whole string would use up the stack where it is long. */
function endOfString(text: string, start: number): number | undefined {
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (code < 0x20) return undefined;
    if (code !== 0x5c) continue;
    escape.lastIndex = at;
    if (!escape.test(text)) return undefined;
    at = escape.lastIndex - 1;
  }
  return undefined;
}

function following(awaited: Awaited, [, quote, scalar, sign]: RegExpExecArray, open: string[]): Awaited | undefined {
  const isValue = awaited === 'value' || awaited === 'first';
  const isName = awaited === 'name' || awaited === 'first name';
  if (quote !== undefined && isName) return 'colon';
  if (quote !== undefined || scalar !== undefined) return isValue ? 'next' : undefined;
  if (sign === '{' || sign === '[') {
    if (!isValue) return undefined;
    open.push(sign);
    return sign === '{' ? 'first name' : 'first';
  }
  if (sign === ':') return awaited === 'colon' ? 'value' : undefined;
  if (sign === ',') return awaited === 'next' ? behindComma(open.at(-1)) : undefined;
  const isClosed = sign === '}' ? awaited === 'first name' : awaited === 'first';
  if (!isClosed && awaited !== 'next') return undefined;
  return open.pop() === (sign === '}' ? '{' : '[') ? 'next' : undefined;
}

function behindComma(open: string | undefined): Awaited | undefined {
  if (open === undefined) return undefined;
  return open === '{' ? 'name' : 'value';
}
