import type { Value } from '../draft.ts';
import type { ScalarRule } from '../plan.ts';
import { readDate, readInstant } from './date.ts';
import { readMoney } from './money.ts';
import { readInteger, readNumber } from './number.ts';

/** Longest text that is quoted when it could not be read, in characters. */
const quotedLength = 200;

/** Longest text that can be a number, a word or a date. Longer ones are refused unread, so that no pattern works on them. */
const scalarLength = 200;

/** Longest value of those that may be long: a record is kept, compared, told and shown whole. */
const longLength = 100_000;

const longTypes: ReadonlySet<ScalarRule['type']> = new Set(['text', 'url', 'json']);

/** How deep JSON may be nested; what walks through values goes into them by recursion. */
const jsonDepth = 64;

/** A value, or the text that is none and what was expected in its place. */
export type ReadValue =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly text: string; readonly expected: string };

/** Reads a text as the value that a rule asks for. A text of nothing but white space is `null`: the place is there and says nothing. */
export function readValue(text: string, rule: ScalarRule, baseUrl: string): ReadValue {
  const collapsed = text.replaceAll(/\s+/g, ' ').trim();
  if (collapsed === '') return { ok: true, value: null };
  const longest = longTypes.has(rule.type) ? longLength : scalarLength;
  const value = collapsed.length > longest ? undefined : valueOf(text, collapsed, rule, baseUrl);
  return value === undefined ? { ok: false, text: quoted(collapsed), expected: expectedOf(rule) } : { ok: true, value };
}

function valueOf(text: string, collapsed: string, rule: ScalarRule, baseUrl: string): Value | undefined {
  switch (rule.type) {
    case 'text':
      return collapsed;
    case 'integer':
      return readInteger(collapsed, rule.decimal);
    case 'number':
      return readNumber(collapsed, rule.decimal);
    case 'boolean':
      return readBoolean(collapsed, rule.true, rule.false);
    case 'date':
      return readDate(collapsed);
    case 'datetime':
      return readInstant(collapsed);
    case 'money':
      return readMoney(collapsed, rule.currency, rule.decimal);
    case 'url':
      return readUrl(collapsed, baseUrl);
    case 'json':
      return isTooDeep(text) ? undefined : readJson(text);
    default:
      return rule satisfies never;
  }
}

const trueWords: readonly string[] = ['true', 'yes', 'on', '1'];
const falseWords: readonly string[] = ['false', 'no', 'off', '0'];

/** Capitals make no difference. With words for `true` only, every other text is false. */
function readBoolean(
  text: string,
  whenTrue: readonly string[] | undefined,
  whenFalse: readonly string[] | undefined,
): boolean | undefined {
  if (isAmong(text, whenTrue ?? (whenFalse === undefined ? trueWords : []))) return true;
  if (isAmong(text, whenFalse ?? (whenTrue === undefined ? falseWords : []))) return false;
  if (whenTrue !== undefined && whenFalse === undefined) return false;
  return whenFalse !== undefined && whenTrue === undefined ? true : undefined;
}

function isAmong(text: string, words: readonly string[]): boolean {
  return words.some((word) => word.toLowerCase() === text.toLowerCase());
}

function readUrl(text: string, baseUrl: string): string | undefined {
  const url = URL.parse(text, baseUrl);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : undefined;
}

function readJson(text: string): Value | undefined {
  try {
    const value: Value = JSON.parse(text);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Brackets within strings count too: to leave out a value that holds very many of them is no loss. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    if (depth > jsonDepth) return true;
  }
  return false;
}

function expectedOf(rule: ScalarRule): string {
  switch (rule.type) {
    case 'text':
      return `text of at most ${longLength} characters`;
    case 'integer':
      return 'a whole number';
    case 'number':
      return 'a number';
    case 'boolean':
      return rule.true === undefined && rule.false === undefined
        ? 'a word for true or false'
        : `one of ${[...(rule.true ?? []), ...(rule.false ?? [])].join(', ')}`;
    case 'date':
      return 'a date of ISO 8601';
    case 'datetime':
      return 'a date and time of ISO 8601';
    case 'money':
      return rule.currency === undefined ? 'an amount with its currency' : `an amount in ${rule.currency}`;
    case 'url':
      return `an http or https URL of at most ${longLength} characters`;
    case 'json':
      return `JSON of at most ${longLength} characters, nested no deeper than ${jsonDepth}`;
    default:
      return rule satisfies never;
  }
}

function quoted(text: string): string {
  return text.length > quotedLength ? `${text.slice(0, quotedLength - 1)}…` : text;
}
