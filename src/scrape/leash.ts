import type { Ask } from './ask.ts';

/** Holds a visit, so that it can be cut while nothing of it is with the site. */
export interface Leash {
  readonly signal: AbortSignal;
  /** Asks, and knows when a request is sent. */
  readonly ask: Ask;
  /** Cuts it wherever it is. */
  cut(reason?: unknown): void;
  /** Says that nobody waits for it any more: it is cut while it waits, and a request that is sent is the last one. */
  drop(): void;
  /** Whether it was cut because it was dropped. */
  isDropped(): boolean;
}

export function newLeash(ask: Ask): Leash {
  const controller = new AbortController();
  /** Made when it is needed: the stack of an error costs more than all else here. */
  let dropped: Error | undefined;
  let isWanted = true;
  let isSent = false;

  return {
    signal: controller.signal,
    async ask(wish, signal) {
      const { within } = wish;
      try {
        return await ask(
          {
            ...wish,
            within(run, both) {
              isSent = true;
              return within === undefined ? run(both) : within(run, both);
            },
          },
          signal,
        );
      } finally {
        isSent = false;
        if (!isWanted) cutDropped();
      }
    },
    cut: (reason) => controller.abort(reason),
    drop() {
      isWanted = false;
      if (!isSent) cutDropped();
    },
    isDropped: () => dropped !== undefined && controller.signal.reason === dropped,
  };

  function cutDropped(): void {
    dropped ??= new Error('the scrape of this page has ended');
    controller.abort(dropped);
  }
}
