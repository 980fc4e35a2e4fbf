import { defined } from '../defined.ts';
import type { Value } from '../extract/value/value.ts';
import type { HistoryView, RecordDifference } from '../view/record.ts';
import { sameValue } from './same-value.ts';

/**
 * Sums up changes of one record, in their order, as what it differs by after them. Returns `undefined` where it is as it was.
 *
 * @param before - the change before them, if any is known.
 * @param oldOf - the value that a field had before them, given the one that its first change tells; by default that one.
 */
export function differenceBy(
  changes: Iterable<HistoryView>,
  before: HistoryView | undefined,
  oldOf: (field: string, told: Value | undefined) => Value | undefined = (_field, told) => told,
): Pick<RecordDifference, 'kind' | 'fields'> | undefined {
  const fields = new Map<string, RecordDifference['fields'][string]>();
  let isAdded = false;
  let last = before?.kind;
  for (const change of changes) {
    isAdded ||= change.kind === 'added';
    last = change.kind;
    const { record: _record, target: _target, source: _source, type: _type, key: _key, kind: _kind, ...rest } = change;
    const { fields: told, ...by } = rest;
    for (const [name, { old, ...values }] of Object.entries(told)) {
      const first = fields.has(name) ? fields.get(name)?.old : oldOf(name, old);
      fields.set(name, { ...defined({ old: first }), ...values, by });
    }
  }
  const differing = [...fields].filter(([, { old, new: value }]) => old === undefined || !sameValue(old, value));
  const [wasAbsent, isAbsent] = [isMissing(before?.kind), isMissing(last)];
  if (isAdded && !isAbsent) return { kind: 'added', fields: Object.fromEntries(differing) };
  if (isAbsent && last !== undefined && (last !== before?.kind || differing.length > 0))
    return { kind: last, fields: Object.fromEntries(differing) };
  if (differing.length === 0 && wasAbsent === isAbsent) return undefined;
  return { kind: 'changed', fields: Object.fromEntries(differing) };
}

function isMissing(kind: HistoryView['kind'] | undefined): boolean {
  return kind === 'missing' || kind === 'gone';
}
