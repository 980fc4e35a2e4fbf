import { politenessKey, type Source } from '../definition/source.ts';
import type { Clock } from '../clock.ts';
import type { Step, StepFailure, StepOutcome } from '../engine/step.ts';
import type { Leave } from '../fetch/circuit.ts';
import type { HoldUp } from '../fetch/hold.ts';
import { turnMs } from '../fetch/out-turns.ts';
import type { Policy } from '../fetch/policy.ts';
import { type TurnOutcome, turnOutcome } from '../fetch/turn-outcome.ts';
import type { Wish } from '../scrape/ask.ts';
import { pause } from '../scrape/pause.ts';
import type { Names } from '../../supervisors/names.ts';
import { takeTurn, type Turn } from '../../workers/take-turn.ts';
import { withoutCredentials } from './credentials.ts';
import type { Robots } from './robots.ts';
import type { Sessions } from './sessions.ts';

export interface TurnsDeps {
  readonly clock: Clock;
  readonly names: Names;
  readonly robots: Robots;
  proxyOf: Sessions['proxyOf'];
  /** Whether nothing but loopback may be asked, as no contact is configured. */
  readonly onlyLoopback: boolean;
  /** Runs a step on the engine. */
  runStep(step: Step, signal: AbortSignal, onSent: () => void): Promise<StepOutcome>;
}

/** Names and values of headers that a source's session adds. */
export type SessionHeaders = Readonly<Record<string, string>>;

/** Makes one exchange when its turn has come. */
export interface Turns {
  /**
   * Hands back the outcome, or why robots.txt, which had allowed it before the wait, does not any more.
   *
   * @param credentials - asked for when the turn has come: others may have logged in meanwhile.
   * @param robots - `ignore` for what robots.txt has no say in.
   */
  run(wish: Wish, options: TurnOptions, signal: AbortSignal): Promise<StepOutcome | { readonly refused: StepFailure }>;
}

export interface TurnOptions {
  credentials(): SessionHeaders | Promise<SessionHeaders>;
  readonly robots: 'obey' | 'ignore';
}

/** A verdict of robots.txt that is older when the turn comes is asked for once more. */
const verdictServesMs = 60_000;

export function createTurns({ clock, names, robots, proxyOf, onlyLoopback, runStep }: TurnsDeps): Turns {
  const hosts = names.hosts.via('hosts');
  return { run };

  async function run(
    wish: Wish,
    { credentials, robots: manner }: TurnOptions,
    signal: AbortSignal,
  ): Promise<StepOutcome | { readonly refused: StepFailure }> {
    const { step, source, within = (start: Start, limited: AbortSignal) => start(limited) } = wish;
    const through = await proxyOf(source);
    if ('missing' in through) return failedOutcome({ code: 'not_initialised', message: through.missing });
    const turn = await turnFor(wish, manner, signal);
    if ('code' in turn) return { refused: turn };
    wish.waits?.(false);
    let outcome: StepOutcome | undefined;
    let running: Promise<StepOutcome> | undefined;
    try {
      const sent = await credentials();
      const request = { ...step.request, ...through, headers: headersOf(source, step, sent), onlyLoopback };
      const start = (limited: AbortSignal): Promise<StepOutcome> =>
        (running = runStep({ ...step, request }, limited, () => turn.sent()));
      outcome = await within(start, signal);
      return told(withoutCredentials(outcome, sent));
    } finally {
      giveBack(turn, outcome, step.render === 'browser' ? running : undefined);
    }
  }

  /** A turn that may still be used when it comes, as far as the source's circuit and robots.txt go; any other goes back unused. */
  async function turnFor(wish: Wish, manner: 'obey' | 'ignore', signal: AbortSignal): Promise<Turn | StepFailure> {
    const { source, step, explain } = wish;
    const { url } = step.request;
    let allowedAt = clock.monotonic();
    const toldAt = robotsToldAt(wish, manner);
    if (explain) explain(await hosts.ask<HoldUp>((reply) => ({ type: 'hold-up', ...hostWish(wish), reply })));
    for (;;) {
      const turn = await takeTurn(hosts, hostWish(wish), signal);
      if (manner === 'obey' && clock.monotonic() - allowedAt > verdictServesMs) {
        const verdict = verdictInTurn(wish, toldAt);
        if (verdict !== 'allowed') turn.done({ kind: 'unused' });
        if (verdict === 'ask') {
          // To ask for robots.txt takes a turn of the same host.
          const anew = await robots.mayAsk(source, url, signal);
          if (anew !== 'allowed') return anew;
          allowedAt = clock.monotonic();
          continue;
        }
        if (verdict !== 'allowed') return verdict;
      }
      const leave = await leaveFor(wish);
      if (leave.mayAsk) return turn;
      turn.done({ kind: 'unused' });
      await pause(clock, Math.max(1, leave.nextAt - clock.now()), signal);
    }
  }

  /** Once it was asked for again since the wish, the last good answer serves: each failure may have the host rest for long. */
  function verdictInTurn(wish: Wish, toldAt: number | undefined): ReturnType<Robots['known']> {
    const { source, step } = wish;
    const known = robots.known(source, step.request.url);
    return known === 'ask' && robotsToldAt(wish, 'obey') !== toldAt ? 'allowed' : known;
  }

  /** When robots.txt was last asked for, whatever came of it. */
  function robotsToldAt({ source, step }: Wish, manner: 'obey' | 'ignore'): number | undefined {
    if (manner === 'ignore' || source.robots === 'ignore') return undefined;
    return robots.entry(source, step.request.url)?.askedAt;
  }

  async function leaveFor({ source: { id: source }, target }: Wish): Promise<Leave> {
    if (target === undefined) return { mayAsk: true };
    return hosts.ask<Leave>((reply) => ({ type: 'ask-leave', source, target, reply }), Infinity);
  }

  function hostWish({ step: { request }, source, dueAt, deadlineAt }: Wish): Parameters<typeof takeTurn>[1] {
    return {
      key: politenessKey(source, request.url),
      policy: policyOf(source, robots.crawlDelayMs(source, request.url)),
      dueAt,
      deadlineAt,
      source: source.id,
      sentMs: turnMs(source.limits.total),
    };
  }

  /** Says of what no setting of the source could allow what would. */
  function told(outcome: StepOutcome): StepOutcome {
    if (!onlyLoopback || outcome.kind !== 'failed' || outcome.failure.code !== 'refused_address') return outcome;
    const { failure } = outcome;
    const hint = 'without `bot.contact` in the configuration of the daemon, nothing but loopback is asked';
    return { ...outcome, failure: { ...failure, message: `${failure.message}; ${hint}` } };
  }

  function failedOutcome(failure: StepFailure): StepOutcome {
    return { kind: 'failed', failure, at: clock.now(), elapsedMs: 0, bytes: 0 };
  }
}

type Start = (signal: AbortSignal) => Promise<StepOutcome>;

function headersOf({ userAgent }: Source, { request }: Step, credentials: SessionHeaders): SessionHeaders {
  return { ...request.headers, ...(userAgent !== undefined && { 'user-agent': userAgent }), ...credentials };
}

function policyOf({ politeness }: Source, crawlDelayMs: number | undefined): Policy {
  const { concurrency, delay, minDelay, autoThrottle } = politeness;
  const throttle = autoThrottle && {
    startMs: autoThrottle.start,
    maxMs: autoThrottle.max,
    concurrency: autoThrottle.concurrency,
  };
  return {
    concurrency,
    delayMs: delay,
    minDelayMs: minDelay,
    ...(crawlDelayMs !== undefined && { crawlDelayMs }),
    ...(throttle !== false && { autoThrottle: throttle }),
  };
}

/** What the scripts of a page had asked for when it was ended early is paid for as well; the browser tells as it is ended. */
function giveBack(turn: Turn, outcome: StepOutcome | undefined, rendering: Promise<StepOutcome> | undefined): void {
  const came: TurnOutcome = outcome === undefined ? { kind: 'unused' } : turnOutcomeOf(outcome);
  if (rendering === undefined) return turn.done(came);
  const back = (more: number | undefined): void => turn.done({ ...came, ...(more !== undefined && { more }) });
  rendering.then(
    ({ more }) => back(more),
    () => back(undefined),
  );
}

function turnOutcomeOf(outcome: StepOutcome): TurnOutcome {
  const { status, elapsedMs: latencyMs } = outcome;
  const trouble = outcome.kind === 'failed' ? { ...outcome.failure, status } : undefined;
  const { more } = outcome;
  return { ...turnOutcome(trouble, { status, latencyMs }), ...(more !== undefined && { more }) };
}
