import { describeExtractFailure } from '../extract/describe.ts';
import type { ExtractOutcome } from '../extract/draft.ts';
import type { BodyBudget } from '../fetch/body-budget.ts';
import type { Client } from '../fetch/client.ts';
import { describeFailure } from '../fetch/describe.ts';
import type { FetchFailure } from '../fetch/failure.ts';
import type { Page } from '../fetch/page.ts';
import type { FetchCost, FetchOptions, FetchOutcome, FetchRequest } from '../fetch/request.ts';
import type { Reading } from '../provider/provider.ts';
import type { Exchange, Step, StepFailure, StepOutcome } from './step.ts';

export interface LocalEngineDeps {
  readonly client: Client;
  readonly budget: BodyBudget;
  /** Wall time. */
  now(): number;
  /** Fetches as the client does, by way of a browser. */
  renderPage(request: FetchRequest, options: FetchOptions): Promise<FetchOutcome>;
  /** Reads a page off the main thread; takes its body along. */
  extract(page: Page, reading: Reading, signal: AbortSignal): Promise<ExtractOutcome>;
}

/** Runs one step in this process: fetch, then extract. Rejects only for errors of ours. */
export async function runLocally(
  { request, reading, render = 'http' }: Step,
  { client, budget, now, renderPage, extract }: LocalEngineDeps,
  signal: AbortSignal,
  onSent: () => void,
): Promise<StepOutcome> {
  // Held until the page is read: its bytes are in flight as long as a thread works on them.
  const hold = budget.open();
  try {
    const options = { signal, hold, now, onSent };
    const fetched = await (render === 'browser' ? renderPage(request, options) : client.fetchPage(request, options));
    const { setCookies } = fetched;
    switch (fetched.kind) {
      case 'page': {
        const { page } = fetched;
        const exchange = { ...exchangeOfPage(page), setCookies };
        if (reading === undefined) return { ...exchange, kind: 'page', page };
        return { ...exchange, ...readOf(page, await extract(page, reading, signal)) };
      }
      case 'redirect':
        return { ...exchangeOf(fetched.cost, now()), setCookies, kind: 'redirect', location: fetched.url };
      case 'unmodified': {
        const { cost, observedAt, validators } = fetched;
        return { ...exchangeOf(cost, observedAt), setCookies, kind: 'unmodified', validators };
      }
      case 'failure':
        return {
          ...exchangeOf(fetched.cost, now()),
          setCookies,
          kind: 'failed',
          failure: failureOf(fetched.failure),
        };
      default:
        return fetched satisfies never;
    }
  } finally {
    hold.release();
  }
}

type Read =
  | Pick<Extract<StepOutcome, { kind: 'read' }>, 'kind' | 'extraction' | 'validators'>
  | Pick<Extract<StepOutcome, { kind: 'failed' }>, 'kind' | 'failure'>;

function readOf({ validators }: Page, outcome: ExtractOutcome): Read {
  if (!outcome.ok) {
    const { failure, excerpt } = outcome;
    const message = describeExtractFailure(failure);
    return { kind: 'failed', failure: { code: failure.code, message, ...(excerpt !== undefined && { excerpt }) } };
  }
  return { kind: 'read', extraction: outcome.extraction, ...(validators !== undefined && { validators }) };
}

function failureOf(failure: FetchFailure): StepFailure {
  const { code } = failure;
  const { retryAfterMs, excerpt } = failure.code === 'status' ? failure : {};
  return {
    code,
    message: describeFailure(failure),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(excerpt !== undefined && { excerpt }),
  };
}

function exchangeOfPage({ observedAt, elapsedMs, encodedBytes, status }: Page): Exchange {
  return { at: observedAt, elapsedMs, bytes: encodedBytes, status };
}

function exchangeOf({ elapsedMs, encodedBytes, status }: FetchCost, at: number): Exchange {
  return { at, elapsedMs, bytes: encodedBytes, ...(status !== undefined && { status }) };
}
