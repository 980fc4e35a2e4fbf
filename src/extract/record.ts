import { isDeepStrictEqual } from 'node:util';
import { defined } from '../defined.ts';
import { type CompiledRecord, compilePlan } from './compile.ts';
import type { RecordDraft } from './draft.ts';
import { type KeyedContent, recordKey, type Unread } from './key.ts';
import type { Unparsed } from '../view/scrape.ts';
import { quoted } from './value/plain-text.ts';
import { isLacking, type Value } from './value/value.ts';
import type { ExtractPlan } from './plan.ts';
import type { FieldPlan, RecordPlan, RulePlan } from './rule/plan.ts';
import { spend } from '../work-budget.ts';
import { evaluate, type Evaluated, type Trace } from './rule/evaluate.ts';
import { placeText } from './rule/place.ts';
import { JsonSpot, type PageContext, type Spot } from './rule/spot.ts';
import type { CompiledField } from './rule/compile.ts';
import { type Lost, type Precise, typed } from './rule/typed.ts';

/** The fields of one record, read as their types. */
interface ReadFields extends KeyedContent {
  /** Names of the fields that were found, readable or not. */
  readonly found: readonly string[];
  /** The precision of values whose texts say less than their types do, by path. */
  readonly precision?: Readonly<Record<string, string>> | undefined;
  /** The page that the record was found on, if it is not the one of its step. */
  readonly url?: string | undefined;
  /** The page that says more of the record. */
  readonly page?: string | undefined;
}

/** The records of a page or batch, and what was wrong with what was found. */
export interface TypedDrafts {
  readonly drafts: readonly RecordDraft[];
  /** Values that are not of the type of their field, and what refused records lack; 100 at most. */
  readonly unparsed: readonly Unparsed[];
  /** Fields that no record has, as `record.field`. */
  readonly absent: readonly string[];
  /** Fields that are there and say nothing in each record that has them, as `record.field`; missing if there are none. */
  readonly blank?: readonly string[];
  /** How many matches or drafts are no records, since they lack their key or a required field or are of no declared type. */
  readonly refused: number;
  /** How many records say something else than an earlier record with their key; missing if there are none. */
  readonly repeated?: number;
  /** Sentences, each once: types and fields that the definition does not declare, and the first repeated key of each type; 100 at most. */
  readonly notes: readonly string[];
}

/** Evidence that is kept, at most: more says nothing new. */
const maxUnparsed = 100;
const maxNotes = 100;

/** The work of a record, and of each of its fields, beside that of finding them. */
const [recordSteps, fieldSteps] = [200, 50];

/** The records of one type so far. */
interface TypeState {
  /** The fields of the records by key. */
  readonly byKey: Map<string, Readonly<Record<string, Value>>>;
  readonly found: Set<string>;
  /** How many matches or drafts of the type were added. */
  items: number;
  /** The key of the first record that repeats an earlier one's key. */
  repeatedKey?: string;
}

/** Collects what rules or a plug-in found as records, and makes drafts of it in the order in which it is added. */
export class RecordTyper {
  readonly drafts: RecordDraft[] = [];
  /** Missing keys and required fields of what was refused, as `record.field`, and places of records without a match. */
  readonly missing = new Set<string>();
  /** How many matches or drafts were added, whether they are records or not. */
  items = 0;
  /** How many of them are no records. */
  refused = 0;
  readonly #repeats: 'drop' | 'keep';
  readonly #unparsed: Unparsed[] = [];
  readonly #notes = new Set<string>();
  readonly #types = new Map<string, TypeState>();
  #repeated = 0;

  /**
   * @param repeats - what is done with a record whose key an earlier one has: `drop` leaves it out, `keep` adds its new fields to
   * what is known under the key. Either way it counts as repeated if it contradicts what is known.
   */
  constructor(repeats: 'drop' | 'keep') {
    this.#repeats = repeats;
  }

  /** Adds what was found as a record of a type. Returns its key, or undefined if it lacks its key or a required field. */
  add(plan: RecordPlan, read: ReadFields): string | undefined {
    const { type } = plan;
    const state = this.#stateOf(type);
    this.items += 1;
    for (const name of read.found) state.found.add(name);
    state.items += 1;
    const key = recordKey(plan, read);
    const lacks = [...(typeof key === 'string' ? [] : [key]), ...lackingOf(plan, read.fields)];
    const place = typeof key === 'string' ? { key } : { position: state.items };
    for (const each of [...read.unparsed, ...lacks.slice(0, 1)])
      if (this.#unparsed.length < maxUnparsed) this.#unparsed.push({ record: type, ...place, ...each });
    // Where all content is the key, it lacks all fields.
    const isEmpty = typeof key !== 'string' && plan.key.length === 0 && read.key === undefined;
    for (const { name: field } of isEmpty ? plan.fields : []) this.missing.add(`${type}.${field}`);
    for (const { field } of isEmpty ? [] : lacks) this.missing.add(`${type}.${field}`);
    if (typeof key !== 'string' || lacks.length > 0) {
      this.refused += 1;
      return undefined;
    }
    const fields = storedFields(plan, read.fields);
    const known = state.byKey.get(key);
    if (known === undefined || this.#repeats === 'keep') {
      state.byKey.set(key, known === undefined ? fields : { ...fields, ...known });
      this.drafts.push({
        type,
        key,
        ...defined({ url: read.url, page: read.page, precision: read.precision }),
        fields,
      });
    }
    if (known !== undefined && this.#contradicts(known, fields)) {
      this.#repeated += 1;
      state.repeatedKey ??= key;
    }
    return key;
  }

  /** Counts a draft of a type that the definition does not declare. */
  refuse(type: string): void {
    this.items += 1;
    this.refused += 1;
    this.note(`Undefined record: ${type}`);
  }

  /** Keeps a sentence about what was found. */
  note(sentence: string): void {
    this.#notes.add(sentence);
  }

  /** Returns the drafts and the evidence of all that was added; `absent` lists fields of the given record types. */
  typed(records: readonly RecordPlan[]): TypedDrafts {
    for (const [type, { repeatedKey }] of this.#types)
      if (repeatedKey !== undefined) this.note(`Repeated key: ${type} - ${repeatedKey}`);
    const blank = records.flatMap((record) => this.#blankOf(record));
    return {
      drafts: this.drafts,
      unparsed: this.#unparsed,
      absent: records.flatMap((record) => this.#absentOf(record)),
      ...(blank.length > 0 && { blank }),
      refused: this.refused,
      ...(this.#repeated > 0 && { repeated: this.#repeated }),
      notes: [...this.#notes].slice(0, maxNotes),
    };
  }

  #absentOf({ type, fields }: RecordPlan): readonly string[] {
    const found = this.#types.get(type)?.found;
    return fields.filter(({ name }) => found?.has(name) !== true).map(({ name }) => `${type}.${name}`);
  }

  #blankOf({ type, fields, nulls }: RecordPlan): readonly string[] {
    const found = this.#types.get(type)?.found;
    if (nulls === 'keep') return [];
    const saysNothing = (field: string): boolean =>
      !this.drafts.some((draft) => draft.type === type && Object.hasOwn(draft.fields, field)) &&
      !this.#unparsed.some((each) => each.record === type && each.field === field);
    return fields.flatMap(({ name }) => (found?.has(name) === true && saysNothing(name) ? [`${type}.${name}`] : []));
  }

  #stateOf(type: string): TypeState {
    const known = this.#types.get(type);
    if (known !== undefined) return known;
    const state: TypeState = { byKey: new Map(), found: new Set(), items: 0 };
    this.#types.set(type, state);
    return state;
  }

  #contradicts(known: Readonly<Record<string, Value>>, fields: Readonly<Record<string, Value>>): boolean {
    if (this.#repeats === 'drop') return !isDeepStrictEqual(known, fields);
    return Object.entries(known).some(
      ([name, value]) => Object.hasOwn(fields, name) && !isDeepStrictEqual(fields[name], value),
    );
  }
}

/** The required fields that a record lacks, but for those of its key. */
function lackingOf({ key, fields }: RecordPlan, held: ReadFields['fields']): Unread[] {
  return fields
    .filter(({ name, required }) => required && !key.includes(name) && isLacking(held[name]))
    .map(({ name }) => ({ field: name, text: quoted(held), expected: 'a value, as it is required' }));
}

/** The fields to store: with `nulls: keep` a null says nothing, and the store keeps what it has. */
function storedFields(plan: RecordPlan, fields: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  if (plan.nulls !== 'keep') return fields;
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** Follows the reading of a page, to explain it to people. */
export interface FieldWatch {
  item(record: string): void;
  field(plan: FieldPlan, trace: Trace, evaluated: Evaluated): void;
  /** Called with what leads to the next page of a list. */
  next?(plan: RulePlan, trace: Trace, evaluated: Evaluated): void;
  /** Called behind the last field of a match, with the key of its record; undefined if it is none. */
  done(key: string | undefined): void;
}

/**
 * Reads the records of one type from a page and adds them to `typer` in page order, until it has more than `most` drafts. Throws
 * `TooManyParts` if the JSON within the page is too large.
 */
export function readRecords(
  root: Spot,
  record: CompiledRecord,
  page: PageContext,
  {
    typer,
    most,
    watch,
  }: { readonly typer: RecordTyper; readonly most: number; readonly watch?: FieldWatch | undefined },
): void {
  const { type, each } = record.plan;
  const spots = spotsOf(root, record, page);
  for (const [index, spot] of spots.entries()) {
    if (typer.drafts.length > most) return;
    page.own.position = index + 1;
    watch?.item(type);
    const key = typer.add(record.plan, readFields(spot, record, page, watch));
    watch?.done(key);
  }
  if (spots.length === 0 && each !== undefined) typer.missing.add(`${type} (${placeText(each)})`);
}

/** Returns the places of a page that are read as records of one type, in page order. */
export function spotsOf(root: Spot, { each }: CompiledRecord, page: PageContext): readonly Spot[] {
  if (each === undefined) return [root];
  const spots = each.find(root, page, Infinity) ?? [];
  const [only] = spots;
  const list = each.isSingular && only instanceof JsonSpot ? only.value : undefined;
  return Array.isArray(list) ? list.map((value: Value) => new JsonSpot(value)) : spots;
}

function readFields(spot: Spot, record: CompiledRecord, page: PageContext, watch: FieldWatch | undefined): ReadFields {
  spend(recordSteps + record.fields.length * fieldSteps);
  const fields: Record<string, Value> = {};
  const found: string[] = [];
  const unparsed: Unread[] = [];
  const precise: [string, string][] = [];
  for (const field of record.fields) {
    const { name } = field.plan;
    const evaluated = read(field);
    if (evaluated.isFound) found.push(name);
    if (evaluated.value !== undefined) fields[name] = evaluated.value;
    for (const { path, precision } of evaluated.precise ?? []) precise.push([`${name}${path}`, precision]);
  }
  const address = record.page && read(record.page).value;
  return {
    fields,
    found,
    unparsed,
    precision: precisionOf(precise),
    page: typeof address === 'string' ? withoutFragment(address) : undefined,
  };

  function read(field: CompiledField): Evaluated {
    const trace: Trace | undefined = watch === undefined ? undefined : { steps: [] };
    const evaluated = evaluate(field, spot, page, trace);
    if (trace !== undefined) watch?.field(field.plan, trace, evaluated);
    for (const each of evaluated.lost) unparsed.push(unparsedOf(field.plan, each));
    return evaluated;
  }
}

/** An address without what stands behind `#`, which makes no other page. */
function withoutFragment(address: string): string {
  const [page = ''] = address.split('#', 1);
  return page;
}

/** A record as a plug-in gives it. */
export interface FoundDraft {
  readonly type: string;
  /** Default: the text of the key field. */
  readonly key?: string;
  /** The page that it was found on. Default: the page of its step. */
  readonly url?: string;
  readonly fields: Readonly<Record<string, Value>>;
}

/**
 * Reads what a plug-in found as the types that its definition declares. A field that cannot be read is lost and the rest stays; a
 * field that is not declared is left out. Relative addresses are resolved against the draft's own page, else against `base`; dates
 * count from `observedAt`, if that is known. Throws if the plan does not compile.
 */
export function typedDrafts(
  found: readonly FoundDraft[],
  plan: ExtractPlan,
  base: string,
  observedAt?: number,
): TypedDrafts {
  const records = new Map(compilePlan(plan).records.map((record) => [record.plan.type, record]));
  const typer = new RecordTyper('keep');
  for (const draft of found) {
    const record = records.get(draft.type);
    if (record === undefined) typer.refuse(draft.type);
    else {
      for (const name of Object.keys(draft.fields))
        if (!record.fields.some((field) => field.plan.name === name))
          typer.note(`Undefined field: ${draft.type} - ${name}`);
      typer.add(record.plan, readDraft(draft, record, draft.url ?? base, observedAt));
    }
  }
  return typer.typed(found.length === 0 ? [] : plan.records);
}

function readDraft(
  draft: FoundDraft,
  { plan, fields: declared }: CompiledRecord,
  base: string,
  observedAt: number | undefined,
): ReadFields {
  const fields: Record<string, Value> = {};
  const found: string[] = [];
  const unparsed: Unread[] = [];
  const precise: [string, string][] = [];
  for (const { plan: field, value: as } of declared) {
    const { name } = field;
    const own = draft.fields[name];
    if ((own ?? null) !== null) found.push(name);
    // A key given beside the fields is the value of the one key field too.
    const given = own === undefined && plan.key.length === 1 && plan.key[0] === name ? draft.key : own;
    if (given === undefined) continue;
    const lost: Lost[] = [];
    const told: Precise[] = [];
    const value = typed(given, as, { base, observedAt, isGiven: true, lost, precise: told });
    if (value !== undefined) fields[name] = value;
    for (const each of lost) unparsed.push(unparsedOf(field, each));
    for (const { path, precision } of told) precise.push([`${name}${path}`, precision]);
  }
  return { fields, found, unparsed, precision: precisionOf(precise), key: draft.key, url: draft.url };
}

function precisionOf(precise: readonly (readonly [string, string])[]): ReadFields['precision'] {
  return precise.length === 0 ? undefined : Object.fromEntries(precise);
}

function unparsedOf({ name }: FieldPlan, { path, text, expected }: Lost): Unread {
  return { field: `${name}${path}`, text, expected };
}
