import * as z from 'zod';
import { ScrapeStatus, ScrapeView, StepView } from '../../view/scrape.ts';
import { ProjectId, SourceId } from '../../schema/slug.ts';
import type { MethodSpec } from './method.ts';
import { Limit } from './fields.ts';
import { Serial } from '../../view/fields.ts';

/** A scrape with the active projects that watch its target now; where none does, those that did last. */
export const ScrapeOfProjects = ScrapeView.extend({ projects: z.array(z.string()).readonly() });
export type ScrapeOfProjects = z.infer<typeof ScrapeOfProjects>;

/** Methods on scrapes. */
export const scrapeMethods = {
  'scrape.list': {
    params: z.strictObject({
      project: ProjectId.exactOptional(),
      source: SourceId.exactOptional(),
      status: ScrapeStatus.exactOptional(),
      /** The `next` of the slice before. */
      before: Serial.exactOptional(),
      limit: Limit,
    }),
    result: z.strictObject({ scrapes: z.array(ScrapeOfProjects).readonly(), next: Serial.optional() }),
    role: 'read',
    doc: 'Lists scrapes, the newest first.',
  },
  'scrape.get': {
    params: z.strictObject({
      scrape: Serial,
      /** Leaves out the steps up to this one. */
      afterStep: z.int().min(0).default(0),
      limit: Limit,
    }),
    result: z.strictObject({ scrape: ScrapeOfProjects, steps: z.array(StepView).readonly() }),
    role: 'read',
    doc: 'Shows one scrape and its steps.',
  },
  'scrape.cancel': {
    params: z.strictObject({ scrape: Serial }),
    result: ScrapeOfProjects,
    role: 'operate',
    doc: 'Ends a waiting or running scrape; nothing of it is written after that. One that has ended is left as it is.',
  },
} as const satisfies Record<string, MethodSpec>;
