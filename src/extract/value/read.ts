import { jsonOf } from '../document/json.ts';
import type { Value } from '../draft.ts';
import { readDate, readInstant } from './date.ts';
import { readFormattedDate, readFormattedInstant } from './date-format.ts';
import { isValueTooDeep } from './depth.ts';
import { expectedOf, longLength } from './expected.ts';
import { type Money, readMoney } from './money.ts';
import { readInteger, readNumber } from './number.ts';
import { plainText } from './plain-text.ts';
import { quoted } from './quoted.ts';
import type { ScalarRule } from './rule.ts';
import { readUrl } from './url.ts';

/** Longest text that can be a number, a word or a date. Longer ones are refused unread, so that no pattern works on them. */
const scalarLength = 200;

/** A value, or the text that is none and what was expected in its place. */
export type ReadValue =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly text: string; readonly expected: string };

/**
 * Reads a text or a JSON value as what a rule asks for. Text is left as it is written, spaces and all; for other types spaces
 * around it do not count. A text of nothing but white space is `null`: the place is there and says nothing.
 */
export function readValue(raw: Value, rule: ScalarRule, base: string): ReadValue {
  if (raw === null || (typeof raw === 'string' && raw.trim() === '')) return { ok: true, value: null };
  const value = valueOf(raw, rule, base);
  return value === undefined ? { ok: false, text: quoted(raw), expected: expectedOf(rule) } : { ok: true, value };
}

function valueOf(raw: NonNullable<Value>, rule: ScalarRule, base: string): Value | undefined {
  if (rule.type === 'json') return readJson(raw);
  if (rule.type === 'money' && typeof raw === 'object') return asMoney(raw, rule.currency);
  if (rule.type === 'boolean' && typeof raw === 'boolean') return raw;
  if (rule.type === 'integer' && typeof raw === 'number') return Number.isSafeInteger(raw) ? raw : undefined;
  if (rule.type === 'number' && typeof raw === 'number') return Number.isFinite(raw) ? raw : undefined;
  // True is no number, no date and no address, though its text may look like one to a careless pattern.
  const text = typeof raw === 'boolean' && rule.type !== 'text' ? undefined : plainText(raw);
  if (text === undefined) return undefined;
  if (rule.type === 'text') return text.length > longLength ? undefined : text.toWellFormed();
  const trimmed = text.trim();
  if (trimmed.length > (rule.type === 'url' ? longLength : scalarLength)) return undefined;
  // A number's text has no marks but the decimal point, whatever the page's language.
  return typeof raw === 'number' && rule.type === 'money'
    ? readMoney(text, rule.currency, '.')
    : readText(trimmed.replaceAll(/\s+/g, ' '), rule, base);
}

function readText(text: string, rule: ScalarRule, base: string): Value | undefined {
  switch (rule.type) {
    case 'integer':
      return readInteger(text, rule.decimal);
    case 'number':
      return readNumber(text, rule.decimal);
    case 'boolean':
      return readBoolean(text, rule.true, rule.false);
    case 'date':
      return rule.formats === undefined ? readDate(text) : readFormattedDate(text, rule);
    case 'datetime':
      return rule.formats === undefined ? readInstant(text) : readFormattedInstant(text, rule);
    case 'money':
      return readMoney(text, rule.currency, rule.decimal);
    case 'url':
      return readUrl(text, base);
    case 'text':
    case 'json':
      return text;
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

/** What a filter has read as money before. */
function asMoney(value: Extract<NonNullable<Value>, object>, declared: string | undefined): Money | undefined {
  if (Array.isArray(value) || !('amount' in value) || !('currency' in value)) return undefined;
  const { amount, currency } = value;
  if (typeof amount !== 'string' || typeof currency !== 'string' || !/^-?\d{1,100}(?:\.\d{1,100})?$/.test(amount))
    return undefined;
  return readMoney(`${currency} ${amount}`, declared, '.');
}

function readJson(raw: Value): Value | undefined {
  if (typeof raw === 'string') return raw.length > longLength ? undefined : jsonOf(raw);
  return isValueTooDeep(raw) || JSON.stringify(raw).length > longLength ? undefined : raw;
}
