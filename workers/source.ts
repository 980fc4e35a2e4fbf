import type { Registry } from '../src/actor/registry.ts';
import type { Behaviour, Reply, Self } from '../src/actor/types.ts';
import type { Clock } from '../src/clock.ts';
import { nextOnGrid } from '../src/schedule/grid.ts';
import type { PulseRound } from '../src/scrape/pulse.ts';

export type SourceMessage =
  | { readonly type: 'pulse' }
  /** Its definition changed. */
  | { readonly type: 'reload' }
  | { readonly type: 'pulsed'; readonly round: PulseRound }
  | { readonly type: 'status'; readonly reply: Reply<SourceStatus> };

export interface SourceStatus {
  readonly pulse?: {
    readonly everyMs: number;
    readonly nextAt: number;
    readonly running: boolean;
    readonly last?: PulseRound & { readonly endedAt: number };
  };
}

export interface SourceDeps {
  readonly clock: Clock;
  readonly registry: Registry<string, SourceMessage>;
  /** The interval of the source's pulse; undefined while it has none. */
  pulseEveryMs(source: string): number | undefined;
  /** Asks the one data point for every active target of the source; a failing target spoils no other's. */
  pulse(source: string, signal: AbortSignal): Promise<PulseRound>;
}

/** Keeps one source's pulse: a round over all its targets at fixed times, never two at once. A missed time is not made up for. */
export function source(self: Self<SourceMessage>, id: string, deps: SourceDeps): Behaviour<SourceMessage> {
  self.register(deps.registry, id);
  const startedAt = deps.clock.now();
  let everyMs = deps.pulseEveryMs(id);
  let nextAt = Infinity;
  let running = false;
  let timer: number | undefined;
  let last: (PulseRound & { readonly endedAt: number }) | undefined;
  arm();

  return {
    receive(message) {
      switch (message.type) {
        case 'pulse':
          return pulse();
        case 'reload':
          everyMs = deps.pulseEveryMs(id);
          return running ? undefined : arm();
        case 'pulsed':
          running = false;
          last = { ...message.round, endedAt: deps.clock.now() };
          return arm();
        case 'status':
          return message.reply(
            everyMs === undefined ? {} : { pulse: { everyMs, nextAt, running, ...(last && { last }) } },
          );
        default:
          message satisfies never;
      }
    },
  };

  function arm(): void {
    if (timer !== undefined) self.cancel(timer);
    timer = undefined;
    if (everyMs === undefined) return;
    const now = deps.clock.now();
    nextAt = nextOnGrid({ originAt: startedAt, everyMs, phaseMs: 0 }, now);
    timer = self.after(nextAt - now, { type: 'pulse' });
  }

  function pulse(): void {
    running = true;
    self.task(
      (signal) => deps.pulse(id, signal),
      (round) => ({ type: 'pulsed', round }),
    );
  }
}
