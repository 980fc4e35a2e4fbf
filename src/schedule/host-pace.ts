import { LRUCache } from 'lru-cache';

/** The pace at which a host can be asked, after all limits. */
export interface HostPace {
  /** The usual time from one request to the next. */
  readonly delayMs: number;
  /** The usual time from a request to the end of its answer. Default: next to none. */
  readonly latencyMs?: number;
}

/** The politeness limits of a definition. */
export interface DeclaredPace {
  readonly delayMs: number;
  /** The shortest pause between two requests, in ms. */
  readonly minDelayMs: number;
  /** Most requests under way at a time. */
  readonly concurrency: number;
}

/** The pace measured from a host's answers. */
export interface KnownPace {
  /** The usual pause that the host needs, by its crawl-delay or its slow answers, in ms; 0 for none. */
  readonly gapMs: number;
  readonly latencyMs: number;
}

/** The latency assumed for a host that has not answered yet, in ms. */
const usualLatencyMs = 250;

/**
 * How often a host can be asked. There is one pause between two requests however many are under way, so that
 * concurrency does not divide it. Concurrency only lets requests overlap that take longer than the pause.
 */
export function hostPace({ delayMs, minDelayMs, concurrency }: DeclaredPace, known?: KnownPace): Required<HostPace> {
  const latencyMs = known?.latencyMs ?? usualLatencyMs;
  return { delayMs: Math.max(delayMs, minDelayMs, known?.gapMs ?? 0, latencyMs / concurrency), latencyMs };
}

/** The moving averages of a host's answers; a new answer has the weight `weight`. */
interface Learned extends KnownPace {
  readonly answers: number;
  /** The pace in use; replaced when the measured one differs by a quarter or more. */
  readonly told: KnownPace | undefined;
}

/** Answers needed before a host's measured pace is used; the first ones only show the throttle's initial caution. */
const enough = 8;
const weight = 1 / 8;
/** The smallest ratio of two paces that counts as a change. */
const noticed = 1.25;
/** Most hosts remembered; the one that answered longest ago goes first. */
const maxHosts = 100_000;

/** The paces measured since the start, by politeness key. A host's pace in use changes by a quarter or more at a time. */
export class KnownPaces {
  readonly #news = new Set<string>();
  readonly #hosts = new LRUCache<string, Learned>({
    // A cache bounded by its size takes memory as hosts come, one bounded by its count all of it at once.
    maxSize: maxHosts,
    sizeCalculation: () => 1,
    dispose: (_host, key, why) => void (why === 'evict' && this.#news.delete(key)),
  });

  /** The pace in use for a host; `undefined` before the host has answered 8 times. */
  of(key: string): KnownPace | undefined {
    return this.#hosts.peek(key)?.told;
  }

  /**
   * Records the pace measured at a host's last answer. Returns whether the pace in use changed enough to matter under the limits
   * `declared`.
   */
  note(key: string, { gapMs, latencyMs }: KnownPace, declared: DeclaredPace): boolean {
    const before = this.#hosts.peek(key);
    const answers = (before?.answers ?? 0) + 1;
    const average = (old: number | undefined, now: number): number =>
      old === undefined || answers <= enough ? now : old + (now - old) * weight;
    // One answer that is slow says little: of the first ones the fastest counts, and of others no more than twice what was usual.
    const usual = (old: number | undefined, now: number): number =>
      old !== undefined && answers <= enough ? Math.min(old, now) : average(old, Math.min(now, 2 * (old ?? now)));
    const now = { gapMs: average(before?.gapMs, gapMs), latencyMs: usual(before?.latencyMs, latencyMs) };
    const isNews =
      answers >= enough &&
      (before?.told === undefined || isOff(hostPace(declared, before.told), hostPace(declared, now)));
    this.#hosts.set(key, { ...now, answers: Math.min(answers, enough + 1), told: isNews ? now : before?.told });
    if (isNews) this.#news.add(key);
    return isNews;
  }

  /** The keys of remembered hosts whose pace in use changed since `heard` was last called with them. */
  get news(): readonly string[] {
    return [...this.#news];
  }

  /** Removes keys from `news` once their changes have been handled. */
  heard(keys: readonly string[]): void {
    keys.forEach((key) => this.#news.delete(key));
  }
}

/** Latency counts where it is longer than the pause, and nowhere else. */
function isOff(one: Required<HostPace>, other: Required<HostPace>): boolean {
  return isFar(one.delayMs, other.delayMs) || isFar(slowest(one), slowest(other));
}

function slowest({ delayMs, latencyMs }: Required<HostPace>): number {
  return Math.max(delayMs, latencyMs);
}

function isFar(one: number, other: number): boolean {
  return Math.max(one, other) > noticed * Math.min(one, other);
}

/** The requests of a source's pulse to one host. */
export interface PulseLoad {
  /** Requests of one round; those that ask for many targets at once count as one each. */
  readonly requests: number;
  /** The interval from one round to the next, in ms. */
  readonly everyMs: number;
}

/** Returns the time from one round to the next, in ms: the least multiple of the pulse's interval in which the host answers a whole round. */
export function roundEveryMs({ requests, everyMs }: PulseLoad, { delayMs }: HostPace): number {
  return everyMs * Math.max(1, Math.ceil((requests * delayMs) / everyMs));
}
