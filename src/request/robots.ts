import { unsentFailures } from './failure.ts';
import { hash } from 'node:crypto';
import type { Source } from '../definition/source.ts';
import type { StepFailure, StepOutcome } from '../engine/step.ts';
import { openRobotsDesk, type RobotsDesk } from '../fetch/robots/desk.ts';
import {
  askRobots,
  describeRefusal,
  type RobotsAnswer,
  type RobotsEntry,
  type RobotsVerdict,
  siteFailures,
} from '../fetch/robots/verdict.ts';
import { requestOf } from '../provider/requests.ts';
import { defined } from '../defined.ts';
import { firstInLine, type RequestIntent } from './intent.ts';
import type { RequestPorts } from './ports.ts';
import type { ExchangeInTurn, GrantCheck } from './turn.ts';

/** The robots.txt of each origin, for sources that obey it. */
export interface Robots {
  /**
   * Whether an URL may be requested, or the failure that says why not. Requests robots.txt first where it is not known or too old.
   * Rejects with the signal's reason when that fires first.
   */
  mayAsk(source: Source, url: string, signal: AbortSignal): Promise<'allowed' | StepFailure>;
  /**
   * Requests robots.txt where it is not known or too old; `undefined` where `mayAsk` can answer at once. Rejects with the signal's reason
   * when that fires first.
   */
  prepare(source: Source, url: string, signal: AbortSignal): Promise<'allowed' | StepFailure> | undefined;
  /** Looks at the answer of `mayAsk` again when a turn comes later; `undefined` for a source that ignores robots.txt. */
  grantCheck(source: Source, url: string): GrantCheck | undefined;
  /** The pause between requests that robots.txt asks for, in milliseconds; `undefined` where none is known. */
  crawlDelayMs(source: Source, url: string): number | undefined;
  /** The stored answer of an URL's origin for its robots.txt, to be shown to people; `undefined` where it was never requested. */
  entry(source: Source, url: string): RobotsEntry | undefined;
  /**
   * Makes one exchange that robots.txt has no say in, such as a log-in, at the pace that robots.txt asks for. Rejects with the signal's
   * reason when that fires first.
   */
  exchange(intent: RequestIntent, signal: AbortSignal): Promise<StepOutcome>;
}

/** The largest robots.txt that is read, in bytes. Only its first 500 KiB count. */
const maxBytes = 4 * 1024 * 1024;

/** The longest time between the answer of robots.txt and the turn, in milliseconds; after it the answer is looked at again. */
const verdictServesMs = 60_000;

/** Thrown where robots.txt could not be requested for a cause in the daemon, so that nothing is stored of the origin. */
class Unasked extends Error {
  override readonly name = 'Unasked';
  readonly failure: StepFailure;

  constructor(failure: StepFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/**
 * Opens the robots.txt of all sources. One desk serves all sources that get the same answer: those with one product token, one user agent,
 * one politeness key, one proxy and one right to private addresses. Each origin is asked under the politeness of the source that wants to
 * know first.
 */
export function createRobots(
  { clock, random, rows, daemon }: Pick<RequestPorts, 'clock' | 'random' | 'rows' | 'daemon'>,
  exchangeInTurn: ExchangeInTurn,
): Robots {
  const desks = new Map<string, RobotsDesk<Source>>();
  /** The desk of each source as it is loaded, since each of its requests asks several times. */
  const desksBySource = new WeakMap<Source, RobotsDesk<Source>>();
  return { mayAsk, prepare, grantCheck, crawlDelayMs, entry, exchange };

  async function mayAsk(source: Source, url: string, signal: AbortSignal): Promise<'allowed' | StepFailure> {
    if (isFree(source, url)) return 'allowed';
    try {
      return verdictOf(await deskOf(source).mayAsk(url, signal, source));
    } catch (error) {
      if (error instanceof Unasked) return error.failure;
      throw error;
    }
  }

  function grantCheck(source: Source, url: string): GrantCheck | undefined {
    if (isFree(source, url)) return undefined;
    const allowedAt = clock.monotonic();
    const isLate = (): boolean => clock.monotonic() - allowedAt > verdictServesMs;
    return {
      prepare: (signal) => (isLate() ? prepare(source, url, signal) : undefined),
      verdict() {
        if (!isLate()) return 'allowed';
        const known = deskOf(source).known(url);
        // Where robots.txt could not be requested again, its last good answer serves.
        return known === 'ask' ? 'allowed' : verdictOf(known);
      },
    };
  }

  function prepare(source: Source, url: string, signal: AbortSignal): Promise<'allowed' | StepFailure> | undefined {
    const isKnown = isFree(source, url) || deskOf(source).known(url) !== 'ask';
    return isKnown ? undefined : mayAsk(source, url, signal);
  }

  function crawlDelayMs(source: Source, url: string): number | undefined {
    return isFree(source, url) ? undefined : deskOf(source).crawlDelayMs(new URL(url).origin);
  }

  function entry(source: Source, url: string): RobotsEntry | undefined {
    return deskOf(source).entry(new URL(url).origin);
  }

  async function exchange(intent: RequestIntent, signal: AbortSignal): Promise<StepOutcome> {
    const { source, step } = intent;
    const { url } = step.request;
    const options = { crawlDelayMs: () => crawlDelayMs(source, url), isPrerequisite: true } as const;
    const outcome = await exchangeInTurn(intent, options, signal);
    if ('refused' in outcome) throw new Error(`${url}: was refused without a check`);
    return outcome;
  }

  function verdictOf(verdict: RobotsVerdict): 'allowed' | StepFailure {
    if (verdict === 'allowed') return verdict;
    const { refused } = verdict;
    const message = describeRefusal(refused);
    if (refused.code === 'disallowed') return { code: 'robots_disallowed', message };
    const code = refused.site ?? refused.code;
    return { code, message, retryAfterMs: Math.max(0, refused.askAt - clock.now()) };
  }

  function deskOf(source: Source): RobotsDesk<Source> {
    const known = desksBySource.get(source);
    if (known !== undefined) return known;
    const desk = sharedDesk(source);
    desksBySource.set(source, desk);
    return desk;
  }

  /** The desk of all sources that get the same answer as `source`. */
  function sharedDesk(source: Source): RobotsDesk<Source> {
    const token = tokenOf(source);
    const { userAgent, allowPrivate, politeness, proxy } = source;
    const asker = JSON.stringify([token, userAgent, allowPrivate, politeness.key, proxy]);
    const name = hash('sha256', asker).slice(0, 16);
    const known = desks.get(name);
    if (known !== undefined) return known;
    const desk = openDesk(token, name);
    desks.set(name, desk);
    return desk;
  }

  function tokenOf({ userAgent }: Source): string {
    return /^[A-Za-z_-]+/.exec(userAgent ?? '')?.[0] ?? daemon.bot.name;
  }

  function openDesk(token: string, name: string): RobotsDesk<Source> {
    return openRobotsDesk<Source>({
      clock,
      productToken: token,
      random,
      ask: (origin, signal, source) => askRobots(origin, token, (url) => fetchRobots(source, origin, url, signal)),
      load: (origin) => rows.robots.load(origin, name),
      save: (origin, found) => rows.robots.save(origin, name, found),
    });
  }

  async function fetchRobots(source: Source, origin: string, url: string, signal: AbortSignal): Promise<RobotsAnswer> {
    const { limits, allowPrivate } = requestOf(source, url);
    const step = { request: { url, allowPrivate, limits: { ...limits, maxBytes } } };
    const outcome = await exchange({ kind: 'robots', step, source, dueAt: firstInLine }, signal);
    const isOwn = new URL(url).origin === origin;
    if (isOwn && outcome.kind === 'failed' && unsentFailures.has(outcome.failure.code))
      throw new Unasked(outcome.failure);
    return answerOf(outcome, { url, isOwn });
  }
}

/**
 * The answer for a robots.txt that an exchange brought. Throws where the exchange was cancelled, so that nothing was learned.
 *
 * @param isOwn - whether the origin itself was asked, and not the one that it redirected to.
 */
function answerOf(
  outcome: StepOutcome,
  { url, isOwn }: { readonly url: string; readonly isOwn: boolean },
): RobotsAnswer {
  switch (outcome.kind) {
    case 'page':
      return { kind: 'body', status: outcome.page.status, body: outcome.page.body };
    case 'redirect':
      return { kind: 'redirect', url: outcome.location };
    case 'failed': {
      const { code, message: cause, retryAfterMs } = outcome.failure;
      if (code === 'cancelled') throw new Error('asking for robots.txt was cancelled');
      const site = isOwn ? siteFailures.find((each) => each === code) : undefined;
      if (code !== 'status' || outcome.status === undefined) return { kind: 'failed', cause, ...defined({ site }) };
      return { kind: 'status', status: outcome.status, cause, ...defined({ retryAfterMs }) };
    }
    case 'read':
    case 'unmodified':
      throw new Error(`${url}: expected the page itself, got an outcome "${outcome.kind}"`);
    default:
      return outcome satisfies never;
  }
}

/** Whether no robots.txt applies to an address: its source ignores them, or the address is a name that only a plug-in or a program knows. */
function isFree({ robots }: Source, url: string): boolean {
  return robots === 'ignore' || !/^https?:/.test(url);
}
