import type { Extraction, RecordDraft } from '../extract/draft.ts';
import type { Value } from '../extract/value/value.ts';
import { fieldTally, pairOf } from './field-tally.ts';
import { emptyTally, emptyType, type FieldTally, type RunTally, type TypeTally } from './tally.ts';

/** A record of a page, with what was known of it. */
export interface ReadRecord {
  readonly draft: Pick<RecordDraft, 'type' | 'fields'>;
  /**
   * The values that the record had in the last healthy run, by field; missing for a record that was not known. A stored value that the last
   * healthy run did not see is none of them: see `valuesSince`.
   */
  readonly before?: Readonly<Record<string, Value>>;
  readonly change: 'added' | 'changed' | 'confirmed';
}

/** A page and what was read from it. */
export interface ReadPage extends Pick<Extraction, 'absent' | 'blank' | 'unparsed' | 'items' | 'refused'> {
  readonly records: readonly ReadRecord[];
  /** Set for the page of an item, which says more of a record that a list has counted. */
  readonly isItemPage?: boolean;
}

/** A request of a run. */
export interface Asked {
  /** Missing where there was no answer. */
  readonly status?: number;
  readonly bytes: number;
  readonly elapsedMs: number;
}

/** What a scrape that read the whole of its target says of the records of a type that were known before it. */
export interface WholeType {
  /** The known records that it should find: those that are not missing already. */
  readonly expected: number;
  readonly missing: number;
}

/** A cell of a stored record. */
interface Cell {
  readonly value: Value;
  readonly verifiedAt: number;
}

/**
 * Returns the values that a record had in the last healthy run: those that were verified since then. A field that a reading does not name
 * keeps its stored value, so that what is stored does not say what the last reading saw.
 *
 * @param since - when the last healthy run of the target began.
 * @param isSame - whether the rule of a field is the one that it was read by then. Default: all are.
 */
export function valuesSince(
  fields: Readonly<Record<string, Cell>>,
  since: number,
  isSame: (field: string) => boolean = () => true,
): Readonly<Record<string, Value>> {
  const values: Record<string, Value> = {};
  for (const [name, { value, verifiedAt }] of Object.entries(fields))
    if (verifiedAt >= since && isSame(name)) values[name] = value;
  return values;
}

/** Tallies a request. */
export function requestTally({ status, bytes, elapsedMs }: Asked): RunTally {
  const hasBody = status !== undefined && bytes > 0;
  return {
    ...emptyTally,
    requests: 1,
    failed: status === undefined || status >= 400 ? 1 : 0,
    bodies: hasBody ? 1 : 0,
    bytes: hasBody ? bytes : 0,
    elapsedMs,
  };
}

/** Tallies the records of a page. */
export function pageTally({ records, isItemPage = false, items, refused, ...read }: ReadPage): RunTally {
  const types: Record<string, TypeTally> = {};
  for (const [type, of] of Map.groupBy(records, ({ draft }) => draft.type))
    types[type] = typeTally(type, of, read, isItemPage);
  return {
    ...emptyTally,
    types,
    places: isItemPage ? 0 : items,
    refused: isItemPage ? 0 : refused,
  };
}

function typeTally(
  type: string,
  records: readonly ReadRecord[],
  { absent, blank = [], unparsed }: Pick<ReadPage, 'absent' | 'blank' | 'unparsed'>,
  isItemPage: boolean,
): TypeTally {
  const names = new Set<string>();
  for (const { draft } of records) for (const name of Object.keys(draft.fields)) names.add(name);
  for (const name of [...absent, ...blank]) if (name.startsWith(`${type}.`)) names.add(name.slice(type.length + 1));
  for (const { record, field } of unparsed) if (record === type) names.add(field);
  const fields: Record<string, FieldTally> = {};
  for (const name of names)
    fields[name] = fieldTally(records.map(({ draft, before }) => pairOf(name, draft.fields, before)));
  if (isItemPage) return { ...emptyType, fields };
  const count = (change: ReadRecord['change']): number => records.filter((each) => each.change === change).length;
  const known = records.filter(({ before }) => before !== undefined).length;
  return { ...emptyType, records: records.length, known, added: count('added'), changed: count('changed'), fields };
}

/** Tallies a scrape that has ended. */
export function scrapeTally(tally: RunTally, whole: Readonly<Record<string, WholeType>> = {}): RunTally {
  const types: Record<string, TypeTally> = {};
  for (const type of new Set([...Object.keys(tally.types), ...Object.keys(whole)])) {
    const read = tally.types[type] ?? emptyType;
    types[type] = { ...read, ...whole[type], found: read.records > 0 ? 1 : 0 };
  }
  return { ...tally, scrapes: 1, types };
}
