import type { Extraction } from '../extract/draft.ts';
import type { Excerpt } from '../extract/excerpt.ts';
import type { Trial } from '../extract/trial.ts';
import type { Page, Validators } from '../fetch/page.ts';
import type { FetchRequest } from '../fetch/request.ts';
import type { Reading } from '../provider/provider.ts';

/** One HTTP exchange to make, and how to read what comes of it. */
export interface Step {
  readonly request: FetchRequest;
  /** Missing where the page itself is wanted: robots.txt, a log-in. */
  readonly reading?: Reading;
  /** `browser` has the page rendered; default `http`. */
  readonly render?: 'http' | 'browser';
  /** Whether a copy of the page that is read comes along, if it has at most so many bytes. */
  readonly keepBytes?: number;
}

/** What any exchange leaves behind for the run log, however it went. */
export interface Exchange {
  /** Wall time of the response head; of the end of the attempt where none came. */
  readonly at: number;
  readonly elapsedMs: number;
  /** Of the body, as sent. */
  readonly bytes: number;
  readonly status?: number;
  /** Each `Set-Cookie` of the response by itself. */
  readonly setCookies?: readonly string[];
  /** Requests that the page's own scripts made besides, under the same turn. */
  readonly more?: number;
  /** The few headers of the response by which a challenge is told from content. */
  readonly signs?: Readonly<Record<string, string>>;
  /** Of a page that was read in a trial: how, and the page itself where that is wanted and not too large. */
  readonly trial?: Trial;
  readonly kept?: Page;
}

/** A failure of a fetch or an extraction, with the sentence that tells it to a person. */
export interface StepFailure {
  readonly code: string;
  readonly message: string;
  /** What the host asked for in `Retry-After`. */
  readonly retryAfterMs?: number;
  /** The beginning of what the site said, as one line of text. */
  readonly excerpt?: string;
}

/** How a step went; what the world does wrong is among it. */
export type StepOutcome = Exchange &
  (
    | {
        readonly kind: 'read';
        readonly extraction: Extraction;
        /** For how long reading it kept its thread busy; missing where a plug-in read it. */
        readonly cpuMs?: number;
        readonly validators?: Validators;
        /** Where the `Link` header says that a list goes on. */
        readonly nextLink?: string;
        /** The beginning of a page that gave no record and leads to little: something else may have answered in its place. */
        readonly excerpt?: Excerpt;
      }
    /** The answer to a step without a reading. */
    | { readonly kind: 'page'; readonly page: Page }
    /** The copy that the request's validators stand for is still good. */
    | { readonly kind: 'unmodified'; readonly validators: Validators }
    | { readonly kind: 'redirect'; readonly location: string }
    | { readonly kind: 'failed'; readonly failure: StepFailure }
  );
