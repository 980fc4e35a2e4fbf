import type { IncomingMessage, ServerResponse } from 'node:http';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Dispatcher, Pool } from 'undici';
import type { Clock } from '../clock.ts';
import { refusalOf } from '../control/dispatch.ts';
import { lineLimitBytes } from '../control/message.ts';
import { tooLarge } from './body.ts';
import { ownHeaders, send } from './exchange.ts';
import { type Listening, listenFor, type Place } from './listening.ts';
import { problemOf, Refusal } from './problem.ts';
import { createReach, type ReachOptions } from './reach.ts';

/** How long the daemon may take to accept a connection, to begin an answer, and to say nothing within one, in milliseconds. A stream of events says something every 15 s. */
const connectMs = 5_000;
const answerMs = 600_000;
const silentMs = 60_000;

/** Headers that are of one connection alone (RFC 9110), and one that the server has already answered. */
const ofConnection = ['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'expect'];

/** Headers that tell of the client, which are made anew: clients may send any. */
const ofClient = ['host', 'forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'];

/** Where to listen, and what to pass on to. */
export interface RelayOptions extends ReachOptions, Place {
  readonly host?: string;
  readonly clock: Clock;
  /** The origin of the daemon's HTTP server. */
  readonly daemon: string;
  /** Called when the daemon does not answer any more, with why, and when it answers again. */
  answers(problem?: unknown): void;
}

/** A server that passes requests on. */
export interface Relay extends Listening {
  /** The address at which people find it, with a slash at its end. */
  readonly url: string;
}

/**
 * Serves the HTTP API of a daemon elsewhere: each request is passed on to its HTTP server, which judges it, and the answer is passed back as it comes. Rejects
 * where it cannot listen, or has no certificate.
 */
export async function startRelay({ daemon, answers, ...place }: RelayOptions): Promise<Relay> {
  const reach = createReach(place, place.tls !== undefined);
  const pool = new Pool(daemon, {
    connect: { timeout: connectMs },
    headersTimeout: answerMs,
    bodyTimeout: silentMs,
  });
  const closing = new AbortController();
  let isAway = false;
  const { port, close } = await listenFor({ handle, close: () => closing.abort() }, place);
  return {
    port,
    url: reach.urlAt(port),
    async close() {
      await close();
      await pool.destroy();
    },
  };

  function handle(request: IncomingMessage, response: ServerResponse): void {
    // A client that has gone is no concern of ours.
    response.on('error', () => response.destroy());
    // What is left of its body is dropped, so that another request can follow it.
    response.once('finish', () => request.unpipe().resume());
    if (closing.signal.aborted) response.setHeader('connection', 'close');
    serve(request, response).catch((error: unknown) => refuse(request, response, error));
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = reach.pathOf(request)?.split('?', 1)[0];
    if (path === undefined) throw new Refusal('unknown_path', `expected a path below ${reach.base}/`);
    const origin = new URL(reach.originOf(request));
    if (path === '/healthz' || path === '/healthcheck') return sendOwn(response, 200, '{"status":"ok"}');
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const { statusCode, headers, body } = await ask(request, origin, gone.signal);
    const kept = Object.entries(headers).filter(([name]) => !ofConnection.includes(name));
    response.writeHead(statusCode, Object.fromEntries(kept));
    if (String(headers['content-type']).startsWith('text/event-stream'))
      closing.signal.addEventListener('abort', () => response.end(), { signal: gone.signal });
    await pipeline(body, response);
  }

  /** Asks the daemon. Rejects with a `Refusal` where it does not begin to answer. */
  async function ask(
    request: IncomingMessage,
    { host, protocol }: URL,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    const { method = 'GET', url = '/' } = request;
    try {
      const answer = await pool.request({
        method,
        path: url,
        headers: [
          ...headersOf(request),
          ...['x-forwarded-for', reach.clientOf(request)],
          ...['x-forwarded-host', host],
          ...['x-forwarded-proto', protocol.slice(0, -1)],
        ],
        body: bodyOf(request),
        signal,
      });
      if (isAway) answers();
      isAway = false;
      return answer;
    } catch (cause) {
      if (cause instanceof Refusal) throw cause;
      const isGone = signal.aborted || request.socket.destroyed;
      if (!isGone && !isAway) answers(cause);
      isAway ||= !isGone;
      const reason = cause instanceof Error && 'code' in cause ? `: ${String(cause.code)}` : '';
      throw new Refusal('no_daemon', `expected the daemon to answer${reason}`, { 'retry-after': '5' });
    }
  }

  function refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    // The client or the daemon has gone within the answer.
    if (response.headersSent || response.destroyed) return void response.destroy();
    const refusal = error instanceof Refusal ? error : refusalOf(error, 'relay');
    const problem = problemOf(refusal);
    if (refusal instanceof Refusal)
      for (const [name, value] of Object.entries(refusal.headers)) response.setHeader(name, value);
    if (problem.code === 'no_daemon' && reach.pathOf(request) === '/readyz')
      return sendOwn(response, 503, JSON.stringify({ status: 'not ready', reasons: [problem.detail] }));
    sendOwn(response, problem.status, JSON.stringify(problem), 'application/problem+json');
  }
}

function sendOwn(response: ServerResponse, status: number, text: string, type?: string): void {
  for (const [name, value] of Object.entries(ownHeaders)) response.setHeader(name, value);
  send({ response }, status, text, type);
}

/**
 * The body of a request up to the bound of the daemon, which would hang up within a longer one. It is a stream of its own, as an answer that comes before
 * its end would close the connection of the client with it. Throws a `Refusal` where the body says that it is longer.
 */
function bodyOf(request: IncomingMessage): Transform | null {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  if (length === undefined && coding === undefined) return null;
  if (Number(length ?? 0) > lineLimitBytes) throw tooLarge(lineLimitBytes);
  let bytes = 0;
  return request.pipe(
    new Transform({
      transform(chunk: Buffer, _, done) {
        bytes += chunk.length;
        if (bytes > lineLimitBytes) done(tooLarge(lineLimitBytes));
        else done(null, chunk);
      },
    }),
  );
}

/** The headers of a request that are passed on, names and values by turns. */
function headersOf({ rawHeaders, headers }: IncomingMessage): string[] {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  const dropped = new Set([...ofConnection, ...ofClient, ...named]);
  return rawHeaders.filter((_, index) => !dropped.has((rawHeaders[index - (index % 2)] ?? '').toLowerCase()));
}
