import type { Browser } from 'playwright-core';
import type { Clock } from '../../clock.ts';
import { watchMemory } from './process-memory.ts';

/** A page's share of the browser. Whoever took it releases it, once. */
export interface Lease {
  readonly browser: Browser;
  release(): void;
}

export interface SharedBrowserOptions {
  readonly clock: Clock;
  /** How long a browser without pages is kept. */
  readonly idleMs: number;
  /** Of one process that renders pages. */
  readonly maxProcessBytes: number;
  launch(): Promise<Browser>;
}

/** One browser process, from its start to its end. */
interface Life {
  readonly starting: Promise<Browser>;
  users: number;
  /** How many there were in all. */
  pages: number;
  idleTimer?: number;
}

/** No process is trusted with more pages than these, as what they leave behind adds up. */
const pagesPerLife = 500;

/** One browser for all: started when first needed, ended when idle, and replaced when it has ended by itself or is worn. */
export class SharedBrowser {
  readonly #options: SharedBrowserOptions;
  readonly #lives = new Set<Life>();
  #current: Life | undefined;
  #state: 'open' | 'closed' = 'open';

  constructor(options: SharedBrowserOptions) {
    this.#options = options;
  }

  /** Rejects when the browser does not start, and the next one who asks tries again; and after `close`. */
  async take(): Promise<Lease> {
    if (this.#state === 'closed') throw new Error('no browser is started any more');
    const life = this.#current ?? this.#begin();
    life.users += 1;
    life.pages += 1;
    if (life.idleTimer !== undefined) this.#options.clock.cancel(life.idleTimer);
    if (life.pages >= pagesPerLife) this.#forget(life);
    try {
      return { browser: await life.starting, release: () => this.#release(life) };
    } catch (error) {
      this.#forget(life);
      this.#release(life);
      throw error;
    }
  }

  /** Ends every browser, whoever uses it, for good. */
  async close(): Promise<void> {
    this.#state = 'closed';
    this.#current = undefined;
    await Promise.all(Array.from(this.#lives, (life) => this.#end(life)));
  }

  #begin(): Life {
    const life: Life = { starting: this.#options.launch(), users: 0, pages: 0 };
    this.#current = life;
    this.#lives.add(life);
    life.starting.then(
      (browser) => {
        browser.once('disconnected', () => this.#forget(life));
        watchMemory(browser, this.#options.maxProcessBytes);
      },
      () => this.#lives.delete(life),
    );
    return life;
  }

  #release(life: Life): void {
    life.users -= 1;
    if (life.users > 0) return;
    const { clock, idleMs } = this.#options;
    if (life !== this.#current) return void this.#end(life);
    life.idleTimer = clock.at(clock.monotonic() + idleMs, () => {
      this.#forget(life);
      void this.#end(life);
    });
  }

  #forget(life: Life): void {
    if (this.#current === life) this.#current = undefined;
  }

  /** Never rejects: a browser that does not start or that is gone has ended already. */
  async #end(life: Life): Promise<void> {
    if (life.idleTimer !== undefined) this.#options.clock.cancel(life.idleTimer);
    const closed = life.starting.then((browser) => browser.close());
    await closed.catch(() => undefined);
    this.#lives.delete(life);
  }
}
