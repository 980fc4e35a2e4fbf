import { type Backoff, noBackoff, withAnswer, withRefusal } from './backoff.ts';
import { gapMs, nextThrottledMs, paceMs, type Policy, siteGapMs, stretched, throttledMs } from './policy.ts';
import type { TurnOutcome } from './turn-outcome.ts';

/** A turn that was granted and is not done. Plain data. */
export interface OpenTurn {
  readonly number: number;
  readonly policy: Policy;
  readonly givenAt: number;
  readonly sentAt?: number;
  /** When the turn expires unless it is reported sent or done. */
  readonly endsAt: number;
}

/** The pause that a host asked for in `Retry-After`. */
export interface RetryAfterRest {
  readonly until: number;
  /** Whether the host asked for more than `longestRetryAfterMs`. */
  readonly isCapped: boolean;
}

/**
 * The ledger of one politeness key (by default an origin): what decides when it may next be asked. Plain data; all instants are of
 * one clock that never goes back, and the functions below are called in the order in which things happen.
 */
export interface Ledger {
  /** When the key was last asked, as far as is known. */
  readonly askedAt: number;
  /** The policy of the last request, and the random number in `[0, 1)` from which the gap after it is drawn. */
  readonly policy: Policy;
  readonly draw: number;
  /** The policy with the longest gap of those under which the key was asked; missing where all had the same gap. */
  readonly slowest: Policy | undefined;
  readonly open: readonly OpenTurn[];
  readonly rest: RetryAfterRest | undefined;
  readonly backoff: Backoff;
  /** The number of failures and refusals in a row. */
  readonly failures: number;
  /** The usual gap as the throttle has derived it from latencies; missing before the first response. */
  readonly throttleMs: number | undefined;
  readonly latencyMs: number | undefined;
}

/** How slowly a key may be asked for reasons of the site, not of our policy. */
export interface Slowness {
  /** The usual gap that the site asks for by its robots.txt, its scripts and its latency, in milliseconds. */
  readonly gapMs: number;
  readonly latencyMs: number;
  /** The policy under which it is asked. */
  readonly policy: Policy;
}

/** The longest `Retry-After` that is honoured, in milliseconds. */
export const longestRetryAfterMs = 24 * 3_600_000;

/** The longest pause of a back-off, in milliseconds. It begins with the usual gap of the policy. */
const longestBackoffMs = 300_000;

/** The first pause of a back-off under a policy without a gap, in milliseconds: nothing would come of doubling 0. */
const leastBackoffMs = 1;

const noGap: Policy = { concurrency: Infinity, delayMs: 0, minDelayMs: 0 };
/** No open turns. One value for all ledgers, since most have none. */
export const noTurns: readonly OpenTurn[] = [];

/**
 * The ledger of a key that was not asked yet in this life of the daemon. It counts as asked at `askedAt`: an earlier life may have
 * asked the key an instant before.
 */
export function newLedger(askedAt: number, draw: number): Ledger {
  return {
    askedAt,
    policy: noGap,
    draw,
    slowest: undefined,
    open: noTurns,
    rest: undefined,
    backoff: noBackoff,
    failures: 0,
    throttleMs: undefined,
    latencyMs: undefined,
  };
}

/** Whether no turn may be granted before an open one is done or reported sent. */
export function isBusy({ open }: Ledger, policy: Policy): boolean {
  if (open.length === 0) return false;
  const concurrency = Math.min(policy.concurrency, ...open.map((turn) => turn.policy.concurrency));
  return open.length >= concurrency || open.some(({ sentAt }) => sentAt === undefined);
}

/**
 * The earliest instant at which a request of `policy` may be sent; `undefined` while the key is busy with open turns. Of two sources
 * with one key the stricter policy counts.
 */
export function earliestAt(ledger: Ledger, policy: Policy): number | undefined {
  return isBusy(ledger, policy) ? undefined : freeAt(ledger, policy);
}

/** The earliest instant at which a request of `policy` may be sent if all open turns are done by then. */
export function freeAt({ askedAt, policy: last, draw, throttleMs, rest, backoff }: Ledger, policy: Policy): number {
  const gap = Math.max(gapMs(last, draw, throttleMs), gapMs(policy, draw, throttleMs));
  return Math.max(askedAt + gap, rest?.until ?? -Infinity, backoff.until);
}

/** Grants a turn. Only called when `earliestAt` has come. */
export function withTurn(ledger: Ledger, turn: OpenTurn): Ledger {
  return { ...ledger, open: [...ledger.open, turn] };
}

/** Records that the request of a turn was sent now: the gap after it begins. It counts even if the turn has expired. */
export function withSent(
  ledger: Ledger,
  { number, endsAt }: Pick<OpenTurn, 'number' | 'endsAt'>,
  now: number,
  draw: number,
): Ledger {
  const turn = find(ledger, number);
  const open = turn
    ? ledger.open.map((each) => (each === turn ? { ...each, sentAt: now, endsAt } : each))
    : ledger.open;
  return { ...askedNow(ledger, turn?.policy ?? ledger.policy, now, draw), open };
}

/** Records a request now. A longer rest of the gap before, such as after a rendered page's scripts, is kept. */
function askedNow(ledger: Ledger, policy: Policy, now: number, draw: number): Ledger {
  const leftMs = ledger.askedAt + gapMs(ledger.policy, ledger.draw, ledger.throttleMs) - now;
  const kept = leftMs > gapMs(policy, draw, ledger.throttleMs) ? { ...policy, minDelayMs: leftMs } : policy;
  return { ...ledger, askedAt: now, policy: kept, draw, slowest: slowestOf(ledger, policy) };
}

/** The policy with the longest gap of all that a key was asked under; `undefined` while they are alike. */
function slowestOf({ policy: last, slowest }: Ledger, policy: Policy): Policy | undefined {
  const before = slowest ?? last;
  if (before === policy || before === noGap || usualGapMs(before) === usualGapMs(policy)) return slowest;
  return usualGapMs(before) > usualGapMs(policy) ? before : policy;
}

function usualGapMs(policy: Policy): number {
  return gapMs(policy, 0.5);
}

/** Ends a turn and learns from its outcome: latency, failures, back-off and `Retry-After`. */
export function withDone(
  ledger: Ledger,
  { number, outcome }: { readonly number: number; readonly outcome: TurnOutcome },
  now: number,
  draw: number,
): Ledger {
  const turn = find(ledger, number);
  const back = withMore(without(ledger, turn), turn, outcome.more ?? 0, now);
  if (outcome.kind === 'unused') return back;
  // A request that was tried but never reported sent, such as one whose connection failed, counts as sent now.
  const asked = turn && turn.sentAt === undefined ? askedNow(back, turn.policy, now, draw) : back;
  const learned = withLatency(asked, turn, outcome, now);
  const sentAt = turn ? (turn.sentAt ?? turn.givenAt) : ledger.askedAt;
  if (outcome.kind === 'answered') return { ...learned, failures: 0, backoff: withAnswer(ledger.backoff, sentAt) };
  const baseMs = Math.max(paceMs(turn?.policy ?? ledger.policy, learned.throttleMs), leastBackoffMs);
  const options = { baseMs, maxMs: longestBackoffMs };
  return {
    ...learned,
    failures: ledger.failures + 1,
    backoff: withRefusal(ledger.backoff, { kind: outcome.kind, sentAt, now, draw }, options),
    rest: outcome.kind === 'refused' ? longer(ledger.rest, outcome.retryAfterMs, now) : ledger.rest,
  };
}

/** How slowly the site of a key wants to be asked; `undefined` before it has answered. */
export function slownessOf({ policy: last, throttleMs, latencyMs }: Ledger, policy: Policy): Slowness | undefined {
  return latencyMs === undefined ? undefined : { gapMs: siteGapMs(last, throttleMs), latencyMs, policy };
}

/** Ends a turn that was neither reported sent nor done in time. Its request counts as sent now if it may have been sent. */
export function withExpired(ledger: Ledger, number: number, now: number, draw: number): Ledger {
  const turn = find(ledger, number);
  if (!turn) return ledger;
  const back = without(ledger, turn);
  return turn.sentAt === undefined ? askedNow(back, turn.policy, now, draw) : back;
}

/** Records `more` requests that were made under a turn besides its own: the gap after them is longer. */
function withMore(ledger: Ledger, turn: OpenTurn | undefined, more: number, now: number): Ledger {
  return more === 0 ? ledger : { ...ledger, askedAt: now, policy: stretched(turn?.policy ?? ledger.policy, more) };
}

function find({ open }: Ledger, number: number): OpenTurn | undefined {
  return open.find((each) => each.number === number);
}

function without(ledger: Ledger, turn: OpenTurn | undefined): Ledger {
  if (!turn) return ledger;
  return { ...ledger, open: ledger.open.length === 1 ? noTurns : ledger.open.filter((each) => each !== turn) };
}

function withLatency(
  ledger: Ledger,
  turn: OpenTurn | undefined,
  outcome: Exclude<TurnOutcome, { kind: 'unused' }>,
  now: number,
): Ledger {
  const { kind, status } = outcome;
  const latencyMs = outcome.latencyMs ?? (turn?.sentAt === undefined ? undefined : now - turn.sentAt);
  if (status === undefined || latencyMs === undefined) return ledger;
  const { autoThrottle, delayMs } = turn?.policy ?? ledger.policy;
  if (!autoThrottle) return { ...ledger, latencyMs };
  const before = throttledMs(ledger.throttleMs, autoThrottle, delayMs);
  const latency = { latencyMs, isPlain: kind === 'answered' && status === 200 };
  return { ...ledger, latencyMs, throttleMs: nextThrottledMs(before, latency, autoThrottle, delayMs) };
}

/** The later end of two rests: no answer shortens a rest that was asked for. */
function longer(
  rest: RetryAfterRest | undefined,
  retryAfterMs: number | undefined,
  now: number,
): RetryAfterRest | undefined {
  if (retryAfterMs === undefined) return rest;
  const until = now + Math.min(retryAfterMs, longestRetryAfterMs);
  return rest && rest.until >= until ? rest : { until, isCapped: retryAfterMs > longestRetryAfterMs };
}
