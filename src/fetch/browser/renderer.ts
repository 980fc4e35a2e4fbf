import { lookup } from 'node:dns';
import type { Browser } from 'playwright-core';
import type { Clock } from '../../clock.ts';
import { defined } from '../../defined.ts';
import type { Resolve } from '../address.ts';
import type { BodyBudget, BodyHold } from '../body-budget.ts';
import type { FetchClient } from '../wire/client.ts';
import type { Page } from '../page.ts';
import type { FetchFailure } from '../failure.ts';
import type { FetchOptions, FetchOutcome } from '../request.ts';
import { findChromium, type FoundChromium } from './chromium.ts';
import { Acting } from './acting.ts';
import type { ActionReport } from '../action.ts';
import { defaultRenderLimits, type EndReason, EarlyEnd, type RenderLimits, type RenderRequest } from './render.ts';
import { type EgressProxy, type EgressEntry, openEgress } from './egress.ts';
import { siteRule } from '../site.ts';
import { type RenderedBody, renderDocument } from './rendering.ts';
import { SharedBrowser, Slots } from './shared-browser.ts';
import type { Document } from './tab.ts';

/** Fetches pages as a browser shows them. One for the whole daemon. */
export interface Renderer {
  /**
   * Makes one exchange and has the browser render a page of HTML, whose scripts may then request more from the page's
   * own site. Validators are neither sent nor returned: an unmodified document says nothing of what its scripts load.
   * Rejects where the client would, and for errors of ours.
   */
  renderPage(request: RenderRequest, options: FetchOptions): Promise<FetchOutcome>;
  /** Ends all renderings with the failure `cancelled`, and the browser. Rejects where the browser could not be prepared. */
  close(): Promise<void>;
}

/** The dependencies and settings of a renderer. */
export interface RendererOptions {
  /** Makes the exchange, so that it has the same rules and limits as every other. */
  readonly client: Pick<FetchClient, 'fetchPage'>;
  readonly budget: BodyBudget;
  readonly clock: Clock;
  /** Default: the first that exists of the usual paths. */
  readonly executablePath?: string;
  /** Default: that of the system. */
  readonly resolve?: Resolve;
  /** The user agent of scripts, unless a request has one; the client's. Default `Heronry`. */
  readonly userAgent?: string;
  readonly limits?: Partial<RenderLimits>;
  /** The largest number of pages in the browser. Default 4. */
  readonly pages?: number;
  /** How long a browser without pages is kept, in milliseconds. Default 5 minutes. */
  readonly idleMs?: number;
  /** Called with what an operator should know. */
  warn?(message: string): void;
  /** Called for every request of the browser, refused ones too. */
  onEntry?(entry: EgressEntry): void;
}

interface Parts {
  readonly ok: true;
  readonly egress: EgressProxy;
  readonly shared: SharedBrowser;
}

/** Creates a renderer. It starts its browser when the first page is to be rendered. */
export function createRenderer(options: RendererOptions): Renderer {
  const { client, budget, resolve = lookup, userAgent = 'Heronry' } = options;
  const limits = { ...defaultRenderLimits, ...options.limits };
  const slots = new Slots(options.pages ?? 4);
  const closing = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  let preparing: Promise<Parts | Missing> | undefined;

  return {
    async renderPage(request, fetchOptions) {
      const startedAt = performance.now();
      if (closing.signal.aborted) return failed({ code: 'cancelled' }, startedAt);
      const parts = await prepared();
      if (!parts.ok) return failed({ code: 'renderer_missing', cause: parts.cause }, startedAt);
      const signal = AbortSignal.any([fetchOptions.signal, closing.signal]);
      const hold = fetchOptions.hold ?? budget.open();
      try {
        const { validators: _, ...unconditional } = request;
        const document = await client.fetchPage(unconditional, { ...fetchOptions, signal, hold });
        if (document.kind !== 'page') return document;
        const rendered = isMarkup(document.page)
          ? await render(parts, request, document, { signal, hold, startedAt })
          : unchanged;
        const { more, actions, isOverAsked } = rendered;
        return {
          ...outcomeOf(document, rendered, startedAt),
          ...(more > 0 && { more }),
          ...(actions.length > 0 && { actions }),
          ...(isOverAsked && { notes: [overAskedNote(limits.maxRequests)] }),
        };
      } finally {
        if (!fetchOptions.hold) hold.release();
      }
    },
    async close() {
      closing.abort();
      const parts = await preparing;
      if (!parts?.ok) return;
      await parts.shared.close();
      await Promise.allSettled(underWay);
      await parts.egress.close();
    },
  };

  /**
   * Finds Chromium and opens the egress proxy. What is missing is looked for again each time, since it may be installed
   * meanwhile.
   */
  async function prepared(): Promise<Parts | Missing> {
    preparing ??= prepare(options, limits);
    const forget = (): void => void (preparing = undefined);
    preparing.then((parts) => parts.ok || forget(), forget);
    return preparing;
  }

  /**
   * Renders a document. Resolves as soon as the result is known; what is left in the browser is cleared meanwhile and
   * keeps its slot until then.
   */
  async function render(
    { egress, shared }: Parts,
    request: RenderRequest,
    document: Document,
    { signal, hold, startedAt }: { signal: AbortSignal; hold: BodyHold; startedAt: number },
  ): Promise<Rendered> {
    const ending = new EarlyEnd(signal);
    const { totalMs } = request.limits;
    ending.failAfter(startedAt + totalMs - performance.now(), { code: 'timeout', stage: 'total', afterMs: totalMs });
    const mayAsk = siteRule(document.page.url, request.hosts);
    const { maxRequests, maxTransferBytes: maxBytes } = limits;
    const pass = egress.admit({
      way: { rules: request, resolve, proxy: request.proxy },
      maxRequests,
      maxBytes,
      mayAsk,
      onTooLarge: () => ending.fail({ code: 'too_large', limitBytes: maxBytes }),
    });
    let more = 0;
    let isOverAsked = false;
    const acting = new Acting(request.actions);
    const rendering = renderDocument({
      ...{ request, document, userAgent, limits, ending, hold, slots, shared, mayAsk, acting },
      askedData: () => (more += 1),
      askedTooMuch: () => (isOverAsked = true),
      way: { server: egress.url, username: pass.username, password: pass.password },
    });
    underWay.add(rendering);
    const forget = (): boolean => underWay.delete(rendering);
    rendering.then(forget, forget);
    try {
      const ended = await Promise.race([ending.told, rendering]);
      if (ended.kind === 'moved') acting.moved();
      return { ...ended, bytes: pass.bytes, more, actions: acting.reports, isOverAsked };
    } finally {
      ending.rest();
      pass.revoke();
    }
  }
}

type Missing = Extract<FoundChromium, { readonly ok: false }>;

/** The result of a rendering, what was done for it, and the cost of the page's own requests. */
type Rendered = (EndReason | RenderedBody | { readonly kind: 'unchanged' }) & {
  readonly bytes: number;
  readonly more: number;
  readonly actions: readonly ActionReport[];
  /** Whether requests were refused because the page had made as many as it may. */
  readonly isOverAsked: boolean;
};

const unchanged: Rendered = { kind: 'unchanged', bytes: 0, more: 0, actions: [], isOverAsked: false };

function overAskedNote(maxRequests: number): string {
  return `The page wanted to make more than ${maxRequests} requests in the browser: what further ones would have brought is not read`;
}

async function prepare(
  { clock, executablePath, idleMs = 300_000, warn = () => undefined, onEntry }: RendererOptions,
  { maxProcessBytes }: RenderLimits,
): Promise<Parts | Missing> {
  const found = await findChromium(defined({ executablePath, warn }));
  if (!found.ok) return found;
  const egress = await openEgress(onEntry);
  const launch = (): Promise<Browser> => found.chromium.launch(egress.url);
  return { ok: true, egress, shared: new SharedBrowser({ clock, idleMs, maxProcessBytes, launch }) };
}

/** Whether a page is markup. A site that tells no type most likely sends HTML. */
function isMarkup({ headers, body }: Page): boolean {
  return body.byteLength > 0 && /^\s*(?:text\/html|application\/xhtml\+xml|$)/i.test(headers['content-type'] ?? '');
}

function outcomeOf({ page, setCookies }: Document, rendered: Rendered, startedAt: number): FetchOutcome {
  const elapsedMs = performance.now() - startedAt;
  const encodedBytes = page.encodedBytes + rendered.bytes;
  const cost = { status: page.status, encodedBytes, elapsedMs };
  switch (rendered.kind) {
    case 'failure':
      return { kind: 'failure', failure: rendered.failure, setCookies, cost };
    case 'moved':
      return {
        kind: 'redirect',
        status: 303,
        url: rendered.url,
        setCookies: [...setCookies, ...rendered.setCookies],
        cost,
      };
    case 'read':
      return {
        kind: 'page',
        page: {
          ...asHtml(page),
          body: rendered.body,
          encodedBytes,
          elapsedMs,
          ...defined({ screenshot: rendered.screenshot }),
        },
        setCookies,
      };
    case 'unchanged':
      return { kind: 'page', page: withoutValidators(page), setCookies };
    default:
      return rendered satisfies never;
  }
}

function withoutValidators(page: Page): Page {
  const { validators: _, ...others } = page;
  return others;
}

/** The document with the head of a rendered page. */
function asHtml(page: Page): Page {
  const { 'content-encoding': _, 'content-length': __, ...headers } = page.headers;
  return { ...withoutValidators(page), headers: { ...headers, 'content-type': 'text/html; charset=utf-8' } };
}

/** The outcome of a request that was not made. */
function failed(failure: FetchFailure, startedAt: number): FetchOutcome {
  return {
    kind: 'failure',
    failure,
    setCookies: [],
    cost: { encodedBytes: 0, elapsedMs: performance.now() - startedAt },
  };
}
