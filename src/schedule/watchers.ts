import type { SinkLink } from '../schema/sink-link.ts';
import type { ScheduleLevel } from './levels.ts';

/** A project that watches a target, with all of it that decides when the target is scraped. */
export interface Watcher {
  readonly project: string;
  /** The schedule that the project gives this target alone. */
  readonly schedule?: ScheduleLevel;
  /** The schedule that the project gives all its targets. */
  readonly projectSchedule?: ScheduleLevel;
  /** The sinks that are told of this target. */
  readonly sinks?: readonly SinkLink[];
  /** Factor of the target's priority. Default: 1. */
  readonly multiplier?: number;
  /** Set while the project is archived. */
  readonly isAway?: true;
}

/** A target, as far as its watchers are concerned. */
export interface Watched {
  /** In the order in which they came; a project that is restored comes again. */
  readonly watchers: readonly Watcher[];
}

/** The project whose actor scrapes a target: the first active one that watches it; `undefined` where none does. */
export function ownerOf({ watchers }: Watched): string | undefined {
  return watchers.find(({ isAway }) => isAway !== true)?.project;
}

/** The active projects that watch a target; of a target that none watches now, those that did last. */
export function watchersOf({ watchers }: Watched): readonly Watcher[] {
  const active = watchers.filter(({ isAway }) => isAway !== true);
  return active.length > 0 ? active : watchers;
}

/** The ids of the projects that `watchersOf` returns. */
export function projectsOf(target: Watched): string[] {
  return watchersOf(target).map(({ project }) => project);
}

/** The highest factor that a target's watchers give its priority. */
export function multiplierOf(watchers: readonly Watcher[]): number {
  return watchers.reduce((highest, { multiplier = 1 }) => Math.max(highest, multiplier), watchers.length > 0 ? 0 : 1);
}

/** Projects that watch a target besides one: their number, and the first of them. */
export interface Others {
  readonly count: number;
  readonly first: readonly string[];
}

/** The most projects that are named. */
const namedOthers = 3;

/** The other active projects that watch a target; `undefined` where there are none. */
export function othersOf({ watchers }: Watched, project: string): Others | undefined {
  const others = watchers.filter((each) => each.project !== project && each.isAway !== true);
  if (others.length === 0) return undefined;
  return { count: others.length, first: others.slice(0, namedOthers).map((each) => each.project) };
}
