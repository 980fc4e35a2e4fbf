import type { FieldFill } from '../view/crawl.ts';
import type { Unfound } from '../view/scrape.ts';
import { defined } from '../defined.ts';
import { ruleText } from './rule-text.ts';
import type { Source } from './source.ts';

/** The least number of records of which a field counts as not found. */
const fewest = 5;

/**
 * Returns the fields that none of five or more records has, with the rules that looked for them.
 *
 * @param fill - in how many records each field was found, by `type.field`.
 */
export function unfoundIn(
  fill: Readonly<Record<string, FieldFill>>,
  source: Pick<Source, 'records' | 'plugin' | 'collect'>,
): readonly Unfound[] {
  return Object.entries(fill).flatMap(([name, { seen, total }]): Unfound[] => {
    if (seen > 0 || total < fewest) return [];
    const dot = name.indexOf('.');
    const [record, field] = [name.slice(0, dot), name.slice(dot + 1)];
    return [{ record, field, records: total, ...defined({ rule: ruleText(source, record, field) }) }];
  });
}
