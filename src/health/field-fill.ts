import type { Extraction, RecordDraft } from '../extract/draft.ts';
import type { FieldFill } from '../view/crawl.ts';

/** In how many records each field was found, by `type.field`. */
export type Fill = Readonly<Record<string, FieldFill>>;

/** Returns in how many of a page's records each field has a value. A field that no record has, or whose values are blank or unreadable, is in none. */
export function fieldFill(
  drafts: readonly RecordDraft[],
  { absent, blank = [], unparsed }: Pick<Extraction, 'absent' | 'blank' | 'unparsed'>,
): Fill {
  const types = new Map<string, { total: number; readonly seen: Map<string, number> }>();
  for (const { type, fields } of drafts) {
    const of = types.get(type) ?? { total: 0, seen: new Map<string, number>() };
    types.set(type, of);
    of.total += 1;
    for (const field of Object.keys(fields)) {
      of.seen.set(field, (of.seen.get(field) ?? 0) + (fields[field] === null ? 0 : 1));
    }
  }
  const fill: Record<string, FieldFill> = {};
  for (const [type, { total, seen }] of types) {
    for (const [field, count] of seen) fill[`${type}.${field}`] = { seen: count, total };
  }
  for (const name of [...absent, ...blank, ...unparsed.map(({ record, field }) => `${record}.${field}`)]) {
    const total = types.get(name.slice(0, name.indexOf('.')))?.total;
    if (total !== undefined) fill[name] ??= { seen: 0, total };
  }
  return fill;
}

/** The sum of two fills. */
export function fillSum(sums: Fill, more: Fill): Fill {
  const result: Record<string, FieldFill> = { ...sums };
  for (const [field, { seen, total }] of Object.entries(more)) {
    const sum = result[field] ?? { seen: 0, total: 0 };
    result[field] = { seen: sum.seen + seen, total: sum.total + total };
  }
  return result;
}
