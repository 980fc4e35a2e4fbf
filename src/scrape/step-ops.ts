import { wasSent } from '../request/failure.ts';
import type { StepOutcome } from '../engine/step.ts';
import type { Extraction } from '../extract/draft.ts';
import type { Close, StepOps } from '../store/ops.ts';
import type { Failure } from '../view/fields.ts';
import type { PageCopy, SpentRow } from '../store/tables/rows.ts';
import { type PageResult, type Visit, type Visited, shownExcerpt } from './walk.ts';
import { defined } from '../defined.ts';
import type { RequestResult } from '../request/intent.ts';
import type { SentCredentials } from '../request/sent-credentials.ts';

/**
 * The operations that the store writes for one step of a visit.
 *
 * @param page - the result of the page, for the last step of its visit.
 */
export function stepOps(
  visit: Visit,
  { result, url }: Visited,
  { page: written = {}, close, draftsBefore }: { page?: PageResult; close?: Close | undefined; draftsBefore?: number },
): StepOps {
  const { outcome, trouble } = result;
  const read: Partial<Extraction> = outcome.kind === 'read' ? outcome.extraction : {};
  const { drafts = [], absent = [], blank, items = 0, refused = 0, repeated, notes = [] } = read;
  const { unparsed = read.unparsed ?? [] } = written;
  const errors = refused + (written.errors ?? 0);
  return {
    observedAt: outcome.at,
    drafts: written.drafts ?? drafts,
    log: {
      url,
      at: outcome.at,
      elapsedMs: outcome.elapsedMs,
      bytes: outcome.bytes,
      absent,
      unparsed,
      ...defined({
        page: visit.page,
        status: outcome.status,
        location: outcome.kind === 'redirect' ? outcome.location : undefined,
        failure: outcome.kind === 'failed' ? failureOf(outcome.failure, trouble?.cause) : undefined,
        errors: errors > 0 ? errors : undefined,
        repeated,
        notes: notes.length > 0 ? notes : undefined,
      }),
    },
    ...defined({
      draftsBefore,
      places: outcome.kind === 'read' ? { items, refused, ...defined({ blank }) } : undefined,
      unmodified: outcome.kind === 'unmodified' ? unchangedBy(visit) : undefined,
      spent: spentOf(result),
      receipt: outcome.receipt,
      close,
    }),
    ...written.ops,
  };
}

/** Tells whether the unchanged copy is that of the target or of a page of its crawl, or whether a sitemap says that the page is unchanged. */
function unchangedBy({ keepsCopy, isListed }: Visit): StepOps['unmodified'] {
  if (isListed === true) return 'listed';
  return keepsCopy === true ? 'target' : 'page';
}

function failureOf(
  { code, message, excerpt }: Extract<StepOutcome, { kind: 'failed' }>['failure'],
  cause: string | undefined,
): Failure {
  return {
    code,
    message,
    ...defined({ cause, excerpt: excerpt && shownExcerpt(excerpt) }),
  };
}

/** The validators by which a page can later be requested only if it has changed; `undefined` if the site gave none. */
export function copyOf(url: string, outcome: StepOutcome, version: string): PageCopy | undefined {
  if (outcome.kind !== 'read' && outcome.kind !== 'unmodified') return undefined;
  const { validators, at: observedAt } = outcome;
  return validators && { url, version, observedAt, ...validators };
}

/** The cost of a step besides its bytes; `undefined` if there is none. */
function spentOf(result: RequestResult): SpentRow | undefined {
  if (!wasSent(result)) return { unasked: 1 };
  const { outcome } = result;
  if (outcome.kind !== 'read' && outcome.kind !== 'unmodified') return undefined;
  const cpuMs = outcome.kind === 'read' ? outcome.cpuMs : undefined;
  if (outcome.validators === undefined && cpuMs === undefined) return undefined;
  return defined({ validated: outcome.validators && 1, cpuMs });
}

/** The operations of a step without the credentials that the requests of its scrape were sent with. */
export function redactedStep(sent: SentCredentials, ops: StepOps): StepOps {
  if (sent.isEmpty) return ops;
  const { log, resume, close, page, copy, ...others } = ops;
  const { location, failure, notes } = log;
  return {
    ...others,
    log: {
      ...log,
      url: sent.url(log.url),
      ...defined({
        location: location && sent.url(location),
        failure: failure && sent.failure(failure),
        notes: notes?.map((note) => sent.text(note)),
      }),
    },
    ...defined({
      // A place without its credentials would lead nowhere.
      resume: resume !== undefined && holdsSecret(sent, resume) ? 'none' : resume,
      close: close && redactedClose(sent, close),
      // Without its credentials, the address is that of another page.
      page: page !== undefined && sent.url(page.url) === page.url ? page : undefined,
      copy: copy !== undefined && holdsSecret(sent, copy) ? undefined : copy,
    }),
  };
}

/** The end of a scrape without the credentials that its requests were sent with. */
export function redactedClose(sent: SentCredentials, close: Close): Close {
  const { copy, gap, crawl, failure, ...others } = close;
  return {
    ...others,
    ...defined({
      crawl: crawl && redactedCrawl(sent, crawl),
      failure: failure && sent.failure(failure),
      // With another address its page would never be asked for again.
      copy: copy !== undefined && sent.url(copy.url) === copy.url ? copy : undefined,
      gap: gap && { ...gap, url: sent.url(gap.url) },
    }),
  };
}

/**
 * The end of a crawl without credentials in the addresses of its loop: sites that write their sessions into links have
 * the longest loops.
 */
function redactedCrawl(
  sent: SentCredentials,
  { loop, ...end }: NonNullable<Close['crawl']>,
): NonNullable<Close['crawl']> {
  if (loop === undefined) return end;
  const samples = loop.samples.map((url) => sent.url(url));
  return { ...end, loop: { ...loop, template: sent.text(loop.template), samples } };
}

function holdsSecret(sent: SentCredentials, value: unknown): boolean {
  const text = JSON.stringify(value);
  return sent.text(text) !== text;
}
