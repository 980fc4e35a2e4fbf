import { unsentOutcome } from './failure.ts';
import { namedIn } from '../definition/auth.ts';
import { politenessKey, type Source } from '../definition/source.ts';
import { type Exchange, type Step, type StepFailure, type StepOutcome, TurnUnused } from '../engine/step.ts';
import type { Offer } from '../fetch/ledger/host-line.ts';
import { type CarriedTurn, turnLimitMs } from '../fetch/ledger/turn-leases.ts';
import type { Policy } from '../fetch/ledger/policy.ts';
import { type TurnOutcome, turnOutcome } from '../fetch/ledger/turn-outcome.ts';
import type { FailedExchange } from '../fetch/failure.ts';
import type { HttpProxy } from '../fetch/request.ts';
import { textOf } from '../session/login.ts';
import type { FindSecrets } from '../session/secret-store.ts';
import { defined } from '../defined.ts';
import type { Grant } from './gate.ts';
import { firstInLine, type RequestIntent, type SessionHeaders } from './intent.ts';
import type { RequestPorts } from './ports.ts';
import { withoutSentCredentials } from './sent-credentials.ts';
import { WatchedExchange } from './watch-steps.ts';

/** Decides when the turn has come whether the request is still sent. */
export interface GrantCheck {
  /** The decision now. A turn that is not allowed does not count for the circuit of the source. */
  verdict(): 'allowed' | StepFailure;
  /** Brings the decision up to date, as the turn is about to be granted; `undefined` where it is. */
  prepare(signal: AbortSignal): Promise<unknown> | undefined;
}

/** How an exchange takes its turn. */
export interface TurnOptions {
  /** The pause between requests that the robots.txt of the host asks for, in milliseconds; `undefined` where none is known. */
  crawlDelayMs(): number | undefined;
  /** Gets the headers of the session when the turn has come, since another request may have logged in meanwhile. Default: none. */
  credentials?(): Promise<SessionHeaders>;
  readonly check?: GrantCheck;
  /** Whether other requests of the source wait for this one; it passes them. */
  readonly isPrerequisite?: true;
}

/** The failure of a request that was refused by its `GrantCheck`. */
export interface Refused {
  readonly refused: StepFailure;
}

/**
 * Makes one HTTP exchange in a turn of its host: waits at the gate, runs the step on the engine, and gives the turn back when the
 * response has come, before its page is read. Rejects with the signal's reason when that fires first, and for errors of ours.
 */
export type ExchangeInTurn = (
  intent: RequestIntent,
  options: TurnOptions,
  signal: AbortSignal,
) => Promise<StepOutcome | Refused>;

/** Creates the function that makes exchanges, each in a turn of its host and through the proxy of its source. */
export function createExchangeInTurn({
  clock,
  hosts,
  secrets,
  runStep,
  steps,
  acknowledge,
  daemon,
}: Pick<RequestPorts, 'clock' | 'hosts' | 'secrets' | 'runStep' | 'steps' | 'acknowledge' | 'daemon'>): ExchangeInTurn {
  const { gate } = hosts;
  const { onlyLoopback } = daemon.bot;
  if (steps === undefined) return inTurns;
  return async (intent, options, signal) => {
    const watched = new WatchedExchange(steps, intent, signal, clock);
    try {
      return watched.ended(await inTurns(watched.intent, options, watched.signal));
    } catch (error) {
      return watched.broke(error);
    }
  };

  /** Makes an exchange in one turn, or in further ones until one is used. */
  async function inTurns(
    intent: RequestIntent,
    options: TurnOptions,
    signal: AbortSignal,
  ): Promise<StepOutcome | Refused> {
    for (;;) {
      try {
        return await inOneTurn(intent, options, signal);
      } catch (error) {
        if (!(error instanceof TurnUnused)) throw error;
        // It waits for another turn.
        signal.throwIfAborted();
        intent.waits?.(true);
      }
    }
  }

  async function inOneTurn(
    intent: RequestIntent,
    options: TurnOptions,
    signal: AbortSignal,
  ): Promise<StepOutcome | Refused> {
    const { step, source, within = (run, limited) => run(limited) } = intent;
    const proxy = await proxyOf(source, secrets.remembered);
    if ('missing' in proxy) return unsentOutcome({ code: 'not_initialised', message: proxy.missing }, clock.now());
    const grant = await takeTurn(intent, options, signal);
    if ('refused' in grant) return grant;
    intent.waits?.(false);
    let outcome: StepOutcome | undefined;
    let running: Promise<StepOutcome> | undefined;
    let isBegun = false;
    try {
      const credentials = (await options.credentials?.()) ?? {};
      const turn = turnOf(source, grant, options.crawlDelayMs());
      const request = { ...step.request, ...proxy, headers: headersOf(source, step, credentials), onlyLoopback };
      outcome = await within((limited) => {
        isBegun = true;
        running = runStep(
          { ...step, request, turn },
          limited,
          () => grant.sent(),
          (exchange) => {
            intent.came?.();
            gate.done(grant, answered(exchange));
          },
          (worker) => intent.takenBy?.(worker),
        );
        return running;
      }, signal);
      // That of a page is acknowledged once its scrape has written it.
      if (outcome.receipt !== undefined && (intent.kind ?? 'page') !== 'page') acknowledge?.(outcome.receipt);
      return withoutSentCredentials(outcome, credentials);
    } catch (error) {
      // What broke may have asked before it did.
      if (isBegun && !signal.aborted && !(error instanceof TurnUnused)) grant.sent();
      throw error;
    } finally {
      const isOwn = outcome?.isOfEarlierTurn !== true;
      giveBack(grant, isOwn ? outcome : undefined, step.render === undefined ? undefined : running);
    }
  }

  /** Takes the turn with which the scrape begins, if that is of the same host, or else waits for one. */
  async function takeTurn(
    intent: RequestIntent,
    { crawlDelayMs, check, isPrerequisite }: TurnOptions,
    signal: AbortSignal,
  ): Promise<Grant | Refused> {
    const { first, explain } = intent;
    const offer = offerOf(intent, crawlDelayMs(), clock.now());
    const held = first?.key === offer.key ? first.take() : undefined;
    if (held !== undefined) return held;
    // A scrape that goes elsewhere must not keep the host of its turn from others.
    first?.giveBack();
    explain?.(await hosts.expectedWait(offer));
    signal.throwIfAborted();
    const prepare = check && (() => check.prepare(signal));
    const wish = { ...offer, isPrerequisite, ...defined({ prepare }) };
    const taken = await gate.take<StepFailure>(wish, signal, check && (() => check.verdict()));
    return 'code' in taken ? { refused: taken } : taken;
  }

  /** Gives the turn back, unless its response came, and ended it. A rendering that was cut is waited for: at its end the browser reports the requests of its scripts, which count. */
  function giveBack(grant: Grant, outcome: StepOutcome | undefined, rendering: Promise<StepOutcome> | undefined): void {
    const ended: TurnOutcome = outcome === undefined ? { kind: 'unused' } : turnOutcomeOf(outcome);
    if (rendering === undefined) return gate.done(grant, ended);
    rendering.then(
      ({ more }) => gate.done(grant, { ...ended, ...defined({ more }) }),
      () => gate.done(grant, ended),
    );
  }
}

function offerOf(
  { step, source, target, dueAt, deadlineAt, isManual }: RequestIntent,
  crawlDelayMs: number | undefined,
  now: number,
): Offer {
  return {
    key: politenessKey(source, step.request.url),
    policy: policyOf(source, crawlDelayMs),
    dueAt,
    askedAt: dueAt === firstInLine ? now : undefined,
    deadlineAt,
    isManual,
    source: source.id,
    target,
    sentMs: turnLimitMs(source.limits.total),
  };
}

function turnOf(source: Source, { lease }: Grant, crawlDelayMs: number | undefined): CarriedTurn {
  return { ...lease, policy: policyOf(source, crawlDelayMs), sentMs: turnLimitMs(source.limits.total) };
}

function headersOf({ userAgent }: Source, { request }: Step, credentials: SessionHeaders): SessionHeaders {
  const own = userAgent === undefined ? request.headers : { ...request.headers, 'user-agent': userAgent };
  return { ...own, ...credentials };
}

/** The policies of sources as they are loaded, by crawl-delay, since each offer keeps one. */
const policies = new WeakMap<Source, Map<number | undefined, Policy>>();

/** The policy by which a source's host is asked. */
export function policyOf(source: Source, crawlDelayMs: number | undefined): Policy {
  const known = policies.get(source) ?? new Map<number | undefined, Policy>();
  policies.set(source, known);
  const policy = known.get(crawlDelayMs) ?? newPolicy(source, crawlDelayMs);
  known.set(crawlDelayMs, policy);
  return policy;
}

function newPolicy({ politeness }: Source, crawlDelayMs: number | undefined): Policy {
  const { concurrency, delay, minDelay, autoThrottle } = politeness;
  return {
    concurrency,
    delayMs: delay,
    minDelayMs: minDelay,
    crawlDelayMs,
    autoThrottle:
      autoThrottle === false
        ? undefined
        : { startMs: autoThrottle.start, maxMs: autoThrottle.max, concurrency: autoThrottle.concurrency },
  };
}

/**
 * The proxy of a source with its credentials, nothing for a source without one, or a sentence that says which secrets are missing. Rejects
 * as `findSecrets` does.
 */
async function proxyOf(
  { proxy }: Source,
  findSecrets: FindSecrets,
): Promise<{ readonly proxy?: HttpProxy } | { readonly missing: string }> {
  if (proxy === undefined) return {};
  const { url, user, password } = proxy;
  if (user === undefined && password === undefined) return { proxy: { url } };
  const found = await findSecrets(namedIn([user, password]));
  if (!found.ok) return { missing: found.message };
  const text = (given: typeof user): string => (given === undefined ? '' : textOf(given, found.secrets));
  const credentials = Buffer.from(`${text(user)}:${text(password)}`).toString('base64');
  return { proxy: { url, authorization: `Basic ${credentials}` } };
}

/** What the outcome of a step says of the host that was asked. */
export function turnOutcomeOf(outcome: StepOutcome): TurnOutcome {
  const trouble = outcome.kind === 'failed' ? { ...outcome.failure, status: outcome.status } : undefined;
  return answered(outcome, trouble);
}

function answered({ status, elapsedMs: latencyMs, more }: Exchange, trouble?: FailedExchange): TurnOutcome {
  return { ...turnOutcome(trouble, { status, latencyMs }), ...defined({ more }) };
}
