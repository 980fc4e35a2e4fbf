import { lookup } from 'node:dns';
import type { Socket } from 'node:net';
import { getCACertificates, type TLSSocket } from 'node:tls';
import { LRUCache } from 'lru-cache';
import { Agent, buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { defined } from '../../defined.ts';
import {
  type AddressRules,
  rulesForProxy,
  refusedHost,
  refusedPeer,
  type Resolve,
  vetHost,
  vettedLookup,
} from '../address.ts';
import type { HttpProxy } from '../request.ts';
import { bareHost } from '../site.ts';
import { withoutInterim } from './interim.ts';
import { maxHeadersBytes } from './wire-error.ts';

/** The connections by which requests reach their site. */
export interface Route {
  /** Sends a request. Calls `refused`, and nothing of the handler, if the request is refused before it is sent. */
  dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
    refused: (error: Error) => void,
  ): void;
}

/** The settings that all connections of a client share. */
export interface DispatchersOptions {
  /** Default: that of the system. */
  readonly resolve?: Resolve;
  /** Certificates of authorities in PEM that are trusted besides those of Node. */
  readonly ca?: readonly string[];
}

/**
 * How long a connection is attempted, in milliseconds, even if nobody waits for it any more; the upper bound of
 * `connectMs`.
 */
const longestConnectMs = 60_000;

/**
 * The largest number of proxies whose connections are kept. The least recently used are closed once their requests have
 * ended.
 */
const mostProxies = 64;

/** The exchange watches all time limits, so undici's own are off. */
const agentOptions = { allowH2: true, headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: maxHeadersBytes };

/** HTTP/2 is used where it is offered. */
const offer = { allowH2: true, preferH2: true, timeout: longestConnectMs };

interface OpenRoute extends Route {
  readonly agent: Dispatcher;
}

/**
 * The connections of a client: one agent for each set of address rules and proxy, so that a connection made under one rule is never
 * used under another.
 */
export class Dispatchers {
  readonly #resolve: Resolve;
  readonly #tls: { readonly ca?: string[] };
  readonly #direct = new Map<string, OpenRoute>();
  readonly #proxies = new LRUCache<string, OpenRoute>({
    max: mostProxies,
    dispose: (route, _, reason) => {
      if (reason === 'evict') this.#retire(route);
    },
  });
  readonly #retired = new Set<Dispatcher>();

  constructor({ resolve = lookup, ca }: DispatchersOptions) {
    this.#resolve = resolve;
    this.#tls = ca === undefined ? {} : { ca: [...getCACertificates('default'), ...ca] };
  }

  direct(rules: AddressRules): Route {
    const key = keyOf(rules);
    const known = this.#direct.get(key);
    if (known) return known;
    const opened = this.#openDirect(rules);
    this.#direct.set(key, opened);
    return opened;
  }

  /**
   * The way through a proxy. The proxy's own address may be private, since the operator named it, but it is checked
   * otherwise.
   *
   * The proxy looks up the site itself and connects to what it finds, out of our sight. Therefore the site's name is
   * looked up and checked here before. A name that means something else to the proxy, or a moment later, is left to the
   * proxy's own rules.
   */
  through(proxy: HttpProxy, rules: AddressRules): Route {
    const key = JSON.stringify([keyOf(rules), proxy.url, proxy.authorization]);
    const known = this.#proxies.get(key);
    if (known) return known;
    const opened = this.#openProxy(proxy, rules);
    this.#proxies.set(key, opened);
    return opened;
  }

  /** Closes all connections. Requests under way fail with `UND_ERR_DESTROYED`. */
  async destroy(): Promise<void> {
    const agents = [...this.#direct.values(), ...this.#proxies.values()].map(({ agent }) => agent);
    await Promise.all([...agents, ...this.#retired].map((agent) => agent.destroy()));
  }

  #openDirect(rules: AddressRules): OpenRoute {
    const connect = buildConnector({ ...this.#tls, ...offer, lookup: vettedLookup(rules, this.#resolve) });
    const agent = new Agent({ ...agentOptions, connect: judged(connect, rules) });
    return { agent, dispatch: (options, handler) => void agent.dispatch(options, handler) };
  }

  #openProxy(proxy: HttpProxy, rules: AddressRules): OpenRoute {
    const resolve = this.#resolve;
    const own = rulesForProxy(rules);
    // All that these connect to is the proxy; sites are vetted before, at `dispatch`.
    const open = (origin: string | URL, options: object): Pool => new Pool(origin, judgedOptions(options, own));
    const agent = new ProxyAgent({
      ...agentOptions,
      uri: Object.assign(new URL(proxy.url), { pathname: '/', search: '', hash: '' }).href,
      ...defined({ token: proxy.authorization }),
      proxyTls: { ...this.#tls, timeout: longestConnectMs, allowH2: false, lookup: vettedLookup(own, resolve) },
      requestTls: { ...this.#tls, ...offer },
      clientFactory: open,
      factory: open,
    });
    return {
      agent,
      dispatch(options, handler, refused) {
        const vetted = vetHost(bareHost(new URL(String(options.origin))), rules, resolve);
        void vetted.then(() => void agent.dispatch(options, handler)).catch(refused);
      },
    };
  }

  /** Closes the connections of a proxy that is no longer kept, once its requests have ended. */
  #retire({ agent }: OpenRoute): void {
    this.#retired.add(agent);
    const gone = (): boolean => this.#retired.delete(agent);
    void agent.close().then(gone, gone);
  }
}

function keyOf({ allowPrivate, onlyLoopback = false }: AddressRules): string {
  return `${onlyLoopback ? 'loopback' : 'anywhere'} and private: ${allowPrivate}`;
}

/**
 * Checks a host that needs no look-up before connecting, and then the address that the connection has come to. Once for
 * each connection is enough, since no connection is used under another rule.
 */
function judged(connect: buildConnector.connector, rules: AddressRules): buildConnector.connector {
  return (options, connected) => {
    const refused = refusedHost(options.hostname, rules);
    if (refused) return queueMicrotask(() => connected(refused, null));
    return connect(options, (error, socket) => {
      if (error) return connected(error, null);
      const refusedAddress = refusedPeer(socket, rules);
      if (refusedAddress === undefined) return connected(null, isHttp2(socket) ? socket : withoutInterim(socket));
      socket.destroy();
      return connected(refusedAddress, null);
    });
  };
}

function isHttp2(socket: Socket | TLSSocket): boolean {
  return 'alpnProtocol' in socket && socket.alpnProtocol === 'h2';
}

/** Options of a proxy's pools: they connect as the proxy's agent says, and to checked addresses. */
function judgedOptions(options: object, rules: AddressRules): Pool.Options {
  const { connect, ...others } = options as { readonly connect: buildConnector.connector };
  return {
    ...others,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: maxHeadersBytes,
    connect: judged(connect, rules),
  };
}
