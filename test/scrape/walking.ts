import type { StepOutcome } from '../../src/engine/step.ts';
import type { Extraction, RecordDraft } from '../../src/extract/draft.ts';
import type { Value } from '../../src/extract/value/value.ts';
import type { Cause } from '../../src/fetch/triage.ts';
import type { ListPlace, Reading } from '../../src/provider/provider.ts';
import type { ScrapeEnd, PageResult, Visit, Visited, Walk } from '../../src/scrape/walk.ts';

export const reading: Reading = {
  plan: { id: 'page', document: 'json', tree: 'fast', records: [] },
  source: 'shop',
  limitMs: 1_000,
};

export const request = (url: string, _copy?: unknown, _hop?: unknown, { body }: Partial<ListPlace> = {}) => ({
  url,
  limits: { connectMs: 1, headersMs: 1, bodyMs: 1, totalMs: 1, maxBytes: 1 },
  allowPrivate: true,
  ...(body !== undefined && { body: { json: body } }),
});

export function draft(key: string, fields: Readonly<Record<string, Value>> = {}): RecordDraft {
  return { type: 'item', key, fields: { id: key, ...fields } };
}

/** What a page gave that holds these drafts. */
export function extraction(drafts: readonly RecordDraft[], more: Partial<Extraction> = {}): Extraction {
  return {
    drafts,
    finished: false,
    items: drafts.length,
    refused: 0,
    absent: [],
    unparsed: [],
    ...more,
  };
}

/** How a page answers: with what it holds, with a redirect that is not followed, or with a failure. */
export type PageAnswer =
  | (Partial<Extraction> & { readonly keys?: readonly string[]; readonly link?: string; readonly at?: string })
  | { readonly cause: Cause; readonly status?: number }
  /** Nobody was asked, as something was missing: the code of that failure. */
  | { readonly lacks: string }
  | { readonly location: string }
  | 'unmodified';

const exchange = { at: 1, elapsedMs: 1, bytes: 10, status: 200 };

export function visitedAs(answer: PageAnswer, url: string): Visited {
  const wasAsked = typeof answer !== 'object' || !('lacks' in answer);
  const result = { outcome: outcomeOf(answer), generation: 0, wasAsked, waitedMs: 0 };
  if (typeof answer !== 'object' || !('cause' in answer))
    return { result, url: typeof answer === 'object' && 'at' in answer && answer.at !== undefined ? answer.at : url };
  return { result: { ...result, trouble: { cause: answer.cause, message: answer.cause } }, url };
}

function outcomeOf(answer: PageAnswer): StepOutcome {
  if (answer === 'unmodified') return { ...exchange, kind: 'unmodified', validators: {} };
  if ('cause' in answer) {
    const failure = { code: 'status', message: `got ${answer.cause}`, excerpt: 'so it says' };
    return { ...exchange, status: answer.status ?? 500, kind: 'failed', failure };
  }
  if ('lacks' in answer)
    return { kind: 'failed', at: 1, elapsedMs: 0, bytes: 0, failure: { code: answer.lacks, message: answer.lacks } };
  if ('location' in answer) return { ...exchange, status: 302, kind: 'redirect', location: answer.location };
  const { keys = [], link, at: _, ...more } = answer;
  const read = extraction(
    keys.map((key) => draft(key)),
    more,
  );
  return { ...exchange, kind: 'read', extraction: read, ...(link !== undefined && { nextLink: link }) };
}

export interface Walked {
  readonly asked: readonly string[];
  readonly visits: readonly Visit[];
  readonly bodies: readonly unknown[];
  readonly taken: readonly PageResult['ops'][];
  /** What is written in place of each page's records, where that is something else. */
  readonly drafts: readonly PageResult['drafts'][];
  readonly end: ScrapeEnd;
}

/** Walks to the end, one page after the other. */
export function walkThrough(walk: Walk, answer: (visit: Visit, count: number) => PageAnswer): Walked {
  const visits: Visit[] = [];
  const bodies: unknown[] = [];
  const taken: PageResult['ops'][] = [];
  const drafts: PageResult['drafts'][] = [];
  const asked = () => visits.map(({ url }) => url);
  for (;;) {
    const visit = walk.next();
    if (visit === undefined) return { asked: asked(), visits, bodies, taken, drafts, end: walk.ending() };
    visits.push(visit);
    const request = visit.request(visit.url, undefined, undefined);
    bodies.push('body' in request ? request.body : undefined);
    const page = walk.advance(visit, visitedAs(answer(visit, visits.length), visit.url));
    taken.push(page.ops);
    drafts.push(page.drafts);
    walk.written?.(visit);
    if (page.end !== undefined) return { asked: asked(), visits, bodies, taken, drafts, end: page.end };
  }
}
