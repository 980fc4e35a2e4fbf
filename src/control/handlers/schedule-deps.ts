import type { ScheduleLevel, TargetSchedule } from '../../definition/schedule.ts';
import type { Source } from '../../definition/source.ts';
import type { KnownPace } from '../../schedule/host-pace.ts';
import type { DueInputs } from '../../schedule/next-due.ts';
import type { Tally } from '../../schedule/waste.ts';
import type { TargetRow } from '../../store/rows.ts';

/** What the methods on schedules need of the daemon. But for what the hosts are asked, all of it is read at once. */
export interface ScheduleDeps {
  /** All that decides when a target is due now; nothing for one that is not scheduled. */
  dueInputsOf(target: TargetRow): DueInputs | undefined;
  /** What the levels say of a place, tracked or not; nothing while its source is not loaded. */
  scheduleOf(place: Place): TargetSchedule | undefined;
  /**
   * What a host has shown of how often it can be asked, by its politeness key. Before it has answered a few times it is taken to be as
   * when it last did not allow what is promised on it; without such a thing, nothing is known.
   */
  readonly knownPace: (key: string) => KnownPace | undefined;
  /** Until when hosts are left alone for their `Retry-After` or back-off, wall time, by key: all that are, or one. */
  leftAlone(key?: string): Promise<ReadonlyMap<string, number>>;
  /** What a target cost from an instant on, or what a source's pulse did that asked for many at once. */
  tally(of: number | string, from: number): Tally;
  /** Counts what a source's pulse asks for; nothing for one that has none. */
  pulseOf(source: Source): PulseCount | undefined;
  /** Whether nothing is scraped, as the daemon was started to serve its control methods alone. */
  readonly apiOnly: boolean;
}

/** Counts the requests of one round of a pulse: one for each target, or for each batch of them. */
export interface PulseCount {
  /** From one round to the next. */
  readonly everyMs: number;
  /** Adds a target by its address. */
  add(targetUrl: string): void;
  /** Those for all targets, by politeness key; called once, after the last of them. */
  requests(): ReadonlyMap<string, number>;
}

/** A place on a source, with what the target and its project say of its schedule. */
export interface Place {
  readonly source: string;
  readonly target?: ScheduleLevel;
  readonly project?: ScheduleLevel;
}
