import type { Registry } from '../src/actor/registry.ts';
import { CallError } from '../src/actor/errors.ts';
import type { Behaviour, Reply, Self } from '../src/actor/types.ts';
import type { Clock } from '../src/clock.ts';
import { nextOnGrid } from '../src/schedule/time/grid.ts';
import type { KeptSessions } from '../src/request/ports.ts';
import type { PulseRound } from '../src/scrape/pulse.ts';
import type { Authenticated, DeskCondition, SessionDesk } from '../src/session/desk.ts';
import { defined } from '../src/defined.ts';

/** The messages of a source. */
export type SourceMessage =
  | { readonly type: 'pulse' }
  /** Asks for a round of the pulse at once. The reply says whether one has begun: not where one is under way. */
  | { readonly type: 'pulse-now'; readonly reply: Reply<boolean> }
  /** The source's definition changed. */
  | { readonly type: 'reload' }
  | { readonly type: 'pulsed'; readonly round: PulseRound }
  /** Records of the source were seen that may have objectives, or that name files. */
  | { readonly type: 'seen'; readonly work: Work }
  | { readonly type: 'begin'; readonly work: Work }
  | { readonly type: 'ended'; readonly work: Work; readonly nextAt?: number }
  /** Asks for the desk of the session. Its promises may reject when this life ends. */
  | { readonly type: 'session'; readonly reply: Reply<SessionDesk> }
  /** Asks for newer credentials than those of a generation, which the site refused. */
  | { readonly type: 'authenticate'; readonly stale: number; readonly reply: Reply<Authenticated> }
  | { readonly type: 'authenticated'; readonly authenticated: Authenticated; readonly reply: Reply<Authenticated> }
  /** Resets the session at a person's request, so that log-ins are tried again. */
  | { readonly type: 'reset'; readonly reply: Reply<void> }
  | { readonly type: 'was-reset'; readonly reply: Reply<void> }
  | { readonly type: 'flush' }
  | { readonly type: 'status'; readonly reply: Reply<SourceStatus> };

/** What a source does in rounds, each from when something is due: re-checks of records, and fetching their files. */
type Work = 'recheck' | 'files';

const works: readonly Work[] = ['recheck', 'files'];

/** The state of a source's pulse and session. */
export interface SourceStatus {
  readonly pulse?: {
    readonly everyMs: number;
    readonly nextAt: number;
    readonly running: boolean;
    readonly last?: PulseRound & { readonly endedAt: number };
  };
  readonly session: DeskCondition;
}

/** The pulse and the session of a source. */
export interface SourceDeps {
  readonly clock: Clock;
  readonly registry: Registry<string, SourceMessage>;
  /** The interval of the source's pulse in milliseconds; `undefined` for a source without a pulse. */
  pulseEveryMs(source: string): number | undefined;
  /** Runs one round of the pulse over the active targets of the source. */
  pulse(source: string, signal: AbortSignal): Promise<PulseRound>;
  /** Re-checks records that are due for their objectives; resolves with when the next one is, wall time. */
  recheck(source: string, signal: AbortSignal): Promise<number | undefined>;
  /** Fetches files that are due; resolves with when the next one is, wall time. */
  files(source: string, signal: AbortSignal): Promise<number | undefined>;
  /** Opens the desk of the source's session. */
  openSession(source: string, signal: AbortSignal): Promise<SessionDesk>;
}

const cutShort: Authenticated = {
  ok: false,
  failure: { code: 'login_unavailable', message: 'the definition of the source changed during the log-in' },
};

/** The time in milliseconds in which seen records are gathered before they are looked at. Files are looked at without delay, as they may vanish. */
const seenTogetherMs = { recheck: 1_000, files: 0 } as const;

/** The next round of a kind of work, and the round under way, which may have begun before the latest records were seen. */
interface Rounds {
  beginsAt: number;
  timer: number | undefined;
  state: 'none' | 'under way' | 'outdated';
}

/** How often cookies that pages have set are saved. */
const flushEveryMs = 60_000;

/**
 * Keeps one source's session; its pulse, a round over all its targets at fixed times, never two at once, of which a missed time is not
 * made up for; and the rounds of its works.
 */
export async function source(
  self: Self<SourceMessage>,
  id: string,
  deps: SourceDeps,
): Promise<Behaviour<SourceMessage>> {
  self.trapExit();
  /** Its signal fires when the desk is replaced, which ends a log-in of the desk. */
  let replaced = new AbortController();
  let desk = await openDesk();
  /** The tasks that use the desk. A replaced desk is closed after them, since both desks save the same session. */
  const underWay = new Set<Promise<unknown>>();
  self.register(deps.registry, id);
  self.after(flushEveryMs, { type: 'flush' });
  const startedAt = deps.clock.now();
  let everyMs = deps.pulseEveryMs(id);
  let nextAt = Infinity;
  let running = false;
  let timer: number | undefined;
  let last: (PulseRound & { readonly endedAt: number }) | undefined;
  const rounds: Record<Work, Rounds> = {
    recheck: { beginsAt: Infinity, timer: undefined, state: 'none' },
    files: { beginsAt: Infinity, timer: undefined, state: 'none' },
  };
  arm();
  for (const work of works) self.send({ type: 'begin', work });

  return {
    receive(message) {
      switch (message.type) {
        case 'pulse':
          return pulse();
        case 'pulse-now':
          return message.reply(pulseNow());
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
          // Outside its opening hours and without targets a round makes no request.
          if (message.round.asked > 0) last = { ...message.round, endedAt: deps.clock.now() };
          return arm();
        case 'seen':
          return seen(message.work);
        case 'begin':
          return begin(message.work);
        case 'ended':
          return ended(message.work, message.nextAt);
        case 'status':
          return message.reply({
            session: desk.condition(),
            ...(everyMs !== undefined && { pulse: { everyMs, nextAt, running, ...defined({ last }) } }),
          });
        default:
          return message satisfies never;
      }
    },
    stop: () => desk.close(),
  };

  /** Opens the desk again for a changed definition. The session stays valid if the definition's log-in is unchanged. */
  async function reload(): Promise<void> {
    replaced.abort();
    await Promise.allSettled(underWay);
    await desk.close();
    replaced = new AbortController();
    desk = await openDesk();
    everyMs = deps.pulseEveryMs(id);
    if (!running) arm();
    for (const work of works) if (rounds[work].state === 'none') armRound(work, deps.clock.now());
  }

  /** Begins the next round of a work at an instant, unless one begins earlier. */
  function armRound(work: Work, at: number): void {
    const round = rounds[work];
    if (at >= round.beginsAt) return;
    if (round.timer !== undefined) self.cancel(round.timer);
    round.beginsAt = at;
    round.timer = self.after(Math.max(0, at - deps.clock.now()), { type: 'begin', work });
  }

  function seen(work: Work): void {
    const round = rounds[work];
    if (round.state === 'none') armRound(work, deps.clock.now() + seenTogetherMs[work]);
    else round.state = 'outdated';
  }

  function begin(work: Work): void {
    rounds[work] = { beginsAt: Infinity, timer: undefined, state: 'under way' };
    self.task(
      (signal) => deps[work](id, signal),
      (nextAt) => ({ type: 'ended', work, ...defined({ nextAt }) }),
    );
  }

  function ended(work: Work, nextAt = Infinity): void {
    const isOutdated = rounds[work].state === 'outdated';
    rounds[work].state = 'none';
    armRound(work, isOutdated ? Math.min(nextAt, deps.clock.now() + seenTogetherMs[work]) : nextAt);
  }

  function openDesk(): Promise<SessionDesk> {
    return deps.openSession(id, AbortSignal.any([self.signal, replaced.signal]));
  }

  /** Authenticates again with the new desk where a changed definition replaced the desk during a log-in. */
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

  function pulseNow(): boolean {
    if (everyMs === undefined || running) return false;
    if (timer !== undefined) self.cancel(timer);
    pulse();
    return true;
  }

  function pulse(): void {
    timer = undefined;
    running = true;
    self.task(
      (signal) => deps.pulse(id, signal),
      (round) => ({ type: 'pulsed', round }),
    );
  }
}

/** The sessions that the actors of sources keep. */
export function keptSessions(registry: Registry<string, SourceMessage>): KeptSessions {
  return {
    session: (id) => ask<SessionDesk>(id, (reply) => ({ type: 'session', reply })),
    authenticate: (id, stale) => ask<Authenticated>(id, (reply) => ({ type: 'authenticate', stale, reply })),
  };

  /** Resolves with `undefined` if the actor has ended. A restart of the source's actor does not end the actors that ask it. */
  async function ask<T>(id: string, question: (reply: Reply<T>) => SourceMessage): Promise<T | undefined> {
    try {
      return await registry.whereis(id)?.ask<T>(question, Infinity);
    } catch (error) {
      if (error instanceof CallError && (error.code === 'ended' || error.code === 'noproc')) return undefined;
      throw error;
    }
  }
}
