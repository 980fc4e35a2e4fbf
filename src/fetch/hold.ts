import { gapMs, type Policy, usualMs } from './policy.ts';
import { freeAt, isBusy, type Ledger } from './politeness.ts';

/** What holds up the next request to a key. */
export type Hold =
  | { readonly kind: 'gap' | 'crawl-delay' | 'throttle'; readonly delayMs: number }
  | { readonly kind: 'retry-after'; readonly isCapped: boolean }
  | { readonly kind: 'back-off'; readonly step: number }
  /** As many turns are out as may be. */
  | { readonly kind: 'concurrency'; readonly open: number }
  /** A turn is out whose request was not yet reported sent. */
  | { readonly kind: 'unsent' };

/** What a wish would meet: what holds its key up, and how many wait for it already. */
export interface HoldUp {
  readonly hold: Hold | undefined;
  readonly waiting: number;
}

/** What holds up a request of `policy` longest, or `undefined` when nothing does. */
export function holdOf(ledger: Ledger, policy: Policy, now: number): Hold | undefined {
  if (ledger.open.some(({ sentAt }) => sentAt === undefined)) return { kind: 'unsent' };
  if (isBusy(ledger, policy)) return { kind: 'concurrency', open: ledger.open.length };
  const at = freeAt(ledger, policy);
  if (at <= now) return undefined;
  if (at === ledger.rest?.until) return { kind: 'retry-after', isCapped: ledger.rest.isCapped };
  if (at === ledger.backoff.until) return { kind: 'back-off', step: ledger.backoff.step };
  return gapHold(ledger, policy);
}

function gapHold({ policy: last, draw, throttleMs }: Ledger, policy: Policy): Hold {
  const counts = gapMs(last, draw, throttleMs) > gapMs(policy, draw, throttleMs) ? last : policy;
  const delayMs = gapMs(counts, draw, throttleMs);
  if (delayMs === counts.crawlDelayMs) return { kind: 'crawl-delay', delayMs };
  return { kind: usualMs(counts, throttleMs) > counts.delayMs ? 'throttle' : 'gap', delayMs };
}
