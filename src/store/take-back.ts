import { defined } from '../defined.ts';
import type { FieldCell, HistoryView, RecordView } from '../view/record.ts';
import { moveLinks } from './entities.ts';
import { moveFiles } from './files.ts';
import { moveAges } from './record-ages.ts';
import type { Change, Store } from './store.ts';
import type { HoldPlace, MassHold } from './tables/holds.ts';

/** Gives a record back the value of a field that it had before the changes `told`, and holds the one that it shows. */
export function takeBack(
  store: Store,
  change: Change,
  {
    record: before,
    place: { source, type, field },
    row,
    told,
    serial,
  }: {
    readonly record: RecordView;
    readonly place: HoldPlace;
    readonly row: MassHold;
    readonly told: readonly HistoryView[];
    readonly serial: number;
  },
): void {
  const [first, last] = [told[0], told.at(-1)];
  const cell = before.fields[field];
  if (first === undefined || last === undefined || cell === undefined) return;
  const { target, scrape, version, page } = last;
  const good = goodCell(store, before, first, field);
  const evidence = { target, scrape, version, ...defined({ page }) };
  const seen = { observedAt: cell.observedAt, seenAt: cell.verifiedAt, url: before.url };
  const held = { kind: 'unusual' as const, value: cell.value, ...seen, ...evidence };
  const after: RecordView = {
    ...before,
    fields: { ...before.fields, [field]: good },
    ...(row.state === 'held' && { held: { ...before.held, [field]: held } }),
  };
  store.records.put(after, { target, scrape });
  if (row.state === 'held') store.holds.add({ source, target, type, field, record: before.record });
  moveAges(store, after, before, after);
  moveFiles(store, change, after, after.fields);
  moveLinks(store, change, after, { before: before.fields, after: after.fields });
  for (const { fields, serial: corrects, ...each } of told) {
    const was = fields[field]?.new ?? null;
    const corrected = { [field]: { old: was, new: good.value } };
    store.history.add({ ...each, kind: 'changed', serial, corrects, isRecall: true, fields: corrected });
  }
}

/** The value that a field had before a change, with when it was observed, and last verified as far as that is known. */
function goodCell(store: Store, record: RecordView, first: HistoryView, field: string): FieldCell {
  const { at, serial, target, scrape } = first;
  const old = first.fields[field]?.old;
  // It has no value then, which is known as of when the record was seen.
  if (old === undefined) return { value: null, observedAt: at, verifiedAt: at };
  const [change] = store.history.ofRecord(record.record, {
    before: { at, serial },
    field,
    newestFirst: true,
    limit: 1,
  });
  const observedAt = change?.at ?? record.firstSeenAt;
  return { value: old, observedAt, verifiedAt: Math.max(observedAt, verifiedBefore(store, target, scrape)) };
}

/** Scrapes that are looked at for the last complete one. */
const lookedAt = 50;

/** When a target was last read whole before a scrape; 0 where that is not known. */
function verifiedBefore({ scrapes }: Pick<Store, 'scrapes'>, target: number, before: number): number {
  for (const { status, startedAt } of scrapes.ofTarget(target, { before, limit: lookedAt }))
    if (status === 'complete') return startedAt;
  return 0;
}
