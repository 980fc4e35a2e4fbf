import { setImmediate } from 'node:timers/promises';
import { projectsOf } from '../schedule/watchers.ts';
import type { HeldValue } from '../view/record.ts';
import { decideMass, markReleased, rejectValue, releaseValue } from './decide-held.ts';
import { finishIfOver } from './finish.ts';
import { massOf } from './holds.ts';
import { recall } from './recall.ts';
import type { Change, Store } from './store.ts';
import { namedProjects, subjectsOf } from './subjects.ts';
import type { HeldMember, HoldPlace, MassHold } from './tables/holds.ts';

/** Values per transaction: commits wait a few milliseconds at most. */
const batch = 100;

/** How a hold ends, and who has decided that. */
interface End {
  readonly verdict: 'released' | 'rejected';
  readonly by: 'person' | 'source';
}

/**
 * Has what is held in common follow its runs and tickets: recalls what was told before, publishes what a run showed that turned out to be as usual, and ends
 * the holds of tickets that are resolved. Does nothing where there is nothing to do. Uses several transactions; what is interrupted goes on when this is called
 * again. Rejects with `StoreFullError`.
 *
 * @param source - default: all sources.
 * @param members - the targets of the source that are looked at, and 0 for its round. Default: all.
 */
export async function settleHolds(store: Store, source?: string, members?: readonly number[]): Promise<void> {
  if (store.holds.isNone()) return;
  const of = members?.map((member) => store.holds.masses(source, member)) ?? [store.holds.masses(source)];
  const places = of.flatMap((masses) => Array.from(masses, ({ place }) => place));
  for (const [index, place] of places.entries()) {
    await settle(store, place);
    // Most have nothing to do, and wait for nothing.
    if (index % batch === batch - 1) await setImmediate();
  }
}

async function settle(store: Store, place: HoldPlace): Promise<void> {
  await recall(store, place);
  const since = store.holds.mass(place)?.believedSince;
  if (since !== undefined) {
    const decided = await decideMembers(store, place, 'released', ({ seenAt }) => seenAt >= since);
    await store.write((change) => believed(store, change, place, decided));
  }
  const row = store.holds.mass(place);
  const end = row && endOf(store, row);
  if (row === undefined || end === undefined) return;
  if (row.kind === 'missing') {
    const decided = await store.write((change) => decideMass(store, change, place, end.verdict), { durable: true });
    if (decided?.state === 'released') await markReleased(store, place, decided);
    return;
  }
  const decided =
    row.state === 'held'
      ? await decideMembers(store, place, end.verdict, () => true)
      : { count: 0, targets: new Set<number>() };
  await store.write((change) => ended(store, change, place, { ...end, decided }));
}

/** How a hold is to end now; `undefined` for one that goes on. */
function endOf(
  { tickets }: Pick<Store, 'tickets'>,
  { kind, state, ticket: number, isOver }: MassHold,
): End | undefined {
  if (isOver === true) return { verdict: 'rejected', by: 'source' };
  if (number === undefined || (kind === 'missing' && state !== 'held')) return undefined;
  const { state: of = 'resolved', resolvedBy = 'healthy' } = tickets.get(number) ?? {};
  if (of !== 'resolved') return undefined;
  if (resolvedBy === 'accepted') return { verdict: 'released', by: 'person' };
  if (resolvedBy === 'person') return { verdict: 'rejected', by: 'person' };
  // Missing records that are found again end their hold by themselves.
  return kind === 'missing' ? undefined : { verdict: 'rejected', by: 'source' };
}

/** The values that were decided, and the targets that had shown them. */
interface Decided {
  readonly count: number;
  readonly targets: ReadonlySet<number>;
}

/** Releases or rejects those values of a hold that are wanted. */
async function decideMembers(
  store: Store,
  place: HoldPlace,
  verdict: End['verdict'],
  isWanted: (held: HeldValue) => boolean,
): Promise<Decided> {
  const { source, target, type, field } = place;
  const targets = new Set<number>();
  let count = 0;
  let after: HeldMember | undefined;
  do {
    const members = [...store.holds.members({ source, target: target > 0 ? target : undefined, after, limit: batch })];
    const some = members.filter((each) => each.type === type && each.field === field);
    if (some.length > 0)
      count += await store.write((change) => {
        let decided = 0;
        for (const member of some) {
          const record = store.records.byNumber(member.record);
          const held = record?.held !== undefined && Object.hasOwn(record.held, field) ? record.held[field] : undefined;
          if (record === undefined || held === undefined) store.holds.remove(member);
          if (record === undefined || held === undefined || held.kind === 'jump' || !isWanted(held)) continue;
          if (massOf(store, member)?.place.target !== target) continue;
          store.holds.remove(member);
          if (verdict === 'released') releaseValue(store, change, { record, held }, field);
          else rejectValue(store, { record, held }, field);
          targets.add(member.target);
          decided += 1;
        }
        return decided;
      });
    after = members.length === batch ? members.at(-1) : undefined;
  } while (after !== undefined);
  return { count, targets };
}

/** Notes that what a run showed is published, as the run was as usual. */
function believed(store: Store, change: Change, place: HoldPlace, decided: Decided): void {
  const row = store.holds.mass(place);
  if (row === undefined) return;
  const { believedSince: _, ...rest } = row;
  store.holds.putMass(place, rest);
  tell(store, change, place, { kind: row.kind, verdict: 'released', by: 'run', count: decided.count, decided });
}

function ended(
  store: Store,
  change: Change,
  place: HoldPlace,
  { verdict, by, decided }: End & { readonly decided: Decided },
): void {
  const row = store.holds.mass(place);
  if (row === undefined) return;
  store.holds.removeMass(place);
  // What a run showed that was as usual is told as released.
  const isAll = verdict === 'rejected' && row.isOver !== true;
  const count = row.state !== 'held' ? 0 : isAll ? row.count : decided.count;
  tell(store, change, place, { kind: row.kind, verdict, by, count, decided });
}

/** Tells what became of values, and lets targets end that wait for one of them. */
function tell(
  store: Store,
  change: Change,
  place: HoldPlace,
  {
    kind,
    verdict,
    by,
    count,
    decided: { targets },
  }: Pick<End, 'verdict'> & {
    readonly kind: MassHold['kind'];
    readonly by: End['by'] | 'run';
    readonly count: number;
    readonly decided: Decided;
  },
): void {
  const rows = Array.from(targets).flatMap((number) => store.targets.get(number) ?? []);
  const own = place.target > 0 ? store.targets.get(place.target) : undefined;
  if (count > 0) {
    const projects = [...new Set(rows.flatMap(projectsOf))].slice(0, namedProjects);
    const subjects = own === undefined ? { projects, source: place.source } : subjectsOf(own);
    const data = { kind, record: place.type, field: place.field, count };
    if (verdict === 'rejected' && by !== 'run')
      change.tell({ type: 'value.rejected', ...subjects, data: { ...data, by } });
    else if (by !== 'source') change.tell({ type: 'value.released', ...subjects, data: { ...data, by } });
  }
  for (const target of rows) finishIfOver(store, change, target);
}
