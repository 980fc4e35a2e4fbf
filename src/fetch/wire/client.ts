import type { BodyBudget } from '../body-budget.ts';
import { acceptedEncodings } from './body.ts';
import { Dispatchers, type DispatchersOptions } from './dispatchers.ts';
import { exchange } from './exchange.ts';
import type { FetchFailure } from '../failure.ts';
import { type FetchOptions, type FetchOutcome, type FetchRequest, maxUrlLength, outgoing } from '../request.ts';

/** Fetches pages. One for the whole daemon. */
export interface FetchClient {
  /**
   * Makes one exchange. Whatever goes wrong with it is a failure in the outcome; rejects only for a request that cannot
   * be written, such as one with a line break in a header.
   */
  fetchPage(request: FetchRequest, options: FetchOptions): Promise<FetchOutcome>;
  /** Ends all exchanges with the failure `cancelled` and closes all connections. Never rejects. */
  close(): Promise<void>;
}

/** The settings that all exchanges of a client share. */
export interface ClientOptions extends DispatchersOptions {
  readonly budget: BodyBudget;
  /** Default `Heronry`. */
  readonly userAgent?: string;
}

/** Creates a client that keeps connections alive and connects only to addresses that may be reached. */
export function createClient({ budget, userAgent = 'Heronry', ...connections }: ClientOptions): FetchClient {
  const dispatchers = new Dispatchers(connections);
  const always = { accept: '*/*', 'accept-encoding': acceptedEncodings, 'user-agent': userAgent };

  return {
    async fetchPage(request, options) {
      const url = URL.parse(request.url);
      const failure = refusal(request, url);
      if (failure || !url) return refused(failure ?? notHttp(request.url));
      const hold = options.hold ?? budget.open();
      try {
        return await exchange({
          ...options,
          route: request.proxy ? dispatchers.through(request.proxy, request) : dispatchers.direct(request),
          url,
          request,
          outgoing: outgoing(request, always),
          hold,
        });
      } finally {
        if (!options.hold) hold.release();
      }
    },
    close: () => dispatchers.destroy(),
  };
}

/** The failure of a request that is not made at all. */
function refusal(request: FetchRequest, url: URL | null): FetchFailure | undefined {
  const length = Math.max(request.url.length, url?.href.length ?? 0);
  if (length > maxUrlLength) return { code: 'url_too_long', length, limit: maxUrlLength };
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return notHttp(request.url);
  if (request.proxy && !/^https?:$/.test(URL.parse(request.proxy.url)?.protocol ?? ''))
    return { code: 'proxy_failed', cause: 'its address is no http or https URL' };
  return undefined;
}

function notHttp(url: string): FetchFailure {
  return { code: 'unreachable', cause: `"${url}" is no http or https URL` };
}

/** The outcome of a request that was not made. */
function refused(failure: FetchFailure): FetchOutcome {
  return { kind: 'failure', failure, setCookies: [], cost: { encodedBytes: 0, elapsedMs: 0 } };
}
