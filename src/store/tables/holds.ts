import type { Oddity } from '../../health/odd-value.ts';
import type { Environment } from '../lmdb/environment.ts';
import { type Range, table } from '../lmdb/table.ts';
import { namingSources } from './source-names.ts';

/** A hold on many records of a target at once: they are missing, one of their fields is empty, or what the target gives in a field is unusual. */
export interface MassHold {
  readonly kind: 'missing' | 'empty' | 'unusual';
  /** `rejected`, `released`: what a person has decided, until the target shows something else, or the ticket ends. */
  readonly state: 'held' | 'rejected' | 'released';
  /** When it was observed first; of an unusual field, when the run began that was. */
  readonly since: number;
  /** The scrape that found it first, and the last one that found it. */
  readonly scrape: number;
  readonly lastScrape: number;
  /** When records were last found to be missing. */
  readonly lastAt?: number;
  /** The first scrape of the walk that last found records missing. The missing records are those that no scrape from this one on has seen. */
  readonly begun?: number;
  /** The most records that were held at once, and how many of them are held no more, as they show a value again that is believed. */
  readonly count: number;
  readonly back?: number;
  /** The ticket that it ends with; missing before the run has ended that found it. */
  readonly ticket?: number;
  /** Of an unusual field: whether empty values alone are not believed, all that differ from the known ones, or odd ones until the round of their source is over. */
  readonly of?: 'empty' | 'any' | 'odd';
  /** Of odd values: what is odd in the field, and how many scrapes the round had when one was last found. */
  readonly odd?: { readonly kinds: readonly Oddity[]; readonly foundAfter: number };
  /** Of an unusual field: what the run told of it before it was found to be unusual, and is to be recalled. */
  readonly recall?: RecallRow;
  /** Of an unusual field: a run that began then was as usual, so that what was seen since is to be released. */
  readonly believedSince?: number;
  /** Set where the run was as usual that a part of it did not seem to be: there is no ticket, and nothing is held any more. */
  readonly isOver?: true;
}

/** A recall that is due, or under way. */
export interface RecallRow {
  /** When the run began. */
  readonly since: number;
  /** The id of the event that tells of it, once it is under way. */
  readonly serial?: number;
  /** Where to go on: the number of the last record that was looked at, or its key where the records of many targets are. */
  readonly after?: number | string;
}

/** The field of a type on a target; both are empty for records that are missing. */
export interface HoldPlace {
  readonly source: string;
  /** 0 for the targets of few records of the source, which are judged together. */
  readonly target: number;
  readonly type: string;
  readonly field: string;
}

/** A value of one record that is held. */
export interface HeldMember extends HoldPlace {
  readonly record: number;
}

/** A range of held values: of a source, or of one of its targets, after a held value. */
export interface MemberRange {
  readonly source?: string | undefined;
  readonly target?: number | undefined;
  readonly after?: HeldMember | undefined;
  readonly limit?: number;
}

type MassKey = [source: string, target: number, type: string, field: string];
type MemberKey = [source: string, target: number, type: string, field: string, record: number];

/** The holds: one row for each hold on many records of a target, and one for each held value. The values themselves are in the rows of their records. */
export function holdTable(environment: Environment) {
  const masses = namingSources(environment, table<MassKey, MassHold>(environment, 'holds'), { key: 0 });
  const members = namingSources(environment, table<MemberKey, 1>(environment, 'holds.records'), { key: 0 });
  /** Whether nothing is held in common, as far as that is known: each scrape asks, and a range takes longer than the row that it writes. */
  let isNone: boolean | undefined;
  environment.onUndone(() => {
    isNone = undefined;
  });

  return {
    /** Whether nothing is held of many records at once. */
    isNone: (): boolean => (isNone ??= masses.lastKey() === undefined),
    mass: (place: HoldPlace) => masses.get(keyOf(place)),
    putMass(place: HoldPlace, row: MassHold): void {
      isNone = false;
      masses.put(keyOf(place), row);
    },
    removeMass(place: HoldPlace): boolean {
      isNone = undefined;
      return masses.remove(keyOf(place));
    },
    /** The holds on many records, of all sources, of one source, or of one of its targets. */
    *masses(source?: string, target?: number): Iterable<{ readonly place: HoldPlace; readonly row: MassHold }> {
      isNone ??= masses.lastKey() === undefined;
      if (isNone) return;
      for (const { key, row } of masses.entries(massRange(source, target))) yield { place: placeOf(key), row };
    },
    add: ({ record, ...place }: HeldMember) => members.put([...keyOf(place), record], 1),
    remove: ({ record, ...place }: HeldMember) => members.remove([...keyOf(place), record]),
    /** The values that are held, of all sources, of one, or of one of its targets, in a fixed order after `after`. */
    *members({ source, target, after, limit }: MemberRange = {}): Iterable<HeldMember> {
      const { from, before } = memberRange(source, target);
      const start = after === undefined ? { from } : { after: memberKey(after) };
      for (const key of members.keys({ ...start, before, limit })) yield { ...placeOf(key), record: key[4] };
    },
    /** The targets that something is held of, those with held values first. One may come twice. */
    *targets(): Iterable<number> {
      // One look for each target, however many values of it are held.
      let [key] = members.keys({ limit: 1 });
      while (key !== undefined) {
        const [source, target] = key;
        yield target;
        [key] = members.keys({ from: memberRange(source, target).before, limit: 1 });
      }
      for (const { key: mass } of masses.entries()) yield mass[1];
    },
    /** The number of the held values of a field on a target, counted up to `limit`. */
    countOf({ source, target, type, field }: HoldPlace, limit: number): number {
      const from: MemberKey = [source, target, type, field, 0];
      const before: MemberKey = [source, target, type, `${field}\0`, 0];
      return [...members.keys({ from, before, limit })].length;
    },
    /** Removes up to `limit` rows of a target. Returns their number. */
    clear(source: string, target: number, limit: number): number {
      const removed = members.removeRange({ ...memberRange(source, target), limit });
      return removed + masses.removeRange({ ...massRange(source, target), limit: limit - removed });
    },
  };
}

function keyOf({ source, target, type, field }: HoldPlace): MassKey {
  return [source, target, type, field];
}

function memberKey({ record, ...place }: HeldMember): MemberKey {
  return [...keyOf(place), record];
}

function placeOf([source, target, type, field]: MassKey | MemberKey): HoldPlace {
  return { source, target, type, field };
}

/** The holds on many records of all sources, of one, or of one of its targets. */
function massRange(source?: string, target?: number): Pick<Range<MassKey>, 'from' | 'before'> {
  if (source === undefined) return {};
  const [first, end] = targetsFrom(target);
  return { from: [source, first, '', ''], before: [source, end, '', ''] };
}

/** The held values of all sources, of one, or of one of its targets. */
function memberRange(source?: string, target?: number): Pick<Range<MemberKey>, 'from' | 'before'> {
  if (source === undefined) return {};
  const [first, end] = targetsFrom(target);
  return { from: [source, first, '', '', 0], before: [source, end, '', '', 0] };
}

/** The first target of a range, and the one before which it ends: all of them, or one. */
function targetsFrom(target: number | undefined): readonly [first: number, end: number] {
  return target === undefined ? [0, Number.MAX_SAFE_INTEGER] : [target, target + 1];
}
