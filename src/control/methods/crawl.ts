import * as z from 'zod';
import { CrawlView } from '../../view/crawl.ts';
import { Serial } from '../../view/fields.ts';
import { Limit, nextOfBefore, OfProject, OfSource } from './fields.ts';
import type { MethodSpec } from './method.ts';

/** Methods on crawls. */
export const crawlMethods = {
  'crawl.list': {
    params: z
      .strictObject({
        project: OfProject,
        source: OfSource,
        target: Serial.describe('The number of a target of the project or source: only its crawls.').exactOptional(),
        before: z.string().max(100).describe(nextOfBefore).exactOptional(),
        limit: Limit,
      })
      .refine(({ project, source }) => project !== undefined || source !== undefined, {
        error: 'expected "project" or "source"',
      }),
    result: z.strictObject({ crawls: z.array(CrawlView).readonly(), next: z.string().optional() }),
    role: 'read',
    scope: { project: 'project' },
    doc: "Lists the crawls of the targets of a project, of a source or of both, each target's newest first, with what they found and what they did not follow.",
  },
} as const satisfies Record<string, MethodSpec>;
