import { rateFields } from '../metric/rates.ts';
import type { Issue } from '../schema/expected.ts';
import { didYouMean, undeclared } from '../schema/near-name.ts';
import { allFields } from './all-fields.ts';
import type { Source } from './source.ts';

/** What is wrong with rates that are records of a source: a source, type or field that is not declared. */
export function rateIssues(
  { source: id, of }: { readonly source: string; readonly of: string },
  sources: readonly Source[],
): Issue[] {
  const source = sources.find((each) => each.id === id);
  if (source === undefined)
    return [
      {
        path: ['rates', 'source'],
        message: `no source "${id}" is defined${didYouMean(
          id,
          sources.map((each) => each.id),
        )}`,
      },
    ];
  // A plug-in declares its records itself.
  if (source.plugin !== undefined) return [];
  const record = source.records[of];
  if (record === undefined)
    return [{ path: ['rates', 'of'], message: undeclared('record', of, Object.keys(source.records)) }];
  const missing = rateFields.filter((name) => !Object.hasOwn(allFields(record), name));
  const message = `expected records with the fields ${rateFields.join(', ')}, got "${of}" without ${missing.join(', ')}`;
  return missing.length === 0 ? [] : [{ path: ['rates', 'of'], message }];
}
