import * as z from 'zod';
import { faultCheck } from '../schema/checked-text.ts';
import { expected, got } from '../schema/expected.ts';
import { Metrics, Rules } from '../metric/metric.ts';
import { Pattern } from './crawl.ts';
import { checkSchedule, scheduleShape } from '../schedule/levels.ts';
import { SinkLinks } from '../schema/sink-link.ts';
import { ProjectId, SourceId } from '../schema/slug.ts';
import { strict } from '../schema/strict.ts';
import { fillText, HttpUrl, isHttpUrl, parametersIn } from './url-pattern.ts';

/** The largest number of targets of one project: it reads all of them whenever one of them is done. */
export const maxTargets = 1_000;

/** What a project tracks on one source: an address, or what fills the source's address pattern, or neither where nothing is to be filled. */
export const Target = strict({
  source: SourceId,
  url: HttpUrl.exactOptional(),
  params: z.record(z.string(), z.union([z.string(), z.number()]).transform(String)).exactOptional(),
  /** The sinks that are told of it, besides those of its project. */
  sinks: SinkLinks.exactOptional(),
  /** When it is scraped. Default: what its project says, then its source, then the daemon. */
  ...scheduleShape,
})
  .refine(
    (target) => target.url === undefined || target.params === undefined,
    expected('at most one of "url" and "params"'),
  )
  .superRefine(checkSchedule);

export type Target = z.infer<typeof Target>;

/** Targets that a sitemap lists, or a CSV table with a column `url` or one for each parameter of the source. */
const TargetFile = strict({
  /** The path of a CSV file, from the folder of the project file, or the address of a sitemap. */
  from: z.string().min(1).max(4_096).superRefine(faultCheck(placeFault)),
  /** The source of all of them. Default: what the column `source` of a table says. */
  source: SourceId.exactOptional(),
  /** Of a sitemap: only addresses in which this is found are targets. */
  match: Pattern.exactOptional(),
}).superRefine(({ from, source, match }, context) => {
  const fault = (part: string, message: string) => context.addIssue({ code: 'custom', path: [part], message });
  if (isHttpUrl(from) && source === undefined)
    fault('source', 'missing, expected the source of what the sitemap lists');
  if (!isHttpUrl(from) && match !== undefined)
    fault('match', 'expected "match" only where "from" is the address of a sitemap');
});
export type TargetFile = z.infer<typeof TargetFile>;

function placeFault(from: string): string | undefined {
  const isPlace = isHttpUrl(from) || !/^[a-z][a-z\d+.-]*:\/\//i.test(from);
  return isPlace ? undefined : got(from, 'the path of a CSV file, or the http or https address of a sitemap');
}

/** The targets that a sitemap lists. */
export interface SitemapTargets extends TargetFile {
  readonly source: string;
}

/** Whether targets are those that a sitemap lists. */
export function isSitemap(given: TargetFile): given is SitemapTargets {
  return given.source !== undefined && isHttpUrl(given.from);
}

/** The id of a project, or of one project for each row of a table, with `{column}` for what the row has there. */
const WrittenId = z.string().superRefine((text, context) => {
  const { success, error } = ProjectId.safeParse(
    fillText(text, Object.fromEntries(parametersIn(text).map((column) => [column, 'x']))),
  );
  if (!success)
    context.addIssue({ code: 'custom', message: error.issues[0]?.message ?? 'expected an id', input: text });
});

/** A project as it stands in a project file. */
const WrittenProject = strict({
  id: WrittenId,
  /** Default: its id. */
  name: z.string().trim().min(1).max(200).exactOptional(),
  labels: z.array(z.string().trim().min(1).max(64)).max(32).default([]),
  /** Multiplies the priority of its targets. */
  multiplier: z.number().positive().max(100).default(1),
  /** The sinks that are told of the project and of all its targets. */
  sinks: SinkLinks.exactOptional(),
  /** Figures that are computed from the records of its targets. */
  metrics: Metrics.exactOptional(),
  /** Conditions that the records of its targets begin and cease to meet. */
  rules: Rules.exactOptional(),
  /** When its targets are scraped that say nothing themselves. */
  ...scheduleShape,
  targets: z.union([z.array(Target).min(1).max(maxTargets), TargetFile]),
})
  .superRefine(checkSchedule)
  .superRefine(({ id, targets }, context) => {
    const [column] = parametersIn(id);
    if (column !== undefined && Array.isArray(targets))
      context.addIssue({
        code: 'custom',
        path: ['id'],
        message: `expected "{${column}}" only where targets are { from: … }, as it stands for a column there`,
        input: id,
      });
  });

/** A project of a project file, with all its targets. */
export interface Project extends Omit<z.infer<typeof WrittenProject>, 'targets'> {
  readonly targets: readonly Target[];
  /** The place in the file of the entry that it comes from, from 0. */
  readonly entry: number;
  /** Where its targets stand, if that is a file of their own: the line of each. */
  readonly listed?: { readonly file: string; readonly lines: readonly number[] };
  /** Set if the sitemap that lists its targets was not read: its address. The project then has the sitemap as its only target. */
  readonly unread?: string;
}

/** The largest number of projects of a file, with those of its tables. */
export const maxProjects = 100_000;

/** A project file: a list of projects, each id once. */
export const WrittenProjects = z
  .array(WrittenProject)
  .max(maxProjects)
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
