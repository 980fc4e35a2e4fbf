import { defined } from '../defined.ts';
import type { ExtractPlan } from '../extract/plan.ts';
import type { BranchPlan, FieldPlan, PlacePlan, RecordPlan } from '../extract/rule/plan.ts';
import { fromText } from '../extract/rule/from.ts';
import { placeText } from '../extract/rule/place.ts';
import type { RepairChange, RepairPlace } from '../view/repair.ts';

/** The plan of a place that a repair names. */
function repairPlacePlan({ css, xpath, json, meta, in: within }: RepairPlace): PlacePlan {
  if (css !== undefined) return { by: 'css', css };
  if (xpath !== undefined) return { by: 'xpath', xpath };
  if (json !== undefined) return { by: 'json', path: json, ...defined({ in: within }) };
  return meta === undefined ? { by: 'here' } : { by: 'meta', name: meta };
}

/** The rule of a field with a place of a repair: in place of its only one, or before its alternatives. */
export function repairedField(field: FieldPlan, to: RepairPlace): FieldPlan {
  const [first] = field.branches;
  if (first === undefined) return field;
  const { filters, take, trim } = first;
  const { attr, column } = to;
  const branch: BranchPlan = {
    place: repairPlacePlan(to),
    ...defined({ attr, from: column === undefined ? undefined : [{ to: 'column' as const, headings: [column] }] }),
    // What is written beside an attribute or within JSON says nothing of how text is taken.
    take: attr === undefined ? take : 'text',
    trim,
    filters,
  };
  return { ...field, branches: field.branches.length === 1 ? [branch] : [branch, ...field.branches] };
}

/** A rule without the constants, and what is known of the page, that stand in where no place has a value. */
export function withoutConstants(field: FieldPlan): FieldPlan {
  const branches = field.branches.filter(({ place }) => place.by !== 'const' && place.by !== 'page');
  return branches.length === field.branches.length ? field : { ...field, branches };
}

/** A plan whose rules are changed, under an id of its own. */
export function repairedPlan(plan: ExtractPlan, changes: readonly RepairChange[]): ExtractPlan {
  const records = plan.records.map((record) => repairedRecord(record, changes));
  const id = `${plan.id}/repair/${JSON.stringify(changes.map(({ record, field, to }) => [record, field, to]))}`;
  return { ...plan, id, records };
}

function repairedRecord(record: RecordPlan, changes: readonly RepairChange[]): RecordPlan {
  const own = changes.filter((change) => change.record === record.type);
  const each = own.find(({ field }) => field === undefined);
  return {
    ...record,
    ...(each !== undefined && { each: repairPlacePlan(each.to) }),
    fields: record.fields.map((field) => {
      const change = own.find((one) => one.field === field.name);
      return change === undefined ? field : repairedField(field, change.to);
    }),
  };
}

/** The places of a rule, as people write them. */
export function placesText(branches: readonly BranchPlan[]): string {
  return branches
    .map(({ place, attr, from = [] }) =>
      [...from.map(fromText), placeText(place), ...(attr === undefined ? [] : [`@${attr}`])].join(' '),
    )
    .join(', else ')
    .slice(0, 500);
}
