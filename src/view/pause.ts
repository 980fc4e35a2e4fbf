import * as z from 'zod';
import { clockText } from '../time-text.ts';
import { Instant } from './fields.ts';
import { plainText } from './text.ts';

/** What events say of what is resumed, besides its source. */
export const resumeFacts = {
  /** The politeness key of the host; without it and without a source, everything. */
  host: z.string().exactOptional(),
  /** Who did it; missing where that was not told, and where the time of a pause is over. */
  by: z.string().exactOptional(),
};

/** What events say of what is paused, besides its source. */
export const pauseFacts = {
  ...resumeFacts,
  /** When it ends by itself; missing where a person has to resume it. */
  until: Instant.exactOptional(),
  reason: z.string().exactOptional(),
};

/** What an operator has paused, so that nothing is asked of it: a source, a host, or everything. */
export const PauseView = z.strictObject({ source: z.string().exactOptional(), ...pauseFacts, since: Instant });
export type PauseView = Readonly<z.infer<typeof PauseView>>;

/** Says what is paused: `everything`, `source shop`, `host https://shop.example`. */
export function pausedWhat({ source, host }: Pick<PauseView, 'source' | 'host'>): string {
  if (source !== undefined) return `source ${plainText(source)}`;
  return host === undefined ? 'everything' : `host ${plainText(host)}`;
}

/** Says why something is paused, by whom, and until when: `paused by ada until 14:00:00 UTC: the site moves`. */
export function pauseText({ by, until, reason }: PauseView, now: number): string {
  const whose = by === undefined ? 'by hand' : `by ${plainText(by)}`;
  const end = until === undefined ? '' : ` until ${clockText(until, now)} UTC`;
  return `paused ${whose}${end}${reason === undefined ? '' : `: ${plainText(reason)}`}`;
}
