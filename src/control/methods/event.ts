import * as z from 'zod';
import { ProjectId, SourceId } from '../../definition/slug.ts';
import type { MethodSpec } from '../method.ts';
import { Instant, Serial } from '../fields.ts';

/** What the world is told; its id is the place to resume from. */
export const EventView = z.strictObject({
  id: Serial,
  at: Instant,
  type: z.string(),
  project: z.string().optional(),
  source: z.string().optional(),
  target: Serial.optional(),
  scrape: Serial.optional(),
  data: z.record(z.string(), z.unknown()).readonly(),
});
export type EventView = z.infer<typeof EventView>;

/** Methods on what happens. */
export const eventMethods = {
  'event.subscribe': {
    params: z.strictObject({
      /** Begins with the event after this one, 0 for the oldest kept; without it, with the next to happen. */
      after: z.int().min(0).exactOptional(),
      project: ProjectId.exactOptional(),
      source: SourceId.exactOptional(),
      scrape: Serial.exactOptional(),
      /** Only these types, `*` at the end standing for any rest: `scrape.*`. */
      types: z.array(z.string()).max(32).readonly().exactOptional(),
    }),
    result: z.strictObject({
      /** The event after which notifications begin. */
      after: z.int().min(0),
    }),
    notification: EventView,
    role: 'read',
    doc: 'Tells events as they happen, as notifications `event`, until the connection ends or the subscriber lags.',
  },
} as const satisfies Record<string, MethodSpec>;
