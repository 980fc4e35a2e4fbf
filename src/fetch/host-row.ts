import { type Backoff, isForgiven, noBackoff } from './backoff.ts';
import { gapMs, usualMs } from './policy.ts';
import { type Ledger, longestRetryAfterMs, noTurns, type OpenTurn, type Rest } from './politeness.ts';

/** No request is on its way for longer, whatever a saved row says. */
const longestTurnMs = 3_600_000;

/** A host of which nothing speaks for more care than a new one gets is kept so long: longer than most gaps. */
const forgetUsualAfterMs = 600_000;

/** What speaks for more care says nothing any more after so long. */
const forgetAfterMs = 24 * 3_600_000;

/** Less than this is lost with a daemon that is killed: about the gap that its hosts get when it starts anew. */
const urgentMs = 3_000;

/** What of a ledger outlives the daemon. Instants are wall time. */
export interface HostRow {
  readonly failures: number;
  readonly rest?: Rest;
  readonly backoff?: Backoff;
  /** Rounded up, so that a row need not be written each time. */
  readonly throttleMs?: number;
  /** Those out for long. */
  readonly open?: readonly OpenTurn[];
}

/** Whether a new ledger would serve as well, also to a source that leaves longer gaps than the one that asked last. */
export function isForgettable(ledger: Ledger, now: number): boolean {
  const { open, askedAt, policy, draw, rest, backoff, failures, throttleMs } = ledger;
  if (open.length > 0 || (rest?.until ?? 0) > now || !isForgiven(backoff, now)) return false;
  const isUsual = failures === 0 && (throttleMs ?? 0) <= usualMs(policy, undefined);
  return askedAt + Math.max(gapMs(policy, draw, throttleMs), isUsual ? forgetUsualAfterMs : forgetAfterMs) <= now;
}

/** The throttle as it is saved: up to twice as long, so that it changes seldom and no restart shortens it. */
export function savedThrottleMs({ throttleMs }: Ledger): number | undefined {
  return throttleMs === undefined ? undefined : 2 ** Math.ceil(Math.log2(Math.max(1, throttleMs)));
}

/** Whether a row that was written before the change is now wrong, but for turns that are out. */
export function isWorthARow(before: Ledger, after: Ledger): boolean {
  return (
    before.failures !== after.failures ||
    before.rest !== after.rest ||
    before.backoff !== after.backoff ||
    savedThrottleMs(before) !== savedThrottleMs(after)
  );
}

/** Whether the change leaves the host alone for so much longer that the daemon must not end without a row of it. */
export function isUrgent(before: Ledger, after: Ledger, now: number): boolean {
  return leftAloneUntil(after) - Math.max(leftAloneUntil(before), now) > urgentMs;
}

/** Until when keys are left alone for their `Retry-After` or back-off, wall time; those that are. */
export function leftAlone(
  ledgers: Iterable<readonly [key: string, ledger: Ledger]>,
  now: number,
  wallOffset: number,
): ReadonlyMap<string, number> {
  const untils = new Map<string, number>();
  for (const [key, ledger] of ledgers) {
    const until = leftAloneUntil(ledger);
    if (until > now) untils.set(key, until + wallOffset);
  }
  return untils;
}

function leftAloneUntil({ rest, backoff }: Ledger): number {
  return Math.max(rest?.until ?? -Infinity, backoff.until);
}

/**
 * The row to keep, or `undefined` when there is nothing that a new ledger does not know.
 *
 * @param wallOffset - what makes wall time of the ledger's instants.
 * @param isLongOut - which of the open turns are worth a row.
 */
export function hostRow(
  ledger: Ledger,
  now: number,
  wallOffset: number,
  isLongOut: (number: number) => boolean = () => true,
): HostRow | undefined {
  const { failures, rest, backoff } = ledger;
  const throttleMs = savedThrottleMs(ledger);
  const open = ledger.open.filter(({ number }) => isLongOut(number)).map((turn) => shiftedTurn(turn, wallOffset));
  const isResting = rest !== undefined && rest.until > now;
  const isBackingOff = !isForgiven(backoff, now);
  if (failures === 0 && !isResting && !isBackingOff && throttleMs === undefined && open.length === 0) return undefined;
  return {
    failures,
    ...(isResting && { rest: { ...rest, until: rest.until + wallOffset } }),
    ...(isBackingOff && { backoff: shiftedBackoff(backoff, wallOffset) }),
    ...(throttleMs !== undefined && { throttleMs }),
    ...(open.length > 0 && { open }),
  };
}

/** A new ledger that remembers its row; however the wall clock was set meanwhile, it waits no longer than it ever may. */
export function restored(ledger: Ledger, row: HostRow, now: number, wallOffset: number): Ledger {
  const { failures, rest, throttleMs, open = noTurns } = row;
  const backoff = row.backoff && shiftedBackoff(row.backoff, -wallOffset);
  return {
    ...ledger,
    failures,
    rest: rest && { ...rest, until: Math.min(rest.until - wallOffset, now + longestRetryAfterMs) },
    backoff: backoff ? sane(backoff, now) : noBackoff,
    throttleMs,
    open: open.map((turn) => {
      const { endsAt, ...moved } = shiftedTurn(turn, -wallOffset);
      return { ...moved, endsAt: Math.min(endsAt, now + longestTurnMs) };
    }),
  };
}

function sane({ until, steppedAt, ...rest }: Backoff, now: number): Backoff {
  return { ...rest, until: Math.min(until, now + forgetAfterMs), steppedAt: Math.min(steppedAt, now) };
}

function shiftedBackoff(backoff: Backoff, byMs: number): Backoff {
  return { ...backoff, until: backoff.until + byMs, steppedAt: backoff.steppedAt + byMs };
}

function shiftedTurn(turn: OpenTurn, byMs: number): OpenTurn {
  const { givenAt, sentAt, endsAt } = turn;
  const moved = { ...turn, givenAt: givenAt + byMs, endsAt: endsAt + byMs };
  return sentAt === undefined ? moved : { ...moved, sentAt: sentAt + byMs };
}
