import { nextAvailable, type OpenHours } from './time/open-hours.ts';
import { slotFraction } from './time/grid.ts';
import { deadlineOf, type Recheck, recheckAt } from './time/objective.ts';
import { type GivenPace, paceKinds, paceOf, type PaceRow } from './pace/all.ts';
import { newPriority } from './priority.ts';

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
  /** Spreads what fell due while the daemon was down; the slot is any number of the target's own. */
  readonly boot?: (Boot & { readonly slot: number }) | undefined;
  /** Instants before which the target must not be scraped, by cause. */
  readonly holds?: { readonly crash?: number; readonly backoff?: number; readonly circuit?: number } | undefined;
  /** Hours in which the source may be asked. Default: always. */
  readonly hours?: readonly OpenHours[];
}

/** The kinds of causes, and what a cause does to a due time. */
export const causeKinds = [
  ...paceKinds,
  ...(['first', 'manual', 'restart', 'crash', 'backoff', 'circuit', 'hours', 'definition'] as const),
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
  const asked = afterRestart(causes, inputs);
  if (asked === undefined) return { causes: waits };
  let { at: dueAt, decider } = asked;
  if (asked.restart !== undefined) causes.push(asked.restart);
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

/** The cause that asks first, after what fell due while the daemon was down has been spread. A person's request is not spread. */
function afterRestart(
  asks: readonly Cause[],
  inputs: DueInputs,
): { readonly at: number; readonly decider: Cause; readonly restart?: Cause } | undefined {
  const { boot } = inputs;
  let first: { readonly at: number; readonly decider: Cause; readonly restart?: Cause } | undefined;
  for (const cause of asks) {
    const at =
      boot === undefined || cause.by === 'manual'
        ? cause.at
        : dueAfterBoot(cause.at, boot, spreadMs(cause, inputs, boot), boot.slot);
    if (first !== undefined && first.at <= at) continue;
    if (at === cause.at) first = { at, decider: cause };
    else {
      const restart: Cause = { by: 'restart', at, effect: 'holds' };
      first = { at, decider: restart, restart };
    }
  }
  return first;
}

/** The longest time over which a missed turn may be spread: the interval, or for a re-check half of the time to its deadline. */
function spreadMs({ by }: Cause, { pace, recheck, ...inputs }: DueInputs, boot: Boot): number {
  if (by !== 'objective' || recheck === undefined) return paceOf(pace).everyMs?.(pace) ?? Infinity;
  const leftMs = (recheckOf({ ...inputs, recheck })?.deadlineAt ?? Infinity) - boot.at;
  return leftMs > 0 ? leftMs / 2 : recheck.objectiveMs;
}

function holdsOf({ holds = {} }: DueInputs): Cause[] {
  const kinds = ['crash', 'backoff', 'circuit'] as const;
  return kinds.flatMap((by) => {
    const at = holds[by];
    return at === undefined ? [] : [{ by, at, effect: 'holds' as const }];
  });
}

/** How long the targets that fell due while the daemon was down take to begin: a second each, and no more than this. */
const bootWindowMs = 300_000;

/**
 * The number of overdue targets that are counted; a further one would not lengthen the time over which they are spread.
 */
export const overdueThatCount = bootWindowMs / 1_000;

/** When the daemon started, wall time, and how many targets had fallen due by then, as far as they count. */
export interface Boot {
  readonly at: number;
  readonly overdue: number;
}

/**
 * When a target begins: one that fell due while the daemon was down somewhere in the time after its start, though no later
 * than its interval, so that a restart is no storm; one that is due later keeps its time. Targets are numbered in a row,
 * so that their numbers as slots lie apart, whatever hosts they are on.
 */
export function dueAfterBoot(dueAt: number, boot: Boot, everyMs: number, target: number): number {
  if (dueAt > boot.at) return dueAt;
  return boot.at + slotFraction(target) * Math.min(everyMs, boot.overdue * 1_000, bootWindowMs);
}
