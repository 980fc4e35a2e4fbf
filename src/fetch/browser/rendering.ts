import type { Browser, BrowserContext, Page as Tab } from 'playwright-core';
import { defined } from '../../defined.ts';
import type { BodyHold } from '../body-budget.ts';
import type { Screenshot } from '../page.ts';
import { GrowingBody } from '../wire/body.ts';
import { bareHost, withoutUser } from '../site.ts';
import { type Acting, leastUnits } from './acting.ts';
import type { EndReason, EarlyEnd, RenderLimits, RenderRequest } from './render.ts';
import type { SharedBrowser, Slots } from './shared-browser.ts';
import { type Document, openBrowserContext, openTab, type Way } from './tab.ts';
import { takeScreenshot } from './screenshot.ts';
import { openWorld } from './world.ts';

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
  readonly acting: Acting;
  mayAsk(host: string): boolean;
  /** Called for each request for data that is let through. */
  askedData(): void;
  /** Called for each request that is refused as one too many. */
  askedTooMuch(): void;
}

/**
 * Renders a document and reads it back once its scripts have settled. Has released everything when it resolves. Rejects
 * for errors of ours only.
 */
export async function renderDocument(rendering: Rendering): Promise<EndReason | RenderedBody> {
  const { slots, ending, limits } = rendering;
  const giveBack = await slots.take(ending.signal);
  if (!giveBack) return ending.told;
  if (rendering.request.actions === undefined)
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
  const { request, document, ending, hold, limits, acting } = rendering;
  const { maxBytes } = request.limits;
  let asked = 0;
  const tab = await openTab(context, document, { ending, mayAsk, askedData: () => rendering.askedData() });
  await tab.goto(document.page.url, { waitUntil: 'domcontentloaded', timeout: 0 });
  if (acting.needsRest) await settled(tab, limits);
  const failure = await acting.perform(tab, { signal: ending.signal, maxBytes });
  if (failure !== undefined) return { kind: 'failure', failure };
  const written = await serialise(tab, { maxBytes, hold });
  if (written.kind !== 'read' || request.screenshot === undefined) return written;
  return { ...written, ...defined({ screenshot: await takeScreenshot(tab) }) };

  function mayAsk(url: URL): boolean {
    if (!rendering.mayAsk(bareHost(url))) return false;
    asked += 1;
    if (asked > limits.maxRequests) rendering.askedTooMuch();
    return asked <= limits.maxRequests;
  }
}

async function settled(tab: Tab, { settleMs }: RenderLimits): Promise<void> {
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
  /** Missing where none was wanted, or none could be had in time. */
  readonly screenshot?: Screenshot;
}

const chunkUnits = 1024 * 1024;

const encoder = new TextEncoder();

/**
 * Reads the page as it is now, as HTML in UTF-8. The reading script runs in a world of its own, where the page's
 * scripts can change nothing, and in pieces, so that never more than the limit is transferred. Rejects with
 * playwright's error when the page or the browser ends.
 */
async function serialise(
  tab: Tab,
  { maxBytes, hold }: { readonly maxBytes: number; readonly hold: BodyHold },
): Promise<EndReason | RenderedBody> {
  const { url: location, evaluate } = await openWorld(tab);
  if (!/^https?:/.test(location))
    return { kind: 'failure', failure: { code: 'bad_redirect', location: withoutUser(location) } };
  const units = await evaluate(written(maxBytes), 'number');
  if (units > maxBytes) return tooLarge(maxBytes);
  const body = new GrowingBody(maxBytes, units);
  for (let from = 0; from < units;) {
    const text = await evaluate(`html.slice(${from}, ${from + chunkUnits})`, 'string');
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

/** The text without half a surrogate pair at its end. */
function withoutHalf(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}
