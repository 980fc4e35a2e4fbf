import { hoursOver, mayPass, unsentOutcome, unsentResult } from './failure.ts';
import type { MakeRequest, RequestIntent, Within } from './intent.ts';
import type { SentCredentials } from './sent-credentials.ts';
import type { Clock } from '../clock.ts';
import { type OpenHours, isAvailable } from '../schedule/time/open-hours.ts';

/** The failure of a request whose turn comes after the opening hours. */
const afterHours = { code: hoursOver, message: 'the hours in which the source may be asked are over' };

/**
 * Watches the requests of one scrape: notes in `sent` the credentials and the values of hidden controls that requests are sent with, and the cookies that responses set.
 * Requests reject as those of `makeRequest` do.
 *
 * @param waits - called with `true` when no request of the scrape has its turn any more, and with `false` when one has.
 */
export function watchRequests(
  makeRequest: MakeRequest,
  sent: SentCredentials,
  waits?: (isWaiting: boolean) => void,
): MakeRequest {
  /** Requests that have their turns: a scrape may make several at once, and waits while none of them has. */
  const inTurn = new Set<RequestIntent>();
  let underWay = 0;
  return async (intent, signal) => {
    const oneWaits = (isWaiting: boolean): void => {
      if (isWaiting) inTurn.delete(intent);
      else inTurn.add(intent);
      waits?.(inTurn.size === 0);
    };
    underWay += 1;
    sent.noteHidden(intent.hidden ?? []);
    try {
      const result = await makeRequest(
        { ...intent, sent, sends: (credentials) => sent.note(credentials), waits: oneWaits },
        signal,
      );
      sent.noteSet(result.outcome.setCookies ?? []);
      // A failure that may pass is followed by a pause and another request; the pause is waiting as well.
      if (mayPass(result)) oneWaits(true);
      return result;
    } finally {
      underWay -= 1;
      inTurn.delete(intent);
      if (underWay > 0 && inTurn.size === 0) waits?.(true);
    }
  };
}

/**
 * Makes requests only within the opening hours of a source. A request whose turn comes after the hours is not sent, and fails with the
 * code `hoursOver`.
 *
 * @param hours - empty for a source that is always open.
 */
export function withinHours(hours: readonly OpenHours[], clock: Clock, makeRequest: MakeRequest): MakeRequest {
  if (hours.length === 0) return makeRequest;
  const isOpen = (): boolean => isAvailable(hours, clock.now());
  return async (intent, signal) => {
    if (!isOpen()) return unsentResult(afterHours, clock.now());
    const { within = (run, limited) => run(limited) } = intent;
    const inHours: Within = async (run, limited) =>
      isOpen() ? within(run, limited) : unsentOutcome(afterHours, clock.now());
    return makeRequest({ ...intent, within: inHours }, signal);
  };
}

/** What each request of a scrape says of its scrape. */
export type ScrapeRank = Pick<RequestIntent, 'deadlineAt' | 'isManual' | 'first' | 'scrape'>;

/** Gives each request of a scrape the rank of the scrape, and its first turn. */
export function ranked(rank: ScrapeRank, makeRequest: MakeRequest): MakeRequest {
  return (intent, signal) => makeRequest({ ...intent, ...rank }, signal);
}
