import { nextAvailable, type OpenHours } from './available.ts';
import { type Continuous, continuousAt, type LastRun } from './continuous.ts';
import { type CronTimes, nextCron } from './cron.ts';
import { type Boot, dueAfterBoot, type Grid, nextGridTurn } from './grid.ts';
import { deadlineOf, type Recheck, recheckAt } from './objective.ts';

/** What makes a target due time and again, with what is known of it. A target has one. */
export type Pace =
  | { readonly kind: 'interval'; readonly grid: Grid }
  | ({ readonly kind: 'cron' } & CronTimes)
  | {
      readonly kind: 'tokens';
      /** The instants that the plan of the day gave it, in order. */
      readonly planned: readonly number[];
      /** When the day begins that will pay for its next scrape, if its priority stays. */
      readonly nextPaidAt?: number;
    }
  | {
      readonly kind: 'continuous';
      readonly options: Continuous;
      readonly last: LastRun;
      /** Random, in `[0, 1)`, drawn when the last run ended. */
      readonly draw: number;
    }
  /** Its objective alone. */
  | { readonly kind: 'objective' };

/** All that decides when a target is due; instants are wall time. */
export interface DueInputs {
  /** The present. What the clock, set back, puts after it counts as of now. */
  readonly at: number;
  /** When its last turn by its pace began, or its creation: turns up to then are over, and what was missed since is one. */
  readonly since: number;
  /**
   * When its last turn began, if its objective had drawn it forward and it ended well: of an interval, it stands in for a turn that
   * would come within half of it. The instants of the others are a person's, or paid for.
   */
  readonly drawnAt?: number;
  readonly pace: Pace;
  /** Creation and initial delay, until the first scrape; its pace begins after that. */
  readonly firstAt?: number;
  /** Draws a turn forward when the pace would come too late for it. */
  readonly recheck?: Recheck;
  /** When a person asked for a scrape that has not begun. */
  readonly manualAt?: number;
  /** Spreads what fell due while the daemon was down; the slot is any number of the target's own. */
  readonly boot?: Boot & { readonly slot: number };
  /** Lower bounds, as instants. */
  readonly holds?: { readonly crash?: number; readonly backoff?: number; readonly circuit?: number };
  /** When its source may be asked; without any, always. */
  readonly hours?: readonly OpenHours[];
}

/** One thing that had a say in when a target is due. */
export interface Reason {
  readonly by: Pace['kind'] | 'first' | 'manual' | 'restart' | 'crash' | 'backoff' | 'circuit' | 'hours' | 'definition';
  /** The instant that it asks for, or until which it holds. */
  readonly at: number;
  /** `asks` for a turn, the first of all counting; `holds` it back; `awaits` what may ask later. */
  readonly effect: 'asks' | 'holds' | 'awaits';
  /** Whether the target is due at this instant because of it. */
  readonly decides: boolean;
}

export interface Due {
  /** Missing while nothing asks for a turn. May lie in the past: due at once. */
  readonly dueAt?: number;
  /** What asks, in the order of its instants, then what holds, in the order in which it applies. */
  readonly because: readonly Reason[];
}

type Say = Omit<Reason, 'decides'>;

/** Set back by less, the clock repeats no turn that goes by it; set back by more, it begins anew, as other crons have it. */
export const stepMs = 10_800_000;

/** When a target is due: at the first instant that anything asks for, or, where something holds it back, when the last of that lets go. */
export function nextDue(inputs: DueInputs): Due {
  const { dueAt, decider, says } = decide(inputs);
  const because = says.map((say) => ({ ...say, decides: say === decider }));
  return dueAt === undefined ? { because } : { dueAt, because };
}

/** As `nextDue`, without the reasons. */
export function nextDueAt(inputs: DueInputs): number | undefined {
  return decide(inputs).dueAt;
}

interface Decision {
  readonly dueAt?: number | undefined;
  readonly decider?: Say;
  readonly says: readonly Say[];
}

function decide(inputs: DueInputs): Decision {
  const asks = asksOf(inputs);
  const waits = asks.filter(({ effect }) => effect === 'awaits');
  const says = asks.filter(({ effect }) => effect === 'asks').sort((a, b) => a.at - b.at);
  const asked = afterRestart(says, inputs);
  if (asked === undefined) return { says: waits };
  let { at: dueAt, decider } = asked;
  if (asked.restart !== undefined) says.push(asked.restart);
  for (const hold of holdsOf(inputs)) {
    if (hold.at <= dueAt) continue;
    says.push(hold);
    [dueAt, decider] = [hold.at, hold];
  }
  // Hours are looked at from the present on: what is overdue is not due in hours that are gone.
  const from = Math.max(dueAt, inputs.at);
  const opensAt = nextAvailable(inputs.hours ?? [], from) ?? Infinity;
  if (opensAt > from) {
    decider = { by: 'hours', at: opensAt, effect: 'holds' };
    says.push(decider);
    dueAt = opensAt;
  }
  says.push(...waits);
  return { dueAt: dueAt === Infinity ? undefined : dueAt, decider, says };
}

function asksOf({ at, since, drawnAt, pace, firstAt, recheck, manualAt }: DueInputs): Say[] {
  const says: Say[] = [];
  if (firstAt !== undefined) says.push({ by: 'first', at: firstAt, effect: 'asks' });
  else says.push(...paceAsks(pace, { since, drawnAt }, at));
  const again = recheckOf({ at, since, firstAt, recheck });
  if (again !== undefined) says.push({ by: 'objective', at: again.at, effect: 'asks' });
  if (manualAt !== undefined) says.push({ by: 'manual', at: Math.min(manualAt, at), effect: 'asks' });
  return says;
}

/** By when a target that has come to be due for its objective has to be verified; nothing for one that is due for another reason, or not. */
export function recheckDeadline(inputs: DueInputs): number | undefined {
  const again = recheckOf(inputs);
  return again !== undefined && again.at <= inputs.at ? again.deadlineAt : undefined;
}

type RecheckInputs = Pick<DueInputs, 'at' | 'since'> & {
  readonly [N in 'firstAt' | 'recheck']?: DueInputs[N] | undefined;
};

/** When its objective asks for a turn, and by when; nothing before its first scrape. */
function recheckOf({ at, since, firstAt, recheck }: RecheckInputs): { at: number; deadlineAt: number } | undefined {
  if (recheck === undefined || firstAt !== undefined) return undefined;
  const known = { ...recheck, lastVerifiedAt: Math.min(recheck.lastVerifiedAt, at) };
  return {
    at: recheckAt(known, Math.min(since, at)),
    deadlineAt: deadlineOf(known.lastVerifiedAt, known.objectiveMs),
  };
}

interface LastTurn {
  readonly since: number;
  readonly drawnAt: number | undefined;
}

function paceAsks(pace: Pace, { since, drawnAt }: LastTurn, at: number): Say[] {
  const begun = since > at + stepMs ? at : since;
  switch (pace.kind) {
    case 'interval':
      return [
        {
          by: 'interval',
          at: nextGridTurn(pace.grid, Math.min(since, at), drawnAt && Math.min(drawnAt, at)),
          effect: 'asks',
        },
      ];
    case 'cron': {
      const next = nextCron(pace, begun);
      return next === undefined ? [] : [{ by: 'cron', at: next, effect: 'asks' }];
    }
    case 'tokens': {
      const next = pace.planned.find((each) => each > begun);
      if (next !== undefined) return [{ by: 'tokens', at: next, effect: 'asks' }];
      return pace.nextPaidAt === undefined ? [] : [{ by: 'tokens', at: pace.nextPaidAt, effect: 'awaits' }];
    }
    case 'continuous': {
      const last = { ...pace.last, endedAt: Math.min(pace.last.endedAt, at) };
      return [{ by: 'continuous', at: continuousAt(last, pace.options, pace.draw), effect: 'asks' }];
    }
    case 'objective':
      return [];
    default:
      return pace satisfies never;
  }
}

/** The first ask once those that fell due while the daemon was down are spread; a person is not kept waiting for that. */
function afterRestart(
  asks: readonly Say[],
  inputs: DueInputs,
): { readonly at: number; readonly decider: Say; readonly restart?: Say } | undefined {
  const { boot } = inputs;
  let first: { readonly at: number; readonly decider: Say; readonly restart?: Say } | undefined;
  for (const say of asks) {
    const at =
      boot === undefined || say.by === 'manual'
        ? say.at
        : dueAfterBoot(say.at, boot, spreadMs(say, inputs, boot), boot.slot);
    if (first !== undefined && first.at <= at) continue;
    if (at === say.at) first = { at, decider: say };
    else {
      const restart: Say = { by: 'restart', at, effect: 'holds' };
      first = { at, decider: restart, restart };
    }
  }
  return first;
}

/** What fell due while the daemon was down is spread over no more than its interval, or half of what is left of its objective. */
function spreadMs({ by }: Say, { pace, recheck, ...inputs }: DueInputs, boot: Boot): number {
  if (by !== 'objective' || recheck === undefined) return pace.kind === 'interval' ? pace.grid.everyMs : Infinity;
  const leftMs = (recheckOf({ ...inputs, recheck })?.deadlineAt ?? Infinity) - boot.at;
  return leftMs > 0 ? leftMs / 2 : recheck.objectiveMs;
}

function holdsOf({ holds = {} }: DueInputs): Say[] {
  const kinds = ['crash', 'backoff', 'circuit'] as const;
  return kinds.flatMap((by) => {
    const at = holds[by];
    return at === undefined ? [] : [{ by, at, effect: 'holds' as const }];
  });
}
