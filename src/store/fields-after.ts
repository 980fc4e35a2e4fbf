import type { Value } from '../extract/value/value.ts';
import type { RecordView } from '../view/record.ts';
import type { Store } from './store.ts';

/**
 * Returns the fields that a record had after an event: its present ones, of which the changes that later events told are taken back, but not those of
 * re-extractions.
 *
 * @param event - the serial of the event.
 */
export function fieldsAfter(
  { history }: Pick<Store, 'history'>,
  { record, fields }: RecordView,
  event: number,
): Readonly<Record<string, Value>> {
  const values = new Map(Object.entries(fields).map(([name, { value }]) => [name, value]));
  for (const { serial, corrects, fields: told } of history.ofRecord(record, { newestFirst: true })) {
    if (corrects !== undefined) continue;
    if (serial <= event) break;
    for (const [name, { old }] of Object.entries(told))
      if (old === undefined) values.delete(name);
      else values.set(name, old);
  }
  return Object.fromEntries(values);
}
