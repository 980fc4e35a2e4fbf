import type { Extraction, RecordDraft } from '../extract/draft.ts';
import type { CrawlTally } from '../store/crawl-tally.ts';
import type { FieldFill, StatusClass } from '../store/tables/crawls.ts';
import type { Asked } from './ask.ts';

/** What a page counts as, by the first digit of its answer's status. */
export function statusClass({ outcome }: Asked): StatusClass {
  if (outcome.kind === 'failed' && outcome.failure.code === 'robots_disallowed') return 'forbidden';
  switch (Math.floor((outcome.status ?? 0) / 100)) {
    case 1:
      return '1xx';
    case 2:
      return '2xx';
    case 3:
      return '3xx';
    case 4:
      return '4xx';
    case 5:
      return '5xx';
    default:
      return 'failed';
  }
}

/** In how many of a page's records each field was found, by `type.field`. */
export function fillOf(drafts: readonly RecordDraft[], { absent }: Extraction): NonNullable<CrawlTally['fieldFill']> {
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
  for (const name of absent) {
    const total = types.get(name.slice(0, name.indexOf('.')))?.total;
    if (total !== undefined) fill[name] ??= { seen: 0, total };
  }
  return fill;
}
