import { embeddedText } from '../extract/embedded/all.ts';
import { fromText } from '../extract/rule/from.ts';
import type { FieldFill } from '../view/crawl.ts';
import type { Unfound } from '../view/scrape.ts';
import { defined } from '../defined.ts';
import { allFields } from './all-fields.ts';
import type { Place } from './place.ts';
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
    return [{ record, field, records: total, ...defined({ rule: ruleOf(source, record, field) }) }];
  });
}

/** The rule of a field as people write it; undefined where a plug-in or a program gives the field, and where no definition has it. */
function ruleOf(
  { records, plugin, collect }: Pick<Source, 'records' | 'plugin' | 'collect'>,
  record: string,
  field: string,
): string | undefined {
  const type = Object.hasOwn(records, record) ? records[record] : undefined;
  if (type === undefined || plugin !== undefined || collect?.command !== undefined) return undefined;
  const fields = allFields(type);
  const rule = Object.hasOwn(fields, field) ? fields[field] : undefined;
  return rule && (rule.any ?? [rule]).map(placeText).join(', else ');
}

function placeText({ from = [], attr, ...place }: Place): string {
  return [...from.map(fromText), whereText(place), ...(attr === undefined ? [] : [`@${attr}`])].join(' ');
}

function whereText({ css, xpath, json, in: within, meta, page }: Place): string {
  if (json !== undefined) return within === undefined ? json : `${json} in ${embeddedText(within)}`;
  if (meta !== undefined) return `meta ${meta}`;
  return css ?? xpath ?? (page === undefined ? '.' : `the page's ${page}`);
}
