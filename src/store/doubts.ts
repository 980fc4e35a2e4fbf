import { defined } from '../defined.ts';
import type { Guards } from '../health/guard.ts';
import { isJudged } from '../health/judge.ts';
import type { Oddity } from '../health/odd-value.ts';
import type { Measure } from '../health/measure-kind.ts';
import { type Symptom, symptomId } from '../view/symptom.ts';
import type { Store } from './store.ts';
import type { HoldPlace, MassHold } from './tables/holds.ts';
import type { TicketPlace } from './tickets.ts';

/** Which values of a field are not believed, and what becomes of them: `ignored` where a person has rejected such values. */
export interface Doubt {
  /** Empty ones alone, all that differ from the known ones, or those that are odd beside them. */
  readonly of: 'empty' | 'any' | 'odd';
  readonly becomes: 'held' | 'ignored';
  /** Of odd values: what is odd in the field. */
  readonly kinds?: ReadonlySet<Oddity>;
}

/** The fields whose values are not believed, by the type of the record and the field. */
export type Doubts = ReadonlyMap<string, ReadonlyMap<string, Doubt>>;

/** A run that shows symptoms, as it is known when its page is about to be stored. */
export interface DoubtedRun {
  readonly source: string;
  /** The target, or 0 for the round of its source. */
  readonly member: number;
  readonly scrape: number;
  /** When the run began. */
  readonly since: number;
  /** Whether earlier steps of the run have told of their records. */
  readonly hasTold: boolean;
  readonly guards: Guards;
}

/** The kinds of symptoms that say that records are not read as they were. */
const ofRecords: ReadonlySet<Symptom['kind']> = new Set(['field', 'values', 'records', 'missing']);

/** Starts a hold for each field with a symptom; marks earlier values of the run for recall. */
export function noteDoubts({ holds, tickets }: Store, run: DoubtedRun, symptoms: readonly Symptom[]): void {
  const { source, member, scrape, since, hasTold, guards } = run;
  for (const symptom of symptoms) {
    const { record: type, field } = symptom;
    const of = doubtOf(symptom);
    if (type === undefined || field === undefined || of === undefined || !isHeld(guards, type, field, of)) continue;
    const place = { source, target: member, type, field };
    const before = holds.mass(place);
    // Guards hold empty values by themselves.
    const isHeldSo =
      before !== undefined &&
      before.of !== 'odd' &&
      (of === 'empty' || (before.kind === 'unusual' && before.of === 'any'));
    if (isHeldSo) {
      // The first empty values were told before guards saw the pattern; and the run before may not have ended.
      const isNew = before.kind === 'empty' ? before.scrape === scrape : before.since < since;
      if (hasTold && isNew && before.ticket === undefined && before.recall === undefined && before.state === 'held')
        holds.putMass(place, {
          ...before,
          of: before.of ?? of,
          since: Math.min(since, before.since),
          recall: { since },
        });
      continue;
    }
    const ticket = tickets.newestOf(source, symptomId(symptom));
    const isOpen = ticket !== undefined && tickets.get(ticket)?.state !== 'resolved';
    // What was odd until now is held for the symptom from now on.
    const odd = member > 0 ? holds.mass({ ...place, target: 0 }) : undefined;
    holds.putMass(place, {
      kind: 'unusual',
      of,
      state: before?.state ?? 'held',
      since: Math.min(since, before?.since ?? since, odd?.of === 'odd' ? odd.since : since),
      scrape: before?.scrape ?? scrape,
      lastScrape: scrape,
      count: before?.count ?? 0,
      ...defined({ ticket: before?.ticket ?? (isOpen ? ticket : undefined), back: before?.back }),
      ...(hasTold && { recall: { since } }),
    });
  }
}

/**
 * Returns the fields of a target whose values are not believed.
 *
 * @param isAsUsual - whether the run of the target that is to be stored is as usual in a field. Default: it is not known to be.
 * @param isSmall - whether the target is one of those of few records, which are judged together. Default: it is if it was never judged alone.
 */
export function doubtsOf(
  { holds, runs }: Pick<Store, 'holds' | 'runs'>,
  { source, target }: { readonly source: string; readonly target: number },
  {
    isAsUsual = () => false,
    ...of
  }: { isAsUsual?(type: string, field: string): boolean; readonly isSmall?: boolean } = {},
): Doubts | undefined {
  if (holds.isNone()) return undefined;
  const { isSmall = !runs.baselines.has([source, target]) } = of;
  let found: Map<string, Map<string, Doubt>> | undefined;
  for (const member of isSmall ? [0, target] : [target])
    for (const { place, row } of holds.masses(source, member)) {
      const { kind, of = 'any', state, isOver, odd } = row;
      const { type, field } = place;
      if (kind !== 'unusual' || state === 'released' || isOver === true) continue;
      if (member > 0 && isAsUsual(type, field)) continue;
      found ??= new Map();
      const ofType = found.get(type) ?? new Map<string, Doubt>();
      const becomes = state === 'rejected' ? 'ignored' : 'held';
      found.set(type, ofType.set(field, { of, becomes, ...(odd !== undefined && { kinds: new Set(odd.kinds) }) }));
    }
  return found;
}

/**
 * Has the holds of a member follow a run of it that has ended: those of its symptoms are of the ticket from now on, and where it was as usual, what it showed
 * is to be released. `settleHolds` does that.
 *
 * @param since - when the run began.
 * @param scrapes - the scrapes that a round had. Default: 0, for a run that is none.
 */
export function endDoubts(
  { holds, tickets }: Store,
  { source, member }: TicketPlace,
  {
    symptoms,
    since,
    scrapes = 0,
    isAsUsual,
  }: {
    readonly symptoms: readonly Symptom[];
    readonly since: number;
    readonly scrapes?: number;
    isAsUsual(type: string, field: string): boolean;
  },
): void {
  const isSound = !symptoms.some(({ kind }) => ofRecords.has(kind));
  for (const { place, row } of [...holds.masses(source, member)]) {
    const symptom = symptoms.find((each) => isOf(each, place, row));
    if (symptom !== undefined) {
      const ticket = tickets.newestOf(source, symptomId(symptom));
      const of = row.of === 'odd' ? (doubtOf(symptom) ?? 'any') : row.of;
      if (ticket !== undefined && row.ticket !== ticket) holds.putMass(place, { ...row, ticket, ...defined({ of }) });
    } else if (!isSound && row.ticket === undefined && row.since >= since) {
      // What a run held that shows something else: whether it is right is for the next one to say.
      continue;
    } else if (row.of === 'odd') endOdd(holds, place, { row, since, scrapes });
    else if (row.kind === 'unusual' && isAsUsual(place.type, place.field))
      holds.putMass(place, {
        ...row,
        believedSince: since,
        ...(row.ticket === undefined && { isOver: true as const }),
      });
  }
}

/**
 * Has odd values be released, as the round that they were found in shows no symptom of their field. Those of the later half of a round wait for the next one:
 * the site may have changed in its midst.
 */
function endOdd(
  holds: Store['holds'],
  place: HoldPlace,
  { row, since, scrapes }: { readonly row: MassHold; readonly since: number; readonly scrapes: number },
): void {
  const isLate = 2 * (row.odd?.foundAfter ?? 0) >= scrapes && row.since >= since;
  if (!isLate) holds.putMass(place, { ...row, believedSince: Math.min(row.since, since), isOver: true });
}

/** Returns whether a run was judged in a field and shows no symptom there. */
export function asUsual(
  measures: readonly Measure[],
  symptoms: readonly Symptom[],
): (type: string, field: string) => boolean {
  return (type, field) =>
    measures.some((each) => each.record === type && each.field === field && isJudged(each)) &&
    !symptoms.some((each) => each.record === type && each.field === field);
}

/** Whether a hold is one of a symptom. */
function isOf({ kind, record, field }: Symptom, place: HoldPlace, row: MassHold): boolean {
  if (row.kind === 'missing') return row.state === 'held' && (kind === 'missing' || kind === 'records');
  return record === place.type && field === place.field;
}

/** Which values of its field a symptom says to be doubtful; `undefined` for one of no field. */
function doubtOf({ kind, measure }: Symptom): 'empty' | 'any' | undefined {
  if (kind === 'field') return 'empty';
  if (kind !== 'values') return undefined;
  return measure === 'empty' || measure === 'emptied' ? 'empty' : 'any';
}

/** Whether a definition has unusual values of a field held. */
export function isHeld(
  { empty, unusual = true, fields }: Guards,
  type: string,
  field: string,
  of: Doubt['of'],
): boolean {
  const own = Object.hasOwn(fields, type) ? fields[type]?.[field] : undefined;
  return (own?.unusual ?? unusual) && (of !== 'empty' || (own?.empty ?? empty));
}
