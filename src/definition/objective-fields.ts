import { documentKind } from '../extract/document/all.ts';
import type { TargetSchedule } from '../schedule/levels.ts';
import type { Issue } from '../schema/expected.ts';
import { undeclared } from '../schema/near-name.ts';
import { allFields } from './all-fields.ts';
import type { Source } from './source.ts';

/** Leaves out the objectives of a schedule for fields that the source does not declare. */
function withDeclaredFields(schedule: TargetSchedule, source: Source): TargetSchedule {
  const { objectives, resting = [] } = schedule;
  if ([...objectives, ...resting].every(({ field }) => field === '')) return schedule;
  const declared = fieldsOf(source);
  const isDeclared = ({ field }: { readonly field: string }): boolean => field === '' || declared.has(field);
  return {
    ...schedule,
    objectives: objectives.filter(isDeclared),
    ...(resting.length > 0 && { resting: resting.filter(isDeclared) }),
  };
}

/**
 * The schedule of a target on a source. Objectives hold for each record where the source has pages that can be asked again one by one:
 * a list or a crawl then goes on at its own pace, and where an objective was to set it, at the interval `everyMs`.
 */
export function scheduleOn(source: Source, schedule: TargetSchedule, everyMs?: number): TargetSchedule {
  const declared = withDeclaredFields(schedule, source);
  if (!hasPagesOfRecords(source)) return declared;
  const { pace, ...rest } = declared;
  if (pace?.kind !== 'objective') return { ...declared, isOfRecords: true };
  return { ...rest, isOfRecords: true, ...(everyMs !== undefined && { pace: { kind: 'interval', everyMs } }) };
}

/** Whether the records of a source's targets stand on pages that can be asked again one by one. */
export function hasPagesOfRecords(source: Source): boolean {
  const { crawl, feed, collect, plugin, request } = source;
  // The answer to a form has no address of its own.
  if (request.form !== undefined || plugin !== undefined) return false;
  if (crawl !== undefined || feed !== undefined)
    return crawl !== undefined || (collect === undefined && feed?.in === 'query');
  return collect === undefined && hasItemPages(source);
}

/** Whether items of a source's lists lead to pages that say more of their records. */
export function hasItemPages({ records }: Pick<Source, 'records'>): boolean {
  return Object.values(records).some(({ page }) => page !== undefined);
}

/** A source, as far as it declares fields; it may come from a definition that is not valid. */
interface Declaring {
  readonly provider?: string | undefined;
  readonly records: Readonly<
    Record<string, { readonly fields: object; readonly page?: { readonly fields: object } | undefined }>
  >;
}

/** The fields that objectives name. */
export interface FieldsOf {
  readonly fields?: object | undefined;
}

/** Yields an issue for each field with an objective that no record of these sources has. */
export function* undeclaredObjectives(
  objectives: FieldsOf | readonly FieldsOf[],
  sources: readonly Declaring[],
): Generator<Issue> {
  const declared = new Set(sources.flatMap((source) => [...fieldsOf(source)]));
  const sets = Array.isArray(objectives) ? (objectives as readonly FieldsOf[]) : [objectives as FieldsOf];
  for (const [index, { fields = {} }] of sets.entries())
    for (const field of Object.keys(fields))
      if (!declared.has(field)) {
        const path = ['objectives', ...(Array.isArray(objectives) ? [index] : []), 'fields', field];
        yield { path, message: undeclared('field', field, [...declared]) };
      }
}

function fieldsOf({ provider = 'html', records }: Declaring): ReadonlySet<string> {
  const declared = Object.values(records).flatMap((record) => Object.keys(allFields(record)));
  // Some kinds of documents, such as feeds, have a record without declaring any.
  const usual = declared.length === 0 ? documentKind(provider)?.record : undefined;
  return new Set(usual === undefined ? declared : usual.fields.map(({ name }) => name));
}
