import type { Behaviour, Exit, Self } from '../src/actor/types.ts';
import type { Clock } from '../src/clock.ts';
import { Cluster } from '../src/engine/bullmq/cluster.ts';
import { openOnServer, plainError, plainWarn, type Queues } from '../src/engine/bullmq/open-on-server.ts';
import { StepWorker, type StepWorkerDeps } from '../src/engine/bullmq/step-worker.ts';

/** What befalls a step taker: an exit signal, or an error for which it cannot begin. */
export type StepTakerMessage =
  | { readonly type: 'exited'; readonly exit: Exit }
  | { readonly type: 'failed'; readonly error: unknown };

/** The dependencies of the step taker. */
export interface StepTakerDeps extends Omit<StepWorkerDeps, 'cluster'> {
  readonly clock: Clock;
  readonly queues: Queues;
  /** The version of the program. */
  readonly version: string;
  /** How long the steps that run may take when it stops, in ms. */
  readonly patienceMs: number;
}

/** Takes steps from the queue during its life, and has them run by the engine of its process. A server that is away is waited for. */
export function stepTaker(
  self: Self<StepTakerMessage>,
  { queues, version, patienceMs, ...deps }: StepTakerDeps,
): Behaviour<StepTakerMessage> {
  // Without `trapExit` the supervisor's shutdown would end this life before `stop` has run.
  self.trapExit((exit) => ({ type: 'exited', exit }));
  const { clock } = deps;
  const cluster = new Cluster({ name: queues.cluster, version, key: queues.key });
  const ending = new AbortController();
  const either = AbortSignal.any([self.signal, ending.signal]);
  const warn = plainWarn({ warn: deps.warn, clock, ending: either });
  const reach = { address: () => queues.address(), migrate: false, monotonic: () => clock.monotonic(), warn };
  const opening = openOnServer(reach, (server) => StepWorker.open(server, { ...deps, warn, cluster }), either);
  opening.catch((error: unknown) => {
    if (!either.aborted) self.send({ type: 'failed', error: plainError(error) });
  });
  return {
    receive(message) {
      if (message.type === 'failed') throw message.error;
      return self.stop(message.exit.reason);
    },
    async stop() {
      ending.abort(new Error('the worker process stops'));
      const open = await opening.catch(() => undefined);
      try {
        await open?.opened.close(patienceMs);
      } finally {
        await open?.server.close();
      }
    },
  };
}
