import { describeExtractFailure } from '../extract/describe.ts';
import type { Extraction, ExtractOutcome, ThreadOutcome } from '../extract/draft.ts';
import type { Excerpt } from '../extract/excerpt.ts';
import type { BodyBudget } from '../fetch/body-budget.ts';
import { signsIn } from '../fetch/challenge.ts';
import type { RenderRequest } from '../fetch/browser/render.ts';
import type { FetchClient } from '../fetch/wire/client.ts';
import { describeFailure, type FetchFailure } from '../fetch/failure.ts';
import { nextOf } from '../fetch/wire/head.ts';
import type { Page } from '../fetch/page.ts';
import { withoutUser } from '../fetch/site.ts';
import type { FetchCost, FetchOptions, FetchOutcome } from '../fetch/request.ts';
import type { Reading } from '../provider/provider.ts';
import { defined } from '../defined.ts';
import type { InlineReader } from './inline.ts';
import { type Exchange, type Step, type StepFailure, type StepOutcome, TurnUnused } from './step.ts';

/** What fetches pages and what reads them. */
export interface LocalEngineDeps {
  readonly client: FetchClient;
  readonly budget: BodyBudget;
  /** Wall time. */
  now(): number;
  /** Fetches a page through a browser. Rejects for errors of ours. */
  renderPage(request: RenderRequest, options: FetchOptions): Promise<FetchOutcome>;
  /** Reads pages on this thread. Default: none. */
  readonly inline?: Pick<InlineReader, 'read'>;
  /**
   * Reads a page on a thread; its body is transferred there, and comes back with the outcome where `keepsBody` is set and the thread
   * lives. Rejects with the signal's reason when that fires first.
   */
  extract(page: Page, reading: Reading, signal: AbortSignal, keepsBody: boolean): Promise<ThreadOutcome>;
  /**
   * Reads a page by a plug-in; its body is transferred to the plug-in's thread. Rejects with the signal's reason when that fires first.
   * Missing where there are no plug-ins.
   */
  readByPlugin?(page: Page, reading: Reading, signal: AbortSignal): Promise<PluginPageOutcome>;
}

/** The result of a page that a plug-in read. */
export type PluginPageOutcome = Pick<Exchange, 'told'> &
  (
    | {
        readonly ok: true;
        readonly extraction: Extraction;
        /** The beginning of a page that gave nothing. */
        readonly excerpt?: Excerpt;
      }
    | { readonly ok: false; readonly failure: StepFailure }
  );

/**
 * Runs one step in this process: fetch, then extract. Rejects with a `TurnUnused` for one that is late, for errors of ours, and with the signal's reason when the signal fires
 * while a page is read.
 *
 * @param onSent - called when the request was sent.
 * @param onCame - called when the response has wholly come, before its page is read.
 */
export async function runLocally(
  step: Step,
  deps: LocalEngineDeps,
  signal: AbortSignal,
  onSent: () => void,
  onCame?: (exchange: Exchange) => void,
): Promise<StepOutcome> {
  const { client, budget, now, renderPage } = deps;
  // Held until the page is read: its bytes are in flight as long as a thread works on them.
  const hold = budget.open();
  try {
    const { sendBy = Infinity } = step;
    let isLate = now() > sendBy;
    if (isLate) throw new TurnUnused(lateText);
    const mayBeSent = (): boolean => {
      isLate = now() > sendBy;
      return !isLate;
    };
    const options = { signal, hold, now, onSent, ...(step.sendBy !== undefined && { mayBeSent }) };
    const fetched = await (step.render === undefined
      ? client.fetchPage(step.request, options)
      : renderPage(renderRequest(step, step.render), options));
    if (isLate) throw new TurnUnused(lateText);
    const { setCookies, signs, more, actions } = fetched;
    const response = { setCookies, ...defined({ signs, more, actions }) };
    switch (fetched.kind) {
      case 'page': {
        const exchange = { ...exchangeOfPage(fetched.page), ...response };
        onCame?.(exchange);
        return { ...exchange, ...cutBy(notesOf(fetched), await readPage(fetched.page, step, deps, signal)) };
      }
      case 'redirect':
        return {
          ...exchangeOf(fetched.cost, now()),
          ...response,
          kind: 'redirect',
          location: withoutUser(fetched.url),
        };
      case 'unmodified': {
        const { cost, observedAt, validators } = fetched;
        return { ...exchangeOf(cost, observedAt), setCookies, kind: 'unmodified', validators };
      }
      case 'failure':
        return { ...exchangeOf(fetched.cost, now()), ...response, kind: 'failed', failure: failureOf(fetched.failure) };
      default:
        return fetched satisfies never;
    }
  } finally {
    hold.release();
  }
}

const lateText = 'its turn was over before its request could be sent';

/** The part of an outcome that the reading of its page decides. */
type PageOutcome = (Outcome<'page'> | Outcome<'read'> | Outcome<'failed'>) & Pick<Exchange, 'trial' | 'kept'>;

/** The request for a rendered page: with a picture, where the page itself may be kept. */
function renderRequest({ request, keepBytes }: Step, { actions }: NonNullable<Step['render']>): RenderRequest {
  return {
    ...request,
    ...(actions.length > 0 && { actions }),
    ...(keepBytes !== undefined && { screenshot: true as const }),
  };
}

/** What a rendering left out, as sentences. */
function notesOf({ notes = [], actions = [] }: FetchOutcome): readonly string[] {
  const limited = actions.filter(({ outcome }) => outcome === 'limited');
  return [
    ...notes,
    ...limited.map(
      ({ action, times }) =>
        `"${action}" was done ${times === 1 ? 'once' : `${times} times`} and brought more to the last: what may come behind is not read`,
    ),
  ];
}

/** Returns an outcome with notes on what limits of the rendering left out; with any note, the page counts as cut. */
function cutBy(notes: readonly string[], outcome: PageOutcome): PageOutcome {
  if (notes.length === 0 || outcome.kind !== 'read') return outcome;
  const { extraction } = outcome;
  return { ...outcome, extraction: { ...extraction, notes: [...(extraction.notes ?? []), ...notes], isCut: true } };
}

/** Reads a page as its step says: by a plug-in, on this thread, or on another one. */
async function readPage(
  page: Page,
  { reading, render, keepBytes = -1 }: Step,
  { inline, extract, readByPlugin }: LocalEngineDeps,
  signal: AbortSignal,
): Promise<PageOutcome> {
  if (reading === undefined) return { kind: 'page', page };
  const isKept = page.body.byteLength <= keepBytes;
  if (reading.plugin !== undefined) {
    if (readByPlugin === undefined) throw new Error(`${page.url}: there are no plug-ins to read it`);
    // The thread of a plug-in gives nothing back.
    const kept = isKept ? { kept: { ...page, body: page.body.slice(0) } } : {};
    const read = await readByPlugin(page, reading, signal);
    const told = defined({ told: read.told });
    if (!read.ok) return { kind: 'failed', failure: read.failure, ...kept, ...told };
    return { ...readOf(page, read), ...kept, ...told };
  }
  const inlined = await inline?.read(page, reading);
  const outcome: ThreadOutcome = inlined ?? (await extract(page, reading, signal, isKept));
  const body = inlined === undefined ? outcome.body : page.body;
  const read = outcome.ok ? readOf(page, outcome) : unreadOf(page, outcome, render !== undefined);
  const kept = isKept && body !== undefined ? { ...page, body } : undefined;
  return { ...read, ...defined({ trial: outcome.trial, kept }) };
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
  const read = { kind: 'read' as const, extraction, ...defined({ cpuMs, validators, nextLink }) };
  // A page that names the next page of its list stands in the place of no other page.
  return excerpt === undefined || nextLink !== undefined
    ? read
    : { ...read, excerpt, ...defined({ signs: signsIn(headers) }) };
}

function unreadOf(
  { headers }: Page,
  { failure, excerpt }: Extract<ExtractOutcome, { ok: false }>,
  isRendered: boolean,
): Outcome<'failed'> {
  const mayBeShown = !isRendered && failure.code === 'no_record' && /<script\b/i.test(excerpt ?? '');
  const hint = mayBeShown ? '; what scripts show, `render: browser` reads' : '';
  const endsIn = failure.code === 'no_record' ? failure.endsIn : undefined;
  const message = `${describeExtractFailure(failure)}${hint}`;
  const failed = { code: failure.code, message, ...defined({ excerpt, endsIn }) };
  return { kind: 'failed', failure: failed, ...defined({ signs: signsIn(headers) }) };
}

function failureOf(failure: FetchFailure): StepFailure {
  const { retryAfterMs, excerpt } = failure.code === 'status' ? failure : {};
  return { code: failure.code, message: describeFailure(failure), ...defined({ retryAfterMs, excerpt }) };
}

function exchangeOfPage({ observedAt, elapsedMs, encodedBytes, status }: Page): Exchange {
  return { at: observedAt, elapsedMs, bytes: encodedBytes, status };
}

function exchangeOf({ elapsedMs, encodedBytes, status }: FetchCost, at: number): Exchange {
  return { at, elapsedMs, bytes: encodedBytes, ...defined({ status }) };
}
