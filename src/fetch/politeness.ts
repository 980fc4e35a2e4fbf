import { type Backoff, noBackoff, withAnswer, withRefusal } from './backoff.ts';
import { gapMs, paceMs, type Policy, siteGapMs, stretched } from './policy.ts';
import { nextThrottledMs, throttledMs } from './throttle.ts';
import type { TurnOutcome } from './turn-outcome.ts';

/** A turn that was given and has not come back. Plain data. */
export interface OpenTurn {
  readonly number: number;
  readonly policy: Policy;
  readonly givenAt: number;
  readonly sentAt?: number;
  /** Nothing heard until then, it expires. */
  readonly endsAt: number;
}

/** What a host asked for in its last `Retry-After` that still counts. */
export interface Rest {
  readonly until: number;
  /** Whether it asked for more than is honoured. */
  readonly isCapped: boolean;
}

/**
 * What is known of one politeness key. Plain data; all instants are of one clock that never goes back, and the key is
 * asked in the order in which these functions are called.
 */
export interface Ledger {
  /** When it was last asked, as far as is known. */
  readonly askedAt: number;
  /** The policy of that request, and the random number in `[0, 1)` that its gap is made of. */
  readonly policy: Policy;
  readonly draw: number;
  readonly open: readonly OpenTurn[];
  readonly rest: Rest | undefined;
  readonly backoff: Backoff;
  /** Times in a row it failed or refused. */
  readonly failures: number;
  /** The usual gap that its latency has taught. */
  readonly throttleMs: number | undefined;
  readonly latencyMs: number | undefined;
}

/** How slow a key is by its own doing. */
export interface Slowness {
  /** The usual gap that it asks for, by its robots.txt, its scripts and its latency. */
  readonly gapMs: number;
  readonly latencyMs: number;
  /** By what it is asked. */
  readonly policy: Policy;
}

/** No `Retry-After` is honoured for longer. */
export const longestRetryAfterMs = 24 * 3_600_000;

/** The back-off begins with the usual gap of the policy, and stops growing here. */
const longestBackoffMs = 300_000;

const noGap: Policy = { concurrency: Infinity, delayMs: 0, minDelayMs: 0 };
export const noTurns: readonly OpenTurn[] = [];

/**
 * A key of which nothing is known but that it may have been asked until just now: the daemon that asked it last may
 * have stopped an instant ago.
 */
export function newLedger(askedAt: number, draw: number): Ledger {
  return {
    askedAt,
    policy: noGap,
    draw,
    open: noTurns,
    rest: undefined,
    backoff: noBackoff,
    failures: 0,
    throttleMs: undefined,
    latencyMs: undefined,
  };
}

/** Whether a turn that is out must come back, or be reported sent, before another is given. */
export function isBusy({ open }: Ledger, policy: Policy): boolean {
  if (open.length === 0) return false;
  const concurrency = Math.min(policy.concurrency, ...open.map((turn) => turn.policy.concurrency));
  return open.length >= concurrency || open.some(({ sentAt }) => sentAt === undefined);
}

/**
 * When a request of `policy` may be sent at the earliest, or `undefined` while that depends on a turn that is out: one
 * not yet reported sent, or as many as may be at a time. Of two sources with one key the stricter policy counts.
 */
export function earliestAt(ledger: Ledger, policy: Policy): number | undefined {
  return isBusy(ledger, policy) ? undefined : freeAt(ledger, policy);
}

/** When a request may be sent if all turns come back in time. */
export function freeAt({ askedAt, policy: last, draw, throttleMs, rest, backoff }: Ledger, policy: Policy): number {
  const gap = Math.max(gapMs(last, draw, throttleMs), gapMs(policy, draw, throttleMs));
  return Math.max(askedAt + gap, rest?.until ?? -Infinity, backoff.until);
}

/** Gives a turn. Only called when `earliestAt` has come. */
export function withTurn(ledger: Ledger, turn: OpenTurn): Ledger {
  return { ...ledger, open: [...ledger.open, turn] };
}

/** The request was sent now: its gap begins. Reported too late, after its turn expired, it counts all the same. */
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

/** It is asked now: what is left of the gap before, as after the scripts of a page that was asked at the same time, is kept. */
function askedNow(ledger: Ledger, policy: Policy, now: number, draw: number): Ledger {
  const leftMs = ledger.askedAt + gapMs(ledger.policy, ledger.draw, ledger.throttleMs) - now;
  const kept = leftMs > gapMs(policy, draw, ledger.throttleMs) ? { ...policy, minDelayMs: leftMs } : policy;
  return { ...ledger, askedAt: now, policy: kept, draw };
}

/** Ends a turn: the key is free for the next, but for its gap and for what the outcome asks. */
export function withDone(
  ledger: Ledger,
  { number, outcome }: { readonly number: number; readonly outcome: TurnOutcome },
  now: number,
  draw: number,
): Ledger {
  const turn = find(ledger, number);
  const back = withMore(without(ledger, turn), turn, outcome.more ?? 0, now);
  if (outcome.kind === 'unused') return back;
  // What was tried but never reported sent, such as a connection that failed, counts as asked now.
  const asked = turn && turn.sentAt === undefined ? askedNow(back, turn.policy, now, draw) : back;
  const learned = withLatency(asked, turn, outcome, now);
  const sentAt = turn ? (turn.sentAt ?? turn.givenAt) : ledger.askedAt;
  if (outcome.kind === 'answered') return { ...learned, failures: 0, backoff: withAnswer(ledger.backoff, sentAt) };
  const baseMs = paceMs(turn?.policy ?? ledger.policy, learned.throttleMs);
  const options = { baseMs, maxMs: longestBackoffMs };
  return {
    ...learned,
    failures: ledger.failures + 1,
    backoff: withRefusal(ledger.backoff, { kind: outcome.kind, sentAt, now, draw }, options),
    rest: outcome.kind === 'refused' ? longer(ledger.rest, outcome.retryAfterMs, now) : ledger.rest,
  };
}

/** How slow a key is by its own doing, which is asked by a policy; nothing before it has answered. */
export function slownessOf({ policy: last, throttleMs, latencyMs }: Ledger, policy: Policy): Slowness | undefined {
  return latencyMs === undefined ? undefined : { gapMs: siteGapMs(last, throttleMs), latencyMs, policy };
}

/** Ends a turn of which nothing was heard: for all we know it was sent just now. */
export function withExpired(ledger: Ledger, number: number, now: number, draw: number): Ledger {
  const turn = find(ledger, number);
  if (!turn) return ledger;
  const back = without(ledger, turn);
  return turn.sentAt === undefined ? askedNow(back, turn.policy, now, draw) : back;
}

/** What was asked besides under a turn was asked until now, and is paid for by the gap that follows. */
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

/** Nothing shortens a rest that was asked for. */
function longer(rest: Rest | undefined, retryAfterMs: number | undefined, now: number): Rest | undefined {
  if (retryAfterMs === undefined) return rest;
  const until = now + Math.min(retryAfterMs, longestRetryAfterMs);
  return rest && rest.until >= until ? rest : { until, isCapped: retryAfterMs > longestRetryAfterMs };
}
