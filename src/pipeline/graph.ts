import type { JobRow, RunRow } from '../store/tables/pipelines.ts';

type Jobs = readonly JobRow[];

/** The jobs that can begin: they wait, and all those before them are done. */
export function readyJobs(jobs: Jobs): Jobs {
  const done = new Set(jobs.filter(({ state }) => state === 'done').map(({ name }) => name));
  return jobs.filter(({ state, after }) => state === 'waiting' && after.every((name) => done.has(name)));
}

/** Skips the jobs that cannot begin any more, and ends the run where no job is left. */
export function settledRun(run: RunRow, at: number): RunRow {
  const jobs = skipped(run.jobs);
  const isOver = jobs.every(({ state }) => state !== 'waiting' && state !== 'running');
  if (!isOver) return { ...run, jobs };
  const states = new Set(jobs.map(({ state }) => state));
  const state = states.has('failed') ? 'failed' : states.has('cancelled') ? 'cancelled' : 'done';
  return { ...run, jobs, state, endedAt: at };
}

/** The states after which no job that waits for another one can begin. */
const dead: ReadonlySet<JobRow['state']> = new Set(['failed', 'skipped', 'cancelled']);

function skipped(jobs: Jobs): Jobs {
  for (let current = jobs; ;) {
    const lost = new Set(current.filter(({ state }) => dead.has(state)).map(({ name }) => name));
    const isLost = ({ state, after }: JobRow): boolean => state === 'waiting' && after.some((name) => lost.has(name));
    if (!current.some(isLost)) return current;
    current = current.map((job) => (isLost(job) ? { ...job, state: 'skipped' } : job));
  }
}

/** Ends all jobs of a run that are not over, as a person asked for. */
export function cancelledRun(run: RunRow, at: number): RunRow {
  const jobs = run.jobs.map((job): JobRow => {
    if (job.state === 'running') return { ...job, state: 'cancelled', endedAt: at };
    return job.state === 'waiting' ? { ...job, state: 'cancelled' } : job;
  });
  return { ...settledRun({ ...run, jobs }, at), state: 'cancelled' };
}

/** The run with some jobs to be run again, or why it cannot be. */
export type ClearedRun =
  | { readonly ok: true; readonly run: RunRow; readonly cleared: readonly string[] }
  | { readonly ok: false; readonly message: string };

/**
 * Resets jobs and all that come after them, so that the run goes on with them.
 *
 * @param name - the job. Default: all that failed or were cancelled.
 */
export function clearedRun(run: RunRow, name: string | undefined, at: number): ClearedRun {
  const chosen = run.jobs.filter((job) =>
    name === undefined ? job.state === 'failed' || job.state === 'cancelled' : job.name === name,
  );
  if (chosen.length === 0) return refused('no job of it failed or was cancelled');
  const reset = withLater(run.jobs, new Set(chosen.map((job) => job.name)));
  const stays = new Map(run.jobs.flatMap((job) => (reset.has(job.name) ? [] : [[job.name, job.state]])));
  for (const job of chosen) {
    if (job.state === 'waiting') return refused(`job "${job.name}" has not begun`);
    const lost = job.after.find((before) => dead.has(stays.get(before) ?? 'done'));
    if (lost !== undefined)
      return refused(`job "${job.name}" comes after "${lost}", which is ${stays.get(lost)}: clear that one`);
  }
  const busy = run.jobs.find((job) => reset.has(job.name) && job.state === 'running');
  if (busy !== undefined) return refused(`job "${busy.name}" is running: wait for it, or cancel the run`);
  const jobs = run.jobs.map((job) => (reset.has(job.name) ? resetJob(job) : job));
  const { endedAt: _, ...open } = run;
  return { ok: true, run: { ...open, jobs, state: 'running', beganAt: at }, cleared: [...reset] };
}

function refused(message: string): ClearedRun {
  return { ok: false, message };
}

function resetJob({ name, kind, after, tries }: JobRow): JobRow {
  return { name, kind, after, tries, state: 'waiting' };
}

/** The names of jobs with those of all that come after them. */
function withLater(jobs: Jobs, names: ReadonlySet<string>): ReadonlySet<string> {
  const all = new Set(names);
  for (let size = 0; size < all.size;) {
    size = all.size;
    for (const { name, after } of jobs) if (after.some((before) => all.has(before))) all.add(name);
  }
  return all;
}
