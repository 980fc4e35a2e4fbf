import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import { unlessAborted } from '../abort.ts';
import {
  crawlDelayMs,
  knownVerdict,
  robotsAfter,
  type RobotsEntry,
  type RobotsOutcome,
  type RobotsVerdict,
  verdict,
} from './verdict.ts';
import { noRules } from './parse.ts';

/**
 * The dependencies of a desk.
 *
 * @typeParam A - describes the caller for `ask`.
 */
export interface RobotsDeskDeps<A = void> {
  readonly clock: Clock;
  /** The daemon's product token: letters, `_` and `-`. */
  readonly productToken: string;
  /** A number in `[0, 1)`. */
  random(): number;
  /**
   * Requests the robots.txt of an origin, as `askRobots` does: every exchange under a turn. The signal fires when
   * nobody waits for it any more. A rejection is passed to all who wait, and nothing is remembered.
   *
   * @param asker - the first caller that waits.
   */
  ask(origin: string, signal: AbortSignal, asker: A): Promise<RobotsOutcome>;
  /** The entry that was last saved for an origin. */
  load(origin: string): RobotsEntry | undefined;
  /** Saves an entry durably. Called once for each time an origin was asked. */
  save(origin: string, entry: RobotsEntry): void;
  /** The largest number of entries in memory. Default 10,000; the least recently used are left to `load`. */
  readonly maxOrigins?: number;
  /** Their largest total size, roughly. Default 64 MiB. */
  readonly maxBytes?: number;
}

/**
 * Knows the robots.txt of every origin. Each is requested when it is needed and not known or too old, once for all
 * callers.
 */
export interface RobotsDesk<A = void> {
  /**
   * Whether `url`, an http or https URL, may be requested. Requests robots.txt first if it is not known or too old.
   * Rejects with the signal's reason if the signal fires first, or with what `ask` rejected with.
   */
  mayAsk(url: string, signal: AbortSignal, asker: A): Promise<RobotsVerdict>;
  /** Whether `url` may be requested as far as it is known now; `ask` if robots.txt must be requested first. */
  known(url: string): RobotsVerdict | 'ask';
  /** The crawl-delay of an origin in milliseconds, if its robots.txt is known, as it is after `mayAsk`. */
  crawlDelayMs(origin: string): number | undefined;
  /** The entry of an origin, for people. */
  entry(origin: string): RobotsEntry | undefined;
}

/** A request for a robots.txt that is under way. */
interface PendingFetch {
  readonly entry: Promise<RobotsEntry>;
  readonly controller: AbortController;
  waiters: number;
}

/** Creates a desk without entries in memory. Its methods throw, or reject, for an address that is no URL. */
export function openRobotsDesk<A = void>(deps: RobotsDeskDeps<A>): RobotsDesk<A> {
  const { clock } = deps;
  const memory = new LRUCache<string, RobotsEntry>({
    max: deps.maxOrigins ?? 10_000,
    maxSize: deps.maxBytes ?? 64 * 1024 * 1024,
    sizeCalculation: roughBytes,
  });
  const { productToken } = noRules(deps.productToken);
  /** The requests for robots.txt that callers wait for, by origin. */
  const fetches = new Map<string, PendingFetch>();

  return {
    async mayAsk(href, signal, asker) {
      signal.throwIfAborted();
      const url = new URL(href);
      const known = knownOf(url);
      if (known !== 'ask') return known;
      return knownVerdict(await wait(url.origin, signal, asker), url, clock.now());
    },
    known: (href) => knownOf(new URL(href)),
    crawlDelayMs: (origin) => crawlDelayMs(recall(origin), clock.now()),
    entry: recall,
  };

  function knownOf(url: URL): RobotsVerdict | 'ask' {
    return verdict(recall(url.origin), url, clock.now());
  }

  function recall(origin: string): RobotsEntry | undefined {
    const remembered = memory.get(origin);
    if (remembered) return remembered;
    const loaded = deps.load(origin);
    if (!loaded || !isOurs(loaded)) return undefined;
    memory.set(origin, loaded);
    return loaded;
  }

  /** Whether an entry was read for our product token. */
  function isOurs({ answer }: RobotsEntry): boolean {
    return !answer || answer.rules.productToken === productToken;
  }

  async function wait(origin: string, signal: AbortSignal, asker: A): Promise<RobotsEntry> {
    const fetching = fetches.get(origin) ?? begin(origin, asker);
    fetching.waiters += 1;
    try {
      return await unlessAborted(fetching.entry, signal);
    } finally {
      fetching.waiters -= 1;
      if (fetching.waiters === 0) end(origin, fetching);
    }
  }

  function begin(origin: string, asker: A): PendingFetch {
    const controller = new AbortController();
    const fetching: PendingFetch = { entry: ask(origin, controller.signal, asker), controller, waiters: 0 };
    fetches.set(origin, fetching);
    return fetching;
  }

  function end(origin: string, fetching: PendingFetch): void {
    fetches.delete(origin);
    fetching.controller.abort(new Error(`nobody waits for the robots.txt of ${origin}`));
  }

  async function ask(origin: string, signal: AbortSignal, asker: A): Promise<RobotsEntry> {
    const outcome = await deps.ask(origin, signal, asker);
    // Whoever asks meanwhile may know better.
    signal.throwIfAborted();
    const entry = robotsAfter(recall(origin), outcome, clock.now(), deps.random());
    memory.set(origin, entry);
    deps.save(origin, entry);
    return entry;
  }
}

/** The rough size of an entry in memory: strings of two bytes a character, and objects around them. */
function roughBytes({ answer }: RobotsEntry): number {
  const rules = answer?.rules.rules ?? [];
  return rules.reduce((sum, { pattern }) => sum + 60 + 2 * pattern.length, 500);
}
