import * as z from 'zod';
import type { MethodSpec } from '../method.ts';
import { IntervalMs, SpanMs } from '../../definition/duration.ts';

/** What may be changed while the daemon runs. */
export const Settings = z.strictObject({
  /** From a project's creation to its first scrape. */
  initialDelayMs: SpanMs,
  /** Between the scrapes of a target whose source and project say nothing. */
  everyMs: IntervalMs,
  /** The longest a page of a scrape may take. */
  timeLimitMs: IntervalMs,
  logLevel: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
});
export type Settings = z.infer<typeof Settings>;

/** Methods on what may be changed while the daemon runs. */
export const settingsMethods = {
  'settings.get': { params: z.strictObject({}), result: Settings, role: 'read', doc: 'Shows the settings in force.' },
  'settings.set': {
    params: z.strictObject({
      initialDelayMs: Settings.shape.initialDelayMs.exactOptional(),
      everyMs: Settings.shape.everyMs.exactOptional(),
      timeLimitMs: Settings.shape.timeLimitMs.exactOptional(),
      logLevel: Settings.shape.logLevel.exactOptional(),
    }),
    result: Settings,
    role: 'admin',
    doc: 'Changes what is named; it counts at once for what is not yet due and outlives a restart.',
  },
} as const satisfies Record<string, MethodSpec>;
