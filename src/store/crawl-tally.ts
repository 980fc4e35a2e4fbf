import type { DomainCount } from '../frontier/links.ts';
import type { CrawlRow, FieldFill, StatusClass } from './tables/crawls.ts';

/** What one page of a crawl adds to its counts; what was counted in vain is taken away again. */
export interface CrawlTally extends Partial<
  Pick<
    CrawlRow,
    | 'records'
    | 'newRecords'
    | 'changed'
    | 'errors'
    | 'forbidden'
    | 'bytes'
    | 'refused'
    | 'offsite'
    | 'tooDeep'
    | 'startLinks'
    | 'fieldFill'
  >
> {
  /** Of each answer; a redirect is one. */
  readonly status?: Readonly<Partial<Record<StatusClass, number>>>;
}

type Counts = Readonly<Partial<Record<string, number>>>;

/** How many other domains are named. */
const maxDomains = 50;

const counted = ['records', 'newRecords', 'changed', 'errors', 'forbidden', 'bytes', 'tooDeep', 'startLinks'] as const;

export function addTally(row: CrawlRow, tally: CrawlTally): CrawlRow {
  return {
    ...row,
    ...Object.fromEntries(counted.map((name) => [name, row[name] + (tally[name] ?? 0)])),
    status: sumOf(row.status, tally.status),
    refused: sumOf(row.refused, tally.refused),
    offsite: domainSum(row.offsite, tally.offsite ?? []),
    fieldFill: fillSum(row.fieldFill, tally.fieldFill ?? {}),
  };
}

function sumOf(sums: Counts, more: Counts = {}): Record<string, number> {
  const result: Record<string, number> = {};
  for (const key of new Set([...Object.keys(sums), ...Object.keys(more)])) {
    result[key] = (sums[key] ?? 0) + (more[key] ?? 0);
  }
  return result;
}

/** A domain beyond those that may be named is counted among the refused links only. */
function domainSum(sums: readonly DomainCount[], more: readonly DomainCount[]): readonly DomainCount[] {
  if (more.length === 0) return sums;
  const result = new Map(sums.map(({ domain, links }) => [domain, links]));
  for (const { domain, links } of more) {
    if (result.has(domain) || result.size < maxDomains) result.set(domain, (result.get(domain) ?? 0) + links);
  }
  return Array.from(result, ([domain, links]) => ({ domain, links }));
}

function fillSum(
  sums: CrawlRow['fieldFill'],
  more: Readonly<Record<string, FieldFill>>,
): Readonly<Record<string, FieldFill>> {
  const result: Record<string, FieldFill> = { ...sums };
  for (const [field, { seen, total }] of Object.entries(more)) {
    const sum = result[field] ?? { seen: 0, total: 0 };
    result[field] = { seen: sum.seen + seen, total: sum.total + total };
  }
  return result;
}
