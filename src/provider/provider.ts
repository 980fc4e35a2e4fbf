import type { Source } from '../definition/source.ts';
import type { ExtractPlan } from '../extract/plan.ts';
import type { Validators } from '../fetch/page.ts';
import type { FetchRequest } from '../fetch/request.ts';

/** How a page is to be read, as plain data. */
export interface Reading {
  readonly plan: ExtractPlan;
  /** The time that reading may take on its thread, in milliseconds. */
  readonly limitMs: number;
}

/** A redirect that leads to a request. */
export interface Hop {
  /** 307 and 308 say that method and body stay; after any other the page is asked for with GET. */
  readonly keepsMethod: boolean;
  /** Whether the request is still for the origin that the scrape began at; nothing of the definition is sent to another. */
  readonly isHome: boolean;
}

/** How one source is asked and read. */
export interface OpenProvider {
  /** The request that brings `url`, a target's own address or one that a redirect led to; if there is a copy of it, only when it has changed. */
  request(url: string, copy?: Validators, hop?: Hop): FetchRequest;
  readonly page: Reading;
  /** Missing when the source has no pulse. */
  readonly pulse?: OpenPulse;
}

/** How a source's one data point is asked and read. */
export interface OpenPulse {
  /** Missing when the daemon's interval counts. */
  readonly everyMs?: number;
  /** The request for the target at `targetUrl`; nothing when its address was not made from the source's pattern. */
  request(targetUrl: string): FetchRequest | undefined;
  readonly reading: Reading;
}

/** A kind of source. Opening one is cheap and pure. */
export interface Provider {
  open(source: Source): OpenProvider;
}
