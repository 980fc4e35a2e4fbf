import { isEmptyValue } from '../health/guard.ts';
import type { Value } from '../extract/value/value.ts';
import type { Store } from '../store/store.ts';
import { sameValue } from '../store/same-value.ts';
import type { RecordView } from '../view/record.ts';
import type { Reading } from './compare.ts';

/**
 * What kept pages say of a record, without the values that guards have kept out of its history: those that are held or rejected, and those
 * that wait to be confirmed. They are for a person to release, or for the site to show again.
 *
 * @param number - the number of the record.
 */
export function believedReadings(store: Store, number: number, readings: readonly Reading[]): readonly Reading[] {
  const record = store.records.byNumber(number);
  if (record === undefined) return readings;
  return readings.map((reading) => {
    const believed = Object.entries(reading.fields).filter(
      ([field, value]) => !isKeptOut(store, record, { field, value, at: reading.at, target: reading.target }),
    );
    return { ...reading, fields: Object.fromEntries(believed) };
  });
}

interface Seen {
  readonly field: string;
  readonly value: Value;
  readonly at: number;
  readonly target: number;
}

function isKeptOut(
  store: Store,
  { source, type, held, candidates }: RecordView,
  { field, value, at, target }: Seen,
): boolean {
  const kept = held?.[field];
  if (kept !== undefined && at >= kept.observedAt && sameValue(kept.value, value)) return true;
  if (candidates?.[field]?.some((each) => each.observedAt === at && sameValue(each.value, value)) === true) return true;
  if (!isEmptyValue(value)) return false;
  const together = store.holds.mass({ source, target, type, field });
  return together?.kind === 'empty' && together.state !== 'released' && at >= together.since;
}
