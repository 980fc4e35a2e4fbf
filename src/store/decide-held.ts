import { projectsOf } from '../schedule/watchers.ts';
import type { HeldValue, RecordView } from '../view/record.ts';
import { markMissing } from './crawl-missing.ts';
import { moveLinks } from './entities.ts';
import { moveFiles } from './files.ts';
import { finishIfOver } from './finish.ts';
import { massOf, tellReleased } from './holds.ts';
import { moveAges } from './record-ages.ts';
import { freshen } from './schedule.ts';
import type { Change, Store } from './store.ts';
import { subjectsOf } from './subjects.ts';
import type { HeldMember, HoldPlace, MassHold } from './tables/holds.ts';

/** Which holds of a source are decided: all of them, or those of a target, type, record or field. */
export interface WantedHeld {
  readonly source: string;
  readonly target?: number | undefined;
  readonly type?: string | undefined;
  readonly key?: string | undefined;
  readonly field?: string | undefined;
}

/** How many values, and how many missing records, were released or rejected. */
export interface DecidedHeld {
  readonly values: number;
  readonly missing: number;
}

/** Values per transaction: commits wait a few milliseconds at most. */
const batch = 100;

/** Values of one field on a target that were decided. */
interface Decided extends HoldPlace {
  readonly kind: HeldValue['kind'];
  count: number;
}

/** A held value that nobody has decided yet. */
export interface OpenValue {
  readonly record: RecordView;
  readonly held: HeldValue;
}

/** The held value of a row of `holds`. `undefined` if it is decided, or if the records that lacked a value show values again. */
export function openValue(
  { records, holds }: Pick<Store, 'records' | 'holds'>,
  member: HeldMember,
): OpenValue | undefined {
  const record = records.byNumber(member.record);
  const held =
    record?.held !== undefined && Object.hasOwn(record.held, member.field) ? record.held[member.field] : undefined;
  if (record === undefined || held === undefined || held.isRejected === true) return undefined;
  if (held.kind === 'jump') return { record, held };
  const mass = massOf({ holds }, member)?.row;
  return mass?.state === 'held' && held.observedAt >= mass.since ? { record, held } : undefined;
}

/** Whether a row of `holds` is wanted by its target, type and field; the key of its record is not looked at. */
export function isWantedPlace({ target, type, field }: HoldPlace, wanted: WantedHeld): boolean {
  return (
    (wanted.target === undefined || wanted.target === target) &&
    (wanted.type === undefined || wanted.type === type) &&
    (wanted.field === undefined || wanted.field === field)
  );
}

/**
 * Releases or rejects what is held of a source. A released value is written as the change that it was when it was observed. Uses several
 * transactions; what is interrupted goes on when it is asked for again. Resolves once all is on disk. Rejects with `StoreFullError` when the
 * store has no room.
 */
export async function decideHeld(
  store: Store,
  wanted: WantedHeld,
  verdict: 'released' | 'rejected',
): Promise<DecidedHeld> {
  const decided = new Map<string, Decided>();
  let after: HeldMember | undefined;
  do {
    const range = { source: wanted.source, target: wanted.target, after, limit: batch };
    const members = [...store.holds.members(range)];
    const some = members.filter((member) => isWantedPlace(member, wanted));
    if (some.length > 0) {
      const done = await store.write((change) => decideSome(store, change, { members: some, wanted, verdict }), {
        durable: true,
      });
      for (const each of done) count(decided, each);
    }
    after = members.length === batch ? members.at(-1) : undefined;
  } while (after !== undefined);
  const isWhole = wanted.key === undefined;
  if (decided.size > 0 || isWhole)
    await store.write((change) => endHolds(store, change, { decided: [...decided.values()], wanted, verdict }), {
      durable: true,
    });
  const values = [...decided.values()].reduce((sum, each) => sum + each.count, 0);
  const isOfMissing = isWhole && wanted.type === undefined && wanted.field === undefined;
  return { values, missing: isOfMissing ? await decideMissing(store, wanted, verdict) : 0 };
}

interface Decision {
  readonly wanted: WantedHeld;
  readonly verdict: 'released' | 'rejected';
}

function count(decided: Map<string, Decided>, { kind, source, target, type, field }: Omit<Decided, 'count'>): void {
  const name = JSON.stringify([kind, target, type, field]);
  const known = decided.get(name) ?? { kind, source, target, type, field, count: 0 };
  known.count += 1;
  decided.set(name, known);
}

function decideSome(
  store: Store,
  change: Change,
  { members, wanted, verdict }: Decision & { readonly members: readonly HeldMember[] },
): Omit<Decided, 'count'>[] {
  const done: Omit<Decided, 'count'>[] = [];
  for (const member of members) {
    const found = openValue(store, member);
    if (found !== undefined && wanted.key !== undefined && found.record.key !== wanted.key) continue;
    store.holds.remove(member);
    if (found === undefined) continue;
    if (verdict === 'released') releaseValue(store, change, found, member.field);
    else rejectValue(store, found, member.field);
    done.push({ ...member, kind: found.held.kind });
  }
  return done;
}

/** Publishes a held value as the change that it was. Its row among the holds is removed by the caller. */
export function releaseValue(store: Store, change: Change, { record: before, held }: OpenValue, field: string): void {
  const { value, observedAt, seenAt, target, scrape } = held;
  const cell = { value, observedAt, verifiedAt: seenAt };
  const after = { ...withoutHeld(before, field), fields: { ...before.fields, [field]: cell } };
  store.records.put(after, { target, scrape });
  moveAges(store, after, before, after);
  moveFiles(store, change, after, after.fields);
  moveLinks(store, change, after, { before: before.fields, after: after.fields });
  const row = store.targets.get(target);
  tellReleased(
    change,
    after,
    field,
    { held, old: before.fields[field]?.value },
    row === undefined ? [] : projectsOf(row),
  );
  if (row !== undefined) freshen(store, change, row, { at: seenAt, fields: new Set([field]) });
}

/** Forgets a value; one that jumped is kept as rejected, so that it is not told again while the site shows it. */
export function rejectValue(store: Store, { record, held }: OpenValue, field: string): void {
  const { target, scrape } = held;
  const others = withoutHeld(record, field);
  const after =
    held.kind === 'jump'
      ? { ...others, held: { ...record.held, [field]: { ...held, isRejected: true as const } } }
      : others;
  store.records.confirm(after, { target, scrape });
}

function withoutHeld({ held = {}, ...record }: RecordView, field: string): RecordView {
  const others = Object.entries(held).filter(([name]) => name !== field);
  return others.length === 0 ? record : { ...record, held: Object.fromEntries(others) };
}

/** Emits the events of decisions, and stores those on all records of a field. */
function endHolds(
  store: Store,
  change: Change,
  { decided, wanted, verdict }: Decision & { readonly decided: readonly Decided[] },
): void {
  for (const { kind, type: record, field, count, ...place } of decided) {
    const target = store.targets.get(place.target);
    if (target === undefined) continue;
    const data = { kind, record, field, count, by: 'person' } as const;
    change.tell({ type: `value.${verdict}`, ...subjectsOf(target), data });
    finishIfOver(store, change, target);
  }
  for (const { place, row } of [...store.holds.masses(wanted.source, wanted.target)]) {
    if (row.kind === 'missing' || row.state !== 'held' || !isWantedPlace(place, wanted)) continue;
    const target = store.targets.get(place.target);
    const lastScrape = Math.max(row.lastScrape, target?.running ?? target?.settled ?? 0);
    if (wanted.key === undefined) store.holds.putMass(place, { ...row, state: verdict, lastScrape });
    else if ((row.count > 1 || row.kind === 'unusual') && decided.length > 0)
      store.holds.putMass(place, { ...row, count: row.count - 1 });
    else if (decided.length > 0) store.holds.removeMass(place);
  }
}

/** Releases or rejects records of which most are missing at once. Returns their number. */
async function decideMissing(store: Store, wanted: WantedHeld, verdict: 'released' | 'rejected'): Promise<number> {
  let missing = 0;
  for (const { place } of [...store.holds.masses(wanted.source, wanted.target)]) {
    const decided = await store.write((change) => decideMass(store, change, place, verdict), { durable: true });
    missing += decided?.count ?? 0;
    if (decided?.state === 'released') await markReleased(store, place, decided);
  }
  return missing;
}

/** Stores a decision on missing records. Returns it; `undefined` where none of them are held any more, and nothing is written. */
export function decideMass(
  store: Store,
  change: Change,
  place: HoldPlace,
  verdict: 'released' | 'rejected',
): MassHold | undefined {
  const row = store.holds.mass(place);
  // What was released is marked again, as a release may have been interrupted.
  const isOpen = row?.state === 'held' || (row?.state === 'released' && verdict === 'released');
  if (row?.kind !== 'missing' || !isOpen || store.targets.get(place.target) === undefined) return undefined;
  const decided = { ...row, state: verdict };
  store.holds.putMass(place, decided);
  if (verdict === 'rejected') tellMissing(store, change, place.target, { count: row.count, verdict });
  return decided;
}

/** Marks released records as missing, each as of when it was found to be, then tells that they are released. */
export async function markReleased(store: Store, place: HoldPlace, row: MassHold): Promise<void> {
  const { begun = row.scrape, lastScrape: scrape, since, lastAt = since, count } = row;
  const { epoch } = store.targets.get(place.target) ?? { epoch: 0 };
  const fence = { target: place.target, epoch, scrape };
  // A record that was seen again after the first scrape without it is missing since the last one.
  const missingSince = ({ updatedAt }: RecordView): number => (updatedAt < since ? since : lastAt);
  await markMissing(store, fence, begun, () => store.targets.get(place.target), missingSince);
  await store.write(
    (change) => {
      // Meanwhile a scrape may have ended this hold, and another one may have begun.
      if (store.holds.mass(place)?.state === 'released') store.holds.removeMass(place);
      tellMissing(store, change, place.target, { count, verdict: 'released' });
    },
    { durable: true },
  );
}

function tellMissing(
  store: Store,
  change: Change,
  number: number,
  { count, verdict }: Pick<Decision, 'verdict'> & { readonly count: number },
): void {
  const target = store.targets.get(number);
  if (target === undefined) return;
  change.tell({
    type: `value.${verdict}`,
    ...subjectsOf(target),
    data: { kind: 'missing', count, by: 'person' as const },
  });
}
