import { parksAfter } from './crash.ts';
import type { RecordDraft } from '../extract/draft.ts';
import type { Validators } from '../fetch/page.ts';
import type { FetchRequest } from '../fetch/request.ts';
import type { Advice, AskFailure } from '../provider/define.ts';
import type { FormFailure, FormStage, Hop, MadeRequest, Reading } from '../provider/provider.ts';
import type { RequestResult } from '../request/intent.ts';
import type { Close, StepOps } from '../store/ops.ts';
import type { PageCopy } from '../store/tables/rows.ts';
import type { Unparsed } from '../view/scrape.ts';
import { defined } from '../defined.ts';

/** One page that a scrape requests. */
export interface Visit {
  readonly url: string;
  /** The number of the page within its list, from 1. */
  readonly page?: number;
  /** How the page is read; missing where the page itself is wanted. */
  readonly reading?: Reading;
  /** An earlier copy; the page is only read if it has changed since. */
  readonly copy?: PageCopy;
  /** Set where the scrape stores the validators of this page, so that a later scrape may ask whether the page has changed. */
  readonly keepsCopy?: true;
  /** Set for a page of a list or a crawl: its records can be asked for there again, each by itself. */
  readonly keepsPage?: true;
  /**
   * Set for the only page of a scrape: its tries end when the target is due again. A scrape of many pages may outlast
   * that.
   */
  readonly isOnly?: true;
  /** Set for a page that is not asked for, as a sitemap says that it has not changed since it was read. */
  readonly isListed?: true;
  /** Set for a file, which no browser renders. */
  readonly isFile?: true;
  /** Pause before the request, in milliseconds. */
  readonly afterMs?: number;
  /** Set for a page that an item of a list leads to: it waits behind other targets that have been due for longer. */
  readonly isOfItem?: true;
  /** Builds the request for the page's address, or for one that a redirect led to. */
  request(url: string, copy: Validators | undefined, hop: Hop | undefined): FetchRequest | Promise<MadeRequest>;
  /** The way to the page by forms, in place of `url` and `request`; missing where the page has an address of its own. */
  readonly forms?: FormStage | FormFailure;
  /** Values that are sent and that nothing shows. */
  readonly hidden?: readonly string[];
  /** Asks a plug-in for advice on a failure; missing where the daemon decides alone. */
  advise?(failure: AskFailure): Promise<Advice | undefined>;
  /**
   * Whether a redirect to `url` is followed; without it, every redirect is. A redirect that is not followed is the
   * result of the visit.
   */
  follows?(url: string): boolean;
}

/** The result of a visit, after its redirects, log-ins and tries. */
export interface Visited {
  readonly result: RequestResult;
  /** The address that was requested last. */
  readonly url: string;
}

/** The result of a page for its walk: what is written, and whether the scrape ends. */
export interface PageResult {
  /** Drafts that are written in place of the page's own. */
  readonly drafts?: readonly RecordDraft[];
  /** The values that could not be read, in place of those that the page itself tells. */
  readonly unparsed?: readonly Unparsed[];
  /** Errors of the page besides those that it tells itself. */
  readonly errors?: number;
  /** Further operations that are written with the drafts. */
  readonly ops?: Pick<
    StepOps,
    'position' | 'gap' | 'gaps' | 'crawl' | 'copy' | 'resume' | 'since' | 'draftsBefore' | 'item' | 'listRead'
  >;
  /** Set where the scrape ends with this page. */
  readonly end?: ScrapeEnd;
}

/**
 * The pages of one scrape, in the order in which they are requested. One page, a list, the windows of a register and a
 * crawl are four walks; a fifth goes on from any of these to the pages that items lead to. `runScrape` calls `next`, then for each page `prepare`, `advance` and, once its step is written,
 * `written`.
 */
export interface Walk {
  /** The largest number of pages that are requested at once. */
  readonly width: number;
  /** Set for the walk of a target that is a single page: its scrape has one step, unless a redirect or a further try adds some. */
  readonly isOnePage?: true;
  /** The next page; `undefined` while none is left, or none until a page under way was read. */
  next(): Visit | undefined;
  /** Looks through a large page before `advance`, with breaks for other work; `undefined` where there is nothing to do. */
  prepare?(visit: Visit, visited: Visited): Promise<void> | undefined;
  /** Advances the walk past a page and returns what is written for the page. Called once for each visit. */
  advance(visit: Visit, visited: Visited): PageResult;
  /** Called when the step of a visit is written. */
  written?(visit: Visit): void;
  /** The end of the scrape when no page is left. */
  ending(): ScrapeEnd;
  /**
   * Ends the walk at the page of the last `advance`, because the scrape may store no more records. The next scrape of a walk without
   * this function goes on behind that page.
   */
  limited?(): Limited;
}

/** The end of a walk at a limit: what is written with its last page, and the gap that is reported behind it. */
export interface Limited {
  readonly ops: Pick<StepOps, 'resume'>;
  readonly gap: NonNullable<ScrapeEnd['gap']>;
}

/** The end of a scrape whose last page could not be read. */
export function failedEnd({ result }: Visited): ScrapeEnd {
  const { outcome, trouble } = result;
  const failure = outcome.kind === 'failed' ? outcome.failure : undefined;
  const { code, message, excerpt } = failure ?? { code: 'unexpected', message: `got an outcome "${outcome.kind}"` };
  return {
    status: 'failed',
    finished: false,
    failure: {
      code,
      message,
      ...defined({ cause: trouble?.cause, excerpt: excerpt && shownExcerpt(excerpt) }),
    },
    ...defined({ parksAfter: parksAfter({ code }) }),
  };
}

/** The largest length of an excerpt, in characters. */
const excerptLength = 2_000;

/** The beginning of a page as it is stored: cut, and without the values of hidden controls, which may be tokens. */
export function shownExcerpt(text: string): string {
  return text
    .slice(0, excerptLength)
    .replaceAll(/<input\b[^>]*(?:>|$)/gi, (tag) =>
      /\btype\s*=\s*["']?hidden\b/i.test(tag)
        ? tag.replace(/(\bvalue\s*=\s*)(?:"[^"]*(?:"|$)|'[^']*(?:'|$)|[^\s"'>]+)/i, '$1"…"')
        : tag,
    );
}

/** The end of a scrape as its walk decides it; the scrape adds the copy of its page. */
export type ScrapeEnd = Omit<Close, 'copy'>;
