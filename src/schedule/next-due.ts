import { nextAvailable, type OpenHours } from './time/open-hours.ts';
import { deadlineOf, type Recheck, recheckAt } from './time/objective.ts';
import { type GivenPace, paceKinds, paceOf, type PaceRow } from './pace/all.ts';
import { newPriority } from './priority.ts';

/** Causes that hold a target back until an instant, in the order in which they are told. */
const holdKinds = ['gone', 'crash', 'backoff', 'circuit', 'pause'] as const;

/** All that decides when a target is due. Instants are wall time in milliseconds. */
export interface DueInputs {
  /** The present. Instants after it, which a clock that was set back leaves behind, count as the present. */
  readonly at: number;
  /** Turns of the pace up to here are over: the last one, or the target's creation. All turns missed since count as one. */
  readonly since: number;
  readonly pace: PaceRow;
  /** The pace as the target's files give it; missing while its source is not loaded, and the defaults of the row's kind hold then. */
  readonly given?: GivenPace | undefined;
  /** Scrapes a day that the target deserves. Default: as of one of which nothing is known. */
  readonly priority?: number;
  /** When the first scrape is due, until it is over; the pace begins after that. */
  readonly firstAt?: number | undefined;
  /** The target's objective, which asks for a scrape when the pace would come too late for it. */
  readonly recheck?: Recheck | undefined;
  /** When a person asked for a scrape that has not begun. */
  readonly manualAt?: number | undefined;
  /** Instants before which the target must not be scraped, by cause. */
  readonly holds?: { readonly [hold in (typeof holdKinds)[number]]?: number } | undefined;
  /** Hours in which the source may be asked. Default: always. */
  readonly hours?: readonly OpenHours[];
}

/** The kinds of causes, and what a cause does to a due time. */
export const causeKinds = [
  ...paceKinds,
  ...(['first', 'manual', 'gone', 'crash', 'backoff', 'circuit', 'pause', 'hours', 'definition'] as const),
];
/** What a cause does to a due time; see `Reason.effect`. */
export const causeEffects = ['asks', 'holds', 'awaits'] as const;

/** A cause that asks for a scrape of a target or delays it. */
export interface Reason {
  readonly by: (typeof causeKinds)[number];
  /** The instant that the cause asks for, or until which it holds the target back. */
  readonly at: number;
  /** `asks`: wants a scrape at that instant, and the first such cause counts. `holds`: delays the scrape. `awaits`: may ask from that instant on. */
  readonly effect: (typeof causeEffects)[number];
  /** Whether the target is due at this instant because of this cause. */
  readonly decides: boolean;
}

/** When a target is due, and why. */
export interface Due {
  /** Missing while nothing asks for a turn. May lie in the past: due at once. */
  readonly dueAt?: number;
  /** First the causes that ask, by their instants; then those that hold, in the order in which they apply; then those that await. */
  readonly because: readonly Reason[];
}

type Cause = Omit<Reason, 'decides'>;

/** When a target is due, and why: at the first instant that any cause asks for, delayed by each hold that ends later and by closed hours. Pure. */
export function nextDue(inputs: DueInputs): Due {
  const { dueAt, decider, causes } = decide(inputs);
  const because = causes.map((cause) => ({ ...cause, decides: cause === decider }));
  return dueAt === undefined ? { because } : { dueAt, because };
}

/** When a target is due, as `nextDue` says it, without the reasons; `undefined` while nothing asks for a scrape. Pure. */
export function nextDueAt(inputs: DueInputs): number | undefined {
  return decide(inputs).dueAt;
}

interface Decision {
  readonly dueAt?: number | undefined;
  readonly decider?: Cause;
  readonly causes: readonly Cause[];
}

function decide(inputs: DueInputs): Decision {
  const asks = asksOf(inputs);
  const waits = asks.filter(({ effect }) => effect === 'awaits');
  const causes = asks.filter(({ effect }) => effect === 'asks').sort((a, b) => a.at - b.at);
  const [first] = causes;
  if (first === undefined) return { causes: waits };
  let [dueAt, decider] = [first.at, first];
  for (const hold of holdsOf(inputs)) {
    if (hold.at <= dueAt) continue;
    causes.push(hold);
    [dueAt, decider] = [hold.at, hold];
  }
  // Hours are looked at from the present on: what is overdue is not due in hours that are gone.
  const from = Math.max(dueAt, inputs.at);
  const opensAt = nextAvailable(inputs.hours ?? [], from) ?? Infinity;
  if (opensAt > from) {
    decider = { by: 'hours', at: opensAt, effect: 'holds' };
    causes.push(decider);
    dueAt = opensAt;
  }
  causes.push(...waits);
  return { dueAt: dueAt === Infinity ? undefined : dueAt, decider, causes };
}

function asksOf({ at, since, pace, given, priority = newPriority, firstAt, recheck, manualAt }: DueInputs): Cause[] {
  const causes: Cause[] = [];
  if (firstAt !== undefined) causes.push({ by: 'first', at: firstAt, effect: 'asks' });
  else {
    const turn = paceOf(pace).next(pace, { at, since, given, priority });
    if (turn !== undefined) causes.push({ by: pace.kind, ...turn });
  }
  const again = recheckOf({ at, since, firstAt, recheck });
  if (again !== undefined) causes.push({ by: 'objective', at: again.at, effect: 'asks' });
  if (manualAt !== undefined) causes.push({ by: 'manual', at: Math.min(manualAt, at), effect: 'asks' });
  return causes;
}

/** The deadline of a target that is due for its objective now; `undefined` for a target that is due for another reason, or not due. */
export function recheckDeadline(inputs: DueInputs): number | undefined {
  const again = recheckOf(inputs);
  return again !== undefined && again.at <= inputs.at ? again.deadlineAt : undefined;
}

type RecheckInputs = Pick<DueInputs, 'at' | 'since' | 'firstAt' | 'recheck'>;

/** When the objective asks for a scrape, and its deadline; `undefined` before the first scrape. */
function recheckOf({ at, since, firstAt, recheck }: RecheckInputs): { at: number; deadlineAt: number } | undefined {
  if (recheck === undefined || firstAt !== undefined) return undefined;
  const known = { ...recheck, lastVerifiedAt: Math.min(recheck.lastVerifiedAt, at) };
  return {
    at: recheckAt(known, Math.min(since, at)),
    deadlineAt: deadlineOf(known.lastVerifiedAt, known.objectiveMs),
  };
}

function holdsOf({ holds = {} }: DueInputs): Cause[] {
  return holdKinds.flatMap((by) => {
    const at = holds[by];
    return at === undefined ? [] : [{ by, at, effect: 'holds' as const }];
  });
}
