import type { Value } from '../extract/value/value.ts';
import type { HeldValue, RecordView } from '../view/record.ts';
import { defined } from '../defined.ts';
import type { Change, Store } from './store.ts';
import type { HoldPlace, MassHold } from './tables/holds.ts';

/** The hold that values of a field of a target belong to: its own, or that of the targets of few records of its source. */
export function massOf(
  { holds }: Pick<Store, 'holds'>,
  { source, target, type, field }: HoldPlace,
): { readonly place: HoldPlace; readonly row: MassHold } | undefined {
  for (const member of [target, 0]) {
    const place = { source, target: member, type, field };
    const row = holds.mass(place);
    if (row !== undefined) return { place, row };
  }
  return undefined;
}

/** Emits the change of a released value, with the instant at which the value was observed. */
export function tellReleased(
  change: Change,
  { record, source, type, key }: RecordView,
  field: string,
  { held, old }: { readonly held: HeldValue; readonly old: Value | undefined },
  projects: readonly string[],
): void {
  const { target, scrape, recheck, version, page, observedAt: at } = held;
  const evidence = { target, scrape, version, ...defined({ recheck, page }) };
  const fields = { [field]: { ...defined({ old }), new: held.value } };
  change.tellChange({ record, source, type, key, at, ...evidence, kind: 'changed', wasHeld: true, fields }, projects);
}

/** Removes the holds of a record that is removed. */
export function forgetHeld({ holds }: Pick<Store, 'holds'>, { source, type, record, held = {} }: RecordView): void {
  for (const [field, { target }] of Object.entries(held)) holds.remove({ source, target, type, field, record });
}
