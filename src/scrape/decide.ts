import type { StepFailure, StepOutcome } from '../engine/step.ts';

/** What a scrape does after a step. */
export type Decision =
  | { readonly do: 'follow'; readonly url: string }
  | { readonly do: 'complete'; readonly finished: boolean }
  | { readonly do: 'fail'; readonly failure: StepFailure };

/** More hops than an honest page needs. */
export const maxRedirects = 5;

/** Decides from the latest step's outcome, and from how many redirects led to it. */
export function decide(outcome: StepOutcome, redirects: number): Decision {
  switch (outcome.kind) {
    case 'read':
      return { do: 'complete', finished: outcome.extraction.finished };
    case 'redirect':
      return redirects < maxRedirects
        ? { do: 'follow', url: outcome.location }
        : {
            do: 'fail',
            failure: {
              code: 'redirect_loop',
              message: `more than ${maxRedirects} redirects, the last to ${outcome.location}`,
            },
          };
    case 'failed':
      return { do: 'fail', failure: outcome.failure };
    default:
      return outcome satisfies never;
  }
}
