import type { RecordView } from './record.ts';

/** Returns what a record is that some complete walks in a row no longer find: a page may be away for a day. */
export function absenceOf(walks: number): 'missing' | 'gone' {
  return walks < 2 ? 'missing' : 'gone';
}

/** Whether complete walks no longer find a record: `missing` after the first of them, `gone` after the next; else `present`. */
export function stateOf({ absent }: Pick<RecordView, 'absent'>): 'present' | 'missing' | 'gone' {
  return absent === undefined ? 'present' : absenceOf(absent.times);
}

/** Whether complete walks no longer find a record, and it is not only missing for now. */
export function isGone(record: Pick<RecordView, 'absent'>): boolean {
  return stateOf(record) === 'gone';
}
