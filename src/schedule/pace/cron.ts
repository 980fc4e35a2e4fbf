import * as z from 'zod';
import { defined } from '../../defined.ts';
import { got } from '../../schema/expected.ts';
import { Zone } from '../time/open-hours-schema.ts';
import { cronFault, type CronTimes, instantsOf, nextCron, turnsADay } from './cron-times.ts';
import { type Pace, setBackMs } from './pace.ts';

export interface Given extends CronTimes {
  readonly kind: 'cron';
}

/** A text such as `0 6 * * 1`: minute, hour, day of the month, month and weekday. */
const Pattern = z.string().superRefine((pattern, context) => {
  const fault = cronFault(pattern);
  if (fault === undefined) return;
  const message = `${got(pattern, 'a cron pattern like "0 6 * * 1"')}: ${fault}`;
  context.addIssue({ code: 'custom', message, input: pattern });
});

const shape = {
  cron: Pattern.describe(
    'Scrapes at times of the calendar: minute, hour, day of the month, month and weekday, such as `0 6 * * 1`.',
  ).exactOptional(),
  zone: Zone.describe('The time zone by whose clocks the cron pattern is read. Default: UTC.').exactOptional(),
};

const View = z.strictObject({ kind: z.literal('cron'), pattern: z.string(), zone: z.string() });

/** Scrapes at the instants that a cron pattern names. */
export const cron = {
  key: 'cron',
  durations: [],
  fileShape: shape,
  inputShape: shape,
  fromInput: ({ cron: pattern, zone }: { readonly cron?: string; readonly zone?: string }) =>
    defined({ cron: pattern, zone }),
  given: ({ cron: pattern, zone = 'UTC' }: { readonly cron?: string; readonly zone?: string }): Given | undefined =>
    pattern === undefined ? undefined : { kind: 'cron', pattern, zone },
  *issues(level) {
    if (level['zone'] !== undefined && level['cron'] === undefined)
      yield { path: ['zone'], message: 'expected "cron" beside it; other keys have zones of their own' };
  },

  turnsADay: (given) => turnsADay(given),

  begin: ({ pattern, zone }): Given => ({ kind: 'cron', pattern, zone }),
  isSame: (row, { pattern, zone }) => row.pattern === pattern && row.zone === zone,
  next(row, { since, at }) {
    const next = nextCron(row, since > at + setBackMs ? at : since);
    return next === undefined ? undefined : { at: next, effect: 'asks' };
  },
  setBackMs,
  instants: (row, span) => instantsOf(row, span),

  view: View,
  show: ({ pattern, zone }) => ({ kind: 'cron', pattern, zone }),
  sentence: ({ pattern, zone }) => `cron "${pattern}", by the clocks of ${zone}`,
  reason: ({ pattern, zone }) => `cron "${pattern}" in ${zone}`,
} satisfies Pace<Given, Given, z.infer<typeof View>>;
