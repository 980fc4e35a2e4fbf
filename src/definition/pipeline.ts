import * as z from 'zod';
import type { FormatName } from '../export/formats.ts';
import type { Exported } from '../export/rows.ts';
import { cronFault } from '../schedule/pace/cron-times.ts';
import { Zone } from '../schedule/time/open-hours-schema.ts';
import { expected, got, type Issue } from '../schema/expected.ts';
import { didYouMean } from '../schema/near-name.ts';
import { FieldName, ProjectId, SourceId } from '../schema/slug.ts';
import { strict } from '../schema/strict.ts';
import { PluginName, PluginSecrets } from './plugin.ts';
import { HttpUrl } from './url-pattern.ts';

/** The kinds of jobs; the key of a job that says what it does. */
const jobKinds = ['scrape', 'call', 'export'] as const;
export type JobKind = (typeof jobKinds)[number];

/** The most jobs of a pipeline. */
const maxJobs = 100;

const Names = z.array(z.string().min(1).max(64)).min(1).max(1_000).exactOptional();

/** Which targets a job scrapes: those that match every key that is set. */
const ScrapeJob = strict({
  projects: z.array(ProjectId).min(1).max(1_000).exactOptional(),
  /** Labels of projects: one of them is enough. */
  labels: Names,
  sources: z.array(SourceId).min(1).max(1_000).exactOptional(),
}).refine((from) => Object.keys(from).length > 0, expected('projects, labels or sources'));
export type ScrapeJob = z.infer<typeof ScrapeJob>;

/** A function that a file in the folder of plug-ins exports, and its first argument. */
const CallJob = strict({
  plugin: PluginName,
  function: FieldName,
  args: z.json().default({}),
  /** What `secret` may be asked for. */
  secrets: PluginSecrets.default([]),
});
export type CallJob = z.infer<typeof CallJob>;

const formatNames = ['ndjson', 'csv', 'parquet'] as const satisfies readonly FormatName[];
const exportedNames = ['records', 'history', 'metrics', 'events'] as const satisfies readonly Exported[];

/** An export, as `heronry export` makes it: again to the same place, only what has changed. */
const ExportJob = strict({
  what: z.enum(exportedNames).default('records'),
  /** A folder, or `s3://bucket/prefix`. A relative path starts beside the folder of definitions. */
  to: z.string().min(1).max(1_000),
  /** The address of another store than AWS that speaks S3. */
  endpoint: HttpUrl.exactOptional(),
  /** The region of the bucket. */
  region: z.string().min(1).max(64).default('us-east-1'),
  /** Whether the store may have a private address. */
  allowPrivate: z.boolean().default(false),
  format: z.enum(formatNames).default('ndjson'),
  source: SourceId.exactOptional(),
  /** Only records of this type, or of this shared type; events of this type. */
  type: z.string().min(1).max(64).exactOptional(),
  project: ProjectId.exactOptional(),
}).refine(({ what, source, type }) => what !== 'metrics' || (source ?? type) === undefined, {
  error: 'expected no source and no type, as metrics are of projects',
});
export type ExportJob = z.infer<typeof ExportJob>;

const Job = strict({
  /** The jobs that must be done before this one begins. */
  after: z.array(z.string()).max(maxJobs).default([]),
  scrape: ScrapeJob.exactOptional(),
  call: CallJob.exactOptional(),
  export: ExportJob.exactOptional(),
}).superRefine((job, context) => {
  const given = jobKinds.filter((kind) => job[kind] !== undefined);
  const [, second] = given;
  if (given.length === 0)
    context.addIssue({ code: 'custom', message: `missing, expected one of ${jobKinds.join(', ')}` });
  else if (second !== undefined)
    context.addIssue({ code: 'custom', path: [second], message: `expected only "${given[0]}"` });
});
export type Job = z.infer<typeof Job>;

const JobName = z
  .string()
  .max(64)
  .regex(/^[a-z][a-z0-9_-]*$/, expected('lower-case letters, digits, "-" and "_", starting with a letter'));

const Schedule = strict({
  /** Minute, hour, day of the month, month and weekday. */
  cron: z.string().superRefine((pattern, context) => {
    const fault = cronFault(pattern);
    if (fault !== undefined)
      context.addIssue({ code: 'custom', message: `${got(pattern, 'a cron pattern like "0 6 * * 1"')}: ${fault}` });
  }),
  /** The time zone by whose clocks the pattern is read. */
  zone: Zone.default('UTC'),
});

/** Jobs that run after each other, as the file of their pipeline describes them. */
export const Pipeline = strict({
  /** The pipeline's id; its file has the same name. */
  id: SourceId,
  /** When it runs by itself. Default: only when a person asks for it. */
  schedule: Schedule.exactOptional(),
  jobs: z
    .record(JobName, Job)
    .refine((jobs) => Object.keys(jobs).length > 0, expected('at least one job'))
    .refine((jobs) => Object.keys(jobs).length <= maxJobs, { error: `expected at most ${maxJobs} jobs` }),
}).superRefine(({ jobs }, context) => {
  for (const { path, message } of orderIssues(jobs)) context.addIssue({ code: 'custom', path: [...path], message });
});
export type Pipeline = z.infer<typeof Pipeline>;

/** The kind of a job. */
export function jobKind(job: Job): JobKind {
  return job.scrape !== undefined ? 'scrape' : job.call !== undefined ? 'call' : 'export';
}

/** Yields issues for names of `after` that are no jobs, and for a cycle. */
function* orderIssues(jobs: Readonly<Record<string, Job>>): Generator<Issue> {
  let isKnown = true;
  for (const [name, { after }] of Object.entries(jobs))
    for (const [index, before] of after.entries()) {
      if (Object.hasOwn(jobs, before)) continue;
      isKnown = false;
      const hint = didYouMean(before, Object.keys(jobs));
      yield {
        path: ['jobs', name, 'after', index],
        message: `expected the name of a job of this pipeline, got "${before}"${hint}`,
      };
    }
  const cycle = isKnown ? cycleIn(jobs) : undefined;
  const [first] = cycle ?? [];
  if (cycle !== undefined && first !== undefined)
    yield { path: ['jobs', first, 'after'], message: `expected no circle, got ${[...cycle, first].join(' after ')}` };
}

/** The names of jobs that wait for each other, each for the next one. */
function cycleIn(jobs: Readonly<Record<string, Job>>): readonly string[] | undefined {
  const cleared = new Set<string>();
  for (const name of Object.keys(jobs)) {
    const cycle = cycleFrom(name, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;

  function cycleFrom(name: string, path: readonly string[]): readonly string[] | undefined {
    if (path.includes(name)) return path.slice(path.indexOf(name));
    if (cleared.has(name)) return undefined;
    for (const before of jobs[name]?.after ?? []) {
      const cycle = cycleFrom(before, [...path, name]);
      if (cycle !== undefined) return cycle;
    }
    cleared.add(name);
    return undefined;
  }
}
