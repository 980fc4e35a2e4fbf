import { defined } from '../../defined.ts';
import { jobKind, type Pipeline } from '../../definition/pipeline.ts';
import { beginRun, cancelRun, clearRun, runView, setPaused } from '../../pipeline/runs.ts';
import { didYouMean } from '../../schema/near-name.ts';
import { runsOf } from '../../store/tables/pipelines.ts';
import { ControlError } from '../error.ts';
import type { Handlers } from '../methods.ts';
import type { PipelineView } from '../methods/pipeline.ts';
import type { Ports } from './ports.ts';

type Deps = Pick<Ports, 'store' | 'catalogue' | 'clock' | 'scrapes'>;

type Served = `pipeline.${'list' | 'get' | 'runs' | 'run' | 'pause' | 'resume' | 'clear' | 'cancel'}`;

/** Creates the handlers of pipelines. */
export function pipelineHandlers(deps: Deps): Pick<Handlers, Served> {
  const { store, catalogue, clock, scrapes } = deps;
  const now = () => clock.now();
  return {
    'pipeline.list': () => ({
      pipelines: [...catalogue().pipelines.values()].sort((one, other) => (one.id < other.id ? -1 : 1)).map(viewOf),
    }),
    'pipeline.get': ({ id }) => viewOf(find(id)),
    'pipeline.runs': ({ id, before, limit }) => {
      find(id);
      const rows = [...store().pipelines.runs.rows({ ...runsOf(id, before), newestFirst: true, limit: limit + 1 })];
      const shown = rows.slice(0, limit);
      return {
        runs: shown.map((row) => runView(row, now())),
        ...defined({ next: rows.length > limit ? shown.at(-1)?.run : undefined }),
      };
    },

    'pipeline.run': async ({ id }) => {
      const pipeline = find(id);
      refuseApiOnly();
      const of = store();
      const begun = await of.write(
        (change) => {
          const { paused, active } = of.pipelines.states.get(id) ?? {};
          if (paused !== undefined) return `is paused: \`heronry pipelines resume ${id}\` ends that`;
          if (active !== undefined) return `has run ${active} under way: wait for it, or cancel it`;
          return beginRun(of, change, pipeline, 'manual');
        },
        { durable: true },
      );
      if (typeof begun === 'string') throw new ControlError('conflict', `pipeline "${id}" ${begun}`);
      return changed(id, begun);
    },

    'pipeline.pause': async ({ id, ...why }) => {
      const pipeline = find(id);
      await setPaused(store(), pipeline, why);
      return viewOf(pipeline);
    },
    'pipeline.resume': async ({ id }) => {
      const pipeline = find(id);
      await setPaused(store(), pipeline, undefined);
      scrapes.lookAtPipelines();
      return viewOf(pipeline);
    },

    'pipeline.clear': async ({ id, run, job }) => {
      const { jobs } = runOf(id, run);
      refuseApiOnly();
      if (job !== undefined && !jobs.some(({ name }) => name === job)) {
        const hint = didYouMean(
          job,
          jobs.map(({ name }) => name),
        );
        throw new ControlError('not_found', `run ${run} of pipeline "${id}" has no job "${job}"${hint}`);
      }
      const cleared = orConflict(id, run, await clearRun(store(), id, run, job));
      return { ...changed(id, run), cleared: cleared.cleared };
    },
    'pipeline.cancel': async ({ id, run }) => {
      runOf(id, run);
      orConflict(id, run, await cancelRun(store(), id, run));
      return changed(id, run);
    },
  };

  function find(id: string): Pipeline {
    const { pipelines: loaded } = catalogue();
    const pipeline = loaded.get(id);
    if (pipeline === undefined)
      throw new ControlError('not_found', `no pipeline "${id}"${didYouMean(id, loaded.keys())}`);
    return pipeline;
  }

  function runOf(id: string, number: number) {
    find(id);
    const row = store().pipelines.runs.get([id, number]);
    if (row === undefined) throw new ControlError('not_found', `pipeline "${id}" has no run ${number}`);
    return row;
  }

  /** Tells the actor of a run that was changed, and returns its view. */
  function changed(id: string, run: number) {
    scrapes.lookAtPipelines();
    return runView(runOf(id, run), now());
  }

  function refuseApiOnly(): void {
    if (scrapes.apiOnly)
      throw new ControlError('not_ready', 'the daemon was started with --api-only, and runs nothing');
  }

  function viewOf({ id, schedule, jobs }: Pipeline): PipelineView {
    const { states, runs } = store().pipelines;
    const { paused, nextAt, last = 0 } = states.get(id) ?? {};
    const row = runs.get([id, last]);
    return {
      id,
      jobs: Object.entries(jobs).map(([name, job]) => ({ name, kind: jobKind(job), after: job.after })),
      ...defined({ schedule, paused, nextAt, last: row && runView(row, now()) }),
    };
  }
}

/** Returns what was done to a run. Throws a `ControlError` `conflict` where it could not be. */
function orConflict<T extends { readonly ok: true }>(
  id: string,
  run: number,
  asked: T | { readonly ok: false; readonly message: string } | undefined,
): T {
  if (asked?.ok === true) return asked;
  throw new ControlError('conflict', `run ${run} of pipeline "${id}": ${asked?.message ?? 'it is gone'}`);
}
