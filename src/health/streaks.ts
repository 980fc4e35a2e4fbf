import type { Symptom } from '../view/symptom.ts';
import type { RunTally } from './tally.ts';

/** In how many readings in a row a target had each field, by `type.field`. */
export type Streaks = Readonly<Record<string, number>>;

/** A field that so many readings in a row had is proven: its rule worked. */
const provenReadings = 3;

/**
 * Returns the fields that the last readings of a target had and that none of its records has now: what a page with few records shows by itself. A
 * symptom lasts until a reading has the field again, or its streak is forgotten.
 */
export function lostFields(streaks: Streaks, tally: RunTally): Symptom[] {
  return fieldsOf(tally)
    .filter(({ name, seen, total }) => seen === 0 && total > 0 && (streaks[name] ?? 0) >= provenReadings)
    .map(({ record, field, total }) => ({ kind: 'field', record, field, measure: 'lost', observed: 1, of: total }));
}

/** Returns the streaks after one more reading. That of a field which was proven and is lost stays. */
export function withReading(streaks: Streaks, tally: RunTally): Streaks {
  const after: Record<string, number> = { ...streaks };
  for (const { name, seen, total } of fieldsOf(tally)) {
    const streak = streaks[name] ?? 0;
    if (seen > 0) after[name] = Math.min(provenReadings, streak + 1);
    else if (total > 0 && streak < provenReadings) delete after[name];
  }
  return after;
}

function fieldsOf({ types }: RunTally) {
  return Object.entries(types).flatMap(([record, { fields }]) =>
    Object.entries(fields).map(([field, { seen, total }]) => ({
      name: `${record}.${field}`,
      record,
      field,
      seen,
      total,
    })),
  );
}
