import * as z from 'zod';
import { Event } from '../../event/catalogue.ts';
import { WantedType } from '../../event/wanted-type.ts';
import type { MethodSpec } from './method.ts';
import { Limit, nextOfBefore, OfProject, OfSource } from './fields.ts';
import { Serial } from '../../view/fields.ts';

const Types = z
  .array(WantedType)
  .max(32)
  .readonly()
  .describe(
    'Event types, each such as `record.changed`; a `*` at the end stands for any rest, as in `scrape.*`. Default: all.',
  )
  .exactOptional();

/** Methods on events. */
export const eventMethods = {
  'event.subscribe': {
    params: z.strictObject({
      after: z
        .int()
        .min(0)
        .describe(
          'The id of an event: notifications begin with the event after it, and with the oldest kept for 0. Default: the newest event.',
        )
        .exactOptional(),
      project: OfProject,
      source: OfSource,
      scrape: Serial.describe('The number of a scrape: only events of it.').exactOptional(),
      types: Types,
    }),
    result: z.strictObject({
      /** The id of the event after which notifications begin. */
      after: z.int().min(0),
    }),
    notifies: 'events',
    role: 'read',
    scope: 'filtered',
    doc: 'Notifies of the events that match all parameters, in order, until the connection ends or the next event is no longer kept.',
  },
  'event.recent': {
    params: z.strictObject({
      project: OfProject,
      label: z.string().max(64).describe('Only events of projects that have this label now.').exactOptional(),
      types: Types,
      before: Serial.describe(nextOfBefore).exactOptional(),
      limit: Limit,
    }),
    result: z.strictObject({ events: z.array(Event).readonly(), next: Serial.optional() }),
    role: 'read',
    scope: 'filtered',
    doc: 'Lists the events that match all parameters, as long as they are kept, the newest first. One call looks at 10,000 events at most, so that a slice may be short.',
  },
} as const satisfies Record<string, MethodSpec>;
