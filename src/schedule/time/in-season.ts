import { defined } from '../../defined.ts';
import { objectiveOf, objectiveSets, type Objectives } from './ages.ts';
import { paceOfObjective, type Objective, type TargetObjective } from './objective.ts';
import { type Season, seasonAt, seasonEndedAt, seasonOf } from './season.ts';

/** An objective that does not hold now, as it is not its season. */
export interface RestingObjective extends TargetObjective {
  readonly season: Season;
  /** When the last season ended; missing before the first. */
  readonly endedAt?: number;
  /** When the next season begins; missing when there is none. */
  readonly beginsAt?: number;
}

/** The objectives that a level gives, as they are at an instant. */
export interface ObjectivesNow {
  /** One for each field, with an empty name for the whole target: the shortest ages of those that hold now. */
  readonly objectives: readonly TargetObjective[];
  readonly resting: readonly RestingObjective[];
  /** When an objective begins or ends to hold; infinite where none does. */
  readonly changesAt: number;
}

interface Looked extends ObjectivesNow {
  readonly at: number;
}

/** The last result for each level's objectives, which never change: finding a season is slow. */
const looked = new WeakMap<object, Looked>();

/** Which of a level's objectives hold at an instant. */
export function objectivesAt(given: Objectives, at: number): ObjectivesNow {
  const known = looked.get(given);
  if (known !== undefined && known.at <= at && at < known.changesAt) return known;
  const found = lookAt(given, at);
  looked.set(given, found);
  return found;
}

function lookAt(given: Objectives, at: number): Looked {
  const holding: TargetObjective[] = [];
  const resting: RestingObjective[] = [];
  let changesAt = Infinity;
  for (const { fields = {}, ...set } of objectiveSets(given)) {
    const whole = objectiveOf(set);
    const all = [
      ...(whole === undefined ? [] : [{ field: '', ...whole }]),
      ...Object.entries(fields).map(([field, ages]) => ({ field, ...objectiveOf(ages) })),
    ];
    const season = seasonOf(set);
    const span = season && seasonAt(season, at);
    if (season === undefined) holding.push(...all);
    else if (span !== undefined && span.from <= at) {
      holding.push(...all.map((objective) => ({ ...objective, since: span.from })));
      changesAt = Math.min(changesAt, span.to);
    } else {
      const endedAt = seasonEndedAt(season, at);
      const rest = { season, ...(endedAt !== undefined && { endedAt }), ...(span && { beginsAt: span.from }) };
      resting.push(...all.map((objective) => ({ ...objective, ...rest })));
      if (span !== undefined) changesAt = Math.min(changesAt, span.from);
    }
  }
  const byField = Map.groupBy(holding, ({ field }) => field);
  const objectives = Array.from(byField, ([field, each]) => ({ field, ...shortestAges(each) }));
  return { at, objectives, resting, changesAt };
}

/** The shortest of several ages each; no warning that would come after the breach. It counts from the season of the one that sets the pace. */
export function shortestAges(all: readonly Objective[]): Objective {
  const [only] = all;
  if (only !== undefined && all.length === 1) return agesOf(only);
  const warnAfterMs = lowest(all.map((each) => each.warnAfterMs));
  const errorAfterMs = lowest(all.map((each) => each.errorAfterMs));
  const isLate = warnAfterMs !== undefined && errorAfterMs !== undefined && warnAfterMs >= errorAfterMs;
  const [first] = all.toSorted((a, b) => paceOfObjective(a) - paceOfObjective(b));
  return agesOf({ warnAfterMs: isLate ? undefined : warnAfterMs, errorAfterMs, since: first?.since });
}

function agesOf({
  warnAfterMs,
  errorAfterMs,
  since,
}: { readonly [K in keyof Objective]?: number | undefined }): Objective {
  return defined({ warnAfterMs, errorAfterMs, since });
}

/** The lowest of some numbers; `undefined` without any. */
export function lowest(numbers: readonly (number | undefined)[]): number | undefined {
  const given = numbers.filter((each) => each !== undefined);
  return given.length === 0 ? undefined : Math.min(...given);
}
