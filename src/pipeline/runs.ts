import { defined } from '../defined.ts';
import { type Job, jobKind, type Pipeline } from '../definition/pipeline.ts';
import { nextCron } from '../schedule/pace/cron-times.ts';
import type { Change, Store } from '../store/store.ts';
import { type JobRow, type PipelineRow, type RunRow, runsOf, scrapesOf } from '../store/tables/pipelines.ts';
import type { JobView, RunView } from '../view/pipeline.ts';
import { cancelledRun, clearedRun, readyJobs, settledRun } from './graph.ts';

/** Runs that are kept of each pipeline. */
const keptRuns = 1_000;

/** A job that is to be running. */
export interface RunningJob {
  readonly pipeline: string;
  readonly run: number;
  readonly name: string;
  /** Which try of the job it is. */
  readonly tries: number;
  /** What it does by the file of the pipeline as it is now; missing where the file has no such job any more. */
  readonly job: Job | undefined;
  /** What came of the jobs of its run that are done, by their names. */
  readonly results: Readonly<Record<string, JobView['result']>>;
}

/** How a job ended. */
export type JobEnd = { readonly result: JobView['result'] } | { readonly failure: string };

/** What pipelines have to do. */
export interface Work {
  readonly jobs: readonly RunningJob[];
  /** When a schedule next has a run begin; missing where none does. */
  readonly nextAt: number | undefined;
}

const newRow: PipelineRow = { last: 0 };

/** Begins the runs that are due and the jobs that can begin. Returns the jobs that are to be running then, of all pipelines that are loaded. */
export function advance(store: Store, change: Change, pipelines: Iterable<Pipeline>): Work {
  const jobs: RunningJob[] = [];
  let nextAt: number | undefined;
  for (const pipeline of pipelines) {
    let row = scheduledRow(store, pipeline, change.at);
    const isDue = row.paused === undefined && row.nextAt !== undefined && row.nextAt <= change.at;
    if (isDue && row.active === undefined) {
      beginRun(store, change, pipeline, 'schedule');
      row = scheduledRow(store, pipeline, change.at);
    }
    if (row.active !== undefined)
      jobs.push(...advanceRun(store, change, pipeline, row.active, row.paused === undefined));
    // A run that is due while another is under way begins when that ends.
    else if (row.paused === undefined && row.nextAt !== undefined) nextAt = Math.min(nextAt ?? Infinity, row.nextAt);
  }
  return { jobs, nextAt };
}

/** The row of a pipeline, by the schedule that its file has now. */
function scheduledRow({ pipelines: { states } }: Store, { id, schedule }: Pipeline, at: number): PipelineRow {
  const known = states.get(id) ?? newRow;
  const text = schedule && `${schedule.zone} ${schedule.cron}`;
  if (known.schedule === text) return known;
  const { schedule: _before, nextAt: _at, ...rest } = known;
  const row = { ...rest, ...defined({ schedule: text, nextAt: nextOf(schedule, at) }) };
  states.put(id, row);
  return row;
}

function nextOf(schedule: Pipeline['schedule'], at: number): number | undefined {
  return schedule && nextCron({ pattern: schedule.cron, zone: schedule.zone }, at);
}

/** Begins a run of a pipeline that has none under way. Returns its number. */
export function beginRun(store: Store, change: Change, pipeline: Pipeline, reason: RunRow['reason']): number {
  const { states, runs } = store.pipelines;
  const { id, schedule } = pipeline;
  const { nextAt: before, ...known } = scheduledRow(store, pipeline, change.at);
  const run = known.last + 1;
  const nextAt = reason === 'schedule' ? nextOf(schedule, change.at) : before;
  states.put(id, { ...known, last: run, active: run, ...defined({ nextAt }) });
  const jobs = Object.entries(pipeline.jobs).map(([name, job]): JobRow => {
    return { name, kind: jobKind(job), after: job.after, state: 'waiting', tries: 0 };
  });
  runs.put([id, run], { pipeline: id, run, state: 'running', reason, beganAt: change.at, jobs });
  runs.removeRange({ ...runsOf(id, run - keptRuns + 1) });
  return run;
}

/** Begins the jobs of a run that can begin. Returns all that are running then. */
function advanceRun(
  store: Store,
  change: Change,
  { id, jobs: written }: Pipeline,
  number: number,
  mayBegin: boolean,
): RunningJob[] {
  const { runs } = store.pipelines;
  let run = runs.get([id, number]);
  if (run === undefined) return [];
  const ready = new Set(mayBegin ? readyJobs(run.jobs) : []);
  if (ready.size > 0) {
    const jobs = run.jobs.map((job): JobRow =>
      ready.has(job) ? { ...job, state: 'running', tries: job.tries + 1, beganAt: change.at } : job,
    );
    run = { ...run, jobs };
    runs.put([id, number], run);
  }
  const results = Object.fromEntries(
    run.jobs.flatMap(({ name, state, result }) => (state === 'done' ? [[name, result]] : [])),
  );
  return run.jobs.flatMap(({ name, kind, state, tries }) => {
    if (state !== 'running') return [];
    const job = Object.hasOwn(written, name) ? written[name] : undefined;
    const isSame = job !== undefined && jobKind(job) === kind;
    return [{ pipeline: id, run: number, name, tries, job: isSame ? job : undefined, results }];
  });
}

/** Stores how a job ended; nothing where the job is no longer running. */
export function endJob(
  store: Store,
  change: Change,
  { pipeline, run: number, name, tries }: RunningJob,
  end: JobEnd,
): void {
  const run = store.pipelines.runs.get([pipeline, number]);
  if (run === undefined || !isRunning(run, name, tries)) return;
  const { at } = change;
  const ended: JobRow['state'] = 'failure' in end ? 'failed' : 'done';
  const jobs = run.jobs.map((job) =>
    job.name === name ? { ...job, ...defined({ ...end }), state: ended, endedAt: at } : job,
  );
  forgetScrapes(store, run, [name]);
  putRun(store, change, settledRun({ ...run, jobs }, at));
}

/** Whether a try of a job of a run is running. */
export function isRunning({ jobs }: RunRow, name: string, tries: number): boolean {
  return jobs.some((job) => job.name === name && job.tries === tries && job.state === 'running');
}

/** Stores a run, and what its end means. */
function putRun(store: Store, { at, tell }: Change, run: RunRow): void {
  const { states, runs } = store.pipelines;
  const { pipeline, run: number, state } = run;
  runs.put([pipeline, number], run);
  if (state === 'running') return;
  const { active: _, ...row } = states.get(pipeline) ?? newRow;
  states.put(pipeline, row);
  const failed = run.jobs.filter((job) => job.state === 'failed').map(({ name }) => name);
  const { durationMs } = runView(run, at);
  tell({ type: 'pipeline.ended', data: { pipeline, run: number, state, durationMs, failed } });
}

/** The view of a run. */
export function runView({ jobs, ...run }: RunRow, now: number): RunView {
  return {
    ...run,
    durationMs: Math.max(0, Math.round((run.endedAt ?? now) - run.beganAt)),
    jobs: jobs.map(({ scraped, result, ...job }) => ({
      ...job,
      ...defined({ result: result ?? (scraped && { ...scraped }) }),
    })),
  };
}

function forgetScrapes({ pipelines }: Store, { pipeline, run }: RunRow, jobs: Iterable<string>): void {
  for (const job of jobs) pipelines.scrapes.removeRange(scrapesOf(pipeline, run, job));
}

/** A change that a person asked for, or why it cannot be. */
export type Asked<T = { readonly run: RunRow }> =
  | ({ readonly ok: true } & T)
  | { readonly ok: false; readonly message: string };

/** Ends a run under way. On disk when it resolves. */
export function cancelRun(store: Store, pipeline: string, number: number): Promise<Asked | undefined> {
  return store.write(
    (change) => {
      const run = store.pipelines.runs.get([pipeline, number]);
      if (run === undefined) return undefined;
      if (run.state !== 'running') return { ok: false, message: `is ${run.state}` };
      const cancelled = cancelledRun(run, change.at);
      forgetScrapes(
        store,
        run,
        run.jobs.map(({ name }) => name),
      );
      putRun(store, change, cancelled);
      return { ok: true, run: cancelled };
    },
    { durable: true, evenWhenFull: true },
  );
}

/** Has jobs of a run run again, and all that come after them. On disk when it resolves. */
export function clearRun(
  store: Store,
  pipeline: string,
  number: number,
  job: string | undefined,
): Promise<Asked<{ readonly run: RunRow; readonly cleared: readonly string[] }> | undefined> {
  return store.write(
    ({ at }) => {
      const { states, runs } = store.pipelines;
      const run = runs.get([pipeline, number]);
      if (run === undefined) return undefined;
      const row = states.get(pipeline) ?? newRow;
      if (row.active !== undefined && row.active !== number)
        return { ok: false, message: `has to wait, as run ${row.active} is under way` };
      const cleared = clearedRun(run, job, at);
      if (!cleared.ok) return cleared;
      forgetScrapes(store, run, cleared.cleared);
      states.put(pipeline, { ...row, active: number });
      runs.put([pipeline, number], cleared.run);
      return cleared;
    },
    { durable: true },
  );
}

/** Pauses a pipeline, or ends its pause: what was due meanwhile is left out. Returns whether that changed anything. On disk when it resolves. */
export function setPaused(
  store: Store,
  pipeline: Pipeline,
  paused: { readonly reason?: string } | undefined,
): Promise<boolean> {
  return store.write(
    ({ at }) => {
      const { states } = store.pipelines;
      const { paused: before, ...row } = scheduledRow(store, pipeline, at);
      if (paused !== undefined) states.put(pipeline.id, { ...row, paused: { at, ...paused } });
      else if (before !== undefined) {
        const { nextAt: _, ...rest } = row;
        states.put(pipeline.id, { ...rest, ...defined({ nextAt: nextOf(pipeline.schedule, at) }) });
      }
      return (paused === undefined) === (before !== undefined);
    },
    { durable: true },
  );
}

/** Removes what is stored of all pipelines that are not `known`. */
export async function forgetPipelines({ pipelines, write }: Store, known: ReadonlySet<string>): Promise<void> {
  const gone = [...pipelines.states.keys()].filter((id) => !known.has(id));
  if (gone.length === 0) return;
  await write(
    () => {
      for (const id of gone) {
        pipelines.states.remove(id);
        pipelines.runs.removeRange(runsOf(id));
        pipelines.scrapes.removeRange({ from: [id, 0, '', 0], before: [id, Number.MAX_SAFE_INTEGER, '', 0] });
      }
    },
    { evenWhenFull: true },
  );
}
