import * as z from 'zod';
import { WantedType } from '../../event/wanted-type.ts';
import { ProjectId, SourceId } from '../../schema/slug.ts';
import type { MethodSpec } from './method.ts';
import { Serial } from '../../view/fields.ts';

/** Methods on events. */
export const eventMethods = {
  'event.subscribe': {
    params: z.strictObject({
      /** The id of an event: notifications begin with the event after it, with the oldest kept for 0. Default: the newest event. */
      after: z.int().min(0).exactOptional(),
      project: ProjectId.exactOptional(),
      source: SourceId.exactOptional(),
      scrape: Serial.exactOptional(),
      /** Event types; a `*` at the end stands for any rest, as in `scrape.*`. Default: all. */
      types: z.array(WantedType).max(32).readonly().exactOptional(),
    }),
    result: z.strictObject({
      /** The id of the event after which notifications begin. */
      after: z.int().min(0),
    }),
    notifies: 'events',
    role: 'read',
    doc: 'Notifies of the events that match all parameters, in order, until the connection ends or the next event is no longer kept.',
  },
} as const satisfies Record<string, MethodSpec>;
