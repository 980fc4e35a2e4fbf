import type { HostPace } from '../../schedule/host-pace.ts';
import type { Tally } from '../../schedule/waste.ts';

/** What one scrape of a target takes, on average. */
export interface UsualScrape {
  /** 1 at least. */
  readonly requests: number;
  readonly bytes: number;
}

/** What the scrapes of a target took so far. Those that nobody answered say nothing of it: the next one may be answered. */
export function usualScrape(tally: Tally | undefined): UsualScrape {
  const { scrapes = 0, requests = 0, bytes = 0, unanswered } = tally ?? {};
  const answered = scrapes - (unanswered?.scrapes ?? 0);
  if (answered <= 0) return { requests: 1, bytes: 0 };
  return { requests: Math.max(1, (requests - (unanswered?.requests ?? 0)) / answered), bytes: bytes / answered };
}

/**
 * How long a scrape takes of a target that follows on itself, in milliseconds besides its sleep: a pause of its host for each
 * request, of which the first is over when the sleep was as long.
 */
export function usualTookMs(requests: number, sleepMs: number, { delayMs, latencyMs = 0 }: HostPace): number {
  return Math.max(1, (requests - 1) * delayMs + latencyMs, requests * delayMs - sleepMs);
}
