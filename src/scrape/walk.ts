import type { RecordDraft } from '../extract/draft.ts';
import type { Validators } from '../fetch/page.ts';
import type { FetchRequest } from '../fetch/request.ts';
import type { Advice } from '../provider/define.ts';
import type { FailedPage, Hop, MadeRequest, Reading } from '../provider/provider.ts';
import type { StepOps } from '../store/ops.ts';
import type { PageCopy } from '../store/rows.ts';
import type { Asked } from './ask.ts';
import type { ScrapeEnd } from './scrape-end.ts';

/** One page that a scrape asks for. */
export interface Visit {
  readonly url: string;
  /** Its number within its list, from 1. */
  readonly page?: number;
  /** Missing where the page itself is wanted. */
  readonly reading?: Reading;
  /** Asked for only if it has changed since. */
  readonly copy?: PageCopy;
  /** Set where the scrape keeps how to ask whether this page has changed. */
  readonly keepsCopy?: true;
  /** Set where the scrape is over with this page: no other try goes on past the target's next due time. A scrape of many pages may outlive that. */
  readonly isOnly?: true;
  /** Waited for before it is asked, in milliseconds. */
  readonly afterMs?: number;
  /** The request for its address, or for one that a redirect led to. */
  request(url: string, copy: Validators | undefined, hop: Hop | undefined): FetchRequest | Promise<MadeRequest>;
  /** What a plug-in says to a failure; missing where the daemon decides. */
  advise?(failure: FailedPage): Promise<Advice | undefined>;
  /** Whether a redirect may lead there; without it, wherever it likes. One that may not is how the visit went. */
  follows?(url: string): boolean;
}

/** How a visit went, after its redirects, log-ins and tries. */
export interface Visited {
  readonly asked: Asked;
  /** What was asked last. */
  readonly url: string;
}

/** What a page means for a scrape. */
export interface Taken {
  /** Written in place of the page's records. */
  readonly drafts?: readonly RecordDraft[];
  /** What is written with them. */
  readonly ops?: Pick<StepOps, 'position' | 'gap' | 'crawl' | 'reach' | 'since' | 'draftsBefore'>;
  /** Set when the scrape ends here. */
  readonly end?: ScrapeEnd;
}

/**
 * The pages of one scrape, in the order in which they are asked for. A page, a list over several pages, a collector's windows
 * and a crawl differ in nothing else.
 */
export interface Walk {
  /** Pages that are asked for at once, at most. */
  readonly width: number;
  /** The next page; nothing when there is none until one that is under way has been read, or none at all. */
  next(): Visit | undefined;
  /** Looks through what is too much for one turn, before it is taken; nothing where there is nothing to wait for. */
  prepare?(visit: Visit, visited: Visited): Promise<void> | undefined;
  /** Learns how a visit went; told of each once. */
  took(visit: Visit, visited: Visited): Taken;
  /** Told when what it took is written. */
  wrote?(visit: Visit): void;
  /** How it ends once no page is left. */
  ending(): ScrapeEnd;
  /** Has it end with the page that was taken last, as all that it may store is stored; without it, the next scrape may go on behind. */
  limited?(): Limited;
}

/** What is written with the page that is the last for a limit, and what is told as left out behind it. */
export interface Limited {
  readonly ops: Pick<StepOps, 'reach'>;
  readonly gap: NonNullable<ScrapeEnd['gap']>;
}

/** The end of a scrape whose last page could not be read. */
export function failedEnd({ asked }: Visited): ScrapeEnd {
  const { outcome, trouble } = asked;
  const failure = outcome.kind === 'failed' ? outcome.failure : undefined;
  const { code, message, excerpt } = failure ?? { code: 'unexpected', message: `got an outcome "${outcome.kind}"` };
  return {
    status: 'failed',
    finished: false,
    failure: {
      code,
      message,
      ...(trouble !== undefined && { cause: trouble.cause }),
      ...(excerpt !== undefined && { excerpt: excerpt.slice(0, excerptLength) }),
    },
  };
}

/** An excerpt of more says no more. */
export const excerptLength = 2_000;
