import { readFile } from 'node:fs/promises';
import type { Browser, CDPSession } from 'playwright-core';
import type { Clock } from '../../clock.ts';

/** A page's share of the browser. The caller that took it must release it once. */
export interface BrowserLease {
  readonly browser: Browser;
  release(): void;
}

/** The settings of a shared browser. */
export interface SharedBrowserOptions {
  readonly clock: Clock;
  /** How long a browser without pages is kept, in milliseconds. */
  readonly idleMs: number;
  /** The memory of one process that renders pages. */
  readonly maxProcessBytes: number;
  /** Starts a browser process. Rejects if it does not start. */
  launch(): Promise<Browser>;
}

/** One browser process, from its start to its end. */
interface Life {
  readonly starting: Promise<Browser>;
  users: number;
  /** The number of pages so far. */
  pages: number;
  idleTimer?: number;
}

/** A browser is replaced after this many pages, since what they leave behind adds up. */
const pagesPerLife = 500;

/**
 * One browser for all pages: started when first needed, ended when idle, and replaced when it has ended by itself or is
 * worn.
 */
export class SharedBrowser {
  readonly #options: SharedBrowserOptions;
  readonly #lives = new Set<Life>();
  #current: Life | undefined;
  #state: 'open' | 'closed' = 'open';

  constructor(options: SharedBrowserOptions) {
    this.#options = options;
  }

  /**
   * Takes a share of the browser. Rejects after `close`, and when the browser does not start; the next call tries
   * again.
   */
  async take(): Promise<BrowserLease> {
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

  /** Ends every browser for good. Never rejects. */
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

  /** Ends a browser. Never rejects: a browser that did not start or is gone has ended already. */
  async #end(life: Life): Promise<void> {
    if (life.idleTimer !== undefined) this.#options.clock.cancel(life.idleTimer);
    const closed = life.starting.then((browser) => browser.close());
    await closed.catch(() => undefined);
    this.#lives.delete(life);
  }
}

const everyMs = 500;

/**
 * Ends each rendering process of the browser that takes more than `maxBytes` of memory; its pages report a crash. A
 * limit of the system would not do, as Chromium reserves far more than it uses. Does nothing except on Linux.
 */
function watchMemory(browser: Browser, maxBytes: number): void {
  if (process.platform !== 'linux') return;
  let state: 'idle' | 'looking' = 'idle';
  const session = browser.newBrowserCDPSession();
  // A browser that is gone already needs no watching.
  session.catch(() => undefined);
  const timer = setInterval(() => {
    if (state === 'looking' || browser.contexts().length === 0) return;
    state = 'looking';
    const looked = (): void => void (state = 'idle');
    session.then((each) => endLarge(each, maxBytes)).then(looked, looked);
  }, everyMs);
  timer.unref();
  browser.once('disconnected', () => clearInterval(timer));
}

async function endLarge(session: CDPSession, maxBytes: number): Promise<void> {
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  for (const { id, type } of processInfo) {
    if (type === 'renderer' && (await ownBytes(id)) > maxBytes) process.kill(id, 'SIGKILL');
  }
}

/** The memory of a process, without the program that all of them share. */
async function ownBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const kibibytes = Array.from(status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm), ([, text]) => Number(text));
  return kibibytes.reduce((sum, each) => sum + each, 0) * 1024;
}

/** Admits `count` holders at a time; others wait in order of arrival. */
export class Slots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /**
   * Takes a slot. Resolves with a function that returns the slot, to be called once; or with `undefined` if the signal
   * fires first. Never rejects.
   */
  take(signal: AbortSignal): Promise<(() => void) | undefined> {
    const { promise, resolve } = Promise.withResolvers<(() => void) | undefined>();
    const onAbort = (): void => {
      this.#waiting.delete(enter);
      resolve(undefined);
    };
    const enter = (): void => {
      this.#waiting.delete(enter);
      signal.removeEventListener('abort', onAbort);
      this.#free -= 1;
      resolve(() => this.#giveBack());
    };
    if (signal.aborted) onAbort();
    else if (this.#free > 0) enter();
    else {
      this.#waiting.add(enter);
      signal.addEventListener('abort', onAbort, { once: true });
    }
    return promise;
  }

  #giveBack(): void {
    this.#free += 1;
    const [next] = this.#waiting;
    next?.();
  }
}
