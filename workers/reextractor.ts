import type { Registry } from '../src/actor/registry.ts';
import type { Behaviour, Reply, Self } from '../src/actor/types.ts';

/** The messages of the actor that reads kept pages again. */
export type ReextractorMessage =
  /** A job has begun, or is to be applied. */
  | { readonly type: 'look' }
  /** Asks to be told when no job is under way. */
  | { readonly type: 'wait'; readonly reply: Reply<void> }
  | { readonly type: 'ran'; readonly isFull: boolean };

/** The dependencies of the actor. */
export interface ReextractorDeps {
  readonly registry: Registry<'reextractor', ReextractorMessage>;
  /** Goes on with the job that is under way, until none is. Resolves with whether it stopped because the store is full. */
  run(signal: AbortSignal): Promise<boolean>;
}

/** The pause before a job goes on that the store had no room for, in milliseconds. */
const retryMs = 30_000;

/** Runs the jobs that read kept pages again, one at a time; one that the end of the daemon has cut goes on when the actor starts. */
export function reextractor(
  self: Self<ReextractorMessage>,
  { registry, run }: ReextractorDeps,
): Behaviour<ReextractorMessage> {
  self.register(registry, 'reextractor');
  let isRunning = false;
  let isAsked = false;
  let waiting: Reply<void>[] = [];
  self.continue({ type: 'look' });

  return {
    receive(message) {
      switch (message.type) {
        case 'look':
          return look();
        case 'wait':
          waiting.push(message.reply);
          return look();
        case 'ran':
          return ran(message.isFull);
        default:
          message satisfies never;
      }
    },
  };

  function look(): void {
    isAsked = isRunning;
    if (isRunning) return;
    isRunning = true;
    self.task(run, (isFull) => ({ type: 'ran', isFull }));
  }

  function ran(isFull: boolean): void {
    isRunning = false;
    if (isFull) return void self.after(retryMs, { type: 'look' });
    if (isAsked) return look();
    for (const reply of waiting) reply();
    waiting = [];
  }
}
