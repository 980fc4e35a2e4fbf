import type { EachPlace } from '../definition/place.ts';
import type { Source } from '../definition/source.ts';
import { definitionVersion } from '../definition/version.ts';
import { rssItem } from '../extract/document/rss.ts';
import type { DocumentKind, ExtractPlan, PlacePlan, RecordPlan } from '../extract/plan.ts';
import { fieldPlans, placePlan } from './rule-plan.ts';

const documents: Readonly<Record<Source['provider'], DocumentKind>> = {
  html: 'html',
  xml: 'xml',
  rss: 'xml',
  json: 'json',
  csv: 'csv',
};

/** What all plans of a source have. */
export function documentOf(
  source: Pick<Source, 'provider' | 'tree' | 'csv'>,
): Pick<ExtractPlan, 'document' | 'tree' | 'csv'> {
  return {
    document: documents[source.provider],
    tree: source.tree,
    ...(source.csv !== undefined && { csv: source.csv }),
  };
}

/** What a source's pages give. */
export function planOf(source: Source): ExtractPlan {
  const records = Object.entries(source.records).map(([type, { key, each, fields, nulls }]): RecordPlan => {
    const place = eachPlan(source, each);
    return { type, key, ...(place !== undefined && { each: place }), fields: fieldPlans(fields), nulls };
  });
  return {
    id: `${definitionVersion(source)}/page`,
    ...documentOf(source),
    records: source.provider === 'rss' && records.length === 0 ? [rssItem] : records,
    ...(source.finished !== undefined && { finished: source.finished }),
  };
}

/** A row of a table is a record, unless the definition says otherwise. */
function eachPlan({ provider }: Source, each: EachPlace | undefined): PlacePlan | undefined {
  if (each !== undefined) return placePlan(each);
  return provider === 'csv' ? { by: 'json', path: '$[*]' } : undefined;
}
