import type { RecordDraft } from '../extract/draft.ts';
import type { CrawlOps } from './crawl.ts';
import type { Reach } from './reach.ts';
import type { ChangeCounts, Failure, PageCopy, Position, SpentRow, StepRow, TargetStatus } from './rows.ts';

/** Whom a commit belongs to; checked inside the transaction. */
export interface Fence {
  readonly target: number;
  readonly epoch: number;
  readonly scrape: number;
  /** Number of this step within its scrape, from 1; a step already committed is `superseded`. */
  readonly step: number;
}

/** What one step writes, as data made by pure functions. */
export interface StepOps {
  readonly observedAt: number;
  readonly drafts: readonly RecordDraft[];
  readonly log: Omit<StepRow, 'scrape' | 'step' | 'counts'>;
  /** How many drafts of its walk came before these. */
  readonly draftsBefore?: number;
  /** The scrape that its walk began with, where that was cut: what it finds is older than all that was found before. Default: its own. */
  readonly since?: number;
  /** Set when the site says that the target's copy is still the same: what was read from it is verified. */
  readonly unmodified?: boolean;
  /** What it cost besides its bytes. */
  readonly spent?: SpentRow;
  /** How far a collector has come. */
  readonly position?: Position;
  /** How far a walk to the end of a list has come; `none` has the next one begin at the first page. */
  readonly reach?: Reach | 'none';
  /** Set when a limit cut a list short of what is known, where others follow it in the same scrape: what lies between may never be seen. */
  readonly gap?: Gap;
  /** What the step does to its crawl. */
  readonly crawl?: CrawlOps;
  /** Set on a scrape's last step, unless it is closed by itself: how it ended. */
  readonly close?: Close;
}

/** What was read of a list that was cut short, and its last page. */
export interface Gap {
  readonly pages: number;
  readonly url: string;
}

/** How a scrape ends. */
export interface Close {
  readonly status: 'complete' | 'failed' | 'aborted';
  /** Why it ended where it did. */
  readonly reason?: string;
  readonly failure?: Failure;
  /** The source says that there will be nothing more. */
  readonly finished: boolean;
  /** The copy of its first page from now on; without it none is kept. */
  readonly copy?: PageCopy;
  /** Set when a limit cut a list short of what is known: what lies between may never be seen. */
  readonly gap?: Gap;
  /** How the target's crawl ends; without it, the next scrape goes on with one that is under way. */
  readonly crawl?: CrawlOps['end'];
  /** Set after a whole crawl: records that no scrape from this one on has seen are missing. */
  readonly missingSince?: number;
}

export type CommitResult =
  | {
      readonly outcome: 'committed';
      readonly counts: ChangeCounts;
      readonly lastEvent: number;
      readonly targetStatus: TargetStatus;
    }
  | { readonly outcome: 'superseded' };
