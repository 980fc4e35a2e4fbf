/** How often a host can be asked, by all that limits it. */
export interface HostPace {
  /** The usual time from one request to the next. */
  readonly delayMs: number;
  /** The usual time from a request to the end of its answer. Default: next to none. */
  readonly latencyMs?: number;
}

/** What a definition says of its host. */
export interface DeclaredPace {
  readonly delayMs: number;
  /** No pause is shorter. */
  readonly minDelayMs: number;
  /** Requests under way at once. */
  readonly concurrency: number;
}

/** What a host's answers have shown. */
export interface KnownPace {
  /** The usual pause that it asks for, by its crawl-delay or by how slowly it answers; 0 where it asks for none. */
  readonly gapMs: number;
  readonly latencyMs: number;
}

/** A host that has not answered yet is taken to do so within this. */
const usualLatencyMs = 250;

/**
 * How often a host can be asked. There is one pause between two requests however many are under way, so that concurrency does
 * not divide it; it only has those that take longer than the pause overlap.
 */
export function hostPace({ delayMs, minDelayMs, concurrency }: DeclaredPace, known?: KnownPace): Required<HostPace> {
  const latencyMs = known?.latencyMs ?? usualLatencyMs;
  return { delayMs: Math.max(delayMs, minDelayMs, known?.gapMs ?? 0, latencyMs / concurrency), latencyMs };
}

/** What was shown by the last answers of a host, each weighing as much as the average of those before. */
interface Learned extends KnownPace {
  readonly answers: number;
  /** What others reckon with, until it is far off. */
  readonly told: KnownPace | undefined;
}

/** So many answers in a row say how a host is; the first ones say how careful its throttle was with a stranger. */
const enough = 8;
const weight = 1 / 8;
/** What is off by less changes nothing. */
const noticed = 1.25;
/** Hosts that are remembered; beyond them, the one that was new the longest ago is forgotten. */
const maxHosts = 100_000;

/** How often hosts can be asked as it has shown since the start, by politeness key. It changes in steps of a quarter at least. */
export class KnownPaces {
  readonly #hosts = new Map<string, Learned>();
  readonly #news = new Set<string>();

  /** What is known of a host; nothing before it has answered a few times. */
  of(key: string): KnownPace | undefined {
    return this.#hosts.get(key)?.told;
  }

  /**
   * Takes down what a host was like at its last answer; whether it is now known to be another than it was, for those who ask it as
   * `declared`.
   */
  note(key: string, { gapMs, latencyMs }: KnownPace, declared: DeclaredPace): boolean {
    const before = this.#hosts.get(key);
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
    const [oldest] = this.#hosts.size > maxHosts ? this.#hosts.keys() : [];
    if (oldest !== undefined) {
      this.#hosts.delete(oldest);
      this.#news.delete(oldest);
    }
    return isNews;
  }

  /** Those known to be others than when `heard` was last called of them, of the hosts that are remembered. */
  get news(): readonly string[] {
    return [...this.#news];
  }

  /** What there was to do for such news is done. */
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
