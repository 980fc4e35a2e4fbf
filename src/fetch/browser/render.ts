import type { FetchRequest } from '../request.ts';

/**
 * A request for a page as a browser shows it. Only the document takes a turn: what its scripts ask for belongs to the same visit,
 * as it would for a person's, and is bounded in number and size; the host is left alone for longer afterwards. It goes to the page's own site, unless the source says otherwise.
 */
export interface RenderRequest extends FetchRequest {
  /** A CSS selector: the page is read as soon as something matches, and not at all when nothing does in time. */
  readonly waitFor?: string;
  /** What the page may ask besides its own site: these hosts and those below them. */
  readonly hosts?: readonly string[];
}

/** How much the browser may take for one page, besides the limits of the request. They run in real time. */
export interface RenderLimits {
  /** From the response to the serialised page, the wait for `waitFor` included. */
  readonly renderMs: number;
  /** How long is waited for a pause of half a second in what the page asks; then it is read as it is. */
  readonly settleMs: number;
  /** What a page may ask besides itself; it does without the rest. */
  readonly maxRequests: number;
  /** Of all that, both ways, as sent. */
  readonly maxTransferBytes: number;
  /** Of one process that renders pages; it is ended beyond. Watched on Linux only. */
  readonly maxProcessBytes: number;
}

export const defaultRenderLimits: RenderLimits = {
  renderMs: 30_000,
  settleMs: 10_000,
  maxRequests: 100,
  maxTransferBytes: 64 * 1024 * 1024,
  maxProcessBytes: 1024 * 1024 * 1024,
};
