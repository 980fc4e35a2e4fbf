import type { Source } from '../definition/source.ts';
import type { Step, StepOutcome } from '../engine/step.ts';
import type { ExpectedWait } from '../fetch/ledger/ledger-view.ts';
import type { FirstTurn } from './gate.ts';
import type { Trouble } from '../fetch/triage.ts';
import type { StepType } from '../view/step-entry.ts';
import type { SentCredentials } from './sent-credentials.ts';

/** A request that is to be made for a source. */
export interface RequestIntent {
  readonly step: Step;
  readonly source: Source;
  /** Default: `page`. */
  readonly kind?: StepType;
  /** The number of the scrape that makes the request. */
  readonly scrape?: number;
  /** The credentials of all requests of the scrape, kept out of what is shown of this one. */
  readonly sent?: SentCredentials;
  /** When the request was due, wall time. The requests of one host get their turns in the order of `deadlineAt`, else of this. */
  readonly dueAt: number;
  /** When the target must be verified at the latest, wall time; set for a re-check for an objective. */
  readonly deadlineAt?: number;
  /** Whether a person asked for the scrape. */
  readonly isManual?: boolean;
  /** The turn with which the scrape begins; used by its first request, if that goes to the same host. */
  readonly first?: FirstTurn;
  /** Values in the request that a page had hidden; the caller keeps them out of what it shows. */
  readonly hidden?: readonly string[];
  /** The generation of credentials that the site refused; the session gets newer ones before the request goes out. */
  readonly stale?: number;
  /** The target that the request is for. The request waits while the circuit of its source keeps the target from being asked. */
  readonly target?: number;
  /** Fails with `circuit_open`, without a request, while the circuit of the source lets no target through. */
  readonly unlessOpen?: true;
  /** Runs the step once its turn has come, for instance within a time limit. Default: runs it without one. */
  readonly within?: Within;
  /** Called with `true` when the request begins to wait for its turn, and with `false` when its turn has come or it is over. */
  waits?(isWaiting: boolean): void;
  /** Called with the id of the worker process that runs the step, each time that one tells so. */
  takenBy?(worker: string): void;
  /** Called when the response has wholly come, before its page is read. */
  came?(): void;
  /** Called with the headers of the session, names and values, before they are sent; the caller keeps them out of what it shows. */
  sends?(credentials: SessionHeaders): void;
  /** Called with what the request is about to wait for, to be shown to a person. */
  explain?(expectedWait: ExpectedWait): void;
}

/** The due time of robots.txt and of a log-in: before every other request, since the requests of the source wait for them. */
export const firstInLine = 0;

/** Headers that the session of a source adds to a request, by name. */
export type SessionHeaders = Readonly<Record<string, string>>;

/** Runs a step within limits of its own. It calls `run` with a signal that fires when `signal` fires, or when a limit is reached. */
export type Within = (run: (signal: AbortSignal) => Promise<StepOutcome>, signal: AbortSignal) => Promise<StepOutcome>;

/** The result of a request. */
export interface RequestResult {
  readonly outcome: StepOutcome;
  /** The trouble that triage found in the outcome; missing where it found none. */
  readonly trouble?: Trouble;
  /** The generation of the credentials that were sent; 0 for none. */
  readonly generation: number;
  /** `false` where the request was not made: robots.txt, a missing log-in or an open circuit forbade it. */
  readonly wasAsked: boolean;
  /** How long the request waited for its turn, in milliseconds. */
  readonly waitedMs: number;
  /** The names of the headers that the session added. */
  readonly sessionHeaders?: readonly string[];
}

/**
 * Makes one request once all that it depends on lets it through, and reports its result to them; `createRequests` tells the order. Rejects
 * with the signal's reason when that fires first, and for errors of ours.
 */
export type MakeRequest = (intent: RequestIntent, signal: AbortSignal) => Promise<RequestResult>;
