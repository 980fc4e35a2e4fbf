import type { RecordDraft } from '../extract/draft.ts';
import { fewRecords, type Guards, isEmptyValue, isNearlyAll } from '../health/guard.ts';
import type { RecordView } from '../view/record.ts';
import type { Store } from './store.ts';
import type { EmptiedTally, TargetRow } from './tables/rows.ts';

/**
 * Fields that are empty on nearly all records that had a value, by the type of the record and the field. Their empty values are held, or ignored where a
 * person has rejected them.
 */
export type EmptiedFields = ReadonlyMap<string, ReadonlyMap<string, 'held' | 'ignored'>>;

/** A page on which emptied fields are looked for. */
interface EmptiedPage {
  readonly store: Store;
  readonly target: TargetRow;
  readonly guards: Guards;
  /** Counts of the earlier pages of the scrape. */
  readonly tally?: EmptiedTally | undefined;
  /** The known record of a draft. */
  knownOf(draft: RecordDraft): RecordView | undefined;
}

/** A field of a type, with the number of the drafts of the page in which it is empty. */
interface EmptyField {
  readonly type: string;
  readonly field: string;
  readonly count: number;
}

/** Finds the fields that are empty on nearly all records that had a value, on this page and the earlier ones of its scrape. */
export function findEmptied(drafts: readonly RecordDraft[], page: EmptiedPage): EmptiedFields {
  const found = new Map<string, Map<string, 'held' | 'ignored'>>();
  const empty = emptyFields(drafts, page.guards);
  if (empty.length === 0) return found;
  const { store, target } = page;
  const holds = [...store.holds.masses(target.source, target.target)].filter(({ row }) => row.kind === 'empty');
  for (const each of empty) {
    const { type, field } = each;
    const hold = holds.find(({ place }) => place.type === type && place.field === field)?.row;
    if (hold?.state === 'released') continue;
    if (hold === undefined && !isEmptied(drafts, each, page)) continue;
    const ofType = found.get(type) ?? new Map<string, 'held' | 'ignored'>();
    ofType.set(field, hold?.state === 'rejected' ? 'ignored' : 'held');
    found.set(type, ofType);
  }
  return found;
}

/** The fields that are empty in drafts, without those that may become empty. */
function emptyFields(drafts: readonly RecordDraft[], guards: Guards): EmptyField[] {
  const counts = new Map<string, Map<string, number>>();
  for (const { type, fields } of drafts)
    for (const field of Object.keys(fields)) {
      if (!isEmptyValue(fields[field] ?? null)) continue;
      const ofType = counts.get(type) ?? new Map<string, number>();
      counts.set(type, ofType);
      ofType.set(field, (ofType.get(field) ?? 0) + 1);
    }
  return Array.from(counts).flatMap(([type, ofType]) =>
    Array.from(ofType)
      .filter(([field]) => guards.fields[type]?.[field]?.empty ?? guards.empty)
      .map(([field, count]) => ({ type, field, count })),
  );
}

/** Whether a field became empty on nearly all records that had a value, and most known records had one. */
function isEmptied(
  drafts: readonly RecordDraft[],
  { type, field, count }: EmptyField,
  { tally: { known: knownBefore = {}, emptied: emptiedBefore = {} } = {}, knownOf }: EmptiedPage,
): boolean {
  const before = knownBefore[type] ?? 0;
  let emptied = emptiedBefore[`${type}.${field}`] ?? 0;
  if (emptied + count < fewRecords) return false;
  let [had, known] = [before, before];
  for (const draft of drafts) {
    if (draft.type !== type) continue;
    const record = knownOf(draft);
    if (record === undefined) continue;
    known += 1;
    const cell = Object.hasOwn(record.fields, field) ? record.fields[field] : undefined;
    if (cell === undefined || isEmptyValue(cell.value)) continue;
    had += 1;
    if (Object.hasOwn(draft.fields, field) && isEmptyValue(draft.fields[field] ?? null)) emptied += 1;
  }
  return 2 * had > known && isNearlyAll(emptied, had);
}
