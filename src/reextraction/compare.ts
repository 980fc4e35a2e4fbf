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
 * stays, and so does all that was seen before the first change that is kept.
 *
 * @param history - from the oldest change to the newest.
 * @param readings - likewise.
 */
export function compareSeries(history: readonly HistoryView[], readings: readonly Reading[]): Comparison {
  const value = new Map<string, ObservedValue>();
  const told = new Map<string, Told>();
  const pages = new Set(readings.map(({ page }) => page));
  const corrections: (CorrectionRow & { readonly at: number })[] = [];
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
      }
      last = change;
      place += 1;
    }
  }

  function differing({ at, fields }: Reading): FieldChanges {
    const changed: Record<string, { old?: Told['value']; new: Told['value'] }> = {};
    for (const [field, next] of Object.entries(fields)) {
      const before = value.get(field);
      if (before === undefined ? next === null : sameValue(before.value, next)) continue;
      changed[field] = { ...(before !== undefined && { old: before.value }), new: next };
      value.set(field, { at, value: next });
    }
    return changed;
  }

  function presentOf(): PresentRow {
    const names = new Set(corrections.flatMap(({ fields }) => Object.keys(fields)));
    return Object.fromEntries(
      [...names].flatMap((field) => {
        const [from, to] = [told.get(field), value.get(field)];
        if (from === undefined || to === undefined || from.page === undefined || !pages.has(from.page)) return [];
        if (sameValue(from.value, to.value)) return [];
        return [[field, { from: { at: from.at, value: from.value }, to }] as const];
      }),
    );
  }
}
