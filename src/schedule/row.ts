import type { EndRule } from './end-rule.ts';
import type { Demand } from './feasibility.ts';
import type { GoneRow } from './gone.ts';
import type { FreshRow } from './fresh-row.ts';
import type { GridPlaces } from './time/grid.ts';
import type { HostPace } from './host-pace.ts';
import type { TargetSchedule } from './levels.ts';
import type { GivenPace, PaceRow } from './pace/all.ts';
import type { Watched } from './watchers.ts';

/** When a target is next due, and all that this is worked out from. There is one row for each target that is or was scraped; instants are wall time. */
export interface ScheduleRow {
  readonly target: number;
  /** Missing while nothing asks for a turn. */
  readonly dueAt?: number;
  /** When a person asked for a scrape that has not begun. */
  readonly manualAt?: number;
  /** Turns of the pace up to here are over: when the last one ended, or the target's creation. */
  readonly since: number;
  /** When the first scrape is due, until it is over; the pace begins after that. */
  readonly firstAt?: number;
  /** The pace with its state. It stays as it was while the target rests. */
  readonly pace: PaceRow;
  /** How the target stands with its objectives; missing for a target without any. */
  readonly fresh?: FreshRow;
  /** When an objective of the target begins or ends to hold, as its season does. */
  readonly seasonAt?: number;
  /** The target's page is gone and is not asked for before this instant, unless a person asks for it. */
  readonly goneUntil?: number;
  /** When the target's records will say that it is finished, if they stay as they are; it then ends without a scrape. */
  readonly endsAt?: number;
  /** Why the target is not scraped, while that is so. */
  readonly rest?: Rest;
}

/**
 * Why a target is not scraped. The objectives of a `parked` target count and are told on. Those of a target that is `set-aside`, because no
 * active project watches it, are only kept for when it begins again.
 */
export type Rest = 'parked' | 'set-aside';

/** A target, as far as its schedule depends on it. Instants are wall time. */
export interface ScheduledTarget extends Watched {
  readonly target: number;
  readonly source: string;
  readonly url: string;
  readonly createdAt: number;
  /** When the target was last verified as a whole. */
  readonly verifiedAt?: number;
  /** Set while the site says that the target's page is not there. */
  readonly gone?: GoneRow;
  /** The number of new records of each of the target's newest successful scrapes, newest first. */
  readonly found?: readonly number[];
}

/** A target's schedule as it is in force: what the levels of its watchers say together, with defaults, its host's pace and its priority. */
export interface EffectiveSchedule extends TargetSchedule {
  readonly pace: GivenPace;
  readonly initialDelayMs: number;
  /** Whether the target's source is loaded. While it is not, what the target's row has stands. */
  readonly isLoaded: boolean;
  /** How the target's records tell its end, if they do. */
  readonly endRule?: EndRule;
  /** Whether the target ends when its page is gone for good. */
  readonly endsWhenGone?: boolean;
  /** The politeness key. */
  readonly key: string;
  /** How often the politeness key can be asked. */
  readonly host: HostPace;
  /** Scrapes a day that the target deserves by what was found. */
  readonly priority: number;
}

/** Finds the schedule in force of a target. */
export type ScheduleOf = (target: ScheduledTarget) => EffectiveSchedule;

/** Other targets that share a target's grid or its host. */
export interface Neighbours extends GridPlaces {
  /** Objectives on a politeness key up to an age, the shortest first. */
  readonly demandsOn: (key: string, longestMs: number) => readonly Demand[];
}
