import { refusalOf } from '../control/dispatch.ts';
import type { Clock } from '../clock.ts';
import { createApi } from './api.ts';
import { Calls, type CallsDeps } from './calls.ts';
import { type Caller, type Exchange, ownHeaders, redirect, send, sendRead } from './exchange.ts';
import { checkOrigin, checkSameOrigin, type Credential, credentialOf, Failures, isFeed } from './guard.ts';
import { sendFeed } from './feed.ts';
import type { Answering } from './listening.ts';
import { createLogInPages, type LogInDeps, logInPath } from './log-in.ts';
import { isOwnName, type Reach } from './reach.ts';
import { openApi } from './openapi.ts';
import { createPages } from './pages.ts';
import { problemOf, Refusal } from './problem.ts';

/** What serving requests needs. */
export interface ServeDeps extends CallsDeps, Pick<LogInDeps, 'logIns' | 'takeCode'> {
  readonly clock: Clock;
  readonly reach: Reach;
  /** Whether the server itself speaks TLS. */
  readonly isTls: boolean;
  readonly version: string;
  /** The metrics of the daemon as a text. */
  readonly metrics: { readonly contentType: string; read(): Promise<string> };
  /** Returns the caller whose token this is; nothing where it is not in force. */
  callerOf(token: string): Caller | undefined;
  /** Called where a handler throws an unexpected error, which is a bug. */
  failed(error: unknown, method: string): void;
}

/** Serves the requests of an HTTP server. */
export interface Serving extends Answering {
  /** The number of streams of events that are open. */
  streams(): number;
}

/**
 * Creates the serving of all paths: the control methods below `/v1`, their description, health and metrics, and the pages of the
 * dashboard at any other path.
 */
export function createServing(deps: ServeDeps): Serving {
  const { clock, handlers, logIns, reach } = deps;
  const failures = new Failures(() => clock.monotonic());
  const calls = new Calls(deps);
  const api = createApi({ ...deps, calls, isStillCaller, lastEvent });
  const pages = createPages({ ...deps, calls, lastEvent });
  const logInPages = createLogInPages({ ...deps, calls, fail });
  let description: string | undefined;

  return {
    handle(request, response) {
      for (const [name, value] of Object.entries(ownHeaders)) response.setHeader(name, value);
      if (calls.closing.aborted) response.setHeader('connection', 'close');
      // A client that has gone is no concern of ours.
      response.on('error', () => response.destroy());
      const verb = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
      const path = reach.pathOf(request);
      const url = (path === undefined ? null : URL.parse(`http://own${path}`)) ?? new URL('http://own/');
      const client = reach.clientOf(request);
      const exchange: Exchange = { request, response, verb, url, base: reach.base, client, origin: '' };
      (path === undefined ? outside() : serve(exchange))
        .catch((error: unknown) => refuse(exchange, error))
        .catch((error: unknown) => {
          deps.failed(error, exchange.url.pathname);
          response.destroy();
        });
    },
    streams: api.streams,
    close() {
      calls.close();
      api.close();
    },
  };

  async function serve(exchange: Exchange): Promise<void> {
    const { pathname } = exchange.url;
    const isPage = exchange.verb === 'GET' && !isOfApi(pathname);
    exchange.origin = reach.originOf(exchange.request);
    checkOrigin(exchange.request.headers, exchange.origin, isPage);
    // For all ports of a name: those of this machine itself may serve without TLS.
    if (deps.isTls && !isOwnName(exchange.origin))
      exchange.response.setHeader('strict-transport-security', 'max-age=31536000');
    switch (pathname) {
      case '/healthz':
      case '/healthcheck':
        return send(exchange, 200, '{"status":"ok"}');
      case '/readyz':
        return tellReadiness(exchange);
      case '/login':
      case '/logout':
        return logInPages.serve(exchange);
      default:
        if (pages.serveAsset(exchange)) return undefined;
    }
    const credential = credentialOf(exchange);
    const known = credential === undefined ? undefined : callerOf(credential);
    const caller = known && { ...known, from: exchange.client };
    if (credential === undefined || caller === undefined) {
      const { authorization, accept = '' } = exchange.request.headers;
      if (isPage && !isFeed(pathname) && authorization === undefined && accept.includes('text/html'))
        return redirect(exchange, logInPath(exchange));
      if (credential !== undefined) return fail(exchange, 'expected a token or a log-in that is in force');
      throw unauthorized(exchange, 'expected "Authorization: Bearer" and a token that is in force');
    }
    exchange.caller = caller;
    if (credential.kind === 'cookie') await admitCookie(exchange, credential);
    switch (pathname) {
      case '/openapi.json':
        description ??= JSON.stringify(openApi(deps.version, reach.base));
        return sendRead(exchange, description);
      case '/metrics':
        if (caller.labels !== undefined)
          throw new Refusal('forbidden', 'expected a token that is not limited to labels');
        return send(exchange, 200, await deps.metrics.read(), deps.metrics.contentType);
      default:
    }
    if (isFeed(pathname)) return sendFeed(exchange, caller, calls);
    return isOfApi(pathname) ? api.serve(exchange, caller) : pages.serve(exchange, caller);
  }

  async function outside(): Promise<void> {
    throw new Refusal('unknown_path', `expected a path below ${reach.base}/`);
  }

  /** Refuses a change that another site may have had a browser send, and notes that the log-in is used. */
  async function admitCookie(exchange: Exchange, { text }: Credential): Promise<void> {
    const mode = exchange.request.headers['sec-fetch-mode'];
    if (exchange.verb !== 'GET') checkSameOrigin(exchange);
    // Only a change or a navigation is a use of the log-in: scripts of an open page read on without a person.
    if (exchange.verb !== 'GET' || (mode ?? 'navigate') === 'navigate') await logIns.noteUse(text);
  }

  function callerOf({ kind, text }: Credential): Caller | undefined {
    if (kind !== 'token') return logIns.find(text);
    const caller = deps.callerOf(text);
    return caller && { ...caller, token: caller.id };
  }

  function fail(exchange: Exchange, message: string): never {
    const waitSeconds = failures.count(exchange.client);
    if (waitSeconds === undefined) throw unauthorized(exchange, message);
    throw new Refusal('too_many_failures', 'too many tokens that are not in force', {
      'retry-after': String(waitSeconds),
    });
  }

  /** Whether a stream may go on. One that cannot be told of ends, and its client comes again. */
  function isStillCaller(exchange: Exchange, { role }: Caller): boolean {
    try {
      const credential = credentialOf(exchange);
      return credential !== undefined && callerOf(credential)?.role === role;
    } catch {
      return false;
    }
  }

  async function tellReadiness(exchange: Exchange): Promise<void> {
    let reasons: readonly string[];
    try {
      const { state, remaining, paused } = await status();
      reasons = [
        ...(state === 'ready' ? [] : [`${state}: ${remaining} actors are still to start`]),
        ...(paused === undefined ? [] : [`scraping is paused: ${paused}`]),
      ];
    } catch (error) {
      reasons = [refusalOf(error, 'daemon.status').message];
    }
    const isReady = reasons.length === 0;
    send(exchange, isReady ? 200 : 503, JSON.stringify({ status: isReady ? 'ready' : 'not ready', reasons }));
  }

  async function lastEvent(): Promise<number> {
    return (await status()).lastEvent;
  }

  async function status() {
    return handlers['daemon.status']({}, { signal: calls.closing });
  }

  async function refuse(exchange: Exchange, error: unknown): Promise<void> {
    const { response, url } = exchange;
    const refusal = error instanceof Refusal ? error : refusalOf(error, url.pathname);
    if (refusal.code === 'internal') deps.failed(error, url.pathname);
    const problem = problemOf(refusal);
    if ([401, 403, 421].includes(problem.status)) calls.denied(exchange, problem.code);
    if (response.headersSent) return void response.destroy();
    if (refusal instanceof Refusal)
      for (const [name, value] of Object.entries(refusal.headers)) response.setHeader(name, value);
    if (problem.status === 503 && !response.hasHeader('retry-after')) response.setHeader('retry-after', '5');
    if (url.pathname === '/login') await logInPages.show(exchange, problem);
    else if (isOfApi(url.pathname) || isFeed(url.pathname))
      send(exchange, problem.status, JSON.stringify(problem), 'application/problem+json');
    else pages.refuse(exchange, problem);
  }
}

function unauthorized({ url }: Exchange, message: string): Refusal {
  const scheme = isFeed(url.pathname) ? 'Basic' : 'Bearer';
  return new Refusal('unauthorized', message, { 'www-authenticate': `${scheme} realm="heronry"` });
}

/** Paths for programs besides those below `/v1`. */
export const programPaths: ReadonlySet<string> = new Set([
  '/healthz',
  '/healthcheck',
  '/readyz',
  '/metrics',
  '/openapi.json',
]);

/** Whether a path is one for programs, whose errors are problem details. */
function isOfApi(pathname: string): boolean {
  return /^\/v1(?:\/|$)/.test(pathname) || programPaths.has(pathname);
}
