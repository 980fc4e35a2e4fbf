import { sameValue } from '../store/same-value.ts';
import type { CorrectionRow, ObservedValue, PresentRow, ReextractedRow } from '../store/tables/reextractions.ts';
import type { HistoryView } from '../view/record.ts';
import type { FieldChanges } from '../view/fields.ts';

/** The values that a kept page has for a record, and the instant at which the page came. */
export interface Reading extends ReextractedRow {
  readonly at: number;
}

/** The differences of the history of a record, and of the record itself. */
export interface Comparison {
  readonly corrections: readonly (CorrectionRow & { readonly at: number })[];
  /** The changes of the current values that were read from these pages; none if they stay as they are. */
  readonly present: PresentRow;
}

/** The last value of a field by its history: when, and the page that showed it. */
interface Told extends ObservedValue {
  readonly page: string | undefined;
}

/**
 * Compares the history of a record with what kept pages say of it by the present definition. Where a page says something else than the history
 * does at its instant, the history is corrected there, and what follows is compared with the corrected value. A field that no page names
 * stays, and so does all that was seen before the first change that is kept. A value that was read by the same rule is in the history, or was held or
 * thinned: it is compared only where another rule has corrected it, and behind what is corrected now.
 *
 * @param history - from the oldest change to the newest.
 * @param readings - likewise.
 * @param isSameRule - whether a version of the definition has the rule for a field that the present one has.
 */
export function compareSeries(
  history: readonly HistoryView[],
  readings: readonly Reading[],
  isSameRule: (version: string, field: string) => boolean = () => false,
): Comparison {
  const value = new Map<string, ObservedValue>();
  const told = new Map<string, Told>();
  const pages = new Set(readings.map(({ page }) => page));
  const corrections: (CorrectionRow & { readonly at: number })[] = [];
  /** The fields that are corrected now, until the history tells them again. */
  const altered = new Set<string>();
  /** The fields that were corrected before at the newest instant. */
  let corrected: { readonly at: number; readonly fields: Set<string> } = { at: -Infinity, fields: new Set() };
  let place = 0;
  let last: HistoryView | undefined;

  for (const reading of readings) {
    tellUpTo(reading.at);
    if (last === undefined) continue;
    const fields = differing(reading);
    if (Object.keys(fields).length === 0) continue;
    const { at, page, target, scrape } = reading;
    corrections.push({ at, page, target, scrape, corrects: last.serial, fields });
  }
  tellUpTo(Infinity);
  return { corrections, present: presentOf() };

  /** Follows the history up to an instant, which belongs to it. */
  function tellUpTo(until: number): void {
    for (let change = history[place]; change !== undefined && change.at <= until; change = history[place]) {
      for (const [field, { new: next }] of Object.entries(change.fields)) {
        value.set(field, { at: change.at, value: next });
        told.set(field, { at: change.at, value: next, page: change.page });
        altered.delete(field);
      }
      if (corrected.at !== change.at) corrected = { at: change.at, fields: new Set() };
      if (change.corrects !== undefined) for (const field of Object.keys(change.fields)) corrected.fields.add(field);
      last = change;
      place += 1;
    }
  }

  /** Whether the history has a field as the present rule reads it, whatever the page says. */
  function isAsRead({ at, version }: Reading, field: string): boolean {
    const isCorrected = altered.has(field) || (corrected.at === at && corrected.fields.has(field));
    return !isCorrected && isSameRule(version, field);
  }

  function differing(reading: Reading): FieldChanges {
    const { at, fields } = reading;
    const changed: Record<string, { old?: Told['value']; new: Told['value'] }> = {};
    for (const [field, next] of Object.entries(fields)) {
      const before = value.get(field);
      if (isAsRead(reading, field)) continue;
      if (before === undefined ? next === null : sameValue(before.value, next)) continue;
      changed[field] = { ...(before !== undefined && { old: before.value }), new: next };
      value.set(field, { at, value: next });
      altered.add(field);
    }
    return changed;
  }

  function presentOf(): PresentRow {
    const names = new Set(corrections.flatMap(({ fields }) => Object.keys(fields)));
    return Object.fromEntries(
      [...names].flatMap((field) => {
        const [from, to] = [told.get(field), value.get(field)];
        if (from === undefined || to === undefined) return [];
        // The present value goes back to a page that is read again, or one that came later says another.
        if ((from.page === undefined || !pages.has(from.page)) && to.at <= from.at) return [];
        if (sameValue(from.value, to.value)) return [];
        return [[field, { from: { at: from.at, value: from.value }, to }] as const];
      }),
    );
  }
}
