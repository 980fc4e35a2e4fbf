import type { Clock } from '../../clock.ts';
import type { Channel } from './channel.ts';
import { BrokenSeal } from './cluster.ts';

/** A stranger is answered once in so long, in ms: it reports every 5 s. */
const apartMs = 4_000;

/** Of so many strangers the last ones are known. */
const mostKnown = 100;

/** The dependencies of the welcomes. */
export interface WelcomesDeps {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly channel: Pick<Channel, 'tell'>;
  /** The version of the program. */
  readonly version: string;
  warn(what: string, error?: unknown): void;
}

/** Answers the worker processes that wait for a daemon. One that has another key, a stranger, finds that by the answer, which it cannot open; the daemon tells of it once. */
export class Welcomes {
  readonly #deps: WelcomesDeps;
  /** When each stranger was answered, the newest last. */
  readonly #strangers = new Map<string, number>();

  constructor(deps: WelcomesDeps) {
    this.#deps = deps;
  }

  answer(worker: string): void {
    const { channel, version, warn } = this.#deps;
    channel
      .tell('order', worker, { type: 'welcome', version })
      .catch((error: unknown) => warn('a worker process cannot be answered', error));
  }

  /** A report in the name of a worker process is refused. */
  refused(error: unknown, worker: string): void {
    const { clock, warn } = this.#deps;
    if (!(error instanceof BrokenSeal)) return warn('a report of a worker process is refused', error);
    const now = clock.monotonic();
    const before = this.#strangers.get(worker);
    if (before !== undefined && now - before < apartMs) return;
    if (before === undefined)
      warn(`the worker process ${worker} has another key than this daemon, and takes no step: its log says the same`);
    this.#strangers.delete(worker);
    this.#strangers.set(worker, now);
    const [oldest = worker] = this.#strangers.keys();
    if (this.#strangers.size > mostKnown) this.#strangers.delete(oldest);
    this.answer(worker);
  }
}
