import type { LoadedSource } from '../definition/catalogue.ts';
import { writeInSlices } from '../store/slices.ts';
import type { Store } from '../store/store.ts';
import type { ReextractionRow } from '../store/tables/reextractions.ts';
import type { ReextractionView } from '../view/reextraction.ts';

/** The states in which a job is under way; of all jobs, one is at a time. */
const underWay: ReadonlySet<ReextractionView['state']> = new Set(['reading', 'comparing', 'applying']);

/** Jobs whose rows are kept. */
const keptJobs = 100;

/** Rows that one transaction removes. */
const removedAtOnce = 500;

/** The job that is under way, if one is. */
export function jobUnderWay({ reextractions: { jobs } }: Pick<Store, 'reextractions'>): ReextractionRow | undefined {
  for (const row of jobs.rows({ newestFirst: true, limit: keptJobs })) if (underWay.has(row.state)) return row;
  return undefined;
}

/** What a new job is to read. */
export interface ReextractionWish {
  readonly type?: string;
  readonly since?: number;
  readonly ticket?: number;
}

/** Begins a job; the result is the one that is under way where there is one already. A job of the source that is ready is cancelled. On disk when it resolves. */
export function beginJob(
  store: Store,
  { source: { id: source }, version }: LoadedSource,
  wish: ReextractionWish,
): Promise<{ readonly ok: boolean; readonly job: ReextractionRow }> {
  const { reextractions, write } = store;
  return write(
    ({ at }) => {
      const other = jobUnderWay(store);
      if (other !== undefined) return { ok: false, job: other };
      for (const row of reextractions.jobs.rows())
        if (row.source === source && row.state === 'ready')
          reextractions.jobs.put(row.job, { ...row, state: 'cancelled', endedAt: at });
      const job = reextractions.jobs.add((number) => ({
        job: number,
        source,
        version,
        ...wish,
        ...{ state: 'reading', createdAt: at, pages: 0, unreadable: 0, damaged: 0 },
        ...{ records: 0, changes: 0, present: 0, fields: {} },
      }));
      return { ok: true, job };
    },
    { durable: true },
  );
}

/** Moves a job from one of some states to another; resolves with the job as it is then, and whether it was moved. */
export function moveJob(
  { reextractions: { jobs }, write }: Store,
  number: number,
  from: readonly ReextractionView['state'][],
  to: Pick<ReextractionRow, 'state' | 'failure'>,
): Promise<{ readonly moved: boolean; readonly job: ReextractionRow | undefined }> {
  return write(
    ({ at }) => {
      const job = jobs.get(number);
      if (job === undefined || !from.includes(job.state)) return { moved: false, job };
      const moved = { ...job, ...to, ...(underWay.has(to.state) ? {} : { endedAt: at }) };
      jobs.put(number, moved);
      return { moved: true, job: moved };
    },
    { durable: true, evenWhenFull: true },
  );
}

/** Removes the results of ended jobs, and the rows of the oldest jobs. Works also when the store is full. */
export async function clearJobs(store: Store): Promise<void> {
  const { reextractions } = store;
  for (const { job, state } of [...reextractions.jobs.rows()]) {
    if (underWay.has(state) || state === 'ready') continue;
    if (reextractions.nextRead(job, 0) === undefined && reextractions.correctionsOf(job, 1).length === 0) continue;
    await writeInSlices(store, removedAtOnce, () => reextractions.clear(job, removedAtOnce));
  }
  if (reextractions.jobs.exceeds(keptJobs)) await store.write(() => void reextractions.jobs.trim(keptJobs, keptJobs));
}
