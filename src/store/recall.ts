import { setImmediate } from 'node:timers/promises';
import { defined } from '../defined.ts';
import { isEmptyValue } from '../health/guard.ts';
import { projectsOf } from '../schedule/watchers.ts';
import type { HistoryView, RecordView } from '../view/record.ts';
import { sameValue } from './same-value.ts';
import type { Change, Store } from './store.ts';
import { namedProjects } from './subjects.ts';
import type { HoldPlace, MassHold } from './tables/holds.ts';
import { takeBack } from './take-back.ts';

/** Records that are looked at in one transaction, or between two turns of the event loop. */
const atOnce = 100;

/** Keys that an event names. */
const namedKeys = 100;

/**
 * Recalls what a run told of a field before the field was found to be unusual. Tells one event; then each record has its last good value again, the value that
 * was told is held, and the history is corrected at its instant. Uses several transactions; what is interrupted goes on when this is called again. Rejects with
 * `StoreFullError`.
 */
export async function recall(store: Store, place: HoldPlace): Promise<void> {
  const row = store.holds.mass(place);
  if (row?.recall === undefined) return;
  if (row.recall.serial === undefined) {
    const found = await findTold(store, place, row);
    await store.write((change) => tellRecalled(store, change, place, found));
  }
  while (await store.write((change) => recallSome(store, change, place)));
}

/** The lowest serial of the recalls under way; `undefined` where there is none. */
export function recallingSerial({ holds }: Pick<Store, 'holds'>): number | undefined {
  const serials = Array.from(holds.masses(), ({ row }) => row.recall?.serial ?? Infinity);
  const lowest = Math.min(...serials);
  return Number.isFinite(lowest) ? lowest : undefined;
}

/** What a run told of a field that is to be recalled. */
interface FoundTold {
  readonly count: number;
  readonly keys: readonly string[];
  readonly projects: ReadonlySet<string>;
}

async function findTold(store: Store, place: HoldPlace, row: MassHold): Promise<FoundTold> {
  const keys: string[] = [];
  const projects = new Set<string>();
  let count = 0;
  let after: Cursor;
  do {
    const { records, last } = candidates(store, place, after);
    for (const record of records) {
      const told = toldOf(store, record, place, row)?.at(-1);
      if (told === undefined) continue;
      count += 1;
      if (keys.length < namedKeys) keys.push(record.key);
      const target = store.targets.get(told.target);
      for (const project of target === undefined ? [] : projectsOf(target))
        if (projects.size < namedProjects) projects.add(project);
    }
    after = last;
    if (after !== undefined) await setImmediate();
  } while (after !== undefined);
  return { count, keys, projects };
}

function tellRecalled(store: Store, change: Change, place: HoldPlace, { count, keys, projects }: FoundTold): void {
  const row = store.holds.mass(place);
  if (row?.recall === undefined || row.recall.serial !== undefined) return;
  const { recall: due, ...rest } = row;
  if (count === 0) return store.holds.putMass(place, rest);
  const { source, target, type, field } = place;
  const { lastScrape: scrape, ticket } = row;
  change.tell({
    type: 'records.recalled',
    projects: [...projects],
    source,
    ...(target > 0 && { target, scrape }),
    data: { record: type, field, count, keys, since: due.since, ...defined({ ticket }) },
  });
  const recalling = { ...due, serial: change.lastEvent() };
  store.holds.putMass(place, { ...rest, recall: recalling, count: row.count + count });
}

/** Recalls what was told of some records. Returns whether more may be left. */
function recallSome(store: Store, change: Change, place: HoldPlace): boolean {
  const row = store.holds.mass(place);
  if (row?.recall?.serial === undefined) return false;
  const { serial, after } = row.recall;
  const { records, last } = candidates(store, place, after);
  for (const record of records) {
    const told = toldOf(store, record, place, row);
    if (told !== undefined) takeBack(store, change, { record, place, row, told, serial });
  }
  const { recall: under, ...rest } = row;
  store.holds.putMass(place, last === undefined ? rest : { ...rest, recall: { ...under, after: last } });
  return last !== undefined;
}

type Cursor = number | string | undefined;

/** Some of the records that a run may have told of, and where to go on; `last` is missing at their end. */
function candidates(
  { records }: Pick<Store, 'records'>,
  { source, target, type }: HoldPlace,
  after: Cursor,
): { readonly records: readonly RecordView[]; readonly last: Cursor } {
  const found: RecordView[] = [];
  const isOfTarget = target > 0;
  const all = isOfTarget
    ? records.ofTarget(target, { after: typeof after === 'number' ? after : 0 })
    : records.ofType(source, type, typeof after === 'string' ? after : undefined);
  for (const record of all) {
    found.push(record);
    if (found.length === atOnce) break;
  }
  const end = found.length < atOnce ? undefined : found.at(-1);
  return { records: found.filter((each) => each.type === type), last: isOfTarget ? end?.record : end?.key };
}

/** The changes of a field that a run told and that a record still shows the last of, from the oldest on. */
function toldOf(
  { history }: Pick<Store, 'history'>,
  { record, fields }: RecordView,
  { target, field }: HoldPlace,
  { recall: due, of }: MassHold,
): readonly HistoryView[] | undefined {
  const cell = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (cell === undefined || due === undefined || (of === 'empty' && !isEmptyValue(cell.value))) return undefined;
  const changes = [...history.ofRecord(record, { since: due.since, field })];
  const last = changes.at(-1);
  // A pulse or a person has said something since, or it was taken back already.
  if (last === undefined || last.corrects !== undefined || last.scrape === 0) return undefined;
  if ((target > 0 && last.target !== target) || !sameValue(last.fields[field]?.new ?? null, cell.value))
    return undefined;
  const told = changes.slice(
    1 + changes.findLastIndex(({ corrects, scrape }) => corrects !== undefined || scrape === 0),
  );
  // Where empty values alone are doubted, those before are good.
  return of === 'empty' ? [last] : told;
}
