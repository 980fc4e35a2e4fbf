import type { GoneRow } from '../../schedule/gone.ts';
import type { ScheduleLevel } from '../../schedule/levels.ts';
import type { Metrics, Rules } from '../../metric/metric.ts';
import type { SinkLink } from '../../schema/sink-link.ts';
import type { Watched } from '../../schedule/watchers.ts';
import type { Value } from '../../extract/value/value.ts';
import type { ScrapeView, StepView } from '../../view/scrape.ts';

/** A project: the targets that a person tracks together. The status `finished` is not stored: a project is finished when all its targets are. */
export interface ProjectRow {
  readonly id: string;
  readonly name: string;
  readonly labels: readonly string[];
  /** Factor of the priority of its targets; default 1. */
  readonly multiplier: number;
  /** The project's level of schedule settings. */
  readonly schedule?: ScheduleLevel;
  /** The sinks that are told of the project and of all its targets. */
  readonly sinks?: readonly SinkLink[];
  /** Figures that are computed from the records of its targets. */
  readonly metrics?: Metrics;
  /** Conditions that the records of its targets begin and cease to meet. */
  readonly rules?: Rules;
  readonly status: 'active' | 'archived';
  readonly createdAt: number;
  readonly archivedAt?: number;
  /** Numbers of its targets, in the order in which they were added. */
  readonly targets: readonly number[];
}

/** Whether a target is scraped: only while it is `active` and an active project watches it. `disabled`: no project names it any more. */
export type TargetStatus = 'active' | 'finished' | 'disabled' | 'parked';

/** A place on a source, which one project watches or several: they share its scrapes, its records and its history. */
export interface TargetRow extends Watched {
  readonly target: number;
  readonly source: string;
  readonly url: string;
  /** When the target was last verified as a whole. */
  readonly verifiedAt?: number;
  /** Set while the site says that the target's page is not there. */
  readonly gone?: GoneRow;
  /** Numbers of records that its newest complete scrapes added, the newest first. */
  readonly found?: readonly number[];
  /** Its scrapes that ended, but for those that were cancelled, and the records that they were the first to store. Missing before the first. */
  readonly ended?: { readonly scrapes: number; readonly discovered: number };
  /** The mean cost of its scrapes. */
  readonly usual?: UsualScrape;
  readonly status: TargetStatus;
  readonly createdAt: number;
  /**
   * Raised by the end of a scrape, archive, cancel and parking: a commit that carries an older epoch writes nothing.
   */
  readonly epoch: number;
  /** Number of the last scrape that completed; 0 before the first. */
  readonly settled: number;
  /** The position of a collector. */
  readonly position?: CollectorPosition;
  /** The point at which a walk to the end of a list resumes; set while the walk is under way and after it was cut. */
  readonly resume?: ResumePoint;
  /** Parts of a list that scrapes passed over at a limit, the newest first; later scrapes read them. */
  readonly gaps?: readonly ListGap[];
  /** How its last complete scrape walked, as `walkOf` says it: a walk of another kind knows nothing yet. */
  readonly walk?: string;
  /** When its list was last read beyond what is known, as `revisit` wants it now and then. */
  readonly revisitedAt?: number;
  /** Number of the running scrape, if any. */
  readonly running?: number;
  /** Number of the waiting scrape, if any: a person asked for it and it has not begun. */
  readonly waiting?: number;
  /** Validators of the page that was read last, at `url`, to ask whether it has changed. */
  readonly copy?: PageCopy;
  /** Instants of crashes in the last 5 s, and the number of crashes in a row without a committed step. */
  readonly crashes: {
    readonly recent: readonly number[];
    readonly inRow: number;
    readonly total: number;
    readonly last?: string;
  };
  /**
   * Set while the target is parked, and kept after its release until a step commits, so that the next parking is
   * longer.
   */
  readonly parked?: { readonly at: number; readonly reason: string; readonly retryAt: number; readonly times: number };
}

/** The mean cost of a target's scrapes, over the newest ones that got an answer. */
export interface UsualScrape {
  /** The number of scrapes in the mean, up to the number over which it is smoothed. */
  readonly scrapes: number;
  /** 1 at least. */
  readonly requests: number;
  readonly bytes: number;
}

/** The validators of a page, to ask whether it has changed. */
export interface PageCopy {
  readonly url: string;
  /** Version of the definition by which the page was read. Another version may find more in it. */
  readonly version: string;
  /** When the page was last known to be current. */
  readonly observedAt: number;
  /** Later instants at which some of its records were verified before a scrape was cut; the newest 8. */
  readonly partlyAt?: readonly number[];
  readonly etag?: string;
  readonly lastModified?: string;
}

/** One run over one target. */
export interface ScrapeRow extends ScrapeView {
  readonly epoch: number;
  /** The id of the event of its end; missing before that. */
  readonly told?: number;
  readonly spent?: SpentRow;
  /** The step of a scrape that had only one, in place of a row among the steps. `stepsOf` reads it. */
  readonly only?: OnlyStep;
  /** What its pages so far say of fields that become empty; missing for a scrape of one page. */
  readonly emptied?: EmptiedTally;
}

/** How many records a scrape has seen that were known, by type, and how many of them became empty in a field, by `type.field`. */
export interface EmptiedTally {
  readonly known?: Readonly<Record<string, number>>;
  readonly emptied?: Readonly<Record<string, number>>;
}

/** The log of a scrape's only step, without what the scrape's row says; `absent` and `unparsed` are missing where empty. */
export type OnlyStep = Omit<StepView, 'step' | 'bytes' | 'counts' | 'errors' | 'repeated' | 'absent' | 'unparsed'> &
  Partial<Pick<StepView, 'absent' | 'unparsed'>>;

/** Costs of the steps of a scrape besides their bytes; zero where missing. */
export interface SpentRow {
  /** Steps without an exchange. */
  readonly batches?: number;
  /** Steps that ended before a request was sent, as where robots.txt forbids it. */
  readonly unasked?: number;
  /** Answers that the page was not modified. */
  readonly notModified?: number;
  /** Answers with a validator, so that the next request can be conditional. */
  readonly validated?: number;
  /** CPU time of the extraction threads, in milliseconds. */
  readonly cpuMs?: number;
}

/** One line of the run log of a scrape of several steps. */
export interface StepRow extends StepView {
  readonly scrape: number;
}

/**
 * The position of a collector: the newest value of each of its date fields that whole windows brought, none after the
 * last day of these windows.
 */
export interface CollectorPosition {
  readonly newest: Readonly<Record<string, string>>;
}

/** A page of a list that was empty though it should have items, and how many scrapes in a row have found it so. */
export interface EmptyPage {
  readonly page: number;
  readonly scrapes: number;
}

/** A part of a list between the last page of a scrape that a limit cut and what was known before it. */
export interface ListGap {
  /** Version of the definition by which the page was read. */
  readonly version: string;
  /** The last page above the gap that was read, and what leads to it. */
  readonly place: ResumePoint['place'];
  /** What scrapes up to this number stored lies below the gap. */
  readonly known: number;
  /** When it was left. */
  readonly since: number;
  /** The place of what is found in it in the order of records: behind so many drafts of that scrape, which left it. Without it, the place of what a scrape finds by itself. */
  readonly order?: { readonly scrape: number; readonly before: number };
  readonly empty?: EmptyPage;
}

/** The point at which a walk to the end of a list resumes in the next scrape, if the present one is cut. */
export interface ResumePoint {
  /** Version of the definition by which the walk reads. */
  readonly version: string;
  /** The last page that gave records, counted from 1, and what leads to it. */
  readonly place: {
    readonly url: string;
    readonly page: number;
    readonly cursor?: Value;
    readonly body?: Readonly<Record<string, string | number>>;
    readonly size?: number;
    readonly step?: number;
  };
  /**
   * Digests of what stood on the page before as well, as a site shows on every page; missing where there was none.
   */
  readonly standing?: readonly string[];
  /** The scrape that began the walk, and the last one that wrote this. */
  readonly since: number;
  readonly by: number;
  /** Drafts that the walk found before that page. */
  readonly before: number;
  /** Scrapes in a row that resumed the walk there and came no further because the site could not be asked. */
  readonly stuck?: number;
  readonly empty?: EmptyPage;
  /**
   * Set where a limit ended the walk: it is neither resumed nor begun anew. What it stored counts as known, and what
   * lies behind its last page is left out.
   */
  readonly isOver?: true;
}
