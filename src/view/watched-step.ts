import type { EndedStep, StepType } from './step-entry.ts';

/** What is known of a step when it begins to wait for its turn. */
export interface StepFacts {
  readonly kind: StepType;
  readonly source: string;
  /** The target and the scrape that it is made for. */
  readonly target?: number;
  readonly scrape?: number;
  readonly method: string;
  /** Whether the daemon itself runs it, also where there are worker processes. */
  readonly inDaemon: boolean;
  /** The address without the secrets that are known by now; of a log-in without its query. */
  url(): string;
  /** Ends a step that no scrape makes: its outcome is the failure `revoked`. A step of a scrape ends with the scrape. */
  cut?(why: string): void;
}

/** How a step ended. `worker` is missing where the daemon ran it, or where none is known. */
export interface StepEnd extends Pick<
  EndedStep,
  'state' | 'worker' | 'status' | 'bytes' | 'records' | 'failure' | 'stack'
> {}

/** Is told what becomes of a step. */
export interface WatchedStep {
  /** Called with `false` when its turn has come, and with `true` when that was not used, so that it waits for another. */
  waits(isWaiting: boolean): void;
  /** Called with the id of the worker process that runs it. */
  takenBy(worker: string): void;
  ended(end: StepEnd): void;
}

/** Is told of each step. None of its functions throws. */
export interface StepWatcher {
  begun(facts: StepFacts): WatchedStep;
}
