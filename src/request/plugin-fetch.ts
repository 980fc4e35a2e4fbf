import type { Source } from '../definition/source.ts';
import type { StepOutcome } from '../engine/step.ts';
import { pluginRequest } from '../plugin/open.ts';
import type { FetchAnswer } from '../plugin/protocol.ts';
import type { PluginServices } from '../plugin/services.ts';
import { firstInLine } from './intent.ts';
import type { Robots } from './robots.ts';

/** The answer that a plug-in gets to a request of its own. */
export function answerOf(url: string, outcome: StepOutcome): FetchAnswer {
  switch (outcome.kind) {
    case 'page': {
      const { url: from, status, headers, body } = outcome.page;
      return { ok: true, page: { url: from, status, headers, body } };
    }
    case 'failed': {
      const { code, message } = outcome.failure;
      return { ok: false, failure: { code, message: `${url}: ${message}` } };
    }
    case 'redirect':
    case 'unmodified':
    case 'read':
      return { ok: false, failure: { code: 'unexpected', message: `${url}: got an outcome "${outcome.kind}"` } };
    default:
      return outcome satisfies never;
  }
}

/**
 * Makes the requests of a plug-in's log-in, each in a turn of its host. Redirects and cookies are passed to the plug-in, not followed or
 * kept. Rejects with the signal's reason when that fires first.
 */
export function loginFetch(source: Source, exchange: Robots['exchange']): PluginServices['fetch'] {
  return async (ask, signal) => {
    const outcome = await exchange(
      { kind: 'login', step: { request: pluginRequest(source, ask) }, source, dueAt: firstInLine },
      signal,
    );
    const { setCookies = [] } = outcome;
    const cookies = setCookies.length === 0 ? {} : { 'set-cookie': setCookies.join(', ') };
    if (outcome.kind === 'redirect') {
      const headers = { location: outcome.location, ...cookies };
      return { ok: true, page: { url: ask.url, status: outcome.status ?? 302, headers, body: new ArrayBuffer(0) } };
    }
    const answer = answerOf(ask.url, outcome);
    if (!answer.ok) return answer;
    return { ok: true, page: { ...answer.page, headers: { ...answer.page.headers, ...cookies } } };
  };
}
