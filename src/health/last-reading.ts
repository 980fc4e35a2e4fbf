import { defined } from '../defined.ts';
import type { Symptom } from '../view/symptom.ts';
import type { RuleDigests } from './baseline.ts';
import type { Fill } from './field-fill.ts';
import { isMostMissing, manyRecords } from './guard.ts';

/** What a scrape has read of its target. */
export interface Reading {
  readonly fill: Fill;
  /** Whether it read the whole of the target, as of a page, of a list to its end, or of a crawl that completed. */
  readonly isWhole: boolean;
  /** The pages that items led to, by the type of their records; missing for a target whose items lead to none. */
  readonly pages?: ItemPageCounts | undefined;
  /** Of a target that is one page: whether that left an element open at its end. */
  readonly endsOpen?: boolean | undefined;
}

/**
 * How many pages of items a scrape asked for, and how many of these it read, by the type of their records. `isStopped`: it asked for no more, as several in a
 * row failed in ways that speak against the source.
 */
export type ItemPageCounts = Readonly<
  Record<string, { readonly asked: number; readonly read: number; readonly isStopped?: true }>
>;

/** What the scrapes of a target gave when they were last trusted: what the next ones are compared with. */
export interface LastReading {
  /** Version of the definition by which it was read. */
  readonly version: string;
  /** The rules of that version; missing where they are not known. */
  readonly rules?: RuleDigests;
  readonly types: Readonly<Record<string, TypeMeasure>>;
  /** Of a target that is one page: whether that has ever left an element open at its end, so that this says nothing. */
  readonly endsOpen?: boolean;
}

interface TypeMeasure {
  /** How many records the whole target had; missing where it was never read whole. */
  readonly whole?: number;
  /** How many records the last scrape with enough of them read, and how many of these had each field. */
  readonly records: number;
  readonly fields: Readonly<Record<string, number>>;
}

/** The definition by which a scrape has read. */
export interface ReadBy {
  readonly version: string;
  /** Missing where they are not known: then another version need not have the types and fields of the one before. */
  readonly rules?: RuleDigests | undefined;
}

/**
 * Returns whether a field of a record type is read by the same rule as in the last reading: what another rule has read says nothing of what a site has
 * changed. Where the rules are not known, none of another version is the same.
 */
export function rulesSince(last: LastReading | undefined, by: ReadBy): (type: string, field: string) => boolean {
  if (last === undefined || last.version === by.version) return () => true;
  const [before, now] = [last.rules, by.rules];
  if (before === undefined || now === undefined) return () => false;
  return (type, field) => [type, `${type}.${field}`].every((name) => before[name] === now[name]);
}

/** Returns a measure without the types and fields whose rules differ in another version of the definition. */
function withoutChanged(measure: LastReading, { version, rules }: ReadBy): LastReading | undefined {
  const { rules: old } = measure;
  if (measure.version === version || rules === undefined || old === undefined) return measure;
  const isSame = (name: string): boolean => rules[name] === old[name];
  const types = Object.entries(measure.types)
    .filter(([type]) => isSame(type))
    .map(([type, { whole, records, fields }]) => {
      const kept = Object.entries(fields).filter(([field]) => isSame(`${type}.${field}`));
      const isWhole = whole !== undefined && isSame('');
      return [type, { ...(isWhole && { whole }), records, fields: Object.fromEntries(kept) }] as const;
    });
  return types.length === 0 ? undefined : { version, rules, types: Object.fromEntries(types) };
}

/**
 * Compares what a scrape has read with the last reading that was trusted: types without any record, or with less than half of ten or more,
 * fields that no record has any more, and pages of items that mostly could not be read. One trusted reading is enough.
 */
export function symptomsSince(before: LastReading | undefined, reading: Reading, by: ReadBy): Symptom[] {
  const measure = before && withoutChanged(before, by);
  const found = measure === undefined ? [] : symptomsOf(measure, typesOf(reading.fill), reading, by.version);
  return [...found, ...failedPages(reading.pages)];
}

/** The measure after a reading that is trusted: `before` itself where it says the same. */
export function trusted(before: LastReading | undefined, reading: Reading, by: ReadBy): LastReading | undefined {
  return measured(before && withoutChanged(before, by), typesOf(reading.fill), reading, by);
}

/**
 * Whether a reading says anything of a symptom. The whole of a target does, but not of pages of items that it did not ask for; a part says
 * something of fields alone, and only where it has enough records.
 */
export function saysOf({ fill, isWhole, pages = {} }: Reading, { kind, record = '' }: Symptom): boolean {
  if (kind === 'pages') return (pages[record]?.asked ?? 0) > 0;
  return isWhole || (kind === 'field' && (typesOf(fill).get(record)?.records ?? 0) >= manyRecords);
}

/** Returns how many records of each type a reading has. */
export function recordCounts({ fill }: Reading): ReadonlyMap<string, number> {
  return new Map(Array.from(typesOf(fill), ([type, { records }]) => [type, records]));
}

/** The types of whose pages most failed: of several, or of the few after which no more were asked for. */
function failedPages(pages: ItemPageCounts = {}): Symptom[] {
  return Object.entries(pages).flatMap(([record, { asked, read, isStopped }]): Symptom[] => {
    if (!isMostMissing(asked - read, asked, isStopped === true ? 1 : manyRecords)) return [];
    const observed = (asked - read) / asked;
    return [{ kind: 'pages', record, measure: 'unread', observed, expected: { high: 0.5 }, of: asked }];
  });
}

type Types = ReadonlyMap<string, { readonly records: number; readonly fields: ReadonlyMap<string, number> }>;

function typesOf(fill: Fill): Types {
  const types = new Map<string, { records: number; readonly fields: Map<string, number> }>();
  for (const [name, { seen, total }] of Object.entries(fill)) {
    const dot = name.indexOf('.');
    const type = name.slice(0, dot);
    const of = types.get(type) ?? { records: 0, fields: new Map<string, number>() };
    types.set(type, of);
    of.records = Math.max(of.records, total);
    of.fields.set(name.slice(dot + 1), seen);
  }
  return types;
}

function symptomsOf(measure: LastReading, now: Types, { isWhole }: Reading, version: string): Symptom[] {
  const isOther = measure.version !== version;
  return Object.entries(measure.types).flatMap(([record, { whole = 0, records, fields }]): Symptom[] => {
    const { records: count, fields: seen } = now.get(record) ?? { records: 0, fields: new Map<string, number>() };
    if (isWhole && count === 0 && whole > 0) {
      // Another definition need not have the type any more.
      if (isOther && now.size > 0) return [];
      return [{ kind: 'records', record, measure: 'records', observed: 0, expected: { median: whole } }];
    }
    const isFew = isWhole && isMostMissing(whole - count, whole);
    const lost = Object.entries(fields).filter(
      ([field, had]) => 2 * had >= records && (seen.get(field) ?? (isOther ? had : 0)) === 0,
    );
    return [
      ...(isFew ? [few(record, count, whole)] : []),
      ...(count >= (isWhole ? 1 : manyRecords)
        ? lost.map(([field, had]) => lostField({ record, field, median: had / records, of: count }))
        : []),
    ];
  });
}

function few(record: string, observed: number, median: number): Symptom {
  return { kind: 'records', record, measure: 'records', observed, expected: { low: median / 2, median } };
}

function lostField({ median, of, ...field }: { record: string; field: string; median: number; of: number }): Symptom {
  return { kind: 'field', ...field, measure: 'fill', observed: 0, expected: { median }, of };
}

/** The measure after a scrape that is trusted. */
function measured(
  before: LastReading | undefined,
  now: Types,
  { isWhole, endsOpen }: Reading,
  { version, rules }: ReadBy,
): LastReading | undefined {
  const enough = isWhole ? 1 : manyRecords;
  if (!isWhole && [...now.values()].every(({ records }) => records < enough)) return before;
  const types: Record<string, TypeMeasure> = isWhole || before?.version !== version ? {} : { ...before.types };
  for (const [type, { records, fields }] of now) {
    if (records < enough) continue;
    const whole = isWhole ? records : before?.types[type]?.whole;
    const had = [...fields].filter(([, seen]) => seen > 0);
    types[type] = { ...(whole !== undefined && { whole }), records, fields: Object.fromEntries(had) };
  }
  if (Object.keys(types).length === 0) return undefined;
  const after = { version, types, ...defined({ rules, endsOpen: before?.endsOpen === true || endsOpen }) };
  return before !== undefined && isSame(before, after) ? before : after;
}

/** Whether two readings say the same. Those of one version have the same rules, where these are known. */
function isSame(one: LastReading, other: LastReading): boolean {
  if (one.version !== other.version || one.endsOpen !== other.endsOpen) return false;
  const names = Object.keys(other.types);
  return (
    (one.rules === undefined) === (other.rules === undefined) &&
    Object.keys(one.types).length === names.length &&
    names.every((name) => isSameType(one.types[name], other.types[name]))
  );
}

function isSameType(one: TypeMeasure | undefined, other: TypeMeasure | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  const names = Object.keys(other.fields);
  return (
    one.whole === other.whole &&
    one.records === other.records &&
    Object.keys(one.fields).length === names.length &&
    names.every((name) => one.fields[name] === other.fields[name])
  );
}
