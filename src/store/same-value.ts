import type { Value } from '../extract/value/value.ts';

/** Whether two values are equal, whatever the order of the names in their objects. */
export function sameValue(one: Value, other: Value): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (isList(one) || isList(other)) {
    if (!isList(one) || !isList(other) || one.length !== other.length) return false;
    return one.every((item, index) => sameValue(item, other[index] ?? null));
  }
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && sameValue(one[name] ?? null, other[name] ?? null))
  );
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}
