import { backoffMs } from './backoff.ts';
import type { FetchFailure } from './failure.ts';

/** How often one politeness key may be asked. */
export interface Policy {
  /** Requests at a time. */
  readonly concurrency: number;
  /** The usual gap between two requests; each gap is drawn from half to one and a half times it. */
  readonly delayMs: number;
  /** No gap is shorter. */
  readonly minDelayMs: number;
}

/** The policy of a source that sets none. */
export const defaultPolicy: Policy = { concurrency: 1, delayMs: 1_000, minDelayMs: 500 };

/** A turn that was given and has not come back. */
export interface OpenTurn {
  readonly number: number;
  readonly policy: Policy;
  readonly isSent: boolean;
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
  /** It asked to be left alone, or failed: nothing before this instant. */
  readonly refusedUntil: number;
  /** Times in a row it failed or refused. */
  readonly failures: number;
}

/** What came of a turn, as far as politeness cares; `unused` when nothing was asked. */
export type TurnOutcome =
  | { readonly kind: 'answered' }
  | { readonly kind: 'refused'; readonly retryAfterMs?: number }
  | { readonly kind: 'failed' }
  | { readonly kind: 'unused' };

/** No `Retry-After` is honoured for longer. */
export const longestRetryAfterMs = 24 * 3_600_000;

/** The back-off begins with the usual gap of the policy, and stops growing here. */
const longestBackoffMs = 300_000;

const noGap: Policy = { concurrency: Infinity, delayMs: 0, minDelayMs: 0 };

/**
 * A key of which nothing is known but that it may have been asked until just now: the daemon that asked it last may
 * have stopped an instant ago.
 */
export function newLedger(askedAt: number, draw: number): Ledger {
  return { askedAt, policy: noGap, draw, open: [], refusedUntil: -Infinity, failures: 0 };
}

/** The pause after a request, from the draw made for it. */
export function gapMs({ delayMs, minDelayMs }: Policy, draw: number): number {
  return Math.max(minDelayMs, delayMs * (0.5 + draw));
}

/**
 * When a request of `policy` may be sent at the earliest, or `undefined` while that depends on a turn that is out: one
 * not yet reported sent, or as many as may be at a time. Of two sources with one key the stricter policy counts.
 */
export function earliestAt(
  { open, askedAt, policy: last, draw, refusedUntil }: Ledger,
  policy: Policy,
): number | undefined {
  const concurrency = Math.min(policy.concurrency, ...open.map((turn) => turn.policy.concurrency));
  if (open.length >= concurrency || open.some(({ isSent }) => !isSent)) return undefined;
  return Math.max(askedAt + Math.max(gapMs(last, draw), gapMs(policy, draw)), refusedUntil);
}

/** Gives a turn. Only called when `earliestAt` has come. */
export function withTurn(ledger: Ledger, number: number, policy: Policy): Ledger {
  return { ...ledger, open: [...ledger.open, { number, policy, isSent: false }] };
}

/** The request was sent now: its gap begins. Reported too late, after its turn expired, it counts all the same. */
export function withSent(ledger: Ledger, number: number, now: number, draw: number): Ledger {
  const turn = ledger.open.find((each) => each.number === number);
  const open = ledger.open.map((each) => (each === turn ? { ...each, isSent: true } : each));
  return { ...ledger, open, askedAt: now, policy: turn?.policy ?? ledger.policy, draw };
}

/** Ends a turn: the key is free for the next, but for its gap and for what the outcome asks. */
export function withDone(ledger: Ledger, number: number, outcome: TurnOutcome, now: number, draw: number): Ledger {
  const turn = ledger.open.find((each) => each.number === number);
  const open = ledger.open.filter((each) => each !== turn);
  if (outcome.kind === 'unused') return { ...ledger, open };
  // What was tried but never reported sent, such as a connection that failed, counts as asked now.
  const asked = turn && !turn.isSent ? { askedAt: now, policy: turn.policy, draw } : {};
  if (outcome.kind === 'answered') return { ...ledger, ...asked, open, failures: 0 };
  const failures = ledger.failures + 1;
  const { delayMs, minDelayMs } = turn?.policy ?? ledger.policy;
  const growing = backoffMs(failures, { baseMs: Math.max(delayMs, minDelayMs), maxMs: longestBackoffMs }, draw);
  const pauseMs = Math.max(growing, retryAfter(outcome));
  return { ...ledger, ...asked, open, failures, refusedUntil: Math.max(ledger.refusedUntil, now + pauseMs) };
}

function retryAfter(outcome: TurnOutcome): number {
  return outcome.kind === 'refused' ? Math.min(outcome.retryAfterMs ?? 0, longestRetryAfterMs) : 0;
}

/** Ends a turn of which nothing was heard: for all we know it was sent just now. */
export function withExpired(ledger: Ledger, number: number, now: number, draw: number): Ledger {
  const turn = ledger.open.find((each) => each.number === number);
  if (!turn) return ledger;
  const asked = turn.isSent ? {} : { askedAt: now, policy: turn.policy, draw };
  return { ...ledger, ...asked, open: ledger.open.filter((each) => each !== turn) };
}

/** What politeness must know of a failed step: its code, and what the head said if one came. */
export interface Trouble {
  readonly code: string;
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** Failures that may mean that the site has more to do than it can; the others are answers like any other. */
const overloads: ReadonlySet<string> = new Set<FetchFailure['code']>([
  'timeout',
  'unreachable',
  'truncated',
  'bad_response',
]);

/**
 * What a step means for the key that was asked. A page, a redirect, and a page that could not be read are answers.
 *
 * @param trouble - the failure; `undefined` when there was none.
 */
export function turnOutcome(trouble: Trouble | undefined): TurnOutcome {
  if (!trouble) return { kind: 'answered' };
  const { code, status, retryAfterMs } = trouble;
  if (code === 'refused_address') return { kind: 'unused' };
  if (code !== 'status') return { kind: overloads.has(code) ? 'failed' : 'answered' };
  if (status === 429 || status === 503) return { kind: 'refused', ...(retryAfterMs !== undefined && { retryAfterMs }) };
  return { kind: status !== undefined && status >= 500 ? 'failed' : 'answered' };
}

/** What of a ledger outlives the daemon. Instants are wall time. */
export interface HostRow {
  readonly refusedUntil: number;
  readonly failures: number;
}

/** A failure that long ago says nothing any more. */
const forgetAfterMs = 24 * 3_600_000;

/** Whether a new ledger would serve as well. */
export function isForgettable({ open, askedAt, policy, draw, refusedUntil, failures }: Ledger, now: number): boolean {
  const isOver = failures === 0 ? refusedUntil <= now : refusedUntil + forgetAfterMs <= now;
  return isOver && open.length === 0 && askedAt + gapMs(policy, draw) <= now;
}

/**
 * The row to keep, or `undefined` when there is nothing that a new ledger does not know.
 *
 * @param wallOffset - what makes wall time of the ledger's instants.
 */
export function hostRow(ledger: Ledger, now: number, wallOffset: number): HostRow | undefined {
  const { refusedUntil, failures } = ledger;
  if (failures === 0 && refusedUntil <= now) return undefined;
  return { refusedUntil: refusedUntil + wallOffset, failures };
}

/** A new ledger that remembers its row; however the wall clock was set meanwhile, it waits no longer than it ever may. */
export function restored(ledger: Ledger, row: HostRow, now: number, wallOffset: number): Ledger {
  const refusedUntil = Math.min(row.refusedUntil - wallOffset, now + longestRetryAfterMs);
  return { ...ledger, refusedUntil, failures: row.failures };
}
