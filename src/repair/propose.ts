import type { ExtractPlan } from '../extract/plan.ts';
import type { RecordPlan } from '../extract/rule/plan.ts';
import { TooMuchWork, WorkBudget } from '../work-budget.ts';
import { mostRepairs, type Repair, type RepairChange, type RepairKept, type RepairQuestion } from '../view/repair.ts';
import { isSafeForAuto, type ReadKeys, type RepairedField } from './is-safe.ts';
import { identityOf, isTelling } from './known-values.ts';
import { compiledRecord, openPage, readSpots } from './opened-page.ts';
import { repairedPlan } from './place-plan.ts';
import { counted, type RankedPlace } from './rank-places.ts';
import { type OpenedPair, type RecordRepair, repairRecord } from './repair-record.ts';

/** The work of a search, in steps of some 10 ns: some seconds. */
const searchSteps = 600_000_000;
/**
 * Finds rules that would have read the values that were known last on the new pages, the best first; at most five. Asks nobody, and gives up
 * after some seconds of work. Rejects if the plan does not compile.
 *
 * @param plan - the plan by which the good pages were read.
 */
export async function propose(plan: ExtractPlan, { pairs, lost }: RepairQuestion): Promise<readonly Repair[]> {
  const opened: OpenedPair[] = [];
  for (const { good, bad } of pairs) {
    const [before, after] = [await openPage(good, plan), await openPage(bad, plan)];
    if (before !== undefined && after !== undefined) opened.push({ good: before, bad: after });
  }
  if (opened.length === 0) return [];
  try {
    return new WorkBudget(searchSteps).run(() => search(plan, opened, lost));
  } catch (error) {
    if (error instanceof TooMuchWork) return [];
    throw error;
  }
}

function search(plan: ExtractPlan, pairs: readonly OpenedPair[], lost: RepairQuestion['lost']): Repair[] {
  const types = new Set(lost.map(({ record }) => record));
  const recordRepairs = plan.records
    .filter(({ type }) => types.has(type))
    .flatMap((record) => {
      const named = new Set(lost.flatMap((each) => (each.record === record.type ? (each.field ?? []) : [])));
      const found = repairRecord(plan, record, pairs, named);
      return found === undefined ? [] : [{ record, ...found }];
    });
  const best = recordRepairs.flatMap(({ record, each, fields }) => [
    ...(each === undefined ? [] : [each]),
    ...fields.map((field) => changeOf(record, field, field.places[0])),
  ]);
  const first = best.filter((change) => change !== undefined);
  if (first.length === 0) return [];
  const choices: (readonly RepairChange[])[] = [first];
  // Other proposals change one rule of the first otherwise.
  for (let rank = 1; rank < 12; rank += 1)
    for (const { record, fields } of recordRepairs)
      for (const field of fields) {
        const other = differingPlaces(field.places)[rank];
        const change = other && changeOf(record, field, other);
        if (change !== undefined) choices.push(first.map((each) => (isSameRule(each, change) ? change : each)));
      }
  const repairs: Repair[] = [];
  for (const changes of choices) {
    if (repairs.length === mostRepairs) break;
    const repair = verified(plan, pairs, changes, recordRepairs);
    if (repair !== undefined) repairs.push(repair);
  }
  return repairs;
}

/** The best place for each element that they name: others differ only in what stands around it. */
function differingPlaces(places: readonly RankedPlace[]): RankedPlace[] {
  const seen = new Set<string>();
  return places.filter(({ to }) => {
    const [last = ''] = to.css?.split(/\s*[\s>]\s*/).slice(-1) ?? [];
    const named = /[.[#]/.test(last) ? last.replace(/^[a-z][\w-]*/, '') : last;
    const json = to.json?.replace(/^\$\[[^\]]*(?:\["[^"]*"\][^\]]*)?\]/, '$');
    const about = JSON.stringify({ ...to, css: named, json });
    const isNew = !seen.has(about);
    seen.add(about);
    return isNew;
  });
}

function isSameRule(one: RepairChange, other: RepairChange): boolean {
  return one.record === other.record && one.field === other.field;
}

function changeOf(
  { type }: RecordPlan,
  { field, before }: RecordRepair['fields'][number],
  place: RankedPlace | undefined,
): RepairChange | undefined {
  return place && { record: type, field, before, to: place.to };
}

/** Reads the new pages by changed rules, and counts what is as it was known; `undefined` where no known record is read. */
function verified(
  plan: ExtractPlan,
  pairs: readonly OpenedPair[],
  changes: readonly RepairChange[],
  recordRepairs: readonly (RecordRepair & { readonly record: RecordPlan })[],
): Repair | undefined {
  const changed = repairedPlan(plan, changes);
  const kept: RepairKept[] = [];
  const keys: ReadKeys[] = [];
  for (const { record } of recordRepairs) {
    const [old, now] = [compiledRecord(plan, record.type), compiledRecord(changed, record.type)];
    if (old === undefined || now === undefined) continue;
    const compared = pairs.flatMap(({ good, bad }) => {
      const after = new Map(
        readSpots(bad, now).flatMap(({ draft }) => (draft === undefined ? [] : [[draft.key, draft] as const])),
      );
      return readSpots(good, old).flatMap(({ draft }) =>
        draft === undefined ? [] : [{ before: draft, after: after.get(draft.key), known: after.size }],
      );
    });
    const found = compared.filter(({ after }) => after !== undefined).length;
    const read = pairs.reduce((sum, { bad }) => sum + readSpots(bad, now).length, 0);
    keys.push({ kept: found, of: compared.length, added: Math.max(0, read - found) });
    kept.push({ record: record.type, kept: found, of: compared.length, other: 0 });
    for (const { name } of record.fields) {
      const items = compared.map(({ before }) => ({ fields: before.fields }));
      const reads = compared.map(({ after }) => {
        const value = after?.fields[name];
        return isTelling(value) ? identityOf(value) : undefined;
      });
      const { kept: same, other, of } = counted(name, items, reads);
      if (of > 0) kept.push({ record: record.type, field: name, kept: same, of, other });
    }
  }
  if (keys.every(({ kept: found }) => found === 0)) return undefined;
  return {
    changes,
    kept: kept.slice(0, 50),
    isSafe: isSafeForAuto(repairedFields(changes, recordRepairs), keys, kept),
  };
}

function repairedFields(
  changes: readonly RepairChange[],
  recordRepairs: readonly (RecordRepair & { readonly record: RecordPlan })[],
): RepairedField[] {
  return changes.flatMap((change): RepairedField[] => {
    const places = recordRepairs
      .filter(({ record }) => record.type === change.record)
      .flatMap(({ fields }) => fields.filter((one) => one.field === change.field).flatMap((field) => field.places));
    const chosen = places.find(({ to }) => JSON.stringify(to) === JSON.stringify(change.to));
    return chosen === undefined ? [] : [{ change, chosen, rivals: places.filter((place) => place !== chosen) }];
  });
}
