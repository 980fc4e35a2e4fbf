import type { Transform } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { BodyHold } from './body-budget.ts';
import { collectBody, openDecoder } from './body.ts';
import type { FetchFailure } from './failure.ts';
import type { FetchCost, FetchOptions, FetchOutcome, FetchRequest } from './request.ts';
import { retryAfterMs } from './retry-after.ts';
import { wireFailure } from './wire-error.ts';

/** All that one exchange needs. */
export interface ExchangeOptions {
  readonly dispatcher: Dispatcher;
  readonly url: URL;
  readonly request: FetchRequest;
  /** Complete, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly hold: BodyHold;
  readonly options: FetchOptions;
}

interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly observedAt: number;
}

/** What a head alone decides; the body is then of no interest. */
type Verdict =
  | { readonly kind: 'redirect'; readonly url: string }
  | { readonly kind: 'failure'; readonly failure: FetchFailure };

const redirects = new Set([301, 302, 303, 307, 308]);

/** A body that nobody wants is read this far, so that its connection can be used again; then the connection is closed. */
const discardBytes = 64 * 1024;
const discardMs = 1_000;

/** One request and its response, within the request's limits. */
export function exchange({ dispatcher, url, request, headers, hold, options }: ExchangeOptions): Promise<FetchOutcome> {
  const { limits } = request;
  const { signal } = options;
  const { promise, resolve, reject } = Promise.withResolvers<FetchOutcome>();
  const startedAt = performance.now();
  let state: 'open' | 'received' | 'settled' = 'open';
  let controller: Dispatcher.DispatchController | undefined;
  let head: Head | undefined;
  let verdict: Verdict | undefined;
  let sink: Transform | undefined;
  let encodedBytes = 0;
  let stageTimer: NodeJS.Timeout | undefined;
  const totalTimer = setTimeout(() => expire('total', limits.totalMs), limits.totalMs);

  if (signal.aborted) cancel();
  else begin();
  return promise;

  function begin(): void {
    signal.addEventListener('abort', cancel);
    enter('connect', limits.connectMs);
    dispatcher.dispatch(
      {
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: request.method ?? 'GET',
        headers,
      },
      {
        onRequestStart: connected,
        onRequestSent: () => options.onSent(),
        onResponseStart: (_, status, rawHeaders) => {
          if (status >= 200) headCame(status, rawHeaders);
        },
        onResponseData: (_, chunk) => chunkCame(chunk),
        onResponseEnd: ended,
        onResponseError: (_, error) => broke(error),
      },
    );
  }

  function connected(started: Dispatcher.DispatchController): void {
    controller = started;
    if (state === 'settled') started.abort(new Error('nobody waits for this response'));
    else enter('headers', limits.headersMs);
  }

  function headCame(status: number, rawHeaders: Readonly<Record<string, string | string[] | undefined>>): void {
    head = { status, headers: joined(rawHeaders), observedAt: options.now() };
    verdict = judge(head, url);
    if (verdict) return enterDiscard(verdict);
    if (declaredBytes(head) > limits.maxBytes) return fail({ code: 'too_large', limitBytes: limits.maxBytes });
    return enter('body', limits.bodyMs);
  }

  function chunkCame(chunk: Buffer): void {
    if (state === 'settled' || !head) return;
    encodedBytes += chunk.byteLength;
    if (verdict) {
      if (encodedBytes > discardBytes) settle(verdict);
      return;
    }
    if (encodedBytes > limits.maxBytes) return fail({ code: 'too_large', limitBytes: limits.maxBytes });
    stageTimer?.refresh();
    sink ??= openSink(head, chunk);
    if (sink && !sink.write(chunk)) waitFor(sink);
  }

  /** Holds the site back until the sink has taken what it was given; that silence is ours and has no limit but the total. */
  function waitFor(full: Transform): void {
    clearTimeout(stageTimer);
    controller?.pause();
    full.once('drain', () => {
      if (state === 'open') enter('body', limits.bodyMs);
      controller?.resume();
    });
  }

  function openSink(of: Head, firstChunk: Buffer): Transform | undefined {
    const encoding = of.headers['content-encoding'] ?? '';
    const decoder = openDecoder(encoding, firstChunk[0]);
    if (decoder) collect(decoder, of, encoding);
    else fail({ code: 'bad_encoding', encoding });
    return decoder;
  }

  function collect(decoder: Transform, of: Head, encoding: string): void {
    const expectedBytes = encoding === '' && declaredBytes(of) > 0 ? declaredBytes(of) : undefined;
    collectBody(decoder, { encoding, maxBytes: limits.maxBytes, expectedBytes, hold }).then(
      (collected) => (collected.ok ? settlePage(of, collected.body) : fail(collected.failure)),
      reject,
    );
  }

  function ended(): void {
    if (state === 'settled') return;
    state = 'received';
    clearTimeout(stageTimer);
    if (verdict) settle(verdict);
    else if (sink) sink.end();
    else if (head) settlePage(head, new ArrayBuffer(0));
  }

  function broke(error: Error): void {
    const failure = wireFailure(error, head !== undefined);
    if (failure) return fail(failure);
    reject(error);
    return leave();
  }

  function enter(stage: 'connect' | 'headers' | 'body', ms: number): void {
    clearTimeout(stageTimer);
    stageTimer = setTimeout(() => expire(stage, ms), ms);
  }

  function enterDiscard(reached: Verdict): void {
    clearTimeout(stageTimer);
    stageTimer = setTimeout(() => settle(reached), Math.min(discardMs, limits.bodyMs));
  }

  function expire(stage: 'connect' | 'headers' | 'body' | 'total', afterMs: number): void {
    fail({ code: 'timeout', stage, afterMs });
  }

  function cancel(): void {
    settle({ kind: 'failure', failure: { code: 'cancelled' } });
  }

  /** What goes wrong after a verdict does not change it. */
  function fail(failure: FetchFailure): void {
    settle(verdict ?? { kind: 'failure', failure });
  }

  function settle(reached: Verdict): void {
    if (state === 'settled') return;
    resolve({ ...reached, cost: cost() });
    leave();
    hold.release();
  }

  function settlePage({ status, headers: pageHeaders, observedAt }: Head, body: ArrayBuffer): void {
    if (state === 'settled') return;
    const { elapsedMs } = cost();
    resolve({
      kind: 'page',
      page: { url: url.href, status, headers: pageHeaders, body, observedAt, elapsedMs, encodedBytes },
    });
    leave();
  }

  /** A compressed body may be over before its response is, so even after a page there may be a connection to cut. */
  function leave(): void {
    const isReceived = state === 'received';
    state = 'settled';
    clearTimeout(stageTimer);
    clearTimeout(totalTimer);
    signal.removeEventListener('abort', cancel);
    sink?.destroy();
    if (!isReceived) controller?.abort(new Error('nobody waits for this response'));
  }

  function cost(): FetchCost {
    return { ...(head && { status: head.status }), encodedBytes, elapsedMs: performance.now() - startedAt };
  }
}

function judge({ status, headers, observedAt }: Head, base: URL): Verdict | undefined {
  if (redirects.has(status)) {
    const location = headers['location'] ?? '';
    const target = location === '' ? null : URL.parse(location, base.href);
    if (target && /^https?:$/.test(target.protocol)) return { kind: 'redirect', url: target.href };
    return { kind: 'failure', failure: { code: 'bad_redirect', location: location.slice(0, 2_000) } };
  }
  if (status < 300) return undefined;
  const afterMs = retryAfterMs(headers, observedAt);
  return {
    kind: 'failure',
    failure: { code: 'status', status, ...(afterMs !== undefined && { retryAfterMs: afterMs }) },
  };
}

/** 0 when the head does not say. */
function declaredBytes({ headers }: Head): number {
  const text = headers['content-length'] ?? '';
  return /^\d+$/.test(text) ? Number(text) : 0;
}

function joined(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const entries = Object.entries(headers).filter(
    (entry): entry is [string, string | string[]] => entry[1] !== undefined,
  );
  return Object.fromEntries(entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]));
}
