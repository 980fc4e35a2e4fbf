import { isDeepStrictEqual } from 'node:util';
import type { CompiledRecord } from './compile.ts';
import type { RecordDraft, Unparsed, Value } from './draft.ts';
import type { FieldPlan } from './plan.ts';
import { evaluate, type Evaluated, type Trace } from './rule/evaluate.ts';
import { placeText } from './rule/place.ts';
import { JsonSpot, type PageContext, type Spot } from './rule/spot.ts';

/** All that a page gave of one type of record. */
export interface ReadRecords {
  readonly drafts: readonly RecordDraft[];
  readonly unparsed: readonly Unparsed[];
  /** Fields that were found in no record of the page, as `record.field`. */
  readonly absent: readonly string[];
  /** What kept something from being a record: key and required fields that were absent, empty or not readable. */
  readonly missing: readonly string[];
  /** Places that were looked at. */
  readonly items: number;
  /** Places that lacked their key or a required field. */
  readonly refused: number;
  /** Keys of records that were left out, as one before them has their key and says something else. */
  readonly repeated: readonly string[];
}

/** Told of each field as it is read, for people. */
export interface Watch {
  item(record: string): void;
  field(plan: FieldPlan, trace: Trace, evaluated: Evaluated): void;
  /** The place is read: the key of the record there; nothing where there is none. */
  done(key: string | undefined): void;
}

/** Reads the records of one type, in page order; of records with one key the first counts. Behind one more than `most` it looks no further. */
export function readRecords(
  root: Spot,
  record: CompiledRecord,
  page: PageContext,
  most: number,
  watch?: Watch,
): ReadRecords {
  const { type } = record.plan;
  const places = placesOf(root, record, page);
  const drafts = new Map<string, RecordDraft>();
  const found = new Set<string>();
  const missing = new Set<string>();
  const unparsed: Unparsed[] = [];
  const repeated: string[] = [];
  let refused = 0;
  for (const place of places) {
    if (drafts.size > most) break;
    watch?.item(type);
    const read = readFields(place, record, page, watch);
    for (const name of read.found) found.add(name);
    for (const each of read.unparsed) unparsed.push(each);
    const key = keyOf(read.fields[record.plan.key]);
    const lacking = lackingFields(record, read.fields, key);
    for (const name of lacking) missing.add(`${type}.${name}`);
    watch?.done(lacking.length > 0 ? undefined : key);
    if (lacking.length > 0 || key === undefined) {
      refused += 1;
      continue;
    }
    const fields = written(read.fields, record);
    const first = drafts.get(key);
    if (first === undefined) drafts.set(key, { type, key, fields });
    else if (!isDeepStrictEqual(first.fields, fields)) repeated.push(key);
  }
  const { each } = record.plan;
  if (places.length === 0 && each !== undefined) missing.add(`${type} (${placeText(each)})`);
  const absent = record.plan.fields.filter(({ name }) => !found.has(name)).map(({ name }) => `${type}.${name}`);
  const all = { drafts: [...drafts.values()], unparsed, absent, missing: [...missing] };
  return { ...all, items: places.length, refused, repeated };
}

function placesOf(root: Spot, { each }: CompiledRecord, page: PageContext): readonly Spot[] {
  if (each === undefined) return [root];
  const places = each.find(root, page, Infinity);
  const [only] = places;
  const list = each.isSingular && only instanceof JsonSpot ? only.value : undefined;
  return Array.isArray(list) ? list.map((value: Value) => new JsonSpot(value)) : places;
}

/** With `keep`, a null says nothing, and the store keeps what it has. */
function written(fields: Readonly<Record<string, Value>>, { plan }: CompiledRecord): Readonly<Record<string, Value>> {
  if (plan.nulls !== 'keep') return fields;
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

interface ReadFields {
  readonly fields: Readonly<Record<string, Value>>;
  /** Names of the fields that stand on the page, readable or not. */
  readonly found: readonly string[];
  readonly unparsed: readonly Unparsed[];
}

function readFields(place: Spot, record: CompiledRecord, page: PageContext, watch: Watch | undefined): ReadFields {
  const fields: Record<string, Value> = {};
  const found: string[] = [];
  const unparsed: Unparsed[] = [];
  for (const field of record.fields) {
    const { name } = field.plan;
    const trace: Trace | undefined = watch === undefined ? undefined : { steps: [] };
    const evaluated = evaluate(field, place, page, trace);
    if (trace !== undefined) watch?.field(field.plan, trace, evaluated);
    if (evaluated.isFound) found.push(name);
    if (evaluated.value !== undefined) fields[name] = evaluated.value;
    for (const { path, text, expected } of evaluated.lost)
      unparsed.push({ record: record.plan.type, field: `${name}${path}`, text, expected });
  }
  return { fields, found, unparsed };
}

/** The names of required fields that have no value, and of the key where it has none that can be one. */
function lackingFields(
  { plan }: CompiledRecord,
  fields: Readonly<Record<string, Value>>,
  key: string | undefined,
): string[] {
  return plan.fields
    .filter(({ name, required }) =>
      name === plan.key ? key === undefined : required && (fields[name] ?? null) === null,
    )
    .map(({ name }) => name);
}

/** Longest text that names a thing, in characters. */
const keyLength = 1_000;

function keyOf(value: Value | undefined): string | undefined {
  const isName = typeof value === 'number' || (typeof value === 'string' && value.length <= keyLength);
  return isName ? String(value) : undefined;
}
