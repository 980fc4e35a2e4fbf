import { hash } from 'node:crypto';
import { decodeBody } from './charset.ts';
import { compilePlan } from './compile.ts';
import type { ExtractFailure, ExtractOutcome, RecordDraft, Value } from './draft.ts';
import { foreignMediaType } from './media-type.ts';
import type { ExtractPlan, FinishedRule } from './plan.ts';
import { baseUrlOf, readRecords } from './record.ts';
import { parseTree } from './tree.ts';

/** One page to be read, as it is handed to a thread. */
export interface ExtractInput {
  readonly body: ArrayBuffer;
  readonly url: string;
  readonly contentType?: string;
  readonly plan: ExtractPlan;
}

/** Reads a page as its plan says. Nothing is kept but compiled plans: the same input gives the same outcome on every thread. */
export async function extract({ body, url, contentType, plan }: ExtractInput): Promise<ExtractOutcome> {
  const bytes = new Uint8Array(body);
  if (bytes.length === 0) return failed({ code: 'empty' });
  const mediaType = foreignMediaType(bytes, contentType);
  if (mediaType !== undefined) return failed({ code: 'not_html', mediaType });
  const text = decodeBody(bytes, contentType);
  if (text.trim() === '') return failed({ code: 'empty' });

  const root = await parseTree(text, plan.tree);
  // Few pages have a base; looking for one in the text is cheaper than in the tree.
  const baseUrl = /<base\s/i.test(text) ? baseUrlOf(root, url) : url;
  const read = compilePlan(plan).records.map((record) => readRecords(root, record, baseUrl));
  const drafts = read.flatMap((each) => each.drafts);
  const missing = read.flatMap((each) => each.missing);
  if (drafts.length === 0) return { ...failed({ code: 'no_record', missing }), excerpt: text.slice(0, excerptLength) };
  if (drafts.length > maxDrafts) return failed({ code: 'too_many_records', records: drafts.length, limit: maxDrafts });
  return {
    ok: true,
    extraction: {
      drafts,
      finished: plan.finished !== undefined && isFinished(drafts, plan.finished),
      absent: [...new Set(read.flatMap((each) => each.absent))],
      unparsed: read.flatMap((each) => each.unparsed).slice(0, maxUnparsed),
      digest: hash('sha256', bytes, 'hex'),
    },
  };
}

/** Enough to tell a challenge or a log-in from content. */
const excerptLength = 8_192;

/** All records of a page are written in one transaction, for which everything else waits. */
const maxDrafts = 10_000;

/** More of them say nothing that these do not. */
const maxUnparsed = 100;

function failed(failure: ExtractFailure): Extract<ExtractOutcome, { ok: false }> {
  return { ok: false, failure };
}

function isFinished(drafts: readonly RecordDraft[], { record, field, equals }: FinishedRule): boolean {
  const values = drafts.filter(({ type }) => type === record).map(({ fields }): Value => fields[field] ?? null);
  return values.length > 0 && values.every((value) => equals.some((each) => each === value));
}
