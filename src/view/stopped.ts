import * as z from 'zod';
import { ageText, dueText } from '../time-text.ts';
import { Instant } from './fields.ts';
import { plainText } from './text.ts';

/** An actor that should run and does not, as it could not start or crashed too often. */
export const StoppedView = z.strictObject({
  kind: z.enum(['edge', 'source']),
  /** Of `edge` the part of the daemon, such as `http`, or the sink; else the source. */
  id: z.string(),
  reason: z.string(),
  since: Instant,
  /** When it is next tried again. */
  retryAt: Instant,
});
export type StoppedView = Readonly<z.infer<typeof StoppedView>>;

/** Says what does not run, since when, and why: `HTTP is not served, since 30s ago: port 7437 is taken; tried again in 25s`. */
export function stoppedText({ kind, id, reason, since, retryAt }: StoppedView, now: number): string {
  const again = retryAt > now ? `tried again ${dueText(retryAt, now)}` : 'tried again now';
  return `${stoppedWhat(kind, plainText(id))}, since ${ageText(since, now)}: ${plainText(reason)}; ${again}`;
}

function stoppedWhat(kind: StoppedView['kind'], id: string): string {
  if (kind === 'source') return `session of ${id} is not open`;
  return id === 'http' ? 'HTTP is not served' : `${id} does not run`;
}
