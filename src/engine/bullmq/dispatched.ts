import type { CarriedTurn } from '../../fetch/ledger/turn-leases.ts';
import { type Exchange, type StepOutcome, TurnUnused, WorkerError } from '../step.ts';
import type { StepResult } from './protocol.ts';

/** A step that is with the worker processes. */
export interface Dispatched {
  readonly key: string;
  /** Whether the queue has acknowledged it. */
  isQueued: boolean;
  /** The server's time after which its request may not be sent any more. */
  readonly sendBy: number;
  /** Set for a step of an earlier life: its turn. */
  readonly earlier?: { readonly turn: CarriedTurn | undefined };
  /** Missing for a step of an earlier life that nobody has asked for yet. */
  waiter?: Waiter;
}

/** Whether a step is no longer wanted by who waits for it. */
export function isCancelled({ waiter }: Dispatched): boolean {
  return waiter?.signal.aborted === true;
}

/** The steps that are with the worker processes, by their ids. */
export class DispatchedSteps {
  readonly #all = new Map<string, Dispatched>();
  /** The ids of steps of an earlier life that nobody has asked for yet, by their keys. */
  readonly #unclaimed = new Map<string, string>();

  add(id: string, step: Dispatched): void {
    this.#all.set(id, step);
    if (step.waiter === undefined) this.#unclaimed.set(step.key, id);
  }

  get(id: string): Dispatched | undefined {
    return this.#all.get(id);
  }

  /** Gives a step of an earlier life someone who waits for it. Returns its id; `undefined` where there is none with this key. */
  claim(key: string, waiter: Waiter): string | undefined {
    const id = this.#unclaimed.get(key);
    const step = id === undefined ? undefined : this.#all.get(id);
    if (step !== undefined) step.waiter = silent(waiter);
    this.#unclaimed.delete(key);
    return id;
  }

  /** Removes a step, and returns it. */
  take(id: string): Dispatched | undefined {
    const step = this.#all.get(id);
    this.#all.delete(id);
    if (step !== undefined && this.#unclaimed.get(step.key) === id) this.#unclaimed.delete(step.key);
    return step;
  }

  /** The ids of the steps that are as is wanted. */
  ids(isWanted: (step: Dispatched) => boolean): readonly string[] {
    return [...this.#all].flatMap(([id, step]) => (isWanted(step) ? [id] : []));
  }
}

/** Who waits for a step. */
export interface Waiter {
  readonly signal: AbortSignal;
  readonly onSent: () => void;
  readonly onCame: ((exchange: Exchange) => void) | undefined;
  readonly onTaken: ((worker: string) => void) | undefined;
  resolve(outcome: StepOutcome): void;
  reject(error: unknown): void;
}

/** Who waits for a step of an earlier life: the turn in which that is sent is another one. */
export function silent(waiter: Waiter): Waiter {
  return { ...waiter, onSent: () => undefined, onCame: undefined };
}

/** How a result is handed over. */
export interface HandedOver {
  readonly receipt: string;
  readonly isOfEarlierTurn: boolean;
  /** How far the daemon's clock is ahead of the server's, in ms. */
  readonly ahead: number;
}

/** Whether a result says what became of its step by itself, and not that the step was cut, or not sent. Only such a one answers who asks for the same later. */
export function isAnswer(result: StepResult): result is Extract<StepResult, { kind: 'ended' }> {
  return result.kind === 'ended' && !(result.outcome.kind === 'failed' && result.outcome.failure.code === 'cancelled');
}

/** Hands a result to who waits for it. */
export function settle(waiter: Waiter, result: StepResult, { receipt, isOfEarlierTurn, ahead }: HandedOver): void {
  if (result.wasSent) waiter.onSent();
  // An earlier life had it cut: who waits now did not want that.
  if (isOfEarlierTurn && !isAnswer(result) && !waiter.signal.aborted)
    return waiter.reject(new TurnUnused('an earlier life of the daemon had cancelled it'));
  switch (result.kind) {
    case 'ended': {
      const outcome: StepOutcome = {
        ...inOwnTime(result.outcome, ahead),
        receipt,
        ...(isOfEarlierTurn && { isOfEarlierTurn }),
      };
      // A failure is told of the turn with its status and what the site asks for.
      if (outcome.kind !== 'failed') waiter.onCame?.(outcome);
      return waiter.resolve(outcome);
    }
    case 'unused':
      return waiter.reject(
        waiter.signal.aborted ? waiter.signal.reason : new TurnUnused('its turn was not used in time'),
      );
    case 'broke':
      return waiter.reject(waiter.signal.aborted ? waiter.signal.reason : new WorkerError(result.worker, result));
    default:
      return result satisfies never;
  }
}

/** An outcome whose instants are the daemon's: a worker process tells them by the server's clock. */
function inOwnTime(outcome: StepOutcome, ahead: number): StepOutcome {
  const at = outcome.at + ahead;
  const kept = outcome.kept && { kept: { ...outcome.kept, observedAt: outcome.kept.observedAt + ahead } };
  if (outcome.kind !== 'page') return { ...outcome, ...kept, at };
  return { ...outcome, ...kept, at, page: { ...outcome.page, observedAt: outcome.page.observedAt + ahead } };
}
