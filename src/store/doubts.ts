import { defined } from '../defined.ts';
import type { Guards } from '../health/guard.ts';
import { isJudged } from '../health/judge.ts';
import type { Measure } from '../health/measure-kind.ts';
import { type Symptom, symptomId } from '../view/symptom.ts';
import type { Store } from './store.ts';
import type { HoldPlace, MassHold } from './tables/holds.ts';
import type { TicketPlace } from './tickets.ts';

/** Which values of a field are not believed, and what becomes of them: `ignored` where a person has rejected such values. */
export interface Doubt {
  /** Empty ones alone, or all that differ from the known ones. */
  readonly of: 'empty' | 'any';
  readonly becomes: 'held' | 'ignored';
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

/** Stores that values of fields are held from now on, as the run that reads them shows symptoms there. What it told of them before is to be recalled. */
export function noteDoubts({ holds, tickets }: Store, run: DoubtedRun, symptoms: readonly Symptom[]): void {
  const { source, member, scrape, since, hasTold, guards } = run;
  for (const symptom of symptoms) {
    const { record: type, field } = symptom;
    const of = doubtOf(symptom);
    if (type === undefined || field === undefined || of === undefined || !isHeld(guards, type, field, of)) continue;
    const place = { source, target: member, type, field };
    const before = holds.mass(place);
    // Guards hold empty values by themselves.
    const isHeldSo = before !== undefined && (of === 'empty' || (before.kind === 'unusual' && before.of === 'any'));
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
    holds.putMass(place, {
      kind: 'unusual',
      of,
      state: before?.state ?? 'held',
      since: Math.min(since, before?.since ?? since),
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
      const { kind, of = 'any', state, isOver } = row;
      const { type, field } = place;
      if (kind !== 'unusual' || state === 'released' || isOver === true) continue;
      if (member > 0 && isAsUsual(type, field)) continue;
      found ??= new Map();
      const ofType = found.get(type) ?? new Map<string, Doubt>();
      found.set(type, ofType.set(field, { of, becomes: state === 'rejected' ? 'ignored' : 'held' }));
    }
  return found;
}

/**
 * Has the holds of a member follow a run of it that has ended: those of its symptoms are of the ticket from now on, and where it was as usual, what it showed
 * is to be released. `settleHolds` does that.
 *
 * @param since - when the run began.
 */
export function endDoubts(
  { holds, tickets }: Store,
  { source, member }: TicketPlace,
  {
    symptoms,
    since,
    isAsUsual,
  }: {
    readonly symptoms: readonly Symptom[];
    readonly since: number;
    isAsUsual(type: string, field: string): boolean;
  },
): void {
  for (const { place, row } of [...holds.masses(source, member)]) {
    const symptom = symptoms.find((each) => isOf(each, place, row));
    if (symptom !== undefined) {
      const ticket = tickets.newestOf(source, symptomId(symptom));
      if (ticket !== undefined && row.ticket !== ticket) holds.putMass(place, { ...row, ticket });
    } else if (row.kind === 'unusual' && isAsUsual(place.type, place.field))
      holds.putMass(place, {
        ...row,
        believedSince: since,
        ...(row.ticket === undefined && { isOver: true as const }),
      });
  }
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
function doubtOf({ kind, measure }: Symptom): Doubt['of'] | undefined {
  if (kind === 'field') return 'empty';
  if (kind !== 'values') return undefined;
  return measure === 'empty' || measure === 'emptied' ? 'empty' : 'any';
}

function isHeld({ empty, unusual = true, fields }: Guards, type: string, field: string, of: Doubt['of']): boolean {
  const own = Object.hasOwn(fields, type) ? fields[type]?.[field] : undefined;
  return (own?.unusual ?? unusual) && (of === 'any' || (own?.empty ?? empty));
}
