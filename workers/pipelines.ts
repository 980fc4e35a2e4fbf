import type { Clock } from '../src/clock.ts';
import type { Registry } from '../src/actor/registry.ts';
import type { Behaviour, Self } from '../src/actor/types.ts';
import type { JobEnd, RunningJob, Work } from '../src/pipeline/runs.ts';

/** The messages of the actor that runs pipelines. */
export type PipelinesMessage =
  /** A run was asked for or changed, the files of pipelines were read again, or a schedule is due. */
  | { readonly type: 'look' }
  /** A job is over; without an end it was cut, or the store had no room. */
  | { readonly type: 'ended'; readonly job: RunningJob; readonly end: JobEnd | undefined };

/** The dependencies of the actor. */
export interface PipelinesDeps {
  readonly clock: Clock;
  readonly registry: Registry<'pipelines', PipelinesMessage>;
  /** Begins what is due. Resolves with what is to be done; with `undefined` when the store is full. */
  advance(): Promise<Work | undefined>;
  /** Runs a job. Resolves with its end; with `undefined` when the signal fired, or the store is full. */
  run(job: RunningJob, signal: AbortSignal): Promise<JobEnd | undefined>;
  /** Stores how a job ended. Resolves with `undefined` when the store is full. */
  ended(job: RunningJob, end: JobEnd): Promise<true | undefined>;
}

/** The pause before what the store had no room for is tried again, in milliseconds. */
const retryMs = 30_000;

/** The longest wait for a schedule, in milliseconds, as the wall clock may be set meanwhile. */
const longestWaitMs = 60_000;

/**
 * Runs the jobs of pipelines, those that do not wait for each other at once. The store says which are to be running: what the end of the
 * daemon has cut is run again when the actor starts, and a job that is no longer to be running is cut.
 */
export function pipelines(self: Self<PipelinesMessage>, deps: PipelinesDeps): Behaviour<PipelinesMessage> {
  self.register(deps.registry, 'pipelines');
  /** The jobs that run, each once: one that is to run again waits until the try before has ended. */
  const running = new Map<string, { readonly job: RunningJob; readonly cut: AbortController }>();
  let timer: number | undefined;
  self.continue({ type: 'look' });

  return {
    // One message at a time, so that a job that has just ended is not begun again.
    receive(message) {
      switch (message.type) {
        case 'look':
          return look();
        case 'ended':
          return ended(message);
        default:
          return message satisfies never;
      }
    },
  };

  async function look(): Promise<void> {
    const work = await deps.advance();
    if (work === undefined) return lookIn(retryMs);
    const wanted = new Map(work.jobs.map((job) => [keyOf(job), job]));
    for (const [key, { job, cut }] of running) if (!isSameTry(job, wanted.get(key))) cut.abort();
    for (const [key, job] of wanted) if (!running.has(key)) begin(key, job);
    if (work.nextAt !== undefined) lookIn(Math.min(longestWaitMs, work.nextAt - deps.clock.now()));
  }

  function lookIn(delayMs: number): void {
    if (timer !== undefined) self.cancel(timer);
    timer = self.after(delayMs, { type: 'look' });
  }

  function begin(key: string, job: RunningJob): void {
    const cut = new AbortController();
    running.set(key, { job, cut });
    self.task(
      (life) => deps.run(job, AbortSignal.any([life, cut.signal])),
      (end) => ({ type: 'ended', job, end }),
    );
  }

  async function ended(message: PipelinesMessage & { readonly type: 'ended' }): Promise<void> {
    const { job, end } = message;
    const key = keyOf(job);
    const isCut = running.get(key)?.cut.signal.aborted === true;
    if (end !== undefined && !isCut && (await deps.ended(job, end)) === undefined)
      return void self.after(retryMs, message);
    running.delete(key);
    if (end === undefined && !isCut) lookIn(retryMs);
    else await look();
  }
}

/** Tells jobs apart, whatever run and try. */
function keyOf({ pipeline, name }: RunningJob): string {
  return `${pipeline} ${name}`;
}

function isSameTry({ run, tries }: RunningJob, other: RunningJob | undefined): boolean {
  return other?.run === run && other.tries === tries;
}
