import { closesAt, nextAvailable, type OpenHours } from './time/open-hours.ts';
import type { ForecastSpan, Turns } from './minute-queue.ts';
import { nextDue } from './next-due.ts';
import { type GivenPace, paceOf } from './pace/all.ts';
import { askAgainAt, goneAfter, type GoneRow, isGoneForGood } from './gone.ts';
import type { ScheduleRow } from './row.ts';
import { afterScrape } from './scheduling.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** Turns that are walked whatever phases they have, so that a forecast of no more than these is exact. */
const exactTurns = 200_000;
/** Phases of one shape that are walked after that. Each further target takes the turns of the nearest of these. */
const maxPhases = 1_000;
/** Turns that are walked in all. After that a target takes the nearest walk of its shape, and shapes are told apart less exactly. */
const maxTurns = 3_000_000;
/** Turns that are walked without a break: a few milliseconds of work. */
const turnsAtOnce = 2_000;
const repeatsAtOnce = 50_000;

/** A target as the scheduler has it. Instants are wall time. */
export interface WalkedTarget {
  readonly row: Pick<ScheduleRow, 'since' | 'firstAt' | 'pace'>;
  readonly given: GivenPace;
  /** Default: always open. */
  readonly hours?: readonly OpenHours[];
  /** How long after a turn the objective asks for the next one, in ms: its age less its lead. Missing where none asks. */
  readonly recheckMs?: number;
  /** When the target was last verified. Default: the begin of the span. */
  readonly verifiedAt?: number;
  /** How long a scrape takes, in ms, where the pace counts from its end. Default: 0. */
  readonly tookMs?: number;
  /** When the virtual clock begins, if that is before the span: turns until the span are made, and not counted. */
  readonly walkedFrom?: number;
  /** What the site last said of the target's page, if that is gone: it stays gone. */
  readonly gone?: GoneRow;
  /** Whether the target ends when its page is gone for good. */
  readonly endsWhenGone?: boolean;
}

/** The turns of one target, up to the first one after the span. Instants are in ms from the begin of the span. */
export interface TargetWalk extends Turns {
  /** The first turn on the virtual clock. */
  readonly phaseMs: number;
  /** The first turn of the pace's own grid; the first turn for a pace without a grid. */
  readonly gridMs: number;
  /** The last turn before the span, where the virtual clock begins before it. */
  readonly beforeMs?: number;
  /** The longest time without a turn, from the first turn of the span to the end of the span. */
  readonly gapMs: number;
  /** Whether the objective asked for a turn of the span sooner than the pace did. */
  readonly isDrawn: boolean;
  /** Whether the pace asked for turns of its own grid, so that those of another phase are as far off as its grid is. */
  readonly isOnGrid: boolean;
}

/** The walk that a target takes, its own first turn in the span, and how far its other turns lie from those of the walk. */
export interface Walked {
  readonly walk: TargetWalk;
  readonly firstMs: number;
  readonly shiftMs: number;
}

/** All that decides the turns of targets but their phase. */
interface Shape {
  readonly hours: readonly OpenHours[];
  readonly recheckMs: number;
  readonly tookMs: number;
  /** The instants that the pace asks for, where a target's turns do not change them. */
  readonly instants?: ArrayLike<number> | undefined;
}

/**
 * Follows targets on a virtual clock, from turn to turn as the scheduler makes them. Targets of one shape share walks: a phase
 * that was not walked takes the nearest one that was, its turns moved by what lies between the two.
 */
export class Walks {
  readonly #span: ForecastSpan;
  /** The walks of a shape are in the order of `gridMs`. */
  readonly #shapes = new Map<string, Shape & { readonly walks: TargetWalk[] }>();
  readonly #ids = new Interned();
  #turns = 0;

  constructor(span: ForecastSpan) {
    this.#span = span;
  }

  /** The turns of a target, in steps of a few milliseconds. */
  *of(target: WalkedTarget): Generator<undefined, Walked> {
    const { at } = this.#span;
    // The pauses of such a target are its own, and so few turns are quickly walked.
    if (target.gone !== undefined) return yield* this.#ofOne(target, { tookMs: target.tookMs ?? 0 });
    const shape = yield* this.#shapeOf(target);
    const virtual = new VirtualTarget(target, shape, this.#span);
    const first = virtual.next();
    if (first === undefined) return { walk: noTurns, firstMs: Infinity, shiftMs: 0 };
    const phaseMs = first.at - at;
    const gridAt = paceOf(target.given).gridFrom?.(target.row.pace, target.walkedFrom ?? at);
    const gridMs = gridAt === undefined ? phaseMs : gridAt - at;
    let walk = nearest(shape.walks, phaseMs, gridMs);
    const isWalked = walk?.phaseMs === phaseMs && walk.gridMs === gridMs;
    if (walk === undefined || (!isWalked && this.#hasRoom(shape.walks.length))) {
      walk = yield* this.#walk(virtual, phaseMs, gridMs);
      this.#turns += walk.turnsMs.length;
      shape.walks.splice(firstFromGrid(shape.walks, gridMs), 0, walk);
    }
    const shiftMs = walk.isOnGrid ? gridMs - walk.gridMs : phaseMs - walk.phaseMs;
    return { walk, shiftMs, firstMs: phaseMs >= 0 ? phaseMs : (walk.turnsMs[0] ?? Infinity) + shiftMs };
  }

  /** The turns of a target whose pace asks for these instants, which are in order, and for no others. */
  ofPlanned(target: WalkedTarget, instants: ArrayLike<number>): Generator<undefined, Walked> {
    return this.#ofOne(target, { tookMs: 0, instants });
  }

  /** The turns of a target that shares its walk with no other. */
  *#ofOne(target: WalkedTarget, more: Pick<Shape, 'tookMs' | 'instants'>): Generator<undefined, Walked> {
    const { hours = always, recheckMs = Infinity } = target;
    const virtual = new VirtualTarget(target, { hours, recheckMs, ...more }, this.#span, more.instants !== undefined);
    const walk = yield* this.#walk(virtual, 0, 0);
    return { walk, firstMs: walk.turnsMs[0] ?? Infinity, shiftMs: 0 };
  }

  /** Names the schedule of a target: pace and hours as its files give them. */
  scheduleOf({ given, hours = always, walkedFrom }: WalkedTarget): string {
    return `${this.#ids.of(given)} ${this.#ids.of(hours)} ${walkedFrom ?? ''}`;
  }

  *#shapeOf(target: WalkedTarget): Generator<undefined, Shape & { readonly walks: TargetWalk[] }> {
    const { row, given, hours = always } = target;
    const tookMs = this.#rounded(target.tookMs ?? 0);
    const recheckMs = this.#rounded(target.recheckMs ?? Infinity);
    const key = `${this.scheduleOf(target)} ${row.firstAt === undefined} ${tookMs} ${recheckMs}`;
    const known = this.#shapes.get(key);
    if (known !== undefined) return known;
    const { at, days } = this.#span;
    const span = { from: target.walkedFrom ?? at, to: at + days * dayMs };
    const pace = paceOf(given);
    const instants = pace.instants === undefined ? undefined : yield* pace.instants(row.pace, span);
    const shape = { hours, recheckMs, tookMs, instants, walks: [] };
    this.#shapes.set(key, shape);
    return shape;
  }

  /** Whether another phase is walked of a shape of which so many are. */
  #hasRoom(phases: number): boolean {
    return this.#turns < exactTurns || (phases < maxPhases && this.#turns < maxTurns);
  }

  #rounded(ms: number): number {
    return ms === Infinity || this.#turns < maxTurns ? ms : Number(ms.toPrecision(2));
  }

  *#walk(target: VirtualTarget, phaseMs: number, gridMs: number): Generator<undefined, TargetWalk> {
    const turns = new TurnList(this.#span);
    const { until } = turns;
    let left = turnsAtOnce;
    for (let turn = target.next(); turn !== undefined; turn = target.next()) {
      turns.add(turn);
      if (turn.at >= until) break;
      target.end(turn);
      left -= 1;
      if (target.isRegular && turns.stepMs !== undefined) {
        // What repeats is not asked for again, up to when hours close.
        const before = Math.min(
          until,
          closesAt(target.hours, turn.at) ?? until,
          turn.at + repeatsAtOnce * turns.stepMs,
        );
        const last = turns.repeat(turn, before);
        if (last.at > turn.at) target.end(last);
        if (before < until) left = 0;
      }
      if (left > 0) continue;
      left = turnsAtOnce;
      yield;
    }
    return { ...turns.ended(), phaseMs, gridMs };
  }
}

interface Turn {
  readonly at: number;
  /** Whether the objective asked for it. */
  readonly isDrawn: boolean;
  /** Whether the pace asked for it, on its own grid. */
  readonly isOnGrid: boolean;
  /** Whether targets of other phases have it at the same instant. */
  readonly isFixed: boolean;
}

/** A target on the virtual clock, on which each scrape ends well, but for those of a page that is gone. */
class VirtualTarget {
  readonly hours: readonly OpenHours[];
  /** Whether turns follow at one distance while hours are open. */
  readonly isRegular: boolean;
  readonly #given: GivenPace;
  readonly #shape: Shape;
  readonly #endsWhenGone: boolean;
  #isListed: boolean;
  #gone: GoneRow | undefined;
  #row: ScheduleRow;
  #now: number;
  #verifiedAt: number;
  #isFixed = false;
  /** The first of the instants that may be to come. */
  #place = 0;

  /** @param isListed - whether the instants of the shape count from the first turn on, and not only after the first one. */
  constructor(
    { row: { since, firstAt, pace }, given, verifiedAt, walkedFrom, gone, endsWhenGone = false }: WalkedTarget,
    shape: Shape,
    { at }: ForecastSpan,
    isListed = false,
  ) {
    this.hours = shape.hours;
    this.isRegular = gone === undefined && shape.recheckMs === Infinity && paceOf(given).isRegular === true;
    this.#gone = gone;
    this.#endsWhenGone = endsWhenGone;
    this.#given = given;
    this.#shape = shape;
    this.#isListed = isListed;
    this.#now = walkedFrom ?? at;
    this.#verifiedAt = verifiedAt ?? at;
    this.#row = firstAt === undefined ? { target: 0, since, pace } : { target: 0, since, firstAt, pace };
  }

  /** The next turn; `undefined` where none comes. */
  next(): Turn | undefined {
    const { since, firstAt, pace } = this.#row;
    const { hours, recheckMs: objectiveMs, instants } = this.#shape;
    if (this.#gone !== undefined && this.#endsWhenGone && isGoneForGood(this.#gone)) return undefined;
    if (instants !== undefined && this.#isListed && firstAt === undefined) return this.#nextListed(instants);
    const recheck =
      objectiveMs === Infinity ? undefined : { lastVerifiedAt: this.#verifiedAt, objectiveMs, leadMs: 0, misses: 0 };
    const at = this.#now;
    const holds = this.#gone && { gone: askAgainAt(this.#gone, at) };
    const { dueAt, because } = nextDue({ at, since, firstAt, pace, given: this.#given, recheck, holds, hours });
    if (dueAt === undefined) return undefined;
    const by = because[0]?.by;
    const isOnGrid = by === pace.kind && paceOf(pace).gridFrom !== undefined;
    const isHeld = because.some((reason) => reason.decides && reason.by === 'hours');
    const isFixed = isHeld || (!isOnGrid && this.#isFixed);
    return { at: Math.max(at, dueAt), isDrawn: by === 'objective', isOnGrid, isFixed };
  }

  /** A scrape that began with the turn, and ended. */
  end({ at, isFixed }: Turn): void {
    this.#now = at + this.#shape.tookMs;
    this.#isFixed = isFixed;
    this.#gone = goneAfter(this.#gone, this.#gone?.cause, at);
    if (this.#gone === undefined) this.#verifiedAt = at;
    if (this.#shape.instants === undefined || !this.#isListed || this.#row.firstAt !== undefined) {
      const status = this.#gone === undefined ? 'complete' : 'failed';
      const scrape = { reason: 'due', startedAt: at, status } as const;
      this.#row = afterScrape(this.#row, scrape, { pace: this.#given }, { at: this.#now, random: () => 0.5 });
    }
    this.#isListed = true;
  }

  /** Re-checks come between the instants, as no turn changes these. */
  #nextListed(instants: ArrayLike<number>): Turn | undefined {
    while ((instants[this.#place] ?? Infinity) <= this.#now) this.#place += 1;
    const pacedAt = instants[this.#place] ?? Infinity;
    const againAt = this.#verifiedAt + this.#shape.recheckMs;
    const heldUntil = this.#gone === undefined ? -Infinity : askAgainAt(this.#gone, this.#now);
    const from = Math.max(this.#now, heldUntil, Math.min(pacedAt, againAt));
    const at = from === Infinity ? undefined : nextAvailable(this.hours, from);
    if (at === undefined) return undefined;
    const isDrawn = againAt < pacedAt;
    return { at, isDrawn, isOnGrid: false, isFixed: at > from || !isDrawn || this.#isFixed };
  }
}

/** Lists the turns of one walk, those of one minute as one entry. */
class TurnList {
  readonly until: number;
  /** The distance of the last turns, if those before were as far apart. */
  stepMs: number | undefined;
  readonly #at: number;
  readonly #turnsMs: number[] = [];
  readonly #times: number[] = [];
  readonly #isFixed: boolean[] = [];
  #lastAt = Number.NaN;
  #lastStepMs = Number.NaN;
  #beforeAt: number | undefined;
  #gapMs = 0;
  #isDrawn = false;
  #isOnGrid = false;

  constructor({ at, days }: ForecastSpan) {
    this.#at = at;
    this.until = at + days * dayMs;
  }

  add({ at, isDrawn, isOnGrid, isFixed }: Turn): void {
    const stepMs = at - this.#lastAt;
    this.stepMs = stepMs === this.#lastStepMs && stepMs > 0 ? stepMs : undefined;
    this.#lastStepMs = stepMs;
    this.#isOnGrid ||= isOnGrid;
    if (at < this.#at) this.#beforeAt = at;
    else if (this.#turnsMs.length > 0) this.#gapMs = Math.max(this.#gapMs, Math.min(at, this.until) - this.#lastAt);
    this.#lastAt = at;
    if (at < this.#at) return;
    if (at < this.until) this.#isDrawn ||= isDrawn;
    const ms = at - this.#at;
    const last = this.#turnsMs.length - 1;
    const isSameMinute = Math.floor((this.#turnsMs[last] ?? -1) / minuteMs) === Math.floor(ms / minuteMs);
    if (last > 0 && isSameMinute && this.#isFixed[last] === isFixed) this.#times[last] = (this.#times[last] ?? 0) + 1;
    else {
      this.#turnsMs.push(ms);
      this.#times.push(1);
      this.#isFixed.push(isFixed);
    }
  }

  /** Repeats a turn at the distance of the last ones, before an instant; returns the last one. */
  repeat(turn: Turn, before: number): Turn {
    const { stepMs = Infinity } = this;
    let last = turn;
    for (let at = turn.at + stepMs; at < before; at += stepMs) {
      last = { ...turn, at };
      this.add(last);
    }
    return last;
  }

  ended(): Omit<TargetWalk, 'phaseMs' | 'gridMs'> {
    // Where no turn comes any more, the age grows up to the end.
    const tailMs = this.#turnsMs.length > 0 ? this.until - this.#lastAt : 0;
    return {
      turnsMs: this.#turnsMs,
      times: this.#times,
      isFixed: this.#isFixed,
      gapMs: Math.max(this.#gapMs, tailMs),
      isDrawn: this.#isDrawn,
      isOnGrid: this.#isOnGrid,
      ...(this.#beforeAt !== undefined && { beforeMs: this.#beforeAt - this.#at }),
    };
  }
}

const always: readonly OpenHours[] = [];

const noTurns: TargetWalk = {
  phaseMs: Infinity,
  gridMs: Infinity,
  turnsMs: [],
  times: [],
  isFixed: [],
  gapMs: 0,
  isDrawn: false,
  isOnGrid: false,
};

/** Gives equal values the same number. */
class Interned {
  readonly #ids = new WeakMap<object, number>();
  readonly #byText = new Map<string, number>();

  of(value: object): number {
    const known = this.#ids.get(value);
    if (known !== undefined) return known;
    const text = JSON.stringify(value);
    const id = this.#byText.get(text) ?? this.#byText.size;
    this.#byText.set(text, id);
    this.#ids.set(value, id);
    return id;
  }
}

/** The walk of the nearest phase: of the first turn, and of the grid. */
function nearest(walks: readonly TargetWalk[], phaseMs: number, gridMs: number): TargetWalk | undefined {
  let [found, leastMs]: [TargetWalk | undefined, number] = [undefined, Infinity];
  const place = firstFromGrid(walks, gridMs);
  for (const step of [-1, 1]) {
    for (let at = step < 0 ? place - 1 : place; ; at += step) {
      const walk = walks[at];
      if (walk === undefined || Math.abs(walk.gridMs - gridMs) >= leastMs) break;
      const offMs = Math.abs(walk.gridMs - gridMs) + Math.abs(walk.phaseMs - phaseMs);
      if (offMs < leastMs) [found, leastMs] = [walk, offMs];
    }
  }
  return found;
}

/** Returns the index of the first walk whose `gridMs` is not less than the one given; walks are in the order of `gridMs`. */
function firstFromGrid(walks: readonly TargetWalk[], gridMs: number): number {
  let [low, high] = [0, walks.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((walks[middle]?.gridMs ?? 0) >= gridMs) high = middle;
    else low = middle + 1;
  }
  return low;
}
