import type { Extraction, RecordDraft } from '../extract/draft.ts';
import type { CrawlTally } from '../store/crawl-tally.ts';
import type { StatusClass } from '../store/tables/crawls.ts';
import type { Asked } from './ask.ts';

/** What a page counts as, by the first digit of its answer's status. */
export function statusClass({ outcome: { status } }: Asked): StatusClass {
  switch (Math.floor((status ?? 0) / 100)) {
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
  const fill: Record<string, { seen: number; total: number }> = {};
  const totals = new Map<string, number>();
  for (const { type } of drafts) totals.set(type, (totals.get(type) ?? 0) + 1);
  for (const { type, fields } of drafts) {
    for (const field of Object.keys(fields)) {
      const of = (fill[`${type}.${field}`] ??= { seen: 0, total: totals.get(type) ?? 0 });
      if (fields[field] !== null) of.seen += 1;
    }
  }
  for (const name of absent) {
    const total = totals.get(name.slice(0, name.indexOf('.')));
    if (total !== undefined) fill[name] ??= { seen: 0, total };
  }
  return fill;
}
