import type { Extraction, RecordDraft } from '../extract/draft.ts';
import type { ItemPageOps } from './item-pages.ts';
import type { CrawlOps } from './crawl.ts';
import type { Guards } from '../health/guard.ts';
import type { RuleDigests } from '../health/baseline.ts';
import type { Expectation } from '../health/expectation.ts';
import type { ItemPageCounts, Reading } from '../health/last-reading.ts';
import type { Validators } from '../fetch/page.ts';
import type { Led } from './copies.ts';
import type { CopyRow } from './tables/copies.ts';
import type { PageRow } from './tables/pages.ts';
import type {
  PageCopy,
  CollectorPosition,
  ListGap,
  ResumePoint,
  SpentRow,
  StepRow,
  TargetStatus,
} from './tables/rows.ts';
import type { ChangeCounts, Failure } from '../view/fields.ts';
import type { Unfound } from '../view/scrape.ts';

/** The target, epoch and scrape to which a commit belongs. Checked inside the transaction. */
export interface Fence {
  readonly target: number;
  readonly epoch: number;
  readonly scrape: number;
  /** Number of the step within its scrape, from 1. A step that is already committed is `superseded`. */
  readonly step: number;
}

/** The changes that one step writes. Data, made by pure functions. */
export interface StepOps {
  readonly observedAt: number;
  readonly drafts: readonly RecordDraft[];
  /** The digest of the page that was read, as evidence of what it changed; missing where it is not to be kept. */
  readonly digest?: string;
  readonly log: Omit<StepRow, 'scrape' | 'step' | 'counts'>;
  /** Drafts that the walk found before these. Default: 0. */
  readonly draftsBefore?: number;
  /**
   * The scrape that began the walk, if the walk was cut and is resumed: its records rank as older than all found since.
   * Default: this scrape.
   */
  readonly since?: number;
  /**
   * Set when the site says that a copy is unchanged, the target's own or that of a page of its crawl: the fields that were read from it
   * are verified. With `listed` a sitemap says so of a page of the crawl, and its records are seen but not verified.
   */
  readonly unmodified?: 'target' | 'page' | 'listed';
  /** Costs of the step besides its bytes. */
  readonly spent?: SpentRow;
  /** By which the outcome of the step is acknowledged once the step is written; it is not stored. */
  readonly receipt?: string;
  /** The collector's new position. */
  readonly position?: CollectorPosition;
  /** The new point at which a walk to the end of a list resumes; `none` lets the next walk begin at the first page. */
  readonly resume?: ResumePoint | 'none';
  /**
   * Set when a limit cut a list short of what is known, and other lists follow in the same scrape: what lies between
   * may never be seen.
   */
  readonly gap?: Gap;
  /** Set for a page of a list or a crawl that was read: its records can be asked for there again. */
  readonly page?: Pick<PageRow, 'url' | 'version' | keyof Validators>;
  /** Set for a page of a crawl that was read: it can be asked for later only if it has changed. */
  readonly copy?: Omit<CopyRow, 'records' | 'led' | 'readAt'> & { readonly url: string; readonly led: Led };
  /** The gaps of the target's list as they are with this step. */
  readonly gaps?: readonly ListGap[];
  /** Set for a page that items lead to: its drafts say more of their records. */
  readonly item?: ItemPageOps;
  /** Set with the last page of a list whose items lead to pages, as `walkOf` names the walk: the list counts as read though the scrape goes on. */
  readonly listRead?: string;
  /** What guards the values of the source. Default: nothing does. */
  readonly guards?: Guards | undefined;
  /** The rules by which the page was read; missing where they are not known. */
  readonly rules?: RuleDigests | undefined;
  /** The number of places of the page that were looked at for records, and of those that are none, and fields that are blank there. Missing where no page was read. */
  readonly places?: Pick<Extraction, 'items' | 'refused' | 'blank'>;
  /** Changes to the target's crawl. */
  readonly crawl?: CrawlOps;
  /** Set on the last step of a scrape, unless `closeScrape` closes it: how the scrape ended. */
  readonly close?: Close;
}

/** Number of pages that were read of a list that was cut short, and the last of them. */
export interface Gap {
  readonly pages: number;
  readonly url: string;
}

/** How a scrape ends. */
export interface Close {
  readonly status: 'complete' | 'failed' | 'aborted';
  /** Why the scrape ended where it did, such as `known`. */
  readonly reason?: string;
  readonly failure?: Failure;
  /** Set where the failure counts as a crash of the target, which the caller records: how many in a row park the target. */
  readonly parksAfter?: number;
  /** Whether the source says that there will be nothing more: the target is finished. */
  readonly finished: boolean;
  /** The collector's new position, which counts only where the scrape is complete. */
  readonly position?: CollectorPosition;
  /** The new copy of the target's first page. Without it, no copy is kept. */
  readonly copy?: PageCopy;
  /** Set when a limit cut a list short of what is known: what lies between may never be seen. */
  readonly gap?: Gap;
  /** How the target's crawl ends. Without it, the next scrape resumes the crawl. */
  readonly crawl?: CrawlOps['end'];
  /** Set where the items of the target's list lead to pages: how many were asked for, by type. How many are still to be read is told. */
  readonly itemPages?: ItemPageCounts;
  /** How the scrape walked, as `walkOf` says it. */
  readonly walk?: string;
  /** Set where the list was read beyond what is known, as `revisit` wants it. */
  readonly isRevisit?: true;
  /** What a complete scrape has read, to be compared with what the ones before it gave. */
  readonly reading?: Reading;
  /** The fields that no record of the scrape has; missing where there are none. */
  readonly unfound?: readonly Unfound[];
  /** Set after a whole crawl or list: records that no scrape from this number on has seen are missing. */
  readonly missingSince?: number;
  /** The rules by which the scrape has read; missing where they are not known. */
  readonly rules?: RuleDigests | undefined;
  /** What the definition has its runs meet. */
  readonly expectations?: readonly Expectation[] | undefined;
  /** What guards the values of the source. Default: nothing does. */
  readonly guards?: Guards | undefined;
}

/** The result of a commit: `superseded` where the fence did not hold and nothing was written. */
export type CommitResult =
  | {
      readonly outcome: 'committed';
      readonly counts: ChangeCounts;
      readonly lastEvent: number;
      readonly targetStatus: TargetStatus;
      /** Numbers of the records that the page of a step shows, in page order. */
      readonly records?: readonly number[];
      /** Set where values of the page are held, or wait to be confirmed: it is asked for whole the next time. */
      readonly isWaiting?: true;
      /** Set where the page gives less than it did, or is a scrape of its own that is unusual: it is kept as evidence. */
      readonly isPoorer?: true;
    }
  | { readonly outcome: 'superseded' };
