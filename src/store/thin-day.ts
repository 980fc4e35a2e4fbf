import type { Value } from '../extract/value/value.ts';
import type { HistoryView } from '../view/record.ts';
import { sameValue } from './same-value.ts';

type Changes = HistoryView['fields'];

/**
 * Thins the changes that a record had in one day, in order. Of a field with numbers, amounts of money or quantities the first and the last value stay,
 * and the least and the greatest of each currency or unit; of another field the last value. A value that was corrected does not count. What stays names the
 * value before it that stays. Changes of another kind than `changed`, and those by which a missing record is back, stay whole.
 *
 * @param isAbsent - whether the record was missing when the day began.
 * @returns the changes that stay; one of which nothing is gone is the same object.
 */
export function thinDay(changes: readonly HistoryView[], isAbsent = false): HistoryView[] {
  const stays = fieldsThatStay(changes);
  const before = new Map<string, Value | undefined>();
  let absent = isAbsent;
  return changes.flatMap((change, place) => {
    const isOther = change.kind !== 'changed';
    const isBack = !isOther && absent;
    absent = change.kind === 'missing' || change.kind === 'gone' || (isOther && absent && change.kind !== 'added');
    const fields: Record<string, Changes[string]> = {};
    for (const [name, told] of Object.entries(change.fields)) {
      if (!before.has(name)) before.set(name, told.old);
      const old = before.get(name);
      if (!isOther && (!(stays[place]?.has(name) ?? false) || (old !== undefined && sameValue(old, told.new))))
        continue;
      const isSame =
        isOther || told.old === old || (told.old !== undefined && old !== undefined && sameValue(told.old, old));
      const { old: _old, ...rest } = told;
      define(fields, name, isSame ? told : { ...(old !== undefined && { old }), ...rest });
      before.set(name, told.new);
    }
    const names = Object.keys(fields);
    if (names.length === 0 && !isOther && !isBack && Object.keys(change.fields).length > 0) return [];
    const isWhole = names.length === Object.keys(change.fields).length;
    return isWhole && names.every((name) => fields[name] === change.fields[name]) ? [change] : [{ ...change, fields }];
  });
}

/** Sets a field of any name, also of one that every object inherits. */
function define(fields: Record<string, Changes[string]>, name: string, value: Changes[string]): void {
  Object.defineProperty(fields, name, { value, enumerable: true, writable: true, configurable: true });
}

/** The value of a field by one change of the day. */
interface ChangedValue {
  readonly place: number;
  readonly at: number;
  readonly value: Value;
  /** Whether the change stays whole, or corrects one that does. */
  readonly isWhole: boolean;
}

/** The fields of each change of the day whose values stay. */
function fieldsThatStay(changes: readonly HistoryView[]): Set<string>[] {
  const stays = changes.map(() => new Set<string>());
  const byField = new Map<string, ChangedValue[]>();
  for (const [place, { at, kind, corrects, fields }] of changes.entries())
    for (const [name, { new: value }] of Object.entries(fields)) {
      const values = byField.get(name) ?? [];
      const corrected = corrects !== undefined && values.at(-1)?.at === at ? values.pop() : undefined;
      if (corrected?.isWhole === true) {
        stays[corrected.place]?.delete(name);
        stays[place]?.add(name);
      }
      values.push({ place, at, value, isWhole: kind !== 'changed' || corrected?.isWhole === true });
      byField.set(name, values);
    }
  for (const [name, values] of byField) {
    const extremes = extremesOf(values);
    const ends = extremes.length > 0 ? [values[0], values.at(-1)] : [values.at(-1)];
    for (const stay of [...ends, ...extremes]) if (stay !== undefined) stays[stay.place]?.add(name);
  }
  return stays;
}

/** The least and the greatest of the values that can be compared, of each currency and unit; of equal ones the first. */
function extremesOf<T extends { readonly value: Value }>(values: readonly T[]): T[] {
  const found = new Map<string, { least: T; greatest: T; from: number; to: number }>();
  for (const each of values) {
    const measured = measure(each.value);
    if (measured === undefined) continue;
    const { of, amount } = measured;
    const known = found.get(of);
    if (known === undefined) found.set(of, { least: each, greatest: each, from: amount, to: amount });
    else if (amount < known.from) Object.assign(known, { least: each, from: amount });
    else if (amount > known.to) Object.assign(known, { greatest: each, to: amount });
  }
  return [...found.values()].flatMap(({ least, greatest }) => [least, greatest]);
}

/** The number of a value and what it counts: nothing, a currency or a unit. `undefined` for values without an order. */
function measure(value: Value): { readonly of: string; readonly amount: number } | undefined {
  if (typeof value === 'number') return { of: '', amount: value };
  if (typeof value !== 'object' || value === null || !('amount' in value)) return undefined;
  const { amount, currency, unit } = value;
  if (typeof currency === 'string' && typeof amount === 'string' && Number.isFinite(Number(amount)))
    return { of: `currency ${currency}`, amount: Number(amount) };
  return typeof unit === 'string' && typeof amount === 'number' ? { of: `unit ${unit}`, amount } : undefined;
}
