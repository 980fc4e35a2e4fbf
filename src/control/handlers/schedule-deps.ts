import type { ScheduleLevel, TargetSchedule } from '../../definition/schedule.ts';
import type { DueInputs } from '../../schedule/next-due.ts';
import type { Tally } from '../../schedule/waste.ts';
import type { TargetRow } from '../../store/rows.ts';

/** What the methods on schedules need of the daemon. All of it is read at once and asks nobody. */
export interface ScheduleDeps {
  /** All that decides when a target is due now; nothing for one that is not scheduled. */
  dueInputsOf(target: TargetRow): DueInputs | undefined;
  /** What the levels say of a place, tracked or not; nothing while its source is not loaded. */
  scheduleOf(place: Place): TargetSchedule | undefined;
  /** What the scrapes of a target cost from an instant on. */
  tally(target: number, from: number): Tally;
  /** Whether nothing is scraped, as the daemon was started to serve its control methods alone. */
  readonly apiOnly: boolean;
}

/** A place on a source, with what the target and its project say of its schedule. */
export interface Place {
  readonly source: string;
  readonly target?: ScheduleLevel;
  readonly project?: ScheduleLevel;
}
