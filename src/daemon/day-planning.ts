import { setImmediate } from 'node:timers/promises';
import type { OpenHours } from '../schedule/available.ts';
import { dayWindow, planDay, type PlanTarget } from '../schedule/plan-day.ts';
import { type Bucket, defaultTokens, isGranted, refunded, type TokenLimits } from '../schedule/tokens.ts';
import { dayNumber, dayStart } from '../schedule/zone.ts';
import { type PlannedTarget, projectsOnce, type TokensRow, writePlan } from '../store/plan.ts';
import type { TargetRow } from '../store/rows.ts';
import type { ScheduleRow } from '../store/schedule-row.ts';
import type { Dues, Said } from './due-inputs.ts';
import type { Sessions } from './sessions.ts';
import type { DaemonState } from './state.ts';

export interface DayPlanningDeps {
  readonly state: Pick<DaemonState, 'clock' | 'store'>;
  readonly dues: Pick<Dues, 'said'>;
  conditionOf: Sessions['conditionOf'];
  /** Tells the actor of a project, if there is one, that its targets have other turns. */
  look(project: string): void;
}

/** Rows that are read, or written, before others have a turn: some milliseconds of work. */
const sliceRows = 150;

/** A target whose day has begun. */
interface Begun {
  readonly row: ScheduleRow;
  readonly own: TokensRow;
  readonly target: TargetRow;
}

/** Targets of one politeness key whose days are alike. */
interface Group extends Alike {
  readonly targets: HeldTargets;
}

interface Alike {
  readonly key: string;
  readonly tokens: Tokens;
  readonly hours: readonly OpenHours[];
  readonly state: State;
}

type Tokens = TokenLimits & { readonly zone: string };
type State = NonNullable<PlanTarget['state']>;

interface HeldTarget extends PlanTarget {
  readonly since: number;
}

/** Targets as numbers alone: all are held until the last row is read, and there may be a million. */
class HeldTargets implements Iterable<HeldTarget> {
  readonly #state: State;
  readonly #numbers: number[] = [];

  constructor(state: State) {
    this.#state = state;
  }

  add({ target, since, bucket, priority }: Omit<HeldTarget, 'state'>): void {
    this.#numbers.push(target, since, bucket.tokens, bucket.day, priority);
  }

  *[Symbol.iterator](): Generator<HeldTarget> {
    for (let at = 0; at < this.#numbers.length; at += 5) {
      const [target = 0, since = 0, tokens = 0, day = 0, priority = 0] = this.#numbers.slice(at, at + 5);
      yield { target, since, bucket: { tokens, day }, priority, state: this.#state };
    }
  }
}

/** Makes what plans the days that have begun, and says how many targets that were. */
export function createDayPlanning({ state, dues, conditionOf, look }: DayPlanningDeps): () => Promise<number> {
  const { clock, store } = state;

  return async function planDays() {
    const at = clock.now();
    const groups = new Map<string, Group>();
    let found = 0;
    for await (const slice of begun(at)) {
      const projectOf = projectsOnce(store());
      const kept: PlannedTarget[] = [];
      for (const each of slice) {
        const said = dues.said(each.target, projectOf(each.target.project));
        const { zone } = tokensOf(said);
        const day = dayNumber(zone, at);
        if (isGranted(each.own.bucket, day)) kept.push(asItIs(each, dayStart(zone, day + 1)));
        else join(groups, each, said);
      }
      await write(kept);
      found += slice.length;
    }
    await writeAll(planned(groups, at));
    return found;
  };

  /** Targets whose day has begun, a slice at a time. What changes meanwhile is left to the next round. */
  async function* begun(at: number): AsyncGenerator<readonly Begun[]> {
    let after: [number, number] | undefined;
    for (;;) {
      const rows = [...store().schedule.byPlan({ ...(after && { after }), before: at + 1, limit: sliceRows })];
      const gone: number[] = [];
      yield rows.flatMap((row) => {
        const { pace: own } = row;
        if (own.kind !== 'tokens') return [];
        after = [own.planAt, row.target];
        const target = store().targets.get(row.target);
        if (target === undefined) gone.push(row.target);
        return target === undefined ? [] : [{ row, own, target }];
      });
      // One that stayed would be found for ever.
      if (gone.length > 0) await store().write(() => gone.forEach(store().schedule.remove));
      if (rows.length < sliceRows) return;
      await setImmediate();
    }
  }

  function join(groups: Map<string, Group>, { row, own, target }: Begun, said: Said): void {
    const tokens = tokensOf(said);
    const state = said.source === undefined || isWaiting(row, target) ? 'waiting' : 'active';
    const { targets } = groupOf(groups, { key: said.key, tokens, hours: said.hours, state });
    const bucket = bucketOf({ row, own, target }, tokens);
    targets.add({ target: row.target, since: row.since, bucket, priority: said.priority });
  }

  /** What a target has as a day begins: what the last one paid for and had no room for is given back. */
  function bucketOf({ row, own, target }: Begun, limits: TokenLimits): Bucket {
    const left = own.planned.filter((each) => each > row.since);
    const over = left.length - (isBeingSpent(left, target) ? 1 : 0);
    return over > 0 ? refunded(own.bucket, over, limits) : own.bucket;
  }

  /** Whether the scrape that runs is paid for by one of these turns: a person's is where one was due when it began. */
  function isBeingSpent(turns: readonly number[], { running }: TargetRow): boolean {
    const scrape = running === undefined ? undefined : store().scrapes.get(running);
    if (scrape === undefined) return false;
    return scrape.reason === 'due' || turns.some((each) => each <= scrape.startedAt);
  }

  /** Whether a target has to save its tokens: it has its first scrape before it, or its source no session. */
  function isWaiting(row: ScheduleRow, target: TargetRow): boolean {
    const session = conditionOf(target.source)?.code;
    return row.firstAt !== undefined || session === 'not_initialised' || session === 'login_attempts';
  }

  async function writeAll(all: Iterable<PlannedTarget>): Promise<void> {
    let some: PlannedTarget[] = [];
    for (const each of all) {
      if (some.push(each) < sliceRows) continue;
      await write(some);
      some = [];
    }
    await write(some);
  }

  async function write(some: readonly PlannedTarget[]): Promise<void> {
    if (some.length === 0) return;
    for (const project of await writePlan(store(), some)) look(project);
    await setImmediate();
  }
}

function tokensOf({ pace }: Said): Tokens {
  if (pace.kind !== 'tokens') return { ...defaultTokens, zone: 'UTC' };
  const { kind: _, ...tokens } = pace;
  return tokens;
}

/** The rest of a day that was planned before: the clock was set back, or the day is that of another zone. */
function asItIs({ row, own }: Begun, planAt: number): PlannedTarget {
  return { target: row.target, since: row.since, bucket: own.bucket, turns: own.planned, planAt };
}

/** The group of targets that are alike in these; a new one where there is none. */
function groupOf(groups: Map<string, Group>, alike: Alike): Group {
  const id = JSON.stringify(alike);
  const known = groups.get(id);
  if (known !== undefined) return known;
  const group = { ...alike, targets: new HeldTargets(alike.state) };
  groups.set(id, group);
  return group;
}

/** What the day has for each target, group after group, each of which is forgotten then. */
function* planned(groups: Map<string, Group>, at: number): Generator<PlannedTarget> {
  for (const [id, { tokens, hours, targets }] of groups) {
    const { zone } = tokens;
    const day = dayNumber(zone, at);
    const plan = planDay({ day, window: dayWindow(zone, day, at), targets, hours, limits: tokens });
    const buckets = new Map(plan.buckets.map(({ target, bucket }) => [target, bucket]));
    const turns = Map.groupBy(plan.turns, ({ target }) => target);
    const planAt = dayStart(zone, day + 1);
    for (const { target, since, bucket } of targets) {
      const own = turns.get(target)?.map(({ dueAt }) => dueAt) ?? [];
      yield { target, since, bucket: buckets.get(target) ?? bucket, turns: own, planAt };
    }
    groups.delete(id);
  }
}
