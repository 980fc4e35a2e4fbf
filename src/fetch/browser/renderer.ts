import { lookup } from 'node:dns';
import type { Browser } from 'playwright-core';
import type { Clock } from '../../clock.ts';
import type { Resolve } from '../address.ts';
import type { BodyBudget, BodyHold } from '../body-budget.ts';
import type { Client } from '../client.ts';
import type { Page } from '../page.ts';
import type { FetchFailure } from '../failure.ts';
import type { FetchOptions, FetchOutcome } from '../request.ts';
import { findChromium, type Found } from './chromium.ts';
import { type Ended, Ending } from './ending.ts';
import { type Gate, type GateEntry, openGate } from './gate.ts';
import { siteRule } from './own-site.ts';
import { defaultRenderLimits, type RenderLimits, type RenderRequest } from './render.ts';
import { renderDocument } from './rendering.ts';
import type { Read } from './serialise.ts';
import { SharedBrowser } from './shared-browser.ts';
import { Slots } from './slots.ts';
import type { Document } from './tab.ts';

/** Fetches pages as a browser shows them; one for the whole daemon. */
export interface Renderer {
  /**
   * Makes one exchange, as the client does, and hands a page of HTML to the browser, whose scripts may then ask for more at the
   * page's own site. Validators are neither sent nor returned: an unmodified document says nothing of what its scripts read.
   */
  renderPage(request: RenderRequest, options: FetchOptions): Promise<FetchOutcome>;
  /** Ends what is under way as `cancelled`, and the browser. */
  close(): Promise<void>;
}

export interface RendererOptions {
  /** Makes the exchange itself, so that it has the same rules and limits as every other. */
  readonly client: Pick<Client, 'fetchPage'>;
  readonly budget: BodyBudget;
  readonly clock: Clock;
  /** Default: the first Chromium of the usual places. */
  readonly executablePath?: string;
  /** Default: that of the system. */
  readonly resolve?: Resolve;
  /** What scripts see and send unless a request has one; the client's. Default `Heronry`. */
  readonly userAgent?: string;
  readonly limits?: Partial<RenderLimits>;
  /** Pages in the browser at a time. Default 4. */
  readonly pages?: number;
  /** How long a browser without pages is kept. Default 5 minutes. */
  readonly idleMs?: number;
  /** Hears what an operator should know. */
  warn?(message: string): void;
  /** Hears of everything that the browser asks, refused requests too. */
  onEntry?(entry: GateEntry): void;
}

interface Parts {
  readonly ok: true;
  readonly gate: Gate;
  readonly shared: SharedBrowser;
}

/** A renderer that starts its browser when a page is there to be shown, and not before. */
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
        const { more } = rendered;
        return { ...outcomeOf(document, rendered, startedAt), ...(more > 0 && { more }) };
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
      await parts.gate.close();
    },
  };

  /** What is missing is looked for again each time, as it may be installed meanwhile. */
  async function prepared(): Promise<Parts | Missing> {
    preparing ??= prepare(options, limits);
    const forget = (): void => void (preparing = undefined);
    preparing.then((parts) => parts.ok || forget(), forget);
    return preparing;
  }

  /** Resolves as soon as the end is known; what is left of it in the browser is cleared away meanwhile, and keeps its slot so long. */
  async function render(
    { gate, shared }: Parts,
    request: RenderRequest,
    document: Document,
    { signal, hold, startedAt }: { signal: AbortSignal; hold: BodyHold; startedAt: number },
  ): Promise<Rendered> {
    const ending = new Ending(signal);
    const { totalMs } = request.limits;
    ending.failAfter(startedAt + totalMs - performance.now(), { code: 'timeout', stage: 'total', afterMs: totalMs });
    const mayAsk = siteRule(document.page.url, request.hosts);
    const { maxRequests, maxTransferBytes: maxBytes } = limits;
    const pass = gate.admit({
      ...{ way: { reach: request, resolve, proxy: request.proxy }, maxRequests, maxBytes, mayAsk },
      onTooLarge: () => ending.fail({ code: 'too_large', limitBytes: maxBytes }),
    });
    let more = 0;
    const rendering = renderDocument({
      ...{ request, document, userAgent, limits, ending, hold, slots, shared, mayAsk },
      askedData: () => (more += 1),
      way: { server: gate.url, username: pass.username, password: pass.password },
    });
    underWay.add(rendering);
    const leave = (): boolean => underWay.delete(rendering);
    rendering.then(leave, leave);
    try {
      return { ...(await Promise.race([ending.told, rendering])), bytes: pass.bytes, more };
    } finally {
      ending.rest();
      pass.revoke();
    }
  }
}

type Missing = Extract<Found, { readonly ok: false }>;

/** What became of a page, and what its own requests brought. */
type Rendered = (Ended | Read | { readonly kind: 'unchanged' }) & { readonly bytes: number; readonly more: number };

const unchanged: Rendered = { kind: 'unchanged', bytes: 0, more: 0 };

async function prepare(
  { clock, executablePath, idleMs = 300_000, warn = () => undefined, onEntry }: RendererOptions,
  { maxProcessBytes }: RenderLimits,
): Promise<Parts | Missing> {
  const found = await findChromium({ ...(executablePath !== undefined && { executablePath }), warn });
  if (!found.ok) return found;
  const gate = await openGate(onEntry);
  const launch = (): Promise<Browser> => found.chromium.launch(gate.url);
  return { ok: true, gate, shared: new SharedBrowser({ clock, idleMs, maxProcessBytes, launch }) };
}

/** Whether there is anything to render; a site that tells no type most likely sends HTML. */
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
      return { kind: 'redirect', status: 303, url: rendered.url, setCookies, cost };
    case 'read':
      return { kind: 'page', page: { ...asHtml(page), body: rendered.body, encodedBytes, elapsedMs }, setCookies };
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

/** The head of a document, as that of the page that was made of it. */
function asHtml(page: Page): Page {
  const { 'content-encoding': _, 'content-length': __, ...headers } = page.headers;
  return { ...withoutValidators(page), headers: { ...headers, 'content-type': 'text/html; charset=utf-8' } };
}

/** An outcome for which nobody was asked. */
function failed(failure: FetchFailure, startedAt: number): FetchOutcome {
  return {
    kind: 'failure',
    failure,
    setCookies: [],
    cost: { encodedBytes: 0, elapsedMs: performance.now() - startedAt },
  };
}
