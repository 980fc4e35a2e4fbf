import type { Dispatcher } from 'undici';
import type { BodyHold } from './body-budget.ts';
import { type BodySink, type Collected, openSink } from './body.ts';
import { signsIn } from './challenge.ts';
import type { Route } from './dispatchers.ts';
import { excerptBytes, excerptOf } from './excerpt.ts';
import type { FetchFailure } from './failure.ts';
import { declaredBytes, type Head, judge, readHead, validatorsOf, type Verdict } from './head.ts';
import type { Outgoing } from './outgoing.ts';
import type { FetchCost, FetchOptions, FetchOutcome, FetchRequest } from './request.ts';
import { type Stage, Watch } from './watch.ts';
import { wireFailure } from './wire-error.ts';

/** All that one exchange needs. */
export interface ExchangeOptions {
  readonly route: Route;
  readonly url: URL;
  readonly request: FetchRequest;
  readonly outgoing: Outgoing;
  readonly hold: BodyHold;
  readonly options: FetchOptions;
}

/** A body that nobody wants is read this far, so that its connection can be used again; then the connection is closed. */
const discardBytes = 64 * 1024;
const discardMs = 1_000;

const noCookies: readonly string[] = [];

/** One request and its response, within the request's limits. */
export function exchange(options: ExchangeOptions): Promise<FetchOutcome> {
  return new Promise((resolve, reject) => new Exchange(options, resolve, reject).begin());
}

/** The life of one exchange, in the order in which undici calls it. A class, so that a request does not make a dozen closures. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions;
  readonly #resolve: (outcome: FetchOutcome) => void;
  readonly #reject: (error: unknown) => void;
  readonly #startedAt = performance.now();
  readonly #watch: Watch;
  #state: 'connecting' | 'connected' | 'received' | 'settled' = 'connecting';
  #controller: Dispatcher.DispatchController | undefined;
  #head: Head | undefined;
  #verdict: Verdict | undefined;
  /** Of a body that is only wanted for its beginning. */
  readonly #excerpt: Buffer[] = [];
  #sink: BodySink | undefined;
  #encodedBytes = 0;

  constructor(options: ExchangeOptions, resolve: (outcome: FetchOutcome) => void, reject: (error: unknown) => void) {
    this.#options = options;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#watch = new Watch(this.#startedAt, options.request.limits.totalMs, (stage, afterMs) =>
      this.#expire(stage, afterMs),
    );
  }

  begin(): void {
    const { url, request, route, outgoing, options } = this.#options;
    if (options.signal.aborted) return this.#cancel();
    options.signal.addEventListener('abort', this);
    this.#watch.enter('connect', request.limits.connectMs, this.#startedAt);
    const path = `${url.pathname}${url.search}`;
    return route.dispatch({ origin: url.origin, path, ...outgoing }, this, (error) => this.#broke(error, false));
  }

  /** The signal's only event. */
  handleEvent(): void {
    this.#cancel();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#state === 'settled') return controller.abort(new Error('nobody waits for this response'));
    this.#state = 'connected';
    return this.#watch.enter('headers', this.#options.request.limits.headersMs);
  }

  onRequestSent(): void {
    this.#options.options.onSent();
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    rawHeaders: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200 || this.#state === 'settled') return;
    const { url, request, options } = this.#options;
    const head = readHead(status, rawHeaders, options.now());
    this.#head = head;
    this.#verdict = judge(head, url, request.validators);
    const { bodyMs, maxBytes } = request.limits;
    if (this.#verdict) this.#watch.enter('body', Math.min(discardMs, bodyMs));
    else if (declaredBytes(head) > maxBytes) this.#fail({ code: 'too_large', limitBytes: maxBytes });
    else this.#watch.enter('body', bodyMs);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#state === 'settled' || !this.#head) return;
    this.#encodedBytes += chunk.byteLength;
    if (this.#verdict) return this.#discard(chunk, this.#verdict);
    const { maxBytes } = this.#options.request.limits;
    if (this.#encodedBytes > maxBytes) return this.#fail({ code: 'too_large', limitBytes: maxBytes });
    this.#watch.renew();
    this.#sink ??= this.#openSink(this.#head, chunk);
    if (this.#sink?.write(chunk) === false) this.#hold();
  }

  onResponseEnd(): void {
    if (this.#state === 'settled') return;
    this.#state = 'received';
    this.#watch.rest();
    if (this.#verdict) this.#settle(this.#verdict);
    else if (this.#sink) this.#sink.end();
    else if (this.#head) this.#settlePage(this.#head, new ArrayBuffer(0));
  }

  onResponseError(_: unknown, error: Error): void {
    this.#broke(error, this.#options.request.proxy !== undefined && this.#state === 'connecting');
  }

  #openSink(head: Head, firstChunk: Buffer): BodySink | undefined {
    const encoding = head.headers['content-encoding'] ?? '';
    const sink = openSink(firstChunk[0], {
      encoding,
      maxBytes: this.#options.request.limits.maxBytes,
      expectedBytes: declaredBytes(head) || undefined,
      hold: this.#options.hold,
      onDrain: () => this.#resume(),
      onCollected: (collected) => this.#collected(head, collected),
    });
    if (!sink) this.#fail({ code: 'bad_encoding', encoding });
    return sink;
  }

  /** Holds the site back until the sink has taken what it was given; that silence is ours and has no limit but the total. */
  #hold(): void {
    if (this.#state === 'settled') return;
    this.#watch.rest();
    this.#controller?.pause();
  }

  #resume(): void {
    if (this.#state === 'connected') this.#watch.enter('body', this.#options.request.limits.bodyMs);
    this.#controller?.resume();
  }

  #collected(head: Head, collected: Collected): void {
    if (collected.ok) this.#settlePage(head, collected.body);
    else this.#fail(collected.failure);
  }

  #discard(chunk: Buffer, verdict: Verdict): void {
    const isWanted = verdict.kind === 'failure' && verdict.failure.code === 'status';
    if (isWanted && this.#encodedBytes - chunk.byteLength < excerptBytes) this.#excerpt.push(chunk);
    if (this.#encodedBytes > discardBytes) this.#settle(verdict);
  }

  #broke(error: Error, atProxy: boolean): void {
    if (this.#state === 'settled') return;
    const failure = wireFailure(error, { headCame: this.#head !== undefined, atProxy });
    if (failure) return this.#fail(failure);
    this.#reject(error);
    return this.#leave();
  }

  #expire(stage: Stage | 'total', afterMs: number): void {
    this.#fail({ code: 'timeout', stage, afterMs });
  }

  #cancel(): void {
    this.#answer({ kind: 'failure', failure: { code: 'cancelled' } });
  }

  /** What goes wrong after a verdict does not change it. */
  #fail(failure: FetchFailure): void {
    this.#settle(this.#verdict ?? { kind: 'failure', failure });
  }

  #settle(verdict: Verdict): void {
    if (this.#state === 'settled') return;
    const [head, excerpt] = [this.#head, this.#excerpt];
    if (head === undefined || excerpt.length === 0) return this.#answer(verdict);
    this.#leave();
    excerptOf(excerpt, head).then((text) => this.#tell(withExcerpt(verdict, text)), this.#reject);
  }

  #answer(verdict: Verdict): void {
    if (this.#state === 'settled') return;
    this.#tell(verdict);
    this.#leave();
  }

  #tell(verdict: Verdict): void {
    const signs = this.#head && signsIn(this.#head.headers);
    const setCookies = this.#head?.setCookies ?? noCookies;
    this.#resolve({ ...verdict, setCookies, ...(signs && { signs }), cost: this.#cost() });
    this.#options.hold.release();
  }

  #settlePage(head: Head, body: ArrayBuffer): void {
    if (this.#state === 'settled') return;
    const { status, headers, setCookies, observedAt } = head;
    const elapsedMs = performance.now() - this.#startedAt;
    const encodedBytes = this.#encodedBytes;
    const { href: url } = this.#options.url;
    const validators = validatorsOf(head);
    const page = { url, status, headers, body, observedAt, elapsedMs, encodedBytes };
    this.#resolve({ kind: 'page', page: validators === undefined ? page : { ...page, validators }, setCookies });
    this.#leave();
  }

  /** A compressed body may be over before its response is, so even after a page there may be a connection to cut. */
  #leave(): void {
    const isReceived = this.#state === 'received';
    this.#state = 'settled';
    this.#watch.stop();
    this.#options.options.signal.removeEventListener('abort', this);
    this.#sink?.destroy();
    if (!isReceived) this.#controller?.abort(new Error('nobody waits for this response'));
  }

  #cost(): FetchCost {
    return {
      ...(this.#head && { status: this.#head.status }),
      encodedBytes: this.#encodedBytes,
      elapsedMs: performance.now() - this.#startedAt,
    };
  }
}

function withExcerpt(verdict: Verdict, excerpt: string): Verdict {
  if (excerpt === '' || verdict.kind !== 'failure' || verdict.failure.code !== 'status') return verdict;
  return { ...verdict, failure: { ...verdict.failure, excerpt } };
}
