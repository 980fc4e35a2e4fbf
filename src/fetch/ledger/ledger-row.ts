import { defined } from '../../defined.ts';
import { type Backoff, isForgiven, noBackoff } from './backoff.ts';
import { type Ledger, longestRetryAfterMs, noTurns, type OpenTurn, type RetryAfterRest } from './ledger.ts';
import { gapMs, type Policy, usualMs } from './policy.ts';

/** The longest time that a restored turn stays open, in milliseconds, whatever its row says. */
const longestTurnMs = 3_600_000;

/** How long the ledger of an ordinary host is kept after its last request, in milliseconds: longer than most gaps. */
const forgetUsualAfterMs = 600_000;

/** How long failures and a long throttle are remembered after the last request, in milliseconds. */
const forgetAfterMs = 24 * 3_600_000;

/** The part of a ledger that is stored. Instants are wall time. */
export interface LedgerRow {
  readonly failures: number;
  readonly rest?: RetryAfterRest;
  readonly backoff?: Backoff;
  /** Rounded up, so that it seldom changes. */
  readonly throttleMs?: number;
  /** The policy with the longest gap, where sources with different ones ask the key. */
  readonly slowest?: Policy;
  /** The turns that are open for long. */
  readonly open?: readonly OpenTurn[];
}

/** Whether the ledger knows no more than a new one, also for a source with longer gaps than the one that asked last. */
export function isForgettable(ledger: Ledger, now: number): boolean {
  const { open, askedAt, policy, draw, rest, backoff, failures, throttleMs } = ledger;
  if (open.length > 0 || (rest?.until ?? 0) > now || !isForgiven(backoff, now)) return false;
  const isUsual = failures === 0 && (throttleMs ?? 0) <= usualMs(policy, undefined);
  return askedAt + Math.max(gapMs(policy, draw, throttleMs), isUsual ? forgetUsualAfterMs : forgetAfterMs) <= now;
}

/** The throttle as it is stored: rounded up to a power of two, so that it seldom changes and no restart shortens it. */
function savedThrottleMs({ throttleMs }: Ledger): number | undefined {
  return throttleMs === undefined ? undefined : 2 ** Math.ceil(Math.log2(Math.max(1, throttleMs)));
}

/** Whether the change outdates the stored row. Open turns do not count. */
export function isWorthARow(before: Ledger, after: Ledger): boolean {
  return (
    before.failures !== after.failures ||
    before.rest !== after.rest ||
    before.backoff !== after.backoff ||
    before.slowest !== after.slowest ||
    savedThrottleMs(before) !== savedThrottleMs(after)
  );
}

/** The shortest back-off that is written at once, in milliseconds: about the time until the next row is written anyway. */
const urgentBackoffMs = 1_000;

/**
 * Whether the change makes the host rest for so much longer that its row must be written at once: longer than the least gap of the policy,
 * since each host rests for that at the next start anyway. A pause that the host asked for counts however short it is; a back-off, which
 * every refusal brings, from a second on.
 */
export function isUrgent(before: Ledger, after: Ledger, now: number): boolean {
  const known = Math.max(restEndsAt(before), now + gapMs(after.policy, 0));
  const { rest, backoff } = after;
  return (rest?.until ?? -Infinity) > known || backoff.until > Math.max(known, now + urgentBackoffMs);
}

/** The end of the pause for a `Retry-After` or a back-off; `-Infinity` without one. */
export function restEndsAt({ rest, backoff }: Ledger): number {
  return Math.max(rest?.until ?? -Infinity, backoff.until);
}

/**
 * The row to store; `undefined` if the ledger knows no more than a new one.
 *
 * @param wallOffset - added to an instant of the ledger gives wall time.
 * @param isLong - whether an open turn has been open so long that it is stored, by its number.
 */
export function ledgerRow(
  ledger: Ledger,
  now: number,
  wallOffset: number,
  isLong: (number: number) => boolean = () => true,
): LedgerRow | undefined {
  const { failures, rest, backoff, slowest } = ledger;
  const throttleMs = savedThrottleMs(ledger);
  const open = ledger.open.filter(({ number }) => isLong(number)).map((turn) => shiftedTurn(turn, wallOffset));
  const isResting = rest !== undefined && rest.until > now;
  const isBackingOff = !isForgiven(backoff, now);
  const isPlain = failures === 0 && !isResting && !isBackingOff && slowest === undefined;
  if (isPlain && throttleMs === undefined && open.length === 0) return undefined;
  return {
    failures,
    ...defined({
      rest: isResting ? { ...rest, until: rest.until + wallOffset } : undefined,
      backoff: isBackingOff ? shiftedBackoff(backoff, wallOffset) : undefined,
      throttleMs,
      slowest,
      open: open.length > 0 ? open : undefined,
    }),
  };
}

/** Restores a new ledger from its row. No pause exceeds its usual maximum, however the wall clock was set meanwhile. */
export function restored(ledger: Ledger, row: LedgerRow, now: number, wallOffset: number): Ledger {
  const { failures, rest, throttleMs, slowest, open = noTurns } = row;
  const backoff = row.backoff && shiftedBackoff(row.backoff, -wallOffset);
  return {
    ...ledger,
    failures,
    ...(slowest && { policy: slowest, slowest }),
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
