import type { Doubt, Symptom } from '../view/doubt.ts';
import type { Fill } from './field-fill.ts';

/** What a scrape has read of its target. */
export interface Reading {
  readonly fill: Fill;
  /** Whether it read the whole of the target, as of a page, of a list to its end, or of a crawl that completed. */
  readonly isWhole: boolean;
  /** The pages that items led to, by the type of their records; missing for a target whose items lead to none. */
  readonly pages?: ItemPageCounts | undefined;
}

/** How many pages of items a scrape asked for, and how many of these it read, by the type of their records. */
export type ItemPageCounts = Readonly<Record<string, { readonly asked: number; readonly read: number }>>;

/** What the scrapes of a target gave when they were last trusted: what the next ones are compared with. */
export interface Measure {
  /** Version of the definition by which it was read. */
  readonly version: string;
  /** The rules of that version; missing where they are not known. */
  readonly rules?: RuleDigests;
  readonly types: Readonly<Record<string, TypeMeasure>>;
}

/**
 * Digests of the rules by which a target is read: of each field under `type.field`; of the rest of a record type, such as its key, under
 * the name of the type; of what belongs to the target, such as its address and its pages, under an empty name.
 */
export type RuleDigests = Readonly<Record<string, string>>;

interface TypeMeasure {
  /** How many records the whole target had; missing where it was never read whole. */
  readonly whole?: number;
  /** How many records the last scrape with enough of them read, and how many of these had each field. */
  readonly records: number;
  readonly fields: Readonly<Record<string, number>>;
}

/** A measure and a doubt after one more scrape, and what is told of it: that the doubt is new, is over, or has become what is usual. */
export interface Judged {
  readonly measure: Measure | undefined;
  readonly doubt: Doubt | undefined;
  readonly told?: 'doubtful' | 'recovered' | 'accepted';
}

/** The least number of records or pages of which more than half may not go, and the least that a part of a target says anything of fields by. */
const manyRecords = 10;

/** Complete scrapes in a row with the same symptoms after which these are taken for usual. */
const usualAfter = 3;

/** The scrape that is judged, and the definition by which it has read. */
interface JudgedScrape {
  readonly version: string;
  /** Missing where they are not known: then another version need not have the types and fields of the one before. */
  readonly rules?: RuleDigests | undefined;
  readonly at: number;
  readonly isComplete: boolean;
}

/** Returns a measure without the types and fields whose rules differ in another version of the definition. */
function withoutChanged(
  measure: Measure,
  { version, rules }: Pick<JudgedScrape, 'version' | 'rules'>,
): Measure | undefined {
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
 * Compares what a scrape has read with what the ones before it gave. Doubtful numbers do not become the measure, so that a doubt lasts
 * until the target gives what it gave before, or three complete scrapes in a row were alike.
 *
 * @param scrape - its version, when it ended, and whether it completed. One that failed since it found no record proves nothing usual.
 */
export function judge(
  { measure: before, doubt }: Pick<Judged, 'measure' | 'doubt'>,
  reading: Reading,
  { at, isComplete, ...by }: JudgedScrape,
): Judged {
  const { version } = by;
  const measure = before && withoutChanged(before, by);
  const now = typesOf(reading.fill);
  const found = measure === undefined ? [] : symptomsOf(measure, now, reading, version);
  // A part of a target does not tell how many records it has, nor of a type with few on that part.
  const kept = (doubt?.symptoms ?? []).filter(
    (each) => each.kind !== 'pages_failed' && !reading.isWhole && !isJudged(each, now) && isMeasured(each, measure),
  );
  const pages = failedPages(reading.pages, doubt?.symptoms ?? []);
  const symptoms = [...found, ...kept, ...pages];
  const trusted = isComplete && found.length + kept.length === 0 ? measured(measure, now, reading, by) : measure;
  if (symptoms.length === 0)
    return { measure: trusted, doubt: undefined, ...(doubt !== undefined && { told: 'recovered' }) };
  const isNew = [...found, ...pages].some((one) => doubt?.symptoms.some((other) => isSame(one, other)) !== true);
  const last = isNew ? 0 : (doubt?.times ?? 0);
  // Pages that cannot be read are never usual.
  const times = isComplete && kept.length + pages.length === 0 ? last + 1 : last;
  if (times >= usualAfter) return { measure: measured(measure, now, reading, by), doubt: undefined, told: 'accepted' };
  const lasting = { since: doubt?.since ?? at, times, symptoms };
  return { measure: trusted, doubt: lasting, ...(isNew && { told: 'doubtful' }) };
}

/** The types of whose pages most failed, until a scrape reads at least half of those that it asks for. */
function failedPages(pages: ItemPageCounts = {}, before: readonly Symptom[]): Symptom[] {
  return Object.entries(pages).flatMap(([record, { asked, read }]): Symptom[] => {
    const last = before.find((each) => each.kind === 'pages_failed' && each.record === record);
    if (2 * read < asked && asked >= manyRecords) return [{ kind: 'pages_failed', record, before: asked, now: read }];
    return last !== undefined && (asked === 0 || 2 * read < asked) ? [last] : [];
  });
}

function isSame(one: Symptom, other: Symptom): boolean {
  return one.kind === other.kind && one.record === other.record && one.field === other.field;
}

/** Whether what a symptom lacks is still compared: by another version of the definition it need not be. */
function isMeasured({ record, field }: Symptom, measure: Measure | undefined): boolean {
  const type = measure?.types[record];
  return type !== undefined && (field === undefined || type.fields[field] !== undefined);
}

/** Whether a part of a target with these records judges a symptom anew. */
function isJudged({ kind, record }: Symptom, now: Types): boolean {
  return kind === 'field_lost' && (now.get(record)?.records ?? 0) >= manyRecords;
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

function symptomsOf(measure: Measure, now: Types, { isWhole }: Reading, version: string): Symptom[] {
  const isOther = measure.version !== version;
  return Object.entries(measure.types).flatMap(([record, { whole = 0, records, fields }]): Symptom[] => {
    const { records: count, fields: seen } = now.get(record) ?? { records: 0, fields: new Map<string, number>() };
    if (isWhole && count === 0 && whole > 0) {
      // Another definition need not have the type any more.
      if (isOther && now.size > 0) return [];
      return [{ kind: 'no_record', record, before: whole, now: 0 }];
    }
    const isFew = isWhole && whole >= manyRecords && 2 * count < whole;
    const lost = Object.entries(fields).filter(
      ([field, had]) => 2 * had >= records && (seen.get(field) ?? (isOther ? had : 0)) === 0,
    );
    return [
      ...(isFew ? [{ kind: 'fewer_records', record, before: whole, now: count } as const] : []),
      ...(count >= (isWhole ? 1 : manyRecords)
        ? lost.map(([field, had]) => ({ kind: 'field_lost', record, field, before: had, now: 0 }) as const)
        : []),
    ];
  });
}

/** The measure after a scrape that is trusted. */
function measured(
  before: Measure | undefined,
  now: Types,
  { isWhole }: Reading,
  { version, rules }: Pick<JudgedScrape, 'version' | 'rules'>,
): Measure | undefined {
  const enough = isWhole ? 1 : manyRecords;
  if (!isWhole && [...now.values()].every(({ records }) => records < enough)) return before;
  const types: Record<string, TypeMeasure> = isWhole || before?.version !== version ? {} : { ...before.types };
  for (const [type, { records, fields }] of now) {
    if (records < enough) continue;
    const whole = isWhole ? records : before?.types[type]?.whole;
    const had = [...fields].filter(([, seen]) => seen > 0);
    types[type] = { ...(whole !== undefined && { whole }), records, fields: Object.fromEntries(had) };
  }
  return Object.keys(types).length === 0 ? undefined : { version, ...(rules !== undefined && { rules }), types };
}
