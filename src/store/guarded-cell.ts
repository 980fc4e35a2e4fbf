import type { Value } from '../extract/value/value.ts';
import { type FieldGuard, isEmptyValue, isJump } from '../health/guard.ts';
import { isLasting, oddityOf } from '../health/odd-value.ts';
import type { Candidate, Evidence, FieldCell, HeldValue } from '../view/record.ts';
import type { Doubt } from './doubts.ts';
import { sameValue } from './same-value.ts';

/** The state of a field: its current value, the held value, and the values that wait to be confirmed. */
export interface GuardedCell {
  /** Missing while the first value of the field is held. */
  readonly cell: FieldCell | undefined;
  readonly held?: HeldValue | undefined;
  readonly candidates?: readonly Candidate[] | undefined;
}

/** An observation of a field, and what guards it. */
export interface GuardedObservation {
  readonly value: Value;
  readonly observedAt: number;
  /** Instant of the comparison, by the same clock. */
  readonly at: number;
  readonly evidence: Evidence;
  readonly url: string;
  readonly guard?: FieldGuard | undefined;
  /** Set where nearly all records of the scrape have become empty in this field: `ignored` where a person has rejected that. */
  readonly emptied?: 'held' | 'ignored' | undefined;
  /** Set where values of the field are not believed: it has precedence over `emptied`. */
  readonly doubt?: Doubt | undefined;
  /** Whether a value that jumped is believed once it is seen again: it jumped alone, and nothing is doubtful of its source. */
  isBelieved(): boolean;
}

/** The state of a field after an observation, and what became of its held value. */
export interface GuardedOutcome extends GuardedCell {
  /**
   * `stale`: it was observed before what is known; `verified`: the current value was seen; `changed`: another one is current; `candidate`,
   * `held`, `ignored`: the current value stays and is not verified.
   */
  readonly kind: 'stale' | 'verified' | 'changed' | 'candidate' | 'held' | 'ignored';
  /** When the new value was seen first, where it was confirmed since. */
  readonly firstSeenAt?: number;
  /** Set where a value is held from now on. */
  readonly isNew?: true;
  /** Set where a value is held no more: another look confirmed it, or its source has another value. */
  readonly ended?: { readonly held: HeldValue; readonly by: 'look' | 'source' };
}

/** Compares an observation of a guarded field with what is known of it. */
export function guardedCell(known: GuardedCell, seen: GuardedObservation): GuardedOutcome {
  const { cell, held, candidates = [] } = known;
  const { value, observedAt, at } = seen;
  const lastSeenAt = Math.max(cell?.verifiedAt ?? 0, held?.seenAt ?? 0, candidates.at(-1)?.observedAt ?? 0);
  if (observedAt <= lastSeenAt && lastSeenAt <= at) return { ...known, kind: 'stale' };
  if (cell !== undefined && sameValue(cell.value, value)) {
    const verified = { ...cell, verifiedAt: observedAt };
    return {
      kind: 'verified',
      cell: verified,
      candidates: lastSights(cell, candidates, seen),
      ...endedBy('source', held),
    };
  }
  const why = whyHeld(known, seen);
  // Where others have their values again, what many records showed is what it says.
  const isHeldStill = held !== undefined && (held.kind === 'jump' || why?.becomes === 'held');
  const isHeldAgain = held !== undefined && sameValue(held.value, value);
  if (isHeldStill && isHeldAgain) return heldAgain(known, held, seen);
  if (isHeldAgain && why === undefined && seen.doubt?.of === 'odd') return believed(held, seen);
  if (why?.becomes === 'ignored') return { kind: 'ignored', cell, ...endedBy('source', held) };
  if (why !== undefined) {
    const { evidence, url } = seen;
    const now = { kind: why.kind, value, observedAt, seenAt: observedAt, ...evidence, url } as const;
    return { ...endedBy('source', held), kind: 'held', cell, held: now, candidates, isNew: true };
  }
  return { ...confirmed(cell, candidates, seen), ...endedBy('source', held) };
}

/** Why a value that is not the current one is not believed; `undefined` if it is. */
function whyHeld(
  known: GuardedCell,
  seen: GuardedObservation,
): { readonly kind: HeldValue['kind']; readonly becomes: 'held' | 'ignored' } | undefined {
  const { cell } = known;
  const { value, guard = {}, emptied, doubt } = seen;
  // Of a field that has no value yet, none is nothing new, unless nothing is known of the field.
  if (cell === undefined && value === null)
    return doubt === undefined || doubt.of === 'odd' ? undefined : { kind: 'unusual', becomes: 'ignored' };
  if (doubt !== undefined) {
    const isEmptied = isEmptyValue(value) && (cell === undefined || !isEmptyValue(cell.value));
    if (doubt.of === 'any' || (doubt.of === 'empty' ? isEmptied : isOdd(known, doubt, seen)))
      return { kind: 'unusual', becomes: doubt.becomes };
  } else if (emptied !== undefined && cell !== undefined && isEmptyValue(value) && !isEmptyValue(cell.value))
    return { kind: 'empty', becomes: emptied };
  const isTooFar = cell !== undefined && guard.jump !== undefined && isJump(guard.jump, cell.value, value);
  return isTooFar ? { kind: 'jump', becomes: 'held' } : undefined;
}

/** Whether a value is odd beside the known one, and no second look has shown that the site says so. */
function isOdd(
  { cell, held }: GuardedCell,
  { kinds = new Set() }: Doubt,
  { value, evidence: { scrape }, isBelieved }: GuardedObservation,
): boolean {
  if (cell === undefined) return false;
  const oddity = kinds.has('altered') ? 'altered' : oddityOf(cell.value, value);
  if (oddity === undefined || !kinds.has(oddity)) return false;
  const isSecondLook = held?.kind === 'unusual' && scrape > 0 && held.scrape !== scrape;
  if (!isSecondLook || isLasting(oddity, value) || oddityOf(held.value, value) !== undefined) return true;
  return !isBelieved();
}

/** A value that is held is seen once more. */
function heldAgain(known: GuardedCell, held: HeldValue, seen: GuardedObservation): GuardedOutcome {
  const { observedAt, evidence, doubt } = seen;
  if (held.isRejected === true) return { ...known, kind: 'ignored', held: { ...held, seenAt: observedAt } };
  const isOtherLook = evidence.scrape === 0 || evidence.scrape !== held.scrape;
  if (held.kind === 'jump' && isOtherLook && doubt === undefined && seen.isBelieved()) return believed(held, seen);
  return { ...known, kind: 'held', held: { ...held, seenAt: observedAt } };
}

/** A value that was held is current since it was observed first, as another look has shown it. */
function believed(held: HeldValue, { observedAt: verifiedAt }: GuardedObservation): GuardedOutcome {
  const cell = { value: held.value, observedAt: held.observedAt, verifiedAt };
  return { kind: 'changed', cell, ...endedBy('look', held) };
}

function endedBy(by: 'look' | 'source', held: HeldValue | undefined): Pick<GuardedOutcome, 'ended'> {
  return held === undefined || held.isRejected === true ? {} : { ended: { held, by } };
}

/** A plausible value that is not the current one: it becomes current once `times` of the last `of` sights showed it. */
function confirmed(
  cell: FieldCell | undefined,
  candidates: readonly Candidate[],
  seen: GuardedObservation,
): GuardedOutcome {
  const { value, observedAt, guard: { confirm } = {} } = seen;
  if (confirm === undefined || cell === undefined)
    return { kind: 'changed', cell: { value, observedAt, verifiedAt: observedAt } };
  const last = lastSights(cell, candidates, seen);
  const same = last.filter((each) => sameValue(each.value, value));
  const firstSeenAt = same[0]?.observedAt ?? observedAt;
  if (same.length < confirm.times) return { kind: 'candidate', cell, candidates: last };
  return { kind: 'changed', cell: { value, observedAt: firstSeenAt, verifiedAt: observedAt }, firstSeenAt };
}

/** The last sights of a field that must be confirmed, from the first one on that showed another value than the current one; empty where none did. */
function lastSights(
  { value: current }: FieldCell,
  candidates: readonly Candidate[],
  { value, observedAt, guard }: GuardedObservation,
): readonly Candidate[] {
  if (guard?.confirm === undefined) return [];
  const last = [...candidates, { value, observedAt }].slice(-guard.confirm.of);
  const first = last.findIndex((each) => !sameValue(each.value, current));
  return first < 0 ? [] : last.slice(first);
}
