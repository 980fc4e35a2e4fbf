import { describeExtractFailure } from '../extract/describe.ts';
import type { ExtractOutcome, Extraction } from '../extract/draft.ts';
import type { Excerpt } from '../extract/excerpt.ts';
import type { BodyBudget } from '../fetch/body-budget.ts';
import { signsIn } from '../fetch/challenge.ts';
import type { Client } from '../fetch/client.ts';
import { describeFailure } from '../fetch/describe.ts';
import type { FetchFailure } from '../fetch/failure.ts';
import { nextOf } from '../fetch/link-header.ts';
import type { Page } from '../fetch/page.ts';
import type { FetchCost, FetchOptions, FetchOutcome, FetchRequest } from '../fetch/request.ts';
import type { Reading } from '../provider/provider.ts';
import { isReadInline, readInline } from './inline.ts';
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
  /** Has a plug-in read a page; takes its body along. Missing where there are none. */
  readByPlugin?(page: Page, reading: Reading, signal: AbortSignal): Promise<PluginOutcome>;
}

/** What a plug-in made of a page. */
export type PluginOutcome =
  /** `excerpt` is the beginning of a page that gave nothing. */
  | { readonly ok: true; readonly extraction: Extraction; readonly excerpt?: Excerpt }
  | { readonly ok: false; readonly failure: StepFailure };

/** Runs one step in this process: fetch, then extract. Rejects only for errors of ours. */
export async function runLocally(
  { request, reading, render = 'http', keepBytes = -1 }: Step,
  { client, budget, now, renderPage, extract, readByPlugin }: LocalEngineDeps,
  signal: AbortSignal,
  onSent: () => void,
): Promise<StepOutcome> {
  // Held until the page is read: its bytes are in flight as long as a thread works on them.
  const hold = budget.open();
  try {
    const options = { signal, hold, now, onSent };
    const fetched = await (render === 'browser' ? renderPage(request, options) : client.fetchPage(request, options));
    const { setCookies, signs, more } = fetched;
    const told = { setCookies, ...(signs && { signs }), ...(more !== undefined && { more }) };
    switch (fetched.kind) {
      case 'page': {
        const { page } = fetched;
        const exchange = { ...exchangeOfPage(page), ...told };
        if (reading === undefined) return { ...exchange, kind: 'page', page };
        // Reading takes the body along.
        const kept = page.body.byteLength <= keepBytes ? { kept: { ...page, body: page.body.slice(0) } } : {};
        if (reading.plugin !== undefined) {
          if (readByPlugin === undefined) throw new Error(`${page.url}: there are no plug-ins to read it`);
          const read = await readByPlugin(page, reading, signal);
          const result = read.ok ? readOf(page, read) : { kind: 'failed' as const, failure: read.failure };
          return { ...exchange, ...result, ...kept };
        }
        const outcome = await (isReadInline(page, reading)
          ? readInline(page, reading)
          : extract(page, reading, signal));
        const { trial } = outcome;
        return {
          ...exchange,
          ...(outcome.ok ? readOf(page, outcome) : unreadOf(page, outcome)),
          ...(trial && { trial }),
          ...kept,
        };
      }
      case 'redirect':
        return { ...exchangeOf(fetched.cost, now()), ...told, kind: 'redirect', location: fetched.url };
      case 'unmodified': {
        const { cost, observedAt, validators } = fetched;
        return { ...exchangeOf(cost, observedAt), setCookies, kind: 'unmodified', validators };
      }
      case 'failure':
        return {
          ...exchangeOf(fetched.cost, now()),
          ...told,
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

type Outcome<K extends StepOutcome['kind']> = Omit<Extract<StepOutcome, { kind: K }>, Exclude<keyof Exchange, 'signs'>>;

function readOf(
  { url, validators, headers }: Page,
  {
    extraction,
    excerpt,
    cpuMs,
  }: { readonly extraction: Extraction; readonly excerpt?: Excerpt; readonly cpuMs?: number },
): Outcome<'read'> {
  const nextLink = headers['link'] === undefined ? undefined : nextOf(headers['link'], url);
  const signs = excerpt === undefined ? undefined : signsIn(headers);
  return {
    kind: 'read',
    extraction,
    ...(cpuMs !== undefined && { cpuMs }),
    ...(validators !== undefined && { validators }),
    ...(nextLink !== undefined && { nextLink }),
    ...(excerpt !== undefined && nextLink === undefined && { excerpt, ...(signs && { signs }) }),
  };
}

function unreadOf({ headers }: Page, { failure, excerpt }: Extract<ExtractOutcome, { ok: false }>): Outcome<'failed'> {
  const message = describeExtractFailure(failure);
  const signs = signsIn(headers);
  const failed = { code: failure.code, message, ...(excerpt !== undefined && { excerpt }) };
  return { kind: 'failed', failure: failed, ...(signs && { signs }) };
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
