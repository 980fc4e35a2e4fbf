import { describeExtractFailure } from '../extract/describe.ts';
import type { ExtractOutcome } from '../extract/draft.ts';
import type { BodyBudget } from '../fetch/body-budget.ts';
import type { Client } from '../fetch/client.ts';
import { describeFailure } from '../fetch/describe.ts';
import type { Page } from '../fetch/page.ts';
import type { Reading } from '../provider/provider.ts';
import type { Exchange, Step, StepOutcome } from './step.ts';

export interface LocalEngineDeps {
  readonly client: Client;
  readonly budget: BodyBudget;
  /** Wall time. */
  now(): number;
  /** Reads a page off the main thread; takes its body along. */
  extract(page: Page, reading: Reading, signal: AbortSignal): Promise<ExtractOutcome>;
}

/** Runs one step in this process: fetch, then extract. Rejects only for errors of ours. */
export async function runLocally(
  step: Step,
  { client, budget, now, extract }: LocalEngineDeps,
  signal: AbortSignal,
  onSent: () => void,
): Promise<StepOutcome> {
  // Held until the page is read: its bytes are in flight as long as a thread works on them.
  const hold = budget.open();
  try {
    const fetched = await client.fetchPage(step.request, { signal, hold, now, onSent });
    switch (fetched.kind) {
      case 'page':
        return read(fetched.page, await extract(fetched.page, step.reading, signal));
      case 'redirect':
        return { ...exchangeOf(fetched.cost, now()), kind: 'redirect', location: fetched.url };
      case 'failure': {
        const { failure, cost } = fetched;
        const retryAfterMs = failure.code === 'status' ? failure.retryAfterMs : undefined;
        return {
          ...exchangeOf(cost, now()),
          kind: 'failed',
          failure: {
            code: failure.code,
            message: describeFailure(failure),
            ...(retryAfterMs !== undefined && { retryAfterMs }),
          },
        };
      }
      default:
        return fetched satisfies never;
    }
  } finally {
    hold.release();
  }
}

function read(page: Page, outcome: ExtractOutcome): StepOutcome {
  const exchange: Exchange = {
    at: page.observedAt,
    elapsedMs: page.elapsedMs,
    bytes: page.encodedBytes,
    status: page.status,
  };
  if (outcome.ok) return { ...exchange, kind: 'read', extraction: outcome.extraction };
  return {
    ...exchange,
    kind: 'failed',
    failure: { code: outcome.failure.code, message: describeExtractFailure(outcome.failure) },
  };
}

function exchangeOf(
  cost: { readonly status?: number; readonly encodedBytes: number; readonly elapsedMs: number },
  at: number,
): Exchange {
  return {
    at,
    elapsedMs: cost.elapsedMs,
    bytes: cost.encodedBytes,
    ...(cost.status !== undefined && { status: cost.status }),
  };
}
