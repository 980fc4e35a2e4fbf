import * as z from 'zod';
import { ProjectId } from '../../schema/slug.ts';
import { CrawlView } from '../../view/crawl.ts';
import { Serial } from '../../view/fields.ts';
import { Limit } from './fields.ts';
import type { MethodSpec } from './method.ts';

/** Methods on crawls. */
export const crawlMethods = {
  'crawl.list': {
    params: z.strictObject({
      project: ProjectId,
      target: Serial.exactOptional(),
      /** The `next` of the slice before. */
      before: z.string().max(100).exactOptional(),
      limit: Limit,
    }),
    result: z.strictObject({ crawls: z.array(CrawlView).readonly(), next: z.string().optional() }),
    role: 'read',
    doc: "Lists the crawls of a project's targets, each target's newest first, with what they found and what they did not follow.",
  },
} as const satisfies Record<string, MethodSpec>;
