import { request as send, type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { request as sendSecurely, type RequestOptions } from 'node:https';
import type { TestContext } from 'node:test';
import { systemClock } from '../../src/clock.ts';
import type { Handlers } from '../../src/control/methods.ts';
import { startHttpServer, type HttpServerOptions } from '../../src/http/server.ts';
import type { LogIns } from '../../src/http/log-in.ts';
import type { Audited } from '../../src/control/audited.ts';
import { Role } from '../../src/schema/role.ts';
import { handlersWith } from '../control/daemon.ts';
import { status } from '../control/status.ts';

/** An answer of the API. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; `undefined` where it is none. */
  readonly json: unknown;
}

/** What a test sends; by default a `GET` without a body by a token of role `admin`. */
export interface Sent {
  readonly verb?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: unknown;
  /** Default: `admin`. */
  readonly token?: string | undefined;
  /** Sends it over TLS to a server with this certificate, by these names. */
  readonly tls?: Pick<RequestOptions, 'ca' | 'servername' | 'maxVersion'>;
}

/** Sends one request, with a path as it stands. */
export function ask(
  port: number,
  path: string,
  { verb = 'GET', headers = {}, body, tls, ...rest }: Sent = {},
): Promise<Answer> {
  const token = 'token' in rest ? rest.token : 'admin';
  const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const request = (tls === undefined ? send : sendSecurely)({
    ...tls,
    port,
    host: '127.0.0.1',
    path,
    method: verb,
    agent: false,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      ...headers,
    },
  });
  request.on('error', reject);
  request.on('response', (response) => {
    let answered = '';
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => (answered += chunk));
    response.on('error', reject);
    response.on('end', () =>
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text: answered, json: parsed(answered) }),
    );
  });
  request.end(text);
  return promise;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A server where nobody logs in. */
const noLogIns: LogIns = {
  begin: async () => undefined,
  find: () => undefined,
  noteUse: async () => undefined,
  end: async () => undefined,
};

/** A server of the API over some handlers; a token is the name of its role. */
export async function serveHttp(
  t: TestContext,
  some: Partial<Handlers> = {},
  options: Partial<HttpServerOptions> = {},
) {
  const audited: Audited[] = [];
  const errors: unknown[] = [];
  const server = await startHttpServer({
    port: 0,
    clock: systemClock(),
    version: '1.2.3',
    handlers: handlersWith({ 'daemon.status': () => status, ...some }),
    readOnly: false,
    callerOf: (token) => {
      const role = Role.safeParse(token);
      return role.success ? { id: token, label: token, role: role.data } : undefined;
    },
    metrics: { contentType: 'text/plain', read: () => Promise.resolve('') },
    served: () => undefined,
    subjects: { labelsOf: () => undefined, sourcesOf: () => undefined },
    logIns: noLogIns,
    takeCode: () => false,
    audit: (made) => audited.push(made),
    failed: (error) => errors.push(error),
    ...options,
  });
  t.after(() => server.close());
  return { ...server, audited, errors, ask: (path: string, sent?: Sent) => ask(server.port, path, sent) };
}

/** A stream as its client reads it. */
export interface Reading {
  readonly response: IncomingMessage;
  /** The next part: the lines up to a blank one; `undefined` at the end. */
  next(): Promise<string | undefined>;
}

/** Opens a stream of events; by default as a token of role `read`. */
export async function openStream(t: TestContext, port: number, path = '/v1/events', headers = {}): Promise<Reading> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = send({ port, path, host: '127.0.0.1', headers: { authorization: 'Bearer read', ...headers } });
  request.on('response', resolve).on('error', reject).end();
  t.after(() => request.destroy());
  const response = await promise;
  response.setEncoding('utf8');
  const parts = partsOf(response);
  return {
    response,
    async next() {
      const { value, done } = await parts.next();
      return done === true ? undefined : value;
    },
  };
}

async function* partsOf(response: IncomingMessage): AsyncGenerator<string, void> {
  let text = '';
  for await (const chunk of response) {
    text += String(chunk);
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      yield text.slice(0, end);
      text = text.slice(end + 2);
    }
  }
}
