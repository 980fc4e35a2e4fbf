import type { Episode } from '../schedule/episode.ts';
import type { Grid } from '../schedule/grid.ts';
import type { Openness } from '../schedule/openness.ts';
import type { Bucket } from '../schedule/tokens.ts';

/** When a target is next due, and all that follows from; one row per target that is or was scraped. Every instant is wall time. */
export interface ScheduleRow {
  readonly target: number;
  /** Missing while nothing asks for a turn. */
  readonly dueAt?: number;
  /** A person asked for a scrape that has not begun. */
  readonly manualAt?: number;
  /** When its last turn by its pace was over, or its creation. */
  readonly since: number;
  /** When its last turn began, if its objective had drawn it forward from a later one of its interval and it ended well. */
  readonly drawnAt?: number;
  /** Creation and initial delay, until it has been scraped once; its pace begins after that. */
  readonly firstAt?: number;
  /** Of a target that rests: as it was. */
  readonly pace: PaceRow;
  /** Of a target with an objective. */
  readonly fresh?: FreshRow;
  readonly rest?: Rest;
}

/**
 * Why nothing of a target is due. What is promised of one that is `parked` counts and is told on; of one that is `set-aside`, as its
 * project is archived or no longer has it, it is only remembered, for when it begins again.
 */
export type Rest = 'parked' | 'set-aside';

/** What makes a target due time and again, with what is known of it. */
export type PaceRow =
  | {
      readonly kind: 'interval';
      /** Its place among those of one politeness key and interval. */
      readonly grid: GridPlace;
    }
  | { readonly kind: 'cron'; readonly pattern: string; readonly zone: string }
  | {
      readonly kind: 'tokens';
      readonly bucket: Bucket;
      /** The instants that the plan of its day gave it, in order. */
      readonly planned: readonly number[];
      /** When the next day begins that is to be planned, by the clocks of its zone. */
      readonly planAt: number;
    }
  | {
      readonly kind: 'continuous';
      readonly endedAt: number;
      /** In a row, up to the last run. */
      readonly failures: number;
      /** Random, in `[0, 1)`, drawn when the last run ended. */
      readonly draw: number;
    }
  | { readonly kind: 'objective' };

export interface GridPlace extends Grid {
  readonly slot: number;
  /** The politeness key. */
  readonly key: string;
}

/** How a target stands with its objectives. */
export interface FreshRow {
  /** Targets of one politeness key and objective share the time that their host has for it. */
  readonly key: string;
  readonly source: string;
  /** The age that it should not come to: the shortest of all. */
  readonly objectiveMs: number;
  /** What the hours in which it may be asked leave of the time; missing for always. */
  readonly hours?: Openness;
  /** When it was last verified as a whole, or its creation. */
  readonly verifiedAt: number;
  /** Turns in a row, up to the last one, that verified nothing. */
  readonly misses: number;
  /** When each field that has an objective of its own was last verified, or the creation of its target where it never was. */
  readonly fields?: Readonly<Record<string, number>>;
  /** Those under way; of the whole target under an empty name. */
  readonly episodes?: Readonly<Record<string, Episode>>;
  /** When an age changes its level by itself; missing when none will. */
  readonly crossAt?: number;
}
