import { type Hold, holdOf } from './hold.ts';
import { type Policy, usualMs } from './policy.ts';
import { earliestAt, type Ledger, type Rest } from './politeness.ts';
import type { HostLine } from './host-line.ts';

/** Who waits for a key. */
export interface Waiter {
  readonly dueAt: number;
  /** Of a re-check. */
  readonly deadlineAt?: number | undefined;
  readonly source: string | undefined;
}

/** What is known of one key, for people. Instants are the book's. */
export interface KeyView {
  readonly key: string;
  readonly waiting: number;
  /** The first of those who wait, in order of their turns. */
  readonly next: readonly Waiter[];
  readonly open: number;
  /** When it can next be asked; missing while a turn must come back first. */
  readonly nextAt: number | undefined;
  /** What it waits for until then; missing when it can be asked now. */
  readonly hold: Hold | undefined;
  /** Times in a row it failed or refused. */
  readonly failures: number;
  readonly backoffStep: number;
  /** What it asked for in `Retry-After`, while that lasts. */
  readonly rest: Rest | undefined;
  /** The usual gap at present, and the latency of its last response. */
  readonly delayMs: number;
  readonly latencyMs: number | undefined;
  /** The source that wished for it last. */
  readonly source: string | undefined;
  /** Those that wished for it since the start, the first ten. */
  readonly sources: readonly string[];
}

const shownWaiters = 5;
const shownSources = 10;

/** A key as its book has it. */
interface Viewed {
  readonly key: string;
  readonly ledger: Ledger;
  readonly waiting: Pick<HostLine<Waiting>, 'size' | 'first' | 'front'> | undefined;
  /** The policy and the source of the last wish. */
  readonly policy: Policy | undefined;
  readonly source: string | undefined;
  readonly sources: readonly string[];
}

interface Waiting {
  readonly dueAt: number;
  readonly deadlineAt?: number | undefined;
  readonly policy: Policy;
  readonly source?: string | undefined;
}

export function viewOf({ key, ledger, waiting, policy: lastWished, source, sources }: Viewed, now: number): KeyView {
  const { failures, rest, backoff, latencyMs, throttleMs } = ledger;
  const policy = waiting?.first?.policy ?? lastWished ?? ledger.policy;
  return {
    key,
    waiting: waiting?.size ?? 0,
    next: waiting?.front(shownWaiters).map(waiter) ?? [],
    open: ledger.open.length,
    nextAt: earliestAt(ledger, policy),
    hold: holdOf(ledger, policy, now),
    failures,
    backoffStep: backoff.step,
    rest: rest && rest.until > now ? rest : undefined,
    delayMs: usualMs(policy, throttleMs),
    latencyMs,
    source,
    sources,
  };
}

/** A key's sources with the one that wishes for it now. */
export function withSource(sources: readonly string[], source: string | undefined): readonly string[] {
  const isKnown = source === undefined || sources.includes(source);
  return isKnown || sources.length >= shownSources ? sources : [...sources, source];
}

function waiter({ dueAt, deadlineAt, source }: Waiting): Waiter {
  return { dueAt, ...(deadlineAt !== undefined && { deadlineAt }), source };
}

/** The same by a clock that shows `byMs` more. */
export function shiftedView(view: KeyView, byMs: number): KeyView {
  const { rest, nextAt } = view;
  return {
    ...view,
    rest: rest && { ...rest, until: rest.until + byMs },
    nextAt: nextAt === undefined ? undefined : nextAt + byMs,
  };
}
