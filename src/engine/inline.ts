import { costed, extract, type ExtractInput } from '../extract/extract.ts';
import type { ExtractOutcome } from '../extract/draft.ts';
import { quickPlaces } from '../extract/quick.ts';
import type { Page } from '../fetch/page.ts';
import type { Reading } from '../provider/provider.ts';
import { defined } from '../defined.ts';

/**
 * The largest page that is read on the main thread, in bytes. For larger pages the threads give more pages per second than the main
 * thread does, in spite of the hand-over. Measured by `bench/handoff.bench.ts`.
 */
export const inlineBytes = 4_096;

/**
 * The largest worst case of a plan on a page that is read on the main thread: the parts of the page squared, times the places that the
 * plan looks for. A page at this bound is read in some milliseconds; usual small pages stay under it.
 */
const maxLooks = 300_000;

/** Whether a page is read on the main thread. */
export function isReadInline({ body }: Page, { plan, explain }: Reading): boolean {
  if (body.byteLength > inlineBytes || explain !== undefined) return false;
  const isMarkup = plan.document === 'html' || plan.document === 'xml';
  return quickPlaces(plan) * (isMarkup ? partsOf(body) ** 2 : 1) <= maxLooks;
}

/** The number of `<` in a page: its tags, and everything else that begins as tags do. */
function partsOf(body: ArrayBuffer): number {
  let parts = 0;
  for (const byte of new Uint8Array(body)) {
    if (byte === 0x3c) parts += 1;
  }
  return parts;
}

/** Reads a page on the main thread. An error of the extraction is a failure `extract_crashed`, as a crash of a thread is. Never rejects. */
export async function readInline(page: Page, reading: Reading): Promise<ExtractOutcome> {
  try {
    return await costed(() => extract(extractInput(page, reading)));
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    return { ok: false, failure: { code: 'extract_crashed', cause } };
  }
}

/** The input that the extraction of a page gets from the page and its reading. */
export function extractInput({ body, url, headers }: Page, { plan, fingerprint, explain }: Reading): ExtractInput {
  const contentType = headers['content-type'];
  return { body, url, plan, ...defined({ contentType, fingerprint, explain }) };
}
