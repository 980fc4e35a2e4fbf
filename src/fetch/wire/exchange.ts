import type { Dispatcher } from 'undici';
import { defined } from '../../defined.ts';
import type { BodyHold } from '../body-budget.ts';
import { type BodySink, type Collected, openSink } from './body.ts';
import { signsIn } from '../challenge.ts';
import type { Route } from './dispatchers.ts';
import { excerptBytes, excerptOf } from './excerpt.ts';
import type { FetchFailure } from '../failure.ts';
import { declaredBytes, type Head, judge, readHead, validatorsOf, type HeadVerdict } from './head.ts';
import { isAccepted, mediaTypeOf } from '../media-type.ts';
import type { FetchCost, FetchOptions, FetchOutcome, FetchRequest, Outgoing } from '../request.ts';
import { ExchangeTimer } from './exchange-timer.ts';
import { wireFailure } from './wire-error.ts';

/** The dependencies of one exchange. */
export interface ExchangeDeps extends FetchOptions {
  readonly route: Route;
  readonly url: URL;
  readonly request: FetchRequest;
  readonly outgoing: Outgoing;
  readonly hold: BodyHold;
}

/**
 * An unwanted body is read up to this size, so that its connection can be used again; beyond it the connection is
 * closed.
 */
const discardBytes = 64 * 1024;
const discardMs = 1_000;

const noCookies: readonly string[] = [];

/**
 * Makes one request and reads its response within the request's limits. Rejects only for a request that cannot be
 * written.
 */
export function exchange(deps: ExchangeDeps): Promise<FetchOutcome> {
  return new Promise((resolve, reject) => new Exchange(deps, resolve, reject).begin());
}

/**
 * One exchange; its methods stand in the order in which undici calls them. A class, so that a request does not make a
 * dozen closures.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #deps: ExchangeDeps;
  readonly #resolve: (outcome: FetchOutcome) => void;
  readonly #reject: (error: unknown) => void;
  readonly #startedAt = performance.now();
  readonly #timer: ExchangeTimer;
  #state: 'connecting' | 'connected' | 'received' | 'settled' = 'connecting';
  #controller: Dispatcher.DispatchController | undefined;
  #head: Head | undefined;
  #verdict: HeadVerdict | undefined;
  /** The first chunks of a body of which only the beginning is wanted. */
  readonly #excerpt: Buffer[] = [];
  #sink: BodySink | undefined;
  #encodedBytes = 0;

  constructor(deps: ExchangeDeps, resolve: (outcome: FetchOutcome) => void, reject: (error: unknown) => void) {
    this.#deps = deps;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = new ExchangeTimer(this.#startedAt, deps.request.limits.totalMs, (stage, afterMs) =>
      this.#fail({ code: 'timeout', stage, afterMs }),
    );
  }

  begin(): void {
    const { url, request, route, outgoing, signal } = this.#deps;
    if (signal.aborted) return this.#cancel();
    signal.addEventListener('abort', this);
    this.#timer.enter('connect', request.limits.connectMs, this.#startedAt);
    const path = `${url.pathname}${url.search}`;
    return route.dispatch({ origin: url.origin, path, ...outgoing }, this, (error) => this.#broke(error, false));
  }

  /** Called when the signal fires. */
  handleEvent(): void {
    this.#cancel();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#deps.mayBeSent?.() === false) this.#cancel();
    if (this.#state === 'settled') return controller.abort(new Error('nobody waits for this response'));
    this.#state = 'connected';
    return this.#timer.enter('headers', this.#deps.request.limits.headersMs);
  }

  onRequestSent(): void {
    this.#deps.onSent();
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    rawHeaders: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200 || this.#state === 'settled') return;
    const { url, request } = this.#deps;
    const head = readHead(status, rawHeaders, this.#deps.now());
    this.#head = head;
    this.#verdict = judge(head, url, request.validators);
    const { bodyMs, maxBytes } = request.limits;
    const mediaType = mediaTypeOf(head.headers);
    const { accepts: accepted = [mediaType] } = request;
    if (this.#verdict) this.#timer.enter('body', Math.min(discardMs, bodyMs));
    else if (!isAccepted(mediaType, accepted)) this.#fail({ code: 'media_type', mediaType, accepted });
    else if (declaredBytes(head) > maxBytes) this.#fail({ code: 'too_large', limitBytes: maxBytes });
    else this.#timer.enter('body', bodyMs);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#state === 'settled' || !this.#head) return;
    this.#encodedBytes += chunk.byteLength;
    if (this.#verdict) return this.#discard(chunk, this.#verdict);
    const { maxBytes } = this.#deps.request.limits;
    if (this.#encodedBytes > maxBytes) return this.#fail({ code: 'too_large', limitBytes: maxBytes });
    this.#timer.renew();
    this.#sink ??= this.#openSink(this.#head, chunk);
    if (this.#sink?.write(chunk) === false) this.#hold();
  }

  onResponseEnd(): void {
    if (this.#state === 'settled') return;
    this.#state = 'received';
    this.#timer.rest();
    if (this.#verdict) this.#settle(this.#verdict);
    else if (this.#sink) this.#sink.end();
    else if (this.#head) this.#settlePage(this.#head, new ArrayBuffer(0));
  }

  onResponseError(_: unknown, error: Error): void {
    this.#broke(error, this.#deps.request.proxy !== undefined && this.#state === 'connecting');
  }

  #openSink(head: Head, firstChunk: Buffer): BodySink | undefined {
    const encoding = head.headers['content-encoding'] ?? '';
    const sink = openSink(firstChunk[0], {
      encoding,
      maxBytes: this.#deps.request.limits.maxBytes,
      expectedBytes: declaredBytes(head) || undefined,
      hold: this.#deps.hold,
      onDrain: () => this.#resume(),
      onCollected: (collected) => this.#collected(head, collected),
    });
    if (!sink) this.#fail({ code: 'bad_encoding', encoding });
    return sink;
  }

  /** Pauses the response until the sink is ready. This silence is ours, so that only the total limit counts. */
  #hold(): void {
    if (this.#state === 'settled') return;
    this.#timer.rest();
    this.#controller?.pause();
  }

  #resume(): void {
    if (this.#state === 'connected') this.#timer.enter('body', this.#deps.request.limits.bodyMs);
    this.#controller?.resume();
  }

  #collected(head: Head, collected: Collected): void {
    if (collected.ok) this.#settlePage(head, collected.body);
    else this.#fail(collected.failure);
  }

  #discard(chunk: Buffer, verdict: HeadVerdict): void {
    const isWanted = verdict.kind === 'failure' && verdict.failure.code === 'status';
    if (isWanted && this.#encodedBytes - chunk.byteLength < excerptBytes) this.#excerpt.push(chunk);
    if (this.#encodedBytes > discardBytes) this.#settle(verdict);
  }

  #broke(error: Error, atProxy: boolean): void {
    if (this.#state === 'settled') return;
    const failure = wireFailure(error, { headCame: this.#head !== undefined, atProxy });
    if (failure) return this.#fail(failure);
    this.#reject(error);
    return this.#cleanUp();
  }

  #cancel(): void {
    this.#answer({ kind: 'failure', failure: { code: 'cancelled' } });
  }

  /** Ends the exchange with a failure, unless the head has decided it already. */
  #fail(failure: FetchFailure): void {
    this.#settle(this.#verdict ?? { kind: 'failure', failure });
  }

  #settle(verdict: HeadVerdict): void {
    if (this.#state === 'settled') return;
    const [head, excerpt] = [this.#head, this.#excerpt];
    if (head === undefined || excerpt.length === 0) return this.#answer(verdict);
    this.#cleanUp();
    excerptOf(excerpt, head).then((text) => this.#resolveWith(withExcerpt(verdict, text)), this.#reject);
  }

  #answer(verdict: HeadVerdict): void {
    if (this.#state === 'settled') return;
    this.#resolveWith(verdict);
    this.#cleanUp();
  }

  #resolveWith(verdict: HeadVerdict): void {
    const signs = this.#head && signsIn(this.#head.headers);
    const setCookies = this.#head?.setCookies ?? noCookies;
    this.#resolve({ ...verdict, setCookies, ...defined({ signs }), cost: this.#cost() });
    this.#deps.hold.release();
  }

  #settlePage(head: Head, body: ArrayBuffer): void {
    if (this.#state === 'settled') return;
    const { status, headers, setCookies, observedAt } = head;
    const elapsedMs = performance.now() - this.#startedAt;
    const encodedBytes = this.#encodedBytes;
    const { href: url } = this.#deps.url;
    const validators = validatorsOf(head);
    const page = { url, status, headers, body, observedAt, elapsedMs, encodedBytes };
    this.#resolve({ kind: 'page', page: validators === undefined ? page : { ...page, validators }, setCookies });
    this.#cleanUp();
  }

  /**
   * Cleans up. A compressed body may end before its response, so even after a page there may be a connection to close.
   */
  #cleanUp(): void {
    const isReceived = this.#state === 'received';
    this.#state = 'settled';
    this.#timer.stop();
    this.#deps.signal.removeEventListener('abort', this);
    this.#sink?.destroy();
    if (!isReceived) this.#controller?.abort(new Error('nobody waits for this response'));
  }

  #cost(): FetchCost {
    return {
      ...defined({ status: this.#head?.status }),
      encodedBytes: this.#encodedBytes,
      elapsedMs: performance.now() - this.#startedAt,
    };
  }
}

function withExcerpt(verdict: HeadVerdict, excerpt: string): HeadVerdict {
  if (excerpt === '' || verdict.kind !== 'failure' || verdict.failure.code !== 'status') return verdict;
  return { ...verdict, failure: { ...verdict.failure, excerpt } };
}
