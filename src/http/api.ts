import type { ServerResponse } from 'node:http';
import { ControlError } from '../control/error.ts';
import { refusalOf } from '../control/dispatch.ts';
import type { HandlerContext } from '../control/methods.ts';
import { readBody } from './body.ts';
import { type Calls, hangUp } from './calls.ts';
import { type Caller, type Exchange, send, sendRead } from './exchange.ts';
import { wrongVerb } from './guard.ts';
import { bodyParams, queryParams } from './params.ts';
import { problemOf, Refusal } from './problem.ts';
import { type Answer, Repeats } from './idempotency.ts';
import { findRoutes, isChange, type Route } from './routes.ts';
import { Streams } from './stream.ts';
import type { Clock } from '../clock.ts';

/** The longest `Idempotency-Key`. */
const longestKey = 200;

/** The most open streams of one token or log-in. The server has 2,048 connections, which one caller must not take alone. */
const mostStreamsOfCaller = 256;

/** What serving the control methods needs. */
export interface ApiDeps {
  readonly clock: Clock;
  readonly calls: Calls;
  /** Whether a stream may go on that a caller has opened with this request. */
  isStillCaller(exchange: Exchange, caller: Caller): boolean;
  /** The id of the newest event. */
  lastEvent(): Promise<number>;
  /** Called where a handler throws an unexpected error, which is a bug. */
  failed(error: unknown, method: string): void;
}

/** Serves the control methods below `/v1`. */
export interface Api {
  /** Answers a request. Rejects with what is wrong. */
  serve(exchange: Exchange, caller: Caller): Promise<void>;
  /** The number of streams of events that are open. */
  streams(): number;
  /** Ends the streams. */
  close(): void;
}

/** Creates the serving of the control methods: calls, changes that are made once, and streams of events. */
export function createApi({ clock, calls, isStillCaller, lastEvent, failed }: ApiDeps): Api {
  const streams = new Streams(clock);
  /** The numbers of open streams by the ids of their callers. */
  const open = new Map<string, number>();
  const repeats = new Repeats(() => clock.monotonic());

  return { serve, streams: () => streams.size, close: () => streams.close() };

  async function serve(exchange: Exchange, caller: Caller): Promise<void> {
    const { verb, url } = exchange;
    const found = findRoutes(url.pathname);
    if (found === undefined) throw new Refusal('unknown_path', `no such path: ${url.pathname.slice(0, 200)}`);
    const route = found.routes.get(verb);
    if (route === undefined) throw wrongVerb(verb, [...found.routes.keys()]);
    calls.check(caller, route);
    if (route.spec.notifies !== undefined) return stream(exchange, route, caller);
    await calls.within(() =>
      isChange(route) ? change(exchange, route, caller, found.key) : read(exchange, route, caller, found.key),
    );
  }

  async function read(exchange: Exchange, route: Route, caller: Caller, key: string | undefined): Promise<void> {
    const params = queryParams(route, exchange.url.searchParams, key);
    const result = await calls.find(caller, route, params).run({ signal: hangUp(exchange) });
    const next = nextOf(result);
    if (next !== undefined)
      exchange.response.setHeader('link', `<${exchange.base}${nextUrl(exchange.url, route, next)}>; rel="next"`);
    sendRead(exchange, JSON.stringify(result));
  }

  async function change(exchange: Exchange, route: Route, caller: Caller, key: string | undefined): Promise<void> {
    const { request, url, verb } = exchange;
    const body = await readBody(request);
    if (verb !== 'DELETE' && url.search !== '')
      throw new ControlError('invalid_request', 'expected the parameters of a change in its body');
    const params =
      verb === 'DELETE' ? { ...body, ...queryParams(route, url.searchParams, key) } : bodyParams(route, body, key);
    const call = calls.find(caller, route, params);
    // A change that has begun is not left half done because its caller has gone.
    const make = (): Promise<Answer> => answerOf(async () => call.run({ signal: calls.closing }), route.method);
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
    send(exchange, answered, text, answered < 400 ? undefined : 'application/problem+json');
  }

  /** Counts a stream of a caller until its response is closed. Throws a `Refusal` where the caller has too many. */
  function countStream({ id }: Caller, response: ServerResponse): void {
    const others = open.get(id) ?? 0;
    if (others >= mostStreamsOfCaller)
      throw new Refusal('too_busy', `${mostStreamsOfCaller} streams of this token or log-in are open`, {
        'retry-after': '30',
      });
    open.set(id, others + 1);
    response.once('close', () => {
      const left = (open.get(id) ?? 1) - 1;
      if (left === 0) open.delete(id);
      else open.set(id, left);
    });
  }

  /** Runs a change; what it refuses is an answer as well, to be given again. */
  async function answerOf(run: () => Promise<unknown>, method: string): Promise<Answer> {
    try {
      return { status: 200, text: JSON.stringify(await run()), isPassing: false };
    } catch (error) {
      const refusal = refusalOf(error, method);
      if (refusal.code === 'internal') failed(error, method);
      const problem = problemOf(refusal);
      return { status: problem.status, text: JSON.stringify(problem), isPassing: problem.status >= 500 };
    }
  }

  async function stream(exchange: Exchange, route: Route, caller: Caller): Promise<void> {
    const { request, response, url } = exchange;
    if (request.method === 'HEAD') throw wrongVerb('HEAD', ['GET']);
    const resumed = request.headers['last-event-id'];
    const query = new URLSearchParams(url.searchParams);
    // What is no id stands for events that there are not.
    if (typeof resumed === 'string' && resumed !== '')
      query.set('after', /^\d{1,15}$/.test(resumed) ? resumed : String(Number.MAX_SAFE_INTEGER));
    const { after, ...wanted } = queryParams(route, query);
    // The parameters are checked before anything is sent.
    calls.find(caller, route, { ...wanted, ...(after !== undefined && { after }) });
    countStream(caller, response);
    const start = (from: number | undefined, context: HandlerContext) =>
      calls.find(caller, route, { ...wanted, ...(from !== undefined && { after: from }) }).run(context);
    await streams.serve(response, {
      allowed: () => isStillCaller(exchange, caller),
      after: typeof after === 'number' ? after : undefined,
      async subscribe(from, subscriber) {
        try {
          await start(from, subscriber);
        } catch (error) {
          const isAhead = error instanceof ControlError && error.code === 'invalid_params';
          if (!isAhead || !resumed) throw error;
          // The store was restored from a backup since, in which these events had not come about.
          subscriber.lag(await lastEvent());
        }
      },
    });
  }
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
