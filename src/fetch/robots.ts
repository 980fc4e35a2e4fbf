import type { Clock } from '../clock.ts';
import {
  crawlDelayMs,
  knownVerdict,
  robotsAfter,
  type RobotsEntry,
  type RobotsOutcome,
  type RobotsVerdict,
  verdict,
} from './robots/entry.ts';
import { noRules } from './robots/parse.ts';
import { unlessAborted } from './unless-aborted.ts';

/** @typeParam A - for whom robots.txt is asked for, as far as whoever asks must know. */
export interface RobotsDeskDeps<A = void> {
  readonly clock: Clock;
  /** Ours: letters, `_` and `-`. */
  readonly productToken: string;
  /** A number in `[0, 1)`. */
  random(): number;
  /**
   * Asks an origin for its robots.txt, as `askRobots` does: every exchange under a turn. The signal fires when nobody waits
   * for the answer any more; a rejection is passed on to all who do, and nothing is remembered of it.
   *
   * @param asker - the first of those who wait.
   */
  ask(origin: string, signal: AbortSignal, asker: A): Promise<RobotsOutcome>;
  /** What was saved last of an origin. */
  load(origin: string): RobotsEntry | undefined;
  /** Keeps it durably; called once for each time an origin was asked. */
  save(origin: string, entry: RobotsEntry): void;
  /** Entries in memory, default 10,000. Those used longest ago are left to `load`. */
  readonly maxOrigins?: number;
  /** What they may take in all, about; default 64 MiB. */
  readonly maxBytes?: number;
}

/** Knows the robots.txt of every origin, and asks for each when it must: once, however many want to know. */
export interface RobotsDesk<A = void> {
  /**
   * Whether `url`, an http or https one, may be asked; asks for robots.txt first when it is not known or too old. Rejects
   * with the signal's reason when that fires first, or with what `ask` rejected with.
   */
  mayAsk(url: string, signal: AbortSignal, asker: A): Promise<RobotsVerdict>;
  /** The same as far as it is known now; `ask` when robots.txt must be asked for first. */
  known(url: string): RobotsVerdict | 'ask';
  /** The pause that the origin asks for, as far as its robots.txt is known: after `mayAsk`, it is. */
  crawlDelayMs(origin: string): number | undefined;
  /** What is known of an origin, for people. */
  entry(origin: string): RobotsEntry | undefined;
}

/** Somebody is asking an origin. */
interface Asking {
  readonly entry: Promise<RobotsEntry>;
  readonly controller: AbortController;
  waiters: number;
}

/** Opens a desk with nothing in memory. */
export function openRobotsDesk<A = void>(deps: RobotsDeskDeps<A>): RobotsDesk<A> {
  const { clock } = deps;
  const memory = new Memory(deps.maxOrigins ?? 10_000, deps.maxBytes ?? 64 * 1024 * 1024);
  const { productToken } = noRules(deps.productToken);
  /** One per origin that somebody waits for, so its size is bounded by theirs. */
  const askings = new Map<string, Asking>();

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

  /** Rules read for another product token are not for us. */
  function isOurs({ answer }: RobotsEntry): boolean {
    return !answer || answer.rules.productToken === productToken;
  }

  async function wait(origin: string, signal: AbortSignal, asker: A): Promise<RobotsEntry> {
    const asking = askings.get(origin) ?? begin(origin, asker);
    asking.waiters += 1;
    try {
      return await unlessAborted(asking.entry, signal);
    } finally {
      asking.waiters -= 1;
      if (asking.waiters === 0) end(origin, asking);
    }
  }

  function begin(origin: string, asker: A): Asking {
    const controller = new AbortController();
    const asking: Asking = { entry: ask(origin, controller.signal, asker), controller, waiters: 0 };
    askings.set(origin, asking);
    return asking;
  }

  function end(origin: string, asking: Asking): void {
    askings.delete(origin);
    asking.controller.abort(new Error(`nobody waits for the robots.txt of ${origin}`));
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

/** The entries used last, in order of use. */
class Memory {
  readonly #entries = new Map<string, { readonly entry: RobotsEntry; readonly bytes: number }>();
  readonly #maxOrigins: number;
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxOrigins: number, maxBytes: number) {
    this.#maxOrigins = maxOrigins;
    this.#maxBytes = maxBytes;
  }

  get(origin: string): RobotsEntry | undefined {
    const kept = this.#entries.get(origin);
    if (!kept) return undefined;
    this.#entries.delete(origin);
    this.#entries.set(origin, kept);
    return kept.entry;
  }

  set(origin: string, entry: RobotsEntry): void {
    this.#drop(origin);
    const bytes = roughBytes(entry);
    this.#entries.set(origin, { entry, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxOrigins && this.#bytes <= this.#maxBytes) return;
      this.#drop(oldest);
    }
  }

  #drop(origin: string): void {
    this.#bytes -= this.#entries.get(origin)?.bytes ?? 0;
    this.#entries.delete(origin);
  }
}

/** What an entry takes in memory, about: strings of two bytes a character, and objects around them. */
function roughBytes({ answer }: RobotsEntry): number {
  const { rules = [], sitemaps = [] } = answer?.rules ?? {};
  const patterns = rules.reduce((sum, { pattern }) => sum + 60 + 2 * pattern.length, 0);
  return 500 + patterns + sitemaps.reduce((sum, url) => sum + 30 + 2 * url.length, 0);
}
