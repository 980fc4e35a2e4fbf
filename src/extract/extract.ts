import { hash } from 'node:crypto';
import { type Document, isDocument } from 'domhandler';
import { type CompiledPlan, compilePlan } from './compile.ts';
import { sitemapLinks } from './document/sitemap.ts';
import type { ExtractFailure, Extraction, ExtractOutcome, RecordDraft, Value } from './draft.ts';
import { fingerprintOf } from './fingerprint.ts';
import { openDocument } from './open.ts';
import type { ExtractPlan, FinishedRule } from './plan.ts';
import { readRecords, type Watch } from './record.ts';
import { evaluate } from './rule/evaluate.ts';
import { JsonSpot, type PageContext, type Spot } from './rule/spot.ts';
import type { TrialOptions } from './trial.ts';

/** One page to be read, as it is handed to a thread. */
export interface ExtractInput {
  readonly body: ArrayBuffer;
  readonly url: string;
  readonly contentType?: string;
  readonly plan: ExtractPlan;
  /** Set in a trial, for threads: how each field comes to its value is told as well. */
  readonly explain?: TrialOptions;
}

/** Reads a page as its plan says. Nothing is kept but compiled plans: the same input gives the same outcome on every thread. */
export async function extract({ body, url, contentType, plan }: ExtractInput, watch?: Watch): Promise<ExtractOutcome> {
  const bytes = new Uint8Array(body);
  const opened = await openDocument(bytes, url, contentType, plan);
  if (!opened.ok) return failed(opened.failure, opened.text);

  const { root, page, text } = opened;
  const compiled = compilePlan(plan);
  const read = compiled.records.map((record) => readRecords(root, record, page, watch));
  const drafts = read.flatMap((each) => each.drafts);
  if (drafts.length === 0 && plan.mayBeEmpty !== true)
    return failed({ code: 'no_record', missing: read.flatMap((each) => each.missing) }, text);
  if (drafts.length > maxDrafts) return failed({ code: 'too_many_records', records: drafts.length, limit: maxDrafts });
  const lost = read.flatMap((each) => each.unparsed);
  return {
    ok: true,
    extraction: {
      drafts,
      finished: plan.finished !== undefined && isFinished(drafts, plan.finished),
      absent: [...new Set(read.flatMap((each) => each.absent))],
      unparsed: lost.slice(0, maxUnparsed),
      items: read.reduce((items, each) => items + each.items, 0),
      refused: read.reduce((refused, each) => refused + each.refused, 0),
      digest: hash('sha256', bytes, 'hex'),
      ...waysOn(compiled, root, page),
    },
  };
}

/** Enough to tell a challenge or a log-in from content. */
const excerptLength = 8_192;

/** All records of a page are written in one transaction, for which everything else waits. */
const maxDrafts = 10_000;

/** More of them say nothing that these do not. */
const maxUnparsed = 100;

function failed(failure: ExtractFailure, text?: string): ExtractOutcome {
  return { ok: false, failure, ...(text !== undefined && { excerpt: text.slice(0, excerptLength) }) };
}

function waysOn(
  { plan, next, links }: CompiledPlan,
  root: Spot,
  page: PageContext,
): Pick<Extraction, 'next' | 'links' | 'sitemaps' | 'fingerprint'> {
  const value = next === undefined ? null : (evaluate(next, root, page).value ?? null);
  const tree = root instanceof JsonSpot || !isDocument(root) ? undefined : root;
  return {
    ...(value !== null && { next: value }),
    ...(links !== undefined && { links: links(root, page) }),
    ...(links !== undefined && tree !== undefined && sidesOf(plan, tree)),
  };
}

function sidesOf({ links }: ExtractPlan, tree: Document): Pick<Extraction, 'sitemaps' | 'fingerprint'> {
  return links === 'sitemap' ? { sitemaps: sitemapLinks(tree).sitemaps } : { fingerprint: fingerprintOf(tree) };
}

function isFinished(drafts: readonly RecordDraft[], { record, field, equals }: FinishedRule): boolean {
  const values = drafts.filter(({ type }) => type === record).map(({ fields }): Value => fields[field] ?? null);
  return values.length > 0 && values.every((value) => equals.some((each) => each === value));
}
