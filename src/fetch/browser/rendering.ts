import type { Browser, BrowserContext, CDPSession, Page as Tab } from 'playwright-core';
import type { BodyHold } from '../body-budget.ts';
import { GrowingBody } from '../wire/body.ts';
import { bareHost } from '../site.ts';
import type { EndReason, EarlyEnd, RenderLimits, RenderRequest } from './render.ts';
import type { SharedBrowser, Slots } from './shared-browser.ts';
import { type Document, openBrowserContext, openTab, type Way } from './tab.ts';

/** The dependencies of rendering one page. */
export interface Rendering {
  readonly request: RenderRequest;
  readonly document: Document;
  readonly userAgent: string;
  readonly limits: RenderLimits;
  readonly ending: EarlyEnd;
  readonly hold: BodyHold;
  readonly slots: Slots;
  readonly shared: SharedBrowser;
  readonly way: Way;
  mayAsk(host: string): boolean;
  /** Called for each request for data that is let through. */
  askedData(): void;
}

/**
 * Renders a document and reads it back once its scripts have settled. Has released everything when it resolves. Rejects
 * for errors of ours only.
 */
export async function renderDocument(rendering: Rendering): Promise<EndReason | RenderedBody> {
  const { slots, ending, limits } = rendering;
  const giveBack = await slots.take(ending.signal);
  if (!giveBack) return ending.told;
  ending.failAfter(limits.renderMs, { code: 'timeout', stage: 'render', afterMs: limits.renderMs });
  try {
    return await withLease(rendering);
  } catch (error) {
    if (isOurs(error)) throw error;
    return ending.reason ?? { kind: 'failure', failure: { code: 'render_crashed', cause: firstLine(error) } };
  } finally {
    giveBack();
  }
}

async function withLease(rendering: Rendering): Promise<EndReason | RenderedBody> {
  const { ending, shared } = rendering;
  const { browser, release } = await shared.take();
  const crashed = (): void => ending.fail({ code: 'render_crashed', cause: 'the browser ended' });
  browser.once('disconnected', crashed);
  try {
    return ending.reason ?? (await withContext(browser, rendering));
  } finally {
    browser.off('disconnected', crashed);
    release();
  }
}

async function withContext(browser: Browser, rendering: Rendering): Promise<EndReason | RenderedBody> {
  const context = await openBrowserContext(browser, rendering);
  try {
    return await Promise.race([rendering.ending.told, read(context, rendering)]);
  } finally {
    // Of a context whose browser is gone there is nothing left to close.
    await context.close().catch(() => undefined);
  }
}

async function read(context: BrowserContext, rendering: Rendering): Promise<EndReason | RenderedBody> {
  const { request, document, ending, hold, limits, mayAsk } = rendering;
  let asked = 0;
  const tab = await openTab(context, document, {
    ending,
    mayAsk: (url) => mayAsk(bareHost(url)) && (asked += 1) <= limits.maxRequests,
    askedData: () => rendering.askedData(),
  });
  await tab.goto(document.page.url, { waitUntil: 'domcontentloaded', timeout: 0 });
  await settled(tab, request, limits);
  return serialise(tab, { maxBytes: request.limits.maxBytes, hold });
}

async function settled(tab: Tab, { waitFor }: RenderRequest, { settleMs }: RenderLimits): Promise<void> {
  if (waitFor !== undefined)
    return void (await tab.waitForSelector(`css=${waitFor}`, { state: 'attached', timeout: 0 }));
  try {
    return await tab.waitForLoadState('networkidle', { timeout: settleMs });
  } catch (error) {
    // A page that never rests is read as it is by then.
    if (!(error instanceof Error) || error.name !== 'TimeoutError') throw error;
  }
}

/** Whether an error is ours: playwright does not throw these. */
function isOurs(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
}

function firstLine(error: unknown): string {
  const [line = ''] = String(error instanceof Error ? error.message : error).split('\n', 1);
  return line.slice(0, 200);
}

/** A rendered page, in UTF-8. */
export interface RenderedBody {
  readonly kind: 'read';
  readonly body: ArrayBuffer;
}

const chunkUnits = 1024 * 1024;

const encoder = new TextEncoder();

/** The least number of characters of an element, such as `<b>`. */
const leastUnits = 3;

/**
 * Reads the page as it is now, as HTML in UTF-8. The reading script runs in a world of its own, where the page's
 * scripts can change nothing, and in pieces, so that never more than the limit is transferred. Rejects with
 * playwright's error when the page or the browser ends.
 */
async function serialise(
  tab: Tab,
  { maxBytes, hold }: { readonly maxBytes: number; readonly hold: BodyHold },
): Promise<EndReason | RenderedBody> {
  const session = await tab.context().newCDPSession(tab);
  const { frameTree } = await session.send('Page.getFrameTree');
  const location = frameTree.frame.url;
  if (!/^https?:/.test(location)) return { kind: 'failure', failure: { code: 'bad_redirect', location } };
  const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id });
  const units = await evaluate(session, executionContextId, written(maxBytes), 'number');
  if (units > maxBytes) return tooLarge(maxBytes);
  const body = new GrowingBody(maxBytes, units);
  for (let from = 0; from < units;) {
    const text = await evaluate(session, executionContextId, `html.slice(${from}, ${from + chunkUnits})`, 'string');
    const piece = from + text.length < units ? withoutHalf(text) : text;
    const bytes = encoder.encode(piece);
    if (body.length + bytes.byteLength > maxBytes) return tooLarge(maxBytes);
    if (!(await hold.raise(body.capacityFor(bytes.byteLength))))
      return { kind: 'failure', failure: { code: 'cancelled' } };
    body.append(bytes);
    from += piece.length;
  }
  return { kind: 'read', body: body.finish() };
}

function tooLarge(limitBytes: number): EndReason {
  return { kind: 'failure', failure: { code: 'too_large', limitBytes } };
}

/**
 * A script that serialises the page and returns its number of UTF-16 units. A page that is surely too large is not
 * serialised.
 */
function written(maxBytes: number): string {
  return `(() => {
    if (document.getElementsByTagName('*').length * ${leastUnits} > ${maxBytes}) return Number.MAX_SAFE_INTEGER;
    const doctype = document.doctype === null ? '' : new XMLSerializer().serializeToString(document.doctype) + '\\n';
    globalThis.html = (doctype + (document.documentElement?.outerHTML ?? '')).toWellFormed();
    return html.length;
  })()`;
}

interface Values {
  readonly number: number;
  readonly string: string;
}

async function evaluate<T extends keyof Values>(
  session: CDPSession,
  contextId: number,
  expression: string,
  type: T,
): Promise<Values[T]> {
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression,
    contextId,
    returnByValue: true,
  });
  // Such as a page too long for any string.
  if (exceptionDetails || result.type !== type) throw new Error(exceptionDetails?.text ?? `expected a ${type}`);
  return result.value as Values[T];
}

/** The text without half a surrogate pair at its end. */
function withoutHalf(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}
