import type { Extraction } from '../extract/draft.ts';
import type { Excerpt } from '../extract/excerpt.ts';
import type { Trial } from '../extract/trial.ts';
import type { ActionReport, RenderAction } from '../fetch/action.ts';
import type { Page, Validators } from '../fetch/page.ts';
import type { FetchRequest } from '../fetch/request.ts';
import type { CarriedTurn } from '../fetch/ledger/turn-leases.ts';
import { isSelfContained } from '../definition/plugin-file.ts';
import type { LogLine } from '../log.ts';
import type { Reading } from '../provider/provider.ts';

/** An HTTP exchange to make, and how its page is read. */
export interface Step {
  readonly request: FetchRequest;
  /** Missing where the page itself is wanted: robots.txt, a log-in. */
  readonly reading?: Reading;
  /** Has the page rendered by the browser, where these actions are done with it. */
  readonly render?: { readonly actions: readonly RenderAction[] };
  /** The latest instant, by the engine's clock, at which the request may be written; after it, its turn is not used. Default: it always may. */
  readonly sendBy?: number;
  /** The turn in which the request is made; missing where it takes none. */
  readonly turn?: CarriedTurn;
  /** The outcome has the page itself if that has at most so many bytes. Default: it has none. */
  readonly keepBytes?: number;
}

/** The facts of an exchange that every outcome has. */
export interface Exchange {
  /** When the response head came, wall time; without a response, when the attempt ended. */
  readonly at: number;
  readonly elapsedMs: number;
  /** The size of the body as it was sent. */
  readonly bytes: number;
  readonly status?: number;
  /** The `Set-Cookie` headers of the response, one each. */
  readonly setCookies?: readonly string[];
  /** The number of further requests that the scripts of a rendered page made in the same turn. */
  readonly more?: number;
  /** What was done with the page in the browser. */
  readonly actions?: readonly ActionReport[];
  /** The headers of the response by which a challenge is distinguished from content. */
  readonly signs?: Readonly<Record<string, string>>;
  /** How a page was read; set for a trial. */
  readonly trial?: Trial;
  /** The page itself, where `keepBytes` of the step allows it. */
  readonly kept?: Page;
  /** What a plug-in logged as it read the page in a worker process, to be logged by the daemon. */
  readonly told?: readonly LogLine[];
  /** Where and how long the step ran; missing where that was in the daemon's own process, or is not known. */
  readonly ran?: Ran;
  /**
   * By this `acknowledge` of the engine is told that what the outcome brought is written. Until then the queue of a worker process keeps the
   * outcome for the next life of the daemon, for a minute at most. Missing where there is no queue.
   */
  readonly receipt?: string;
  /** Set where the request was made before the daemon started, in a turn of that time: the turn of this step is not used. */
  readonly isOfEarlierTurn?: true;
}

/** How a worker process ran a step. */
export interface Ran {
  readonly worker: string;
  /** The time from when the step was handed over until the worker process took it. */
  readonly waitedMs: number;
  /** The time from then to the outcome. */
  readonly ranMs: number;
}

/** A failure of a fetch or an extraction. `message` is a sentence for a person. */
export interface StepFailure {
  readonly code: string;
  readonly message: string;
  /** The time in `Retry-After`. */
  readonly retryAfterMs?: number;
  /** The beginning of the page, as one line of text. */
  readonly excerpt?: string;
  /** The element in which a page without a record ends, as one that was cut off does. */
  readonly endsIn?: string;
}

/** The outcome of a step. A failure of the site or the network is an outcome, and no error. */
export type StepOutcome = Exchange &
  (
    | {
        readonly kind: 'read';
        readonly extraction: Extraction;
        /** The time for which the page kept its thread busy; missing where a plug-in read it. */
        readonly cpuMs?: number;
        readonly validators?: Validators;
        /** The address of the list's next page, from the `Link` header. */
        readonly nextLink?: string;
        /** The beginning of a page that gave no record and few links: it may be a challenge or a log-in form in place of the page. */
        readonly excerpt?: Excerpt;
      }
    /** The answer to a step without a reading. */
    | { readonly kind: 'page'; readonly page: Page }
    /** The page has not changed since the copy whose validators the request had. */
    | { readonly kind: 'unmodified'; readonly validators: Validators }
    /** The address without user name and password: credentials are taken from the definition only. */
    | { readonly kind: 'redirect'; readonly location: string }
    | { readonly kind: 'failed'; readonly failure: StepFailure }
  );

/** Whether a step runs in the daemon's own process also where there are worker processes: its plug-in has further files, which are here alone. */
export function runsInDaemon({ reading }: Step): boolean {
  return reading?.plugin !== undefined && !isSelfContained(reading.plugin.plugin);
}

/** Thrown for a step whose turn was not used: it came too late to a worker process, or that was to stop. Its request was not sent. */
export class TurnUnused extends Error {
  override readonly name = 'TurnUnused';
}

/** An error of ours that a worker process met. Its stack is of there. */
export class WorkerError extends Error {
  override readonly name = 'WorkerError';
  /** The id of the worker process. */
  readonly worker: string;

  constructor(worker: string, { message, stack }: ErrorText) {
    super(message);
    this.worker = worker;
    if (stack !== undefined) this.stack = stack;
  }
}

/** An error as another process tells it. */
export interface ErrorText {
  readonly message: string;
  readonly stack?: string;
}

/** What is told of an error to another process. */
export function errorText(error: unknown): ErrorText {
  if (!(error instanceof Error)) return { message: String(error) };
  return { message: error.message, ...(error.stack !== undefined && { stack: error.stack }) };
}

/**
 * Runs one step on the engine. Resolves with a failed outcome for what the world does wrong, rejects for errors of ours, and with a
 * `TurnUnused`.
 *
 * @param onSent - called when the request has gone out.
 * @param onCame - called when the response has wholly come, before its page is read.
 * @param onTaken - called with the id of the worker process that runs the step, each time that one tells so. Never called where it runs in the daemon.
 */
export type RunStep = (
  step: Step,
  signal: AbortSignal,
  onSent: () => void,
  onCame?: (exchange: Exchange) => void,
  onTaken?: (worker: string) => void,
) => Promise<StepOutcome>;
