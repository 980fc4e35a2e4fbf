import type { Registry } from '../src/actor/registry.ts';
import type { Behaviour, Reply, Self } from '../src/actor/types.ts';
import type { Clock } from '../src/clock.ts';
import { nextOnGrid } from '../src/schedule/grid.ts';
import type { PulseRound } from '../src/scrape/pulse.ts';
import type { Authenticated, DeskCondition, SessionDesk } from '../src/session/desk.ts';

export type SourceMessage =
  | { readonly type: 'pulse' }
  /** Its definition changed. */
  | { readonly type: 'reload' }
  | { readonly type: 'pulsed'; readonly round: PulseRound }
  /** The desk of its session; what is done with it may be cut short by the end of this life. */
  | { readonly type: 'session'; readonly reply: Reply<SessionDesk> }
  /** Asks for other credentials than those that were refused. */
  | { readonly type: 'authenticate'; readonly stale: number; readonly reply: Reply<Authenticated> }
  | { readonly type: 'authenticated'; readonly authenticated: Authenticated; readonly reply: Reply<Authenticated> }
  /** A person wants log-ins to be tried again. */
  | { readonly type: 'reset'; readonly reply: Reply<void> }
  | { readonly type: 'was-reset'; readonly reply: Reply<void> }
  | { readonly type: 'flush' }
  | { readonly type: 'status'; readonly reply: Reply<SourceStatus> };

export interface SourceStatus {
  readonly pulse?: {
    readonly everyMs: number;
    readonly nextAt: number;
    readonly running: boolean;
    readonly last?: PulseRound & { readonly endedAt: number };
  };
  readonly session: DeskCondition;
}

export interface SourceDeps {
  readonly clock: Clock;
  readonly registry: Registry<string, SourceMessage>;
  /** The interval of the source's pulse; undefined while it has none. */
  pulseEveryMs(source: string): number | undefined;
  /** Asks the one data point for every active target of the source; a failing target spoils no other's. */
  pulse(source: string, signal: AbortSignal): Promise<PulseRound>;
  /** Opens the desk of its session. */
  openSession(source: string, signal: AbortSignal): Promise<SessionDesk>;
}

const cutShort: Authenticated = {
  ok: false,
  failure: { code: 'login_unavailable', message: 'the definition of the source changed during the log-in' },
};

/** How often cookies that pages have set are saved. */
const flushEveryMs = 60_000;

/**
 * Keeps one source's session, and its pulse: a round over all its targets at fixed times, never two at once. A missed time
 * is not made up for.
 */
export async function source(
  self: Self<SourceMessage>,
  id: string,
  deps: SourceDeps,
): Promise<Behaviour<SourceMessage>> {
  self.trapExit();
  /** Fires when the desk is replaced, and ends its log-in. */
  let replaced = new AbortController();
  let desk = await openDesk();
  /** What is done with the desk; a desk that is replaced is done with first, since both save the same session. */
  const underWay = new Set<Promise<unknown>>();
  self.register(deps.registry, id);
  self.after(flushEveryMs, { type: 'flush' });
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
          return reload();
        case 'session':
          return message.reply(desk);
        case 'authenticate':
          return authenticate(message.stale, message.reply);
        case 'authenticated':
          return message.reply(message.authenticated);
        case 'reset':
          return self.task(
            () => noted(desk.reset()),
            () => ({ type: 'was-reset', reply: message.reply }),
          );
        case 'was-reset':
          return message.reply();
        case 'flush':
          self.after(flushEveryMs, { type: 'flush' });
          return desk.flush();
        case 'pulsed':
          running = false;
          // Outside its hours, or without targets, nobody was asked.
          if (message.round.asked > 0) last = { ...message.round, endedAt: deps.clock.now() };
          return arm();
        case 'status':
          return message.reply({
            session: desk.condition(),
            ...(everyMs !== undefined && { pulse: { everyMs, nextAt, running, ...(last && { last }) } }),
          });
        default:
          return message satisfies never;
      }
    },
    stop: () => desk.close(),
  };

  /** The definition says anew how it is logged in to; what was got by it stays good if that is the same. */
  async function reload(): Promise<void> {
    replaced.abort();
    await Promise.allSettled(underWay);
    await desk.close();
    replaced = new AbortController();
    desk = await openDesk();
    everyMs = deps.pulseEveryMs(id);
    if (!running) arm();
  }

  function openDesk(): Promise<SessionDesk> {
    return deps.openSession(id, AbortSignal.any([self.signal, replaced.signal]));
  }

  /** Whoever waits for a log-in that a new definition ends holds the desk that is replaced, and has to ask anew. */
  function authenticate(stale: number, reply: Reply<Authenticated>): void {
    const { signal } = replaced;
    self.task(
      () =>
        noted(desk.authenticate(stale)).catch((error: unknown) => {
          if (!signal.aborted) throw error;
          return cutShort;
        }),
      (authenticated) => ({ type: 'authenticated', authenticated, reply }),
    );
  }

  async function noted<T>(work: Promise<T>): Promise<T> {
    underWay.add(work);
    try {
      return await work;
    } finally {
      underWay.delete(work);
    }
  }

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
