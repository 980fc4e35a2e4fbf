import { politenessKey, type Source } from '../definition/source.ts';
import type { LedgerOffer } from '../fetch/ledger/host-line.ts';
import { turnLimitMs } from '../fetch/ledger/turn-leases.ts';
import type { Robots } from './robots.ts';
import { policyOf } from './turn.ts';

/** A target that is due and waits for its turn: all that is kept of it in memory until its scrape begins. */
export interface TargetOffer extends LedgerOffer {
  /** The number of the target. */
  readonly id: number;
  readonly source: string;
  /** The project whose actor takes the turn. */
  readonly project: string;
  /** The origin of its URL, whose robots.txt must be known. */
  readonly origin: string;
}

/** A target that is due, and why. */
export interface DueForTurn {
  readonly target: { readonly target: number; readonly source: string; readonly url: string };
  readonly project: string;
  readonly dueAt: number;
  readonly deadlineAt?: number | undefined;
  readonly isManual: boolean;
}

/** Makes the offer of a target that is due. */
export function targetOffer(
  source: Source,
  { target: { target: id, url }, project, dueAt, deadlineAt, isManual }: DueForTurn,
  robots: Pick<Robots, 'crawlDelayMs'>,
): TargetOffer {
  const { origin } = new URL(url);
  const key = politenessKey(source, url);
  return {
    id,
    key,
    policy: policyOf(source, robots.crawlDelayMs(source, url)),
    dueAt,
    // A crawl looks for new pages and does not verify known ones, so that no objective gives it a deadline.
    deadlineAt: source.crawl === undefined ? deadlineAt : undefined,
    isManual,
    sentMs: turnLimitMs(source.limits.total),
    source: source.id,
    project,
    // One string for both, where they are the same.
    origin: origin === key ? key : origin,
  };
}
