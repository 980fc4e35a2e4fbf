import * as z from 'zod';
import { expected } from '../schema/expected.ts';
import { checkSchedule, scheduleShape } from '../schedule/levels.ts';
import { ProjectId, SourceId } from '../schema/slug.ts';
import { strict } from '../schema/strict.ts';
import { HttpUrl } from './url-pattern.ts';

/** What a project tracks on one source: an address, or what fills the source's address pattern. */
const Target = strict({
  source: SourceId,
  url: HttpUrl.exactOptional(),
  params: z.record(z.string(), z.union([z.string(), z.number()]).transform(String)).exactOptional(),
  /** When it is scraped. Default: what its project says, then its source, then the daemon. */
  ...scheduleShape,
})
  .refine(
    (target) => (target.url === undefined) !== (target.params === undefined),
    expected('either "url" or "params"'),
  )
  .superRefine(checkSchedule);

/** A project as it stands in a project file. */
export const Project = strict({
  id: ProjectId,
  /** Default: its id. */
  name: z.string().trim().min(1).max(200).exactOptional(),
  labels: z.array(z.string().trim().min(1).max(64)).max(32).default([]),
  /** Multiplies the priority of its targets. */
  multiplier: z.number().positive().max(100).default(1),
  /** When its targets are scraped that say nothing themselves. */
  ...scheduleShape,
  targets: z.array(Target).min(1).max(100),
}).superRefine(checkSchedule);
export type Project = z.infer<typeof Project>;

/** A project file: a list of up to 100,000 projects, each id once. */
export const Projects = z
  .array(Project)
  .max(100_000)
  .superRefine((projects, context) => {
    const seen = new Set<string>();
    for (const [index, { id }] of projects.entries()) {
      if (seen.has(id))
        context.addIssue({
          code: 'custom',
          path: [index, 'id'],
          message: `expected each id once, got "${id}" again`,
          input: id,
        });
      seen.add(id);
    }
  });
export type Projects = z.infer<typeof Projects>;
