import type { RecordDraft } from '../extract/draft.ts';
import type { ExtractPlan } from '../extract/plan.ts';
import type { RecordPlan } from '../extract/rule/plan.ts';
import { TooMuchWork, WorkBudget } from '../work-budget.ts';
import { mostRepairs, type Repair, type RepairChange, type RepairKept, type RepairQuestion } from '../view/repair.ts';
import { isSafeForAuto, type ReadKeys, type RepairedField } from './is-safe.ts';
import { tellingIdentity } from './known-values.ts';
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
export async function propose(plan: ExtractPlan, { pairs, lost, records }: RepairQuestion): Promise<readonly Repair[]> {
  const opened: OpenedPair[] = [];
  for (const { good, bad } of pairs) {
    const [before, after] = [await openPage(good, plan), await openPage(bad, plan)];
    if (before !== undefined && after !== undefined) opened.push({ good: before, bad: after });
  }
  if (opened.length === 0) return [];
  try {
    return new WorkBudget(searchSteps).run(() => search(plan, opened, { lost, records }));
  } catch (error) {
    if (error instanceof TooMuchWork) return [];
    throw error;
  }
}

/** A rule that is changed; of a field, with how its place was found. */
type Choice = { readonly change: RepairChange } | RepairedField;

type Known = Pick<RepairQuestion, 'lost' | 'records'>;

function search(plan: ExtractPlan, pairs: readonly OpenedPair[], { lost, records: known }: Known): Repair[] {
  const types = new Set(lost.map(({ record }) => record));
  const repaired = plan.records
    .filter(({ type }) => types.has(type))
    .flatMap((record) => {
      const named = new Set(lost.flatMap((each) => (each.record === record.type ? (each.field ?? []) : [])));
      const found = repairRecord(plan, record, pairs, named);
      return found === undefined ? [] : [{ record, ...found }];
    });
  const first = repaired.flatMap(({ record: { type }, each, fields }): Choice[] => [
    ...(each === undefined ? [] : [{ change: each }]),
    ...fields.flatMap((field) => choiceOf(type, field, field.places[0])),
  ]);
  if (first.length === 0) return [];
  const choices = [first];
  const others = repaired.flatMap(({ record: { type }, fields }) =>
    fields.map((field) => differingPlaces(field.places).flatMap((place) => choiceOf(type, field, place))),
  );
  // Other proposals change one rule of the first otherwise.
  for (let rank = 1; rank < 12; rank += 1)
    for (const { [rank]: other } of others)
      if (other !== undefined) choices.push(first.map((each) => (isSameRule(each, other) ? other : each)));
  const repairs: Repair[] = [];
  const records = repaired.map(({ record }) => record);
  for (const each of choices) {
    if (repairs.length === mostRepairs) break;
    const repair = verified(plan, pairs, each, { records, known });
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

function isSameRule({ change: one }: Choice, { change: other }: Choice): boolean {
  return one.record === other.record && one.field === other.field;
}

function choiceOf(
  record: string,
  { field, before, places }: RecordRepair['fields'][number],
  chosen: RankedPlace | undefined,
): RepairedField[] {
  if (chosen === undefined) return [];
  const change = { record, field, before, to: chosen.to };
  return [{ change, chosen, rivals: places.filter((place) => place !== chosen) }];
}

/** Reads the new pages by changed rules, and counts what is as it was known; `undefined` where no known record is read. */
function verified(
  plan: ExtractPlan,
  pairs: readonly OpenedPair[],
  choices: readonly Choice[],
  { records, known }: { readonly records: readonly RecordPlan[]; readonly known: RepairQuestion['records'] },
): Repair | undefined {
  const nameOf = ({ key }: RecordDraft) => (known === 'keyed' ? key : '');
  const changes = choices.map(({ change }) => change);
  const changed = repairedPlan(plan, changes);
  const kept: RepairKept[] = [];
  const keys: ReadKeys[] = [];
  for (const record of records) {
    const [old, now] = [compiledRecord(plan, record.type), compiledRecord(changed, record.type)];
    if (old === undefined || now === undefined) continue;
    let read = 0;
    const compared = pairs.flatMap(({ good, bad }) => {
      const spots = readSpots(bad, now);
      read += spots.length;
      const after = new Map(
        spots.flatMap(({ draft }) => (draft === undefined ? [] : [[nameOf(draft), draft] as const])),
      );
      return readSpots(good, old).flatMap(({ draft }) =>
        draft === undefined ? [] : [{ fields: draft.fields, after: after.get(nameOf(draft)) }],
      );
    });
    const found = compared.filter(({ after }) => after !== undefined).length;
    keys.push({ kept: found, of: compared.length, added: Math.max(0, read - found) });
    kept.push({ record: record.type, kept: found, of: compared.length, other: 0 });
    for (const { name } of record.fields) {
      const reads = compared.map(({ after }) => tellingIdentity(after?.fields[name]));
      const { kept: same, other, of } = counted(name, compared, reads);
      if (of > 0) kept.push({ record: record.type, field: name, kept: same, of, other });
    }
  }
  if (keys.every(({ kept: found }) => found === 0)) return undefined;
  const fields = choices.flatMap((choice) => ('chosen' in choice ? choice : []));
  return { changes, kept: kept.slice(0, 50), isSafe: isSafeForAuto(fields, keys, kept) };
}
