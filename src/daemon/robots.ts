import { hash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Source } from '../definition/source.ts';
import type { StepFailure, StepOutcome } from '../engine/step.ts';
import { openRobotsDesk, type RobotsDesk } from '../fetch/robots.ts';
import { askRobots, type RobotsAnswer } from '../fetch/robots/ask.ts';
import { describeRefusal, type RobotsEntry, type RobotsVerdict } from '../fetch/robots/entry.ts';
import { requestOf } from '../provider/requests.ts';
import { unaskedFailures } from '../scrape/ask.ts';
import type { Store } from '../store/store.ts';
import type { Asking } from './asking.ts';
import type { DaemonState } from './state.ts';

/** What sites ask of robots, for sources that obey. */
export interface Robots {
  /** Whether an URL may be asked, or why not. */
  mayAsk(source: Source, url: string, signal: AbortSignal): Promise<'allowed' | StepFailure>;
  /** The same as far as it is known now; `ask` when robots.txt must be asked for first. */
  known(source: Source, url: string): 'allowed' | 'ask' | StepFailure;
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
 * the same way. Each origin is asked under the politeness of the source that wants to know first, as its definition is then.
 */
export function createRobots({ clock, state, productToken, random, exchange }: RobotsDeps): Robots {
  const desks = new Map<string, RobotsDesk<Source>>();

  return {
    async mayAsk(source, url, signal) {
      if (source.robots === 'ignore') return 'allowed';
      try {
        return verdictOf(await deskOf(source).mayAsk(url, signal, source));
      } catch (error) {
        if (error instanceof Unasked) return error.failure;
        throw error;
      }
    },
    known(source, url) {
      if (source.robots === 'ignore') return 'allowed';
      const known = deskOf(source).known(url);
      return known === 'ask' ? known : verdictOf(known);
    },
    crawlDelayMs: (source, url) =>
      source.robots === 'ignore' ? undefined : deskOf(source).crawlDelayMs(new URL(url).origin),
    entry: (source, url) => deskOf(source).entry(new URL(url).origin),
  };

  function verdictOf(verdict: RobotsVerdict): 'allowed' | StepFailure {
    if (verdict === 'allowed') return verdict;
    const { refused } = verdict;
    const message = describeRefusal(refused);
    if (refused.code === 'disallowed') return { code: 'robots_disallowed', message };
    return { code: refused.code, message, retryAfterMs: Math.max(0, refused.askAt - clock.now()) };
  }

  function deskOf(source: Source): RobotsDesk<Source> {
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
    return /^[A-Za-z_-]+/.exec(userAgent ?? '')?.[0] ?? productToken;
  }

  function openDesk(token: string, name: string): RobotsDesk<Source> {
    return openRobotsDesk<Source>({
      clock,
      productToken: token,
      random,
      ask: (origin, signal, source) => askRobots(origin, token, (url) => fetchRobots(source, origin, url, signal)),
      load: (origin) => state.store().robots.get([origin, name]),
      save: (origin, entry) => void state.unlessFull(() => save(state.store(), [origin, name], entry)),
    });
  }

  async function fetchRobots(source: Source, origin: string, url: string, signal: AbortSignal): Promise<RobotsAnswer> {
    const { limits, allowPrivate } = requestOf(source, url);
    const step = { request: { url, allowPrivate, limits: { ...limits, maxBytes } } };
    const outcome = await exchange({ step, source, dueAt: firstInLine }, signal);
    const isOwn = new URL(url).origin === origin;
    if (isOwn && outcome.kind === 'failed' && unaskedFailures.has(outcome.failure.code))
      throw new Unasked(outcome.failure);
    return answerOf(outcome, url);
  }
}

function save(store: Store, key: [string, string], entry: RobotsEntry): Promise<void> {
  return store.write(() => store.robots.put(key, entry));
}

/** Throws where nothing was learned, as the exchange was cancelled. */
function answerOf(outcome: StepOutcome, url: string): RobotsAnswer {
  switch (outcome.kind) {
    case 'page':
      return { kind: 'body', status: outcome.page.status, body: outcome.page.body };
    case 'redirect':
      return { kind: 'redirect', url: outcome.location };
    case 'failed': {
      const { code, message: cause, retryAfterMs } = outcome.failure;
      if (code === 'cancelled') throw new Error('asking for robots.txt was cancelled');
      if (code !== 'status' || outcome.status === undefined) return { kind: 'failed', cause };
      return { kind: 'status', status: outcome.status, cause, ...(retryAfterMs !== undefined && { retryAfterMs }) };
    }
    case 'read':
    case 'unmodified':
      throw new Error(`${url}: expected the page itself, got an outcome "${outcome.kind}"`);
    default:
      return outcome satisfies never;
  }
}
