import type { Clock } from '../src/clock.ts';
import type { Registry } from '../src/actor/registry.ts';
import type { Behaviour, Ref, Reply, Self } from '../src/actor/types.ts';
import type { Ordered } from '../src/engine/bullmq/dispatcher.ts';
import type { Order } from '../src/engine/bullmq/protocol.ts';
import type { RemoteState, RemoteSteps } from '../src/engine/bullmq/remote-steps.ts';
import { InlineReader } from '../src/engine/inline.ts';
import { type LocalEngineDeps, runLocally } from '../src/engine/local.ts';
import { type RunStep, runsInDaemon, type Step, type StepOutcome } from '../src/engine/step.ts';
import { createRenderer } from '../src/fetch/browser/renderer.ts';
import { createClient } from '../src/fetch/wire/client.ts';

/** The messages of the engine: `run` asks for a step; `onSent` is called when its request has gone out, `onCame` when its response has come, `onTaken` when a worker process runs it. */
export type EngineMessage =
  | {
      readonly type: 'run';
      readonly step: Step;
      readonly signal: AbortSignal;
      onSent(): void;
      readonly onCame: Parameters<RunStep>[3];
      readonly onTaken: Parameters<RunStep>[4];
      readonly reply: Reply<Ran>;
    }
  | { readonly type: 'ran'; readonly ran: Ran; readonly reply: Reply<Ran> }
  /** What the outcome with a receipt brought is written. */
  | { readonly type: 'acknowledge'; readonly receipt: string }
  /** Asks for the worker processes and their queues; nothing where steps run in this process. */
  | { readonly type: 'workers'; readonly reply: Reply<RemoteState | undefined> }
  | { readonly type: 'order'; readonly worker: string; readonly order: Order; readonly reply: Reply<Ordered> }
  | { readonly type: 'ordered'; readonly result: Ordered; readonly reply: Reply<Ordered> };

/** The outcome of a step, or the internal error that ends the asking actor, not the engine. */
type Ran = { readonly ok: true; readonly outcome: StepOutcome } | { readonly ok: false; readonly error: unknown };

/** The dependencies of the engine. */
export interface EngineDeps extends Omit<LocalEngineDeps, 'client' | 'renderPage' | 'inline'> {
  readonly registry: Registry<'engine', EngineMessage>;
  readonly userAgent: string;
  readonly clock: Clock;
  /** Called with a sentence about the browser or the queues for the log. */
  warn(message: string, error?: unknown): void;
  /** Begins to hand steps to worker processes. Default: they run in this process. */
  openDispatcher?(signal: AbortSignal): RemoteSteps;
}

/**
 * Owns the connections and the browser, and runs steps, each as a task: in this process, or on worker processes. Where there are worker processes, a step
 * runs in this process if its plug-in has further files.
 */
export function engine(self: Self<EngineMessage>, deps: EngineDeps): Behaviour<EngineMessage> {
  self.trapExit();
  self.register(deps.registry, 'engine');
  const { budget, clock, userAgent } = deps;
  const client = createClient({ budget, userAgent });
  const renderer = createRenderer({ client, budget, clock, userAgent, warn: (message) => deps.warn(message) });
  const inline = new InlineReader(clock);
  const renderPage = renderer.renderPage.bind(renderer);
  const dispatcher = deps.openDispatcher?.(self.signal);
  const runHere: RunStep = (step, signal, onSent, onCame) =>
    runLocally(step, { ...deps, client, renderPage, inline }, signal, onSent, onCame);

  return {
    receive(message) {
      switch (message.type) {
        case 'run':
          return run(message);
        case 'ran':
          return message.reply(message.ran);
        case 'acknowledge':
          return dispatcher?.acknowledge(message.receipt);
        case 'workers':
          return message.reply(dispatcher?.state());
        case 'order':
          return order(message);
        case 'ordered':
          return message.reply(message.result);
        default:
          message satisfies never;
      }
    },
    async stop() {
      // The server of the queues may be away for as long as it takes to close the browser.
      await Promise.all([dispatcher?.close(), closeOwn()]);
    },
  };

  async function closeOwn(): Promise<void> {
    await renderer.close();
    await client.close();
  }

  function run({ step, signal, onSent, onCame, onTaken, reply }: Extract<EngineMessage, { type: 'run' }>): void {
    self.task(
      () =>
        runnerOf(step)(step, signal, onSent, onCame, onTaken).then(
          (outcome): Ran => ({ ok: true, outcome }),
          (error: unknown): Ran => ({ ok: false, error }),
        ),
      (ran) => ({ type: 'ran', ran, reply }),
    );
  }

  function order({ worker, order: told, reply }: Extract<EngineMessage, { type: 'order' }>): void {
    if (dispatcher === undefined) return reply('unknown');
    self.task(
      () => dispatcher.order(worker, told),
      (result) => ({ type: 'ordered', result, reply }),
    );
  }

  function runnerOf(step: Step): RunStep {
    return dispatcher === undefined || runsInDaemon(step) ? runHere : dispatcher.run;
  }
}

/** Runs steps on the actor `engine`. Rejects with a `CallError` when that actor ends. */
export function runOn(actor: Ref<EngineMessage>): RunStep {
  return async (step, signal, onSent, onCame, onTaken) => {
    const wish = { type: 'run', step, signal, onSent, onCame, onTaken } as const;
    const ran = await actor.ask<Ran>((reply) => ({ ...wish, reply }), Infinity);
    if (ran.ok) return ran.outcome;
    throw ran.error;
  };
}
