import { lookup } from 'node:dns';
import { getCACertificates } from 'node:tls';
import { Agent, buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import {
  type Reach,
  reachOfProxy,
  RefusedAddress,
  refusedHost,
  refusedRange,
  type Resolve,
  vettedLookup,
} from './address.ts';
import type { Proxy } from './request.ts';
import { maxHeadersBytes } from './wire-error.ts';

/** The way of a request to its site. */
export interface Route {
  /** Tells `refused`, and nothing to the handler, when the way is closed before it begins. */
  dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
    refused: (error: Error) => void,
  ): void;
}

/** What all connections of a client share. */
export interface DispatchersOptions {
  /** Default: that of the system. */
  readonly resolve?: Resolve;
  /** Certificates of authorities in PEM that are trusted besides those of Node. */
  readonly ca?: readonly string[];
}

/** How long a connection may be attempted, though nobody may wait for it any more; the upper bound of `connectMs`. */
const longestConnectMs = 60_000;

/** Proxies beyond this many are forgotten, the longest unused first; what is under way through them goes on. */
const mostProxies = 64;

/** The limits of time are the exchange's, so undici's own are off. */
const agentOptions = { allowH2: true, headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: maxHeadersBytes };

/** HTTP/2 is taken where it is offered. */
const offer = { allowH2: true, preferH2: true, timeout: longestConnectMs };

interface ProxyRoute extends Route {
  readonly agent: Dispatcher;
}

/** The connections of a client: an agent per reach and proxy, so that none made under one rule is used again under another. */
export class Dispatchers {
  readonly #resolve: Resolve;
  readonly #tls: { readonly ca?: string[] };
  readonly #direct = new Map<string, Route & { readonly agent: Dispatcher }>();
  /** The latest used is the last. */
  readonly #proxies = new Map<string, ProxyRoute>();
  readonly #retired = new Set<Dispatcher>();

  constructor({ resolve = lookup, ca }: DispatchersOptions) {
    this.#resolve = resolve;
    this.#tls = ca === undefined ? {} : { ca: [...getCACertificates('default'), ...ca] };
  }

  direct(reach: Reach): Route {
    const key = keyOf(reach);
    const known = this.#direct.get(key);
    if (known) return known;
    const opened = this.#openDirect(reach);
    this.#direct.set(key, opened);
    return opened;
  }

  /**
   * The way through a proxy, whose own address may be private, since the operator named it, but is vetted otherwise. The proxy
   * looks the site up by itself and connects to what it finds, out of our sight. So the site's name is looked up here and
   * vetted before the proxy is asked; what remains is a name that means something else to the proxy, or a moment later, and
   * only the proxy's own rules stand against that.
   */
  through(proxy: Proxy, reach: Reach): Route {
    const key = JSON.stringify([keyOf(reach), proxy.url, proxy.authorization]);
    const route = this.#proxies.get(key) ?? this.#openProxy(proxy, reach);
    this.#proxies.delete(key);
    this.#proxies.set(key, route);
    this.#forgetProxies();
    return route;
  }

  async destroy(): Promise<void> {
    const agents = [...this.#direct.values(), ...this.#proxies.values()].map(({ agent }) => agent);
    await Promise.all([...agents, ...this.#retired].map((agent) => agent.destroy()));
  }

  #openDirect(reach: Reach): Route & { readonly agent: Dispatcher } {
    const connect = buildConnector({ ...this.#tls, ...offer, lookup: vettedLookup(reach, this.#resolve) });
    const agent = new Agent({ ...agentOptions, connect: judged(connect, reach) });
    return { agent, dispatch: (options, handler) => void agent.dispatch(options, handler) };
  }

  #openProxy(proxy: Proxy, reach: Reach): ProxyRoute {
    const find = vettedLookup(reach, this.#resolve);
    const own = reachOfProxy(reach);
    // All that these connect to is the proxy; sites are vetted before, at `dispatch`.
    const open = (origin: string | URL, options: object): Pool => new Pool(origin, judgedOptions(options, own));
    const agent = new ProxyAgent({
      ...agentOptions,
      uri: Object.assign(new URL(proxy.url), { pathname: '/', search: '', hash: '' }).href,
      ...(proxy.authorization !== undefined && { token: proxy.authorization }),
      proxyTls: { ...this.#tls, timeout: longestConnectMs, allowH2: false, lookup: vettedLookup(own, this.#resolve) },
      requestTls: { ...this.#tls, ...offer },
      clientFactory: open,
      factory: open,
    });
    return {
      agent,
      dispatch(options, handler, refused) {
        const { hostname } = new URL(String(options.origin));
        const literal = refusedHost(hostname, reach);
        if (literal) return refused(literal);
        return find(hostname.replace(/^\[|\]$/g, ''), { all: true }, (error) => {
          if (error) return refused(error);
          try {
            return void agent.dispatch(options, handler);
          } catch (unwritable) {
            return refused(unwritable instanceof Error ? unwritable : new Error(String(unwritable)));
          }
        });
      },
    };
  }

  #forgetProxies(): void {
    for (const [key, { agent }] of this.#proxies) {
      if (this.#proxies.size <= mostProxies) return;
      this.#proxies.delete(key);
      this.#retired.add(agent);
      const gone = (): boolean => this.#retired.delete(agent);
      void agent.close().then(gone, gone);
    }
  }
}

function keyOf({ allowPrivate, onlyLoopback = false }: Reach): string {
  return `${onlyLoopback ? 'loopback' : 'anywhere'} ${allowPrivate ? 'and private' : ''}`;
}

/**
 * Vets a host that needs no look-up before connecting, and once more the address that the connection has come to. That is
 * done for each connection and not for each request, since no connection is used under another rule.
 */
function judged(connect: buildConnector.connector, reach: Reach): buildConnector.connector {
  return (options, connected) => {
    const refused = refusedHost(options.hostname, reach);
    if (refused) return queueMicrotask(() => connected(refused, null));
    return connect(options, (error, socket) => {
      if (error) return connected(error, null);
      const address = socket.remoteAddress ?? 'an unknown address';
      const range = refusedRange(address, reach);
      if (range === undefined) return connected(null, socket);
      socket.destroy();
      return connected(new RefusedAddress(address, range), null);
    });
  };
}

/** A proxy's pools connect as the proxy's agent says, and to vetted addresses; through a tunnel that is the proxy's own. */
function judgedOptions(options: object, reach: Reach): Pool.Options {
  const { connect, ...others } = options as { readonly connect: buildConnector.connector };
  return {
    ...others,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: maxHeadersBytes,
    connect: judged(connect, reach),
  };
}
