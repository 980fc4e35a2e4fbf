import { hash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Source } from '../definition/source.ts';
import type { StepFailure, StepOutcome } from '../engine/step.ts';
import type { FetchOutcome } from '../fetch/request.ts';
import { openRobotsDesk, type RobotsDesk } from '../fetch/robots.ts';
import { askRobots } from '../fetch/robots/ask.ts';
import { describeRefusal, type RobotsEntry } from '../fetch/robots/entry.ts';
import { openProvider } from '../provider/all.ts';
import { unaskedFailures } from '../scrape/ask.ts';
import type { Store } from '../store/store.ts';
import type { Asking } from './asking.ts';
import type { DaemonState } from './state.ts';

/** What sites ask of robots, for sources that obey. */
export interface Robots {
  /** Whether an URL may be asked, or why not. */
  mayAsk(source: Source, url: string, signal: AbortSignal): Promise<'allowed' | StepFailure>;
  /** The pause that the origin asks for, as far as its robots.txt is known. */
  crawlDelayMs(source: Source, url: string): number | undefined;
  /** What is known of the origin of an URL, for people. */
  entry(source: Source, url: string): RobotsEntry | undefined;
}

export interface RobotsDeps {
  readonly clock: Clock;
  readonly state: Pick<DaemonState, 'store' | 'unlessFull'>;
  /** What robots.txt is read for where a source has no user agent of its own. */
  readonly productToken: string;
  random(): number;
  /** Makes one exchange under a turn. */
  readonly exchange: Asking['exchange'];
}

/** Others of the source wait for the answer. */
const firstInLine = 0;

/** A robots.txt is read this far; what comes after 500 KiB of it says nothing. */
const maxBytes = 4 * 1024 * 1024;

/** Thrown where an origin could not be asked for reasons of ours, so that nothing is remembered against it. */
class Unasked extends Error {
  override readonly name = 'Unasked';
  readonly failure: StepFailure;

  constructor(failure: StepFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/**
 * One desk for all sources that would get the same answer: those that call themselves the same, may reach the same, and go
 * the same way. Each is asked under the politeness of the source that wanted to know first.
 */
export function createRobots({ clock, state, productToken, random, exchange }: RobotsDeps): Robots {
  const desks = new Map<string, RobotsDesk>();

  return {
    async mayAsk(source, url, signal) {
      if (source.robots === 'ignore') return 'allowed';
      try {
        const verdict = await deskOf(source).mayAsk(url, signal);
        if (verdict === 'allowed') return verdict;
        const { refused } = verdict;
        const message = describeRefusal(refused);
        if (refused.code === 'disallowed') return { code: 'robots_disallowed', message };
        return { code: refused.code, message, retryAfterMs: Math.max(0, refused.askAt - clock.now()) };
      } catch (error) {
        if (error instanceof Unasked) return error.failure;
        throw error;
      }
    },
    crawlDelayMs: (source, url) =>
      source.robots === 'ignore' ? undefined : deskOf(source).crawlDelayMs(new URL(url).origin),
    entry: (source, url) => deskOf(source).entry(new URL(url).origin),
  };

  function deskOf(source: Source): RobotsDesk {
    const token = tokenOf(source);
    const { userAgent, allowPrivate, politeness, proxy } = source;
    const asker = JSON.stringify([token, userAgent, allowPrivate, politeness.key, proxy]);
    const name = hash('sha256', asker).slice(0, 16);
    const known = desks.get(name);
    if (known !== undefined) return known;
    const desk = openDesk(source, token, name);
    desks.set(name, desk);
    return desk;
  }

  function tokenOf({ userAgent }: Source): string {
    return /^[A-Za-z_-]+/.exec(userAgent ?? '')?.[0] ?? productToken;
  }

  function openDesk(source: Source, token: string, name: string): RobotsDesk {
    return openRobotsDesk({
      clock,
      productToken: token,
      random,
      ask: (origin, signal) => askRobots(origin, token, (url) => fetchRobots(source, origin, url, signal)),
      load: (origin) => state.store().robots.get([origin, name]),
      save: (origin, entry) => void state.unlessFull(() => save(state.store(), [origin, name], entry)),
    });
  }

  async function fetchRobots(source: Source, origin: string, url: string, signal: AbortSignal): Promise<FetchOutcome> {
    const { limits, allowPrivate } = openProvider(source).request(url);
    const step = { request: { url, allowPrivate, limits: { ...limits, maxBytes } } };
    const outcome = await exchange({ step, source, dueAt: firstInLine }, signal);
    const isOwn = new URL(url).origin === origin;
    if (isOwn && outcome.kind === 'failed' && unaskedFailures.has(outcome.failure.code))
      throw new Unasked(outcome.failure);
    return fetchOutcomeOf(outcome, url);
  }
}

function save(store: Store, key: [string, string], entry: RobotsEntry): Promise<void> {
  return store.write(() => store.robots.put(key, entry));
}

/** As the client told it; the engine puts it in other words. */
function fetchOutcomeOf(outcome: StepOutcome, url: string): FetchOutcome {
  const { elapsedMs, bytes: encodedBytes, status = 0, setCookies = [] } = outcome;
  const cost = { elapsedMs, encodedBytes, status };
  switch (outcome.kind) {
    case 'page':
      return { kind: 'page', page: outcome.page, setCookies };
    case 'redirect':
      return { kind: 'redirect', status, url: outcome.location, cost, setCookies };
    case 'failed': {
      const { code, message: cause, retryAfterMs } = outcome.failure;
      if (code === 'cancelled') return { kind: 'failure', failure: { code }, cost, setCookies };
      if (code !== 'status') return { kind: 'failure', failure: { code: 'unreachable', cause }, cost, setCookies };
      const failure = { code, status, ...(retryAfterMs !== undefined && { retryAfterMs }) } as const;
      return { kind: 'failure', failure, cost, setCookies };
    }
    case 'read':
    case 'unmodified':
      throw new Error(`${url}: expected the page itself, got an outcome "${outcome.kind}"`);
    default:
      return outcome satisfies never;
  }
}
