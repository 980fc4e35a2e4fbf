import { isDeepStrictEqual } from 'node:util';
import type { RecordDraft, Unparsed, Value } from './draft.ts';
import type { ExtractPlan, FieldPlan, RecordPlan, ValueRule } from './plan.ts';
import { quoted } from './value/quoted.ts';
import { readValue } from './value/read.ts';

/** A record as a plug-in gives it; the text of its key field is its key where it has none. */
export interface FoundDraft {
  readonly type: string;
  readonly key?: string;
  /** The page that it was found on; without it the one that is written for its step. */
  readonly url?: string;
  readonly fields: Readonly<Record<string, Value>>;
}

/** What drafts come to. */
export interface TypedDrafts {
  readonly drafts: readonly RecordDraft[];
  readonly unparsed: readonly Unparsed[];
  /** Fields that no draft has, as `record.field`. */
  readonly absent: readonly string[];
  /** Drafts that lack their key or a required field, or are of no declared type. */
  readonly refused: number;
  /** Drafts that say something else than one before them with their key, which stands; missing where there are none. */
  readonly repeated?: number;
  /** What the definition does not declare, and the first such key of each type, as sentences, each once. */
  readonly notes: readonly string[];
}

/**
 * Reads what a plug-in found as the types that its definition declares. A field that cannot be read is lost and the rest stays;
 * one that is not declared is left out; `base` is what relative addresses are relative to.
 */
export function typedDrafts(found: readonly FoundDraft[], { records }: ExtractPlan, base: string): TypedDrafts {
  const plans = new Map(records.map((record) => [record.type, record]));
  const drafts: RecordDraft[] = [];
  const unparsed: Unparsed[] = [];
  const seen = new Set<string>();
  const notes = new Set<string>();
  for (const draft of found) {
    const plan = plans.get(draft.type);
    if (plan === undefined) {
      notes.add(`Undefined record: ${draft.type}`);
      continue;
    }
    const read = readDraft(draft, plan, draft.url ?? base);
    for (const name of read.undeclared) notes.add(`Undefined field: ${draft.type} - ${name}`);
    for (const name of read.seen) seen.add(`${draft.type}.${name}`);
    unparsed.push(...read.unparsed);
    if (read.draft !== undefined) drafts.push(read.draft);
  }
  const repeated = repeatsOf(drafts);
  for (const [type, [first]] of Map.groupBy(repeated, (draft) => draft.type))
    if (first !== undefined) notes.add(`Repeated key: ${type} - ${first.key}`);
  const declared =
    found.length === 0 ? [] : records.flatMap(({ type, fields }) => fields.map(({ name }) => `${type}.${name}`));
  return {
    drafts,
    unparsed: unparsed.slice(0, maxUnparsed),
    absent: declared.filter((name) => !seen.has(name)),
    refused: found.length - drafts.length,
    ...(repeated.length > 0 && { repeated: repeated.length }),
    notes: [...notes].slice(0, maxNotes),
  };
}

/** Drafts of which a field says something else than the first one of that key: fields that are new to it are its own. */
function repeatsOf(drafts: readonly RecordDraft[]): readonly RecordDraft[] {
  const first = new Map<string, Record<string, Value>>();
  return drafts.filter(({ type, key, fields }) => {
    const name = JSON.stringify([type, key]);
    const known = first.get(name);
    first.set(name, { ...fields, ...known });
    const before = Object.entries(known ?? {});
    return before.some(([field, value]) => Object.hasOwn(fields, field) && !isDeepStrictEqual(fields[field], value));
  });
}

/** More of them say nothing that these do not. */
const maxUnparsed = 100;
const maxNotes = 100;

/** Longest text that names a thing, in characters. */
const keyLength = 1_000;

interface ReadDraft {
  readonly draft: RecordDraft | undefined;
  readonly unparsed: readonly Unparsed[];
  readonly seen: readonly string[];
  readonly undeclared: readonly string[];
}

function readDraft(found: FoundDraft, plan: RecordPlan, base: string): ReadDraft {
  const fields: Record<string, Value> = {};
  const unparsed: Unparsed[] = [];
  const lost = (field: string, text: string, expected: string): undefined => {
    unparsed.push({ record: plan.type, field, text, expected });
    return undefined;
  };
  for (const rule of plan.fields) {
    const given = fieldOf(found, rule.name, plan.key);
    if (given === undefined) continue;
    const value = given === null ? null : read(given, rule.rule, { base, path: rule.name, lost });
    if (value !== undefined && !(value === null && plan.nulls === 'keep')) fields[rule.name] = value;
  }
  const names = plan.fields.map(({ name }) => name);
  const key = found.key ?? keyOf(fields[plan.key]);
  const lacks = plan.fields.some(
    ({ name, required }) => required && name !== plan.key && (fields[name] ?? null) === null,
  );
  const { type } = plan;
  const whence = found.url === undefined ? {} : { url: found.url };
  return {
    draft: key === undefined || lacks ? undefined : { type, key, ...whence, fields },
    unparsed,
    seen: names.filter((name) => (found.fields[name] ?? null) !== null),
    undeclared: Object.keys(found.fields).filter((name) => !names.includes(name)),
  };
}

/** A key that stands beside the fields is one of them. */
function fieldOf({ fields, key }: FoundDraft, name: string, keyField: string): Value | undefined {
  const given = fields[name];
  return given === undefined && name === keyField ? key : given;
}

interface Reading {
  readonly base: string;
  /** `prices[2].amount` */
  readonly path: string;
  /** Tells of a value that is not of its type; gives nothing in its place. */
  lost(field: string, text: string, expected: string): undefined;
}

/** A value of its type; nothing where it is none, which is told. One bad element costs the whole list. */
function read(given: Value, rule: ValueRule, reading: Reading): Value | undefined {
  const { base, path, lost } = reading;
  if (given === null) return null;
  if (rule.type === 'array') {
    if (!Array.isArray(given)) return lost(path, quoted(given), 'a list');
    const all = given.map((each: Value, index) => read(each, rule.of, { ...reading, path: `${path}[${index}]` }));
    return all.some((each) => each === undefined) ? undefined : all.map((each) => each ?? null);
  }
  if (rule.type === 'object') {
    if (typeof given !== 'object' || Array.isArray(given)) return lost(path, quoted(given), 'an object');
    return readObject(given as Readonly<Record<string, Value>>, rule.fields, reading);
  }
  const value = readValue(given, rule, base);
  return value.ok ? value.value : lost(path, value.text, value.expected);
}

function readObject(
  given: Readonly<Record<string, Value>>,
  rules: readonly FieldPlan[],
  reading: Reading,
): Value | undefined {
  const fields: Record<string, Value> = {};
  for (const { name, rule, required } of rules) {
    const value = read(given[name] ?? null, rule, { ...reading, path: `${reading.path}.${name}` });
    if (value !== undefined && given[name] !== undefined) fields[name] = value;
    if (required && (value ?? null) === null) return undefined;
  }
  return fields;
}

function keyOf(value: Value | undefined): string | undefined {
  const isName = typeof value === 'number' || (typeof value === 'string' && value.length <= keyLength);
  return isName ? String(value) : undefined;
}
