import type { Clock } from '../clock.ts';
import { defined } from '../defined.ts';
import { errorText, runsInDaemon, type StepOutcome, WorkerError } from '../engine/step.ts';
import type { StepEnd, StepFacts, StepWatcher, WatchedStep } from '../view/watched-step.ts';
import { unsentOutcome } from './failure.ts';
import type { RequestIntent } from './intent.ts';
import type { Refused } from './turn.ts';

/** One exchange while its step is watched. */
export class WatchedExchange {
  /** The intent to make it by, which tells when its turn has come. */
  readonly intent: RequestIntent;
  /** Fires as the caller's does, and when the step is cut. */
  readonly signal: AbortSignal;
  readonly #step: WatchedStep;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #caller: AbortSignal;
  /** Missing where a scrape makes the step: its end is durable, and ends its steps. */
  readonly #cutting: AbortController | undefined;
  #why: string | undefined;

  constructor(watcher: StepWatcher, intent: RequestIntent, caller: AbortSignal, clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
    this.#caller = caller;
    this.#cutting = intent.scrape === undefined ? new AbortController() : undefined;
    this.signal = this.#cutting?.signal ?? caller;
    if (caller.aborted) this.#follow();
    else if (this.#cutting !== undefined) caller.addEventListener('abort', this.#follow);
    const step = watcher.begun({ ...factsOf(intent), ...(this.#cutting && { cut: (why) => this.#cut(why) }) });
    this.#step = step;
    this.intent = {
      ...intent,
      waits(isWaiting) {
        step.waits(isWaiting);
        intent.waits?.(isWaiting);
      },
      takenBy(worker) {
        step.takenBy(worker);
        intent.takenBy?.(worker);
      },
    };
  }

  /** Tells how the step ended. Returns the answer; the failure `revoked` where the step was cut. */
  ended(answer: StepOutcome | Refused): StepOutcome | Refused {
    this.#unfollow();
    const isFailed = 'refused' in answer || answer.kind === 'failed';
    if ('refused' in answer) this.#step.ended({ state: 'failed', failure: shown(this.intent, answer.refused) });
    else this.#step.ended(endOf(this.intent, answer, this.signal));
    return isFailed && this.#why !== undefined ? this.#revoked(this.#why) : answer;
  }

  /** Tells that the step ended by an error. Throws the error; returns the failure `revoked` where the step was cut. */
  broke(error: unknown): StepOutcome {
    this.#unfollow();
    this.#step.ended(brokenEnd(this.intent, error, this.signal));
    if (this.#why === undefined || this.#caller.aborted) throw error;
    return this.#revoked(this.#why);
  }

  readonly #follow = (): void => this.#cutting?.abort(this.#caller.reason);

  #unfollow(): void {
    if (this.#cutting !== undefined) this.#caller.removeEventListener('abort', this.#follow);
  }

  #cut(why: string): void {
    this.#why = why;
    this.#cutting?.abort(new Error(why));
  }

  #revoked(message: string): StepOutcome {
    return unsentOutcome({ code: 'revoked', message }, this.#clock.now());
  }
}

function factsOf(intent: RequestIntent): StepFacts {
  const { kind = 'page', source, target, scrape, step } = intent;
  const { method, body } = step.request;
  return {
    kind,
    source: source.id,
    ...defined({ target, scrape }),
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    inDaemon: runsInDaemon(step),
    url: () => shownUrl(intent),
  };
}

function shownUrl({ kind, step: { request }, sent }: RequestIntent): string {
  // A definition may have a secret in the address of a log-in.
  if (kind === 'login') return request.url.split(/[?#]/, 1).join('');
  return sent?.url(request.url) ?? request.url;
}

function endOf(intent: RequestIntent, outcome: StepOutcome, signal: AbortSignal): StepEnd {
  const { ran, status, bytes } = outcome;
  const exchange = { bytes, ...defined({ worker: ran?.worker, status }) };
  if (outcome.kind !== 'failed') {
    const records = outcome.kind === 'read' ? outcome.extraction.drafts.length : undefined;
    return { state: 'done', ...exchange, ...defined({ records }) };
  }
  const { failure } = outcome;
  const state = signal.aborted || failure.code === 'cancelled' ? 'revoked' : stateOf(failure.code);
  return { state, ...exchange, failure: shown(intent, failure) };
}

function stateOf(code: string): StepEnd['state'] {
  return code === 'worker_lost' ? 'lost' : 'failed';
}

function brokenEnd({ sent }: RequestIntent, error: unknown, signal: AbortSignal): StepEnd {
  const text = (shown: string): string => sent?.text(shown) ?? shown;
  const told = errorText(error);
  const message = text(told.message);
  if (signal.aborted) return { state: 'revoked', failure: { code: 'revoked', message } };
  const stack = told.stack !== undefined ? text(told.stack) : undefined;
  const worker = error instanceof WorkerError ? error.worker : undefined;
  return { state: 'failed', failure: { code: 'internal_error', message }, ...defined({ stack, worker }) };
}

/** A failure without secrets and without the page. */
function shown(
  { sent }: RequestIntent,
  { code, message }: { readonly code: string; readonly message: string },
): NonNullable<StepEnd['failure']> {
  return { code, message: sent?.text(message) ?? message };
}
