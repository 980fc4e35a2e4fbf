import type { Browser, BrowserContext, Page as Tab } from 'playwright-core';
import type { BodyHold } from '../body-budget.ts';
import type { Ended, Ending } from './ending.ts';
import { bareHost } from './own-site.ts';
import type { RenderLimits, RenderRequest } from './render.ts';
import { type Read, serialise } from './serialise.ts';
import type { SharedBrowser } from './shared-browser.ts';
import type { Slots } from './slots.ts';
import { type Document, openContext, openTab, type Way } from './tab.ts';

/** All that the rendering of one page needs. */
export interface Rendering {
  readonly request: RenderRequest;
  readonly document: Document;
  readonly userAgent: string;
  readonly limits: RenderLimits;
  readonly ending: Ending;
  readonly hold: BodyHold;
  readonly slots: Slots;
  readonly shared: SharedBrowser;
  readonly way: Way;
  mayAsk(host: string): boolean;
  /** Told of each request that is let through and asks for data. */
  askedData(): void;
}

/** Shows a document and reads it back once its scripts have done their work. Releases all it took before it resolves. */
export async function renderDocument(rendering: Rendering): Promise<Ended | Read> {
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

async function withLease(rendering: Rendering): Promise<Ended | Read> {
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

async function withContext(browser: Browser, rendering: Rendering): Promise<Ended | Read> {
  const context = await openContext(browser, rendering);
  try {
    return await Promise.race([rendering.ending.told, read(context, rendering)]);
  } finally {
    // Of a context whose browser is gone there is nothing left to close.
    await context.close().catch(() => undefined);
  }
}

async function read(context: BrowserContext, rendering: Rendering): Promise<Ended | Read> {
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

/** What playwright throws is told of the browser; these it does not throw. */
function isOurs(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
}

function firstLine(error: unknown): string {
  const [line = ''] = String(error instanceof Error ? error.message : error).split('\n', 1);
  return line.slice(0, 200);
}
