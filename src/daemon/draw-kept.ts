import type { Ref } from '../actor/types.ts';
import { defined } from '../defined.ts';
import type { Source } from '../definition/source.ts';
import { describeExtractFailure } from '../extract/describe.ts';
import { openProvider } from '../provider/declared.ts';
import { fetchedPage } from '../vault/kept-page.ts';
import type { KeptPage } from '../vault/entry.ts';
import type { DrawnPage, DrawQuestion } from '../view/drawn-page.ts';
import type { FoundView } from '../control/methods/page.ts';
import { type ExtractorsMessage, extractPage } from '../../workers/extractors.ts';

/** The processor time that drawing a page may take, in milliseconds. */
const limitMs = 10_000;

/** A kept page as it is drawn, with what a definition reads from it. */
interface DrawnKept {
  /** Missing where drawing it took too long. */
  readonly drawn?: DrawnPage;
  readonly found: FoundView;
}

/** Reads and draws a kept page on an extraction thread, as the definition says. */
export async function drawKept(
  extractors: Ref<ExtractorsMessage>,
  source: Source,
  page: KeptPage,
  draw: DrawQuestion,
  signal: AbortSignal,
): Promise<DrawnKept> {
  const { page: single, list, items } = openProvider(source);
  const own = page.itemType === undefined ? list?.reading : items?.reading(page.itemType);
  // A line of its own, so that no page of the source waits for it.
  const reading = { source: `@draw/${source.id}`, plan: (own ?? single).plan, limitMs, draw };
  const outcome = await extractPage(extractors, { page: fetchedPage(page), reading }, signal);
  const { drafts, absent, unparsed, notes } = outcome.ok
    ? outcome.extraction
    : { drafts: [], absent: [], unparsed: [], notes: undefined };
  const failure = outcome.ok
    ? undefined
    : { code: outcome.failure.code, message: describeExtractFailure(outcome.failure) };
  const found = { drafts, absent, unparsed, explained: outcome.trial?.items ?? [], ...defined({ notes, failure }) };
  return { found, ...defined({ drawn: outcome.drawn }) };
}
