import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { BodyBudget } from '../../src/fetch/body-budget.ts';
import { type ClientOptions, createClient } from '../../src/fetch/wire/client.ts';
import type { FetchFailure } from '../../src/fetch/failure.ts';
import type { Page } from '../../src/fetch/page.ts';
import type { FetchLimits, FetchOptions, FetchOutcome, FetchRequest } from '../../src/fetch/request.ts';
import { defaultLimits } from '../support/politeness.ts';

/** What differs from an ordinary request. */
export interface Trial extends Partial<Omit<FetchRequest, 'url' | 'limits'>> {
  readonly limits?: Partial<FetchLimits>;
  readonly signal?: AbortSignal;
  readonly onSent?: () => void;
}

/** A client that ends with the test, as a function of an URL. Its clock stands at 1,000, and loopback may be asked. */
export function openClient(t: TestContext, options: Partial<ClientOptions> = {}) {
  const client = createClient({ budget: new BodyBudget(), userAgent: 'a test', ...options });
  t.after(() => client.close());
  return (url: string, { limits = {}, signal, onSent, ...request }: Trial = {}) => {
    const fetchOptions: FetchOptions = {
      signal: signal ?? new AbortController().signal,
      now: () => 1_000,
      onSent: onSent ?? (() => undefined),
    };
    const complete = { url, allowPrivate: true, ...request, limits: { ...defaultLimits, ...limits } };
    return client.fetchPage(complete, fetchOptions);
  };
}

/** The page that an outcome must be. */
export function pageOf(outcome: FetchOutcome): Page {
  if (outcome.kind !== 'page') assert.fail(JSON.stringify(outcome));
  return outcome.page;
}

/** The failure that an outcome must be. */
export function failureOf(outcome: FetchOutcome): FetchFailure {
  if (outcome.kind !== 'failure') assert.fail(`expected a failure, got a ${outcome.kind}`);
  return outcome.failure;
}

/** The text of the page that an outcome must be. */
export function textOf(outcome: FetchOutcome): string {
  return new TextDecoder().decode(pageOf(outcome).body);
}
