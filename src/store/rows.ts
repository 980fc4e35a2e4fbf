import type { ScheduleLevel } from '../definition/schedule.ts';
import type { Unparsed, Value } from '../extract/draft.ts';
import type { Reach } from './reach.ts';

/** What a person tracks. `finished` is not stored: a project is finished when all its targets are. */
export interface ProjectRow {
  readonly id: string;
  readonly name: string;
  readonly labels: readonly string[];
  /** Multiplies the priority of its targets; default 1. */
  readonly multiplier: number;
  /** What it says of when its targets are scraped. */
  readonly schedule?: ScheduleLevel;
  readonly status: 'active' | 'archived';
  readonly createdAt: number;
  readonly archivedAt?: number;
  /** Numbers of its targets, in the order they were added. */
  readonly targets: readonly number[];
}

export type TargetStatus = 'active' | 'finished' | 'disabled' | 'parked';

/** A project's place on one source. */
export interface TargetRow {
  readonly target: number;
  readonly project: string;
  readonly source: string;
  readonly url: string;
  /** What it says itself of when it is scraped; then come its project, its source and the daemon. */
  readonly schedule?: ScheduleLevel;
  /** When it was last verified as a whole. */
  readonly verifiedAt?: number;
  /** What its newest scrapes that ended well were the first to store, newest first. */
  readonly found?: readonly number[];
  readonly status: TargetStatus;
  /** Missing for one from before this was taken down. */
  readonly createdAt?: number;
  /** Raised by the start of a scrape, archive, cancel and parking: a commit that carries an older one writes nothing. */
  readonly epoch: number;
  /** The last scrape that completed; 0 before the first. */
  readonly settled: number;
  /** Of a collector: how far it has come. */
  readonly position?: Position;
  /** Of a list whose walk to its end was cut, or is under way: how far it has come. */
  readonly reach?: Reach;
  /** The scrape under way, if any. */
  readonly running?: number;
  /** The scrape that was asked for and has not begun, if any. */
  readonly waiting?: number;
  /** By what the site tells whether the page that was read last, at `url`, is still the same. */
  readonly copy?: PageCopy;
  /** Wall times of crashes in the last 5 s, and how many in a row came without a committed step. */
  readonly crashes: {
    readonly recent: readonly number[];
    readonly inRow: number;
    readonly total: number;
    readonly last?: string;
  };
  /** Set while parked, and kept after a release until a step commits, so that one who is parked again waits longer. */
  readonly parked?: { readonly at: number; readonly reason: string; readonly retryAt: number; readonly times: number };
}

/** What is remembered of a page to ask whether it has changed. */
export interface PageCopy {
  readonly url: string;
  /** Of the definition that it was read by: another one may find more in it. */
  readonly version: string;
  /** When it was last known to be what the site shows. */
  readonly observedAt: number;
  /** Later instants at which some of its records were verified before a scrape was cut; the newest 8. */
  readonly partlyAt?: readonly number[];
  readonly etag?: string;
  readonly lastModified?: string;
}

/** What went wrong, as it is kept and told: a code to branch on and a sentence to read. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  /** What it was taken for, such as `rate_limited`. */
  readonly cause?: string;
  /** The beginning of what the site said. */
  readonly excerpt?: string;
}

/** What is known of one thing, per (source, record type, key). */
export interface RecordRow {
  readonly source: string;
  readonly type: string;
  readonly key: string;
  readonly target: number;
  /** Its own for ever, whatever is learnt of it. */
  readonly id: string;
  /** The page that it was seen on last. */
  readonly url: string;
  readonly firstSeenAt: number;
  /** When it was seen last, also if nothing had changed. */
  readonly updatedAt: number;
  /** The higher, the newer: of what one scrape found first, the newest has the highest. */
  readonly sequence: number;
  /** The last scrape that saw it; 0 when only pulses have. */
  readonly lastScrape: number;
  readonly fields: Readonly<Record<string, FieldCell>>;
  /** Set when complete crawls no longer find it: since when, how many of them, and the scrape that began the last one. */
  readonly absent?: { readonly since: number; readonly times: number; readonly scrape: number };
}

export interface FieldCell {
  readonly value: Value;
  /** When this value was first observed, and when it was last confirmed. */
  readonly observedAt: number;
  readonly verifiedAt: number;
}

/** One append to a record's history. */
export interface HistoryRow {
  readonly serial: number;
  readonly target: number;
  readonly source: string;
  readonly type: string;
  readonly key: string;
  readonly at: number;
  /** The scrape that saw it; 0 for a pulse. */
  readonly scrape: number;
  readonly kind: 'added' | 'changed' | 'missing' | 'gone';
  /** New and old values of the fields that differ; `old` is missing where the field was not known. */
  readonly fields: Readonly<Record<string, { readonly old?: Value; readonly new: Value }>>;
}

/**
 * `waiting`: a person asked for it and it has its number, but it has not begun; its `startedAt` is then when it was asked for.
 * `aborted`: it was ended before its end by a guard of its definition; what it found stays.
 */
export type ScrapeStatus = 'waiting' | 'running' | 'complete' | 'failed' | 'aborted' | 'cancelled';

/** How a person wants a scrape to go, besides what its definition says. */
export interface ScrapeWish {
  /** Goes on past what is known, to the end of a list; a crawl begins anew. */
  readonly full?: boolean;
  /** The first and the last day of a collector's windows, as `YYYY-MM-DD`. */
  readonly from?: string;
  readonly to?: string;
  /** Handed to a plug-in's `collect`, in this order. */
  readonly args?: readonly string[];
}

/** One run over one target. Its number is its id, for people as well. */
export interface ScrapeRow {
  readonly scrape: number;
  readonly target: number;
  readonly project: string;
  readonly source: string;
  readonly reason: 'due' | 'manual';
  /** Missing for one that goes as its definition says. */
  readonly wish?: ScrapeWish;
  /** The definition's version that it reads by; empty while waiting. */
  readonly version: string;
  readonly epoch: number;
  readonly status: ScrapeStatus;
  /** While waiting: when it was asked for. */
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly failure?: Failure;
  /** Why it ended where it did, such as `known`, `end` or `loop`. */
  readonly endReason?: string;
  readonly steps: number;
  readonly bytes: number;
  readonly counts: ChangeCounts;
  /** Places that should have been records and were none, as they lacked their key or threw. */
  readonly errors?: number;
  /** Records that were left out, as others on their pages have their keys and say something else. */
  readonly repeated?: number;
  readonly spent?: SpentRow;
}

/** What the steps of a scrape cost besides their bytes; zero where it is missing. */
export interface SpentRow {
  /** Steps that were no exchange. */
  readonly batches?: number;
  /** Steps that ended before anybody was asked, as where robots.txt forbids it. */
  readonly unasked?: number;
  /** Answers that nothing had been modified. */
  readonly notModified?: number;
  /** Answers that let the next request ask whether anything was. */
  readonly validated?: number;
  /** Of the extraction threads. */
  readonly cpuMs?: number;
}

/** What a commit did with records. `missing` and `gone` stand where there are any. */
export interface ChangeCounts {
  readonly added: number;
  readonly changed: number;
  readonly confirmed: number;
  readonly missing?: number;
  readonly gone?: number;
}

/** One line of a scrape's run log. */
export interface StepRow {
  readonly scrape: number;
  readonly step: number;
  readonly url: string;
  /** The number of its page within its list, from 1; missing for what is no list. */
  readonly page?: number;
  readonly at: number;
  readonly elapsedMs: number;
  readonly bytes: number;
  readonly status?: number;
  readonly failure?: Failure;
  readonly counts: ChangeCounts;
  readonly absent: readonly string[];
  readonly unparsed: readonly Unparsed[];
  /** Places that should have been records and were none. */
  readonly errors?: number;
  /** Records that were left out for the key of another. */
  readonly repeated?: number;
  /** Of a step that is no exchange: so many drafts and failed items of a plug-in's collector were handed over with it. */
  readonly batch?: number;
  /** What else was noticed, as sentences: fields that no record declares, items that could not be read. */
  readonly notes?: readonly string[];
}

/** What the world is told; its serial is its id and the place to resume from. */
export interface EventRow {
  readonly serial: number;
  readonly at: number;
  readonly type: string;
  readonly project?: string;
  readonly source?: string;
  readonly target?: number;
  readonly scrape?: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** How far a collector has come: the newest value of each of its date fields that whole windows brought, none beyond the last day of these. */
export interface Position {
  readonly newest: Readonly<Record<string, string>>;
}
