import { Agent, buildConnector } from 'undici';
import { mayConnect, RefusedAddress, refusedLiteral, vettedLookup } from './address.ts';
import type { BodyBudget } from './body-budget.ts';
import { acceptedEncodings } from './body.ts';
import { exchange } from './exchange.ts';
import type { FetchOptions, FetchOutcome, FetchRequest } from './request.ts';
import { maxHeadersBytes } from './wire-error.ts';

/** Fetches pages; one for the whole daemon. */
export interface Client {
  /**
   * Makes one exchange. What the world does wrong is a failure in the outcome; rejects only for a request that
   * cannot be written, such as one with a line break in a header.
   */
  fetchPage(request: FetchRequest, options: FetchOptions): Promise<FetchOutcome>;
  /** Ends what is under way as `cancelled` and closes all connections. */
  close(): Promise<void>;
}

/** What all exchanges of a client share. */
export interface ClientOptions {
  readonly budget: BodyBudget;
  /** Default `Heronry`. */
  readonly userAgent?: string;
}

/** How long a connection may be attempted, though nobody may wait for it any more; the upper bound of `connectMs`. */
const longestConnectMs = 60_000;

/** A client that keeps connections alive, and never opens one to an address that may not be asked. */
export function createClient({ budget, userAgent = 'Heronry' }: ClientOptions): Client {
  // An agent per rule, so that a connection made under one is not used again under the other.
  const agents = { private: openAgent(true), public: openAgent(false) };
  const defaultHeaders = { accept: '*/*', 'accept-encoding': acceptedEncodings, 'user-agent': userAgent };

  return {
    async fetchPage(request, options) {
      const url = URL.parse(request.url);
      if (!url || !/^https?:$/.test(url.protocol)) return refused('unreachable', request.url);
      const address = refusedLiteral(url, request.allowPrivate);
      if (address !== undefined) return refused('refused_address', address);
      const hold = options.hold ?? budget.open();
      try {
        return await exchange({
          dispatcher: request.allowPrivate ? agents.private : agents.public,
          url,
          request,
          headers: { ...defaultHeaders, ...lowerCased(request.headers ?? {}) },
          hold,
          options,
        });
      } finally {
        if (!options.hold) hold.release();
      }
    },
    async close() {
      await Promise.all([agents.private.destroy(), agents.public.destroy()]);
    },
  };
}

/** An outcome for which nobody was asked. */
function refused(code: 'unreachable' | 'refused_address', what: string): FetchOutcome {
  const failure =
    code === 'unreachable' ? { code, cause: `"${what}" is no http or https URL` } : { code, address: what };
  return { kind: 'failure', failure, cost: { encodedBytes: 0, elapsedMs: 0 } };
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** The limits of time are the exchange's, so undici's own are off. */
function openAgent(allowPrivate: boolean): Agent {
  const connect = buildConnector({ lookup: vettedLookup(allowPrivate), allowH2: false, timeout: longestConnectMs });
  return new Agent({
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: maxHeadersBytes,
    connect: (options, connected) =>
      connect(options, (error, socket) => {
        if (error) return connected(error, null);
        const address = socket.remoteAddress ?? 'unknown';
        if (mayConnect(address, allowPrivate)) return connected(null, socket);
        socket.destroy();
        return connected(new RefusedAddress(address), null);
      }),
  });
}
