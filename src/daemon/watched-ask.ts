import { passing } from '../fetch/triage.ts';
import type { Ask, Wish } from '../scrape/ask.ts';
import type { ScrapeProgress } from '../../workers/project.ts';
import type { SentCredentials } from './credentials.ts';

/** Asks for one scrape: tells when it waits, and notes what is sent and what cookies come back. */
export function watchedAsk(ask: Ask, sent: SentCredentials, progress?: Pick<ScrapeProgress, 'waits'>): Ask {
  const sends = (credentials: Readonly<Record<string, string>>): void => sent.note(credentials);
  /** Requests that have their turns: a scrape may make several at once, and waits while none of them has. */
  const inTurn = new Set<Wish>();
  let underWay = 0;
  return async (wish, signal) => {
    const waits = (isWaiting: boolean): void => {
      if (isWaiting) inTurn.delete(wish);
      else inTurn.add(wish);
      progress?.waits(inTurn.size === 0);
    };
    underWay += 1;
    try {
      const asked = await ask({ ...wish, sends, waits }, signal);
      sent.noteSet(asked.outcome.setCookies ?? []);
      // What may pass is asked for again after a pause; that is waiting as well.
      if (asked.trouble !== undefined && passing.has(asked.trouble.cause)) waits(true);
      return asked;
    } finally {
      underWay -= 1;
      inTurn.delete(wish);
      if (underWay > 0 && inTurn.size === 0) progress?.waits(true);
    }
  };
}
