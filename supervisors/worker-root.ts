import { supervisor, type SupervisorMessage } from '../src/actor/supervisor.ts';
import type { Actor, Self } from '../src/actor/types.ts';
import { engine, type EngineDeps } from '../workers/engine.ts';
import { extractors, type ExtractorsDeps } from '../workers/extractors.ts';
import { plugins, type PluginsDeps } from '../workers/plugins.ts';
import { stepTaker, type StepTakerDeps, type StepTakerMessage } from '../workers/step-taker.ts';

/** The dependencies of each child of the root of a worker process. */
export interface WorkerRootDeps {
  readonly extractors: ExtractorsDeps;
  readonly plugins: PluginsDeps;
  readonly engine: EngineDeps;
  /** Missing in the process of a step that runs alone: it is told which. */
  readonly stepTaker?: StepTakerDeps;
}

/** A whole worker process. A child may rely on every child above it, so a crash also restarts what stands below. */
export function workerRoot(deps: WorkerRootDeps): Actor<SupervisorMessage> {
  const { stepTaker: taking } = deps;
  return supervisor({
    strategy: 'rest_for_one',
    intensity: 5,
    periodMs: 30_000,
    children: [
      { id: 'extractors', start: (self) => extractors(self, deps.extractors) },
      { id: 'plugins', start: (self) => plugins(self, deps.plugins) },
      { id: 'engine', start: (self) => engine(self, deps.engine) },
      ...(taking === undefined
        ? []
        : [
            {
              id: 'step-taker',
              start: (self: Self<StepTakerMessage>) => stepTaker(self, taking),
              shutdown: taking.patienceMs + 10_000,
            },
          ]),
    ],
  });
}
