import { type Document, isDocument } from 'domhandler';
import { type CompiledPlan, compilePlan } from './compile.ts';
import { maxParts, TooManyParts } from './density.ts';
import { sitemapLinks } from './document/sitemap.ts';
import type { ExtractFailure, Extraction, ExtractOutcome, RecordDraft, Value } from './draft.ts';
import { fewLinks, maxExcerptUnits, takeExcerpt } from './excerpt.ts';
import { fingerprintOf } from './fingerprint.ts';
import { type Opened, openDocument } from './open.ts';
import type { ExtractPlan, FinishedRule } from './plan.ts';
import { type ReadRecords, readRecords, type Watch } from './record.ts';
import { evaluate } from './rule/evaluate.ts';
import { JsonSpot, type PageContext, type Spot } from './rule/spot.ts';
import type { TrialOptions } from './trial.ts';

/** One page to be read, as it is handed to a thread. */
export interface ExtractInput {
  readonly body: ArrayBuffer;
  readonly url: string;
  readonly contentType?: string;
  readonly plan: ExtractPlan;
  /** Set where what a page with links shows is to be compared with what others do: its fingerprint is told as well. */
  readonly fingerprint?: boolean;
  /** Set in a trial, for threads: how each field comes to its value is told as well. */
  readonly explain?: TrialOptions;
}

/** Reads a page as its plan says. Nothing is kept but compiled plans: the same input gives the same outcome on every thread. */
export async function extract(input: ExtractInput, watch?: Watch): Promise<ExtractOutcome> {
  const { body, url, contentType, plan } = input;
  try {
    const opened = await openDocument(new Uint8Array(body), url, contentType, plan);
    return opened.ok ? readOpened(opened, input, watch) : failed(opened.failure, opened.text);
  } catch (error) {
    if (!(error instanceof TooManyParts)) throw error;
    return failed({ code: 'too_many_parts', document: error.document, limit: maxParts });
  }
}

function readOpened(
  { root, page, text }: Extract<Opened, { ok: true }>,
  { plan, fingerprint = false }: ExtractInput,
  watch: Watch | undefined,
): ExtractOutcome {
  const compiled = compilePlan(plan);
  const read: ReadRecords[] = [];
  let room = maxDrafts;
  for (const record of compiled.records) {
    const records = readRecords(root, record, page, room, watch);
    if (records.drafts.length > room) return failed({ code: 'too_many_records', limit: maxDrafts });
    room -= records.drafts.length;
    read.push(records);
  }
  const drafts = read.flatMap((each) => each.drafts);
  if (drafts.length === 0 && plan.mayBeEmpty !== true)
    return failed({ code: 'no_record', missing: read.flatMap((each) => each.missing) }, text);
  const lost = read.flatMap((each) => each.unparsed);
  const extraction: Extraction = {
    drafts,
    finished: plan.finished !== undefined && isFinished(drafts, plan.finished),
    absent: [...new Set(read.flatMap((each) => each.absent))],
    unparsed: lost.slice(0, maxUnparsed),
    items: read.reduce((items, each) => items + each.items, 0),
    refused: read.reduce((refused, each) => refused + each.refused, 0),
    ...repeatedKeys(read),
    ...waysOn(compiled, root, page, fingerprint),
  };
  const kept = mayStandIn(extraction) ? { excerpt: takeExcerpt(text) } : {};
  return { ok: true, extraction, ...kept };
}

/** How many records were left out for their keys, with the first such key of each type. */
function repeatedKeys(read: readonly ReadRecords[]): Pick<Extraction, 'repeated' | 'notes'> {
  const count = read.reduce((sum, { repeated }) => sum + repeated.length, 0);
  if (count === 0) return {};
  const notes = read.flatMap(({ drafts: [first], repeated: [key] }) =>
    first === undefined || key === undefined ? [] : `Repeated key: ${first.type} - ${key}`,
  );
  return { repeated: count, notes };
}

/** Whether a page gave no record and leads nowhere: the last one of a list may be so, and challenges are. */
export function gaveNothing({ drafts, next, links = [], sitemaps = [] }: Extraction): boolean {
  return drafts.length === 0 && next === undefined && links.length === 0 && sitemaps.length === 0;
}

/** Whether a page may be another's that came in its place: one without records, which leads to few others if to any. */
function mayStandIn(extraction: Extraction): boolean {
  const { links = [] } = extraction;
  return gaveNothing({ ...extraction, links: links.length < fewLinks ? [] : links });
}

/** All records of a page are written in one transaction, for which everything else waits. */
const maxDrafts = 10_000;

/** More of them say nothing that these do not. */
const maxUnparsed = 100;

function failed(failure: ExtractFailure, text?: string): ExtractOutcome {
  return { ok: false, failure, ...(text !== undefined && { excerpt: text.slice(0, maxExcerptUnits) }) };
}

function waysOn(
  { plan, next, links }: CompiledPlan,
  root: Spot,
  page: PageContext,
  isCompared: boolean,
): Pick<Extraction, 'next' | 'links' | 'sitemaps' | 'fingerprint'> {
  const value = next === undefined ? null : (evaluate(next, root, page).value ?? null);
  const tree = root instanceof JsonSpot || !isDocument(root) ? undefined : root;
  return {
    ...(value !== null && { next: value }),
    ...(links !== undefined && { links: links(root, page) }),
    ...(links !== undefined && tree !== undefined && sidesOf(plan, tree, isCompared)),
  };
}

function sidesOf(
  { links }: ExtractPlan,
  tree: Document,
  isCompared: boolean,
): Pick<Extraction, 'sitemaps' | 'fingerprint'> {
  if (links === 'sitemap') return { sitemaps: sitemapLinks(tree).sitemaps };
  return isCompared ? { fingerprint: fingerprintOf(tree) } : {};
}

function isFinished(drafts: readonly RecordDraft[], { record, field, equals }: FinishedRule): boolean {
  const values = drafts.filter(({ type }) => type === record).map(({ fields }): Value => fields[field] ?? null);
  return values.length > 0 && values.every((value) => equals.some((each) => each === value));
}
