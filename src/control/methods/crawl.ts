import * as z from 'zod';
import { ProjectId, SourceId } from '../../schema/slug.ts';
import { CrawlView } from '../../view/crawl.ts';
import { Serial } from '../../view/fields.ts';
import { Limit } from './fields.ts';
import type { MethodSpec } from './method.ts';

/** Methods on crawls. */
export const crawlMethods = {
  'crawl.list': {
    params: z
      .strictObject({
        project: ProjectId.exactOptional(),
        source: SourceId.exactOptional(),
        /** One target of the project or source. */
        target: Serial.exactOptional(),
        /** The `next` of the slice before. */
        before: z.string().max(100).exactOptional(),
        limit: Limit,
      })
      .refine(({ project, source }) => project !== undefined || source !== undefined, {
        error: 'expected "project" or "source"',
      }),
    result: z.strictObject({ crawls: z.array(CrawlView).readonly(), next: z.string().optional() }),
    role: 'read',
    doc: "Lists the crawls of the targets of a project, of a source or of both, each target's newest first, with what they found and what they did not follow.",
  },
} as const satisfies Record<string, MethodSpec>;
