import * as z from 'zod';
import { ScrapeStatus, ScrapeView, StepView } from '../../view/scrape.ts';
import type { MethodSpec } from './method.ts';
import { Limit, nextOfBefore, OfProject, OfSource } from './fields.ts';
import { Serial } from '../../view/fields.ts';

/** A scrape with what is known of its target now. */
export const ScrapeOfProjects = ScrapeView.extend({
  /** The active projects that watch its target; where none does, those that did last. */
  projects: z.array(z.string()).readonly(),
  /** The scrapes a day that its target deserves by what the last ones found; missing once the target is removed. */
  priority: z.number().optional(),
});
export type ScrapeOfProjects = z.infer<typeof ScrapeOfProjects>;

const OneScrape = Serial.describe('The number of the scrape.');

/** Methods on scrapes. */
export const scrapeMethods = {
  'scrape.list': {
    params: z.strictObject({
      project: OfProject,
      source: OfSource,
      status: ScrapeStatus.describe(
        'Only scrapes of this status. `aborted`: a guard of the definition ended it; what it found stays.',
      ).exactOptional(),
      before: Serial.describe(nextOfBefore).exactOptional(),
      limit: Limit,
    }),
    result: z.strictObject({ scrapes: z.array(ScrapeOfProjects).readonly(), next: Serial.optional() }),
    role: 'read',
    scope: { project: 'project' },
    doc: 'Lists scrapes, the newest first.',
  },
  'scrape.get': {
    params: z.strictObject({
      scrape: OneScrape,
      afterStep: z.int().min(0).default(0).describe('The number of a step: only the steps after it.'),
      limit: Limit,
    }),
    result: z.strictObject({ scrape: ScrapeOfProjects, steps: z.array(StepView).readonly() }),
    role: 'read',
    scope: 'filtered',
    doc: 'Shows one scrape and its steps.',
  },
  'scrape.cancel': {
    params: z.strictObject({ scrape: OneScrape }),
    result: ScrapeOfProjects,
    role: 'operate',
    scope: 'daemon',
    doc: 'Ends a waiting or running scrape; nothing of it is written after that. One that has ended is left as it is.',
  },
} as const satisfies Record<string, MethodSpec>;
