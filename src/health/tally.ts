import { noValues, sumOfTops, type TopValues } from './top-values.ts';

/** Logarithms of numbers or lengths: how many, and their sum. */
export interface LogSum {
  readonly count: number;
  readonly sum: number;
}

/** What the records of a run have in a field. All counts add up over pages. */
export interface FieldTally {
  /** The records on pages that are read for the field, and those that have a value. */
  readonly total: number;
  readonly seen: number;
  /** The known records that had a value, and those of them that have none now. */
  readonly had: number;
  readonly lost: number;
  /** The values that say nothing, as zero or an empty text. */
  readonly empty: number;
  /** The known records whose value said something and that have a value now, and those of them whose value is empty now. */
  readonly filled: number;
  readonly emptied: number;
  /** The known records that had a value and have one, and those of them whose value differs. */
  readonly pairs: number;
  readonly altered: number;
  /** The pairs of numbers or amounts, and those of them in another currency or unit. */
  readonly numbers: number;
  readonly currency: number;
  /** The pairs of texts, and those of them of another shape. */
  readonly texts: number;
  readonly shape: number;
  /** Texts, and those that differ from before, or are new, and were decoded by a wrong charset. */
  readonly read: number;
  readonly garbled: number;
  readonly level: LogSum;
  readonly length: LogSum;
  /** The least and the greatest number; missing without numbers. */
  readonly min?: number;
  readonly max?: number;
  /** The most frequent values, of all records and of known ones before. */
  readonly values: TopValues;
  readonly before: TopValues;
  /** The factors by which numbers moved, where they moved far. */
  readonly factors: TopValues;
}

/** The records of a type in a run. */
export interface TypeTally {
  readonly records: number;
  /** The records that were known before. */
  readonly known: number;
  readonly added: number;
  readonly changed: number;
  /** The scrapes that found a record of the type. */
  readonly found: number;
  /** The known records that a run of the whole should find, and those that it did not; 0 until it is over. */
  readonly expected: number;
  readonly missing: number;
  readonly fields: Readonly<Record<string, FieldTally>>;
}

/**
 * What a run found so far, as plain data that is kept between the steps of a scrape. Tallies of pages and of scrapes add up by `sumOfTallies`.
 */
export interface RunTally {
  /** 1 for a scrape, more for a round. */
  readonly scrapes: number;
  readonly types: Readonly<Record<string, TypeTally>>;
  /** Places that were looked at for records, and those that are none. */
  readonly places: number;
  readonly refused: number;
  readonly requests: number;
  /** Requests without an answer, or with an error status. */
  readonly failed: number;
  /** Answers with a body, and their bytes. */
  readonly bodies: number;
  readonly bytes: number;
  readonly elapsedMs: number;
}

/** A run that has found nothing yet. */
export const emptyTally: RunTally = {
  scrapes: 0,
  types: {},
  places: 0,
  refused: 0,
  requests: 0,
  failed: 0,
  bodies: 0,
  bytes: 0,
  elapsedMs: 0,
};

/** A type without records. */
export const emptyType: TypeTally = {
  records: 0,
  known: 0,
  added: 0,
  changed: 0,
  found: 0,
  expected: 0,
  missing: 0,
  fields: {},
};

/** A field without records. */
export const emptyField: FieldTally = {
  total: 0,
  seen: 0,
  had: 0,
  lost: 0,
  empty: 0,
  filled: 0,
  emptied: 0,
  pairs: 0,
  altered: 0,
  numbers: 0,
  currency: 0,
  texts: 0,
  shape: 0,
  read: 0,
  garbled: 0,
  level: { count: 0, sum: 0 },
  length: { count: 0, sum: 0 },
  values: noValues,
  before: noValues,
  factors: noValues,
};

/** Returns what two parts of a run found together: two pages of a scrape, or two scrapes of a round. */
export function sumOfTallies(one: RunTally, other: RunTally): RunTally {
  return {
    scrapes: one.scrapes + other.scrapes,
    types: summed(one.types, other.types, sumOfTypes),
    places: one.places + other.places,
    refused: one.refused + other.refused,
    requests: one.requests + other.requests,
    failed: one.failed + other.failed,
    bodies: one.bodies + other.bodies,
    bytes: one.bytes + other.bytes,
    elapsedMs: one.elapsedMs + other.elapsedMs,
  };
}

function sumOfTypes(one: TypeTally, other: TypeTally): TypeTally {
  return {
    records: one.records + other.records,
    known: one.known + other.known,
    added: one.added + other.added,
    changed: one.changed + other.changed,
    found: one.found + other.found,
    expected: one.expected + other.expected,
    missing: one.missing + other.missing,
    fields: summed(one.fields, other.fields, sumOfFields),
  };
}

function sumOfFields(one: FieldTally, other: FieldTally): FieldTally {
  const { min = Infinity, max = -Infinity } = one;
  const [least, greatest] = [Math.min(min, other.min ?? Infinity), Math.max(max, other.max ?? -Infinity)];
  return {
    total: one.total + other.total,
    seen: one.seen + other.seen,
    had: one.had + other.had,
    lost: one.lost + other.lost,
    empty: one.empty + other.empty,
    filled: one.filled + other.filled,
    emptied: one.emptied + other.emptied,
    pairs: one.pairs + other.pairs,
    altered: one.altered + other.altered,
    numbers: one.numbers + other.numbers,
    currency: one.currency + other.currency,
    texts: one.texts + other.texts,
    shape: one.shape + other.shape,
    read: one.read + other.read,
    garbled: one.garbled + other.garbled,
    level: sumOfLogs(one.level, other.level),
    length: sumOfLogs(one.length, other.length),
    ...(least <= greatest && { min: least, max: greatest }),
    values: sumOfTops(one.values, other.values),
    before: sumOfTops(one.before, other.before),
    factors: sumOfTops(one.factors, other.factors),
  };
}

function sumOfLogs(one: LogSum, other: LogSum): LogSum {
  return { count: one.count + other.count, sum: one.sum + other.sum };
}

/** The entries of both; those that both have are summed. */
function summed<T>(
  one: Readonly<Record<string, T>>,
  other: Readonly<Record<string, T>>,
  sum: (one: T, other: T) => T,
): Readonly<Record<string, T>> {
  const result: Record<string, T> = { ...one };
  for (const [name, value] of Object.entries(other)) {
    const old = Object.hasOwn(result, name) ? result[name] : undefined;
    result[name] = old === undefined ? value : sum(old, value);
  }
  return result;
}
