import type { Registry } from '../src/actor/registry.ts';
import type { Behaviour, Reply, Self } from '../src/actor/types.ts';
import { type LocalEngineDeps, runLocally } from '../src/engine/local.ts';
import type { Step, StepOutcome } from '../src/engine/step.ts';
import { createClient } from '../src/fetch/client.ts';

export type EngineMessage =
  | {
      readonly type: 'run';
      readonly step: Step;
      readonly signal: AbortSignal;
      onSent(): void;
      readonly reply: Reply<Ran>;
    }
  | { readonly type: 'ran'; readonly ran: Ran; readonly reply: Reply<Ran> };

/** A step's outcome; or the error of ours that it ran into, which ends the life that asked and not the engine's. */
export type Ran =
  | { readonly ok: true; readonly outcome: StepOutcome }
  | { readonly ok: false; readonly error: unknown };

export interface EngineDeps extends Omit<LocalEngineDeps, 'client'> {
  readonly registry: Registry<'engine', EngineMessage>;
  readonly userAgent: string;
}

/** Owns the connections and runs steps in this process. */
export function engine(self: Self<EngineMessage>, deps: EngineDeps): Behaviour<EngineMessage> {
  self.trapExit();
  self.register(deps.registry, 'engine');
  const client = createClient({ budget: deps.budget, userAgent: deps.userAgent });

  return {
    receive(message) {
      switch (message.type) {
        case 'run':
          return run(message);
        case 'ran':
          return message.reply(message.ran);
        default:
          message satisfies never;
      }
    },
    stop: () => client.close(),
  };

  function run({ step, signal, onSent, reply }: Extract<EngineMessage, { type: 'run' }>): void {
    self.task(
      () =>
        runLocally(step, { ...deps, client }, signal, onSent).then(
          (outcome): Ran => ({ ok: true, outcome }),
          (error: unknown): Ran => ({ ok: false, error }),
        ),
      (ran) => ({ type: 'ran', ran, reply }),
    );
  }
}
