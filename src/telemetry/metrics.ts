import type { RunStep, Step } from '../engine/step.ts';
import type { ScrapeObserver } from '../scrape/observer.ts';
import { forgetWorkers } from './forget-workers.ts';
import { createMeters } from './meters.ts';
import { readState, type StateDeps } from './read-state.ts';
import { watchScrapes } from './watch-scrapes.ts';
import { classOf, watchSteps } from './watch-steps.ts';

/** The metrics of one daemon: where they are counted, and how they are read. */
export interface Metrics {
  readonly scrapes: ScrapeObserver;
  /** Returns a function that runs steps by `runStep` and counts them, as the function `watchSteps` does. */
  watchSteps(runStep: RunStep, isHere?: (step: Step) => boolean): RunStep;
  /**
   * Counts a request to the HTTP API.
   *
   * @param route - a path of the API as its description has it, or `other`.
   */
  served(route: string, verb: string, status: number): void;
  /** The `Content-Type` of what `read` gives. */
  readonly contentType: string;
  /** Resolves with all metrics in the text format of Prometheus. Rejects while no store is open. */
  read(deps: StateDeps): Promise<string>;
}

/** Creates the metrics of one daemon. */
export function createMetrics(): Metrics {
  const meters = createMeters();
  const { registry } = meters;
  return {
    scrapes: watchScrapes(meters),
    watchSteps: (runStep, isHere) => watchSteps(meters.steps, runStep, isHere),
    served: (route, verb, status) => meters.http.requests.inc({ route, verb, status: classOf(status) }),
    contentType: registry.contentType,
    async read(deps) {
      const workers = await readState(meters, deps);
      const text = await registry.metrics();
      // What a worker process did last before it went is told once.
      await forgetWorkers(meters, workers);
      return text;
    },
  };
}
