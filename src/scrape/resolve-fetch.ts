import type { Source } from '../definition/source.ts';
import type { PluginServices } from '../plugin/services.ts';
import { answerOf } from '../request/plugin-fetch.ts';
import { watchRequests } from '../request/scrape-requests.ts';
import { SentCredentials } from '../request/sent-credentials.ts';
import { visitOf } from './collector.ts';
import type { ScrapeTargetDeps } from './scrape-target.ts';
import { visitPage } from './visit.ts';

/**
 * Creates the requests of plug-ins that find out whose an address is. They are made as those of a scrape, with redirects and log-ins, but
 * failures are not tried again, and nothing is stored. Rejects with the signal's reason when that fires first.
 */
export function createResolveFetch({
  clock,
  random,
  makeRequest,
  settings,
}: Pick<ScrapeTargetDeps, 'clock' | 'random' | 'makeRequest' | 'settings'>): (
  source: Source,
) => PluginServices['fetch'] {
  return (source) => async (ask, signal) => {
    const sent = new SentCredentials();
    const now = clock.now();
    const context = {
      clock,
      random,
      makeRequest: watchRequests((intent, limited) => makeRequest({ ...intent, kind: 'resolve' }, limited), sent),
      source,
      address: ask.url,
      dueAt: now,
      nextDueAt: now,
      timeLimitMs: settings().timeLimitMs,
      commit: () => Promise.resolve(),
    };
    // It is due at once, so that no try follows a failure: a person waits.
    const { result } = await visitPage({ ...visitOf(source, ask), isOnly: true }, context, signal);
    return answerOf(sent.url(ask.url), sent.outcome(result.outcome));
  };
}
