import * as z from 'zod';
import { SourceId } from './slug.ts';
import { strict } from './strict.ts';

/** A JSON value. */
type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** A link of a project or target and a sink, which is told what becomes of them. */
export interface SinkLink {
  readonly sink: string;
  /** Told to the sink as it is: whether the place is one of the project's own. */
  readonly official?: boolean;
  /** Told to the sink as it is. */
  readonly metadata?: Json;
}

const metadata: z.ZodType<Json> = z.json();

const LongLink: z.ZodType<SinkLink> = strict({
  sink: SourceId,
  official: z.boolean().exactOptional(),
  metadata: metadata.exactOptional(),
});

/** The sinks of a project or target: by name, or with what they are told besides. */
export const SinkLinks = z
  .array(z.union([SourceId.transform((sink): SinkLink => ({ sink })), LongLink]))
  .max(100)
  .readonly();

/** The sinks of a project or target, as a control method gives them. */
export const SinkLinksInput = z
  .array(
    z.strictObject({
      sink: SourceId.describe('The id of the sink.'),
      official: z
        .boolean()
        .describe("Told to the sink as it is: whether the place is one of the project's own.")
        .exactOptional(),
      metadata: metadata.describe('Any JSON value, told to the sink as it is.').exactOptional(),
    }),
  )
  .max(100)
  .readonly();
