import type { LineHold, LineHoldKind } from './shut-lines.ts';
import type { HostLine, Offer } from './host-line.ts';
import { earliestAt, freeAt, isBusy, type Ledger, type RetryAfterRest } from './ledger.ts';
import { gapMs, type Policy, usualMs } from './policy.ts';

/** An offer that waits for a key, for people. */
export interface Waiter {
  readonly dueAt: number;
  /** Set for a re-check. */
  readonly deadlineAt?: number | undefined;
  readonly source: string | undefined;
}

/** The ledger of one key, for people. Instants are of the book's clock; `hosts` answers in wall time. */
export interface LedgerView {
  readonly key: string;
  readonly waiting: number;
  /** The first offers that wait, in the order of their turns. */
  readonly next: readonly Waiter[];
  readonly open: number;
  /** When the key can next be asked; `undefined` while an open turn must be done first. */
  readonly nextAt: number | undefined;
  /** Why it cannot be asked before; `undefined` if it can be asked now. */
  readonly hold: TurnHold | undefined;
  /** The number of failures and refusals in a row. */
  readonly failures: number;
  readonly backoffStep: number;
  /** The rest that the host asked for in `Retry-After`, while it lasts. */
  readonly rest: RetryAfterRest | undefined;
  /** The usual gap at present, in milliseconds. */
  readonly delayMs: number;
  /** The latency of the last response. */
  readonly latencyMs: number | undefined;
  /** The source whose offer came last. */
  readonly source: string | undefined;
  /** The first ten sources with an offer since the daemon's start. */
  readonly sources: readonly string[];
}

const shownWaiters = 5;
const shownSources = 10;

/** A key as the book has it. */
interface Viewed {
  readonly key: string;
  readonly ledger: Ledger;
  readonly waiting: Pick<HostLine<Offer>, 'size' | 'first' | 'front'> | undefined;
  /** The policy of the last offer. */
  readonly policy: Policy | undefined;
  readonly source: string | undefined;
  readonly sources: readonly string[];
}

/** The view of a key. */
export function viewOf(
  { key, ledger, waiting, policy: lastOffered, source, sources }: Viewed,
  now: number,
): LedgerView {
  const { failures, rest, backoff, latencyMs, throttleMs } = ledger;
  const policy = waiting?.first?.policy ?? lastOffered ?? ledger.policy;
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

/** The sources of a key with the source of a new offer, up to ten. */
export function withOfferSource(sources: readonly string[], source: string | undefined): readonly string[] {
  const isKnown = source === undefined || sources.includes(source);
  return isKnown || sources.length >= shownSources ? sources : [...sources, source];
}

function waiter({ dueAt, deadlineAt, source }: Offer): Waiter {
  return deadlineAt === undefined ? { dueAt, source } : { dueAt, deadlineAt, source };
}

/** Converts a view to a clock that is ahead by `byMs`. */
export function shiftedView(view: LedgerView, byMs: number): LedgerView {
  const { rest, nextAt } = view;
  return {
    ...view,
    rest: rest && { ...rest, until: rest.until + byMs },
    nextAt: nextAt === undefined ? undefined : nextAt + byMs,
  };
}

/** A part of all keys in alphabetical order. */
export interface KeySlice {
  /** Only keys behind this one. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** The keys of a slice, in order. Looks at each key once and sorts at most `2 * limit` keys at a time. */
export function keysOf(keys: Iterable<string>, { after, limit }: KeySlice): string[] {
  let found: string[] = [];
  let bound: string | undefined;
  for (const key of keys) {
    if ((after !== undefined && key <= after) || (bound !== undefined && key >= bound)) continue;
    found.push(key);
    if (found.length < 2 * limit) continue;
    found = found.sort().slice(0, limit);
    bound = found.at(-1);
  }
  return found.sort().slice(0, limit);
}

/** Why a key cannot be asked now. */
export type TurnHold =
  | { readonly kind: 'gap' | 'crawl-delay' | 'throttle'; readonly delayMs: number }
  | { readonly kind: 'retry-after'; readonly isCapped: boolean }
  | { readonly kind: 'back-off'; readonly step: number }
  /** The largest number of turns is open. */
  | { readonly kind: 'concurrency'; readonly open: number }
  /** A turn is open whose request was not reported sent yet. */
  | { readonly kind: 'unsent' };

/** The wait of an offer: the reason why its key cannot be asked now, and the number of offers before it. */
export interface ExpectedWait {
  readonly hold: TurnHold | undefined;
  readonly waiting: number;
}

/** The reason that delays a request of `policy` longest; `undefined` if it can be sent now. */
export function holdOf(ledger: Ledger, policy: Policy, now: number): TurnHold | undefined {
  if (ledger.open.some(({ sentAt }) => sentAt === undefined)) return { kind: 'unsent' };
  if (isBusy(ledger, policy)) return { kind: 'concurrency', open: ledger.open.length };
  const at = freeAt(ledger, policy);
  if (at <= now) return undefined;
  if (at === ledger.rest?.until) return { kind: 'retry-after', isCapped: ledger.rest.isCapped };
  if (at === ledger.backoff.until) return { kind: 'back-off', step: ledger.backoff.step };
  return gapHold(ledger, policy);
}

function gapHold({ policy: last, draw, throttleMs }: Ledger, policy: Policy): TurnHold {
  const counts = gapMs(last, draw, throttleMs) > gapMs(policy, draw, throttleMs) ? last : policy;
  const delayMs = gapMs(counts, draw, throttleMs);
  if (delayMs === counts.crawlDelayMs) return { kind: 'crawl-delay', delayMs };
  return { kind: usualMs(counts, throttleMs) > counts.delayMs ? 'throttle' : 'gap', delayMs };
}

/** Offers that wait for the same cause. */
export interface WaitingOffers {
  /** What they wait for; `room` where only the daemon's own limits hold them back. */
  readonly why: LineHoldKind | TurnHold['kind'] | 'room';
  readonly offers: number;
  /** Since when the one has waited that waited longest: its due time, or of a robots.txt or a log-in when it was asked for. */
  readonly oldestAt: number;
}

/** The keys that may be asked now, each for one turn, and that only the largest number of open turns holds back. */
export interface Backlog {
  readonly turns: number;
  /** Since when the one has waited that waited longest; `undefined` where there is none. */
  readonly oldestAt: number | undefined;
}

export const noBacklog: Backlog = { turns: 0, oldestAt: undefined };

/** What waits for turns. */
export interface LedgersWaiting {
  /** What all offers wait for. */
  waits(): readonly WaitingOffers[];
  /** The turns that are granted as soon as open ones end. There is none where something else holds all turns back. */
  backlog(): Backlog;
}

/** The place of an offer. */
export interface OfferPlace {
  /** The number of offers of its kind that come before it at its host. */
  readonly before: number;
  /** Set while the line in which it waits is shut. */
  readonly shut?: LineHold | undefined;
}

/** Adds offers to those that wait for the same cause. */
export function addWaiting(all: Map<WaitingOffers['why'], WaitingOffers>, more: WaitingOffers): void {
  const { offers = 0, oldestAt = Infinity } = all.get(more.why) ?? {};
  all.set(more.why, { ...more, offers: offers + more.offers, oldestAt: Math.min(oldestAt, more.oldestAt) });
}
