import type { CompiledRecord } from '../extract/compile.ts';
import { spotsOf } from '../extract/record.ts';
import { evaluate, type Trace } from '../extract/rule/evaluate.ts';
import { JsonSpot, type PageContext, type Spot } from '../extract/rule/spot.ts';

/** The most records of a type whose fields are marked. */
const mostRecords = 200;

/** Finds the elements that the fields of records are read from, with the names of these fields as `record.field`; those of records themselves by the name of the type. */
export function fieldMarks(
  records: readonly CompiledRecord[],
  root: Spot,
  page: PageContext,
): ReadonlyMap<Exclude<Spot, JsonSpot>, readonly string[]> {
  const marks = new Map<Exclude<Spot, JsonSpot>, string[]>();
  const mark = (spot: Spot | undefined, name: string): void => {
    if (spot === undefined || spot instanceof JsonSpot || spot === root) return;
    const names = marks.get(spot) ?? [];
    if (!names.includes(name)) marks.set(spot, [...names, name]);
  };
  for (const record of records) {
    const { type } = record.plan;
    for (const spot of spotsOf(root, record, page).slice(0, mostRecords)) {
      mark(spot, type);
      for (const field of record.fields) {
        const trace: Trace = { steps: [] };
        evaluate(field, spot, page, trace);
        const branch = trace.branch === undefined ? undefined : field.branches[trace.branch];
        const matches = branch?.find(spot, page, field.most) ?? [];
        for (const match of matches.slice(0, mostRecords)) mark(match, `${type}.${field.plan.name}`);
      }
    }
  }
  return marks;
}
