import { costed } from '../extract/cost.ts';
import type { ExtractOutcome } from '../extract/draft.ts';
import { extract, type ExtractInput } from '../extract/extract.ts';
import { quickPlaces } from '../extract/quick.ts';
import type { Page } from '../fetch/page.ts';
import type { Reading } from '../provider/provider.ts';

/**
 * Pages of up to so many bytes are read where they are fetched: from about here on a thread gives more pages per second than the
 * main thread does by itself, and below it the loop waits less than a turn of its own. Measured by `bench/handoff.bench.ts`.
 */
export const inlineBytes = 4_096;

/**
 * The parts of a page squared, times the places that are looked for: what a page can have a plan do at the worst. A usual small
 * page stays under it, and the worst that does is read in some milliseconds; what a time limit would have to end goes to a thread.
 */
const maxLooks = 300_000;

/** Whether a page is read on the main thread. */
export function isReadInline({ body }: Page, { plan, explain }: Reading): boolean {
  if (body.byteLength > inlineBytes || explain !== undefined) return false;
  const isMarkup = plan.document === 'html' || plan.document === 'xml';
  return quickPlaces(plan) * (isMarkup ? partsOf(body) ** 2 : 1) <= maxLooks;
}

/** Tags, and whatever else begins as they do. */
function partsOf(body: ArrayBuffer): number {
  let parts = 0;
  for (const byte of new Uint8Array(body)) {
    if (byte === 0x3c) parts += 1;
  }
  return parts;
}

/** Reads a page here; what would have crashed a thread is the same failure. */
export async function readInline(page: Page, reading: Reading): Promise<ExtractOutcome> {
  try {
    return await costed(() => extract(extractInput(page, reading)));
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    return { ok: false, failure: { code: 'extract_crashed', cause } };
  }
}

/** What reading a page needs of it. */
export function extractInput({ body, url, headers }: Page, { plan, fingerprint, explain }: Reading): ExtractInput {
  const contentType = headers['content-type'];
  return {
    body,
    url,
    plan,
    ...(contentType !== undefined && { contentType }),
    ...(fingerprint !== undefined && { fingerprint }),
    ...(explain !== undefined && { explain }),
  };
}
