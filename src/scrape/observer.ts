import type { Source } from '../definition/source.ts';
import type { MakeRequest } from '../request/intent.ts';

/** A scrape that has begun. Instants are wall time. */
export interface ObservedScrape {
  readonly scrape: number;
  readonly target: number;
  readonly source: Source;
  /** When it was due, or a person asked for it. */
  readonly dueAt: number;
  readonly startedAt: number;
  readonly isManual: boolean;
}

/** How a scrape ended. `cancelled`: by a person, by what happened to its target, or with the daemon. */
export type ObservedEnd = 'complete' | 'failed' | 'aborted' | 'cancelled';

/** Told of all scrapes while they run, for metrics and traces. None of its functions throws. */
export interface ScrapeObserver {
  begun(scrape: ObservedScrape): ScrapeObservation;
}

/** Told of one scrape while it runs. */
export interface ScrapeObservation {
  /** Makes the requests of the scrape by `makeRequest`. */
  requests(makeRequest: MakeRequest): MakeRequest;
  /** Makes a commit of the scrape by `write`, with whose outcome this settles. */
  commit<T>(write: () => Promise<T>): Promise<T>;
  ended(how: ObservedEnd): void;
}

/** An observer that tells several. */
export function observeTogether(observers: readonly ScrapeObserver[]): ScrapeObserver {
  return {
    begun(scrape) {
      const all = observers.map((observer) => observer.begun(scrape));
      return {
        requests: (makeRequest) => all.reduce((make, each) => each.requests(make), makeRequest),
        commit: (write) => all.reduce((make, each) => () => each.commit(make), write)(),
        ended: (how) => all.forEach((each) => each.ended(how)),
      };
    },
  };
}
