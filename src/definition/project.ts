import * as z from 'zod';
import { expected } from '../schema/expected.ts';
import { checkSchedule, scheduleShape } from '../schedule/levels.ts';
import { ProjectId, SourceId } from '../schema/slug.ts';
import { strict } from '../schema/strict.ts';
import { HttpUrl } from './url-pattern.ts';

/** The largest number of targets of one project: it reads all of them whenever one of them is done. */
export const maxTargets = 1_000;

/** What a project tracks on one source: an address, or what fills the source's address pattern. */
export const Target = strict({
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

export type Target = z.infer<typeof Target>;

/** Targets that stand in a file of their own: a CSV table with a column `url`, or one for each parameter of the source. */
const TargetFile = strict({
  /** The path of the file, from the folder of the project file. */
  from: z
    .string()
    .min(1)
    .max(4_096)
    .refine((path) => !/^[a-z][a-z\d+.-]*:\/\//i.test(path), expected('the path of a CSV file')),
  /** The source of all of them. Default: what their column `source` says. */
  source: SourceId.exactOptional(),
});
export type TargetFile = z.infer<typeof TargetFile>;

/** A project as it stands in a project file. */
const WrittenProject = strict({
  id: ProjectId,
  /** Default: its id. */
  name: z.string().trim().min(1).max(200).exactOptional(),
  labels: z.array(z.string().trim().min(1).max(64)).max(32).default([]),
  /** Multiplies the priority of its targets. */
  multiplier: z.number().positive().max(100).default(1),
  /** When its targets are scraped that say nothing themselves. */
  ...scheduleShape,
  targets: z.union([z.array(Target).min(1).max(maxTargets), TargetFile]),
}).superRefine(checkSchedule);

/** A project of a project file, with all its targets. */
export interface Project extends Omit<z.infer<typeof WrittenProject>, 'targets'> {
  readonly targets: readonly Target[];
  /** Where its targets stand, if that is a file of their own: the line of each. */
  readonly listed?: { readonly file: string; readonly lines: readonly number[] };
}

/** A project file: a list of up to 100,000 projects, each id once. */
export const WrittenProjects = z
  .array(WrittenProject)
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
export type WrittenProjects = z.infer<typeof WrittenProjects>;

/** The projects of a file. */
export type Projects = readonly Project[];
