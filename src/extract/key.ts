import { hash } from 'node:crypto';
import { spend } from '../work-budget.ts';
import type { RecordPlan } from './rule/plan.ts';
import { canonicalJson } from './value/json-text.ts';
import { plainText, quoted } from './value/plain-text.ts';
import { isLacking, type Value } from './value/value.ts';

/** A field that could not be read, or that a record must have and lacks. */
export interface Unread {
  readonly field: string;
  /** What is there instead; of a field that is lacking, all fields that the record has. */
  readonly text: string;
  readonly expected: string;
}

/** What the key of a record is made of. */
export interface KeyedContent {
  readonly fields: Readonly<Record<string, Value>>;
  /** What was found and could not be read. */
  readonly unparsed: readonly Unread[];
  /** The key, if it is given beside the fields. */
  readonly key?: string | undefined;
}

/** Longest key of a record, in characters. */
const keyLength = 1_000;

/**
 * Returns the key of a record: the canonical text of one field, the JSON list of the texts of several fields, or a digest of all
 * content; or what the record lacks for it.
 */
export function recordKey({ key: names }: Pick<RecordPlan, 'key'>, content: KeyedContent): string | Unread {
  const { fields, key: given } = content;
  const text = quoted(fields);
  const lacking = names.find((name) => isLacking(fields[name]));
  if (given === '') return { field: 'key', text, expected: 'a key' };
  if (given === undefined && lacking !== undefined)
    return { field: lacking, text, expected: 'a value, as it is of the key' };
  const key = given ?? (names.length === 0 ? digestOf(content) : textOf(names, fields));
  if (key === undefined) return { field: 'key', text, expected: 'a field with a value, as all fields are the key' };
  if (key.length <= keyLength) return key;
  const expected = `a key of at most ${keyLength} characters, got ${key.length}`;
  return { field: names.join(', ') || 'key', text: quoted(key), expected };
}

function textOf(names: readonly string[], fields: Readonly<Record<string, Value>>): string {
  const texts = names.map((name) => canonicalText(fields[name] ?? null));
  return texts.length === 1 ? (texts[0] ?? '') : JSON.stringify(texts);
}

function canonicalText(value: Value): string {
  return plainText(value) ?? canonicalJson(value);
}

/**
 * The digest of all fields of a record that have a value. Of a field that could not be read its text counts, so that records which
 * differ in it alone are two. Undefined for a record without any.
 */
function digestOf({ fields, unparsed }: KeyedContent): string | undefined {
  const held = Object.entries(fields).filter(([, value]) => !isLacking(value));
  const all = [...held, ...unparsed.map(({ field, text }) => [`${field} unread`, text] as const)];
  if (all.length === 0) return undefined;
  const text = canonicalJson(Object.fromEntries(all));
  spend(text.length);
  return hash('sha256', text, 'hex').slice(0, 32);
}
