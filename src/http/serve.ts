import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../clock.ts';
import { ControlError } from '../control/error.ts';
import { findCall, refusalOf } from '../control/dispatch.ts';
import type { HandlerContext, Handlers } from '../control/methods.ts';
import { reaches, type Role } from '../schema/role.ts';
import { readBody } from './body.ts';
import { figuresText, figuresType } from './figures.ts';
import { bearerOf, checkOrigin, Failures } from './guard.ts';
import { openApi } from './openapi.ts';
import { bodyParams, queryParams } from './params.ts';
import { problemOf, Refusal } from './problem.ts';
import { type Answer, Repeats } from './repeats.ts';
import { findRoutes, type Route } from './routes.ts';
import { Streams } from './stream.ts';

/** Who sent a request: the token that it carries. */
export interface Caller {
  readonly id: string;
  readonly label: string;
  readonly role: Role;
}

/** What serving requests needs. */
export interface ServeDeps {
  readonly clock: Clock;
  readonly version: string;
  readonly handlers: Handlers;
  /** Refuses every change. */
  readonly readOnly: boolean;
  /** Returns the caller whose token this is; nothing where it is not in force. */
  callerOf(token: string): Caller | undefined;
  /** Writes a line on a change, or on a call that was denied. */
  audit(line: AuditLine): void;
  /** Called where a handler throws an unexpected error, which is a bug. */
  failed(error: unknown, method: string): void;
}

/** A change or a denied call, for the log. */
export interface AuditLine {
  readonly verb: string;
  readonly path: string;
  readonly status: number;
  readonly from: string;
  /** The id and the label of the token; missing where there was none in force. */
  readonly token?: string;
  readonly label?: string;
  /** Why it was refused; missing where it was not. */
  readonly code?: string;
}

/** Serves the requests of an HTTP server. */
export interface Serving {
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Ends the streams, and has each further answer end its connection. */
  close(): void;
}

/** Sent with every answer: nothing of it may be kept, framed or taken for another type. */
const headers = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** The most calls under way; further ones are refused. */
const mostCalls = 256;

/** The longest `Idempotency-Key`. */
const longestKey = 200;

/** A request on its way: what is known of it so far. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly verb: string;
  readonly url: URL;
  caller?: Caller;
}

/** Creates the serving of the API: `/v1` by the table of control methods, its description, health and metrics. */
export function createServing(deps: ServeDeps): Serving {
  const { clock, handlers } = deps;
  const streams = new Streams(clock);
  const failures = new Failures(() => clock.monotonic());
  const repeats = new Repeats(() => clock.monotonic());
  const closing = new AbortController();
  let description: string | undefined;
  let calls = 0;

  return {
    handle(request, response) {
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      if (closing.signal.aborted) response.setHeader('connection', 'close');
      // A client that has gone is no concern of ours.
      response.on('error', () => response.destroy());
      const verb = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
      const url = URL.parse(request.url?.startsWith('/') === true ? `http://own${request.url}` : '');
      const exchange: Exchange = { request, response, verb, url: url ?? new URL('http://own/') };
      serve(exchange).catch((error: unknown) => refuse(exchange, error));
    },
    close() {
      closing.abort();
      streams.close();
    },
  };

  async function serve(exchange: Exchange): Promise<void> {
    const { request, verb, url } = exchange;
    checkOrigin(request.headers);
    switch (url.pathname) {
      case '/healthz':
      case '/healthcheck':
        return send(exchange, 200, '{"status":"ok"}');
      case '/readyz':
        return tellReadiness(exchange);
      default:
    }
    const caller = authenticate(exchange);
    switch (url.pathname) {
      case '/openapi.json':
        description ??= JSON.stringify(openApi(deps.version));
        return sendRead(exchange, description);
      case '/metrics':
        return send(exchange, 200, figuresText(await status()), figuresType);
      default:
    }
    const found = findRoutes(url.pathname);
    if (found === undefined) throw new Refusal('unknown_path', `no such path: ${url.pathname.slice(0, 200)}`);
    const route = found.routes.get(verb);
    if (route === undefined) {
      const allow = [...found.routes.keys()].join(', ');
      throw new Refusal('verb_not_allowed', `expected ${allow}, got ${verb}`, { allow });
    }
    const { role, notifies } = route.spec;
    if (!reaches(caller.role, role))
      throw new Refusal(
        'forbidden',
        `${route.method}: expected a token of role ${role}, got one of role ${caller.role}`,
      );
    const isChange = verb !== 'GET';
    if (deps.readOnly && isChange) throw new Refusal('read_only', 'this daemon serves HTTP read-only');
    if (notifies !== undefined) return stream(exchange, route, caller);
    if (calls >= mostCalls) throw new Refusal('too_busy', `${mostCalls} calls are under way`, { 'retry-after': '1' });
    calls += 1;
    try {
      await (isChange ? change(exchange, route, caller, found.key) : read(exchange, route, found.key));
    } finally {
      calls -= 1;
    }
  }

  /** Finds who calls. Throws a `Refusal` where nobody is known to. */
  function authenticate(exchange: Exchange): Caller {
    const { headers: sent, socket } = exchange.request;
    const token = bearerOf(sent);
    const caller = token === undefined ? undefined : deps.callerOf(token);
    if (caller !== undefined) {
      exchange.caller = caller;
      return caller;
    }
    const waitSeconds = token === undefined ? undefined : failures.count(socket.remoteAddress ?? '');
    if (waitSeconds !== undefined)
      throw new Refusal('too_many_failures', 'too many tokens that are not in force', {
        'retry-after': String(waitSeconds),
      });
    throw new Refusal('unauthorized', 'expected "Authorization: Bearer" and a token that is in force', {
      'www-authenticate': 'Bearer realm="heronry"',
    });
  }

  async function read(exchange: Exchange, route: Route, key: string | undefined): Promise<void> {
    const gone = new AbortController();
    exchange.response.once('close', () => gone.abort(new ControlError('not_ready', 'the caller hung up')));
    const params = queryParams(route, exchange.url.searchParams, key);
    const result = await findCall(handlers, route.method, params).run({ signal: gone.signal });
    const next = nextOf(result);
    if (next !== undefined) exchange.response.setHeader('link', `<${nextUrl(exchange.url, route, next)}>; rel="next"`);
    sendRead(exchange, JSON.stringify(result));
  }

  async function change(exchange: Exchange, route: Route, caller: Caller, key: string | undefined): Promise<void> {
    const { request, url, verb } = exchange;
    const body = await readBody(request);
    if (verb !== 'DELETE' && url.search !== '')
      throw new ControlError('invalid_request', 'expected the parameters of a change in its body');
    const params =
      verb === 'DELETE' ? { ...body, ...queryParams(route, url.searchParams, key) } : bodyParams(route, body, key);
    const call = findCall(handlers, route.method, params);
    // A change that has begun is not left half done because its caller has gone.
    const make = (): Promise<Answer> => answerOf(async () => call.run({ signal: closing.signal }), route.method);
    const keyed = request.headers['idempotency-key'];
    if (
      keyed !== undefined &&
      (typeof keyed !== 'string' || !new RegExp(`^[\\x21-\\x7e]{1,${longestKey}}$`).test(keyed))
    )
      throw new ControlError('invalid_request', `idempotency-key: expected 1 to ${longestKey} visible characters`);
    const { status: answered, text } =
      keyed === undefined
        ? await make()
        : await repeats.answer({ token: caller.id, key: keyed, verb, path: url.pathname, params }, make);
    audit(exchange, answered);
    send(exchange, answered, text, answered < 400 ? undefined : 'application/problem+json');
  }

  /** Runs a change; what it refuses is an answer as well, to be given again. */
  async function answerOf(run: () => Promise<unknown>, method: string): Promise<Answer> {
    try {
      return { status: 200, text: JSON.stringify(await run()), isPassing: false };
    } catch (error) {
      const refusal = refusalOf(error, method);
      if (refusal.code === 'internal') deps.failed(error, method);
      const problem = problemOf(refusal);
      return { status: problem.status, text: JSON.stringify(problem), isPassing: problem.status >= 500 };
    }
  }

  async function stream(exchange: Exchange, route: Route, caller: Caller): Promise<void> {
    const { request, response, url } = exchange;
    if (request.method === 'HEAD') throw new Refusal('verb_not_allowed', 'expected GET, got HEAD', { allow: 'GET' });
    const lastEvent = request.headers['last-event-id'];
    const query = new URLSearchParams(url.searchParams);
    if (typeof lastEvent === 'string' && /^\d{1,15}$/.test(lastEvent)) query.set('after', lastEvent);
    const { after, ...wanted } = queryParams(route, query);
    // The parameters are checked before anything is sent.
    findCall(handlers, route.method, { ...wanted, ...(after !== undefined && { after }) });
    const token = bearerOf(request.headers) ?? '';
    const start = (from: number | undefined, context: HandlerContext) =>
      findCall(handlers, route.method, { ...wanted, ...(from !== undefined && { after: from }) }).run(context);
    await streams.serve(response, {
      allowed: () => isStillCaller(token, caller),
      after: typeof after === 'number' ? after : undefined,
      async subscribe(from, subscriber) {
        try {
          await start(from, subscriber);
        } catch (error) {
          const isAhead = error instanceof ControlError && error.code === 'invalid_params';
          if (!isAhead || lastEvent === undefined) throw error;
          // The store was restored from a backup since, in which these events had not come about.
          subscriber.lag((await status()).lastEvent);
        }
      },
    });
  }

  /** Whether a stream may go on. One that cannot be told of ends, and its client comes again. */
  function isStillCaller(token: string, { role }: Caller): boolean {
    try {
      return deps.callerOf(token)?.role === role;
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

  async function status() {
    return handlers['daemon.status']({}, { signal: closing.signal });
  }

  function refuse(exchange: Exchange, error: unknown): void {
    const { response, url } = exchange;
    const refusal = error instanceof Refusal ? error : refusalOf(error, url.pathname);
    if (refusal.code === 'internal') deps.failed(error, url.pathname);
    const problem = problemOf(refusal);
    if ([401, 403, 421].includes(problem.status)) audit(exchange, problem.status, problem.code);
    if (response.headersSent) return void response.destroy();
    if (refusal instanceof Refusal)
      for (const [name, value] of Object.entries(refusal.headers)) response.setHeader(name, value);
    if (problem.status === 503 && !response.hasHeader('retry-after')) response.setHeader('retry-after', '5');
    send(exchange, problem.status, JSON.stringify(problem), 'application/problem+json');
  }

  function audit({ request, verb, url, caller }: Exchange, answered: number, code?: string): void {
    deps.audit({
      verb,
      path: url.pathname.slice(0, 500),
      status: answered,
      from: request.socket.remoteAddress ?? '',
      ...(caller && { token: caller.id, label: caller.label }),
      ...(code !== undefined && { code }),
    });
  }
}

/** Sends what was read, or only that it is as the caller has it already. */
function sendRead(exchange: Exchange, text: string): void {
  const tag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
  exchange.response.setHeader('etag', tag);
  const known = exchange.request.headers['if-none-match'] ?? '';
  const isKnown = known === '*' || known.split(',').some((each) => each.trim().replace(/^W\//, '') === tag);
  if (isKnown) send(exchange, 304, '');
  else send(exchange, 200, text);
}

function send({ response }: Exchange, status: number, text: string, type = 'application/json'): void {
  response.statusCode = status;
  if (status !== 304) response.setHeader('content-type', type).setHeader('content-length', Buffer.byteLength(text));
  response.end(text);
}

/** The `next` of a list that is not at its end. */
function nextOf(result: unknown): string | undefined {
  if (typeof result !== 'object' || result === null || !('next' in result)) return undefined;
  const { next } = result;
  return typeof next === 'string' || typeof next === 'number' ? String(next) : undefined;
}

function nextUrl({ pathname, searchParams }: URL, { params }: Route, next: string): string {
  const query = new URLSearchParams(searchParams);
  const names = Object.keys(params.properties ?? {});
  query.set(['cursor', 'before', 'after'].find((name) => names.includes(name)) ?? 'after', next);
  return `${pathname}?${query.toString()}`;
}
