import { defined } from '../defined.ts';
import type { CallJob, ExportJob } from '../definition/pipeline.ts';
import { type Destination, DestinationError } from '../export/destination.ts';
import { isFileFault } from '../export/folder.ts';
import { partLimits } from '../export/parts.ts';
import { type ExportSource, openRows } from '../export/rows.ts';
import { runExport } from '../export/run.ts';
import type { JobEnd, RunningJob } from './runs.ts';
import { runScrapeJob, type ScrapeJobDeps } from './scrape-job.ts';

/** What jobs of pipelines need. */
export interface JobDeps extends ScrapeJobDeps {
  readonly exports: ExportSource;
  /** Opens the folder or the bucket that a job writes to. Rejects with a `DestinationError` where it cannot be used. */
  openDestination(job: ExportJob): Promise<Destination>;
  /** Calls a function of a file in the folder of plug-ins. Resolves with what it returns, or why it failed. */
  call(job: CallJob, of: RunningJob, signal: AbortSignal): Promise<JobEnd>;
  /** Called with what a person should know of a job, as a sentence. */
  told(of: RunningJob, message: string): void;
}

/** Runs a job to its end. Rejects with the signal's reason when that fires, with `StoreFullError`, and for errors of ours. */
export async function runJob(deps: JobDeps, of: RunningJob, signal: AbortSignal): Promise<JobEnd> {
  const { job } = of;
  if (job?.scrape !== undefined) return runScrapeJob(deps, of, job.scrape, signal);
  if (job?.call !== undefined) return deps.call(job.call, of, signal);
  if (job?.export !== undefined) return runExportJob(deps, of, job.export, signal);
  return { failure: `the file of the pipeline has no such job "${of.name}" any more` };
}

async function runExportJob(
  { exports, openDestination, told }: JobDeps,
  of: RunningJob,
  job: ExportJob,
  signal: AbortSignal,
): Promise<JobEnd> {
  const { what, format, source, type, project } = job;
  const wanted = defined({ source, type, project });
  try {
    const read = await openRows(exports, what, wanted);
    const destination = await openDestination(job);
    try {
      const { rows, files, cursor } = await runExport(destination, {
        ...{ what, format, wanted, limits: partLimits },
        read(place) {
          signal.throwIfAborted();
          return read(place);
        },
        onProgress: () => undefined,
        onTold: (message) => told(of, message),
      });
      return { result: { to: destination.name, rows, files: files.length, cursor } };
    } finally {
      await destination.close();
    }
  } catch (error) {
    if (error instanceof DestinationError || isFileFault(error)) return { failure: error.message };
    throw error;
  }
}
