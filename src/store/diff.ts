import type { RecordDraft, Value } from '../extract/draft.ts';
import type { FieldCell, HistoryRow, RecordRow } from './rows.ts';

/** Who saw a draft, where, and when. */
export interface Observation {
  readonly source: string;
  readonly target: number;
  /** 0 for a pulse. */
  readonly scrape: number;
  /** The page. */
  readonly url: string;
  /** What a record that is new gets. */
  readonly id: string;
  readonly sequence: number;
  /** When the response head came, by the daemon's clock. */
  readonly observedAt: number;
  /** When it is compared, by the same clock. */
  readonly at: number;
}

/** What an observation does to a record; `stale` when all it says is older than what is known. */
export type Difference =
  | { readonly kind: 'added' | 'changed'; readonly row: RecordRow; readonly fields: HistoryRow['fields'] }
  | { readonly kind: 'confirmed'; readonly row: RecordRow }
  | { readonly kind: 'stale' };

/**
 * Compares a draft with what is known, field by field: a field that is not named stays, `null` is a value like others, and
 * the newest observation of a field wins, in whatever order they come. Of two at the same instant the first one stays.
 */
export function difference(known: RecordRow | undefined, draft: RecordDraft, observation: Observation): Difference {
  const newer: [string, FieldCell][] = [];
  const differing: [string, { readonly old?: Value; readonly new: Value }][] = [];
  for (const [field, value] of Object.entries(draft.fields)) {
    // A field may have any name, also one that every object inherits.
    const old = known !== undefined && Object.hasOwn(known.fields, field) ? known.fields[field] : undefined;
    const cell = newestCell(old, value, observation);
    if (cell === old) continue;
    newer.push([field, cell]);
    if (old === undefined) differing.push([field, { new: value }]);
    else if (cell.value !== old.value) differing.push([field, { old: old.value, new: value }]);
  }

  const { source, target, id, url, sequence, scrape, observedAt } = observation;
  if (known === undefined) {
    const { type, key } = draft;
    const seen = { firstSeenAt: observedAt, updatedAt: observedAt, lastScrape: scrape };
    const row = { source, type, key, target, id, url, sequence, ...seen, fields: Object.fromEntries(newer) };
    return { kind: 'added', row, fields: Object.fromEntries(differing) };
  }
  const isLate = observedAt <= known.updatedAt && known.updatedAt <= observation.at;
  if (newer.length === 0 && (isLate || Object.keys(draft.fields).length > 0)) return { kind: 'stale' };
  const { absent, ...rest } = known;
  const row = {
    ...rest,
    ...(!isLate && { url, updatedAt: observedAt }),
    lastScrape: Math.max(known.lastScrape, scrape),
    fields: { ...known.fields, ...Object.fromEntries(newer) },
  };
  return differing.length > 0 || absent !== undefined
    ? { kind: 'changed', row, fields: Object.fromEntries(differing) }
    : { kind: 'confirmed', row };
}

/** The cell after an observation: `old` itself when that one is not newer than the last, and its very value when that is the same. */
function newestCell(old: FieldCell | undefined, value: Value, { observedAt, at }: Observation): FieldCell {
  if (old === undefined) return { value, observedAt, verifiedAt: observedAt };
  // What was seen in the future was seen before the clock was set back.
  if (observedAt <= old.verifiedAt && old.verifiedAt <= at) return old;
  return sameValue(old.value, value)
    ? { ...old, verifiedAt: observedAt }
    : { value, observedAt, verifiedAt: observedAt };
}

/** Whether two values say the same; the order of an object's names does not matter. */
export function sameValue(one: Value, other: Value): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (isList(one) || isList(other)) {
    if (!isList(one) || !isList(other) || one.length !== other.length) return false;
    return one.every((item, index) => sameValue(item, other[index] ?? null));
  }
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && sameValue(one[name] ?? null, other[name] ?? null))
  );
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}
