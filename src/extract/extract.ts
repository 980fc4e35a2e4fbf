import type { CauseQuestion } from '../view/cause-question.ts';
import type { DrawQuestion } from '../view/drawn-page.ts';
import type { RepairQuestion } from '../view/repair.ts';
import type { ExtractFailure, Extraction, ExtractOutcome } from './draft.ts';
import { defined } from '../defined.ts';
import { type CompiledPlan, compilePlan } from './compile.ts';
import { maxParts, TooManyParts } from './tree/parts.ts';
import { latestChanges, sitemapLinks } from './links.ts';
import { fewLinks, maxExcerptUnits, takeExcerpt } from './excerpt.ts';
import { fingerprintOf } from './fingerprint.ts';
import { openDocument, type OpenedBody } from './body.ts';
import type { ExtractPlan } from './plan.ts';
import { readRecords, RecordTyper, type FieldWatch } from './record.ts';
import type { CompiledRule } from './rule/compile.ts';
import { evaluate, type Trace } from './rule/evaluate.ts';
import type { PageContext, Spot } from './rule/spot.ts';
import type { TrialOptions } from './trial.ts';

/** One page to be read, as it is handed to a thread. */
export interface ExtractInput {
  readonly body: ArrayBuffer;
  readonly url: string;
  readonly contentType?: string;
  /** When the page came, wall time: what dates like "3 days ago" count from. Without it, they are not read. */
  readonly observedAt?: number;
  /** The status that it came with; missing for a page that was kept. */
  readonly status?: number;
  readonly plan: ExtractPlan;
  /** Set where what a page with links shows is to be compared with what others do: its fingerprint is told as well. */
  readonly fingerprint?: boolean;
  /** Set in a trial, for threads: how each field comes to its value is told as well. */
  readonly explain?: TrialOptions;
  /** Set where the page is compared with the last good one of its address, for threads. */
  readonly compare?: CauseQuestion;
  /** Set where rules are searched that would have read what was known last, for threads. */
  readonly repair?: RepairQuestion;
  /** Set where the page is drawn for a person to choose places in, for threads. */
  readonly draw?: DrawQuestion;
}

/** How a page is read. */
export interface ExtractOptions {
  /** Follows the reading of each field. */
  readonly watch?: FieldWatch;
  /** Runs each part of the reading; `extract` rejects with what it throws. Default: runs it as it is. */
  run?<T>(read: () => T): T;
}

/**
 * Reads a page by its plan. The outcome depends on the input alone, since only compiled plans are kept between pages. An unreadable
 * page gives a failure. Rejects if the plan does not compile, as with an invalid selector.
 */
export async function extract(
  input: ExtractInput,
  { watch, run = (read) => read() }: ExtractOptions = {},
): Promise<ExtractOutcome> {
  const { body, url, contentType, plan } = input;
  try {
    const opened = await run(() => openDocument(new Uint8Array(body), url, contentType, plan));
    return opened.ok ? run(() => readOpened(opened, input, watch)) : failed(opened.failure, opened.text);
  } catch (error) {
    if (!(error instanceof TooManyParts)) throw error;
    return failed({ code: 'too_many_parts', document: error.document, limit: maxParts });
  }
}

function readOpened(
  { root, page: opened, text, isEmptyList, endsIn }: Extract<OpenedBody, { ok: true }>,
  { url, status, plan, fingerprint = false, observedAt }: ExtractInput,
  watch: FieldWatch | undefined,
): ExtractOutcome {
  const page: PageContext = { ...opened, own: defined({ url, status }), ...defined({ observedAt }) };
  const compiled = compilePlan(plan);
  if (page.root !== undefined) compiled.ignore?.(page.root);
  const typer = new RecordTyper('drop');
  if (page.brokenCharset !== undefined) typer.note(`Bytes that are not of the page's charset: ${page.brokenCharset}`);
  const records = compiled.records.filter((record) => record.isOn(url));
  const isExpected = records.length > 0 || compiled.records.length === 0;
  for (const record of records) {
    readRecords(root, record, page, { typer, most: maxDrafts, watch });
    if (typer.drafts.length > maxDrafts) return failed({ code: 'too_many_records', limit: maxDrafts });
  }
  const { drafts, items, missing } = typer;
  if (drafts.length === 0 && plan.mayBeEmpty !== true && !isEmptyList && isExpected)
    return failed({ code: 'no_record', missing: [...missing], ...defined({ endsIn }) }, text);
  const { notes, ...typed } = typer.typed(records.map((record) => record.plan));
  const extraction: Extraction = {
    ...typed,
    finished: false,
    items,
    ...(notes.length > 0 && { notes }),
    ...defined({ endsIn }),
    ...waysOn(compiled, root, page, { url, fingerprint, watch }),
  };
  // A page without records that leads to few others, if to any, may have come in another's place.
  return gaveNothing(extraction, fewLinks)
    ? { ok: true, extraction, excerpt: takeExcerpt(text) }
    : { ok: true, extraction };
}

/**
 * Whether a page gave no record, no form, no next page, no sitemap and fewer than `enoughLinks` links. The last page of a list may be so, and
 * challenges are.
 */
export function gaveNothing({ drafts, next, links = [], sitemaps = [], form }: Extraction, enoughLinks = 1): boolean {
  if (form?.ok === true) return false;
  return drafts.length === 0 && next === undefined && links.length < enoughLinks && sitemaps.length === 0;
}

/** All records of a page are written in one transaction, for which everything else waits. */
const maxDrafts = 10_000;

function failed(failure: ExtractFailure, text?: string): ExtractOutcome {
  return { ok: false, failure, ...defined({ excerpt: text?.slice(0, maxExcerptUnits) }) };
}

function waysOn(
  { plan, next, links, form }: CompiledPlan,
  root: Spot,
  page: PageContext,
  {
    url,
    fingerprint: isCompared,
    watch,
  }: { readonly url: string; readonly fingerprint: boolean; readonly watch: FieldWatch | undefined },
): Pick<Extraction, 'next' | 'links' | 'sitemaps' | 'changedBy' | 'fingerprint' | 'form'> {
  const isSitemap = plan.links === 'sitemap';
  const tree = links === undefined ? undefined : page.root;
  const sitemap = tree === undefined || !isSitemap ? undefined : sitemapLinks(tree);
  return defined({
    next: next && nextOf(next, root, page, watch),
    links: links?.(root, page),
    form: form?.(root, page, url),
    sitemaps: sitemap?.sitemaps,
    changedBy: sitemap && latestChanges(sitemap, page.base),
    fingerprint: tree === undefined || isSitemap || !isCompared ? undefined : fingerprintOf(tree),
  });
}

function nextOf(rule: CompiledRule, root: Spot, page: PageContext, watch: FieldWatch | undefined): Extraction['next'] {
  const trace: Trace | undefined = watch === undefined ? undefined : { steps: [] };
  const evaluated = evaluate(rule, root, page, trace);
  if (trace !== undefined) watch?.next?.(rule.plan, trace, evaluated);
  return evaluated.value ?? undefined;
}

/**
 * Calls `read` and adds the processor time that this thread used meanwhile, in ms, as `cpuMs` of the outcome. Other work of the
 * thread until the outcome is there counts as well, so `read` should not wait for anything. Rejects as `read` does.
 */
export async function costed(read: () => Promise<ExtractOutcome>): Promise<ExtractOutcome> {
  const before = process.threadCpuUsage();
  const outcome = await read();
  const { user, system } = process.threadCpuUsage(before);
  return { ...outcome, cpuMs: (user + system) / 1_000 };
}
