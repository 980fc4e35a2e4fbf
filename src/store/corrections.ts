import type { Correction, CorrectionSlice } from '../view/correction.ts';
import type { HistoryView } from '../view/record.ts';
import type { Store } from './store.ts';
import type { CorrectionPlace } from './tables/history.ts';

/**
 * Reads corrections of the job or the recall that an event tells of, up to `limit` by record and instant; those of records that were removed are left out. Returns
 * `undefined` while they are being written.
 */
export function readCorrections(
  { history, records, reextractions, holds }: Pick<Store, 'history' | 'records' | 'reextractions' | 'holds'>,
  serial: number,
  { after, limit }: { readonly after?: CorrectionPlace | undefined; readonly limit: number },
): CorrectionSlice | undefined {
  if (reextractions.applyingSerial() === serial) return undefined;
  for (const { row } of holds.masses()) if (row.recall?.serial === serial) return undefined;
  const found = [...history.correctionsOf(serial, { after, limit })];
  const rows: Correction[] = [];
  for (const [number, ofRecord] of Map.groupBy(found, ({ record }) => record)) {
    const record = records.byNumber(number);
    const [first, last] = [ofRecord[0], ofRecord.at(-1)];
    if (record === undefined || first === undefined || last === undefined) continue;
    const spans = spansOf([...history.ofRecord(number, { since: first.at })], serial);
    rows.push(...spans.filter(({ at }) => at <= last.at).map((span) => ({ record, ...span })));
  }
  const last = found.at(-1);
  return { rows, ...(found.length === limit && last !== undefined && { last: { record: last.record, at: last.at } }) };
}

/** The corrections of a job among changes of a record, from the oldest to the newest. */
function spansOf(changes: readonly HistoryView[], serial: number): Pick<Correction, 'at' | 'fields'>[] {
  const ends = new Map<string, number>();
  const spans: Pick<Correction, 'at' | 'fields'>[] = [];
  for (const { at, serial: of, fields } of changes.toReversed()) {
    if (of === serial) {
      const told = Object.entries(fields).map(([name, { new: value }]) => {
        const until = ends.get(name);
        return [name, { value, ...(until !== undefined && { until }) }] as const;
      });
      spans.push({ at, fields: Object.fromEntries(told) });
    }
    for (const name of Object.keys(fields)) ends.set(name, at);
  }
  return spans.reverse();
}
