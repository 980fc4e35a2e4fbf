import { type Boot, overdueThatCount } from '../../src/schedule/grid.ts';
import { type Objective, paceOfObjective, type Recheck } from '../../src/schedule/objective.ts';
import { type DueInputs, nextDue, type Pace } from '../../src/schedule/next-due.ts';
import { dayWindow, planDay, type DayPlan } from '../../src/schedule/plan-day.ts';
import { priorityOf, withResult } from '../../src/schedule/priority.ts';
import { type Bucket, defaultTokens, nextPaidDay, refunded } from '../../src/schedule/tokens.ts';
import { dayNumber, dayStart } from '../../src/schedule/zone.ts';
import { type TimerHolder, TimerHeap } from '../../src/timer-heap.ts';

/** What happens to the daemon and to a host, in real time; `from` is in it, `to` is not. */
export interface World {
  readonly from: number;
  readonly to: number;
  /** Times in which the daemon is down. */
  readonly down: readonly { readonly from: number; readonly to: number }[];
  /** Times in which the host does not answer. */
  readonly outages: readonly { readonly from: number; readonly to: number }[];
  /** When the wall clock is set, and by how much. */
  readonly steps: readonly { readonly at: number; readonly byMs: number }[];
}

/** One target of the host, as its files would have it. */
export interface SimTarget {
  readonly number: number;
  readonly pace: Exclude<Pace, { readonly kind: 'tokens' }> | { readonly kind: 'tokens' };
  readonly objective?: Objective;
  readonly leadMs?: number;
  /** How much there is to find after a day, on average. */
  readonly perDay: number;
}

/** A turn that was taken; `realAt` goes on evenly, `at` is what the clock said. */
export interface SimTurn {
  readonly target: SimTarget;
  readonly realAt: number;
  readonly at: number;
  readonly dueAt: number;
  readonly ok: boolean;
  readonly lastVerifiedAt: number;
}

/** Told as it happens. */
export interface SimObserver {
  turn(turn: SimTurn): void;
  /** A plan was made, of the buckets as they were. */
  planned(
    plan: DayPlan,
    before: ReadonlyMap<number, { readonly bucket: Bucket; readonly priority: number }>,
    at: number,
  ): void;
  /** Paid turns were given back, of which the cap may have cut a part. */
  refunded(target: number, scrapes: number): void;
  booted(realAt: number): void;
}

interface Life extends TimerHolder {
  readonly target: SimTarget;
  since: number;
  lastVerifiedAt: number;
  misses: number;
  found: readonly number[];
  bucket: Bucket;
  planned: number[];
  pace: Pace;
  timer: number;
  dueAt: number;
}

const circuitMs = 1_800_000;

/** Runs the targets of one host through the world, with everything that `nextDue` and `planDay` decide, and returns what is left. */
export function simulate(
  targets: readonly SimTarget[],
  { delayMs }: { readonly delayMs: number },
  world: World,
  random: () => number,
  observer: SimObserver,
): ReadonlyMap<number, { readonly bucket: Bucket; readonly planned: readonly number[]; readonly since: number }> {
  const timers = new TimerHeap();
  let [real, offset, freeAt, failures, circuitAt] = [world.from, 0, world.from, 0, 0];
  let boot: Boot | undefined;
  let day = dayNumber('UTC', real);
  const wall = (): number => real + offset;
  const lives = targets.map(lifeOf);
  plan();

  const events = [
    ...world.down.map(({ from, to }) => ({ at: from, run: () => restart(to) })),
    ...world.steps.map(({ at, byMs }) => ({ at, run: () => step(byMs) })),
  ].sort((a, b) => a.at - b.at);
  for (const { at, run } of [...events, { at: world.to, run: () => undefined }]) {
    runUntil(at);
    real = Math.max(real, at);
    run();
  }
  return new Map(lives.map(({ target, bucket, planned, since }) => [target.number, { bucket, planned, since }]));

  function lifeOf(target: SimTarget): Life {
    const bucket = { tokens: defaultTokens.start, day: day - 1 };
    const pace: Pace = target.pace.kind === 'tokens' ? { kind: 'tokens', planned: [] } : target.pace;
    const life: Life = {
      target,
      since: wall(),
      lastVerifiedAt: wall(),
      misses: 0,
      found: [],
      bucket,
      planned: [],
      pace,
      timer: -1,
      dueAt: 0,
      lastTimer: -1,
      send: () => takeTurn(life),
    };
    return life;
  }

  /** Lets turns and plans happen, in the order of their instants. */
  function runUntil(until: number): void {
    for (;;) {
      const dueAt = Math.max((timers.next ?? Infinity) - offset, freeAt, real);
      const planAt = Math.max(dayStart('UTC', day + 1) - offset, real);
      const next = Math.min(dueAt, planAt);
      if (next >= until) return;
      real = next;
      if (planAt <= dueAt) {
        day = dayNumber('UTC', wall());
        plan();
      } else timers.fireFirst();
    }
  }

  function takeTurn(life: Life): void {
    const { target, lastVerifiedAt, dueAt } = life;
    life.timer = -1;
    const at = wall();
    const ok = !world.outages.some(({ from, to }) => from <= real && real < to);
    observer.turn({ target, realAt: real, at, dueAt, ok, lastVerifiedAt });
    freeAt = real + delayMs;
    failures = ok ? 0 : failures + 1;
    circuitAt = failures >= 5 ? at + circuitMs : 0;
    if (target.pace.kind === 'tokens') giveBack(life, at);
    const days = Math.max(0, at - lastVerifiedAt) / 86_400_000;
    if (ok) life.found = withResult(life.found, { ok, found: Math.floor(days * target.perDay * 2 * random()) });
    life.since = at;
    life.misses = ok ? 0 : life.misses + 1;
    if (ok) life.lastVerifiedAt = at;
    if (life.pace.kind === 'continuous') {
      const last = { endedAt: at + 2_000, failures: ok ? 0 : life.misses };
      life.pace = { ...life.pace, last, draw: random() };
    }
    arm(life);
  }

  /** What fell due before it and was not taken is one turn, and only that is paid for. */
  function giveBack(life: Life, at: number): void {
    const folded = life.planned.filter((each) => each <= at).length - 1;
    if (folded > 0) {
      life.bucket = refunded(life.bucket, folded);
      observer.refunded(life.target.number, folded);
    }
    life.planned = life.planned.filter((each) => each > at);
  }

  function plan(): void {
    const byNumber = new Map(lives.map((life) => [life.target.number, life]));
    const paid = lives
      .filter(({ target }) => target.pace.kind === 'tokens')
      .map(({ target, bucket, found }) => ({ target: target.number, bucket, priority: priorityOf(found) }));
    const made = planDay({ day, window: dayWindow('UTC', day, wall()), targets: paid });
    observer.planned(made, new Map(paid.map((each) => [each.target, each])), wall());
    for (const { target, bucket } of made.buckets) {
      const life = byNumber.get(target);
      if (life !== undefined) life.bucket = bucket;
    }
    for (const { target, dueAt } of made.turns) byNumber.get(target)?.planned.push(dueAt);
    for (const life of lives) if (life.target.pace.kind === 'tokens' || life.timer === -1) arm(life);
  }

  function restart(until: number): void {
    real = until;
    freeAt = real + delayMs;
    const overdue = Math.min(overdueThatCount, lives.filter(({ dueAt }) => dueAt <= wall()).length);
    boot = { at: wall(), overdue };
    observer.booted(real);
    day = dayNumber('UTC', wall());
    plan();
    for (const life of lives) arm(life);
  }

  function step(byMs: number): void {
    offset += byMs;
    day = dayNumber('UTC', wall());
    plan();
    for (const life of lives) arm(life);
  }

  function arm(life: Life): void {
    if (life.timer !== -1) timers.remove(life.timer);
    const { since, target, planned, bucket, found } = life;
    if (target.pace.kind === 'tokens') {
      const nextPaidAt = dayStart('UTC', nextPaidDay(bucket, priorityOf(found)));
      life.pace = { kind: 'tokens', planned, nextPaidAt };
    }
    const inputs: DueInputs = {
      at: wall(),
      since,
      pace: life.pace,
      ...(target.objective !== undefined && { recheck: recheckOf(life, target.objective) }),
      ...(boot !== undefined && { boot: { ...boot, slot: target.number } }),
      holds: { circuit: circuitAt },
    };
    life.dueAt = nextDue(inputs).dueAt ?? Infinity;
    life.timer = timers.add(life.dueAt, life, undefined);
  }

  function recheckOf({ lastVerifiedAt, misses, target }: Life, objective: Objective): Recheck {
    return { lastVerifiedAt, misses, objectiveMs: paceOfObjective(objective), leadMs: target.leadMs ?? 0 };
  }
}
