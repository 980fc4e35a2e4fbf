import type { Restart } from '../../src/actor/types.ts';

export interface WorkerPlan {
  readonly kind: 'worker';
  readonly id: string;
  readonly restart: Restart;
  readonly shutdown: 5_000 | 'brutal_kill';
  readonly traps: boolean;
}

export interface StaticPlan {
  readonly kind: 'static';
  readonly id: string;
  readonly restart: Restart;
  readonly strategy: 'one_for_one' | 'one_for_all' | 'rest_for_one';
  readonly intensity: number;
  readonly periodMs: number;
  readonly children: readonly Plan[];
}

/** Its children are workers, started on demand. */
export interface PoolPlan {
  readonly kind: 'pool';
  readonly id: string;
  readonly restart: Restart;
  readonly budget: 'shared' | 'per_child';
  readonly intensity: number;
  readonly periodMs: number;
}

export type Plan = WorkerPlan | StaticPlan | PoolPlan;

export type End = 'normal' | 'shutdown' | 'killed' | 'error';

/** Something that a supervisor keeps, and if it is one itself, what it keeps. */
export interface Place {
  readonly plan: Plan;
  readonly above: Place | undefined;
  isRunning: boolean;
  restarts: number;
  children: Place[];
  /** The seconds of restarts below it that it was charged for. */
  spentAt: number[];
}

/** The view that an observer has of a place. */
export interface Sight {
  readonly id: string;
  readonly isRunning: boolean;
  readonly restarts: number;
  readonly children: readonly Sight[];
}

/**
 * OTP's rules of supervision as plain recursion: no mailboxes, no promises, one fault and all that follows from it at a
 * time. The diary has what the kernel would report.
 */
export class Model {
  readonly diary: string[] = [];
  readonly root: Place;
  /** How many of the next starts of a worker fail. */
  readonly failures = new Map<string, number>();
  nowMs = 0;

  constructor(plan: StaticPlan) {
    this.root = newPlace(plan, undefined);
    this.#start(this.root);
  }

  /** All places that the tree has now, from the top. */
  places(place: Place = this.root): readonly Place[] {
    return [place, ...(place.isRunning ? place.children.flatMap((child) => this.places(child)) : [])];
  }

  /** A life ends by itself. */
  leave(place: Place, reason: End): void {
    this.#end(place, reason);
    if (place.above === undefined) return;
    if (mustRestart(place.plan.restart, reason)) this.#restart(place.above, place);
    else forget(place);
  }

  terminate(place: Place): 'ok' {
    this.#stop(place);
    forget(place);
    return 'ok';
  }

  delete(place: Place): 'ok' | 'running' {
    if (place.isRunning) return 'running';
    remove(place);
    return 'ok';
  }

  restartStopped(place: Place): 'ok' | 'running' | 'start_failed' {
    if (place.isRunning) return 'running';
    return this.#start(place) ? 'ok' : 'start_failed';
  }

  add(above: Place, plan: WorkerPlan): 'ok' | 'start_failed' {
    const place = newPlace(plan, above);
    if (!this.#start(place)) return 'start_failed';
    above.children.push(place);
    return 'ok';
  }

  #start(place: Place): boolean {
    const { plan } = place;
    if (plan.kind === 'worker') {
      const failing = this.failures.get(plan.id) ?? 0;
      this.failures.set(plan.id, Math.max(failing - 1, 0));
      if (failing > 0) return false;
    } else {
      place.spentAt = [];
      place.children = plan.kind === 'pool' ? [] : plan.children.map((child) => newPlace(child, place));
      if (this.#startInTurn(place.children) !== undefined) {
        this.#stopAll(place.children);
        return false;
      }
    }
    place.isRunning = true;
    this.diary.push(`started ${plan.id}`);
    return true;
  }

  /** Starts places in order up to one that fails, which is returned. */
  #startInTurn(places: readonly Place[]): Place | undefined {
    const failed = places.find((place) => !this.#start(place));
    if (failed !== undefined) this.diary.push(`start_error ${failed.plan.id}`);
    return failed;
  }

  #restart(above: Place, cause: Place): void {
    for (let next: Place | undefined = cause; next !== undefined;) {
      if (!this.#spend(above, next)) return this.#giveUp(above, next);
      const group = groupOf(above, next);
      const others = group.filter((place) => place !== next);
      this.#stopAll(others);
      others.forEach(forget);
      next = this.#startInTurn(group.filter((place) => above.children.includes(place)));
      for (const place of group) if (place.isRunning) place.restarts += 1;
    }
  }

  #giveUp(above: Place, cause: Place): void {
    const isAlone = hasOwnBudget(above);
    this.diary.push(`${isAlone ? 'gave_up' : 'intensity_reached'} ${cause.plan.id}`);
    forget(cause);
    if (isAlone) return;
    this.#stopAll(above.children);
    this.leave(above, 'shutdown');
  }

  /** Puts this second on the list; too many within the period are refused. */
  #spend(above: Place, cause: Place): boolean {
    if (above.plan.kind === 'worker') return false;
    const { intensity, periodMs } = above.plan;
    const charged = hasOwnBudget(above) ? cause : above;
    const second = Math.floor(this.nowMs / 1_000);
    charged.spentAt = [...charged.spentAt, second].filter((spent) => spent >= second - periodMs / 1_000);
    return charged.spentAt.length <= intensity;
  }

  #stopAll(places: readonly Place[]): void {
    for (const place of places.toReversed()) this.#stop(place);
  }

  #stop(place: Place): void {
    if (!place.isRunning) return;
    this.#stopAll(place.children);
    this.#end(place, place.plan.kind === 'worker' && place.plan.shutdown === 'brutal_kill' ? 'killed' : 'shutdown');
  }

  /** Ends a life, and those that are still below it when it is a supervisor that was killed. */
  #end(place: Place, reason: End): void {
    place.isRunning = false;
    this.diary.push(`ended ${place.plan.id} ${reason}`);
    for (const child of place.children) if (child.isRunning) this.#end(child, 'killed');
  }
}

export function sightOf({ plan, isRunning, restarts, children }: Place): Sight {
  const below = isRunning ? children.map(sightOf).sort((a, b) => (a.id < b.id ? -1 : 1)) : [];
  return { id: plan.id, isRunning, restarts, children: below };
}

function newPlace(plan: Plan, above: Place | undefined): Place {
  return { plan, above, isRunning: false, restarts: 0, children: [], spentAt: [] };
}

/** A permanent child is restarted always, a transient one after an end that is not normal. */
function mustRestart(restart: Restart, reason: End): boolean {
  return restart === 'permanent' || (restart === 'transient' && (reason === 'killed' || reason === 'error'));
}

function hasOwnBudget({ plan }: Place): boolean {
  return plan.kind === 'pool' && plan.budget === 'per_child';
}

/** Who is restarted along with a child, and that child, in start order. */
function groupOf({ plan, children }: Place, cause: Place): readonly Place[] {
  const strategy = plan.kind === 'static' ? plan.strategy : 'one_for_one';
  if (strategy === 'one_for_all') return [...children];
  return strategy === 'rest_for_one' ? children.slice(children.indexOf(cause)) : [cause];
}

/** A child that has ended for good: only a static supervisor keeps it, unless it is temporary. */
function forget(place: Place): void {
  if (place.plan.restart === 'temporary' || place.above?.plan.kind === 'pool') remove(place);
}

function remove(place: Place): void {
  const { above } = place;
  if (above !== undefined) above.children = above.children.filter((child) => child !== place);
}
