import { objectiveSets } from '../../src/schedule/time/ages.ts';
import assert from 'node:assert/strict';
import { nextCron } from '../../src/schedule/pace/cron-times.ts';
import type { SimTarget } from './simulated-year.ts';
import { type Excuses, firstAt, wallAt, type World } from './simulated-world.ts';

/** Set back by less, the clock repeats no turn of cron or tokens. */
const stepMs = 10_800_000;

const minuteMs = 60_000;

/** The part of an objective after which its target is due, where its host takes no longer than a tenth for all that share it. */
const duePart = 0.9;

export interface Watched {
  readonly world: Pick<World, 'steps'>;
  readonly target: SimTarget;
  /** Its place among the intervals of its host that are as long as its own. */
  readonly slot: number;
  /** When the first scrape of all was due: the grids begin there. Wall time, as was true then. */
  readonly firstAt: number;
  /** What explains that something is late. */
  readonly excuses: Excuses;
  /** So long it may be late besides: others of its host were due as well. Milliseconds. */
  readonly patienceMs: number;
}

/** When one target may be asked, by what its file says and what came of its scrapes, and when it has to be. */
export class PaceWatch {
  readonly #of: Watched;
  /** True time. */
  #endedAt: number;
  #verifiedAt: number;
  #misses = 0;
  /** No scrape may begin sooner, wall time. */
  #notBefore: number;
  /** By when it must have begun, but for excuses and patience, true time. */
  #dueAt: number;

  constructor(of: Watched, createdAt: number) {
    this.#of = of;
    this.#endedAt = createdAt;
    this.#verifiedAt = createdAt;
    this.#notBefore = of.firstAt;
    this.#dueAt = of.firstAt;
  }

  /** How old what is known of it is, without what explains it: excuses since it was due again, and the pause after a miss. */
  ageAt(at: number): number {
    const { world, excuses } = this.#of;
    // By a clock that was set back it is that much younger.
    const since = world.steps.reduce(
      (sum, step) => sum + (step.at > this.#verifiedAt && step.at <= at ? Math.max(0, -step.byMs) : 0),
      this.#verifiedAt,
    );
    const dueAt = since + duePart * (this.objectiveMs ?? Infinity);
    return at - since - excuses.between(dueAt, at) - (at > dueAt ? this.#pauseMs : 0);
  }

  /** After misses in a row it is left alone for a minute, doubled up to a quarter of the objective. */
  get #pauseMs(): number {
    if (this.#misses === 0) return 0;
    return Math.min(minuteMs * 2 ** (this.#misses - 1), (this.objectiveMs ?? Infinity) / 4);
  }

  get verifiedAt(): number {
    return this.#verifiedAt;
  }

  /** The age that it must not come to. */
  get objectiveMs(): number | undefined {
    const { objective, objectives } = this.#of.target.schedule;
    return (objective ?? (objectives && objectiveSets(objectives)[0]))?.warnAfter;
  }

  /** Whether the clock was set back since the last scrape by so much that turns come again. */
  wasSetBack(at: number): boolean {
    const { world, target } = this.#of;
    const least = target.kind === 'cron' || target.kind === 'tokens' ? stepMs : 1;
    return world.steps.some((step) => step.at > this.#endedAt - 1 && step.at <= at && -step.byMs >= least);
  }

  /** A day was planned for it. */
  planned(instants: readonly number[], at: number): void {
    this.#notBefore = instants[0] ?? Infinity;
    this.#dueAt = instants[0] === undefined ? Infinity : firstAt(this.#of.world, instants[0], at);
  }

  began(at: number): void {
    const wall = wallAt(this.#of.world, at);
    if (this.wasSetBack(at)) return;
    // Where instants are rounded, half a millisecond goes either way.
    assert.ok(wall >= this.#notBefore - 1, `${this.#name} begins ${this.#notBefore - wall} ms too soon`);
  }

  asked(at: number): void {
    this.isLate(at);
  }

  ended(at: number, isOk: boolean, planned: readonly number[]): void {
    this.#endedAt = at;
    if (isOk) this.#verified(at);
    this.#misses = isOk ? 0 : this.#misses + 1;
    const { world } = this.#of;
    const wall = wallAt(world, at);
    const next = this.#next(wall, planned);
    this.#notBefore = next.notBefore;
    this.#dueAt = next.dueAt === Infinity ? Infinity : firstAt(world, next.dueAt, at);
  }

  isLate(at: number): void {
    const { excuses, patienceMs } = this.#of;
    const lateMs = at - this.#dueAt - excuses.between(this.#dueAt, at);
    assert.ok(lateMs <= patienceMs, `${this.#name} is late by ${Math.round(lateMs / 1_000)} s`);
    if (this.objectiveMs === undefined) return;
    const tooOldMs = this.ageAt(at) - this.objectiveMs;
    assert.ok(tooOldMs <= 0, `${this.#name} is ${Math.round(tooOldMs / 1_000)} s older than promised`);
  }

  #verified(at: number): void {
    this.#verifiedAt = at;
  }

  /** Wall time. */
  #next(endedAt: number, planned: readonly number[]): { readonly notBefore: number; readonly dueAt: number } {
    const { kind, schedule } = this.#of.target;
    switch (kind) {
      case 'interval':
        return once(this.#onGrid(schedule.every ?? 0, endedAt));
      case 'promised':
        // Late for its grid it may be, as a re-check stands in for it; its age is looked at.
        return {
          notBefore: Math.min(this.#onGrid(schedule.every ?? 0, endedAt), this.#recheck(endedAt)),
          dueAt: Infinity,
        };
      case 'cron':
        return once(nextCron({ pattern: schedule.cron ?? '', zone: schedule.zone ?? 'UTC' }, endedAt) ?? Infinity);
      case 'tokens':
        return once(planned[0] ?? Infinity);
      case 'continuous': {
        const { sleep = 0, longest = 0 } = schedule.continuous ?? {};
        // The longest pause is spread by a tenth, as the others are.
        return { notBefore: endedAt + sleep, dueAt: endedAt + (this.#misses === 0 ? sleep : 1.1 * longest) };
      }
      case 'objective':
        return once(this.#recheck(endedAt));
      default:
        return kind satisfies never;
    }
  }

  #onGrid(everyMs: number, after: number): number {
    const { slot, firstAt: origin } = this.#of;
    const digits = slot.toString(2);
    const fraction = Number.parseInt(Array.from(digits).toReversed().join(''), 2) / 2 ** digits.length;
    const base = origin + Math.floor(fraction * everyMs);
    return base + (Math.floor((after - base) / everyMs) + 1) * everyMs;
  }

  #recheck(endedAt: number): number {
    const objectiveMs = this.objectiveMs ?? Infinity;
    const { world } = this.#of;
    // Nothing was verified later than it is, by a clock that was set back since.
    const back = world.steps.filter(({ at }) => at > this.#verifiedAt && at <= this.#endedAt);
    const seenAt = Math.min(wallAt(world, this.#verifiedAt), ...back.map(({ at }) => wallAt(world, at)));
    const due = seenAt + duePart * objectiveMs;
    return this.#misses === 0 ? due : Math.max(due, endedAt + this.#pauseMs);
  }

  get #name(): string {
    const { kind, host, target } = this.#of.target;
    return `target ${target} of host ${host} (${kind})`;
  }
}

function once(at: number): { readonly notBefore: number; readonly dueAt: number } {
  return { notBefore: at, dueAt: at };
}
